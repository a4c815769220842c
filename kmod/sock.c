// SPDX-License-Identifier: GPL-2.0-only
/*
 * sock.c - the table of sockets (sock.h): making entries, learning owners,
 * folding the sockets' own counters, and the worker's part, which moves bytes
 * left pending by races, unlinks idle entries and recycles them. Packets whose
 * socket is known and owned never come here.
 */
#include <linux/log2.h>
#include <linux/pid_namespace.h>
#include <linux/spinlock.h>
#include <linux/tcp.h>
#include <linux/vmalloc.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/request_sock.h>
#include <net/tcp_states.h>

#include "compat_net.h"
#include "flow.h"
#include "netdev.h"
#include "sock.h"
#include "udp.h"

#define SOCK_LOCKS	64	/* power of two, of buckets with the same low bits */
#define SOCK_TRIES_MAX	3
#define SOCK_IDLE	60	/* seconds; TIME_WAIT and SYN-ACK retries last as long */
#define SOCK_ROUND	10	/* seconds for the worker to visit all entries */

struct kt_sock_table kt_socks __read_mostly;
struct kt_sock_entry kt_sock_overflow;

/* A bucket, and owner, base, flags of the entries in it. */
static raw_spinlock_t locks[SOCK_LOCKS];
static DEFINE_RAW_SPINLOCK(pool_lock);	/* free list, number in use */
static struct kt_sock_entry *table;
static unsigned int number, used, cursor;
static struct hlist_head free_list;
static struct kt_sock_entry *collected;	/* the worker's; linked through base[0] */
static atomic64_t full, evicted, learned;
static atomic_t guesses, open_guesses;	/* entries by guess; of them without an owner */
static bool scan_wanted;

int kt_sock_open(unsigned int n)
{
	unsigned int bits = ilog2(roundup_pow_of_two(n));
	unsigned int i;

	for (i = 0; i < SOCK_LOCKS; i++)
		raw_spin_lock_init(&locks[i]);
	number = n;
	kt_socks.mask = BIT(bits) - 1;
	kt_socks.now = 1;
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

static raw_spinlock_t *lock_of(u64 cookie)
{
	return &locks[cookie & (SOCK_LOCKS - 1)];
}

static bool is_inet(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6;
}

/* Not the kernel's raw control sockets, which have the protocol as well. */
static bool is_tcp(const struct sock *sk)
{
	return is_inet(sk) && sk->sk_protocol == IPPROTO_TCP && sk->sk_type == SOCK_STREAM;
}

static bool is_udp(const struct sock *sk)
{
	return is_inet(sk) && sk->sk_protocol == IPPROTO_UDP && sk->sk_type == SOCK_DGRAM;
}

static bool is_icmp(const struct sock *sk)
{
	return is_inet(sk) &&
	       (sk->sk_protocol == IPPROTO_ICMP || sk->sk_protocol == IPPROTO_ICMPV6);
}

/* A socket of the kernel's own; not those it makes inside a process's MPTCP. */
static bool is_kernels(const struct sock *sk)
{
	return sk->sk_kern_sock && !kt_sk_is_subflow(sk);
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
		used++;
	}
	raw_spin_unlock_irqrestore(&pool_lock, flags);
	return e;
}

struct own_counters {
	u64 rx, tx;
};

static struct own_counters own_counters(const struct sock *sk)
{
	struct own_counters c = {};

	if (is_tcp(sk)) {
		const struct tcp_sock *tp = tcp_sk(sk);

		/* A FIN takes a number too, and is counted as a byte. */
		c.rx = tp->bytes_received - sock_flag(sk, SOCK_DONE);
		c.tx = tp->bytes_sent - tp->bytes_retrans;
	} else if (is_udp(sk)) {
		c.rx = kt_sk_drops(sk);
	}
	return c;
}

/*
 * Which of the socket's own counts are new to us? All, when this is its first
 * packet ever; otherwise it is older than the module or was evicted, and what
 * it counted so far is not ours to tell.
 */
static void set_base(struct kt_sock_entry *e, const struct sock *sk, u32 segs)
{
	struct own_counters c = own_counters(sk);

	if (is_tcp(sk) && tcp_sk(sk)->segs_out <= segs)
		return;
	e->base[0] = c.rx;
	e->base[1] = c.tx;
}

static void set_full(struct kt_sock_entry *e, const struct sock *sk)
{
	if (is_tcp(sk) || is_udp(sk) || is_icmp(sk))
		e->proto = sk->sk_protocol;
	if (is_udp(sk))
		e->port = inet_sk(sk)->inet_num;
	if (is_kernels(sk))
		e->acct = kt_acct_kernel;
	if (!is_tcp(sk) && !is_icmp(sk))
		__set_bit(SOCK_FLOWN, &e->flags);
}

/* A request or timewait socket: only what all sockets share may be touched. */
static void set_mini(struct kt_sock_entry *e, struct sock *sk)
{
	const struct sock *listener;

	e->proto = IPPROTO_TCP;
	if (sk->sk_state != TCP_NEW_SYN_RECV) {
		__set_bit(SOCK_CLOSED, &e->flags);
		return;
	}
	__set_bit(SOCK_CHILD, &e->flags);
	__set_bit(SOCK_OPENING, &e->flags);
	listener = inet_reqsk(sk)->rsk_listener;
	if (listener)
		e->start = kt_sock_cookie(listener);
}

static void set_up(struct kt_sock_entry *e, struct sock *sk, u64 cookie, u32 segs)
{
	e->cookie = cookie;
	e->seen = kt_socks.now;
	e->ns = kt_netdev_ns(sock_net(sk));
	if (!sk_fullsock(sk))
		return set_mini(e, sk);
	set_base(e, sk, segs);
	set_full(e, sk);
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
	raw_spinlock_t *lock = lock_of(cookie);
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
		}
	}
	raw_spin_unlock_irqrestore(lock, flags);
	return e ?: &kt_sock_overflow;
}

/* The full socket of a request, seen for the first time. */
void kt_sock_opened(struct kt_sock_entry *e, struct sock *sk)
{
	raw_spinlock_t *lock = lock_of(e->cookie);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	if (test_bit(SOCK_OPENING, &e->flags)) {
		clear_bit(SOCK_OPENING, &e->flags);
		if (is_kernels(sk) && !e->acct)
			WRITE_ONCE(e->acct, kt_acct_kernel);
	}
	raw_spin_unlock_irqrestore(lock, flags);
}

/* --- owners --------------------------------------------------------------- */

static void settle(struct kt_sock_entry *e, struct kt_acct *a)
{
	atomic64_t *row = kt_acct_row(a);
	unsigned int i;
	s64 v;

	for (i = 0; i < NET_CELLS; i++) {
		if (!atomic64_read(&e->pend[i]))
			continue;
		v = atomic64_xchg(&e->pend[i], 0);
		atomic64_add(v, &row[i]);
	}
}

/* Under the entry's lock. */
static void fold(struct kt_sock_entry *e, const struct sock *sk, struct kt_acct *a)
{
	struct own_counters c = own_counters(sk);
	atomic64_t *row = kt_acct_row(a);

	if (is_tcp(sk)) {
		/* Disconnected by the kernel or the process: it counts anew. */
		if (!c.rx && !c.tx)
			memset(e->base, 0, sizeof(e->base));
		atomic64_add(c.rx - e->base[0], &row[NET_TCP_RX]);
		atomic64_add(c.tx - e->base[1], &row[NET_TCP_TX]);
	} else {
		atomic64_add((u32)(c.rx - e->base[0]), &row[NET_DROPPED]);
	}
	e->base[0] = c.rx;
	e->base[1] = c.tx;
}

static bool is_process(const struct kt_acct *a)
{
	return a && a->tgid;
}

/* Under the entry's lock, as all that changes a guess. */
static void begin_guess(struct kt_sock_entry *e)
{
	if (test_and_set_bit(SOCK_GUESSED, &e->flags))
		return;
	atomic_inc(&guesses);
	if (!e->acct)
		atomic_inc(&open_guesses);
}

static void end_guess(struct kt_sock_entry *e)
{
	if (!test_and_clear_bit(SOCK_GUESSED, &e->flags))
		return;
	atomic_dec(&guesses);
	if (!e->acct)
		atomic_dec(&open_guesses);
}

/* Under the entry's lock: a takes over; returns whose reference to let go. */
static struct kt_acct *hand_over(struct kt_sock_entry *e, const struct sock *sk,
				 struct kt_acct *a, const struct task_struct *leader)
{
	struct kt_acct *old = e->acct;

	if (old && old != a)
		fold(e, sk, old);
	if (is_process(old) && old != a) {
		set_bit(ACCT_SHARED, &old->flags);
		set_bit(ACCT_SHARED, &a->flags);
	}
	end_guess(e);
	e->tgid = leader->tgid;
	e->start = leader->start_boottime;
	clear_bit(SOCK_OPENING, &e->flags);
	/* Partner: READ_ONCE() in kt_sock_row(), which adds through the address it read. */
	smp_store_release(&e->acct, a);
	return old;
}

/* By use, or only because it is the one holder. */
static void own(struct kt_sock_entry *e, const struct sock *sk, struct task_struct *leader,
		bool guess)
{
	struct kt_acct *a = kt_acct_get(leader), *old;
	unsigned long flags;

	raw_spin_lock_irqsave(lock_of(e->cookie), flags);
	/* Without sk it is for who has no owner: meanwhile somebody may have used it. */
	if (test_bit(SOCK_GONE, &e->flags) || (!sk && e->acct)) {
		raw_spin_unlock_irqrestore(lock_of(e->cookie), flags);
		return kt_acct_put(a);
	}
	old = hand_over(e, sk, a, leader);
	if (guess)
		begin_guess(e);
	raw_spin_unlock_irqrestore(lock_of(e->cookie), flags);
	if (old)
		kt_acct_put(old);
	settle(e, a);
	atomic64_inc(&learned);
}

static void use(struct sock *sk, struct task_struct *leader)
{
	struct kt_sock_entry *e = kt_sock_get(sk, 0);

	if (e != &kt_sock_overflow)
		own(e, sk, leader, false);
}

/*
 * Who sends in process context with the socket in hand is its user. The socket
 * lock tells that for TCP: a VPN daemon that writes to tun also transmits other
 * people's acknowledgements, but does not own their sockets. A task that is
 * ending sends what its files still hold and takes nothing from anybody.
 */
void kt_sock_learn(struct sock *sk)
{
	const struct kt_sock_entry *e;

	if (current->flags & PF_KTHREAD || !sk_fullsock(sk) || is_kernels(sk))
		return;
	if (is_tcp(sk) && !sk->sk_lock.owned)
		return;
	if (current->flags & PF_EXITING) {
		e = kt_sock_find(kt_sock_cookie(sk));
		if (e && e->acct)
			return;
	}
	use(sk, current->group_leader);
}

/* A child that nobody accepted belongs to who listened. */
static struct kt_acct *owner_of(const struct kt_sock_entry *e)
{
	struct kt_acct *a = READ_ONCE(e->acct);
	const struct kt_sock_entry *listener;

	if (a || !test_bit(SOCK_CHILD, &e->flags))
		return a;
	listener = kt_sock_find(e->start);
	return listener ? READ_ONCE(listener->acct) : NULL;
}

void kt_sock_fold(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));
	struct kt_acct *a;
	unsigned long flags;

	if (!e || !sk_fullsock(sk) || !(is_tcp(sk) || is_udp(sk)))
		return;
	raw_spin_lock_irqsave(lock_of(e->cookie), flags);
	a = owner_of(e);
	if (a && !test_bit(SOCK_GONE, &e->flags))
		fold(e, sk, a);
	raw_spin_unlock_irqrestore(lock_of(e->cookie), flags);
}

static void close_entry(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));

	if (!e)
		return;
	kt_sock_fold(sk);
	set_bit(SOCK_CLOSED, &e->flags);
	kt_sock_touch(e);
}

/* The same socket connects, perhaps once more: its counters begin again. */
static void reopen(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));
	unsigned long flags;

	if (!e)
		return;
	raw_spin_lock_irqsave(lock_of(e->cookie), flags);
	e->base[0] = 0;
	e->base[1] = 0;
	clear_bit(SOCK_CLOSED, &e->flags);
	clear_bit(SOCK_FLOWN, &e->flags);
	raw_spin_unlock_irqrestore(lock_of(e->cookie), flags);
}

void kt_sock_state(struct sock *sk, int newstate)
{
	const struct kt_sock_entry *e;

	switch (newstate) {
	case TCP_CLOSE:
		return close_entry(sk);
	case TCP_SYN_SENT:
		reopen(sk);
		fallthrough;
	case TCP_LISTEN:
		if (in_task())
			kt_sock_learn(sk);
		return;
	default:
		e = kt_sock_find(kt_sock_cookie(sk));
		if (in_task() && (!e || !e->acct))
			kt_sock_learn(sk);
	}
}

/* Who closes it last is its owner, if nobody has used it. */
void kt_sock_unbound(struct sock *sk)
{
	const struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));

	if (e && !e->acct && in_task())
		kt_sock_learn(sk);
	close_entry(sk);
}

/* --- scans ---------------------------------------------------------------- */

/* Only what request sockets have as well is read. */
void kt_sock_own_key(const struct sock *sk, u32 ns, struct kt_flow_key *key)
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

static bool is_connected(const struct sock *sk)
{
	return is_tcp(sk) && sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN;
}

static bool is_owned(const struct kt_sock_entry *e, const struct task_struct *leader)
{
	return e->acct && e->tgid == leader->tgid && e->start == leader->start_boottime;
}

static void guess(struct kt_sock_entry *e)
{
	unsigned long flags;

	raw_spin_lock_irqsave(lock_of(e->cookie), flags);
	if (!e->acct && !test_bit(SOCK_GONE, &e->flags))
		begin_guess(e);
	raw_spin_unlock_irqrestore(lock_of(e->cookie), flags);
}

void kt_sock_bound(struct sock *sk)
{
	struct kt_sock_entry *e;

	if (current->flags & PF_KTHREAD || is_kernels(sk))
		return;
	e = kt_sock_get(sk, 0);
	if (e != &kt_sock_overflow)
		guess(e);
}

void kt_sock_last_holder(struct sock *sk)
{
	struct kt_sock_entry *e = kt_sock_find(kt_sock_cookie(sk));

	if (e && test_bit(SOCK_GUESSED, &e->flags) && !is_owned(e, current->group_leader))
		own(e, sk, current->group_leader, true);
}

bool kt_sock_has_guesses(void)
{
	return atomic_read(&guesses);
}

/*
 * Only the one scan at a time writes the candidate, its start inverted: a
 * candidate is no owner and must not be taken for one by kt_sock_is_mine().
 */
static void add_candidate(struct kt_sock_entry *e, const struct task_struct *leader)
{
	if (!test_and_set_bit(SOCK_SEEN, &e->flags)) {
		clear_bit(SOCK_SHARED, &e->flags);
		e->tgid = leader->tgid;
		e->start = ~leader->start_boottime;
	} else if (e->tgid != leader->tgid || e->start != ~leader->start_boottime) {
		set_bit(SOCK_SHARED, &e->flags);
	}
}

void kt_sock_found(struct sock *sk, struct task_struct *leader)
{
	struct kt_sock_entry *e;
	struct kt_flow_key key;

	if (!sk_fullsock(sk) || is_kernels(sk) || !(is_inet(sk) || sk->sk_family == AF_PACKET))
		return;
	e = kt_sock_get(sk, 0);
	if (e == &kt_sock_overflow)
		return;
	if (is_connected(sk)) {
		kt_sock_own_key(sk, e->ns, &key);
		kt_flow_add(e, &key);
	}
	guess(e);
	if (test_bit(SOCK_GUESSED, &e->flags) && !e->acct)
		add_candidate(e, leader);
}

/* Under RCU. */
static struct task_struct *candidate(const struct kt_sock_entry *e)
{
	struct task_struct *p = pid_task(find_pid_ns(e->tgid, &init_pid_ns), PIDTYPE_TGID);

	return p && p->start_boottime == ~e->start ? p : NULL;
}

static void decide(struct kt_sock_entry *e)
{
	struct task_struct *p = candidate(e);

	if (!e->acct && p && !test_bit(SOCK_SHARED, &e->flags))
		own(e, NULL, p, true);
}

void kt_sock_scanned(void)
{
	unsigned int i;

	for (i = 0; i < number; i++) {
		if (!test_and_clear_bit(SOCK_SEEN, &table[i].flags))
			continue;
		rcu_read_lock();
		decide(&table[i]);
		rcu_read_unlock();
	}
}

/* --- worker --------------------------------------------------------------- */

static unsigned int count_free(void)
{
	return number - READ_ONCE(used);
}

static bool is_short(void)
{
	return count_free() < number / 8;
}

/* Seconds of silence after which an entry goes; 0: never. */
static u32 patience(const struct kt_sock_entry *e)
{
	bool short_of_room = is_short();

	if (test_bit(SOCK_CLOSED, &e->flags) || test_bit(SOCK_OPENING, &e->flags))
		return short_of_room ? 5 : SOCK_IDLE;
	if (e->proto == IPPROTO_TCP || (e->proto == IPPROTO_UDP && kt_udp_watches_ports()))
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

	raw_spin_lock_irqsave(lock_of(e->cookie), flags);
	hlist_del_init_rcu(&e->node);
	set_bit(SOCK_GONE, &e->flags);
	raw_spin_unlock_irqrestore(lock_of(e->cookie), flags);
	if (!test_bit(SOCK_CLOSED, &e->flags) && e->proto == IPPROTO_TCP &&
	    !test_bit(SOCK_OPENING, &e->flags))
		atomic64_inc(&evicted);
	kt_flow_unlink(e);
	if (e->proto == IPPROTO_UDP)
		kt_udp_forget(e->ns, e->port);
	e->base[0] = (unsigned long)collected;
	collected = e;
}

static void ask_for_scan(struct kt_sock_entry *e)
{
	unsigned long tries = e->flags >> SOCK_TRIES;

	if (test_bit(SOCK_CHILD, &e->flags) || tries >= SOCK_TRIES_MAX)
		return;
	set_mask_bits(&e->flags, ~0UL << SOCK_TRIES, (tries + 1) << SOCK_TRIES);
	scan_wanted = true;
}

static void look_at(struct kt_sock_entry *e)
{
	struct kt_acct *a = READ_ONCE(e->acct);

	if (!READ_ONCE(e->cookie) || test_bit(SOCK_GONE, &e->flags))
		return;
	if (is_idle(e))
		return unlink_entry(e);
	if (!has_pending(e))
		return;
	if (a)
		settle(e, a);
	else
		ask_for_scan(e);
}

bool kt_sock_collect(void)
{
	unsigned int n = number / SOCK_ROUND + 1;

	if (is_short() || atomic_read(&open_guesses))
		n = number;
	WRITE_ONCE(kt_socks.now, kt_socks.now + 1);
	while (n--) {
		look_at(&table[cursor]);
		cursor = (cursor + 1) % number;
	}
	return collected;
}

static void give_back(struct kt_sock_entry *e)
{
	unsigned long flags;

	memset(e, 0, sizeof(*e));
	raw_spin_lock_irqsave(&pool_lock, flags);
	hlist_add_head(&e->node, &free_list);
	used--;
	raw_spin_unlock_irqrestore(&pool_lock, flags);
}

/* After a grace period: no packet can add to a collected entry any more. */
void kt_sock_recycle(void)
{
	struct kt_sock_entry *e;

	while ((e = collected)) {
		collected = (struct kt_sock_entry *)(unsigned long)e->base[0];
		rcu_read_lock();
		settle(e, owner_of(e) ?: kt_acct_unowned);
		rcu_read_unlock();
		end_guess(e);
		if (e->acct)
			kt_acct_put(e->acct);
		give_back(e);
	}
}

bool kt_sock_wants_scan(void)
{
	bool wanted = scan_wanted;

	scan_wanted = false;
	return wanted;
}

void kt_sock_pending(u64 *row)
{
	unsigned int i, k;

	for (i = 0; i < number; i++)
		for (k = 0; k < NET_CELLS; k++)
			row[k] += atomic64_read(&table[i].pend[k]);
}

void kt_sock_numbers(struct kt_sock_numbers *to)
{
	to->used = READ_ONCE(used);
	to->full = atomic64_read(&full);
	to->evicted = atomic64_read(&evicted);
	to->learned = atomic64_read(&learned);
}
