// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps.c - scripts, and below each what it did in order: the columns, and the
 * branches of the tree. commands/step-rows.c has laid out the rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "lives.h"
#include "out/text.h"
#include "step-rows.h"

enum { DRAWN = 48 };		/* branches; deeper rows hang there too */

const struct opt steps_opts[STEPS_OPTS] = {
	{ 'S', "steps", NULL, "what each script did, in order: commands, pipelines and their parts, and self: nothing but itself ran",
	  opt_flag, offsetof(struct steps_options, asked), 0, NULL },
	{ 0, "depth", "N", "with --steps: at most N levels below a script; 0: all", opt_count,
	  offsetof(struct steps_options, depth), 0, NULL },
	{ 0, "gaps", "TIME", "with --steps: a row for self time of TIME and more (1ms)", opt_time,
	  offsetof(struct steps_options, gaps), 0, NULL },
};

static const char *const kind_names[] = {
	[SCRIPT] = "script", [COMMAND] = "command", [SUBSHELL] = "subshell",
	[FORKED] = "fork", [PIPELINE] = "pipeline", [PART] = "part", [EXEC] = "exec",
	[SELF_TIME] = "self",
};

enum column {
	PID, PPID, START, END, DURATION, SELF, CPU, PEAK, KIND, BACKGROUND, LEFT, GUESSED, PARTS,
	STATUS, EXIT_CODE, EXIT_SIGNAL, DEPTH, ROW, PARENT_ROW, ARGV, COLUMNS
};

static const struct ktally_field fields[COLUMNS] = {
	[PID] = COLUMN("pid", "PID", "process; unknown of a pipeline as a whole", KTALLY_ID, KTALLY_SAME, 7),
	[PPID] = COLUMN("ppid", "PPID", "its parent at birth", KTALLY_ID, KTALLY_SAME, 7),
	[START] = COLUMN("start_ns", "START", "fork; of a pipeline that of its earliest part; of an exec the exec", KTALLY_TIME, KTALLY_MIN, 9),
	[END] = COLUMN("end_ns", "END", "end of the process; of a pipeline that of its latest part", KTALLY_TIME, KTALLY_MAX, 9),
	[DURATION] = COLUMN("duration_ns", "TIME", "from one to the other", KTALLY_NS, KTALLY_SUM, 8),
	[SELF] = COLUMN("self_ns", "SELF", "of it, with none of its children running, up to its next exec", KTALLY_NS, KTALLY_SUM, 8),
	[CPU] = COLUMN("cpu_ns", "CPU", "CPU time of the process; of a pipeline, of its parts", KTALLY_NS, KTALLY_SUM, 8),
	[PEAK] = COLUMN("peak_rss_bytes", "PEAK", "peak memory of its last program", KTALLY_BYTES, KTALLY_MAX, 6),
	[KIND] = COLUMN("step", "STEP", "script, command, subshell or fork (executed nothing), pipeline, part, exec, or self: nothing but itself ran", KTALLY_TEXT, KTALLY_SAME, -10),
	[BACKGROUND] = COLUMN("background", "&", "another step began before it ended", KTALLY_BOOL, KTALLY_SUM, 3),
	[LEFT] = COLUMN("left", "LEFT", "was still there when its parent had ended, or when the recording had", KTALLY_BOOL, KTALLY_SUM, 4),
	[GUESSED] = COLUMN("guessed", "GUESSED", "parts were put together by their times alone", KTALLY_BOOL, KTALLY_SUM, 7),
	[PARTS] = COLUMN("parts", "PARTS", "processes of the step", KTALLY_COUNT, KTALLY_SUM, 5),
	[STATUS] = COLUMN("status", "EXIT", "how it ended; of a pipeline, its last part", KTALLY_STATUS, KTALLY_SAME, 4),
	[EXIT_CODE] = COLUMN("exit_code", "CODE", "exit status; unknown for a signal", KTALLY_ID, KTALLY_SAME, 4),
	[EXIT_SIGNAL] = COLUMN("exit_signal", "SIGNAL", "signal that ended it", KTALLY_ID, KTALLY_SAME, 6),
	[DEPTH] = COLUMN("depth", "DEPTH", "rows above it in the tree", KTALLY_COUNT, KTALLY_SAME, 5),
	[ROW] = COLUMN("row", "ROW", "number of this row in the order of the tree", KTALLY_ID, KTALLY_SAME, 5),
	[PARENT_ROW] = COLUMN("parent_row", "UP", "number of the row it stands below", KTALLY_ID, KTALLY_SAME, 5),
	[ARGV] = COLUMN("argv", "COMMAND", "exact command", KTALLY_ARGV, KTALLY_SAME, 0),
};

const struct commands_columns steps_columns = {
	.schema = "ktally.steps/1",
	.usual = "start_ns,duration_ns,self_ns,cpu_ns,step,status,argv",
	.narrow = "start_ns,duration_ns,self_ns,step,status,argv",
	.sort = NULL,
	.fields = fields,
	.n = COLUMNS,
};

static const struct ktally_value unknown = { .type = KTALLY_V_UNKNOWN };

static const struct ktally_image *image_of(const struct ktally_life *l, uint32_t image)
{
	return image < l->n_images ? &l->images[image] : NULL;
}

static void put_words(FILE *f, const struct ktally_life *l)
{
	const struct ktally_image *im = image_of(l, step_rows_image(l));
	struct ktally_value v = out_text("(subshell)");

	if (im && step_rows_executed(l))
		v = commands_argv(im, true);
	if (v.type == KTALLY_V_TEXT)
		fwrite(v.t.p, 1, v.t.len, f);
	if (v.type == KTALLY_V_TEXT && v.t.len && v.t.p[v.t.len - 1])
		putc('\0', f);
}

/* A pipeline as people write it: the words of its parts with bars between them. */
static struct ktally_value pipeline(struct step_row *row)
{
	size_t len = 0;
	FILE *f = row->line ? NULL : open_memstream(&row->line, &len);

	if (!f)
		return unknown;
	for (size_t i = 0; i < row->step.n_parts; i++) {
		if (i)
			fwrite("|", 1, 2, f);
		put_words(f, row->step.parts[i]);
	}
	if (fclose(f))
		return unknown;
	return commands_text((struct ktally_str){ row->line, (uint32_t)len });
}

static struct ktally_value words(const struct step_rows *s, struct step_row *row)
{
	const struct ktally_image *im;

	if (row->life) {
		im = image_of(row->life, row->image);
		return im ? commands_argv(im, s->for_people) : unknown;
	}
	if (!s->for_people)
		return unknown;
	return row->kind == PIPELINE ? pipeline(row) : out_text("(self)");
}

/* Whose end is the row's; NULL: it had none. What an exec replaced did not end. */
static const struct ktally_life *ended(const struct step_row *row)
{
	const struct ktally_life *l = row->life;

	if (row->kind == PIPELINE)
		l = row->step.parts[row->step.n_parts - 1];
	if (row->kind == EXEC && row->image + 1 < l->n_images)
		return NULL;
	return l && commands_ended(l) ? l : NULL;
}

static struct ktally_value status(const struct step_row *row, enum column what)
{
	const struct ktally_life *l = ended(row);

	if (!l)
		return unknown;
	if (what == STATUS)
		return out_u64(l->status);
	if (what == EXIT_CODE)
		return commands_known(!(l->status & 0x7f), l->status >> 8 & 0xff);
	return commands_known(l->status & 0x7f, l->status & 0x7f);
}

static struct ktally_value use_of(const struct step_row *row, enum ktally_usage what)
{
	struct ktally_value v;
	struct ktally_use u;
	const __u64 *all = &u.utime;	/* in the order of enum ktally_usage */

	if (row->kind == EXEC)
		ktally_image_use(row->life, row->image, &u);
	else
		ktally_life_use(row->life, &u);
	v = commands_known(u.known >> what & 1, all[what]);
	v.upper = u.upper >> what & 1;
	return v;
}

/* Of a pipeline: CPU times add up, peaks do not. */
static struct ktally_value cpu(const struct step_row *row)
{
	struct ktally_value sum = unknown;
	struct step_row part = { .kind = PART };

	if (row->life)
		return use_of(row, KTALLY_U_RUNTIME);
	for (size_t i = 0; i < row->step.n_parts; i++) {
		struct ktally_value v;

		part.life = row->step.parts[i];
		v = use_of(&part, KTALLY_U_RUNTIME);
		if (v.type != KTALLY_V_U64) {
			sum.lower = true;
			continue;
		}
		sum.type = KTALLY_V_U64;
		sum.u += v.u;
	}
	return sum;
}

/* Of what was not seen from beginning to end, people get what there was of it. */
static struct ktally_value within(const struct step_rows *s, const struct step_row *row,
				  uint64_t ns)
{
	struct ktally_value v = out_u64(ns);

	v.lower = !row->step.ended || (row->life && row->life->older);
	return v.lower && !s->for_people ? unknown : v;
}

static struct ktally_value duration(const struct step_rows *s, const struct step_row *row)
{
	return within(s, row, row->step.end - row->step.begin);
}

static struct ktally_value self(const struct step_rows *s, const struct step_row *row)
{
	return row->kind == PIPELINE ? unknown : within(s, row, row->self);
}

static struct ktally_value begin(const struct step_row *row)
{
	return commands_known(!row->life || !row->life->older, row->step.begin);
}

/* As a shell writes it: & behind what was not waited for. */
static struct ktally_value kind(struct step_rows *s, const struct step_row *row)
{
	if (!s->for_people || !row->step.background)
		return out_text(kind_names[row->kind]);
	snprintf(s->kind, sizeof(s->kind), "%s &", kind_names[row->kind]);
	return out_text(s->kind);
}

static struct ktally_value value(void *of, size_t place, const struct ktally_field *f)
{
	struct step_rows *s = of;
	struct step_row *row = &s->rows[place];
	const struct ktally_life *l = row->life;

	switch ((enum column)(f - fields)) {
	case PID:		return commands_known(l, l ? l->tgid : 0);
	case PPID:		return commands_known(l && l->ppid, l ? l->ppid : 0);
	case START:		return begin(row);
	case END:		return commands_known(row->step.ended, row->step.end);
	case DURATION:		return duration(s, row);
	case SELF:		return self(s, row);
	case CPU:		return cpu(row);
	case PEAK:		return l ? use_of(row, KTALLY_U_PEAK_RSS) : unknown;
	case KIND:		return kind(s, row);
	case BACKGROUND:	return out_u64(row->step.background);
	case LEFT:		return out_u64(row->step.left);
	case GUESSED:		return out_u64(row->step.guessed);
	case PARTS:		return out_u64(l ? 1 : row->step.n_parts);
	case STATUS:
	case EXIT_CODE:
	case EXIT_SIGNAL:	return status(row, (enum column)(f - fields));
	case DEPTH:		return out_u64(row->depth);
	case ROW:		return out_u64(place + 1);
	case PARENT_ROW:	return commands_known(row->parent, row->parent);
	default:		return words(s, row);
	}
}

static const char *prefix(void *of, size_t place)
{
	const struct text_glyphs *glyphs = text_glyphs();
	struct step_rows *s = of;
	const struct step_row *row = &s->rows[place];
	const char *piece[DRAWN];
	size_t depth = 0, at = 0;

	for (; row->parent && depth < DRAWN; row = &s->rows[row->parent - 1], depth++) {
		if (depth)
			piece[depth] = row->more ? glyphs->stem : glyphs->blank;
		else
			piece[depth] = row->more ? glyphs->branch : glyphs->last;
	}
	while (depth--)
		at += (size_t)snprintf(s->prefix + at, sizeof(s->prefix) - at, "%s", piece[depth]);
	s->prefix[at] = '\0';
	return s->prefix;
}

static int print_rows(struct step_rows *s, struct sel_match *match, const struct show *show)
{
	const struct ktally_field *at[COLUMNS];
	struct show_source src = {
		.schema = steps_columns.schema, .columns = commands_usual(&steps_columns, show), .fields = at,
		.n_fields = COLUMNS, .n_rows = s->n, .value = value,
		.prefix = show->sort ? NULL : prefix, .of = s, .clock = lives_clock(s->reading),
	};
	struct out *o;
	int status;

	for (size_t i = 0; i < COLUMNS; i++)
		at[i] = &fields[i];
	status = show_rows(show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	if (s->cut)
		out_line(o, "levels beyond 1,000 are not shown");
	lives_footer(o, s->reading, match);
	status = show_close(o);
	return status == DONE && !s->n ? lives_none(s->reading, match) : status;
}

int steps_print(struct reading *r, struct sel_match *match, const struct show *show,
		const struct steps_options *options)
{
	struct step_rows s = {
		.reading = r, .options = options, .for_people = show->out.format == OUT_TABLE,
	};
	int status = step_rows_make(&s, match);

	if (status == OPT_GO_ON)
		status = print_rows(&s, match, show);
	step_rows_free(&s);
	return status;
}
