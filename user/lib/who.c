// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * who.c - fields of a life that say who it is: numbers, owner, names, arguments and
 * the control group it lives in.
 */
#include <string.h>

#include "getter.h"
#include "place.h"

/* ---- who ---- */

GETTER(get_pid)
{
	(void)f, (void)c;
	return number(l->tgid);
}

GETTER(get_ppid)
{
	(void)f, (void)c;
	return l->birth_time ? number(l->ppid) : unknown;
}

GETTER(get_parent_start)
{
	(void)f, (void)c;
	return l->birth_time && l->parent_start ? number(l->parent_start) : unknown;
}

/* arg: place in the list, enum ktally_has */
GETTER(get_owner)
{
	const struct ktally_owner *o = &l->owner;
	uint64_t v = 0;

	(void)c;
	if (!has(l, f->arg))
		return unknown;
	switch (f->arg) {
	case KTALLY_HAS_nspid:	v = o->nspid; break;
	case KTALLY_HAS_cgroup:	v = o->cgroup; break;
	case KTALLY_HAS_pidns:	v = o->pidns; break;
	case KTALLY_HAS_netns:	v = o->netns; break;
	case KTALLY_HAS_uid:	v = o->uid; break;
	case KTALLY_HAS_gid:	v = o->gid; break;
	case KTALLY_HAS_sid:	v = o->sid; break;
	case KTALLY_HAS_pgrp:	v = o->pgrp; break;
	}
	/* 0 stands for "none any more" in these. */
	if (!v && (f->arg == KTALLY_HAS_cgroup || f->arg == KTALLY_HAS_netns ||
		   f->arg == KTALLY_HAS_pidns))
		return unknown;
	return number(v);
}

GETTER(get_user)
{
	struct ktally_str number;
	const char *name;

	(void)f;
	if (!has(l, KTALLY_HAS_uid))
		return unknown;
	name = c->user_name ? c->user_name(l->owner.uid, c->arg) : NULL;
	if (name)
		return text(name, strlen(name));
	number = decimal(c->scratch, sizeof(c->scratch), l->owner.uid);
	return text(number.p, number.len);
}

/* ---- names ---- */

GETTER(get_comm)
{
	(void)f, (void)c;
	if (!has(l, KTALLY_HAS_comm))
		return unknown;
	return text(l->owner.comm, strnlen(l->owner.comm, sizeof(l->owner.comm)));
}

GETTER(get_program)
{
	const struct ktally_image *im = ktally_life_image(l);
	struct ktally_str s;

	if (!im)
		return get_comm(f, l, c);
	s = ktally_image_program(im);
	return s.len ? text(s.p, s.len) : get_comm(f, l, c);
}

GETTER(get_exe)
{
	const struct ktally_image *im = ktally_life_image(l);
	const char *name = im ? im->interp ? im->interp : im->filename : NULL;

	(void)f, (void)c;
	return name ? text(name, strlen(name)) : unknown;
}

GETTER(get_filename)
{
	const struct ktally_image *im = ktally_life_image(l);

	(void)f, (void)c;
	return im && im->filename ? text(im->filename, strlen(im->filename)) : unknown;
}

GETTER(get_argv)
{
	const struct ktally_image *im = ktally_life_image(l);
	value v;

	(void)f, (void)c;
	if (!im || !im->argv)
		return unknown;
	v = text(im->argv, im->argv_len);
	v.lower = im->flags & KTALLY_EXEC_ARGV_CUT || im->argv_len < im->argv_true_len;
	return v;
}

/* arg: what of the arguments */
GETTER(get_argv_facts)
{
	const struct ktally_image *im = ktally_life_image(l);

	(void)c;
	if (!im || !im->argv)
		return unknown;
	switch (f->arg) {
	case ARGV_WORDS:	return im->argc ? number(im->argc) : unknown;
	case ARGV_TRUE_BYTES: return number(im->argv_true_len);
	}
	return number(im->flags & KTALLY_EXEC_ARGV_CUT || im->argv_len < im->argv_true_len);
}

GETTER(get_image)
{
	const struct ktally_image *im = ktally_life_image(l);

	(void)f, (void)c;
	return im ? number(im->number) : unknown;
}

GETTER(get_execs)
{
	value v = number(l->execs_past);

	(void)f, (void)c;
	for (uint32_t i = 0; i < l->n_images; i++) {
		v.u += l->images[i].has_exec;
		v.lower |= l->images[i].unknown;
	}
	v.lower |= l->older || may_be_more(l);
	return v;
}

/* ---- where ---- */

static const char *cgroup_path(const struct ktally_life *l, const struct ktally_field_ctx *c)
{
	const char *path;

	if (!has(l, KTALLY_HAS_cgroup) || !l->owner.cgroup || !(c->model || c->watch))
		return NULL;
	path = c->watch ? ktally_watch_cgroup(c->watch, l->owner.cgroup) :
			  ktally_model_cgroup(c->model, l->boot, l->owner.cgroup);
	return path || l->owner.cgroup != 1 ? path : "/";
}

/* arg: what of the path */
GETTER(get_place)
{
	static struct ktally_str (*const part[])(const char *path) = {
		[PLACE_UNIT] = place_unit, [PLACE_CONTAINER] = place_container,
	};
	const char *path = cgroup_path(l, c), *name = NULL;
	char id[PLACE_ID_LEN + 1];
	struct ktally_str s;

	if (!path)
		return unknown;
	if (f->arg == PLACE_PATH)
		return text(path, strlen(path));
	s = part[f->arg](path);
	if (f->arg == PLACE_CONTAINER && c->container_name && place_id(s, id))
		name = c->container_name(id, c->arg);
	return name ? text(name, strlen(name)) : text(s.p, s.len);
}
