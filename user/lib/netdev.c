// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * netdev.c - the network devices of a recording, from their records: what the hooks
 * saw on each since they began, and what of it had come before the recording. A device
 * is (boot, load, namespace, number) until it goes. Memory only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define KIND_FLAGS	(KTALLY_DEVICE_CLASS | KTALLY_DEVICE_TABLES | KTALLY_DEVICE_KINDS)

/* A walk tells of a device that has just gone, and its last record still follows. */
static bool is_same(const struct netdev *d, const struct ktally_event *ev)
{
	const struct ktally_device *a = &d->pub.last, *b = &ev->u.device;

	return d->pub.boot == ev->boot && d->pub.load_id == ev->load_id &&
	       (!d->pub.gone || b->flags & KTALLY_DEVICE_GONE) &&
	       a->ifindex == b->ifindex && a->netns == b->netns && a->class == b->class &&
	       !((a->flags ^ b->flags) & KIND_FLAGS);
}

/*
 * Its last record was lost and its number given to another: then counters begin anew.
 * What is sent may run backwards a little, since refused packets are taken back.
 */
static bool runs_backwards(const struct netdev *d, const struct ktally_device *now)
{
	const __u64 *last = d->pub.last.hook;

	return now->hook[KTALLY_N_RX_PACKETS] < last[KTALLY_N_RX_PACKETS] ||
	       now->hook[KTALLY_N_TX_PACKETS] < last[KTALLY_N_TX_PACKETS] / 2;
}

static uint64_t hash_of(const struct ktally_event *ev)
{
	const struct ktally_device *d = &ev->u.device;

	return table_mix(ev->load_id ^ (uint64_t)ev->boot << 56 ^ (uint64_t)d->ifindex << 32 ^
			 d->netns ^ (uint64_t)(d->flags & KIND_FLAGS) << 58 ^ (uint64_t)d->class << 52);
}

/* NULL: not seen yet, or gone. */
static struct netdev *find(const struct ktally_model *m, const struct ktally_event *ev)
{
	uint64_t hash = hash_of(ev);
	size_t at = hash;
	struct netdev *d;

	while ((d = table_find(&m->by_device, hash, &at)))
		if (is_same(d, ev))
			return d;
	return NULL;
}

static struct netdev *make(struct ktally_model *m, const struct ktally_event *ev)
{
	struct netdev *d = arena_alloc(&m->lasting, sizeof(*d));

	if (d && m->n_netdevs == m->netdev_room) {
		size_t room = m->netdev_room ? 2 * m->netdev_room : 16;
		struct netdev **p = realloc(m->netdevs, room * sizeof(*p));

		if (!p)
			return NULL;
		m->netdevs = p;
		m->netdev_room = room;
	}
	if (!d || table_add(&m->by_device, hash_of(ev), d))
		return NULL;
	m->netdevs[m->n_netdevs++] = d;
	d->pub.boot = ev->boot;
	d->pub.load_id = ev->load_id;
	d->session = m->session;
	return d;
}

static void skip(struct ktally_device *base, const struct ktally_device *last,
		 const struct ktally_device *next)
{
	for (int i = 0; i < KTALLY_N_COUNTERS; i++)
		base->hook[i] += next->hook[i] - last->hook[i];
	for (int i = 0; i < 4; i++)
		base->dev[i] += next->dev[i] - last->dev[i];
	for (int i = 0; i < 32; i++)
		base->bucket[i] += next->bucket[i] - last->bucket[i];
}

/* An opening walk: all of it came before, or what came since another recording. */
static void begin(struct ktally_model *m, struct netdev *d, const struct ktally_device *now, bool made)
{
	if (!m->sessions[m->session].opening_now)
		return;
	if (made) {
		d->pub.before = *now;
		d->first_in_walk = true;
	} else if (d->session != m->session) {
		skip(&d->pub.before, &d->pub.last, now);
	}
}

int netdev_feed(struct ktally_model *m, const struct ktally_event *ev)
{
	const struct ktally_device *now = &ev->u.device;
	struct netdev *d = find(m, ev);
	bool made = !d;

	if (d && !(now->flags & KTALLY_DEVICE_TABLES) && runs_backwards(d, now)) {
		d->pub.gone = true;
		d = NULL;
	}
	if (!d)
		d = make(m, ev);
	if (!d)
		return -ENOMEM;
	begin(m, d, now, made);
	d->pub.again |= !m->sessions[m->session].opening_now;
	d->pub.last = *now;
	d->pub.gone = now->flags & KTALLY_DEVICE_GONE;
	d->session = m->session;
	if (now->flags & KTALLY_DEVICE_TABLES)
		m->net_tables = d;
	return 0;
}

/* Devices, classes, kinds of packets, tables. */
static int rank(const struct netdev *d)
{
	uint32_t flags = d->pub.last.flags;

	if (flags & KTALLY_DEVICE_TABLES)
		return 3;
	return flags & KTALLY_DEVICE_KINDS ? 2 : !!(flags & KTALLY_DEVICE_CLASS);
}

static int by_kind(const void *a, const void *b)
{
	const struct netdev *x = *(struct netdev *const *)a, *y = *(struct netdev *const *)b;
	int p = rank(x), q = rank(y);

	if (p != q)
		return p < q ? -1 : 1;
	if (x->pub.boot != y->pub.boot)
		return x->pub.boot < y->pub.boot ? -1 : 1;
	if (x->pub.load_id != y->pub.load_id)
		return x->pub.load_id < y->pub.load_id ? -1 : 1;
	if (p && x->pub.last.class != y->pub.last.class)
		return x->pub.last.class < y->pub.last.class ? -1 : 1;
	if (x->pub.last.ifindex != y->pub.last.ifindex)
		return x->pub.last.ifindex < y->pub.last.ifindex ? -1 : 1;
	return x->pub.last.netns < y->pub.last.netns ? -1 : x->pub.last.netns > y->pub.last.netns;
}

/* What came behind the opening walk was made while recording, unless that record was lost. */
void netdev_settle(struct ktally_model *m, const struct ktally_stream_info *info)
{
	bool lost = info && info->lost[KTALLY_DEVICE];

	for (size_t i = 0; i < m->n_netdevs; i++) {
		struct netdev *d = m->netdevs[i];

		d->pub.met = d->first_in_walk || (!lost && m->sessions[d->session].opened);
	}
	if (m->n_netdevs)
		qsort(m->netdevs, m->n_netdevs, sizeof(*m->netdevs), by_kind);
}

size_t ktally_model_netdevs(const struct ktally_model *m, struct ktally_netdev *const **devices)
{
	size_t n = m->n_netdevs;

	_Static_assert(offsetof(struct netdev, pub) == 0, "a device begins with its public part");
	*devices = (struct ktally_netdev *const *)m->netdevs;
	while (n && m->netdevs[n - 1]->pub.last.flags & KTALLY_DEVICE_TABLES)
		n--;
	return n;
}

const __u64 *ktally_model_net_tables(const struct ktally_model *m)
{
	return m->net_tables ? m->net_tables->pub.last.bucket : NULL;
}
