// SPDX-License-Identifier: GPL-2.0-only
/*
 * netctl.c - network bytes seen from outside (net.h): opens and closes the
 * parts in order, fills devices' records, and runs the worker that once a second
 * tidies the tables and writes what came after a process's exit record. Process
 * context.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "acct.h"
#include "fds.h"
#include "flow.h"
#include "frag.h"
#include "guess.h"
#include "main.h"
#include "net.h"
#include "netdev.h"
#include "nethook.h"
#include "netproc.h"
#include "ports.h"
#include "session.h"
#include "sock.h"
#include "udp.h"

#define NET_SECOND	HZ
#define NET_LOOKS	5

static struct workqueue_struct *queue;
static struct delayed_work work;
static DEFINE_MUTEX(tidy_lock);	/* worker against walks: nothing is between two tables */
static u64 scans;

/* --- devices, classes, tables --------------------------------------------- */

/* A row's class in the order of enum ktally_share_count. */
static void lay_share(__u64 *to, const u64 *row, int class)
{
	const u64 *rx = row + NET_CELL(class, NET_RX);
	const u64 *tx = row + NET_CELL(class, NET_TX);

	to[KTALLY_SC_RX_PACKETS] = rx[NET_PACKETS];
	to[KTALLY_SC_RX_WIRE] = rx[NET_BYTES] + rx[NET_EXTRA];
	to[KTALLY_SC_TX_PACKETS] = tx[NET_PACKETS];
	to[KTALLY_SC_TX_WIRE] = tx[NET_BYTES] + tx[NET_EXTRA];
}

struct shares {
	u64 socket[NET_CELLS];
	u64 pending[NET_CELLS];
	u64 kernel[NET_CELLS];
	u64 unowned[NET_CELLS];
	u64 apart[KTALLY_A_KINDS][KTALLY_P_KINDS][NET_CELLS];
	struct kt_acct_totals acct;
	struct ktally_device rec;
};

static void lay_class(struct shares *s, int class)
{
	struct ktally_device *rec = &s->rec;
	u64 hook[KTALLY_SC_COUNTERS];

	memset(rec, 0, sizeof(*rec));
	rec->class = class;
	rec->flags = KTALLY_DEVICE_CLASS;
	lay_share(hook, s->socket, class);
	rec->hook[KTALLY_N_RX_PACKETS] = hook[KTALLY_SC_RX_PACKETS];
	rec->hook[KTALLY_N_RX_WIRE] = hook[KTALLY_SC_RX_WIRE];
	rec->hook[KTALLY_N_RX_DEVICE] = s->socket[NET_CELL(class, NET_RX) + NET_BYTES];
	rec->hook[KTALLY_N_TX_PACKETS] = hook[KTALLY_SC_TX_PACKETS];
	rec->hook[KTALLY_N_TX_WIRE] = hook[KTALLY_SC_TX_WIRE];
	rec->hook[KTALLY_N_TX_DEVICE] = s->socket[NET_CELL(class, NET_TX) + NET_BYTES];
	lay_share(rec->bucket + KTALLY_SC_COUNTERS * KTALLY_S_PROCESS, s->acct.process, class);
	lay_share(rec->bucket + KTALLY_SC_COUNTERS * KTALLY_S_KERNEL, s->kernel, class);
	lay_share(rec->bucket + KTALLY_SC_COUNTERS * KTALLY_S_PENDING, s->pending, class);
	lay_share(rec->bucket + KTALLY_SC_COUNTERS * KTALLY_S_UNOWNED, s->unowned, class);
	lay_share(rec->bucket + KTALLY_SC_COUNTERS * KTALLY_S_FULL, s->acct.full, class);
}

/* One direction of a class, by kind of packet. */
static void lay_kinds_of(struct ktally_device *rec, u64 (*rows)[NET_CELLS], int dir)
{
	__u64 *hook = rec->hook + (dir == NET_RX ? KTALLY_N_RX_PACKETS : KTALLY_N_TX_PACKETS);
	__u64 *bucket = rec->bucket + (dir == NET_RX ? KTALLY_SC_RX_PACKETS : KTALLY_SC_TX_PACKETS);
	const u64 *v;
	int kind;

	for (kind = 0; kind < KTALLY_P_KINDS; kind++, bucket += KTALLY_SC_COUNTERS) {
		v = rows[kind] + NET_CELL(rec->class, dir);
		bucket[0] = v[NET_PACKETS];
		bucket[1] = v[NET_BYTES] + v[NET_EXTRA];
		hook[0] += bucket[0];
		hook[1] += bucket[1];
		hook[2] += v[NET_BYTES];
	}
}

static int show_kinds(struct shares *s, int class, kt_net_show_t *show, void *ctx)
{
	struct ktally_device *rec = &s->rec;
	int of, err = 0;

	for (of = 0; of < KTALLY_A_KINDS && !err; of++) {
		memset(rec, 0, sizeof(*rec));
		rec->class = class;
		rec->ifindex = of;
		rec->flags = KTALLY_DEVICE_KINDS;
		lay_kinds_of(rec, s->apart[of], NET_RX);
		lay_kinds_of(rec, s->apart[of], NET_TX);
		if (rec->hook[KTALLY_N_RX_PACKETS] || rec->hook[KTALLY_N_TX_PACKETS])
			err = show(rec, ctx);
	}
	return err;
}

/* A share is the sum of what is told of it by kind. */
static void add_kinds(u64 *row, u64 (*rows)[NET_CELLS])
{
	int kind, i;

	for (kind = 0; kind < KTALLY_P_KINDS; kind++)
		for (i = 0; i < NET_CELLS; i++)
			row[i] += rows[kind][i];
}

static_assert(KTALLY_P_KINDS * KTALLY_SC_COUNTERS * sizeof(__u64) <=
	      sizeof_field(struct ktally_device, bucket));

static void lay_tables(struct ktally_device *rec)
{
	struct kt_acct_numbers accts;
	struct kt_sock_numbers socks;
	struct kt_flow_numbers flows;
	struct kt_netdev_numbers devices;
	struct kt_net_odd odd;

	kt_acct_numbers(&accts);
	kt_sock_numbers(&socks);
	kt_flow_numbers(&flows);
	kt_netdev_numbers(&devices);
	kt_nethook_odd(&odd);
	memset(rec, 0, sizeof(*rec));
	rec->flags = KTALLY_DEVICE_TABLES;
	rec->bucket[KTALLY_T_SOCKETS] = socks.used;
	rec->bucket[KTALLY_T_SOCKETS_FULL] = socks.full;
	rec->bucket[KTALLY_T_SOCKETS_EVICTED] = socks.evicted;
	rec->bucket[KTALLY_T_LEARNED] = socks.learned;
	rec->bucket[KTALLY_T_ACCOUNTS] = accts.used;
	rec->bucket[KTALLY_T_ACCOUNTS_FULL] = accts.full;
	rec->bucket[KTALLY_T_LATE] = accts.late;
	rec->bucket[KTALLY_T_FLOWS] = flows.used;
	rec->bucket[KTALLY_T_FLOWS_FULL] = flows.full;
	rec->bucket[KTALLY_T_UDP_LOOKUPS] = kt_udp_lookups();
	rec->bucket[KTALLY_T_UDP_KPROBES] = kt_ports_watched();
	rec->bucket[KTALLY_T_DEVICES] = devices.used;
	rec->bucket[KTALLY_T_DEVICES_FULL] = devices.full;
	rec->bucket[KTALLY_T_NO_DEVICE] = odd.no_device;
	rec->bucket[KTALLY_T_DROPPED] = odd.dropped;
	rec->bucket[KTALLY_T_BUSY] = odd.busy;
	rec->bucket[KTALLY_T_NOT_TAKEN_BACK] = odd.not_taken_back;
	rec->bucket[KTALLY_T_TAKEN_UP] = odd.taken_up;
	rec->bucket[KTALLY_T_SCANS] = READ_ONCE(scans);
}

/* The sum and its parts are of one moment if no packet came meanwhile. */
static void read_shares(struct shares *s)
{
	u64 before[NET_CELLS];
	unsigned int looks = 0;

	kt_netdev_socket_totals(s->socket);
	do {
		memcpy(before, s->socket, sizeof(before));
		memset(s->pending, 0, sizeof(s->pending));
		kt_sock_pending(s->pending);
		kt_acct_totals(&s->acct);
		memset(s->apart, 0, sizeof(s->apart));
		kt_acct_apart_rows(s->apart);
		kt_netdev_socket_totals(s->socket);
	} while (memcmp(before, s->socket, sizeof(before)) && ++looks < NET_LOOKS);
	add_kinds(s->kernel, s->apart[KTALLY_A_KERNEL]);
	add_kinds(s->unowned, s->apart[KTALLY_A_UNOWNED]);
}

static int show_sums(struct shares *s, kt_net_show_t *show, void *ctx)
{
	int class, err = 0;

	read_shares(s);
	for (class = 0; class < NET_CLASSES && !err; class++) {
		lay_class(s, class);
		err = show(&s->rec, ctx);
	}
	for (class = 0; class < NET_CLASSES && !err; class++)
		err = show_kinds(s, class, show, ctx);
	if (err)
		return err;
	lay_tables(&s->rec);
	return show(&s->rec, ctx);
}

/* --- writing records ------------------------------------------------------ */

static bool emit_late(const struct kt_acct *a, const struct kt_net *sum)
{
	struct ktally_net_late late = { .tgid = a->tgid, .start = a->start };
	const struct kt_record r = KT_RECORD(KTALLY_NET_LATE, &late);
	const struct kt_who who = { .pid = a->pid };

	*KT_NET(&late) = *sum;
	return kt_emit_to_all(&r, &who);
}

static int emit_device(const struct ktally_device *rec, void *ctx)
{
	const struct kt_record r = KT_RECORD(KTALLY_DEVICE, rec);
	const struct kt_who machine = { .machine = true };

	kt_emit_to_all(&r, &machine);
	return 0;
}

void kt_net_tell_late(void)
{
	if (!kt_net_is_open)
		return;
	mutex_lock(&tidy_lock);
	kt_acct_tell(emit_late);
	mutex_unlock(&tidy_lock);
}

int kt_net_walk(kt_net_show_t *show, void *ctx)
{
	struct shares *s;
	int err;

	if (!kt_net_is_open)
		return 0;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	mutex_lock(&tidy_lock);
	kt_frag_expire();
	err = kt_netdev_walk(show, ctx) ?: show_sums(s, show, ctx);
	mutex_unlock(&tidy_lock);
	kfree(s);
	return err;
}

/* --- worker --------------------------------------------------------------- */

/* What nothing leads to any more may be used again after a grace period. */
static void tidy(void)
{
	bool any;

	any = kt_sock_collect();
	any |= kt_acct_collect(kt_socks.now, emit_late);
	any |= kt_netdev_collect();
	any |= kt_flow_collect();
	if (!any)
		return;
	synchronize_rcu();
	kt_sock_recycle();
	kt_flow_recycle();
	kt_acct_recycle(emit_late);
	kt_netdev_recycle(emit_device, NULL);
}

static void work_once(struct work_struct *w)
{
	mutex_lock(&tidy_lock);
	kt_ports_check();
	kt_frag_expire();
	if (kt_guess_wants_scan()) {
		scans++;
		kt_fds_scan();
	}
	tidy();
	mutex_unlock(&tidy_lock);
	queue_delayed_work(queue, &work, NET_SECOND);
}

/* --- the ladder ----------------------------------------------------------- */

static unsigned int __init memory_mb(void)
{
	return totalram_pages() >> (20 - PAGE_SHIFT);
}

static void __init choose_sizes(struct kt_net_sizes *s)
{
	unsigned int mb = memory_mb();

	if (!s->sockets)
		s->sockets = clamp_t(unsigned int, mb * 16, 1024, 16384);
	if (!s->accounts)
		s->accounts = clamp_t(unsigned int, mb * 4, 256, 8192);
	if (!s->udp)
		s->udp = clamp_t(unsigned int, mb * 32, 2048, 32768);
	if (!s->devices)
		s->devices = 1024;
	/* Of one bucket a hash would be shifted out of its word. */
	s->sockets = max(s->sockets, 64U);
	s->udp = max(s->udp, 64U);
}

static int __init start_worker(void)
{
	queue = alloc_workqueue("ktally", WQ_UNBOUND, 1);
	if (!queue)
		return -ENOMEM;
	INIT_DELAYED_WORK(&work, work_once);
	return 0;
}

static void stop_worker(void)
{
	cancel_delayed_work_sync(&work);
	destroy_workqueue(queue);
}

/* Accounts and sockets first: hooks need them from their first packet on. */
static int __init open_tables(const struct kt_net_sizes *s)
{
	int err;

	err = kt_acct_open(s->accounts);
	if (err)
		return err;
	err = kt_sock_open(s->sockets);
	if (err)
		goto acct;
	err = kt_flow_open(s->sockets + s->sockets / 4);
	if (err)
		goto sock;
	err = kt_udp_open(s->udp);
	if (err)
		goto flow;
	err = kt_frag_open();
	if (!err)
		return 0;
	kt_udp_close();
flow:
	kt_flow_close();
sock:
	kt_sock_close();
acct:
	kt_acct_close();
	return err;
}

static void close_tables(void)
{
	kt_frag_close();
	kt_udp_close();
	kt_flow_close();
	kt_sock_close();
	kt_acct_close();
}

int __init kt_net_open(const struct kt_net_sizes *asked)
{
	struct kt_net_sizes s = *asked;
	int err;

	choose_sizes(&s);
	err = open_tables(&s);
	if (err)
		return err;
	err = kt_netdev_open(s.devices);
	if (err)
		goto tables;
	err = start_worker();
	if (err)
		goto netdev;
	err = kt_nethook_open();
	if (err)
		goto worker;
	kt_netdev_begin();
	kt_ports_watch();
	kt_fds_scan();
	WRITE_ONCE(kt_net_is_open, true);
	queue_delayed_work(queue, &work, NET_SECOND);
	return 0;
worker:
	stop_worker();
netdev:
	kt_netdev_close();
tables:
	close_tables();
	return err;
}

/* First the worker: it would go on keeping answers that nobody watches. */
void kt_net_detach(void)
{
	if (!kt_net_is_open)
		return;
	cancel_delayed_work_sync(&work);
	kt_ports_unwatch();
	kt_nethook_close();
}

void kt_net_close(void)
{
	if (!kt_net_is_open)
		return;
	kt_net_detach();
	WRITE_ONCE(kt_net_is_open, false);
	stop_worker();
	synchronize_rcu();
	kt_netdev_close();
	close_tables();
}
