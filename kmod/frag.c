// SPDX-License-Identifier: GPL-2.0-only
/*
 * frag.c - the table of fragments (frag.h): 256 packets at a time, the newest
 * takes the place of whatever was there.
 */
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "frag.h"

#define FRAG_SLOTS	256	/* power of two */

struct frag {
	raw_spinlock_t lock;
	bool known;		/* the first one was seen */
	struct kt_flow_key key;
	unsigned long since;	/* jiffies */
	struct kt_sock_entry *e;
	u64 cookie;		/* of e: it may be recycled meanwhile */
	const struct kt_netdev_slot *d;
	u32 device;		/* d's key: it may be another device's by now */
	struct kt_load held;
};

static struct frag *frags;

int __init kt_frag_open(void)
{
	unsigned int i;

	frags = vzalloc(FRAG_SLOTS * sizeof(*frags));
	if (!frags)
		return -ENOMEM;
	for (i = 0; i < FRAG_SLOTS; i++)
		raw_spin_lock_init(&frags[i].lock);
	return 0;
}

void kt_frag_close(void)
{
	vfree(frags);
	frags = NULL;
}

static struct frag *frag_at(const struct kt_flow_key *key)
{
	return &frags[kt_flow_hash6(key->a, key->w) >> 56];
}

static bool is_of(const struct frag *f, const struct kt_flow_key *key)
{
	return f->key.w == key->w && kt_flow_same6(f->key.a, key->a) &&
	       time_before(jiffies, f->since + HZ);
}

/* Under the lock: nobody came to claim what is held. */
static void drop_held(struct frag *f)
{
	/* Its slot may be wiped and taken now: then it is not this device's. */
	if (f->held.packets && data_race(READ_ONCE(f->d->key)) == f->device)
		kt_netdev_count(f->d, NET_RX, KTALLY_B_FRAGMENT, f->held.packets, f->held.bytes,
				f->held.extra);
	memset(&f->held, 0, sizeof(f->held));
}

static void begin(struct frag *f, const struct kt_flow_key *key, const struct kt_netdev_slot *d)
{
	drop_held(f);
	f->known = false;
	f->key = *key;
	f->since = jiffies;
	f->d = d;
	f->device = d->key;
}

void kt_frag_first(const struct kt_flow_key *key, const struct kt_netdev_slot *d,
		   struct kt_sock_entry *e, struct kt_load *held)
{
	struct frag *f = frag_at(key);
	unsigned long flags;

	raw_spin_lock_irqsave(&f->lock, flags);
	if (!is_of(f, key))
		begin(f, key, d);
	f->known = true;
	f->e = e;
	f->cookie = READ_ONCE(e->cookie);
	*held = f->held;
	memset(&f->held, 0, sizeof(f->held));
	raw_spin_unlock_irqrestore(&f->lock, flags);
}

struct kt_sock_entry *kt_frag_later(const struct kt_flow_key *key, const struct kt_netdev_slot *d,
				    const struct kt_load *load)
{
	struct frag *f = frag_at(key);
	struct kt_sock_entry *e = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&f->lock, flags);
	if (!is_of(f, key))
		begin(f, key, d);
	if (f->known && READ_ONCE(f->e->cookie) == f->cookie) {
		e = f->e;
	} else {
		f->held.packets += load->packets;
		f->held.bytes += load->bytes;
		f->held.extra += load->extra;
	}
	raw_spin_unlock_irqrestore(&f->lock, flags);
	return e;
}

void kt_frag_expire(void)
{
	unsigned long flags;
	struct frag *f;

	for (f = frags; f < frags + FRAG_SLOTS; f++) {
		/* Asked without the lock: what comes now is not a second old. */
		if (!data_race(READ_ONCE(f->held.packets)))
			continue;
		raw_spin_lock_irqsave(&f->lock, flags);
		if (time_after_eq(jiffies, f->since + HZ))
			drop_held(f);
		raw_spin_unlock_irqrestore(&f->lock, flags);
	}
}
