// SPDX-License-Identifier: GPL-2.0-only
/*
 * sums.c - HOT: a table of sums that all CPUs add to without a lock (sums.h). No
 * allocation but for a whole table, in process context.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "sums.h"

#define PROBES	16	/* places looked at for a key */
#define TRIES	8	/* of reading a row at rest */

static_assert(KT_SUM(net_phys) == KT_SUM(utime) + KT_SUM_USES + 2);
static_assert(KT_SUM(rx_dropped) == KT_SUM(net_phys) + KT_SUM_NETS - 1 &&
	      KT_SUM(rx_dropped) == KT_SUMS - 1);
static_assert(offsetof(struct kt_net, rx_dropped) == (KT_SUM_NETS - 1) * sizeof(u64));

struct kt_sums *kt_sums_new(u32 n)
{
	size_t rows = struct_size((struct kt_sums *)NULL, row, n + 1);
	struct kt_sums *t = kvzalloc(rows + (n + 1) * sizeof(*t->cgroup), GFP_KERNEL);

	if (!t)
		return NULL;
	t->n = n;
	t->cgroup = (u64 *)&t->row[n + 1];
	atomic64_set(&t->row[n].hash, KT_SUM_LEAVING);
	t->row[n].named = 1;
	return t;
}

void kt_sums_free(struct kt_sums *t)
{
	kvfree(t);
}

static u64 hash_of(const struct kt_key *key)
{
	u64 words[2];

	memcpy(words, key->program, sizeof(words));
	words[0] = (words[0] ^ key->cgroup) * GOLDEN_RATIO_64;
	words[1] = (words[1] ^ ((u64)key->uid << 32) ^ (words[0] >> 29)) * GOLDEN_RATIO_64;
	return (words[0] ^ words[1] ^ (words[1] >> 32)) | 2;
}

static_assert(sizeof(struct kt_key) == 4 * sizeof(u64));

/*
 * Anyone may name a program so that its hash is another's. A row that is being named is
 * taken for another's, too: then the key has two.
 */
static bool has_key(const struct kt_sum *s, const struct kt_key *key)
{
	const u64 *a = (const u64 *)&s->key, *b = (const u64 *)key;

	/* Partner: smp_store_release() in claim(). */
	return smp_load_acquire(&s->named) &&
	       !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]));
}

static u64 *cgroup_of(const struct kt_sums *t, const struct kt_sum *s)
{
	return &t->cgroup[s - t->row];
}

static bool claim(struct kt_sums *t, struct kt_sum *s, u64 hash, const struct kt_key *key)
{
	if (atomic64_cmpxchg(&s->hash, 0, hash))
		return false;
	s->key = *key;
	WRITE_ONCE(s->gone, false);
	/* Not gone before it can go; partner: the condition in kt_sums_bequeath(). */
	smp_wmb();
	WRITE_ONCE(*cgroup_of(t, s), key->cgroup);
	/* Partners: smp_load_acquire() in has_key() and kt_sum_read(). */
	smp_store_release(&s->named, 1);
	return true;
}

struct kt_sum *kt_sums_of(struct kt_sums *t, const struct kt_key *key)
{
	u64 hash = hash_of(key), at;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct kt_sum *s = &t->row[(hash + i) & (t->n - 1)];

		at = atomic64_read(&s->hash);
		if (at == hash ? has_key(s, key) : !at && claim(t, s, hash, key))
			return s;
	}
	return &t->row[t->n];
}

static void add_many(struct kt_sum *s, unsigned int at, const u64 *values, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (values[i])
			atomic64_add(values[i], &s->v[at + i]);
}

static void raise(atomic64_t *max, u64 value)
{
	u64 was = atomic64_read(max), now;

	while (value > was) {
		now = atomic64_cmpxchg(max, was, value);
		if (now == was)
			return;
		was = now;
	}
}

void kt_sum_add_net(struct kt_sum *s, const struct kt_net *net)
{
	add_many(s, KT_SUM(net_phys), net->net_phys, KT_SUM_NETS);
}

void kt_sum_add(struct kt_sum *s, const struct kt_share *share)
{
	atomic64_inc(&s->begun);
	/* Begun before it is seen; partner: the second smp_rmb() in kt_sum_read(). */
	smp_mb__after_atomic();
	if (share->failed)
		atomic64_inc(&s->v[KT_SUM(failed)]);
	atomic64_add(share->life, &s->v[KT_SUM(life)]);
	add_many(s, KT_SUM(utime), share->use, KT_SUM_USES);
	raise(&s->v[KT_SUM(peak_rss)], share->peak_rss);
	if (share->rss)
		atomic64_add(share->rss, &s->v[KT_SUM(rss)]);
	if (share->net)
		kt_sum_add_net(s, share->net);
	/* Ended after all of it is seen; partner: the first smp_rmb() in kt_sum_read(). */
	smp_mb__before_atomic();
	atomic64_inc(&s->v[KT_SUM(processes)]);
}

/* In 65,536 rows it would be milliseconds to look for the cgroup in their keys. */
bool kt_sums_bequeath(struct kt_sums *t, u64 cgroup, u64 heir)
{
	bool any = false;
	u32 i;

	for (i = 0; i < t->n; i++) {
		if (READ_ONCE(t->cgroup[i]) != cgroup)
			continue;
		WRITE_ONCE(t->cgroup[i], heir);
		/* The heir before the flag; partner: smp_load_acquire() in fold(), totals.c. */
		smp_store_release(&t->row[i].gone, true);
		any = true;
	}
	return any;
}

void kt_sum_clear(struct kt_sums *t, struct kt_sum *s)
{
	memset(&s->key, 0, sizeof(s->key));
	memset(s->v, 0, sizeof(s->v));
	atomic64_set(&s->begun, 0);
	WRITE_ONCE(*cgroup_of(t, s), 0);
	WRITE_ONCE(s->gone, false);
	s->named = 0;
	/* Partner: the cmpxchg of claim(). */
	smp_mb();
	atomic64_set(&s->hash, 0);
}

void kt_sum_move(struct kt_sum *s, struct kt_sums *t, const struct kt_key *key)
{
	struct kt_sum *to = key->set ? kt_sums_of(t, key) : &t->row[t->n];
	u64 processes = atomic64_read(&s->v[KT_SUM(processes)]);
	unsigned int i;

	atomic64_add(processes, &to->begun);
	/* As in kt_sum_add(). */
	smp_mb__after_atomic();
	for (i = 1; i < KT_SUMS; i++) {
		u64 value = atomic64_read(&s->v[i]);

		if (i == KT_SUM(peak_rss))
			raise(&to->v[i], value);
		else if (value)
			atomic64_add(value, &to->v[i]);
	}
	/* As in kt_sum_add(). */
	smp_mb__before_atomic();
	atomic64_add(processes, &to->v[KT_SUM(processes)]);
}

/* Between the two counts nobody was adding, or it is read again. */
bool kt_sum_read(const struct kt_sums *t, struct kt_sum *s, struct ktally_totals_row *to)
{
	u64 *values = (u64 *)((char *)to + KT_SUM_FIRST), ended;
	unsigned int i, tries = 0;
	bool any;

	memset(to, 0, sizeof(*to));
	/* Partner: smp_store_release() in claim(). */
	if (!atomic64_read(&s->hash) || !smp_load_acquire(&s->named))
		return false;
	do {
		ended = atomic64_read(&s->v[KT_SUM(processes)]);
		/* Who had ended is seen whole; partner: kt_sum_add(). */
		smp_rmb();
		for (i = 0, any = false; i < KT_SUMS; i++) {
			values[i] = atomic64_read(&s->v[i]);
			any |= values[i];
		}
		/* Who is seen in part has begun; partner: kt_sum_add(). */
		smp_rmb();
	} while (atomic64_read(&s->begun) != ended && ++tries < TRIES);
	to->cgroup = READ_ONCE(*cgroup_of(t, s));
	to->uid = s->key.uid;
	memcpy(to->program, s->key.program, sizeof(to->program));
	return any;
}
