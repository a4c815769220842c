// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pattern.c - how large regular expressions become, counted by hand.
 */
#include <regex.h>

#include "test.h"

#include "../../user/pattern.c"

static const struct {
	const char *pattern;
	size_t size;
} counted[] = {
	{ "", 0 }, { "abc", 3 }, { "a|bc", 4 }, { "a*b?", 2 }, { "a+", 4 }, { "a++", 16 }, { "(ab)", 3 }, { "(ab)+c", 13 },
	{ "((a+)+)+", 84 }, { "a{3}", 4 }, { "a{2,5}", 6 }, { "a{4,}", 20 }, { "(ab){9}", 30 }, { "[a-z]+", 4 }, { "[]+]", 1 },
	{ "[^]+*]{2}", 3 }, { "[[:digit:]+]", 1 }, { "[[.].]++]", 1 }, { "a\\+", 2 }, { "\\(+", 4 }, { "a\\", 2 }, { "[a+", 1 },
	{ "(a", 2 }, { "a)+b", 3 }, { "a{", 1 }, { "a{99999999999999999999}", PATTERN_SIZE_MAX },
	{ "a++++++++++++++++++", PATTERN_SIZE_MAX }, { "a.*++++++++", PATTERN_SIZE_MAX }, { "(a*){15,}{15,}", PATTERN_SIZE_MAX }, { "((a{99}){99}){99}", PATTERN_SIZE_MAX },
	{ "(((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", PATTERN_SIZE_MAX },
};

TEST(sizes_counted_by_hand)
{
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		size_t size = pattern_size(counted[i].pattern);

		if (size != counted[i].size)
			fprintf(stderr, "%s: %zu\n", counted[i].pattern, size);
		EXPECT_EQ(counted[i].size, size);
	}
}

/* Repetitions of what may be nothing, until it is too large: what passes is made at once. */
TEST(what_passes_is_made)
{
	static const char *const repeated[] = { "+", "*", "{2}", "{1,}", "{0,3}", "{9}", "{7,}", "{15,}", "{0,31}", "{60}" };

	for (size_t i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++) {
		char nested[100] = "a(b|.*)";
		regex_t r;

		for (int n = 0; n < 10 && pattern_size(nested) < PATTERN_SIZE_MAX; n++) {
			EXPECT_EQ(0, regcomp(&r, nested, REG_EXTENDED | REG_NOSUB));
			regfree(&r);
			strcat(nested, repeated[i]);
		}
	}
}

TEST_HARNESS_MAIN
