// SPDX-License-Identifier: GPL-2.0-only
/*
 * sock.c - the table of sockets (sock.h): making entries, and the worker's part,
 * which moves bytes left pending by races, unlinks idle entries and recycles
 * them. Packets whose socket is known come here for nothing.
 */
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <net/inet_sock.h>
#include <net/request_sock.h>
#include <net/tcp_states.h>

#include "flow.h"
#include "guess.h"
#include "netdev.h"
#include "owner.h"
#include "packet.h"
#include "ports.h"
#include "sock.h"
#include "socktype.h"

#define SOCK_LOCKS	64	/* power of two, of buckets with the same low bits */
#define SOCK_IDLE	60	/* seconds; TIME_WAIT and SYN-ACK retries last as long */
#define SOCK_IDLE_SHORT	2	/* of what is closed, when room is short: an account waits for it */
#define SOCK_ROUND	10	/* seconds for the worker to visit all entries */

struct kt_sock_table kt_socks __read_mostly;
struct kt_sock_entry kt_sock_overflow;

static raw_spinlock_t locks[SOCK_LOCKS];
static DEFINE_RAW_SPINLOCK(pool_lock);	/* free list, number in use */
static struct kt_sock_entry *table;
static unsigned int number, used, cursor;
static unsigned int reach;	/* no entry from here on was ever taken */
static struct hlist_head free_list;
static struct kt_sock_entry *collected;	/* the worker's; linked through base[0] */
static atomic64_t full, evicted;

int __init kt_sock_open(unsigned int n)
{
	unsigned int bits = ilog2(roundup_pow_of_two(n));
	unsigned int i;

	for (i = 0; i < SOCK_LOCKS; i++)
		raw_spin_lock_init(&locks[i]);
	number = n;
	kt_socks.mask = BIT(bits) - 1;
	kt_socks.now = 1;
	kt_socks.lacked_room = false;
	kt_socks.buckets = vzalloc(sizeof(*kt_socks.buckets) << bits);
	table = vzalloc(array_size(n, sizeof(*table)));
	if (!kt_socks.buckets || !table) {
		kt_sock_close();
		return -ENOMEM;
	}
	for (i = n; i-- > 0; )
		hlist_add_head(&table[i].node, &free_list);
	kt_sock_overflow.acct = kt_acct_full;
	kt_sock_overflow.flags = BIT(SOCK_FLOWN);
	return 0;
}

void kt_sock_close(void)
{
	vfree(table);
	vfree(kt_socks.buckets);
	table = NULL;
	kt_socks.buckets = NULL;
	INIT_HLIST_HEAD(&free_list);
	collected = NULL;
}

raw_spinlock_t *kt_sock_lock(u64 cookie)
{
	return &locks[cookie & (SOCK_LOCKS - 1)];
}

void kt_sock_each(void (*look)(struct kt_sock_entry *e))
{
	unsigned int i;

	for (i = 0; i < READ_ONCE(reach); i++)
		look(&table[i]);
}

/* --- making entries ------------------------------------------------------- */

static struct kt_sock_entry *take_free(void)
{
	struct kt_sock_entry *e = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool_lock, flags);
	if (!hlist_empty(&free_list)) {
		e = hlist_entry(free_list.first, struct kt_sock_entry, node);
		hlist_del_init(&e->node);
		WRITE_ONCE(reach, max_t(unsigned int, reach, e - table + 1));
		WRITE_ONCE(used, used + 1);
	}
	raw_spin_unlock_irqrestore(&pool_lock, flags);
	return e;
}

static void set_full(struct kt_sock_entry *e, const struct sock *sk)
{
	if (kt_sk_is_tcp(sk) || kt_sk_is_udp(sk) || kt_sk_is_icmp(sk))
		e->proto = sk->sk_protocol;
	if (kt_sk_is_udp(sk))
		e->port = inet_sk(sk)->inet_num;
	if (kt_sk_is_kernels(sk))
		e->acct = kt_acct_apart(KTALLY_A_KERNEL, kt_packet_kind_of(e->proto));
	if (kt_sk_is_control(sk))
		set_bit(SOCK_APART, &e->flags);
	else if (!kt_sk_is_tcp(sk) && !kt_sk_is_icmp(sk))
		set_bit(SOCK_FLOWN, &e->flags);
}

/* A request or timewait socket: only what all sockets share may be touched. */
static void set_mini(struct kt_sock_entry *e, struct sock *sk)
{
	const struct sock *listener;

	e->proto = IPPROTO_TCP;
	/* Its process is not known any more, or it would have an entry. */
	if (sk->sk_state != TCP_NEW_SYN_RECV) {
		e->acct = kt_acct_apart(KTALLY_A_UNOWNED, KTALLY_P_TIME_WAIT);
		e->bucket = SOCK_BUCKET_APART;
		set_bit(SOCK_CLOSED, &e->flags);
		set_bit(SOCK_APART, &e->flags);
		return;
	}
	set_bit(SOCK_CHILD, &e->flags);
	set_bit(SOCK_OPENING, &e->flags);
	listener = inet_reqsk(sk)->rsk_listener;
	if (listener)
		e->start = kt_sock_cookie(listener);
}

/* Flags by atomics: a scan that ends clears its own in all entries. */
static void set_up(struct kt_sock_entry *e, struct sock *sk, u64 cookie, u32 segs)
{
	e->seen = READ_ONCE(kt_socks.now);
	e->ns = kt_netdev_ns(sock_net(sk));
	if (sk_fullsock(sk)) {
		kt_owner_set_base(e, sk, segs);
		set_full(e, sk);
	} else {
		set_mini(e, sk);
	}
	/* Last, for the worker looks at what has one; partner: smp_rmb() in is_taken(). */
	smp_wmb();
	WRITE_ONCE(e->cookie, cookie);
}

static u64 cookie_of(struct sock *sk)
{
	u32 half[2];

	sock_diag_save_cookie(sk, half);
	return half[0] | (u64)half[1] << 32;
}

struct kt_sock_entry *kt_sock_get(struct sock *sk, u32 segs)
{
	u64 cookie = cookie_of(sk);
	raw_spinlock_t *lock = kt_sock_lock(cookie);
	struct kt_sock_entry *e;
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	e = kt_sock_find(cookie);
	if (!e) {
		e = take_free();
		if (e) {
			set_up(e, sk, cookie, segs);
			hlist_add_head_rcu(&e->node, kt_sock_bucket(cookie));
		} else {
			atomic64_inc(&full);
			WRITE_ONCE(kt_socks.lacked_room, true);
		}
	}
	raw_spin_unlock_irqrestore(lock, flags);
	return e ?: &kt_sock_overflow;
}

/* The full socket of a request, seen for the first time. */
void kt_sock_opened(struct kt_sock_entry *e, struct sock *sk)
{
	raw_spinlock_t *lock = kt_sock_lock(e->cookie);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	if (test_bit(SOCK_OPENING, &e->flags)) {
		clear_bit(SOCK_OPENING, &e->flags);
		if (kt_sk_is_kernels(sk) && !e->acct)
			WRITE_ONCE(e->acct, kt_acct_apart(KTALLY_A_KERNEL, KTALLY_P_TCP));
	}
	raw_spin_unlock_irqrestore(lock, flags);
}

void kt_sock_set_port(struct kt_sock_entry *e, u16 port)
{
	raw_spinlock_t *lock = kt_sock_lock(e->cookie);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	/* Partner: smp_load_acquire() in entry_of(), udp.c. */
	smp_store_release(&e->port, port);
	raw_spin_unlock_irqrestore(lock, flags);
}

/* --- worker --------------------------------------------------------------- */

static unsigned int count_free(void)
{
	return number - READ_ONCE(used);
}

static bool is_short(void)
{
	return count_free() < number / 8 || kt_acct_is_short();
}

/* Seconds of silence after which an entry goes; 0: never. */
static u32 patience(const struct kt_sock_entry *e)
{
	bool short_of_room = is_short();

	if (test_bit(SOCK_CLOSED, &e->flags) || test_bit(SOCK_OPENING, &e->flags))
		return short_of_room ? SOCK_IDLE_SHORT : SOCK_IDLE;
	if (e->proto == IPPROTO_TCP || (e->proto == IPPROTO_UDP && kt_ports_watched()))
		return count_free() < number / 32 ? SOCK_IDLE / 2 : 0;
	return short_of_room ? SOCK_IDLE / 6 : SOCK_IDLE;
}

static bool is_idle(const struct kt_sock_entry *e)
{
	u32 limit = patience(e);

	return limit && kt_socks.now - READ_ONCE(e->seen) >= limit;
}

static bool has_pending(const struct kt_sock_entry *e)
{
	unsigned int i;

	for (i = 0; i < NET_CELLS; i++)
		if (atomic64_read(&e->pend[i]))
			return true;
	return false;
}

static void unlink_entry(struct kt_sock_entry *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(kt_sock_lock(e->cookie), flags);
	hlist_del_init_rcu(&e->node);
	set_bit(SOCK_GONE, &e->flags);
	raw_spin_unlock_irqrestore(kt_sock_lock(e->cookie), flags);
	if (!test_bit(SOCK_CLOSED, &e->flags) && e->proto == IPPROTO_TCP &&
	    !test_bit(SOCK_OPENING, &e->flags)) {
		atomic64_inc(&evicted);
		WRITE_ONCE(kt_socks.lacked_room, true);
	}
	kt_flow_unlink(e);
	if (e->proto == IPPROTO_UDP)
		kt_ports_forget(e->ns, e->port);
	e->base[0] = (unsigned long)collected;
	collected = e;
}

/* Asked without a lock, while hooks set entries up. */
static bool is_taken(const struct kt_sock_entry *e)
{
	if (!READ_ONCE(e->cookie))
		return false;
	smp_rmb();	/* partner: smp_wmb() in set_up() */
	return !test_bit(SOCK_GONE, &e->flags);
}

static void look_at(struct kt_sock_entry *e)
{
	struct kt_acct *a;

	if (!is_taken(e))
		return;
	a = READ_ONCE(e->acct);
	if (is_idle(e))
		return unlink_entry(e);
	if (a == kt_acct_full)
		kt_owner_let_go(e);
	if (!has_pending(e))
		return;
	if (a)
		kt_owner_settle(e, a);
	else
		kt_guess_ask(e);
}

bool kt_sock_collect(void)
{
	unsigned int all = READ_ONCE(reach), n = all / SOCK_ROUND + !!all;

	if (is_short() || kt_guess_any_open())
		n = all;
	WRITE_ONCE(kt_socks.now, kt_socks.now + 1);
	while (n--) {
		cursor = cursor < all ? cursor : 0;
		look_at(&table[cursor++]);
	}
	return collected;
}

static void give_back(struct kt_sock_entry *e)
{
	unsigned long flags;

	memset(e, 0, sizeof(*e));
	raw_spin_lock_irqsave(&pool_lock, flags);
	hlist_add_head(&e->node, &free_list);
	WRITE_ONCE(used, used - 1);
	raw_spin_unlock_irqrestore(&pool_lock, flags);
}

static struct kt_acct *unowned(const struct kt_sock_entry *e)
{
	return kt_acct_apart(KTALLY_A_UNOWNED, test_bit(SOCK_OPENING, &e->flags) ?
					       KTALLY_P_SYN : kt_packet_kind_of(e->proto));
}

/* After a grace period: no packet can add to a collected entry any more. */
void kt_sock_recycle(void)
{
	struct kt_sock_entry *e;

	while ((e = collected)) {
		collected = (struct kt_sock_entry *)(unsigned long)e->base[0];
		rcu_read_lock();
		kt_owner_settle(e, kt_owner_of(e) ?: unowned(e));
		rcu_read_unlock();
		kt_guess_end(e);
		if (e->acct)
			kt_acct_put(e->acct);
		give_back(e);
	}
}

void kt_sock_pending(u64 *row)
{
	unsigned int i, k;

	for (i = 0; i < READ_ONCE(reach); i++) {
		/* A free one has neither. */
		if (!READ_ONCE(table[i].cookie))
			continue;
		for (k = 0; k < NET_CELLS; k++)
			row[k] += atomic64_read(&table[i].pend[k]);
	}
}

void kt_sock_numbers(struct kt_sock_numbers *to)
{
	to->used = READ_ONCE(used);
	to->full = atomic64_read(&full);
	to->evicted = atomic64_read(&evicted);
	to->learned = kt_owner_learned();
}
