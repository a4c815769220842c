// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * watch_image.c - the program a process runs: one piece of memory with all its texts,
 * shared with what is forked from it. Arguments beyond those in the record itself are
 * left out and marked as cut.
 */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

static size_t room_of(const struct ktally_str *s)
{
	return s->p ? s->len + 1 : 0;
}

static struct program *make(struct ktally_watch *w, const struct ktally_str *s, size_t n)
{
	struct program *pr;
	size_t size = sizeof(*pr);

	for (size_t i = 0; i < n; i++)
		size += room_of(&s[i]);
	pr = calloc(1, size);
	if (!pr)
		return NULL;
	pr->refs = 1;
	pr->size = size;
	pr->image.begin_known = true;
	w->bytes += size;
	return pr;
}

static const char *put(struct program *pr, size_t *at, const struct ktally_str *s)
{
	char *to = pr->text + *at;

	if (!s->p)
		return NULL;
	memcpy(to, s->p, s->len);
	*at += s->len + 1;
	return to;
}

struct program *program_of_exec(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_exec *e = &ev->u.exec;
	struct program *pr = make(w, ev->str, 3);
	size_t at = 0;

	if (!pr)
		return NULL;
	pr->image.number = e->image;
	pr->image.begin = ev->time;
	pr->image.has_exec = true;
	pr->image.argc = e->argc;
	pr->image.envc = e->envc;
	pr->image.flags = e->flags;
	memcpy(pr->image.comm, e->comm, sizeof(pr->image.comm));
	pr->image.filename = put(pr, &at, &ev->str[0]);
	pr->image.interp = put(pr, &at, &ev->str[1]);
	pr->image.argv = put(pr, &at, &ev->str[2]);
	pr->image.argv_len = pr->image.argv ? ev->str[2].len : 0;
	pr->image.argv_true_len = e->argv_len;
	return pr;
}

struct program *program_of_task(struct ktally_watch *w, const struct ktally_event *ev)
{
	const struct ktally_task *t = &ev->u.task;
	struct program *pr = make(w, ev->str, 1);
	size_t at = 0;

	if (!pr)
		return NULL;
	pr->image.number = t->image;
	pr->image.begin_known = false;
	memcpy(pr->image.comm, t->comm, sizeof(pr->image.comm));
	pr->image.argv = put(pr, &at, &ev->str[0]);
	pr->image.argv_len = pr->image.argv ? ev->str[0].len : 0;
	pr->image.argv_true_len = t->argv_len;
	if (t->flags & KTALLY_TASK_ARGV_HIDDEN)
		pr->image.flags |= KTALLY_EXEC_ARGV_HIDDEN;
	if (t->flags & KTALLY_TASK_ARGV_CUT)
		pr->image.flags |= KTALLY_EXEC_ARGV_CUT;
	return pr;
}

/* Of which nothing but the name is known. */
struct program *program_of_name(struct ktally_watch *w, uint32_t image, const char *comm)
{
	struct program *pr = make(w, NULL, 0);

	if (!pr)
		return NULL;
	pr->image.number = image;
	pr->image.unknown = true;
	memcpy(pr->image.comm, comm, sizeof(pr->image.comm));
	return pr;
}

void program_put(struct ktally_watch *w, struct program *pr)
{
	if (!pr || --pr->refs)
		return;
	w->bytes -= pr->size;
	free(pr);
}
