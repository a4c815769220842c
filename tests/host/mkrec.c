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

#include "../../kmod/format.h"
#include "../../kmod/pack.h"
#include "ktally.h"
#include "layout.h"
#include "mkrec.h"

#define CPUS		64
#define SUBBUF		(64U << 10)
#define NAMES_MAX	64
#define ARGV_MAX	(256U << 10)
#define TGIDS		65536U
#define REALTIME_0	1700000000000000000ULL	/* wall clock at boot */

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

/* What is remembered of a process so that lines can be short. */
struct memory {
	uint64_t start;
	uint32_t image;
	struct kt_owner owner;
	int seen;
};

struct cpu {
	unsigned char *buf;
	size_t n;
	uint64_t seq, threads;
	uint64_t attempts[KTALLY_KINDS], filtered[KTALLY_KINDS];
};

struct maker {
	char *error;
	size_t error_room;
	const char *path;
	int line;
	struct ktally_file *file;
	struct ktally_file_options options;
	char *texts[8];			/* what options point to */
	int n_texts;
	uint64_t load, time, missed, disarmed, ends, ends_runtime, ends_rx;
	uint32_t session, cpu_now, undescribed;
	size_t subbuf;
	int begun, no_end, crash;
	const char *note_name;
	char *note;
	struct cpu cpus[CPUS];
	struct memory *memory;
};

/* One record while its fields are read. */
struct draft {
	uint32_t kind;
	const struct layout *layout;
	union {
		unsigned char bytes[2048];
		struct ktally_common common;
		struct ktally_fork fork;
		struct ktally_exec exec;
		struct ktally_exit exit;
		struct ktally_task task;
		struct ktally_header header;
	} u;
	uint64_t given;			/* bit per field of the layout */
	char *strings[KT_STRINGS];
	size_t lens[KT_STRINGS];
};

static int fail(struct maker *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(struct maker *m, const char *fmt, ...)
{
	va_list args;
	int n = m->line ? snprintf(m->error, m->error_room, "line %d: ", m->line) : 0;

	va_start(args, fmt);
	vsnprintf(m->error + n, m->error_room - n, fmt, args);
	va_end(args);
	return -1;
}

/* ---- sub-buffers ---- */

static int flush_cpu(struct maker *m, struct cpu *c)
{
	if (c->n && ktally_file_add(m->file, c->buf, c->n))
		return fail(m, "%s", ktally_file_error(m->file));
	c->n = 0;
	return 0;
}

static void begin_subbuf(struct maker *m, struct cpu *c, uint64_t time)
{
	struct ktally_header h = {
		.magic = KTALLY_MAGIC, .version = KTALLY_STREAM_VERSION,
		.cpu = c - m->cpus, .session = m->session, .load_id = m->load,
		.first_seq = c->seq, .boottime = time, .realtime = REALTIME_0 + time,
		.threads = c->threads,
	};
	struct kt_record r = KT_RECORD(KTALLY_HEADER, &h);

	memcpy(h.attempts, c->attempts, sizeof(h.attempts));
	memcpy(h.filtered, c->filtered, sizeof(h.filtered));
	kt_lay(c->buf, kt_record_len(&r), &r, 0, time, 0);
	c->n = kt_record_len(&r);
}

static int put_record(struct maker *m, const struct kt_record *r, uint64_t time, int32_t pid)
{
	struct cpu *c = &m->cpus[m->cpu_now];
	uint32_t len = kt_record_len(r);

	if (len > KTALLY_RECORD_MAX)
		return fail(m, "a record of %u bytes is longer than %d", len, KTALLY_RECORD_MAX);
	if (!c->buf)
		c->buf = aligned_alloc(8, m->subbuf);
	if (!c->buf)
		return fail(m, "out of memory");
	if (c->n && c->n + len > m->subbuf && flush_cpu(m, c))
		return -1;
	if (!c->n)
		begin_subbuf(m, c, time);
	if (c->n + len > m->subbuf)
		return fail(m, "a record of %u bytes does not fit a sub-buffer", len);
	kt_lay(c->buf + c->n, len, r, c->seq, time, pid);
	c->n += len;
	c->seq++;
	c->attempts[r->kind]++;
	return 0;
}

/* ---- the beginning and the end ---- */

static int put_description(struct maker *m, unsigned int kind, uint64_t time)
{
	char text[KT_FORMAT_MAX];
	size_t total = kt_format(kind, text, sizeof(text));

	for (size_t at = 0; at < total;) {
		size_t n = total - at > 3000 ? 3000 : total - at;
		struct ktally_format f = { .id = kind, .offset = at, .total = total };
		struct kt_record r = KT_RECORD(KTALLY_FORMAT, &f);

		r.strings = 1;
		r.string[0] = (struct kt_bytes){ text + at, n, offsetof(struct ktally_format, text), 0 };
		if (put_record(m, &r, time, 1))
			return -1;
		at += n;
	}
	return 0;
}

static int put_info(struct maker *m, uint64_t time)
{
	const char *release = m->options.release, *machine = m->options.machine;
	struct ktally_info i = {
		.load_id = m->load, .mem_bytes = 8ULL << 30, .page_size = 4096, .cpus = CPUS,
		.hz = 250, .kinds = KTALLY_SELECTION + 1, .arg_bytes = 16384,
		.features = KTALLY_FEAT_EXIT_ARG | KTALLY_FEAT_CGROUP | KTALLY_FEAT_IO,
	};
	struct kt_record r = KT_RECORD(KTALLY_INFO, &i);

	r.strings = 3;
	r.string[0] = (struct kt_bytes){ release, strlen(release), offsetof(struct ktally_info, release), 1 };
	r.string[1] = (struct kt_bytes){ machine, strlen(machine), offsetof(struct ktally_info, machine), 1 };
	r.string[2] = (struct kt_bytes){ "0.1", 3, offsetof(struct ktally_info, module), 1 };
	return put_record(m, &r, time, 1);
}

static int begin(struct maker *m, uint64_t time)
{
	if (m->begun)
		return 0;
	m->begun = 1;
	if (ktally_file_create(&m->file, m->path, &m->options))
		return fail(m, "%s", ktally_file_error(m->file));
	for (unsigned int kind = 1; kind < KTALLY_KINDS; kind++)
		if (!(m->undescribed >> kind & 1) && put_description(m, kind, time))
			return -1;
	return put_info(m, time);
}

static int put_end(struct maker *m)
{
	struct ktally_end e = {
		.kp_missed = m->missed, .disarmed = m->disarmed, .ends = m->ends,
		.ends_runtime = m->ends_runtime, .ends_net = { m->ends_rx },
	};
	struct kt_record r = KT_RECORD(KTALLY_END, &e);

	for (int cpu = 0; cpu < CPUS; cpu++) {
		e.threads += m->cpus[cpu].threads;
		for (int kind = 0; kind < KTALLY_KINDS; kind++) {
			e.attempts[kind] += m->cpus[cpu].attempts[kind];
			e.filtered[kind] += m->cpus[cpu].filtered[kind];
		}
	}
	e.attempts[KTALLY_END]++;
	m->cpu_now = 0;
	return put_record(m, &r, m->time, 1);
}

static int finish(struct maker *m)
{
	m->line = 0;
	if (begin(m, m->time) || (!m->no_end && put_end(m)))
		return -1;
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (flush_cpu(m, &m->cpus[cpu]))
			return -1;
	if (m->note && ktally_file_note(m->file, m->note_name, m->note, strlen(m->note)))
		return fail(m, "%s", ktally_file_error(m->file));
	if (!m->crash && ktally_file_finish(m->file))
		return fail(m, "%s", ktally_file_error(m->file));
	return 0;
}

/* ---- values ---- */

static int read_number(struct maker *m, const char *s, uint64_t unitless, uint64_t *out)
{
	static const struct { const char *suffix; double factor; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "K", 1024 }, { "M", 1024 * 1024 }, { "G", 1024.0 * 1024 * 1024 },
	};
	char *end;
	uint64_t whole = strtoull(s, &end, 0);
	long double v;

	if (*s && !*end && unitless == 1) {
		*out = whole;
		return 0;
	}
	v = strtold(s, &end);
	if (end == s)
		return fail(m, "'%s' is no number", s);
	if (!*end) {
		*out = v * unitless + 0.5L;
		return 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].suffix)) {
			*out = v * units[i].factor + 0.5L;
			return 0;
		}
	return fail(m, "'%s': unknown unit", s);
}

static const struct named_bit {
	uint32_t kind;
	const char *field, *name;
	uint64_t bit;
} named_bits[] = {
	{ KTALLY_FORK, "flags", "vm", KTALLY_FORK_VM },
	{ KTALLY_FORK, "flags", "kthread", KTALLY_FORK_KTHREAD },
	{ KTALLY_EXEC, "flags", "cut", KTALLY_EXEC_ARGV_CUT },
	{ KTALLY_EXEC, "flags", "hidden", KTALLY_EXEC_ARGV_HIDDEN },
	{ KTALLY_EXEC, "flags", "name_cut", KTALLY_EXEC_NAME_CUT },
	{ KTALLY_ARGS, "flags", "cut", KTALLY_EXEC_ARGV_CUT },
	{ KTALLY_EXIT, "flags", "maybe_dup", KTALLY_EXIT_MAYBE_DUP },
	{ KTALLY_EXIT, "flags", "oom", KTALLY_EXIT_OOM },
	{ KTALLY_EXIT, "flags", "fallback", KTALLY_EXIT_FALLBACK },
	{ KTALLY_EXIT, "flags", "unstable", KTALLY_EXIT_UNSTABLE },
	{ KTALLY_EXIT, "flags", "many", KTALLY_EXIT_MANY },
	{ KTALLY_EXIT, "flags", "kthread", KTALLY_EXIT_KTHREAD },
	{ KTALLY_EXIT, "flags", "noexec", KTALLY_EXIT_NOEXEC },
	{ KTALLY_TASK, "flags", "kthread", KTALLY_TASK_KTHREAD },
	{ KTALLY_TASK, "flags", "zombie", KTALLY_TASK_ZOMBIE },
	{ KTALLY_TASK, "flags", "hidden", KTALLY_TASK_ARGV_HIDDEN },
	{ KTALLY_TASK, "flags", "cut", KTALLY_TASK_ARGV_CUT },
	{ KTALLY_TASK, "flags", "unstable", KTALLY_TASK_UNSTABLE },
	{ KTALLY_TASK, "flags", "noexec", KTALLY_TASK_NOEXEC },
	{ 0, "purpose", "opening", KTALLY_WALK_OPENING },
	{ 0, "purpose", "closing", KTALLY_WALK_CLOSING },
	{ 0, "purpose", "snapshot", KTALLY_WALK_SNAPSHOT },
};

static const struct layout_field *find_field(const struct layout *l, const char *name, unsigned int *at)
{
	for (unsigned int i = 0; i < l->n_fields; i++)
		if (!strcmp(l->fields[i].name, name)) {
			*at = i;
			return &l->fields[i];
		}
	return NULL;
}

/* Bit of a usage field, by its distance from `upper`. 64: it has none. */
static unsigned int usage_bit(const struct layout *l, const char *name)
{
	unsigned int upper, at;

	if (!find_field(l, "upper", &upper))
		return 64;
	if (!strncmp(name, "net_", 4) && strcmp(name, "net_flags") && strcmp(name, "net_sockets"))
		return KTALLY_U_NET;
	if (!strncmp(name, "tcp_", 4))
		return KTALLY_U_TCP_PAYLOAD;
	if (!strncmp(name, "udp_", 4))
		return KTALLY_U_UDP_PAYLOAD;
	if (!find_field(l, name, &at) || at <= upper || at - upper - 1 > KTALLY_U_MAXRSS)
		return 64;
	return at - upper - 1;
}

static int named_value(const struct draft *d, const char *field, const char *name, uint64_t *bit)
{
	for (size_t i = 0; i < sizeof(named_bits) / sizeof(named_bits[0]); i++) {
		const struct named_bit *b = &named_bits[i];

		if ((!b->kind || b->kind == d->kind) && !strcmp(b->field, field) &&
		    !strcmp(b->name, name)) {
			*bit = b->bit;
			return 1;
		}
	}
	if ((!strcmp(field, "known") || !strcmp(field, "upper")) && usage_bit(d->layout, name) < 64) {
		*bit = 1ULL << usage_bit(d->layout, name);
		return 1;
	}
	return 0;
}

static int read_bits(struct maker *m, struct draft *d, const char *field, char *value, uint64_t *out)
{
	char *rest, *word;

	*out = 0;
	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t bit;

		if (!named_value(d, field, word, &bit) && read_number(m, word, 1, &bit))
			return -1;
		*out |= bit;
	}
	return 0;
}

static void store(unsigned char *to, unsigned int size, uint64_t v)
{
	memcpy(to, &v, size);		/* little endian: the low bytes come first */
}

static int is_given(const struct draft *d, const char *name)
{
	unsigned int at;

	return find_field(d->layout, name, &at) && d->given >> at & 1;
}

/* A value for a field that the line left out. */
static void fill_in(struct draft *d, const char *name, uint64_t v)
{
	unsigned int at;
	const struct layout_field *f = find_field(d->layout, name, &at);

	if (!f || d->given >> at & 1)
		return;
	store(d->u.bytes + f->offset, f->size, v);
	d->given |= 1ULL << at;
}

static unsigned int string_index(const struct layout *l, unsigned int field)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < field; i++)
		n += !l->fields[i].element;
	return n;
}

static void set_string(struct draft *d, unsigned int at, const char *s, size_t n)
{
	unsigned int i = string_index(d->layout, at);

	free(d->strings[i]);
	d->strings[i] = malloc(n + 1);
	memcpy(d->strings[i], s, n);
	d->strings[i][n] = '\0';
	d->lens[i] = n;
	d->given |= 1ULL << at;
}

static int hex(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* In place; if words, an unescaped blank becomes the NUL that parts two words. */
static size_t unescape(char *s, int words)
{
	char *to = s;

	for (char *p = s; *p; p++) {
		if (words && *p == ' ') {
			*to++ = '\0';
		} else if (*p != '\\' || !p[1]) {
			*to++ = *p;
		} else if (p[1] == 'x' && hex(p[2]) >= 0 && hex(p[3]) >= 0) {
			*to++ = hex(p[2]) << 4 | hex(p[3]);
			p += 3;
		} else {
			p++;
			*to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == '0' ? '\0' : *p;
		}
	}
	*to = '\0';	/* escapes are shorter than what they stand for */
	return to - s;
}

static int set_array(struct maker *m, struct draft *d, const struct layout_field *f, char *value)
{
	char *rest, *word;
	unsigned int at = 0;

	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t v;

		if (at >= f->size)
			return fail(m, "%s: more than %u numbers", f->name, f->size / f->element);
		if (read_number(m, word, 1, &v))
			return -1;
		store(d->u.bytes + f->offset + at, f->element, v);
		at += f->element;
	}
	return 0;
}

static int set_text(struct maker *m, struct draft *d, const struct layout_field *f, char *value)
{
	size_t n = unescape(value, 0);

	if (n >= f->size)
		return fail(m, "%s: longer than %u bytes", f->name, f->size - 1);
	memset(d->u.bytes + f->offset, 0, f->size);
	memcpy(d->u.bytes + f->offset, value, n);
	return 0;
}

static int set_value(struct maker *m, struct draft *d, const char *name, char *value)
{
	unsigned int at, bit;
	const struct layout_field *f = find_field(d->layout, name, &at);
	uint64_t v;

	if (!f)
		return fail(m, "%s has no field '%s'", d->layout->name, name);
	d->given |= 1ULL << at;
	bit = usage_bit(d->layout, name);
	if (bit < 64 && !is_given(d, "known"))
		d->u.exit.known |= 1ULL << bit;
	if (!f->element) {
		int words = !strcmp(name, "argv") || !strcmp(name, "data");
		size_t n = unescape(value, words);

		/* The NUL behind the last word is there already. */
		set_string(d, at, value, words ? n + 1 : n);
		return 0;
	}
	if (f->element == 1)
		return set_text(m, d, f, value);
	if (f->element != f->size)
		return set_array(m, d, f, value);
	if (!strcmp(name, "state") && isalpha((unsigned char)value[0])) {
		store(d->u.bytes + f->offset, f->size, value[0]);
		return 0;
	}
	if (!strcmp(name, "flags") || !strcmp(name, "known") || !strcmp(name, "upper") ||
	    !strcmp(name, "purpose")) {
		if (read_bits(m, d, name, value, &v))
			return -1;
	} else if (read_number(m, value, !strcmp(name, "start") || !strcmp(name, "parent_start") ||
			       !strcmp(name, "thread_start") || !strcmp(name, "sampled") ?
			       1000000000ULL : 1, &v)) {
		return -1;
	}
	store(d->u.bytes + f->offset, f->size, v);
	return 0;
}

/* known sits at the same place in exec, exit and task: set_value() relies on it. */
_Static_assert(offsetof(struct ktally_exit, known) == offsetof(struct ktally_exec, known), "same");
_Static_assert(offsetof(struct ktally_exit, known) == offsetof(struct ktally_task, known), "same");

static int set_status(struct maker *m, struct draft *d, const char *value, int shift)
{
	uint64_t v;

	if (read_number(m, value, 1, &v))
		return -1;
	fill_in(d, "status", v << shift);
	return 0;
}

static int set_field(struct maker *m, struct draft *d, char *word)
{
	char *value = strchr(word, '=');

	if (!strcmp(word, "core") && d->kind == KTALLY_EXIT) {
		d->u.exit.status |= 0x80;
		return 0;
	}
	if (!value)
		return fail(m, "'%s': expected FIELD=VALUE", word);
	*value++ = '\0';
	if (!strcmp(word, "pid"))
		return set_value(m, d, "tgid", value);
	if (!strcmp(word, "code"))
		return set_status(m, d, value, 8);
	if (!strcmp(word, "signal"))
		return set_status(m, d, value, 0);
	return set_value(m, d, word, value);
}

/* ---- filling in ---- */

static struct memory *recall(struct maker *m, uint64_t tgid)
{
	return &m->memory[tgid % TGIDS];
}

static void fill_owner(struct draft *d, const struct kt_owner *o)
{
	fill_in(d, "ppid", o->ppid);
	fill_in(d, "parent_start", o->parent_start);
	fill_in(d, "cgroup", o->cgroup);
	fill_in(d, "pidns", o->pidns);
	fill_in(d, "netns", o->netns);
	fill_in(d, "uid", o->uid);
	fill_in(d, "gid", o->gid);
	fill_in(d, "sid", o->sid);
	fill_in(d, "pgrp", o->pgrp);
	if (is_given(d, "comm"))
		return;
	memcpy(d->u.fork.comm, o->comm, sizeof(o->comm));
	if (o->comm[0])
		d->given |= 1ULL << KTALLY_HAS_comm;
}

static void fill_fork(struct maker *m, struct draft *d)
{
	const struct memory *parent = recall(m, d->u.fork.ppid);

	fill_in(d, "start", m->time);
	fill_in(d, "parent_start", parent->start);
	fill_in(d, "image", parent->image);
	fill_in(d, "parent_image", parent->image);
	fill_owner(d, &parent->owner);
}

static void fill_exec(struct draft *d)
{
	const char *argv = d->strings[2] ? d->strings[2] : "";
	size_t n = d->lens[2];
	uint64_t words = 0;

	for (size_t i = 0; i < n; i++)
		words += !argv[i];
	fill_in(d, "argc", words);
	fill_in(d, "argv_len", n);
	fill_in(d, "argv_kept", n);
}

/* Names that an exec line may leave out; places are those of exec's list. */
static void fill_exec_names(struct draft *d)
{
	unsigned int filename, interp;
	const char *base;

	find_field(d->layout, "filename", &filename);
	find_field(d->layout, "interp", &interp);
	if (!d->strings[0] && d->strings[2])
		set_string(d, filename, d->strings[2], strlen(d->strings[2]));
	if (!d->strings[0])
		return;
	if (!d->strings[1])
		set_string(d, interp, d->strings[0], d->lens[0]);
	if (is_given(d, "comm"))
		return;
	base = strrchr(d->strings[0], '/') ? strrchr(d->strings[0], '/') + 1 : d->strings[0];
	memset(d->u.exec.comm, 0, sizeof(d->u.exec.comm));
	memcpy(d->u.exec.comm, base, strnlen(base, KTALLY_COMM_LEN - 1));
	d->given |= 1ULL << KTALLY_HAS_comm;
}

static void fill_draft(struct maker *m, struct draft *d)
{
	struct memory *mem;
	unsigned int at;

	if (strcmp(d->layout->fields[0].name, "tgid"))
		return;
	mem = recall(m, d->u.fork.tgid);
	if (d->kind == KTALLY_FORK)
		fill_fork(m, d);
	if (d->kind == KTALLY_EXEC) {
		fill_exec_names(d);
		fill_exec(d);
		fill_in(d, "image", mem->image + 1);
	}
	if (d->kind == KTALLY_TASK && d->strings[0])
		fill_in(d, "argv_len", d->lens[0]);
	if (d->kind == KTALLY_TASK) {
		fill_in(d, "sampled", m->time);
		fill_in(d, "state", 'S');
		fill_in(d, "threads", 1);
		fill_in(d, "live", 1);
	}
	fill_in(d, "start", mem->start);
	fill_in(d, "image", mem->image);
	if (!find_field(d->layout, "ppid", &at))
		return;
	if (is_given(d, "ppid") && d->u.fork.ppid != mem->owner.ppid)
		fill_in(d, "parent_start", recall(m, d->u.fork.ppid)->start);
	fill_owner(d, &mem->owner);
	fill_in(d, "nspid", d->u.fork.tgid);
	mem->start = d->u.fork.start;
	mem->image = d->u.fork.image;
	memcpy(&mem->owner, KT_OWNER(&d->u.fork), sizeof(mem->owner));
}

/* ---- lines ---- */

static int put_args(struct maker *m, const struct draft *d, const char *argv, size_t total)
{
	for (size_t at = KTALLY_ARGV_INLINE; at < total;) {
		size_t n = total - at > 1024 ? 1024 : total - at;
		struct ktally_args a = {
			.tgid = d->u.exec.tgid, .image = d->u.exec.image, .start = d->u.exec.start,
			.offset = at, .total = total,
		};
		struct kt_record r = KT_RECORD(KTALLY_ARGS, &a);

		r.strings = 1;
		r.string[0] = (struct kt_bytes){ argv + at, n, offsetof(struct ktally_args, data), 0 };
		if (put_record(m, &r, m->time, d->u.exec.tgid))
			return -1;
		at += n;
	}
	return 0;
}

static int put_draft(struct maker *m, struct draft *d)
{
	struct kt_record r = { .fixed = d->u.bytes, .size = d->layout->size, .kind = d->kind };
	int32_t pid = strcmp(d->layout->fields[0].name, "tgid") ? 1 : (int32_t)d->u.fork.tgid;
	size_t whole = 0;

	for (unsigned int i = 0, s = 0; i < d->layout->n_fields; i++) {
		const struct layout_field *f = &d->layout->fields[i];
		int bytes = !strcmp(f->name, "argv") || !strcmp(f->name, "data");
		size_t n;

		if (f->element)
			continue;
		n = d->lens[s];
		if (d->kind == KTALLY_EXEC && bytes && n > KTALLY_ARGV_INLINE) {
			whole = n;
			n = KTALLY_ARGV_INLINE;
		}
		r.string[r.strings++] = (struct kt_bytes){
			d->strings[s] ? d->strings[s] : "", n, f->offset, d->strings[s] && !bytes,
		};
		s++;
	}
	if (put_record(m, &r, m->time, pid))
		return -1;
	return whole ? put_args(m, d, d->strings[2], whole) : 0;
}

static int find_kind(struct maker *m, const char *name, uint32_t *kind)
{
	for (*kind = 1; *kind < KTALLY_KINDS; ++*kind)
		if (ktally_kind_name(*kind) && !strcmp(ktally_kind_name(*kind), name))
			return 0;
	return fail(m, "'%s' is no kind of record", name);
}

/* The next word of a line, quotes taken off; NULL: none. */
static char *next_word(char **at)
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

static int do_record(struct maker *m, char *kind, char *rest)
{
	struct draft d = { .kind = 0 };
	int ret;
	char *word;

	if (!kind)
		return fail(m, "expected TIME KIND");
	if (find_kind(m, kind, &d.kind))
		return -1;
	d.layout = layout_of(d.kind);
	ret = begin(m, m->time);
	while (!ret && (word = next_word(&rest)))
		ret = set_field(m, &d, word);
	if (!ret) {
		fill_draft(m, &d);
		ret = put_draft(m, &d);
	}
	for (int i = 0; i < KT_STRINGS; i++)
		free(d.strings[i]);
	return ret;
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
		if (read_number(m, start, 1000000000ULL, &m->options.root_start))
			return -1;
	}
	if (read_number(m, value, 1, &v))
		return -1;
	m->options.root_tgid = v;
	return 0;
}

static int count_missing(struct maker *m, char *kind_name, char *count, int lost)
{
	struct cpu *c = &m->cpus[m->cpu_now];
	uint64_t n = 1;
	uint32_t kind;

	if (!kind_name || find_kind(m, kind_name, &kind))
		return fail(m, "expected KIND [N]");
	if (count && read_number(m, count, 1, &n))
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
	if (!value || read_number(m, value, !strcmp(word, "load") ? 1000000000ULL : 1, &v))
		return fail(m, "%s: expected a number", word);
	if (numbers[i].to == &cpu && v >= CPUS)
		return fail(m, "only %d CPUs", CPUS);
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
				return fail(m, "%s: expected one value", word);
			*texts[i].to = keep(m, value);
			return 0;
		}
	if (!strcmp(word, "root"))
		return value ? set_root(m, value) : fail(m, "root: expected PID[@START]");
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
		return fail(m, "note: expected NAME LINE, of one name");
	p = realloc(m->note, had + strlen(line) + 2);
	if (!p)
		return fail(m, "out of memory");
	m->note = p;
	sprintf(p + had, "%s%s", had ? "\n" : "", line);
	if (!m->note_name)
		m->note_name = keep(m, name);
	return 0;
}

static int leave_out(struct maker *m, const char *name)
{
	uint32_t kind;

	if (!name || find_kind(m, name, &kind))
		return fail(m, "undescribed: expected KIND");
	m->undescribed |= 1U << kind;
	return 0;
}

static int do_line(struct maker *m, char *line)
{
	char *word = next_word(&line);
	char *second = NULL;
	int known, ret;

	if (!word || *word == '#')
		return 0;
	second = next_word(&line);
	if (isdigit((unsigned char)*word)) {
		if (read_number(m, word, 1000000000ULL, &m->time))
			return -1;
		return do_record(m, second, line);
	}
	if (!strcmp(word, "lost") || !strcmp(word, "filtered"))
		return begin(m, m->time) ? -1 : count_missing(m, second, next_word(&line), *word == 'l');
	if (!strcmp(word, "flush"))
		return begin(m, m->time) ? -1 : flush_cpu(m, &m->cpus[m->cpu_now]);
	if (!strcmp(word, "note"))
		return add_note(m, second, line ? line : "");
	if (!strcmp(word, "undescribed"))
		return leave_out(m, second);
	ret = set_number(m, word, second, &known);
	if (!known)
		ret = set_option(m, word, second, &known);
	return known ? ret : fail(m, "'%s' is neither a setting nor a time; see mkrec --help", word);
}

static int do_text(struct maker *m, const char *text)
{
	int ret = 0;

	while (*text && !ret) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);

		m->line++;
		ret = line ? do_line(m, line) : fail(m, "out of memory");
		free(line);
		text += n + (text[n] == '\n');
	}
	return ret;
}

int mkrec(const char *text, const char *path, char *error, size_t n)
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
	if (m->memory && !do_text(m, text))
		ret = finish(m);
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
static char *read_all(FILE *f)
{
	size_t n = 0, room = 4096;
	char *text = malloc(room), *p;

	while (text) {
		n += fread(text + n, 1, room - n - 1, f);
		if (feof(f) || ferror(f))
			break;
		room *= 2;
		p = realloc(text, room);
		if (!p)
			free(text);
		text = p;
	}
	if (text)
		text[n] = '\0';
	return text;
}

int main(int argc, char **argv)
{
	const char *out = "-", *in = NULL;
	char error[400], *text;
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
	text = f ? read_all(f) : NULL;
	if (!text)
		return fprintf(stderr, "mkrec: %s: %s\n", in ? in : "-", strerror(errno)), 1;
	ret = mkrec(text, out, error, sizeof(error));
	if (ret)
		fprintf(stderr, "mkrec: %s: %s\n", in ? in : "-", error);
	free(text);
	if (f != stdin)
		fclose(f);
	return ret ? 1 : 0;
}
#endif
