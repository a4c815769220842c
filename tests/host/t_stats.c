// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_stats.c - figures over many values, against values that R computed:
 * quantile(x, type = 7), sd(x).
 */
#include <math.h>

#include "test.h"

#define NEAR(want, got) EXPECT_LT(fabs((want) - (got)), 1e-9 * (fabs(want) + 1))

TEST(none)
{
	struct ktally_stats s = { .n = 9 };

	ktally_stats_of(NULL, 0, &s);
	EXPECT_EQ(0, s.n);
	EXPECT_FALSE(s.has_sd);
}

TEST(one)
{
	uint64_t x[] = { 7 };
	struct ktally_stats s;

	ktally_stats_of(x, 1, &s);
	NEAR(7.0, s.mean);
	NEAR(7.0, s.min);
	NEAR(7.0, s.p25);
	NEAR(7.0, s.median);
	NEAR(7.0, s.max);
	EXPECT_FALSE(s.has_sd);
	EXPECT_FALSE(isnan(s.sd));
}

TEST(two)
{
	uint64_t x[] = { 10, 20 };
	struct ktally_stats s;

	ktally_stats_of(x, 2, &s);
	NEAR(12.5, s.p25);
	NEAR(15.0, s.median);
	NEAR(17.5, s.p75);
	NEAR(7.0710678118654755, s.sd);
	EXPECT_TRUE(s.has_sd);
}

/* x <- c(2, 3, 5, 7, 11, 13, 17, 19, 23, 29) */
TEST(ten)
{
	uint64_t x[] = { 29, 3, 5, 7, 2, 13, 17, 19, 23, 11 };
	struct ktally_stats s;

	ktally_sort(x, 10);
	ktally_stats_of(x, 10, &s);
	NEAR(129.0, s.total);
	NEAR(12.9, s.mean);
	NEAR(5.5, s.p25);
	NEAR(12.0, s.median);
	NEAR(18.5, s.p75);
	NEAR(2.0, s.min);
	NEAR(29.0, s.max);
	NEAR(9.024041962077378, s.sd);
	NEAR(23.6, ktally_quantile(x, 10, 0.9));
	NEAR(2.0, ktally_quantile(x, 10, 0));
	NEAR(29.0, ktally_quantile(x, 10, 1));
}

/* Nanoseconds of 300 years that differ in the last digits. */
TEST(big_values_keep_their_spread)
{
	uint64_t x[] = { 9000000000000000001ULL, 9000000000000000002ULL, 9000000000000000003ULL };
	struct ktally_stats s;

	ktally_stats_of(x, 3, &s);
	NEAR(1.0, s.sd);
	NEAR(9e18, s.mean);
}

TEST_HARNESS_MAIN
