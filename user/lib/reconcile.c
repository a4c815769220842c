// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * reconcile.c - the equations that network figures must meet (docs/network.md), term by
 * term, with what remains. Each term is counted by itself; the rest is the only
 * difference. What a driver counts its own way is found by what fits, and is a term.
 */
#include <string.h>

#include "ktally.h"

static const char *const bucket_names[KTALLY_B_KINDS] = {
	[KTALLY_B_SOCKET] = "socket", [KTALLY_B_CARRIED] = "carried",
	[KTALLY_B_FORWARDED] = "forwarded", [KTALLY_B_MULTICAST] = "multicast",
	[KTALLY_B_AMBIGUOUS] = "ambiguous", [KTALLY_B_UNPARSED] = "unparsed",
	[KTALLY_B_FRAGMENT] = "fragment", [KTALLY_B_SYN] = "syn", [KTALLY_B_TCP] = "tcp",
	[KTALLY_B_UDP] = "udp", [KTALLY_B_ICMP] = "icmp", [KTALLY_B_OTHER] = "other",
	[KTALLY_B_LOCAL] = "local", [KTALLY_B_LOOPED] = "looped",
};

static const char *const share_names[KTALLY_S_KINDS] = {
	[KTALLY_S_PROCESS] = "processes", [KTALLY_S_KERNEL] = "kernel",
	[KTALLY_S_PENDING] = "pending", [KTALLY_S_UNOWNED] = "unowned",
	[KTALLY_S_FULL] = "table-full",
};

static const char *const apart_names[KTALLY_A_KINDS] = {
	[KTALLY_A_KERNEL] = "kernel", [KTALLY_A_UNOWNED] = "unowned",
	[KTALLY_A_LOCAL] = "local", [KTALLY_A_UNPARSED] = "unparsed",
};

static const char *const packet_names[KTALLY_P_KINDS] = {
	[KTALLY_P_SYN] = "syn", [KTALLY_P_RST] = "rst", [KTALLY_P_TIME_WAIT] = "time-wait",
	[KTALLY_P_TCP] = "tcp", [KTALLY_P_UDP] = "udp", [KTALLY_P_ICMP] = "icmp",
	[KTALLY_P_OTHER] = "other", [KTALLY_P_ARP] = "arp",
};

const char *ktally_share_name(unsigned int share)
{
	return share < KTALLY_S_KINDS ? share_names[share] : NULL;
}

const char *ktally_class_name(unsigned int class)
{
	static const char *const names[] = { "physical", "loopback", "virtual" };

	return class < 3 ? names[class] : NULL;
}

/* Terms of one equation and direction as they are put down. */
struct sheet {
	struct ktally_term *terms;
	size_t n;
	enum ktally_equation equation;
	bool tx;
	uint64_t packets, bytes;	/* whole less the parts so far; may wrap below 0 */
};

/* Figures are unsigned until they are told, since they may come from anywhere. */
static struct ktally_term *put(struct sheet *s, int role, const char *name, uint64_t packets,
			       uint64_t bytes)
{
	struct ktally_term *t = &s->terms[s->n++];

	*t = (struct ktally_term){
		.equation = s->equation, .role = role, .tx = s->tx, .name = name,
		.known = true, .has_packets = true,
		.packets = (int64_t)packets, .bytes = (int64_t)bytes,
	};
	s->packets = role == KTALLY_WHOLE ? packets : s->packets - packets;
	s->bytes = role == KTALLY_WHOLE ? bytes : s->bytes - bytes;
	return t;
}

static struct ktally_term *put_rest(struct sheet *s)
{
	return put(s, KTALLY_REST, "remainder", s->packets, s->bytes);
}

/* Terms from `first` on are not known. */
static void forget(struct sheet *s, size_t first)
{
	for (; first < s->n; first++) {
		s->terms[first].known = false;
		s->terms[first].packets = s->terms[first].bytes = 0;
	}
}

/* ---- hooks = buckets ---- */

static void put_buckets(struct sheet *s, const struct ktally_device *d)
{
	const __u64 *bucket = d->bucket + (s->tx ? KTALLY_B_TX : 0);
	const __u64 *hook = d->hook + (s->tx ? KTALLY_N_TX_PACKETS : KTALLY_N_RX_PACKETS);
	size_t first = s->n;

	s->equation = KTALLY_EQ_BUCKETS;
	put(s, KTALLY_WHOLE, "hooks", hook[0], hook[1]);
	for (unsigned int i = 0; i < KTALLY_B_KINDS; i++)
		put(s, KTALLY_PART, bucket_names[i], 0, bucket[i])->has_packets = false;
	put_rest(s)->has_packets = false;
	if (s->tx || !(d->flags & KTALLY_DEVICE_NO_RX))
		return;
	forget(s, first);
}

/* ---- the device's own counters = hooks and offsets ---- */

/* What drivers leave out of their byte counters or put in, by packet. */
static const struct { const char *name; int64_t each; } habits[] = {
	{ "mac-header", -14 }, { "frame-check", 4 },
};

/* How far a rest is from 0. */
static uint64_t size_of(uint64_t rest)
{
	return rest >> 63 ? -rest : rest;
}

/* Drivers count an skb of many packets as one, or as the packets it becomes. */
static void put_segments(struct sheet *s, const struct ktally_device *d, const __u64 *hook)
{
	uint64_t segments = d->bucket[s->tx ? KTALLY_B_TX_SEGMENTS : KTALLY_B_RX_SEGMENTS];

	if (size_of(s->packets) < size_of(s->packets + segments))
		put(s, KTALLY_PART, "segments", 0, hook[1] - hook[2]);
	else
		put(s, KTALLY_PART, "segments", -segments, 0);
}

/* A habit fits if it leaves less than half of itself; packets that were missed do not. */
static bool fits(uint64_t rest, uint64_t habit)
{
	return size_of(rest - habit) < size_of(habit) / 2;
}

/* lo's is known. */
static void put_habits(struct sheet *s, const struct ktally_device *d, uint64_t own_packets)
{
	size_t n = sizeof(habits) / sizeof(habits[0]), found = d->class == 1 ? 0 : n;
	uint64_t rest = s->bytes, habit;

	for (size_t i = 0; i < n; i++) {
		habit = (uint64_t)habits[i].each * own_packets;
		if (found == n && fits(rest, habit))
			found = i;
		put(s, KTALLY_PART, habits[i].name, 0, i == found ? habit : 0);
	}
}

static void put_own(struct sheet *s, const struct ktally_netdev *dev, const struct ktally_device *d)
{
	const __u64 *own = d->dev + (s->tx ? 2 : 0);
	const __u64 *hook = d->hook + (s->tx ? KTALLY_N_TX_PACKETS : KTALLY_N_RX_PACKETS);
	bool unseen = !s->tx && d->flags & KTALLY_DEVICE_NO_RX;
	size_t first = s->n;

	s->equation = KTALLY_EQ_DEVICE;
	put(s, KTALLY_WHOLE, "device", own[0], own[1])->lower = dev->gone;
	put(s, KTALLY_PART, "hooks", hook[0], hook[2]);
	put(s, KTALLY_PART, "looped", s->tx ? 0 : -d->bucket[KTALLY_B_RX_LOOPED_PACKETS],
	    s->tx ? 0 : -d->bucket[KTALLY_B_LOOPED]);
	put_segments(s, d, hook);
	put_habits(s, d, own[0]);
	put_rest(s);
	if (unseen)
		forget(s, first + 1);
	else if (dev->gone)
		forget(s, s->n - 1);
}

/* ---- sockets of a class = whose they are ---- */

static void put_shares(struct sheet *s, const struct ktally_device *d)
{
	const __u64 *hook = d->hook + (s->tx ? KTALLY_N_TX_PACKETS : KTALLY_N_RX_PACKETS);

	s->equation = KTALLY_EQ_CLASS;
	put(s, KTALLY_WHOLE, "sockets", hook[0], hook[1]);
	for (unsigned int i = 0; i < KTALLY_S_KINDS; i++) {
		const __u64 *share = d->bucket + KTALLY_SC_COUNTERS * i +
				     (s->tx ? KTALLY_SC_TX_PACKETS : KTALLY_SC_RX_PACKETS);

		put(s, KTALLY_PART, share_names[i], share[0], share[1]);
	}
	put_rest(s);
}

/* ---- what no process has = its kinds of packets ---- */

static void put_kinds(struct sheet *s, const struct ktally_device *d)
{
	const __u64 *hook = d->hook + (s->tx ? KTALLY_N_TX_PACKETS : KTALLY_N_RX_PACKETS);
	const __u64 *kind = d->bucket + (s->tx ? KTALLY_SC_TX_PACKETS : KTALLY_SC_RX_PACKETS);

	if (d->ifindex >= KTALLY_A_KINDS)
		return;
	s->equation = KTALLY_EQ_KINDS;
	put(s, KTALLY_WHOLE, apart_names[d->ifindex], hook[0], hook[1]);
	for (unsigned int i = 0; i < KTALLY_P_KINDS; i++, kind += KTALLY_SC_COUNTERS)
		put(s, KTALLY_PART, packet_names[i], kind[0], kind[1]);
	put_rest(s);
}

/* ---- what others ask ---- */

/* Packets move from one bucket or share to another, so a difference may be negative. */
static struct ktally_device counts(const struct ktally_netdev *dev, bool since_load)
{
	struct ktally_device d = dev->last;

	if (since_load)
		return d;
	for (int i = 0; i < KTALLY_N_COUNTERS; i++)
		d.hook[i] -= dev->before.hook[i];
	for (int i = 0; i < 4; i++)
		d.dev[i] -= dev->before.dev[i];
	for (int i = 0; i < 32; i++)
		d.bucket[i] -= dev->before.bucket[i];
	return d;
}

size_t ktally_netdev_terms(const struct ktally_netdev *dev, bool since_load,
			   struct ktally_term terms[KTALLY_TERMS_MAX])
{
	struct ktally_device d = counts(dev, since_load);
	struct sheet s = { .terms = terms };

	_Static_assert(2 * (KTALLY_B_KINDS + 2 + 7) <= KTALLY_TERMS_MAX, "room for all terms");
	for (int tx = 0; tx < 2; tx++) {
		s.tx = tx;
		if (d.flags & KTALLY_DEVICE_CLASS) {
			put_shares(&s, &d);
			continue;
		}
		if (d.flags & KTALLY_DEVICE_KINDS) {
			put_kinds(&s, &d);
			continue;
		}
		put_buckets(&s, &d);
		put_own(&s, dev, &d);
	}
	/* A recording without an end has told only of what came before. */
	if (!since_load && !dev->again)
		forget(&s, 0);
	return s.n;
}

static void add_rest(struct ktally_network *n, const struct ktally_term *t)
{
	if (t->role == KTALLY_WHOLE && t->equation == KTALLY_EQ_BUCKETS && t->known) {
		n->wire_bytes += (uint64_t)t->bytes;
		n->packets += (uint64_t)t->packets;
	}
	if (t->role != KTALLY_REST)
		return;
	if (!t->known) {
		n->unchecked += t->equation == KTALLY_EQ_DEVICE;
		return;
	}
	n->rest_bytes += size_of((uint64_t)t->bytes);
	n->rest_packets += t->has_packets ? size_of((uint64_t)t->packets) : 0;
}

/* What was pending before may be credited now, so a share may be below 0. */
static void add(int64_t *to, uint64_t v)
{
	*to = (int64_t)((uint64_t)*to + v);
}

static void add_class(struct ktally_network *n, const struct ktally_device *d)
{
	if (!(d->flags & KTALLY_DEVICE_CLASS) || d->class > 2)
		return;
	n->sockets[d->class][0] += d->hook[KTALLY_N_RX_WIRE];
	n->sockets[d->class][1] += d->hook[KTALLY_N_TX_WIRE];
	for (unsigned int i = 0; i < KTALLY_S_KINDS; i++) {
		add(&n->share[d->class][i][0], d->bucket[KTALLY_SC_COUNTERS * i + KTALLY_SC_RX_WIRE]);
		add(&n->share[d->class][i][1], d->bucket[KTALLY_SC_COUNTERS * i + KTALLY_SC_TX_WIRE]);
	}
}

static void add_life(struct ktally_network *n, const struct ktally_life *l, bool since_load)
{
	struct ktally_traffic t;
	const __u64 *class[] = { t.net_phys, t.net_loop, t.net_virt };
	uint64_t upper;

	if (!ktally_life_traffic(l, &t, &upper))
		return;
	if (since_load)
		t = *l->traffic;
	for (int i = 0; i < 3; i++) {
		n->lives[i][0] += class[i][KTALLY_N_RX_WIRE];
		n->lives[i][1] += class[i][KTALLY_N_TX_WIRE];
	}
}

void ktally_model_network(const struct ktally_model *m, bool since_load, struct ktally_network *n)
{
	struct ktally_netdev *const *devices;
	struct ktally_life *const *lives;
	size_t n_devices = ktally_model_netdevs(m, &devices), n_lives = ktally_model_lives(m, &lives);

	memset(n, 0, sizeof(*n));
	for (size_t i = 0; i < n_devices; i++) {
		struct ktally_term terms[KTALLY_TERMS_MAX];
		size_t n_terms = ktally_netdev_terms(devices[i], since_load, terms);
		struct ktally_device d = counts(devices[i], since_load);

		n->counted |= since_load || devices[i]->again;
		for (size_t k = 0; k < n_terms; k++)
			add_rest(n, &terms[k]);
		add_class(n, &d);
	}
	for (size_t i = 0; i < n_lives; i++)
		add_life(n, lives[i], since_load);
}
