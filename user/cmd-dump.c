// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-dump.c - every record, as libtraceevent prints it from its description.
 *
 * So also kinds and fields that this program does not know are shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "out/sink.h"
#include "out/text.h"
#include "reading.h"

struct args {
	const char *kinds, *output;
	uint64_t limit;
	struct reading_options in;
};

static const struct opt dump_opts[] = {
	{ 'e', "events", "KIND[,KIND]", "only records of these kinds (default: all but format, the descriptions)",
	  opt_string, offsetof(struct args, kinds), 0,
	  "info fork exec args exit thread_exit task mark cgroup walk_begin walk_end end format" },
	{ 'l', "limit", "N", "at most N records; 0: all", opt_count, offsetof(struct args, limit), 0, NULL },
	{ 'o', "output", "FILE", "write to FILE instead of standard output", opt_output,
	  offsetof(struct args, output), 0, "@file" },
};

static const struct opt_group dump_groups[] = {
	OPT_OWN("DUMPING", dump_opts),
	READING_GROUP(struct args, in),
};

enum { LINE_BYTES = 16384 };

/* Bit per wanted kind; all but the descriptions when none is named. */
static int wanted_kinds(const char *list, uint64_t *mask)
{
	*mask = list ? 0 : ~(1ULL << KTALLY_FORMAT);
	while (list && *list) {
		size_t len = strcspn(list, ",");
		uint32_t kind = 0;

		for (uint32_t k = 1; k < KTALLY_KINDS && !kind; k++) {
			const char *name = ktally_kind_name(k);

			if (name && strlen(name) == len && !strncmp(name, list, len))
				kind = k;
		}
		if (!kind)
			return say_error(WRONG_USE, "dump: no kind '%.*s'; for example: -e fork,exec,exit",
					 (int)len, list);
		*mask |= 1ULL << kind;
		list += len;
		list += *list == ',';
	}
	return OPT_GO_ON;
}

static bool wanted(uint32_t kind, uint64_t mask)
{
	return kind < 64 ? mask >> kind & 1 : mask >> 63;
}

/* libtraceevent ends a string at its first NUL; the words of a command go on behind it. */
static size_t put_argv(char *dst, size_t n, const struct ktally_event *ev)
{
	const struct ktally_str *argv = ev->kind == KTALLY_EXEC ? &ev->str[2] : &ev->str[0];
	size_t at;

	if (!ev->decoded || (ev->kind != KTALLY_EXEC && ev->kind != KTALLY_TASK) || !argv->len)
		return 0;
	at = (size_t)snprintf(dst, n, " | ");
	return at + text_quote_argv(dst + at, n - at, argv->p, argv->len, TEXT_FOR_PEOPLE);
}

static void put_record(struct sink *s, struct ktally_stream *stream, const struct ktally_event *ev)
{
	char raw[LINE_BYTES], line[4 * LINE_BYTES + 64];
	size_t n;
	int len;

	n = text_seconds(line, sizeof(line), ev->time, 9);
	n += (size_t)snprintf(line + n, sizeof(line) - n, " [%03u] %llu ", ev->cpu,
			      (unsigned long long)ev->seq);
	len = ktally_wire_print(ktally_stream_wire(stream), ev, raw, sizeof(raw));
	if (len < 0)
		len = snprintf(raw, sizeof(raw), "kind %u: %u bytes without a description", ev->kind,
			       ev->payload_len);
	if ((size_t)len >= sizeof(raw))
		len = sizeof(raw) - 1;
	n += text_escape(line + n, sizeof(line) - n, raw, (size_t)len);
	n += put_argv(line + n, sizeof(line) - n, ev);
	sink_put(s, line, n);
	sink_char(s, '\n');
}

static int put_all(const struct args *args, struct ktally_stream *stream, uint64_t mask,
		   struct sink *s)
{
	struct ktally_event ev;
	uint64_t n = 0;
	int got = 0;

	while ((!args->limit || n < args->limit) && !sink_error(s) &&
	       (got = ktally_stream_next(stream, &ev)) == 1) {
		if (wanted(ev.kind, mask)) {
			put_record(s, stream, &ev);
			n++;
		}
		if (ktally_stream_waits(stream))
			sink_flush(s);
	}
	if (got < 0)
		return say_error(FAILED, "%s", ktally_stream_error(stream));
	return n ? DONE : say_error(NOTHING_MATCHED, "dump: no such record here");
}

static int close_sink(struct sink *s, int status)
{
	char name[256];
	int err;

	snprintf(name, sizeof(name), "%s", sink_name(s));
	err = sink_close(s);
	if (err == -EPIPE)
		return FAILED;
	return err ? say_error(FAILED, "%s: %s", name, strerror(-err)) : status;
}

static int dump(struct args *args, uint64_t mask)
{
	struct ktally_stream *stream;
	int status = reading_open_stream(&stream, &args->in), err;
	const struct ktally_stream_info *info;
	const char *line;
	struct sink *s;

	if (status != OPT_GO_ON)
		return status;
	s = sink_open(args->output, 1, &err);
	if (s) {
		sink_page(s);
		status = close_sink(s, put_all(args, stream, mask, s));
	} else {
		status = say_error(FAILED, "%s: %s", args->output, strerror(-err));
	}
	for (size_t i = 0; (line = ktally_stream_warning(stream, i)); i++)
		say_error(FAILED, "%s", line);
	info = ktally_stream_info(stream);
	if (status == DONE && (info->cut_at || info->missing_blocks))
		status = FAILED;
	ktally_stream_close(stream);
	return status;
}

static int run_dump(int argc, char **argv)
{
	struct args args = { .kinds = NULL };
	struct opt_rest rest;
	uint64_t mask;
	int status = opt_parse(&cmd_dump, argc, argv, &args, &rest);

	if (status == OPT_GO_ON)
		status = reading_take_words(&args.in, &rest);
	if (status == OPT_GO_ON && rest.n_words)
		status = say_error(WRONG_USE, "dump: '%s' is no recording here", rest.words[0]);
	if (status == OPT_GO_ON && args.in.live)
		status = say_error(WRONG_USE, "dump: --live has no records of its own; for a while: ktally record -D 1 -o - | ktally dump -");
	if (status == OPT_GO_ON)
		status = wanted_kinds(args.kinds, &mask);
	return status == OPT_GO_ON ? dump(&args, mask) : status;
}

static const char *const dump_examples[] = {
	"dump",
	"dump -e fork,exec,exit build.ktl",
	NULL
};

const struct cmd cmd_dump = {
	.name = "dump",
	.words = "[FILE...] [-e KIND,...]",
	.help = "every record, as libtraceevent prints it",
	.about = "Prints records in time order: time since boot, CPU, sequence number, kind, fields, and the command of exec and task.",
	.bits = CMD_FILES,
	.run = run_dump,
	CMD_GROUPS(dump_groups),
	.examples = dump_examples,
};
