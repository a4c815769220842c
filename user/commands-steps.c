// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands-steps.c - scripts, and below each what it did in order: commands, pipelines
 * with their parts, what ran beside it, the programs it became by exec, and the time in
 * which it ran nothing but itself.
 *
 * Rows are laid out once, in the order of the tree; the library decides what a step is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "commands.h"
#include "lives.h"
#include "out/text.h"

enum {
	DRAWN = 48,		/* branches; deeper rows hang there too */
	DEEPEST = 1000,		/* levels; a chain of forks may be longer than the stack */
};

const struct opt steps_opts[STEPS_OPTS] = {
	{ 'S', "steps", NULL, "what each script did, in order: commands, pipelines and their parts, and self: nothing but itself ran",
	  opt_flag, offsetof(struct steps_options, asked), 0, NULL },
	{ 0, "depth", "N", "with --steps: at most N levels below a script", opt_count,
	  offsetof(struct steps_options, depth), 0, NULL },
	{ 0, "gaps", "TIME", "with --steps: a row for self time of TIME and more (1ms)", opt_time,
	  offsetof(struct steps_options, gaps), 0, NULL },
};

enum row_kind { SCRIPT, COMMAND, SUBSHELL, FORKED, PIPELINE, PART, EXEC, SELF_TIME };

static const char *const kind_names[] = {
	[SCRIPT] = "script", [COMMAND] = "command", [SUBSHELL] = "subshell",
	[FORKED] = "fork", [PIPELINE] = "pipeline", [PART] = "part", [EXEC] = "exec", [SELF_TIME] = "self",
};

struct step_row {
	enum row_kind kind;
	const struct ktally_life *life;	/* NULL: self, or a pipeline as a whole */
	uint32_t image;			/* of it: what is shown */
	struct ktally_step step;	/* of a pipeline or self; of others begin, end, flags */
	uint64_t self;
	size_t parent;			/* row + 1; 0 = none */
	const struct ktally_life **parts;	/* of a pipeline */
	char *line;			/* a pipeline's words, once they were asked for */
	uint32_t depth;
	bool more;			/* another row of the same parent follows */
};

struct step_rows {
	struct reading *reading;
	const struct steps_options *options;
	bool for_people;
	struct step_row *rows;
	size_t n, room;
	bool cut;			/* there are deeper levels than are shown */
	char prefix[512], kind[16];
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
	.sort = NULL,
	.fields = fields,
	.n = COLUMNS,
};

/* ---- laying out ---- */

/* The row's place + 1; 0: no memory. */
static size_t add(struct step_rows *s, size_t parent, struct step_row row)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 256;
		struct step_row *rows = realloc(s->rows, room * sizeof(*rows));

		if (!rows)
			return 0;
		s->rows = rows;
		s->room = room;
	}
	row.parent = parent;
	row.depth = parent ? s->rows[parent - 1].depth + 1 : 0;
	s->rows[s->n] = row;
	return ++s->n;
}

static uint64_t end_of(const struct step_rows *s, const struct ktally_life *l)
{
	return l->end ? l->end : s->reading->info->last_time;
}

/* The first thing it executed; what it was forked as, if it started others as that. */
static uint32_t first_program(const struct ktally_life *l)
{
	for (uint32_t i = 0; i < l->n_images; i++) {
		const struct ktally_image *im = &l->images[i];

		if (im->has_exec || im->unknown)
			return i;
		if (l->child && im->end && l->child->start < im->end)
			return i;
	}
	return 0;
}

static bool executed(const struct ktally_life *l)
{
	const struct ktally_image *im = l->n_images ? &l->images[first_program(l)] : NULL;

	return im && (im->has_exec || im->unknown || !l->saw_fork);
}

static enum row_kind kind_of(const struct ktally_life *l, enum row_kind kind)
{
	if (executed(l))
		return kind;
	return l->n_images && ktally_image_is_shell(l->images) ? SUBSHELL : FORKED;
}

static bool add_life(struct step_rows *s, size_t parent, const struct ktally_life *l,
		     const struct ktally_step *step, enum row_kind kind);

/* Long enough, and not all there is to say of a program that another one became. */
static bool shown(const struct step_rows *s, size_t parent, const struct ktally_step *step)
{
	const struct step_row *up = &s->rows[parent - 1];

	if (up->kind == EXEC && up->self == up->step.end - up->step.begin)
		return false;
	return step->end - step->begin >= s->options->gaps.ns;
}

static bool add_step(struct step_rows *s, size_t parent, const struct ktally_step *step)
{
	struct step_row row = { .step = *step, .kind = PIPELINE };

	if (step->kind == KTALLY_STEP_COMMAND)
		return add_life(s, parent, step->parts[0], step, kind_of(step->parts[0], COMMAND));
	if (step->kind == KTALLY_STEP_SELF) {
		row.kind = SELF_TIME;
		row.self = step->end - step->begin;
		return !shown(s, parent, step) || add(s, parent, row);
	}
	/* The library's own go with its steps. */
	row.parts = calloc(step->n_parts, sizeof(*row.parts));
	if (!row.parts)
		return false;
	memcpy(row.parts, step->parts, step->n_parts * sizeof(*row.parts));
	row.step.parts = row.parts;
	parent = add(s, parent, row);
	if (!parent)
		free(row.parts);
	for (size_t i = 0; parent && i < step->n_parts; i++)
		if (!add_life(s, parent, step->parts[i], NULL, kind_of(step->parts[i], PART)))
			return false;
	return parent;
}

/* An exec in a script: what it became stands where it happened, its steps below it. */
static size_t add_exec(struct step_rows *s, size_t parent, const struct ktally_life *l, uint32_t image,
		       const struct ktally_steps *steps)
{
	const struct ktally_image *im = &l->images[image];
	struct step_row row = {
		.life = l, .image = image, .kind = EXEC,
		.step = { .begin = im->begin, .end = im->end ? im->end : end_of(s, l), .ended = im->end },
	};

	row.self = ktally_steps_self(steps, row.step.begin, row.step.end);
	return add(s, parent, row);
}

/* Started nothing and became nothing else. */
static bool plain(const struct ktally_life *l, const struct ktally_step *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].kind != KTALLY_STEP_SELF || at[i].image > first_program(l))
			return false;
	return true;
}

/*
 * The time between fork and exec is of the shell that forked, as a step; people see
 * one beginning. Moves *i to the last step that is taken in.
 */
static struct ktally_step with_next(const struct ktally_step *at, size_t n, size_t *i, uint32_t first)
{
	struct ktally_step step = at[*i];

	while (step.kind == KTALLY_STEP_SELF && at[*i].image < first && *i + 1 < n &&
	       at[*i + 1].kind == KTALLY_STEP_SELF && at[*i + 1].begin == step.end)
		step.end = at[++*i].end;
	return step;
}

static bool add_steps(struct step_rows *s, size_t self, const struct ktally_life *l,
		      const struct ktally_steps *steps)
{
	const struct ktally_step *at;
	size_t n = ktally_steps_at(steps, &at), under = self;
	uint32_t image = first_program(l);

	if (plain(l, at, n))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct ktally_step step = with_next(at, n, &i, first_program(l));

		while (image < step.image) {
			under = add_exec(s, self, l, ++image, steps);
			if (!under)
				return false;
		}
		if (!add_step(s, under, &step))
			return false;
	}
	return true;
}

static bool deep_enough(struct step_rows *s, size_t row)
{
	uint32_t depth = s->rows[row - 1].depth;

	s->cut |= depth >= DEEPEST && s->rows[row - 1].life->child;
	return depth >= DEEPEST || (s->options->depth && depth >= s->options->depth);
}

/* Of what is older than the recording, the time within it. */
static uint64_t begin_of(const struct step_rows *s, const struct ktally_life *l)
{
	return l->older ? s->reading->info->first_time : l->start;
}

/* Up to where another program took its place: that has a row with its own self. */
static uint64_t own_self(const struct ktally_life *l, const struct ktally_steps *steps)
{
	uint32_t next = first_program(l) + 1;

	return ktally_steps_self(steps, 0, next < l->n_images ? l->images[next].begin : UINT64_MAX);
}

static bool add_life(struct step_rows *s, size_t parent, const struct ktally_life *l,
		     const struct ktally_step *step, enum row_kind kind)
{
	struct ktally_steps *steps = ktally_steps_make(l, s->reading->info);
	struct step_row row = {
		.life = l, .kind = kind, .image = first_program(l),
		.step = {
			.begin = begin_of(s, l), .end = end_of(s, l), .ended = l->state == KTALLY_ENDED,
			.background = step && step->background, .left = step && step->left,
		},
	};
	bool ok;

	if (!steps)
		return false;
	row.self = own_self(l, steps);
	parent = add(s, parent, row);
	ok = parent && (deep_enough(s, parent) || add_steps(s, parent, l, steps));
	ktally_steps_free(steps);
	return ok;
}

/* What people ask for by its name, and what nobody above it was asked for. */
static bool is_root(const struct ktally_life *l, struct sel_match *match)
{
	bool wanted = sel_want(l, match), below = l->parent && l->parent->user;

	((struct ktally_life *)l)->user = wanted || below ? (void *)l : NULL;
	/* Without a name, only where something happened. */
	return wanted && !below && !(sel_empty(match) && l->older && !l->child);
}

/* Which rows have another one of the same parent below them. */
static int mark_more(struct step_rows *s)
{
	bool *last_seen = calloc(s->n + 1, sizeof(*last_seen));

	if (!last_seen)
		return say_error(FAILED, "out of memory");
	for (size_t i = s->n; i-- > 0;) {
		s->rows[i].more = last_seen[s->rows[i].parent];
		last_seen[s->rows[i].parent] = true;
	}
	free(last_seen);
	return OPT_GO_ON;
}

static int make(struct step_rows *s, struct sel_match *match)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(s->reading->model, &lives);

	for (size_t i = 0; i < n; i++)
		if (is_root(lives[i], match) && !add_life(s, 0, lives[i], NULL, kind_of(lives[i], SCRIPT)))
			return say_error(FAILED, "out of memory");
	return mark_more(s);
}

static void release(struct step_rows *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->rows[i].parts);
		free(s->rows[i].line);
	}
	free(s->rows);
}

/* ---- values ---- */

static const struct ktally_value unknown = { .type = KTALLY_V_UNKNOWN };

static const struct ktally_image *image_of(const struct ktally_life *l, uint32_t image)
{
	return image < l->n_images ? &l->images[image] : NULL;
}

static void put_words(FILE *f, const struct ktally_life *l)
{
	const struct ktally_image *im = image_of(l, first_program(l));
	struct ktally_value v = im && executed(l) ? commands_argv(im, true) : out_text("(subshell)");

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
static struct ktally_value within(const struct step_rows *s, const struct step_row *row, uint64_t ns)
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
		.schema = steps_columns.schema, .columns = steps_columns.usual, .fields = at,
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
	int status = make(&s, match);

	if (status == OPT_GO_ON)
		status = print_rows(&s, match, show);
	release(&s);
	return status;
}
