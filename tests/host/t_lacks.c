// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_lacks.c - what a kernel cannot give: of each bit that is missing a word, of none
 * that is there.
 */
#include "test.h"

#include "../../user/lacks.c"

#define MEASURES (KTALLY_FEAT_EXIT_ARG | KTALLY_FEAT_PREPARE_EXEC | KTALLY_FEAT_CGROUP |	\
		  KTALLY_FEAT_CGROUP_PATHS | KTALLY_FEAT_IO | KTALLY_FEAT_RUN_DELAY |		\
		  KTALLY_FEAT_SLICE | KTALLY_FEAT_NET | KTALLY_FEAT_SOCK_LENGTH)

static int count(uint64_t features)
{
	int n = 0;

	for (const struct lack *l = NULL; (l = lacks_next(l, features));)
		n++;
	return n;
}

TEST(nothing_is_said_where_nothing_is_missing)
{
	ASSERT_EQ(0, count(MEASURES));
	ASSERT_EQ(0, count(~0ULL));
}

TEST(a_kprobe_is_as_good_as_the_argument)
{
	ASSERT_EQ(0, count((MEASURES & ~KTALLY_FEAT_EXIT_ARG) | KTALLY_FEAT_EXIT_KPROBE));
	ASSERT_EQ(1, count((MEASURES & ~KTALLY_FEAT_EXIT_ARG) | KTALLY_FEAT_EXIT_SLOTS));
}

TEST(each_missing_bit_is_one_word)
{
	for (int bit = 0; bit < 64; bit++)
		if (MEASURES >> bit & 1)
			ASSERT_EQ(1, count(MEASURES & ~(1ULL << bit)));
}

TEST(what_is_part_of_something_missing_is_not_said_too)
{
	ASSERT_EQ(1, count(MEASURES & ~(KTALLY_FEAT_NET | KTALLY_FEAT_SOCK_LENGTH)));
	ASSERT_EQ(1, count(MEASURES & ~(KTALLY_FEAT_CGROUP | KTALLY_FEAT_CGROUP_PATHS)));
	ASSERT_EQ(7, count(0));
}

TEST_HARNESS_MAIN
