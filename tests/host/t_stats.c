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

/* Every number below ten million once, in an order that helps no sorter, and all of them equal. */
TEST(ten_million)
{
	enum { N = 10000000 };
	uint64_t *x = malloc(N * sizeof(*x));
	struct ktally_stats s;
	double low, high;

	ASSERT_NE(NULL, x);
	for (uint64_t i = 0; i < N; i++)
		x[i] = (i * 7368787 + 12345) % N << 20;
	ktally_sort(x, N);
	for (uint64_t i = 0; i < N; i++)
		if (x[i] != i << 20)
			ASSERT_EQ(i << 20, x[i]);
	ktally_stats_of(x, N, &s);
	NEAR((N - 1) / 2.0 * 1048576, s.mean);
	NEAR((N - 1) / 4.0 * 1048576, s.p25);
	NEAR(1048576 * sqrt((N * (N + 1.0)) / 12), s.sd);
	EXPECT_TRUE(ktally_median_bounds(x, N, &low, &high));
	EXPECT_TRUE(low < s.median && s.median < high && high - low < 1048576 * 6300.0);
	for (uint64_t i = 0; i < N; i++)
		x[i] = 7;
	ktally_sort(x, N);
	ktally_stats_of(x, N, &s);
	NEAR(7.0, s.median);
	NEAR(0.0, s.sd);
	free(x);
}

TEST(bounds)
{
	const uint64_t x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const double few[] = { 10, 12, 11, 14, 13 }, many[100] = { 1 };
	double low, high;

	/* Of five coins none shows heads once in 32; of ten, fewer than two once in 93. */
	EXPECT_FALSE(ktally_median_bounds(x, 0, &low, &high));
	EXPECT_FALSE(ktally_median_bounds(x, 5, &low, &high));
	EXPECT_TRUE(ktally_median_bounds(x, 6, &low, &high));
	EXPECT_TRUE(low == 1 && high == 6);
	EXPECT_TRUE(ktally_median_bounds(x, 10, &low, &high));
	EXPECT_TRUE(low == 2 && high == 9);
	/* R: t.test(c(10, 12, 11, 14, 13))$conf.int */
	EXPECT_TRUE(ktally_mean_bounds(few, 5, &low, &high));
	EXPECT_LT(fabs(low - 10.03676), 1e-5);
	EXPECT_LT(fabs(high - 13.96324), 1e-5);
	/* qt(0.975, 99) = 1.984217; sd 0.1, so its half is that / 100 */
	EXPECT_TRUE(ktally_mean_bounds(many, 100, &low, &high));
	EXPECT_LT(fabs((high - low) / 2 - 0.01984217), 1e-7);
	EXPECT_FALSE(ktally_mean_bounds(few, 1, &low, &high));
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

/* Chance by trying all ways to choose n of the n + m ranks. */
static double by_trying(size_t n, size_t m, double u)
{
	double far = fabs(u - n * m / 2.0), hits = 0, all = 0;

	for (unsigned int set = 0; set < 1U << (n + m); set++) {
		double pairs = 0, seen = 0;

		if ((size_t)__builtin_popcount(set) != n)
			continue;
		for (size_t i = 0; i < n + m; i++)
			if (set >> i & 1)
				seen++;
			else
				pairs += seen;
		all++;
		hits += fabs(pairs - n * m / 2.0) >= far - 1e-9;
	}
	return hits / all;
}

TEST(ranks_by_trying_all)
{
	for (size_t n = 1; n <= 6; n++)
		for (size_t m = 1; m <= 6; m++)
			for (unsigned int set = 0; set < 1U << (n + m); set += 7) {
				uint64_t a[12], b[12];
				size_t in_a = 0, in_b = 0;
				double u = 0;

				for (size_t i = 0; i < n + m; i++)
					if (set >> i & 1) {
						a[in_a++] = 10 * i;
					} else {
						b[in_b++] = 10 * i;
						u += in_a;
					}
				if (in_a != n)
					continue;
				NEAR(by_trying(n, m, u), ktally_rank_test(a, n, b, m));
			}
}

/* Against the recurrence over whole numbers, and the formulas, computed elsewhere. */
TEST(ranks_as_known)
{
	uint64_t low[] = { 1, 2, 3, 4 }, high[] = { 5, 6, 7, 8 };
	uint64_t tied_a[] = { 1, 2, 2, 3, 5 }, tied_b[] = { 2, 4, 5, 6, 7, 7 };
	uint64_t many[2][60];

	NEAR(2.0 / 70, ktally_rank_test(low, 4, high, 4));
	NEAR(2.0 / 70, ktally_rank_test(high, 4, low, 4));
	NEAR(2.0 / 70, ktally_rank_least(4, 4));
	NEAR(1.0, ktally_rank_least(1, 1));
	NEAR(1.0, ktally_rank_test(low, 1, high, 1));
	NEAR(1.0, ktally_rank_test(low, 4, low, 4));
	NEAR(1.0, ktally_rank_test(low, 0, high, 4));
	/* u = 25.5 of 30, groups of 3, 2 and 2 equal values */
	NEAR(0.06414661873440443, ktally_rank_test(tied_a, 5, tied_b, 6));
	for (int i = 0; i < 60; i++) {
		many[0][i] = 1000 + 10 * i;
		many[1][i] = 1205 + 10 * i;
	}
	EXPECT_LT(fabs(ktally_rank_test(many[0], 50, many[1], 50) / 3.3553375012889068e-09 - 1), 1e-9);
	EXPECT_LT(fabs(ktally_rank_test(many[0], 60, many[1], 60) / 8.747567722893554e-08 - 1), 1e-9);
}

TEST(many_looks_cost)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, *at[] = { &p[0], &p[1], &p[2], &p[3] };

	/* As Holm's procedure says: 4 x 0.005, 3 x 0.01, 2 x 0.03, and never less than the one before. */
	ASSERT_EQ(0, ktally_rank_adjust(at, 4));
	NEAR(0.03, p[0]);
	NEAR(0.06, p[1]);
	NEAR(0.06, p[2]);
	NEAR(0.02, p[3]);
	ASSERT_EQ(0, ktally_rank_adjust(at, 0));
}

TEST_HARNESS_MAIN
