// SPDX-License-Identifier: GPL-2.0-only
/*
 * acct.c - the table of accounts (acct.h). One raw lock guards the buckets, the
 * free list and references from zero; it is held for a few loads and stores, and
 * never on the way of a packet whose socket is known.
 */
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "acct.h"
#include "totals.h"

#define ACCT_APART	(KTALLY_A_KINDS * KTALLY_P_KINDS)
#define ACCT_FIXED	(ACCT_APART + 1)	/* and kt_acct_full */
#define ACCT_ORPHAN_AGE	60	/* seconds between looks for processes whose end was missed */

struct kt_acct *kt_acct_full;
DEFINE_PER_CPU(unsigned long, kt_acct_row_at);

static DEFINE_RAW_SPINLOCK(acct_lock);	/* buckets, free list, number in use */
static struct hlist_head *buckets;
static unsigned int bucket_bits;
static void *table;
static size_t stride;
static unsigned int number, shards;
static unsigned int reach;	/* no account from here on was ever taken */
static struct kt_acct *free_list;
static struct kt_acct *collected;	/* the worker's: unlinked, waiting for a grace period */
static u64 gone[NET_CELLS];		/* what freed accounts had; under acct_lock */
static unsigned int used;
static u64 full, late_written;

static struct kt_acct *acct_at(unsigned int i)
{
	return table + i * stride;
}

static struct hlist_head *bucket_of(u32 tgid)
{
	return &buckets[hash_32(tgid, bucket_bits)];
}

static void build_free_list(void)
{
	unsigned int i;

	for (i = number; i-- > ACCT_FIXED; ) {
		acct_at(i)->next = free_list;
		free_list = acct_at(i);
	}
	kt_acct_full = acct_at(ACCT_APART);
	reach = ACCT_FIXED;
}

struct kt_acct *kt_acct_apart(enum ktally_apart of, enum ktally_packet kind)
{
	return acct_at(of * KTALLY_P_KINDS + kind);
}

int __init kt_acct_open(unsigned int n)
{
	unsigned int cpu;

	number = n + ACCT_FIXED;
	bucket_bits = ilog2(roundup_pow_of_two(number));
	shards = min_t(unsigned int, nr_cpu_ids, ACCT_SHARDS);
	for_each_possible_cpu(cpu)
		per_cpu(kt_acct_row_at, cpu) =
			offsetof(struct kt_acct, shard[cpu % shards]);
	stride = sizeof(struct kt_acct) + shards * sizeof(struct kt_acct_shard);
	table = vzalloc(array_size(number, stride));
	buckets = vzalloc(sizeof(*buckets) << bucket_bits);
	if (!table || !buckets) {
		kt_acct_close();
		return -ENOMEM;
	}
	build_free_list();
	return 0;
}

static void put_pids(void)
{
	unsigned int i;

	for (i = ACCT_FIXED; table && i < reach; i++)
		put_pid(acct_at(i)->pid);
}

void kt_acct_close(void)
{
	put_pids();
	vfree(buckets);
	vfree(table);
	buckets = NULL;
	table = NULL;
	free_list = NULL;
	collected = NULL;
	memset(gone, 0, sizeof(gone));
}

struct kt_acct *kt_acct_find(u32 tgid, u64 start)
{
	struct kt_acct *a;

	hlist_for_each_entry_rcu(a, bucket_of(tgid), node)
		if (a->tgid == tgid && a->start == start)
			return a;
	return NULL;
}

static void wipe(struct kt_acct *a)
{
	memset(a, 0, stride);
}

/* Under acct_lock. */
static struct kt_acct *take_free(struct task_struct *leader)
{
	struct kt_acct *a = free_list;

	if (!a)
		return NULL;
	free_list = a->next;
	WRITE_ONCE(reach, max(reach, kt_acct_place(a) + 1));
	a->next = NULL;
	raw_spin_lock_init(&a->lock);
	WRITE_ONCE(a->tgid, leader->tgid);
	a->start = leader->start_boottime;
	a->pid = get_pid(task_tgid(leader));
	atomic_set(&a->refs, 1);	/* the living process */
	WRITE_ONCE(used, used + 1);
	/* All of it before it has a bucket; partner: smp_rmb() in is_used(). */
	smp_wmb();
	hlist_add_head_rcu(&a->node, bucket_of(a->tgid));
	return a;
}

/* Asked without the lock, while hooks take accounts. */
static bool is_used(const struct kt_acct *a)
{
	if (hlist_unhashed_lockless(&a->node))
		return false;
	smp_rmb();	/* partner: smp_wmb() in take_free() */
	return true;
}

/*
 * A process that ends may use a socket for the first time after its exit
 * record; its account is then born dead, so that a late record tells of it.
 */
static void born_late(struct kt_acct *a)
{
	if (current->tgid != a->tgid || atomic_read(&current->signal->live))
		return;
	rcu_read_lock();
	kt_totals_key(current->group_leader, &a->key);
	rcu_read_unlock();
	smp_mb__before_atomic();	/* key before DEAD: pairs with is_dead() */
	set_bit(ACCT_DEAD, &a->flags);
	atomic_dec(&a->refs);
}

struct kt_acct *kt_acct_get(struct task_struct *leader)
{
	struct kt_acct *a;
	unsigned long flags;

	raw_spin_lock_irqsave(&acct_lock, flags);
	a = kt_acct_find(leader->tgid, leader->start_boottime);
	if (!a) {
		a = take_free(leader);
		if (a)
			born_late(a);
		else
			full++;
	}
	if (a)
		atomic_inc(&a->refs);
	raw_spin_unlock_irqrestore(&acct_lock, flags);
	return a ?: kt_acct_full;
}

static bool is_fixed(const struct kt_acct *a)
{
	return !a->tgid;
}

void kt_acct_put(struct kt_acct *a)
{
	if (!is_fixed(a))
		atomic_dec(&a->refs);
}

static void add_row(u64 *to, struct kt_acct *a, unsigned int cells)
{
	unsigned int i, k;

	for (i = 0; i < shards; i++)
		for (k = 0; k < cells; k++)
			to[k] += atomic64_read(&a->shard[i].v[k]);
}

void kt_acct_apart_rows(u64 row[KTALLY_A_KINDS][KTALLY_P_KINDS][NET_CELLS])
{
	unsigned int i;

	for (i = 0; i < ACCT_APART; i++)
		add_row(row[i / KTALLY_P_KINDS][i % KTALLY_P_KINDS], acct_at(i), NET_CELLS);
}

u64 kt_acct_moves(const struct kt_acct *a)
{
	u64 n = a->start;
	unsigned int i, class;

	for (i = 0; i < shards; i++)
		for (class = 0; class < NET_CLASSES; class++)
			n += atomic64_read(&a->shard[i].v[NET_CELL(class, NET_RX) + NET_PACKETS]) +
			     atomic64_read(&a->shard[i].v[NET_CELL(class, NET_TX) + NET_PACKETS]);
	return n;
}

unsigned int kt_acct_place(const struct kt_acct *a)
{
	return ((const void *)a - table) / stride;
}

unsigned int kt_acct_places(void)
{
	return number;
}

/* One class of a row in the layout of records: wire bytes are a sum there. */
static void lay_class(__u64 *to, const u64 *row, int class)
{
	const u64 *rx = row + NET_CELL(class, NET_RX);
	const u64 *tx = row + NET_CELL(class, NET_TX);

	to[KTALLY_N_RX_PACKETS] = rx[NET_PACKETS];
	to[KTALLY_N_RX_WIRE] = rx[NET_BYTES] + rx[NET_EXTRA];
	to[KTALLY_N_RX_DEVICE] = rx[NET_BYTES];
	to[KTALLY_N_TX_PACKETS] = tx[NET_PACKETS];
	to[KTALLY_N_TX_WIRE] = tx[NET_BYTES] + tx[NET_EXTRA];
	to[KTALLY_N_TX_DEVICE] = tx[NET_BYTES];
}

void kt_acct_sum(struct kt_acct *a, struct kt_net *to)
{
	u64 row[NET_ROW] = {};
	int sockets = atomic_read(&a->refs) - !test_bit(ACCT_DEAD, &a->flags);

	add_row(row, a, NET_ROW);
	lay_class(to->net_phys, row, NET_PHYS);
	lay_class(to->net_loop, row, NET_LOOP);
	lay_class(to->net_virt, row, NET_VIRT);
	to->tcp_rx = row[NET_TCP_RX];
	to->tcp_tx = row[NET_TCP_TX];
	to->udp_rx = row[NET_UDP_RX];
	to->udp_tx = row[NET_UDP_TX];
	to->rx_dropped = row[NET_DROPPED];
	to->net_flags = test_bit(ACCT_SHARED, &a->flags) ? KTALLY_NET_SHARED : 0;
	to->net_sockets = max(sockets, 0);
}

static void subtract(struct kt_net *net, const struct kt_net *less)
{
	u64 *v = net->net_phys;
	const u64 *w = less->net_phys;
	unsigned int i;

	for (i = 0; i < KT_SUM_NETS; i++)
		v[i] -= w[i];
	net->net_flags = 0;
	net->net_sockets = 0;
}

bool kt_acct_since(struct kt_acct *a, struct kt_net *since)
{
	unsigned long flags;
	bool lives;

	raw_spin_lock_irqsave(&a->lock, flags);
	kt_acct_sum(a, since);
	subtract(since, &a->told);
	lives = !test_bit(ACCT_DEAD, &a->flags);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return lives;
}

static void begin_anew(struct kt_acct *a)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	if (!test_bit(ACCT_DEAD, &a->flags))
		kt_acct_sum(a, &a->told);
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

void kt_acct_begin_anew(void)
{
	struct kt_acct *a;
	unsigned int i;

	for (i = ACCT_FIXED; i < READ_ONCE(reach); i++) {
		a = acct_at(i);
		/* Else the worker might make it another process's meanwhile. */
		rcu_read_lock();
		if (is_used(a))
			begin_anew(a);
		rcu_read_unlock();
	}
}

/* Under its lock: what it comes to, and of that what was not told before. */
static void tell(struct kt_acct *a, struct kt_net *to, struct kt_net *since)
{
	kt_acct_sum(a, to);
	*since = *to;
	subtract(since, &a->told);
	a->told = *to;
}

/*
 * The process ends: its exit record takes these sums, later ones go to net_late. Where
 * ends are claimed several threads may be here.
 */
void kt_acct_end(struct kt_acct *a, const struct kt_key *key, struct kt_net *to,
		 struct kt_net *since)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&a->lock, flags);
	tell(a, to, since);
	if (!test_bit(ACCT_DEAD, &a->flags)) {
		a->key = *key;
		smp_mb__before_atomic();	/* key before DEAD: pairs with is_dead() */
		set_bit(ACCT_DEAD, &a->flags);
		atomic_dec(&a->refs);
	}
	raw_spin_unlock_irqrestore(&a->lock, flags);
}

static bool is_dead(const struct kt_acct *a)
{
	if (!test_bit(ACCT_DEAD, &a->flags))
		return false;
	smp_rmb();	/* pairs with kt_acct_end() */
	return true;
}

void kt_acct_totals(struct kt_acct_totals *to)
{
	unsigned long flags;
	unsigned int i;

	memset(to, 0, sizeof(*to));
	add_row(to->full, kt_acct_full, NET_CELLS);
	for (i = ACCT_FIXED; i < READ_ONCE(reach); i++)
		if (READ_ONCE(acct_at(i)->tgid))
			add_row(to->process, acct_at(i), NET_CELLS);
	raw_spin_lock_irqsave(&acct_lock, flags);
	for (i = 0; i < NET_CELLS; i++)
		to->process[i] += gone[i];
	raw_spin_unlock_irqrestore(&acct_lock, flags);
}

/* Sooner than full: an account is free three seconds after its last socket at best. */
bool kt_acct_is_short(void)
{
	return READ_ONCE(used) > (number - ACCT_FIXED) / 2;
}

/* Worker or walk, one at a time. */
void kt_acct_numbers(struct kt_acct_numbers *to)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&acct_lock, flags);
	to->used = used;
	to->full = full;
	raw_spin_unlock_irqrestore(&acct_lock, flags);
	to->late = late_written;
}

/* --- worker --------------------------------------------------------------- */

static bool still_lives(const struct kt_acct *a)
{
	struct task_struct *p;
	bool lives;

	rcu_read_lock();
	p = pid_task(find_pid_ns(a->tgid, &init_pid_ns), PIDTYPE_TGID);
	lives = p && p->start_boottime == a->start;
	rcu_read_unlock();
	return lives;
}

/* An end that no hook saw (kprobe missed) would keep the account for ever. */
static void find_missed_end(struct kt_acct *a, u32 now)
{
	const struct kt_key unknown = {};
	struct kt_net sum, since;

	if ((now + a->tgid) % ACCT_ORPHAN_AGE || still_lives(a))
		return;
	kt_acct_end(a, &unknown, &sum, &since);
	/* It is dead and nobody's any more but the worker's. */
	memset(&a->told, 0, sizeof(a->told));
}

/* net_sockets only tells how many may still talk; it is no news by itself. */
static bool has_news(struct kt_acct *a, struct kt_net *sum)
{
	kt_acct_sum(a, sum);
	sum->net_sockets = a->told.net_sockets;
	return memcmp(sum, &a->told, sizeof(*sum)) != 0;
}

static bool take_news(struct kt_acct *a, struct kt_net *sum, struct kt_net *since)
{
	unsigned long flags;
	bool any;

	raw_spin_lock_irqsave(&a->lock, flags);
	any = has_news(a, sum) || a->owed;
	if (any)
		tell(a, sum, since);
	raw_spin_unlock_irqrestore(&a->lock, flags);
	return any;
}

static bool tell_news(struct kt_acct *a, kt_acct_late_t *late)
{
	struct kt_net sum, since;

	if (!take_news(a, &sum, &since))
		return true;
	kt_totals_late(&a->key, &since);
	a->owed = !late(a, &sum);
	late_written += !a->owed;
	return !a->owed;
}

static bool unlink_unused(struct kt_acct *a)
{
	unsigned long flags;
	bool unused;

	raw_spin_lock_irqsave(&acct_lock, flags);
	unused = !atomic_read(&a->refs);
	if (unused)
		hlist_del_init_rcu(&a->node);
	raw_spin_unlock_irqrestore(&acct_lock, flags);
	return unused;
}

static void look_at(struct kt_acct *a, u32 now, kt_acct_late_t *late)
{
	if (!is_dead(a))
		return find_missed_end(a, now);
	if (!a->dead_at)
		a->dead_at = now;
	/* One second's worth of news makes one record. */
	if (a->dead_at == now || !tell_news(a, late) || !unlink_unused(a))
		return;
	a->next = collected;
	collected = a;
}

void kt_acct_tell(kt_acct_late_t *late)
{
	unsigned int i;

	for (i = ACCT_FIXED; i < READ_ONCE(reach); i++)
		if (is_used(acct_at(i)) && is_dead(acct_at(i)))
			tell_news(acct_at(i), late);
}

bool kt_acct_collect(u32 now, kt_acct_late_t *late)
{
	unsigned int i;

	for (i = ACCT_FIXED; i < READ_ONCE(reach); i++)
		if (is_used(acct_at(i)))
			look_at(acct_at(i), now, late);
	return collected;
}

static void give_back(struct kt_acct *a)
{
	unsigned long flags;
	u64 row[NET_CELLS] = {};
	unsigned int k;

	add_row(row, a, NET_CELLS);
	put_pid(a->pid);
	raw_spin_lock_irqsave(&acct_lock, flags);
	for (k = 0; k < NET_CELLS; k++)
		gone[k] += row[k];
	wipe(a);
	a->next = free_list;
	free_list = a;
	WRITE_ONCE(used, used - 1);
	raw_spin_unlock_irqrestore(&acct_lock, flags);
}

static void relink(struct kt_acct *a)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&acct_lock, flags);
	hlist_add_head_rcu(&a->node, bucket_of(a->tgid));
	raw_spin_unlock_irqrestore(&acct_lock, flags);
}

/* After a grace period: no packet can hold a collected account any more. */
void kt_acct_recycle(kt_acct_late_t *late)
{
	struct kt_acct *a, *next;

	for (a = collected, collected = NULL; a; a = next) {
		next = a->next;
		if (tell_news(a, late))
			give_back(a);
		else
			relink(a);
	}
}
