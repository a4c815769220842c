// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives.c - rows of processes, or of groups of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lives.h"

const char *lives_columns(enum ktally_key key)
{
	if (key == KTALLY_BY_PROCESS)
		return "pid,start_ns,life_ns,cpu_ns,peak_rss_bytes,rx,tx,status,argv";
	/* What passed a veth and what passed a card stand side by side there. */
	if (key == KTALLY_BY_CONTAINER || key == KTALLY_BY_NETNS)
		return "count,cpu_ns,peak_rss_bytes,rx_wire_bytes,tx_wire_bytes,virt_rx_wire_bytes,virt_tx_wire_bytes,key";
	return "count,failed,life_ns,cpu_ns,peak_rss_bytes,rx,tx,key";
}

const struct ktally_field *lives_sum_field(enum lives_sum sum)
{
	static const char *const names[LIVES_SUMS] = {
		[LIVES_CPU] = "cpu_ns",
		[LIVES_RX] = "rx_wire_bytes", [LIVES_TX] = "tx_wire_bytes",
		[LIVES_VIRT_RX] = "virt_rx_wire_bytes", [LIVES_VIRT_TX] = "virt_tx_wire_bytes",
		[LIVES_LOOP_RX] = "loop_rx_wire_bytes", [LIVES_LOOP_TX] = "loop_tx_wire_bytes",
	};

	return ktally_field_find(names[sum]);
}

/* What is yes or no of one process is a number of processes in a group. */
static void copy_fields(struct lives *l, const struct ktally_field *all, size_t n)
{
	memcpy(l->own, all, n * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		if (l->key != KTALLY_BY_PROCESS && l->own[i].unit == KTALLY_BOOL)
			l->own[i].unit = KTALLY_COUNT;
		l->fields[l->n_fields++] = &l->own[i];
	}
}

int lives_fields(struct lives *l, enum ktally_key key)
{
	const struct ktally_field *all;
	size_t n = ktally_fields(&all);

	l->key = key;
	l->name = (struct ktally_field){
		.name = "key", .title = "KEY", .help = "what the processes have in common",
		.unit = key == KTALLY_BY_COMMAND ? KTALLY_ARGV : KTALLY_TEXT, .sum = KTALLY_SAME,
	};
	l->rx = (struct ktally_field){
		.name = "rx", .title = "RX", .width = 8, .unit = KTALLY_BYTES, .sum = KTALLY_SUM,
		.help = "in tables: bytes received over physical devices; if none v: virtual ones, if none lo: loopback",
	};
	l->tx = l->rx;
	l->tx.name = "tx";
	l->tx.title = "TX";
	l->tx.help = "the same of bytes sent";
	l->fields = calloc(n + 4, sizeof(*l->fields));
	l->own = calloc(n, sizeof(*l->own));
	if (!l->fields || !l->own)
		return say_error(FAILED, "out of memory");
	copy_fields(l, all, n);
	l->fields[l->n_fields++] = &bounds_field;
	if (key != KTALLY_BY_PROCESS)
		l->fields[l->n_fields++] = &l->name;
	l->fields[l->n_fields++] = &l->rx;
	l->fields[l->n_fields++] = &l->tx;
	return OPT_GO_ON;
}

int lives_make(struct lives *l, struct reading *r, enum ktally_key key, struct sel_match *match)
{
	int status;

	memset(l, 0, sizeof(*l));
	l->reading = r;
	status = lives_fields(l, key);
	if (status != OPT_GO_ON)
		return status;
	l->groups = ktally_groups_make(&r->ctx, key, sel_want, match);
	return l->groups ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

/* ---- folded while reading ---- */

/* Of commands and parents there may be nearly as many as of lives, and a group takes more. */
bool lives_may_fold(const struct reading *r, enum ktally_key key, const struct sel *sel,
		    const struct sel_match *match)
{
	const uint32_t *pids;

	return key != KTALLY_BY_PROCESS && key != KTALLY_BY_COMMAND && key != KTALLY_BY_PARENT &&
	       !sel->tree && !sel_pids(match, &pids) && !r->windows && r->info->sessions == 1 &&
	       !r->info->root_tgid;
}

static void need(struct lives *l, const struct ktally_field *f)
{
	for (size_t i = 0; i < l->n_needed; i++)
		if (!strcmp(l->needed[i]->name, f->name))
			return;
	l->needed[l->n_needed++] = f;
}

/* The library's fields that rows are made of, and the line below them. */
static int list_needed(struct lives *l, const struct show *show)
{
	const struct ktally_field **columns;
	struct show_source src;
	int status;
	size_t n;

	lives_source(l, show, &src);
	status = show_needs(show, &src, &columns, &n);
	l->needed = calloc(n + LIVES_SUMS + 1, sizeof(*l->needed));
	if (status == OPT_GO_ON && !l->needed)
		status = say_error(FAILED, "out of memory");
	for (size_t i = 0; status == OPT_GO_ON && i < n; i++) {
		if (columns[i]->get)
			need(l, columns[i]);
		if (columns[i]->unit == KTALLY_ARGV)
			need(l, ktally_field_find("comm"));
	}
	free(columns);
	if (status != OPT_GO_ON)
		return status;
	for (int i = 0; i < LIVES_SUMS; i++)
		need(l, lives_sum_field(i));
	return OPT_GO_ON;
}

static int fold_life(void *arg, const struct ktally_life *life)
{
	struct lives *l = arg;

	return sel_want(life, l->match) ? ktally_groups_add(l->groups, life) : 0;
}

int lives_fold(struct lives *l, struct reading *r, enum ktally_key key, struct sel_match *match,
	       const struct show *show)
{
	int status;

	memset(l, 0, sizeof(*l));
	l->reading = r;
	l->match = match;
	status = lives_fields(l, key);
	if (status == OPT_GO_ON)
		status = list_needed(l, show);
	if (status != OPT_GO_ON)
		return status;
	l->groups = ktally_groups_fold(&r->ctx, key, l->needed, l->n_needed);
	if (!l->groups)
		return say_error(FAILED, "out of memory");
	r->folded = l->groups;
	ktally_model_retire(r->model, r->info, fold_life, l);
	return sel_bind(match, r->model);
}

int lives_fold_rest(struct lives *l)
{
	if (ktally_groups_add_rest(l->groups, sel_want, l->match))
		return say_error(FAILED, "out of memory");
	return OPT_GO_ON;
}

void lives_free(struct lives *l)
{
	ktally_groups_free(l->groups);
	free(l->needed);
	free(l->fields);
	free(l->own);
	bounds_free(&l->bounds);
}

size_t lives_count(const struct lives *l)
{
	return l->groups ? ktally_groups_count(l->groups) : 0;
}

static struct ktally_value name_of(const struct ktally_group *g)
{
	struct ktally_value v = { .type = KTALLY_V_TEXT, .t = ktally_group_name(g) };

	if (!v.t.p)
		v.type = KTALLY_V_UNKNOWN;
	return v;
}

/* "[kworker/0:1]": the name of what has no command line, as ps shows it. */
__attribute__((noinline))	/* as bounds_add() */
static void bracket(struct lives *l, struct ktally_value *v)
{
	*v = ktally_group_value(l->group, ktally_field_find("comm"), &l->reading->ctx);
	if (v->type != KTALLY_V_TEXT || !v->t.len)
		return;
	v->t.len = (uint32_t)snprintf(l->bracketed, sizeof(l->bracketed), "[%.*s]", (int)v->t.len,
				      v->t.p);
	v->t.p = l->bracketed;
}

/* Classes are never added up, but bytes over loopback alone must not look like none. */
static struct ktally_value first_class(struct lives *l, bool tx)
{
	static const struct { int rx; const char *mark; } classes[] = {
		{ LIVES_RX, NULL }, { LIVES_VIRT_RX, "v:" }, { LIVES_LOOP_RX, "lo:" },
	};
	struct ktally_value first, v;

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		v = ktally_group_value(l->group, lives_sum_field(classes[i].rx + tx), &l->reading->ctx);
		if (!i)
			first = v;
		if (v.type != KTALLY_V_U64 || !v.u)
			continue;
		v.mark = classes[i].mark;
		return v;
	}
	return first;
}

/* Of columns that the library does not have. */
static struct ktally_value own_value(struct lives *l, const struct ktally_field *f)
{
	if (f == &l->name)
		return name_of(l->group);
	if (f == &bounds_field)
		return bounds_value(&l->bounds);
	return first_class(l, f == &l->tx);
}

static void enter_row(struct lives *l, size_t row)
{
	const struct ktally_life *const *lives;

	l->row = row;
	bounds_begin(&l->bounds);
	l->group = ktally_groups_at(l->groups, row);
	ktally_group_lives(l->group, &lives);
	l->life = l->key == KTALLY_BY_PROCESS ? lives[0] : NULL;
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	struct lives *l = of;
	struct ktally_value v;

	if (!l->group || row != l->row)
		enter_row(l, row);
	if (!f->get)
		return own_value(l, f);
	v = l->life ? f->get(f, l->life, &l->reading->ctx) :
		      ktally_group_value(l->group, f, &l->reading->ctx);
	bounds_note(&l->bounds, f, &v);
	if (l->for_people && f->unit == KTALLY_ARGV && v.type == KTALLY_V_UNKNOWN)
		bracket(l, &v);
	return v;
}

struct out_clock lives_clock(const struct reading *r)
{
	return (struct out_clock){
		.zero = r->info->first_time,
		.real = (int64_t)(r->info->realtime - r->info->boottime),
		.cpus = r->info->has_info ? r->info->info.cpus : r->info->cpus,
	};
}

void lives_source(struct lives *l, const struct show *show, struct show_source *src)
{
	l->for_people = show->out.format == OUT_TABLE;
	*src = (struct show_source){
		.schema = "ktally.report/1",
		.fields = l->fields,
		/* rx and tx are for eyes: their class differs from row to row. */
		.n_fields = l->for_people ? l->n_fields : l->n_fields - 2,
		.columns = lives_columns(l->key),
		.sort = l->key == KTALLY_BY_PROCESS ? NULL : "-cpu_ns",
		.n_rows = lives_count(l),
		.value = value,
		.of = l,
		.clock = lives_clock(l->reading),
	};
}

int lives_none(const struct reading *r, const struct sel_match *match)
{
	const struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->model, (struct ktally_life *const **)&lives) +
		   ktally_model_retired(r->model);
	char count[32];

	if (sel_empty(match))
		return say_error(NOTHING_MATCHED, "no process in this recording%s",
				 n ? " but kernel threads or other trees: -a shows them" : "");
	return say_error(NOTHING_MATCHED, "none of the %s processes here was meant; without names and options all are shown, with -a really all",
			 say_count(count, n));
}

struct view_state {
	const struct view *view;
	struct sel_match *match;
};

static int begin_view(void *arg, struct reading *r)
{
	const struct view_state *s = arg;

	return s->view->begin(s->view->arg, r, s->match);
}

static int view_reading(const struct view *view, struct sel_match *match)
{
	struct view_state state = { view, match };
	struct reading r;
	int status, missing;

	view->in->begin = view->begin ? begin_view : NULL;
	view->in->begin_arg = &state;
	status = reading_open(&r, view->in);

	if (status != OPT_GO_ON)
		return status;
	status = sel_bind(match, r.model);
	if (status == OPT_GO_ON)
		status = view->print(view->arg, &r, match);
	/* A failure was said in one line; what is missing matters only to those who read. */
	if (status != FAILED)
		reading_warn(&r);
	missing = reading_status(&r, view->strict);
	reading_close(&r);
	/* Nothing may have matched only because it is what is missing. */
	if (status == DONE || (status == NOTHING_MATCHED && missing == FAILED))
		return missing;
	return status;
}

int view_run(const struct view *view, struct opt_rest *rest)
{
	int status = reading_take_words(view->in, rest);
	struct sel_match *match;

	if (status != OPT_GO_ON)
		return status;
	view->in->since = view->sel->since;
	view->in->until = view->sel->until;
	if (view->in->live && (view->in->since || view->in->until))
		return say_error(WRONG_USE, "--since and --until are for recordings, --live shows now; over a while: ktally stat");
	match = sel_compile(view->sel, rest->words, rest->n_words, &status);
	if (!match)
		return status;
	status = view_reading(view, match);
	sel_free(match);
	return status;
}
