// SPDX-License-Identifier: GPL-2.0-only
/*
 * netdev.c - the table of devices (netdev.h) and the numbers of namespaces.
 * Everything here but kt_netdev_move() runs in process context, most of it under
 * RTNL in the netdevice notifier; a slot that was given back is reused only
 * after a grace period, and its per-CPU memory stays with it.
 */
#include <linux/if_vlan.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <linux/vmalloc.h>
#include <net/netns/generic.h>
#include <net/rtnetlink.h>

#include "compat_net.h"
#include "flow.h"
#include "net.h"
#include "netdev.h"

#define NETDEV_LOOKS	5

struct kt_netdev_slot *kt_netdev_buckets[NETDEV_BUCKETS];

static DEFINE_MUTEX(slots_lock);	/* states, buckets, gone; taken inside RTNL */
static struct kt_netdev_slot *slots;
static unsigned int number, used;
static u32 next_key;
static u64 full;
static u64 gone[NET_CELLS];		/* sockets' bytes on devices that went */
static u64 gone_calls[NET_DIRS];	/* and all packets */

/* --- namespaces ----------------------------------------------------------- */

struct ns_number {
	u32 number;
};

static unsigned int ns_id;
static atomic_t next_ns;

static int __net_init ns_open(struct net *net)
{
	struct ns_number *n = net_generic(net, ns_id);

	WRITE_ONCE(n->number, atomic_inc_return(&next_ns));
	return 0;
}

static struct pernet_operations ns_ops = {
	.init = ns_open,
	.id = &ns_id,
	.size = sizeof(struct ns_number),
};

/*
 * Namespaces have sockets of the kernel's before our turn comes to number them, and one
 * that is older than our number has no place for it until then.
 */
u32 kt_netdev_ns(const struct net *net)
{
	const struct net_generic *all;
	const struct ns_number *n;
	u32 number;

	rcu_read_lock();
	all = rcu_dereference(net->gen);
	/* The kernel stores the place plainly, before it has it numbered: 0 until then. */
	n = ns_id < all->s.len ? data_race(READ_ONCE(all->ptr[ns_id])) : NULL;
	number = n ? READ_ONCE(n->number) : 0;
	rcu_read_unlock();
	return number;
}

/* --- what a device is ----------------------------------------------------- */

static u8 class_of(const struct net_device *dev)
{
	if (dev->flags & IFF_LOOPBACK)
		return NET_LOOP;
	return dev->dev.parent ? NET_PHYS : NET_VIRT;
}

static bool has_lower_here(struct net_device *dev)
{
	struct net_device *lower;
	struct list_head *iter;

	netdev_for_each_lower_dev(dev, lower, iter)
		if (net_eq(dev_net(lower), dev_net(dev)))
			return true;
	return false;
}

/*
 * Packets are credited once per class. A VLAN, bond or team over a device of
 * the same namespace leaves that to the lower one, where receive is traced; the
 * virtual ports of a bridge leave it to the bridge or to the other end.
 */
static bool is_credited(struct net_device *dev, u8 class)
{
	if (is_vlan_dev(dev) || netif_is_bond_master(dev) || netif_is_team_master(dev))
		return !has_lower_here(dev);
	if (class == NET_VIRT)
		return !netif_is_bridge_port(dev) && !netif_is_ovs_port(dev);
	return true;
}

/* Their packets are handed up without passing the hook once more. */
static const char * const without_rx[] = {
	"vlan", "bond", "team", "macvlan", "macvtap", "ipvlan", "ipvtap",
};

static bool is_rx_seen(const struct net_device *dev)
{
	return !dev->rtnl_link_ops ||
	       match_string(without_rx, ARRAY_SIZE(without_rx), dev->rtnl_link_ops->kind) < 0;
}

/* Which device the stack will think a packet came in by. */
static void set_lookup_index(struct kt_netdev_slot *d, struct net_device *dev)
{
	struct net_device *master = netdev_master_upper_dev_get(dev);

	WRITE_ONCE(d->dif, master ? master->ifindex : dev->ifindex);
	WRITE_ONCE(d->sdif, netif_is_l3_slave(dev) ? dev->ifindex : 0);
}

/* Without credit nothing received is ever found: w == 0 is nobody's. */
static void classify(struct kt_netdev_slot *d, struct net_device *dev)
{
	bool credited = is_credited(dev, d->class);

	set_lookup_index(d, dev);
	WRITE_ONCE(d->credit, credited ? dev_net(dev) : NULL);
	WRITE_ONCE(d->udp_mask, netif_is_bridge_port(dev) || netif_is_ovs_port(dev) ? 0 : ~0U);
	WRITE_ONCE(d->tcp_w, credited ? FLOW_W(FLOW_META(d->ns, IPPROTO_TCP), 0) : 0);
	WRITE_ONCE(d->udp_w, credited ? FLOW_W(FLOW_META(d->key, IPPROTO_UDP), 0) : 0);
}

static void read_own_counters(struct net_device *dev, u64 *to)
{
	struct rtnl_link_stats64 s;

	dev_get_stats(dev, &s);
	to[0] = s.rx_packets;
	to[1] = s.rx_bytes;
	to[2] = s.tx_packets;
	to[3] = s.tx_bytes;
}

/* A veth has lost its peer by now, and with it half of what it counted. */
static void read_last_counters(struct net_device *dev, struct kt_netdev_slot *d)
{
	u64 now[ARRAY_SIZE(d->last)];
	unsigned int i;

	read_own_counters(dev, now);
	for (i = 0; i < ARRAY_SIZE(now); i++)
		d->last[i] = max(d->last[i], now[i]);
}

/* --- slots ---------------------------------------------------------------- */

static struct kt_netdev_slot *take_slot(void)
{
	unsigned int i;

	for (i = 0; i < number; i++) {
		if (slots[i].state != NETDEV_SLOT_FREE)
			continue;
		if (!slots[i].cells)
			slots[i].cells = alloc_percpu(struct kt_netdev_cells);
		return slots[i].cells ? &slots[i] : NULL;
	}
	return NULL;
}

static void publish(struct kt_netdev_slot *d, struct net_device *dev)
{
	struct kt_netdev_slot **head = &kt_netdev_buckets[kt_netdev_hash(dev)];

	d->dev = dev;
	d->next = *head;
	/* Partner: READ_ONCE() in kt_netdev_slot(), whose reads depend on the address. */
	smp_store_release(head, d);
}

static void add_device(struct net_device *dev)
{
	struct kt_netdev_slot *d = take_slot();

	if (!d) {
		full++;
		return;
	}
	used++;
	d->state = NETDEV_SLOT_LIVE;
	d->net = dev_net(dev);
	d->netns = d->net->ns.inum;
	d->ifindex = dev->ifindex;
	d->ns = kt_netdev_ns(d->net);
	d->key = ++next_key;
	d->class = class_of(dev);
	d->rx_seen = is_rx_seen(dev);
	d->at = NET_CELL(d->class, 0);
	memcpy(d->name, dev->name, sizeof(d->name));
	read_own_counters(dev, d->since);
	memcpy(d->last, d->since, sizeof(d->last));
	classify(d, dev);
	publish(d, dev);
}

static void remove_device(struct net_device *dev)
{
	struct kt_netdev_slot **link = &kt_netdev_buckets[kt_netdev_hash(dev)];
	struct kt_netdev_slot *d;

	while ((d = *link) && d->dev != dev)
		link = &d->next;
	if (!d)
		return;
	read_last_counters(dev, d);
	memcpy(d->name, dev->name, sizeof(d->name));
	WRITE_ONCE(*link, d->next);
	d->state = NETDEV_SLOT_RETIRED;
}

static void reclassify(struct net_device *dev)
{
	struct kt_netdev_slot *d = dev ? kt_netdev_slot(dev) : NULL;

	if (d)
		classify(d, dev);
}

static int on_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);

	mutex_lock(&slots_lock);
	switch (event) {
	case NETDEV_REGISTER:
		add_device(dev);
		break;
	case NETDEV_UNREGISTER:
		remove_device(dev);
		break;
	case NETDEV_CHANGEUPPER:
		reclassify(dev);
		reclassify(((struct netdev_notifier_changeupper_info *)info)->upper_dev);
		break;
	}
	mutex_unlock(&slots_lock);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_event };

int __init kt_netdev_open(unsigned int n)
{
	int err;

	number = n;
	slots = vzalloc(array_size(n, sizeof(*slots)));
	if (!slots)
		return -ENOMEM;
	err = register_pernet_subsys(&ns_ops);
	if (err)
		goto free;
	err = register_netdevice_notifier(&notifier);
	if (err)
		goto pernet;
	return 0;
pernet:
	unregister_pernet_subsys(&ns_ops);
free:
	vfree(slots);
	slots = NULL;
	return err;
}

/* Unregistering replays the going of every device; no probe runs any more. */
void kt_netdev_close(void)
{
	unsigned int i;

	unregister_netdevice_notifier(&notifier);
	unregister_pernet_subsys(&ns_ops);
	for (i = 0; i < number; i++)
		free_percpu(slots[i].cells);
	vfree(slots);
	slots = NULL;
}

/* Hooks run from now on: compare with what devices count from now on. */
void __init kt_netdev_begin(void)
{
	unsigned int i;

	rtnl_lock();
	mutex_lock(&slots_lock);
	for (i = 0; i < number; i++)
		if (slots[i].state == NETDEV_SLOT_LIVE)
			read_own_counters((struct net_device *)slots[i].dev, slots[i].since);
	mutex_unlock(&slots_lock);
	rtnl_unlock();
}

void kt_netdev_move(const struct kt_netdev_slot *d, int dir, int from, int to,
		    u32 packets, u32 bytes, u32 extra)
{
	struct kt_netdev_cells __percpu *c = d->cells;

	this_cpu_sub(c->v[dir][from][NET_PACKETS], packets);
	this_cpu_sub(c->v[dir][from][NET_BYTES], bytes);
	this_cpu_sub(c->v[dir][from][NET_EXTRA], extra);
	this_cpu_add(c->v[dir][to][NET_PACKETS], packets);
	this_cpu_add(c->v[dir][to][NET_BYTES], bytes);
	this_cpu_add(c->v[dir][to][NET_EXTRA], extra);
}

void kt_netdev_uncount(const struct kt_netdev_slot *d, int bucket, u32 packets, u32 bytes,
		       u32 extra)
{
	struct kt_netdev_cells __percpu *c = d->cells;

	this_cpu_sub(c->v[NET_TX][bucket][NET_PACKETS], packets);
	this_cpu_sub(c->v[NET_TX][bucket][NET_BYTES], bytes);
	this_cpu_sub(c->v[NET_TX][bucket][NET_EXTRA], extra);
	this_cpu_sub(c->segments[NET_TX], packets - 1);
	this_cpu_add(c->refused, bytes + extra);
}

/* --- records -------------------------------------------------------------- */

static void sum_cells(const struct kt_netdev_slot *d, struct kt_netdev_cells *sum)
{
	const u64 *from;
	unsigned int i;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		from = (const u64 *)per_cpu_ptr(d->cells, cpu);
		for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			((u64 *)sum)[i] += READ_ONCE(from[i]);
	}
}

static void lay_direction(struct ktally_device *rec, const struct kt_netdev_cells *sum, int dir)
{
	__u64 *hook = rec->hook + (dir == NET_RX ? KTALLY_N_RX_PACKETS : KTALLY_N_TX_PACKETS);
	__u64 *bucket = rec->bucket + (dir == NET_RX ? 0 : KTALLY_B_TX);
	const u64 *v;
	int b;

	for (b = 0; b < KTALLY_B_KINDS; b++) {
		v = sum->v[dir][b];
		hook[0] += v[NET_PACKETS];
		hook[1] += v[NET_BYTES] + v[NET_EXTRA];
		hook[2] += v[NET_BYTES];
		bucket[b] = v[NET_BYTES] + v[NET_EXTRA];
	}
}

static void lay_record(struct ktally_device *rec, const struct kt_netdev_slot *d,
		       const struct kt_netdev_cells *sum, const u64 *own)
{
	unsigned int i;

	memset(rec, 0, sizeof(*rec));
	rec->ifindex = d->ifindex;
	rec->netns = d->netns;
	rec->class = d->class;
	rec->flags = d->credit ? KTALLY_DEVICE_CREDITED : 0;
	if (d->state != NETDEV_SLOT_LIVE)
		rec->flags |= KTALLY_DEVICE_GONE;
	if (!d->rx_seen)
		rec->flags |= KTALLY_DEVICE_NO_RX;
	memcpy(rec->name, d->name, sizeof(rec->name));
	lay_direction(rec, sum, NET_RX);
	lay_direction(rec, sum, NET_TX);
	for (i = 0; i < ARRAY_SIZE(d->since); i++)
		rec->dev[i] = own[i] - d->since[i];
	rec->bucket[KTALLY_B_RX_SEGMENTS] = sum->segments[NET_RX];
	rec->bucket[KTALLY_B_TX_SEGMENTS] = sum->segments[NET_TX];
	rec->bucket[KTALLY_B_TX_REFUSED] = sum->refused;
	rec->bucket[KTALLY_B_RX_LOOPED_PACKETS] =
		sum->v[NET_RX][KTALLY_B_LOOPED][NET_PACKETS];
}

static struct kt_netdev_cells scratch;	/* under slots_lock: too big for a stack */
static struct ktally_device record;

/* Both are of one moment if no packet came between two looks; a few have to do. */
static void read_slot(struct kt_netdev_slot *d, struct net_device *dev)
{
	u64 before[ARRAY_SIZE(d->last)];
	unsigned int looks = 0;

	read_own_counters(dev, d->last);
	do {
		memcpy(before, d->last, sizeof(before));
		sum_cells(d, &scratch);
		read_own_counters(dev, d->last);
	} while (memcmp(before, d->last, sizeof(before)) && ++looks < NETDEV_LOOKS);
}

static int show_slot(struct kt_netdev_slot *d, kt_netdev_show_t *show, void *ctx)
{
	struct net_device *dev = (struct net_device *)d->dev;

	sum_cells(d, &scratch);
	if (d->state == NETDEV_SLOT_LIVE) {
		read_slot(d, dev);
		memcpy(d->name, dev->name, sizeof(d->name));
	}
	lay_record(&record, d, &scratch, d->last);
	return show(&record, ctx);
}

int kt_netdev_walk(kt_netdev_show_t *show, void *ctx)
{
	unsigned int i;
	int err = 0;

	rtnl_lock();
	mutex_lock(&slots_lock);
	/*
	 * One that went a moment ago has its last record still to come: too
	 * late for a closing walk.
	 */
	for (i = 0; i < number && !err; i++)
		if (slots[i].state != NETDEV_SLOT_FREE)
			err = show_slot(&slots[i], show, ctx);
	mutex_unlock(&slots_lock);
	rtnl_unlock();
	return err;
}

static void add_sockets_share(u64 *row, const struct kt_netdev_slot *d)
{
	int dir, k;

	sum_cells(d, &scratch);
	for (dir = 0; dir < NET_DIRS; dir++)
		for (k = 0; k < NET_KINDS; k++)
			row[NET_CELL(d->class, dir) + k] += scratch.v[dir][KTALLY_B_SOCKET][k];
}

void kt_netdev_socket_totals(u64 row[NET_CELLS])
{
	unsigned int i;

	mutex_lock(&slots_lock);
	memcpy(row, gone, sizeof(gone));
	for (i = 0; i < number; i++)
		if (slots[i].state != NETDEV_SLOT_FREE)
			add_sockets_share(row, &slots[i]);
	mutex_unlock(&slots_lock);
}

/* skbs of both directions: that is how often the hooks were called. */
static void add_calls(u64 calls[NET_DIRS], const struct kt_netdev_slot *d)
{
	int dir, b;

	sum_cells(d, &scratch);
	for (dir = 0; dir < NET_DIRS; dir++) {
		for (b = 0; b < KTALLY_B_KINDS; b++)
			calls[dir] += scratch.v[dir][b][NET_PACKETS];
		calls[dir] -= scratch.segments[dir];
	}
}

void kt_net_calls(u64 *received, u64 *sent)
{
	u64 calls[NET_DIRS];
	unsigned int i;

	mutex_lock(&slots_lock);
	memcpy(calls, gone_calls, sizeof(calls));
	for (i = 0; i < number; i++)
		if (slots[i].state != NETDEV_SLOT_FREE)
			add_calls(calls, &slots[i]);
	mutex_unlock(&slots_lock);
	*received = calls[NET_RX];
	*sent = calls[NET_TX];
}

void kt_netdev_numbers(struct kt_netdev_numbers *to)
{
	mutex_lock(&slots_lock);
	to->used = used;
	to->full = full;
	mutex_unlock(&slots_lock);
}

/* --- worker --------------------------------------------------------------- */

bool kt_netdev_collect(void)
{
	unsigned int i;
	bool any = false;

	mutex_lock(&slots_lock);
	for (i = 0; i < number; i++) {
		if (slots[i].state != NETDEV_SLOT_RETIRED)
			continue;
		slots[i].state = NETDEV_SLOT_COLLECTED;
		any = true;
	}
	mutex_unlock(&slots_lock);
	return any;
}

static void give_back(struct kt_netdev_slot *d)
{
	struct kt_netdev_cells __percpu *cells = d->cells;
	int cpu;

	add_sockets_share(gone, d);
	add_calls(gone_calls, d);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(cells, cpu), 0, sizeof(*cells));
	memset(d, 0, sizeof(*d));
	d->cells = cells;
	used--;
}

/* After a grace period. The device's last record goes to show(). */
void kt_netdev_recycle(kt_netdev_show_t *show, void *ctx)
{
	unsigned int i;

	mutex_lock(&slots_lock);
	for (i = 0; i < number; i++) {
		if (slots[i].state != NETDEV_SLOT_COLLECTED)
			continue;
		show_slot(&slots[i], show, ctx);
		give_back(&slots[i]);
	}
	mutex_unlock(&slots_lock);
}
