// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cost.c - fields of a life that say when it was and what it used. Bounds are marked:
 * a figure that may be more or less is never shown as exact.
 */
#include "getter.h"
#include "model.h"

/* ---- when ---- */

GETTER(get_start)
{
	(void)f, (void)c;
	return number(l->start);
}

GETTER(get_end)
{
	(void)f, (void)c;
	return l->state == KTALLY_ENDED ? number(l->end) : unknown;
}

/* Of what did not end: as long as it was seen, and it lived longer. */
GETTER(get_life)
{
	uint64_t to = l->state == KTALLY_ENDED ? l->end : l->last_seen;
	value v;

	(void)f;
	if (l->state == KTALLY_END_UNSEEN)
		return unknown;
	if (l->state == KTALLY_RUNNING && c->info && c->info->last_time > to)
		to = c->info->last_time;
	v = number(to > l->start ? to - l->start : 0);
	v.lower = l->state != KTALLY_ENDED;
	return v;
}

/* ---- what it used ---- */

static bool measured(const struct ktally_life *l, unsigned int bit)
{
	return l->use.known >> bit & 1;
}

static value use_value(const struct ktally_life *l, unsigned int bit, uint64_t v)
{
	value out = number(v);

	if (!measured(l, bit))
		return unknown;
	out.upper = l->use.upper >> bit & 1;
	out.lower = may_be_more(l);
	return out;
}

/* arg: enum ktally_usage */
GETTER(get_use)
{
	(void)c;
	return use_value(l, f->arg, (&l->use.utime)[f->arg]);
}

/* The exact time, else what the ticks saw. */
GETTER(get_cpu)
{
	(void)f, (void)c;
	if (measured(l, KTALLY_U_RUNTIME))
		return use_value(l, KTALLY_U_RUNTIME, l->use.runtime);
	if (!measured(l, KTALLY_U_STIME))
		return unknown;
	return use_value(l, KTALLY_U_UTIME, l->use.utime + l->use.stime);
}

/*
 * Ticks say how user and system time relate, the runtime how much it was: as the
 * kernel's own task_cputime_adjusted() shares it out for wait4() and /proc.
 */
uint64_t use_system(const struct ktally_use *u)
{
	unsigned __int128 share;

	if (!u->stime)
		return 0;
	if (!u->utime)
		return u->runtime;
	share = (unsigned __int128)u->stime * u->runtime;
	return share / ((unsigned __int128)u->utime + u->stime);
}

/* arg: KTALLY_U_UTIME or KTALLY_U_STIME */
GETTER(get_cpu_part)
{
	uint64_t sys;

	if (!measured(l, KTALLY_U_UTIME) || !measured(l, KTALLY_U_STIME))
		return unknown;
	if (!measured(l, KTALLY_U_RUNTIME))
		return get_use(f, l, c);
	sys = use_system(&l->use);
	return use_value(l, f->arg, f->arg == KTALLY_U_STIME ? sys : l->use.runtime - sys);
}

/* Threads that ended before the recording took theirs with them. */
GETTER(get_run_delay)
{
	value v = use_value(l, KTALLY_U_RUN_DELAY, l->use.run_delay);

	(void)f;
	v.lower |= l->older && (l->threads > 1 || l->threads_ended);
	v.lower |= c->info && c->info->lost[KTALLY_THREAD_EXIT];
	return v;
}

static unsigned int traffic_bit(size_t at)
{
	if (at >= offsetof(struct ktally_traffic, udp_rx) && at <= offsetof(struct ktally_traffic, udp_tx))
		return KTALLY_U_UDP_PAYLOAD;
	if (at >= offsetof(struct ktally_traffic, tcp_rx) && at <= offsetof(struct ktally_traffic, tcp_tx))
		return KTALLY_U_TCP_PAYLOAD;
	return KTALLY_U_NET;
}

/* arg: place in struct ktally_traffic counted in u64 */
GETTER(get_traffic)
{
	unsigned int bit = traffic_bit(f->arg * sizeof(__u64));
	value v;

	(void)c;
	if (!l->traffic || !(l->net_known >> bit & 1))
		return unknown;
	v = number(((const __u64 *)l->traffic)[f->arg]);
	v.upper = l->net_upper >> bit & 1;
	v.lower = may_be_more(l);
	return v;
}
