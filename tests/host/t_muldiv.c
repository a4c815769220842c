// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_muldiv.c - products by words are those of the compiler's 128 bits.
 */
#include "muldiv.h"

#include "test.h"

static const uint64_t edges[] = {
	0, 1, 2, 3, 999999999, 1000000000, UINT32_MAX, 1ULL << 32, (1ULL << 32) + 1, 86400000000000,
	0x9e3779b97f4a7c15, INT64_MAX, 1ULL << 63, (1ULL << 63) + 1, UINT64_MAX - 1, UINT64_MAX,
};
enum { N = sizeof(edges) / sizeof(edges[0]) };

TEST(upper_and_lower_half)
{
	uint64_t low;

	for (int a = 0; a < N; a++)
		for (int b = 0; b < N; b++) {
			unsigned __int128 all = (unsigned __int128)edges[a] * edges[b];

			ASSERT_EQ(mul_wide(edges[a], edges[b], &low), (uint64_t)(all >> 64));
			ASSERT_EQ(low, (uint64_t)all);
		}
}

TEST(every_quotient_that_fits)
{
	int fit = 0;

	for (int n = 0; n < N * N * N; n++) {
		uint64_t a = edges[n % N], b = edges[n / N % N], c = edges[n / N / N];
		unsigned __int128 all = (unsigned __int128)a * b;

		if (!c || all / c > UINT64_MAX)
			continue;
		ASSERT_EQ(mul_div_by_words(a, b, c), (uint64_t)(all / c));
		ASSERT_EQ(mul_div(a, b, c), (uint64_t)(all / c));
		fit++;
	}
	ASSERT_GT(fit, N * N);
}

TEST_HARNESS_MAIN
