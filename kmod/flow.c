// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow.c - the table of kt_flows (flow.h). Everything that changes it takes one
 * raw lock for a few stores: once per connection, never per packet.
 */
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "flow.h"
#include "sock.h"

struct kt_flow_table kt_flows __read_mostly;

static DEFINE_RAW_SPINLOCK(flow_lock);	/* everything below, buckets, e->flow[] */
static struct kt_flow *table;
static struct hlist_head free_list;
static struct kt_flow *unlinked;		/* readers may still stand on them */
static struct kt_flow *waiting;		/* the worker's: a grace period will free them */
static unsigned int used;
static u64 full;

int __init kt_flow_open(unsigned int number)
{
	unsigned int bits = ilog2(roundup_pow_of_two(number));
	unsigned int i;

	get_random_bytes(kt_flows.mul, sizeof(kt_flows.mul));
	for (i = 0; i < ARRAY_SIZE(kt_flows.mul); i++)
		kt_flows.mul[i] |= 1;
	kt_flows.shift = 64 - bits;
	kt_flows.buckets = vzalloc(sizeof(*kt_flows.buckets) << bits);
	table = vzalloc(array_size(number, sizeof(*table)));
	if (!kt_flows.buckets || !table) {
		kt_flow_close();
		return -ENOMEM;
	}
	for (i = number; i-- > 0; )
		hlist_add_head(&table[i].node, &free_list);
	return 0;
}

void kt_flow_close(void)
{
	vfree(table);
	vfree(kt_flows.buckets);
	table = NULL;
	kt_flows.buckets = NULL;
	INIT_HLIST_HEAD(&free_list);
	unlinked = NULL;
	waiting = NULL;
}

static u64 hash_of(const struct kt_flow_key *key)
{
	if (kt_flow_is_v6(key))
		return kt_flow_hash6(key->a, key->w);
	return kt_flow_hash4(key->a[0], key->w);
}

struct kt_sock_entry *kt_flow_find(const struct kt_flow_key *key)
{
	if (kt_flow_is_v6(key))
		return kt_flow_find6(key->a, key->w);
	return kt_flow_find4(key->a[0], key->w);
}

/*
 * A reader may stand on an unlinked flow and go on from it, or have matched it
 * and be about to take its entry: only the key is free to hold the next one.
 */
static void set_next(struct kt_flow *f, struct kt_flow *next)
{
	WRITE_ONCE(f->key.w, 0);	/* matches nothing */
	WRITE_ONCE(f->key.a[3], (unsigned long)next);
}

static struct kt_flow *next_of(const struct kt_flow *f)
{
	return (struct kt_flow *)(unsigned long)f->key.a[3];
}

/* Under flow_lock. */
static void unlink_one(struct kt_flow **slot)
{
	struct kt_flow *f = *slot;

	if (!f)
		return;
	*slot = NULL;
	hlist_del_rcu(&f->node);
	set_next(f, unlinked);
	unlinked = f;
}

/*
 * Only what request sockets have as well is read. Who walks files has not locked the
 * socket: the key of one that connects just now may be nobody's.
 */
void __no_kcsan kt_flow_own_key(const struct sock *sk, u32 ns, struct kt_flow_key *key)
{
	__be16 port[2] = { sk->sk_dport, htons(sk->sk_num) };
	__be32 *a4 = (__be32 *)key->a;
	u32 meta = FLOW_META(ns, IPPROTO_TCP);
	u32 ports;

	memcpy(&ports, port, sizeof(ports));
	memset(key, 0, sizeof(*key));
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr)) {
		memcpy(key->a, &sk->sk_v6_daddr, 16);
		memcpy(key->a + 2, &sk->sk_v6_rcv_saddr, 16);
		key->w = FLOW_W(meta | FLOW_V6, ports);
		return;
	}
#endif
	a4[0] = sk->sk_daddr;
	a4[1] = sk->sk_rcv_saddr;
	key->w = FLOW_W(meta, ports);
}

static bool has_key(const struct kt_flow *f, const struct kt_flow_key *key)
{
	return f && f->key.w == key->w && kt_flow_same6(f->key.a, key->a);
}

void kt_flow_add(struct kt_sock_entry *e, const struct kt_flow_key *key)
{
	unsigned long flags;
	struct kt_flow *f;

	raw_spin_lock_irqsave(&flow_lock, flags);
	/* Set before its flows are unlinked: one put in now would outlive it. */
	if (test_bit(SOCK_GONE, &e->flags))
		goto out;
	if (has_key(e->flow[0], key) || has_key(e->flow[1], key))
		goto out;
	if (hlist_empty(&free_list)) {
		full++;
		WRITE_ONCE(kt_socks.lacked_room, true);
		goto out;
	}
	unlink_one(&e->flow[1]);
	e->flow[1] = e->flow[0];
	f = hlist_entry(free_list.first, struct kt_flow, node);
	hlist_del(&f->node);
	used++;
	f->key = *key;
	f->e = e;
	e->flow[0] = f;
	hlist_add_head_rcu(&f->node, &kt_flows.buckets[hash_of(key) >> kt_flows.shift]);
out:
	raw_spin_unlock_irqrestore(&flow_lock, flags);
}

void kt_flow_unlink(struct kt_sock_entry *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&flow_lock, flags);
	unlink_one(&e->flow[0]);
	unlink_one(&e->flow[1]);
	raw_spin_unlock_irqrestore(&flow_lock, flags);
}

void kt_flow_numbers(struct kt_flow_numbers *to)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&flow_lock, flags);
	to->used = used;
	to->full = full;
	raw_spin_unlock_irqrestore(&flow_lock, flags);
}

bool kt_flow_collect(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&flow_lock, flags);
	waiting = unlinked;
	unlinked = NULL;
	raw_spin_unlock_irqrestore(&flow_lock, flags);
	return waiting;
}

void kt_flow_recycle(void)
{
	unsigned long flags;
	struct kt_flow *f;

	while ((f = waiting)) {
		waiting = next_of(f);
		raw_spin_lock_irqsave(&flow_lock, flags);
		hlist_add_head(&f->node, &free_list);
		used--;
		raw_spin_unlock_irqrestore(&flow_lock, flags);
	}
}
