// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_ratio.c - comparing two samples: the interval holds what is true as often as it
 * says, equal sources are not called different, different ones are.
 */
#include <math.h>
#include "test.h"

enum { TRIALS = 400, RUNS = 40 };

static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Durations as commands have them: a floor, a long tail, a few stragglers. */
static uint64_t duration(double scale)
{
	double tail = -log(uniform());

	return scale * (5e6 + 4e5 * tail + (uniform() < 0.03 ? 2e6 : 0));
}

static void sample(uint64_t *v, size_t n, double scale)
{
	for (size_t i = 0; i < n; i++)
		v[i] = duration(scale);
	ktally_sort(v, n);
}

/* How many of the trials find a difference, and how many intervals hold the true ratio. */
static void try(double scale, int *differ, int *hold)
{
	uint64_t a[RUNS], b[RUNS];
	struct ktally_ratio r;

	*differ = *hold = 0;
	for (int i = 0; i < TRIALS; i++) {
		sample(a, RUNS, 1);
		sample(b, RUNS, scale);
		if (ktally_ratio_of(a, RUNS, b, RUNS, i, &r))
			abort();
		*differ += r.differs;
		*hold += r.low <= scale && scale <= r.high;
	}
}

TEST(equal_sources_do_not_differ)
{
	int differ, hold;

	state = 1;
	try(1, &differ, &hold);
	/* 1 % of 400 are 4; 11 are more than three standard deviations beyond. */
	EXPECT_LE(differ, 10);
	EXPECT_GE(hold, TRIALS - 38);
	EXPECT_LT(hold, TRIALS);	/* an interval that always holds says nothing */
}

TEST(different_sources_do)
{
	int differ, hold;

	state = 2;
	try(1.1, &differ, &hold);
	EXPECT_GE(differ, TRIALS * 95 / 100);
	EXPECT_GE(hold, TRIALS - 38);
	try(0.9, &differ, &hold);
	EXPECT_GE(differ, TRIALS * 95 / 100);
}

TEST(a_seed_gives_the_same_again)
{
	uint64_t a[RUNS], b[RUNS];
	struct ktally_ratio x, y;

	state = 3;
	sample(a, RUNS, 1);
	sample(b, RUNS, 1.02);
	EXPECT_EQ(0, ktally_ratio_of(a, RUNS, b, RUNS, 7, &x));
	EXPECT_EQ(0, ktally_ratio_of(a, RUNS, b, RUNS, 7, &y));
	EXPECT_EQ(0, memcmp(&x, &y, sizeof(x)));
	EXPECT_EQ(0, ktally_ratio_of(a, RUNS, b, RUNS, 8, &y));
	EXPECT_NE(0, memcmp(&x, &y, sizeof(x)));
	EXPECT_TRUE(x.low <= x.value && x.value <= x.high);
}

TEST(what_can_not_be_compared_is_unknown)
{
	const uint64_t zeros[] = { 0, 0, 0 }, one[] = { 5 }, ties[] = { 7, 7, 7, 7 };
	struct ktally_ratio r;

	EXPECT_EQ(0, ktally_ratio_of(one, 1, ties, 4, 1, &r));
	EXPECT_FALSE(r.known);
	EXPECT_EQ(0, ktally_ratio_of(ties, 4, one, 0, 1, &r));
	EXPECT_FALSE(r.known);
	EXPECT_EQ(0, ktally_ratio_of(zeros, 3, ties, 4, 1, &r));
	EXPECT_FALSE(r.known || r.differs);
	EXPECT_EQ(0, ktally_ratio_of(ties, 4, ties, 4, 1, &r));
	EXPECT_TRUE(r.known);
	EXPECT_TRUE(r.value == 1 && r.low == 1 && r.high == 1);
	EXPECT_FALSE(r.differs);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
