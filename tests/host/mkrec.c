// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkrec.c - makes recordings from readable text, so that a test's input can be read in
 * a diff. Records are laid by the module's own packing and described by its own
 * descriptions; only what is valid in form can be made (what is damaged is made from
 * it, by cutting and flipping).
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mkrec.h"
#include "mkrec_maker.h"

#define SUBBUF		(64U << 10)

static const char usage[] __attribute__((unused)) =
"usage: mkrec [-o FILE] [TEXT]\n"
"Makes a recording from TEXT (default: standard input) into FILE (default: standard\n"
"output). A line is a setting, a record or a comment (#).\n"
"\n"
"Settings, before the first record:\n"
"  host NAME, release TEXT, machine TEXT, boot ID, command TEXT, root PID[@START]\n"
"  load TIME       the module's load (default 1s)\n"
"  session N       default 1\n"
"  subbuf BYTES    size of a sub-buffer (default 64K)\n"
"  force           overwrite FILE instead of moving it to FILE.old\n"
"  pack            blocks packed by zstd, where the library is built with it\n"
"Settings anywhere:\n"
"  cpu N           CPU of what follows (default 0)\n"
"  flush           finish this CPU's sub-buffer\n"
"  mark-all        finish all CPUs', and say that all so far has been written\n"
"  lost KIND [N]   N records (1) that this CPU attempted and could not write\n"
"  filtered KIND [N]\n"
"  threads N       N threads created on this CPU\n"
"  missed N        N ends of tasks that the kprobe missed\n"
"  ends N          processes that ended, as the totals count; ends_runtime, ends_rx:\n"
"                  their CPU time, and bytes received over physical devices\n"
"  disarmed N      the module found itself inconsistent N times\n"
"  note NAME LINE  one more line of the text beside the records\n"
"  undescribed KIND   leave its description out (before the first record)\n"
"  no-end          the recorder was killed: no end record\n"
"  crash           as no-end, and no summary at the end of the file\n"
"\n"
"Records: TIME KIND [FIELD=VALUE]...\n"
"  TIME and numbers take ns us ms s, K M G; without a unit a TIME is seconds.\n"
"  FIELD is a name of include/uapi/linux/ktally.h, or pid (= tgid), code=N or\n"
"  signal=N (= status), core. Arrays are N,N,... A string that holds blanks stands in\n"
"  \"...\" with \\n \\t \\\\ \\\" \\xNN; in argv one blank parts two words (\\x20 does not).\n"
"  flags, known, upper and purpose take names: flags=oom,many known=runtime,peak_rss.\n"
"\n"
"Left out fields are filled in: fork: start (TIME), image, parent_start and owner of\n"
"the parent; exec: image (one more), filename, interp, comm, argc, argv_len; others:\n"
"start, image and owner as last said. A usage or network field that is given is known.\n"
"argv beyond 512 bytes becomes args records. Descriptions and info come first.\n"
"\n"
"  0.5 walk_begin walk=1 purpose=opening\n"
"  0.5 task pid=1 start=0 comm=init argv=/sbin/init walk=1 threads=1 live=1\n"
"  0.5 walk_end walk=1 purpose=opening tasks=1\n"
"  1.0 fork pid=100 ppid=1\n"
"  1.1 exec pid=100 argv=\"cc1 -quiet a.c\"\n"
"  2.5 exit pid=100 code=1 runtime=1.2s utime=1s stime=200ms peak_rss=61M\n";

int maker_fail(struct maker *m, const char *fmt, ...)
{
	va_list args;
	int n = m->line ? snprintf(m->error, m->error_room, "line %d: ", m->line) : 0;

	va_start(args, fmt);
	vsnprintf(m->error + n, m->error_room - n, fmt, args);
	va_end(args);
	return -1;
}

/* ---- lines ---- */

/* The next word of a line, quotes taken off; NULL: none. */
char *maker_word(char **at)
{
	char *p = *at + strspn(*at, " \t");
	char *start = p, *to = p;
	int quoted = 0;

	if (!*p)
		return NULL;
	for (; *p && (quoted || !strchr(" \t", *p)); p++) {
		if (*p == '\\' && p[1]) {
			*to++ = *p++;
			*to++ = *p;
		} else if (*p == '"') {
			quoted = !quoted;
		} else {
			*to++ = *p;
		}
	}
	*at = *p ? p + 1 : p;
	*to = '\0';
	return start;
}

static const char *keep(struct maker *m, const char *s)
{
	return m->texts[m->n_texts++] = strdup(s);
}

static int set_root(struct maker *m, char *value)
{
	char *start = strchr(value, '@');
	uint64_t v;

	if (start) {
		*start++ = '\0';
		if (maker_number(m, start, 1000000000ULL, &m->options.root_start))
			return -1;
	}
	if (maker_number(m, value, 1, &v))
		return -1;
	m->options.root_tgid = v;
	return 0;
}

static int count_missing(struct maker *m, char *kind_name, char *count, int lost)
{
	struct cpu *c = &m->cpus[m->cpu_now];
	uint64_t n = 1;
	uint32_t kind;

	if (!kind_name || maker_kind(m, kind_name, &kind))
		return maker_fail(m, "expected KIND [N]");
	if (count && maker_number(m, count, 1, &n))
		return -1;
	if (!lost) {
		c->filtered[kind] += n;
		return 0;
	}
	c->attempts[kind] += n;
	c->seq += n;
	return 0;
}

static int set_number(struct maker *m, const char *word, char *value, int *known)
{
	uint64_t v, cpu, subbuf, session, threads;
	const struct { const char *word; uint64_t *to; } numbers[] = {
		{ "cpu", &cpu }, { "load", &m->load }, { "session", &session }, { "subbuf", &subbuf },
		{ "threads", &threads }, { "missed", &m->missed }, { "disarmed", &m->disarmed },
		{ "ends", &m->ends }, { "ends_runtime", &m->ends_runtime }, { "ends_rx", &m->ends_rx },
	};
	size_t i = 0, n = sizeof(numbers) / sizeof(numbers[0]);

	while (i < n && strcmp(word, numbers[i].word))
		i++;
	*known = i < n;
	if (!*known)
		return 0;
	if (!value || maker_number(m, value, !strcmp(word, "load") ? 1000000000ULL : 1, &v))
		return maker_fail(m, "%s: expected a number", word);
	if (numbers[i].to == &cpu && v >= CPUS)
		return maker_fail(m, "only %d CPUs", CPUS);
	*numbers[i].to = v;
	if (numbers[i].to == &cpu)
		m->cpu_now = v;
	else if (numbers[i].to == &session)
		m->session = v;
	else if (numbers[i].to == &subbuf)
		m->subbuf = (v + 7) & ~7ULL;
	else if (numbers[i].to == &threads)
		m->cpus[m->cpu_now].threads += v;
	return 0;
}

static int set_option(struct maker *m, const char *word, char *value, int *known)
{
	const struct { const char *word; const char **to; } texts[] = {
		{ "host", &m->options.host }, { "release", &m->options.release },
		{ "machine", &m->options.machine }, { "boot", &m->options.boot_id },
		{ "command", &m->options.command },
	};

	*known = 1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(word, texts[i].word)) {
			if (!value || m->n_texts == 8)
				return maker_fail(m, "%s: expected one value", word);
			*texts[i].to = keep(m, value);
			return 0;
		}
	if (!strcmp(word, "root"))
		return value ? set_root(m, value) : maker_fail(m, "root: expected PID[@START]");
	if (!strcmp(word, "no-end") || !strcmp(word, "crash"))
		m->no_end = 1;
	if (!strcmp(word, "crash"))
		m->crash = 1;
	if (!strcmp(word, "force"))
		m->options.force = true;
	if (!strcmp(word, "pack"))
		m->options.level = 1;
	*known = !strcmp(word, "no-end") || !strcmp(word, "crash") || !strcmp(word, "force") ||
		 !strcmp(word, "pack");
	return 0;
}

/* Lines of one name are one text, which is written at the end. */
static int add_note(struct maker *m, const char *name, char *line)
{
	size_t had = m->note ? strlen(m->note) : 0;
	char *p;

	if (!name || !line || (m->note_name && strcmp(m->note_name, name)))
		return maker_fail(m, "note: expected NAME LINE, of one name");
	p = realloc(m->note, had + strlen(line) + 2);
	if (!p)
		return maker_fail(m, "out of memory");
	m->note = p;
	sprintf(p + had, "%s%s", had ? "\n" : "", line);
	if (!m->note_name)
		m->note_name = keep(m, name);
	return 0;
}

static int leave_out(struct maker *m, const char *name)
{
	uint32_t kind;

	if (!name || maker_kind(m, name, &kind))
		return maker_fail(m, "undescribed: expected KIND");
	m->undescribed |= 1U << kind;
	return 0;
}

static int do_line(struct maker *m, char *line)
{
	char *word = maker_word(&line);
	char *second = NULL;
	int known, ret;

	if (!word || *word == '#')
		return 0;
	second = maker_word(&line);
	if (isdigit((unsigned char)*word)) {
		if (maker_number(m, word, 1000000000ULL, &m->time))
			return -1;
		return maker_record(m, second, line);
	}
	if (!strcmp(word, "lost") || !strcmp(word, "filtered"))
		return maker_begin(m, m->time) ? -1 : count_missing(m, second, maker_word(&line), *word == 'l');
	if (!strcmp(word, "flush"))
		return maker_begin(m, m->time) ? -1 : maker_flush(m, &m->cpus[m->cpu_now]);
	if (!strcmp(word, "mark-all"))
		return maker_begin(m, m->time) ? -1 : maker_mark(m);
	if (!strcmp(word, "note"))
		return add_note(m, second, line ? line : "");
	if (!strcmp(word, "undescribed"))
		return leave_out(m, second);
	ret = set_number(m, word, second, &known);
	if (!known)
		ret = set_option(m, word, second, &known);
	return known ? ret : maker_fail(m, "'%s' is neither a setting nor a time; see mkrec --help", word);
}

static int do_lines(struct maker *m, FILE *text)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = getline(&line, &room, text)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		m->line++;
		ret = do_line(m, line);
	}
	free(line);
	return ret;
}

int mkrec(const char *text, const char *path, char *error, size_t n)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	int ret = f ? mkrec_lines(f, path, error, n) : -1;

	if (f)
		fclose(f);
	return ret;
}

int mkrec_lines(FILE *text, const char *path, char *error, size_t n)
{
	struct maker *m = calloc(1, sizeof(*m));
	int ret = -1;

	if (!m)
		return -1;
	m->memory = calloc(TGIDS, sizeof(*m->memory));
	m->error = error;
	m->error_room = n;
	m->path = path;
	m->load = m->time = 1000000000;
	m->session = 1;
	m->subbuf = SUBBUF;
	m->options.host = "box";
	m->options.release = "6.1.0-test";
	m->options.machine = "x86_64";
	m->options.boot_id = "00000000-0000-4000-8000-000000000001";
	if (m->memory && !do_lines(m, text))
		ret = maker_finish(m);
	ktally_file_close(m->file);
	for (int cpu = 0; cpu < CPUS; cpu++)
		free(m->cpus[cpu].buf);
	for (int i = 0; i < m->n_texts; i++)
		free(m->texts[i]);
	free(m->note);
	free(m->memory);
	free(m);
	return ret;
}

#ifndef MKREC_NO_MAIN
int main(int argc, char **argv)
{
	const char *out = "-", *in = NULL;
	char error[400];
	FILE *f = stdin;
	int ret;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		}
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			out = argv[++i];
		else if (!in && (*argv[i] != '-' || !argv[i][1]))
			in = argv[i];
		else
			return fprintf(stderr, "mkrec: %s: unknown; see mkrec --help\n", argv[i]), 2;
	}
	if (in && strcmp(in, "-"))
		f = fopen(in, "re");
	if (!f)
		return fprintf(stderr, "mkrec: %s: %s\n", in, strerror(errno)), 1;
	ret = mkrec_lines(f, out, error, sizeof(error));
	if (ret)
		fprintf(stderr, "mkrec: %s: %s\n", in ? in : "-", error);
	if (f != stdin)
		fclose(f);
	return ret ? 1 : 0;
}
#endif
