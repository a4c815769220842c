/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netdev.h - HOT: devices: their class, whether packets on them are credited to
 * sockets, and what the hooks saw on them. Slots are taken and given back by the
 * netdevice notifier and the worker; packets find theirs by pointer under RCU.
 */
#ifndef KTALLY_NETDEV_H
#define KTALLY_NETDEV_H

#include <linux/ktally.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>

#include "acct.h"

/* What one CPU saw: each packet in exactly one bucket. */
struct kt_netdev_cells {
	u64 v[NET_DIRS][KTALLY_B_KINDS][NET_KINDS];
	u64 segments[NET_DIRS];	/* packets beyond one per skb */
	u64 refused;		/* wire bytes that the driver gave back */
};

struct kt_netdev_slot {
	const struct net_device *dev;
	struct kt_netdev_slot *next;	/* in its bucket */
	struct net *credit;	/* sockets of this namespace are credited here; NULL: none */
	struct kt_netdev_cells __percpu *cells;
	u32 at;			/* NET_CELL(class, 0) */
	u32 udp_mask;		/* 0: payload that is told by arrival is told by the bridge above */
	u64 tcp_w;		/* a flow's w without its ports, by namespace */
	u64 udp_w;		/* an answer's, by device */
	u32 key;		/* unique number of this use of the slot */
	/* what follows is not for every packet */
	struct net *net;
	u32 ns;			/* number of its namespace */
	u8 class;
	u8 state;
	bool rx_seen;
	int dif, sdif;		/* as socket lookups expect them */
	u32 netns;		/* inode number */
	int ifindex;
	char name[IFNAMSIZ];
	u64 since[4];		/* the device's own counters when the hooks began */
	u64 last[4];		/* and when they were last read */
} ____cacheline_aligned __aligned(64);	/* sent.c keeps a bucket below its address */

enum { NETDEV_SLOT_FREE, NETDEV_SLOT_LIVE, NETDEV_SLOT_RETIRED, NETDEV_SLOT_COLLECTED };

#define NETDEV_BUCKETS	256
extern struct kt_netdev_slot *kt_netdev_buckets[NETDEV_BUCKETS];

/* Devices are at least half a page big, and most begin a page. */
static __always_inline u8 kt_netdev_hash(const struct net_device *dev)
{
	return (unsigned long)dev >> 12;
}

static __always_inline struct kt_netdev_slot *kt_netdev_slot(const struct net_device *dev)
{
	struct kt_netdev_slot *d = READ_ONCE(kt_netdev_buckets[kt_netdev_hash(dev)]);

	while (d && unlikely(d->dev != dev))
		d = READ_ONCE(d->next);
	return d;
}

/* One skb: its packets, bytes, and what further segments' headers add to them. */
static __always_inline void kt_netdev_count(const struct kt_netdev_slot *d, int dir, int bucket,
					    u32 packets, u32 bytes, u32 extra)
{
	struct kt_netdev_cells __percpu *c = d->cells;

	this_cpu_add(c->v[dir][bucket][NET_PACKETS], packets);
	this_cpu_add(c->v[dir][bucket][NET_BYTES], bytes);
	if (__builtin_constant_p(extra) && !extra)
		return;
	this_cpu_add(c->v[dir][bucket][NET_EXTRA], extra);
}

/* An skb of several packets: devices count it once. */
static __always_inline void kt_netdev_segments(const struct kt_netdev_slot *d, int dir, u32 packets)
{
	this_cpu_add(d->cells->segments[dir], packets - 1);
}

/* Moves a counted packet to another bucket. */
void kt_netdev_move(const struct kt_netdev_slot *d, int dir, int from, int to,
		    u32 packets, u32 bytes, u32 extra);
/* Takes back a packet that the driver refused. */
void kt_netdev_uncount(const struct kt_netdev_slot *d, int bucket, u32 packets, u32 bytes,
		       u32 extra);

int kt_netdev_open(unsigned int number);
void kt_netdev_begin(void);
void kt_netdev_close(void);

/* Number of a namespace, unique since load; 0: it is being made. */
u32 kt_netdev_ns(const struct net *net);

/* Device records: calls show() for each; process context. */
typedef int (kt_netdev_show_t)(const struct ktally_device *rec, void *ctx);
int kt_netdev_walk(kt_netdev_show_t *show, void *ctx);
/* Bytes of sockets by class and direction, of devices that went as well. */
void kt_netdev_socket_totals(u64 row[NET_CELLS]);

bool kt_netdev_collect(void);
void kt_netdev_recycle(kt_netdev_show_t *show, void *ctx);

struct kt_netdev_numbers {
	u32 used;
	u64 full;
};

void kt_netdev_numbers(struct kt_netdev_numbers *to);

#endif
