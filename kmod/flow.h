/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flow.h - HOT: from what a received packet carries to a socket entry. A flow
 * is put in with the reversed addresses of the socket's first packet as they
 * stand on the wire, so that local address translation does not matter. Found
 * under RCU by two or five compares; put in and taken out under a raw lock.
 */
#ifndef KTALLY_FLOW_H
#define KTALLY_FLOW_H

#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/types.h>

struct kt_sock_entry;
struct sock;

/*
 * Addresses as they lie in the packet: IPv4 in one word, IPv6 in four. w holds
 * the ports (low half, as in the packet) and namespace, family and protocol.
 */
struct kt_flow_key {
	u64 a[4];
	u64 w;
};

#define FLOW_V6			0x100U
#define FLOW_META(ns, proto)	((ns) << 9 | (proto))
#define FLOW_W(meta, ports)	((u64)(meta) << 32 | (ports))

static inline bool kt_flow_is_v6(const struct kt_flow_key *key)
{
	return key->w >> 32 & FLOW_V6;
}

struct kt_flow {
	struct hlist_node node;
	struct kt_flow_key key;
	struct kt_sock_entry *e;
} ____cacheline_aligned;

/*
 * Hashing by secret odd multipliers: nobody outside can aim at one chain.
 * Read on every packet, written at load.
 */
struct kt_flow_table {
	struct hlist_head *buckets;
	unsigned int shift;
	u64 mul[3];
};

extern struct kt_flow_table kt_flows;

static __always_inline u64 kt_flow_hash4(u64 a, u64 w)
{
	return a * kt_flows.mul[0] + w * kt_flows.mul[2];
}

/* Addresses in a packet are aligned to two bytes at best. */
struct kt_flow_word {
	u64 v;
} __packed;

static __always_inline u64 kt_flow_word(const void *a, unsigned int i)
{
	return ((const struct kt_flow_word *)a)[i].v;
}

/*
 * Both ends' halves are added before they are multiplied: who aims at a chain can
 * only play own addresses against the few of this machine.
 */
static __always_inline u64 kt_flow_hash6(const void *a, u64 w)
{
	return (kt_flow_word(a, 0) + kt_flow_word(a, 2)) * kt_flows.mul[0] +
	       (kt_flow_word(a, 1) + kt_flow_word(a, 3)) * kt_flows.mul[1] + w * kt_flows.mul[2];
}

/* One that is unlinked meanwhile loses its w by a store, and may match or not. */
static __always_inline struct kt_sock_entry *kt_flow_find4(u64 a, u64 w)
{
	struct kt_flow *f;

	hlist_for_each_entry_rcu(f, &kt_flows.buckets[kt_flow_hash4(a, w) >> kt_flows.shift], node)
		if (likely(f->key.a[0] == a && data_race(f->key.w) == w))
			return f->e;
	return NULL;
}

/* key: of a table; a: in a packet. */
static __always_inline bool kt_flow_same6(const u64 *key, const void *a)
{
	return !((key[0] ^ kt_flow_word(a, 0)) | (key[1] ^ kt_flow_word(a, 1)) |
		 (key[2] ^ kt_flow_word(a, 2)) | (key[3] ^ kt_flow_word(a, 3)));
}

/* The same, and the last word of its addresses. */
static __always_inline struct kt_sock_entry *kt_flow_find6(const void *a, u64 w)
{
	struct kt_flow *f;

	hlist_for_each_entry_rcu(f, &kt_flows.buckets[kt_flow_hash6(a, w) >> kt_flows.shift], node)
		if (likely(data_race(f->key.w) == w && data_race(kt_flow_same6(f->key.a, a))))
			return f->e;
	return NULL;
}

int kt_flow_open(unsigned int number);
void kt_flow_close(void);

/* What received packets of a TCP socket carry if nobody rewrites addresses. */
void kt_flow_own_key(const struct sock *sk, u32 ns, struct kt_flow_key *key);

struct kt_sock_entry *kt_flow_find(const struct kt_flow_key *key);
/* Makes key lead to e; at most two per entry, the oldest gives way. */
void kt_flow_add(struct kt_sock_entry *e, const struct kt_flow_key *key);
void kt_flow_unlink(struct kt_sock_entry *e);
/* Worker: unlinked kt_flows may be used again, a grace period having passed. */
bool kt_flow_collect(void);
void kt_flow_recycle(void);

struct kt_flow_numbers {
	u32 used;
	u64 full;
};

void kt_flow_numbers(struct kt_flow_numbers *to);

#endif
