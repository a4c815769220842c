// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_sums.c - the module's table of sums by program, cgroup and user: kmod/sums.c as it
 * stands. Whoever finds a name whose hash is another's is not taken for that other.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef struct { s64 v; } atomic64_t;
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define static_assert	_Static_assert
#define GFP_KERNEL	0
#define GOLDEN_RATIO_64	0x61C8864680B583EBull
#define struct_size(p, member, n) (sizeof(*(p)) + (n) * sizeof((p)->member[0]))
#define kvfree		free
#define READ_ONCE(x)	__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_mb()	__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb		smp_mb
#define smp_wmb		smp_mb
#define smp_mb__after_atomic smp_mb
#define smp_mb__before_atomic smp_mb
#define atomic64_read(a) __atomic_load_n(&(a)->v, __ATOMIC_RELAXED)
#define atomic64_set(a, n) __atomic_store_n(&(a)->v, n, __ATOMIC_RELAXED)
#define atomic64_add(n, a) ((void)__atomic_fetch_add(&(a)->v, n, __ATOMIC_RELAXED))
#define atomic64_inc(a)	atomic64_add(1, a)

static s64 atomic64_cmpxchg(atomic64_t *a, s64 old, s64 new)
{
	__atomic_compare_exchange_n(&a->v, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	return old;
}

static void *kvzalloc(size_t n, int flags)
{
	void *p = aligned_alloc(64, (n + 63) & ~(size_t)63);

	(void)flags;
	return p ? memset(p, 0, n) : NULL;
}

/* The C library has a raise() of its own. */
#define raise	raise_to
#include "../../kmod/sums.c"
#undef raise
#include "test.h"

#define ROWS	64

static struct kt_key key_of(const char *program, u64 cgroup, u32 uid)
{
	struct kt_key key = { .cgroup = cgroup, .uid = uid, .set = 1 };

	memcpy(key.program, program, strlen(program));
	return key;
}

static u64 inverse(u64 odd)
{
	u64 x = odd;

	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* A program's name that makes a key of this user hash as `victim` does; its last byte is 0. */
static bool forge(struct kt_key *key, const struct kt_key *victim)
{
	u64 target = hash_of(victim), words[2], mixed;

	for (u64 first = 0x6161616161616161; first < 0x6161616161616161 + 100000; first++) {
		words[0] = (first ^ key->cgroup) * GOLDEN_RATIO_64;
		mixed = target ^ words[0];
		words[1] = (mixed ^ mixed >> 32) * inverse(GOLDEN_RATIO_64);
		words[1] ^= ((u64)key->uid << 32) ^ (words[0] >> 29);
		memcpy(key->program, &first, 8);
		memcpy(key->program + 8, &words[1], 8);
		if (!key->program[15] && hash_of(key) == target)
			return true;
	}
	return false;
}

TEST(a_forged_hash_gets_nothing_of_another)
{
	struct kt_key victim = key_of("sshd", 4711, 0), forger = key_of("", 1, 1000);
	const struct kt_share one = { .life = 1, .use = { 5 } }, thousand = { .life = 1, .use = { 1000 } };
	struct kt_sums *t = kt_sums_new(ROWS);
	struct ktally_totals_row row;

	ASSERT_NE(NULL, t);
	ASSERT_TRUE(forge(&forger, &victim));
	ASSERT_EQ(hash_of(&victim), hash_of(&forger));
	ASSERT_NE(0, memcmp(&victim, &forger, sizeof(victim)));
	kt_sum_add(kt_sums_of(t, &victim), &one);
	kt_sum_add(kt_sums_of(t, &forger), &thousand);
	kt_sum_add(kt_sums_of(t, &victim), &one);
	ASSERT_TRUE(kt_sum_read(t, kt_sums_of(t, &victim), &row));
	EXPECT_EQ(2, row.processes);
	EXPECT_EQ(10, row.utime);
	EXPECT_EQ(0, row.uid);
	ASSERT_TRUE(kt_sum_read(t, kt_sums_of(t, &forger), &row));
	EXPECT_EQ(1, row.processes);
	EXPECT_EQ(1000, row.utime);
	EXPECT_EQ(1000, row.uid);
	kt_sums_free(t);
}

TEST(what_finds_no_row_is_the_others)
{
	struct kt_sums *t = kt_sums_new(ROWS);
	const struct kt_share share = { .life = 1 };
	struct ktally_totals_row row;
	u64 named = 0, others = 0;
	char program[16];

	ASSERT_NE(NULL, t);
	for (int i = 0; i < 10 * ROWS; i++) {
		struct kt_key key;

		snprintf(program, sizeof(program), "p%d", i);
		key = key_of(program, 1, 0);
		kt_sum_add(kt_sums_of(t, &key), &share);
	}
	for (int i = 0; i <= ROWS; i++)
		if (kt_sum_read(t, &t->row[i], &row))
			*(kt_sum_is_other(t, &t->row[i]) ? &others : &named) += row.processes;
	EXPECT_EQ(10 * ROWS, named + others);
	EXPECT_LE(named, ROWS);
	EXPECT_GT(named, ROWS / 2);
	kt_sums_free(t);
}

TEST(a_moved_row_is_its_heirs)
{
	struct kt_key of = key_of("cron", 7, 0), to = key_of("cron", 8, 0);
	const struct kt_share share = { .life = 1, .use = { 3 }, .peak_rss = 100 };
	struct kt_sums *t = kt_sums_new(ROWS);
	struct ktally_totals_row row;

	ASSERT_NE(NULL, t);
	kt_sum_add(kt_sums_of(t, &of), &share);
	kt_sum_add(kt_sums_of(t, &to), &share);
	atomic64_set(&kt_sums_of(t, &of)->hash, KT_SUM_LEAVING);
	for (int i = 0; i < ROWS; i++)
		if (atomic64_read(&t->row[i].hash) == KT_SUM_LEAVING) {
			kt_sum_move(&t->row[i], t, &to);
			kt_sum_clear(t, &t->row[i]);
		}
	ASSERT_TRUE(kt_sum_read(t, kt_sums_of(t, &to), &row));
	EXPECT_EQ(2, row.processes);
	EXPECT_EQ(6, row.utime);
	EXPECT_EQ(100, row.peak_rss);
	EXPECT_FALSE(kt_sum_read(t, kt_sums_of(t, &of), &row));
	kt_sums_free(t);
}

/* A cgroup goes, then its parent; a free place is nobody's heir. */
TEST(rows_of_a_removed_cgroup_are_marked)
{
	struct kt_key inner = key_of("sh", 7, 0), box = key_of("sh", 8, 0), other = key_of("sh", 9, 0);
	struct kt_sums *t = kt_sums_new(ROWS);
	const struct kt_share share = { .life = 1 };
	struct ktally_totals_row row;
	struct kt_sum *s;

	ASSERT_NE(NULL, t);
	s = kt_sums_of(t, &inner);
	kt_sum_add(s, &share);
	kt_sum_add(kt_sums_of(t, &other), &share);
	EXPECT_FALSE(kt_sums_bequeath(t, 6, 1));
	EXPECT_TRUE(kt_sums_bequeath(t, 7, 8));
	ASSERT_TRUE(kt_sum_read(t, s, &row));
	EXPECT_EQ(8, row.cgroup);
	EXPECT_TRUE(kt_sums_bequeath(t, 8, 1));
	EXPECT_FALSE(kt_sums_bequeath(t, 7, 8));
	ASSERT_TRUE(kt_sum_read(t, s, &row));
	EXPECT_EQ(1, row.cgroup);
	EXPECT_TRUE(s->gone);
	EXPECT_FALSE(kt_sums_of(t, &other)->gone);
	kt_sum_clear(t, s);
	EXPECT_FALSE(kt_sums_bequeath(t, 1, 5));
	EXPECT_EQ(s, kt_sums_of(t, &inner));
	EXPECT_FALSE(s->gone);
	EXPECT_TRUE(kt_sums_bequeath(t, 7, 8));
	EXPECT_NE(kt_sums_of(t, &box), s);
	kt_sums_free(t);
}

TEST_HARNESS_MAIN
