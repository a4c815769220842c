// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chain.c - rows of what the end waited for, in order of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "cmd.h"
#include "lib/chain.h"
#include "out/text.h"

struct shown {
	struct boot_view v;
	struct chain chain;
	struct chain_row *rows;
	size_t n;
	bool folded;			/* a row stands for more than one link */
	char text[4096];		/* being made */
};

enum column { C_FROM, C_TO, C_TIME, C_SHARE, C_KIND, C_STEPS, C_PID, C_UNIT, C_ARGV, C_WORDS, C_COLUMNS,
	      C_PLAIN = C_WORDS };

static const struct ktally_field fields[C_COLUMNS] = {
	[C_FROM] = COLUMN("from_ns", "FROM", "since the kernel's start", KTALLY_TIME, KTALLY_MIN, 9),
	[C_TO] = COLUMN("to_ns", "TO", "", KTALLY_TIME, KTALLY_MAX, 9),
	[C_TIME] = COLUMN("time_ns", "TIME", "how long the end waited for this", KTALLY_NS, KTALLY_SUM, 8),
	[C_SHARE] = COLUMN("share_percent", "SHARE", "of the boot", KTALLY_PERCENT, KTALLY_SUM, 5),
	[C_KIND] = COLUMN("kind", "KIND", "kernel, process (it ran or waited, no child of it did), or unit (systemd, on the way to it)", KTALLY_TEXT, KTALLY_SAME, -7),
	[C_STEPS] = COLUMN("steps", "STEPS", "how many steps this row stands for, with --least", KTALLY_COUNT, KTALLY_SUM, 5),
	[C_PID] = COLUMN("pid", "PID", "the process", KTALLY_ID, KTALLY_SAME, 7),
	[C_UNIT] = COLUMN("unit", "UNIT", "systemd's unit", KTALLY_TEXT, KTALLY_SAME, -20),
	[C_ARGV] = COLUMN("argv", "COMMAND", "its command", KTALLY_ARGV, KTALLY_SAME, 0),
	/* For the table alone. */
	[C_WORDS] = COLUMN("command", "COMMAND", "argv, and of how many steps", KTALLY_TEXT, KTALLY_SAME, 0),
};

static struct ktally_value unit_value(const struct shown *c, const struct chain_row *r)
{
	struct ktally_str id = { NULL, 0 };

	if (r->link->unit && r->links == 1)
		return out_text(r->link->unit->id);
	if (r->life)
		id = boot_unit_of(&c->v.boot, r->life);
	return (struct ktally_value){ .type = id.len ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = id };
}

static struct ktally_value argv_of(const struct chain_row *r)
{
	return r->life ? boot_argv(boot_image_at(r->life, r->to - 1)) :
			 (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
}

static struct ktally_value unit_words(struct shown *c, const struct chain_row *r)
{
	int n;

	if (!r->link->unit)
		return out_text(r->link->kind == CHAIN_KERNEL ? "(kernel)" : "(systemd)");
	n = snprintf(c->text, sizeof(c->text), "systemd: %s", r->link->unit->id);
	return out_text(arena_copy(&c->v.boot.arena, c->text, (size_t)n + 1));
}

/* What people read: the command, and that it stands for what it ran. */
static struct ktally_value words(struct shown *c, const struct chain_row *r)
{
	struct ktally_value argv = argv_of(r);
	size_t n = 0, room = sizeof(c->text) - 64;

	if (!r->life)
		return unit_words(c, r);
	if (r->links > 1)
		n = (size_t)snprintf(c->text, room, "%zu short steps of: ", r->links);
	if (argv.type != KTALLY_V_TEXT)
		n += (size_t)snprintf(c->text + n, room - n, "(what it ran before its first exec here)");
	else
		n += text_quote_argv(c->text + n, room - n, argv.t.p, argv.t.len, TEXT_FOR_PEOPLE);
	argv.t.p = arena_copy(&c->v.boot.arena, c->text, n);
	argv.t.len = (uint32_t)n;
	argv.type = argv.t.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN;
	return argv;
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	static const char *const kinds[] = { "kernel", "process", "unit" };
	struct shown *c = of;
	const struct chain_row *r = &c->rows[row];
	double all = (double)c->v.boot.end.time;

	switch ((enum column)(f - fields)) {
	case C_FROM:	return out_u64(r->from);
	case C_TO:	return out_u64(r->to);
	case C_TIME:	return out_u64(r->to - r->from);
	case C_SHARE:
		return (struct ktally_value){ .type = KTALLY_V_DOUBLE,
					      .d = 100.0 * (double)(r->to - r->from) / all };
	case C_KIND:	return out_text(r->links > 1 ? "process" : kinds[r->link->kind]);
	case C_STEPS:	return out_u64(r->links);
	case C_PID:	return boot_known(r->life, r->life ? r->life->tgid : 0);
	case C_UNIT:	return unit_value(c, r);
	case C_ARGV:	return argv_of(r);
	default:	return words(c, r);
	}
}

/* People see what matters, machines everything. */
static void choose(struct shown *c, const struct boot_args *args)
{
	uint64_t least = args->show.out.format == OUT_TABLE ? c->v.boot.end.time / 200 : 0;

	if (args->least.set)
		least = args->least.ns;
	c->n = chain_fold(&c->chain, least, c->rows);
	c->folded = c->n < c->chain.n;
}

static void below(struct out *o, void *of)
{
	const struct shown *c = of;
	char line[512], span[32], name[300];

	if (o->writer->facts)
		return;
	text_span(span, sizeof(span), c->v.boot.end.time);
	text_escape(name, sizeof(name), c->v.boot.end.name, strlen(c->v.boot.end.name));
	snprintf(line, sizeof(line), "together %s, from the kernel's start to %s%s", span, name,
		 c->folded ? "; every step: --least 0" : "");
	out_line(o, line);
}

static int print(struct shown *c, const struct boot_args *args)
{
	const struct ktally_field *all[C_COLUMNS];
	struct boot_rows rows = { .src = {
		.schema = "ktally.boot-chain/1", .fields = all,
		.n_fields = args->show.out.format == OUT_TABLE ? C_COLUMNS : C_PLAIN,
		.columns = "from_ns,time_ns,share_percent,pid,command",
		.value = value, .of = c }, .below = below };

	c->rows = calloc(c->chain.n + 1, sizeof(*c->rows));
	if (!c->rows)
		return say_error(FAILED, "out of memory");
	choose(c, args);
	rows.src.n_rows = c->n;
	for (size_t i = 0; i < C_COLUMNS; i++)
		all[i] = &fields[i];
	return boot_show(args, &c->v, &rows);
}

int boot_chain(const struct boot_args *args)
{
	struct shown c = { .n = 0 };
	int status = boot_open(&c.v, args, &args->in);

	if (status != OPT_GO_ON)
		return status;
	if (chain_make(&c.chain, &c.v.boot))
		status = say_error(FAILED, "out of memory");
	else
		status = print(&c, args);
	free(c.rows);
	chain_free(&c.chain);
	boot_close(&c.v);
	return status;
}
