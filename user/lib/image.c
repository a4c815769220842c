// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * image.c - the programs within a life, by number. An exec record opens an image; a
 * number that jumps says that one was lost, and then there is an image marked
 * unknown, never one with another's names.
 */
#include <string.h>
#include <errno.h>

#include "model.h"
#include "since.h"

/* Bits of `present` in an exec record; those of exit are enum ktally_has. */
#define EXEC_F(type, name)	EXEC_HAS_##name,
#define EXEC_A(type, name, n)	EXEC_HAS_##name,
#define EXEC_S(name)		EXEC_HAS_##name,
enum exec_has { KTALLY_EXEC_FIELDS(EXEC_F, EXEC_A, EXEC_S) };

#define ARGV_MAX	(4U << 20)	/* the kernel's own limit is a quarter of the stack limit */
#define LATE_MAX	64		/* images that one may come behind; CPUs' clocks differ by less */

static int make_room(struct ktally_model *m, struct ktally_life *l)
{
	uint32_t room = l->room ? 2 * l->room : 2;
	struct ktally_image *p;

	if (l->n_images < l->room)
		return 0;
	p = arena_alloc(&m->arena, room * sizeof(*p));
	if (!p)
		return -ENOMEM;
	if (l->n_images)
		memcpy(p, l->images, l->n_images * sizeof(*p));
	l->images = p;
	l->room = room;
	return 0;
}

/*
 * The image of this number, made if it is not there; NULL: no memory. No kernel writes
 * numbers that are far behind: what does so counts as the image where the search ends,
 * else a recording could make it as long as it likes.
 */
static struct ktally_image *image_at(struct ktally_model *m, struct ktally_life *l, uint32_t number)
{
	uint32_t i = l->n_images, least = i > LATE_MAX ? i - LATE_MAX : 0;

	while (i > least && (int32_t)(l->images[i - 1].number - number) > 0)
		i--;
	if (i && (l->images[i - 1].number == number || (i == least && least)))
		return &l->images[i - 1];
	if (make_room(m, l))
		return NULL;
	memmove(&l->images[i + 1], &l->images[i], (l->n_images - i) * sizeof(*l->images));
	l->n_images++;
	memset(&l->images[i], 0, sizeof(*l->images));
	l->images[i].number = number;
	l->images[i].unknown = true;
	return &l->images[i];
}

static struct ktally_image *before(struct ktally_life *l, const struct ktally_image *im)
{
	return im > l->images ? (struct ktally_image *)im - 1 : NULL;
}

static const char *keep_string(struct ktally_model *m, const struct ktally_str *s)
{
	return s->p ? arena_copy(&m->arena, s->p, s->len) : NULL;
}

/* ---- fork ---- */

int image_forked(struct ktally_model *m, struct life *l, const struct ktally_event *ev)
{
	const struct ktally_fork *f = &ev->u.fork;
	struct ktally_image *im = image_at(m, &l->pub, f->image);

	if (!im)
		return -ENOMEM;
	l->fork_image = f->parent_image;
	im->unknown = false;
	im->begin = f->start;
	im->begin_known = true;
	return 0;
}

/* ---- exec ---- */

static int keep_names(struct ktally_model *m, struct ktally_image *im, const struct ktally_event *ev)
{
	const struct ktally_str *argv = &ev->str[2];

	im->filename = keep_string(m, &ev->str[0]);
	im->interp = keep_string(m, &ev->str[1]);
	im->argv = keep_string(m, argv);
	im->argv_len = argv->len;
	im->argv_room = 0;
	if ((ev->str[0].p && !im->filename) || (ev->str[1].p && !im->interp) ||
	    (argv->p && !im->argv))
		return -ENOMEM;
	return 0;
}

static int keep_use(struct ktally_model *m, struct ktally_image *im, const struct ktally_exec *e)
{
	im->at_begin = arena_copy(&m->arena, &e->known, sizeof(struct ktally_use));
	return im->at_begin ? 0 : -ENOMEM;
}

/*
 * Opens the image of this number unless it is there. Numbers between it and the one
 * before are those whose exec record was lost; they stand as one unknown image.
 */
static struct ktally_image *open_image(struct ktally_model *m, struct ktally_life *l,
				       uint32_t number, uint64_t time)
{
	uint32_t had = l->n_images;
	struct ktally_image *im = image_at(m, l, number);
	struct ktally_image *last = im ? before(l, im) : NULL;

	if (!im || l->n_images == had)
		return im;
	if (im < l->images + had)
		im->end = im[1].begin;
	if (!last)
		return im;
	if (!last->end)
		last->end = time;
	if (last->number + 1 == number)
		return im;
	last = image_at(m, l, number - 1);
	if (!last)
		return NULL;
	last->end = time;
	return last + 1;
}

int image_executed(struct ktally_model *m, struct life *l, const struct ktally_event *ev)
{
	const struct ktally_exec *e = &ev->u.exec;
	struct ktally_image *im;

	im = open_image(m, &l->pub, e->image, ev->time);
	if (!im)
		return -ENOMEM;
	im->unknown = false;
	im->has_exec = im->begin_known = true;
	im->begin = ev->time;
	memcpy(im->comm, e->comm, sizeof(im->comm));
	im->argc = e->argc;
	im->envc = e->envc;
	im->flags = e->flags;
	im->argv_true_len = e->argv_len;
	im->pipes_known = ev->present >> EXEC_HAS_pipe_out & 1;
	im->pipe_in = e->pipe_in;
	im->pipe_out = e->pipe_out;
	if (keep_names(m, im, ev))
		return -ENOMEM;
	return keep_use(m, im, e);
}

/* ---- args ---- */

/* Room doubles, for pieces may be as small as one byte and the arena takes nothing back. */
static int append(struct ktally_model *m, struct ktally_image *im, const struct ktally_str *data)
{
	uint32_t n = im->argv_len + data->len;
	char *p = (char *)im->argv;

	if (n + 1 > im->argv_room) {
		p = arena_alloc(&m->arena, 2 * (size_t)n);
		if (!p)
			return -ENOMEM;
		if (im->argv_len)
			memcpy(p, im->argv, im->argv_len);
		im->argv = p;
		im->argv_room = 2 * n;
	}
	memcpy(p + im->argv_len, data->p, data->len);
	p[n] = '\0';
	im->argv_len = n;
	return 0;
}

/* Pieces come in order behind their exec; after a lost one the rest has no place. */
int image_more_args(struct ktally_model *m, struct life *l, const struct ktally_event *ev)
{
	const struct ktally_args *a = &ev->u.args;
	struct ktally_image *im = NULL;

	for (uint32_t i = l->pub.n_images, n = 0; i-- > 0 && n < LATE_MAX && !im; n++)
		if (l->pub.images[i].number == a->image)
			im = &l->pub.images[i];
	if (!im || !im->has_exec || !ev->str[0].len)
		return 0;
	if (a->offset != im->argv_len || im->argv_len + ev->str[0].len > ARGV_MAX) {
		im->flags |= KTALLY_EXEC_ARGV_CUT;
		return 0;
	}
	im->flags |= a->flags & KTALLY_EXEC_ARGV_CUT;
	return append(m, im, &ev->str[0]);
}

/* ---- task and exit ---- */

int image_met(struct ktally_model *m, struct life *l, const struct ktally_event *ev)
{
	const struct ktally_task *t = &ev->u.task;
	struct ktally_image *im;

	im = open_image(m, &l->pub, t->image, ev->time);
	if (!im)
		return -ENOMEM;
	if (im->has_exec || im->argv)
		return 0;
	im->unknown = false;
	memcpy(im->comm, t->comm, sizeof(im->comm));
	im->argv = keep_string(m, &ev->str[0]);
	im->argv_len = im->argv ? ev->str[0].len : 0;
	im->argv_true_len = t->argv_len;
	if (t->flags & KTALLY_TASK_ARGV_HIDDEN)
		im->flags |= KTALLY_EXEC_ARGV_HIDDEN;
	if (t->flags & KTALLY_TASK_ARGV_CUT)
		im->flags |= KTALLY_EXEC_ARGV_CUT;
	return ev->str[0].p && !im->argv ? -ENOMEM : 0;
}

/* Recordings of ends alone have argv here and nowhere else. */
static int argv_at_end(struct ktally_model *m, struct ktally_image *im, const struct ktally_event *ev)
{
	const struct ktally_exit *e = &ev->u.exit;

	if (im->has_exec || im->argv)
		return 0;
	if (e->flags & KTALLY_EXIT_ARGV_HIDDEN)
		im->flags |= KTALLY_EXEC_ARGV_HIDDEN;
	if (!ev->str[0].len)
		return 0;
	im->unknown = false;
	memcpy(im->comm, e->comm, sizeof(im->comm));
	im->argv = keep_string(m, &ev->str[0]);
	im->argv_len = ev->str[0].len;
	im->argv_true_len = e->argv_len;
	if (e->flags & KTALLY_EXIT_ARGV_CUT)
		im->flags |= KTALLY_EXEC_ARGV_CUT;
	return im->argv ? 0 : -ENOMEM;
}

int image_ended(struct ktally_model *m, struct life *l, const struct ktally_event *ev)
{
	const struct ktally_exit *e = &ev->u.exit;
	struct ktally_image *im;

	im = open_image(m, &l->pub, e->image, ev->time);
	if (!im)
		return -ENOMEM;
	if (!im->comm[0] && im->unknown)
		memcpy(im->comm, e->comm, sizeof(im->comm));
	im->end = ev->time;
	/* What executed nothing shows its pipes when it ends; else those it began with hold. */
	if (!im->has_exec) {
		im->pipes_known = ev->present >> KTALLY_HAS_pipe_out & 1;
		im->pipe_in = e->pipe_in;
		im->pipe_out = e->pipe_out;
	}
	return argv_at_end(m, im, ev);
}

/* ---- what others ask ---- */

/* They are in order of their numbers. */
static const struct ktally_image *image_numbered(const struct ktally_life *l, uint32_t number)
{
	uint32_t low = 0, high = l->n_images;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		int32_t ahead = (int32_t)(l->images[middle].number - number);

		if (!ahead)
			return &l->images[middle];
		if (ahead < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void image_inherit(struct life *l)
{
	struct ktally_image *im = l->pub.n_images ? &l->pub.images[0] : NULL;
	const struct ktally_image *from;

	if (!im || im->has_exec)
		return;
	if (!im->comm[0])
		memcpy(im->comm, l->pub.owner.comm, sizeof(im->comm));
	if (!l->pub.parent || !(l->pub.saw_fork || l->noexec))
		return;
	from = image_numbered(l->pub.parent, l->pub.saw_fork ? l->fork_image : im->number);
	if (!from || from->unknown)
		return;
	memcpy(im->comm, from->comm, sizeof(im->comm));
	im->filename = from->filename;
	im->interp = from->interp;
	im->argc = from->argc;
	im->envc = from->envc;
	im->argv = from->argv;
	im->argv_len = from->argv_len;
	im->argv_true_len = from->argv_true_len;
	im->flags = from->flags;
}

const struct ktally_image *ktally_life_image(const struct ktally_life *l)
{
	return l->n_images ? &l->images[l->n_images - 1] : NULL;
}

static size_t comm_len(const char *comm)
{
	return strnlen(comm, KTALLY_COMM_LEN);
}

static struct ktally_str base_name(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *p = slash ? slash + 1 : path;

	return (struct ktally_str){ p, path + len - p };
}

/* comm is cut at 15 bytes; a longer base name that begins with it is the whole of it. */
static bool continues_comm(const struct ktally_image *im, const struct ktally_str *name)
{
	size_t n = comm_len(im->comm);

	return name->len >= n && n && !memcmp(name->p, im->comm, n) &&
	       (name->len == n || n == KTALLY_COMM_LEN - 1);
}

/* Started by /proc/PID/exe, it is called exe until it names itself, if it ever does. */
static bool called_exe(const struct ktally_image *im)
{
	return !strcmp(im->comm, "exe") && im->argv && im->argv_len &&
	       (!im->filename || !strncmp(im->filename, "/proc/", 6));
}

/* The first word, as a login's "-sh" without its dash. */
static struct ktally_str first_word(const struct ktally_image *im)
{
	struct ktally_str name = base_name(im->argv, strnlen(im->argv, im->argv_len));

	if (name.len > 1 && name.p[0] == '-') {
		name.p++;
		name.len--;
	}
	return name;
}

struct ktally_str ktally_image_program(const struct ktally_image *im)
{
	struct ktally_str name = { NULL, 0 };

	if (called_exe(im)) {
		name = first_word(im);
		if (name.len)
			return name;
	}
	if (im->filename)
		name = base_name(im->filename, strlen(im->filename));
	else if (im->argv)
		name = base_name(im->argv, strnlen(im->argv, im->argv_len));
	if (name.p && continues_comm(im, &name))
		return name;
	return (struct ktally_str){ im->comm[0] ? im->comm : NULL, comm_len(im->comm) };
}

void ktally_image_use(const struct ktally_life *l, size_t i, struct ktally_use *out)
{
	const struct ktally_image *im = &l->images[i];
	const struct ktally_use *end = i + 1 < l->n_images ? l->images[i + 1].at_begin : &l->use;
	bool from_birth = i == 0 && im->begin_known && !im->has_exec;

	memset(out, 0, sizeof(*out));
	if (!end || (!im->at_begin && !from_birth))
		return;
	*out = *end;
	if (im->at_begin)
		use_since(out, im->at_begin);
}
