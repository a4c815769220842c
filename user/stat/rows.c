// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - which rows an interval of `ktally stat` has, and in which order: groups,
 * names that are waited for, the total, the machine, the interface.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "stat.h"

enum { WIDE_TERMINAL = 96 };

static struct statrow *new_row(struct stat_view *s)
{
	if (s->n_rows == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct statrow *rows = realloc(s->rows, room * sizeof(*rows));

		if (!rows)
			return NULL;
		s->rows = rows;
		s->room = room;
	}
	return &s->rows[s->n_rows++];
}

static bool spent(const struct ktally_tally *t)
{
	for (int i = 0; i < KTALLY_COSTS; i++)
		if (t->interval.of[i])
			return true;
	return false;
}

/* Who was named keeps a row for good, others as long as there is something to tell. */
static bool shown(const struct stat_view *s, const struct ktally_tally *t)
{
	if (s->only_total)
		return false;
	if (t->alive || t->begun || t->ended || (s->key == KTALLY_BY_PROGRAM && !s->whole_machine))
		return true;
	return spent(t);
}

static int by_name(const void *a, const void *b)
{
	const struct ktally_tally *x = *(struct ktally_tally *const *)a, *y = *(struct ktally_tally *const *)b;
	int c;

	if (x->process && y->process && x->process->life.tgid != y->process->life.tgid)
		return x->process->life.tgid < y->process->life.tgid ? -1 : 1;
	if (!x->name.p || !y->name.p)
		return !!y->name.p - !!x->name.p;
	c = memcmp(x->name.p, y->name.p, x->name.len < y->name.len ? x->name.len : y->name.len);
	return c ? c : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

/* A process' row bears its program's name; the number has a column of its own. */
static const char *row_name(struct stat_view *s, const struct ktally_tally *t, char *name, size_t n)
{
	struct ktally_value v;

	if (!t->process)
		return NULL;
	v = ktally_field_value(ktally_field_find("program"), &t->process->life, &s->view.ctx);
	if (v.type != KTALLY_V_TEXT)
		return NULL;
	snprintf(name, n, "%.*s", (int)v.t.len, v.t.p);
	return name;
}

static bool add_groups(struct stat_view *s, const struct statrow_span *span)
{
	struct ktally_tally *const *all;
	size_t n = ktally_watch_tallies(s->view.watch, &all);
	const struct ktally_tally **sorted = malloc((n + 1) * sizeof(*sorted));
	char name[64];

	if (!sorted)
		return false;
	if (n)
		memcpy(sorted, all, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++) {
		struct statrow *r = shown(s, sorted[i]) ? new_row(s) : NULL;

		if (r)
			statrow_tally(r, span, sorted[i], "group", row_name(s, sorted[i], name, sizeof(name)));
	}
	free(sorted);
	return true;
}

/* A name that is one, and no pattern. */
static bool is_exact(const char *name)
{
	return !strpbrk(name, "*?[") && name[0] != '/';
}

static void add_waited_for(struct stat_view *s, const struct statrow_span *span)
{
	bool end = false;

	for (size_t i = 0; s->key == KTALLY_BY_PROGRAM && !end; i++) {
		const char *name = sel_unseen(s->match, i, &end);
		struct statrow *r = name && is_exact(name) ? new_row(s) : NULL;

		if (r)
			statrow_nothing(r, span, name);
	}
}

/* One program by its name, one process by its number: the total would say the same again. */
static bool wants_total(const struct stat_view *s)
{
	const struct sel *sel = &s->args->sel;

	if (s->n_rows != 1 || s->whole_machine || sel->users.n || sel->cgroups.n || sel->netns)
		return true;
	return s->key != KTALLY_BY_PROGRAM && (s->n_pids != 1 || sel->tree);
}

static void add_total(struct stat_view *s, const struct statrow_span *span)
{
	struct statrow *r = new_row(s);

	if (r)
		statrow_tally(r, span, ktally_watch_total(s->view.watch), "total", "total");
}

static void add_machine(struct stat_view *s, const struct statrow_span *span)
{
	const struct iface_counts *from = span->average ? &s->net_base : &s->net_from;
	struct statrow *r = s->whole_machine ? new_row(s) : NULL;

	if (!r)
		return;
	statrow_machine(r, span, span->average ? &s->base : &s->from, &s->now, s->most_used);
	if (s->net_known && !s->has_iface)
		statrow_traffic(r, span, IFACE_PHYSICAL, &s->net_base, from, &s->net_now);
}

static void add_iface(struct stat_view *s, const struct statrow_span *span)
{
	const struct iface_counts *from = span->average ? &s->net_base : &s->net_from;
	struct statrow *r = s->has_iface ? new_row(s) : NULL;

	if (!r)
		return;
	statrow_interface(r, span, &s->iface);
	if (s->net_known)
		statrow_traffic(r, span, s->iface.class, &s->net_base, from, &s->net_now);
}

/* ---- showing them ---- */

static struct ktally_value value_of(void *of, size_t row, const struct ktally_field *f)
{
	const struct stat_view *s = of;

	return statrow_value(&s->rows[row], (enum statrow_column)(f - s->fields));
}

void stat_source(struct stat_view *s, struct show_source *src)
{
	bool narrow = show_width(&s->args->show) < WIDE_TERMINAL;
	bool table = s->args->show.out.format == OUT_TABLE;

	*src = (struct show_source){
		.schema = "ktally.stat/1", .fields = s->list, .n_fields = table ? STAT_COLUMNS : STAT_MACHINE_COLUMNS,
		.columns = statrow_usual(s->has_iface ? s->iface.class : -1, s->key, narrow), .n_rows = s->n_rows, .value = value_of, .of = s,
		.clock = { .zero = s->view.begin, .real = watching_real(), .cpus = machine_cpus() },
	};
}

/* Groups are sorted and limited as asked for; what stands below them is neither. */
int stat_put_rows(struct stat_view *s, const struct statrow_span *span)
{
	struct show below = s->args->show;
	struct show_source src;
	bool total;
	int status;

	s->n_rows = 0;
	if (!add_groups(s, span))
		return say_error(FAILED, "out of memory");
	add_waited_for(s, span);
	total = wants_total(s);
	stat_source(s, &src);
	status = show_more(&s->args->show, &src, s->out);
	s->n_rows = 0;
	if (total)
		add_total(s, span);
	add_machine(s, span);
	add_iface(s, span);
	below.sort = NULL;
	below.limit = 0;
	src.n_rows = s->n_rows;
	if (status == OPT_GO_ON)
		status = show_more(&below, &src, s->out);
	if (status == OPT_GO_ON && !out_flush(s->out))
		s->stop = true;
	return status;
}
