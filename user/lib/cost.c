// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cost.c - fields of a life that say when it was and what it used. Bounds are marked:
 * a figure that may be more or less is never shown as exact.
 */
#include "getter.h"
#include "model.h"
#include "muldiv.h"

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

/* The life's own sums where they are the recording's, else what is left of them, in *room. */
static const struct ktally_use *used(const struct ktally_life *l, const struct ktally_field_ctx *c,
				     struct ktally_use *room)
{
	if (c->since_birth || c->watch || !(l->use_before || l->older))
		return &l->use;
	ktally_life_use(l, room);
	return room;
}

static bool measured(const struct ktally_use *u, unsigned int bit)
{
	return u->known >> bit & 1;
}

static value use_value(const struct ktally_life *l, const struct ktally_use *u, unsigned int bit,
		       uint64_t v)
{
	value out = number(v);

	if (!measured(u, bit))
		return unknown;
	out.upper = u->upper >> bit & 1;
	out.lower = may_be_more(l);
	return out;
}

/* arg: enum ktally_usage */
GETTER(get_use)
{
	struct ktally_use room;
	const struct ktally_use *u = used(l, c, &room);

	return use_value(l, u, f->arg, (&u->utime)[f->arg]);
}

/* The exact time, else what the ticks saw. */
GETTER(get_cpu)
{
	struct ktally_use room;
	const struct ktally_use *u = used(l, c, &room);

	(void)f;
	if (measured(u, KTALLY_U_RUNTIME))
		return use_value(l, u, KTALLY_U_RUNTIME, u->runtime);
	if (!measured(u, KTALLY_U_STIME))
		return unknown;
	return use_value(l, u, KTALLY_U_UTIME, u->utime + u->stime);
}

/*
 * Ticks say how user and system time relate, the runtime how much it was: as the
 * kernel's own task_cputime_adjusted() shares it out for wait4() and /proc.
 */
uint64_t use_system(const struct ktally_use *u)
{
	uint64_t ticks = u->utime + u->stime;

	if (!u->stime)
		return 0;
	if (!u->utime)
		return u->runtime;
	if (ticks < u->stime)	/* no kernel counts that far, a foreign recording may */
		return mul_div(u->stime / 2, u->runtime, u->utime / 2 + u->stime / 2);
	return mul_div(u->stime, u->runtime, ticks);
}

/* arg: KTALLY_U_UTIME or KTALLY_U_STIME */
GETTER(get_cpu_part)
{
	struct ktally_use room;
	const struct ktally_use *u = used(l, c, &room);
	uint64_t sys;

	if (!measured(u, KTALLY_U_UTIME) || !measured(u, KTALLY_U_STIME))
		return unknown;
	if (!measured(u, KTALLY_U_RUNTIME))
		return get_use(f, l, c);
	sys = use_system(u);
	return use_value(l, u, f->arg, f->arg == KTALLY_U_STIME ? sys : u->runtime - sys);
}

/* Threads that ended before the recording took theirs with them. */
GETTER(get_run_delay)
{
	struct ktally_use room;
	const struct ktally_use *u = used(l, c, &room);
	value v = use_value(l, u, KTALLY_U_RUN_DELAY, u->run_delay);
	bool whole = !c->since_birth && l->use_before;

	(void)f;
	v.lower |= l->older && !whole && (l->threads > 1 || l->threads_ended);
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

/* As used(); NULL: not measured. */
static const struct ktally_traffic *moved(const struct ktally_life *l,
					  const struct ktally_field_ctx *c,
					  struct ktally_traffic *room, uint64_t *upper)
{
	*upper = l->net_upper;
	if (c->since_birth || c->watch || !(l->traffic_before || l->older))
		return l->traffic;
	return ktally_life_traffic(l, room, upper) ? room : NULL;
}

static value moved_value(const struct ktally_life *l, const struct ktally_field_ctx *c,
			 unsigned int at)
{
	unsigned int bit = traffic_bit(at * sizeof(__u64));
	struct ktally_traffic room;
	uint64_t upper;
	const struct ktally_traffic *t = moved(l, c, &room, &upper);
	value v;

	if (!t || !(l->net_known >> bit & 1))
		return unknown;
	v = number(((const __u64 *)t)[at]);
	v.upper = upper >> bit & 1;
	v.lower = may_be_more(l);
	return v;
}

/* arg: place in struct ktally_traffic counted in u64 */
GETTER(get_traffic)
{
	return moved_value(l, c, f->arg);
}

/* arg: PAYLOAD_*. TCP and UDP are different bytes, so they add up. */
GETTER(get_payload)
{
	bool tx = f->arg == PAYLOAD_TX;
	value tcp = moved_value(l, c, (tx ? offsetof(struct ktally_traffic, tcp_tx) :
					    offsetof(struct ktally_traffic, tcp_rx)) / sizeof(__u64));
	value udp = moved_value(l, c, (tx ? offsetof(struct ktally_traffic, udp_tx) :
					    offsetof(struct ktally_traffic, udp_rx)) / sizeof(__u64));

	if (tcp.type == KTALLY_V_UNKNOWN || udp.type == KTALLY_V_UNKNOWN)
		return unknown;
	/* Only what UDP has of it may be less. */
	tcp.upper |= udp.upper && udp.u;
	tcp.u += udp.u;
	return tcp;
}
