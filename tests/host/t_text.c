// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_text.c - bytes made safe to show and numbers made readable: the program's text.c,
 * taken in whole. What a shell makes of quoted words is asked of a shell.
 */
#include <locale.h>

#include "../../user/out/text.c"
#include "test.h"

#define SPAN(want, ns)							\
	({								\
		char got_[64];						\
		text_span(got_, sizeof(got_), (ns));			\
		EXPECT_STREQ(want, got_);				\
	})
#define BYTES(want, n)							\
	({								\
		char got_[64];						\
		text_bytes(got_, sizeof(got_), (n));			\
		EXPECT_STREQ(want, got_);				\
	})
#define SECONDS(want, ns, decimals)					\
	({								\
		char got_[64];						\
		text_seconds(got_, sizeof(got_), (ns), (decimals));	\
		EXPECT_STREQ(want, got_);				\
	})

TEST(characters)
{
	EXPECT_EQ(1, text_char("a", 1));
	EXPECT_EQ(2, text_char("\xc3\xa9", 2));
	EXPECT_EQ(3, text_char("\xe2\x82\xac", 3));
	EXPECT_EQ(4, text_char("\xf0\x9f\x98\x80", 4));
	EXPECT_EQ(0, text_char("", 0));
	EXPECT_EQ(0, text_char("\xc3", 1));		/* cut off */
	EXPECT_EQ(0, text_char("\xe2\x82", 2));
	EXPECT_EQ(0, text_char("\xc0\x80", 2));		/* overlong NUL */
	EXPECT_EQ(0, text_char("\xc1\xbf", 2));
	EXPECT_EQ(0, text_char("\xe0\x80\x80", 3));
	EXPECT_EQ(0, text_char("\xf0\x80\x80\x80", 4));
	EXPECT_EQ(0, text_char("\xed\xa0\x80", 3));	/* surrogate */
	EXPECT_EQ(0, text_char("\xf4\x90\x80\x80", 4));	/* beyond U+10FFFF */
	EXPECT_EQ(0, text_char("\xff", 1));
	EXPECT_EQ(0, text_char("\x80", 1));
	EXPECT_TRUE(text_valid("caf\xc3\xa9", 5));
	EXPECT_FALSE(text_valid("caf\xc3", 4));
}

TEST(controls)
{
	for (int c = 0; c < 256; c++) {
		char b[2] = { (char)c, 0 };

		EXPECT_EQ(c < 0x20 || c == 0x7f, text_control(b, 1));
	}
	EXPECT_TRUE(text_control("\xc2\x80", 2));
	EXPECT_TRUE(text_control("\xc2\x9f", 2));
	EXPECT_FALSE(text_control("\xc2\xa0", 2));
}

TEST(escaped)
{
	char out[64];

	text_escape(out, sizeof(out), "a\x1b[31m\xff\xc2\x9b", 9);
	EXPECT_STREQ("a\\x1b[31m\\xff\\xc2\\x9b", out);
	/* Cut between pieces, never within one. */
	for (size_t n = 1; n < sizeof(out); n++) {
		memset(out, 'Z', sizeof(out));
		text_escape(out, n, "\x01\xc3\xa9\x02", 4);
		EXPECT_LT(strlen(out), n);
		EXPECT_EQ(NULL, strchr(out, 'Z'));
		EXPECT_TRUE(text_valid(out, strlen(out)));
	}
}

TEST(widths)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	EXPECT_EQ(4, text_width("caf\xc3\xa9", 5));
	EXPECT_EQ(4, text_width("\xe6\x97\xa5\xe6\x9c\xac", 6));
	EXPECT_EQ(1, text_width("e\xcc\x81", 3));
	EXPECT_EQ(3, text_fit("\xe6\x97\xa5\xe6\x9c\xac", 6, 3));
	EXPECT_EQ(6, text_fit("\xe6\x97\xa5\xe6\x9c\xac", 6, 4));
	EXPECT_EQ(0, text_fit("\xe6\x97\xa5", 3, 1));
	EXPECT_EQ(3, text_fit("abcdef", 6, 3));
	setlocale(LC_CTYPE, "C");
	EXPECT_EQ(4, text_width("\xe6\x97\xa5\xe6\x9c\xac", 6));
}

TEST(ascii)
{
	char b[32] = "caf\xc3\xa9!";

	EXPECT_EQ(12, text_ascii(b, 6, sizeof(b)));
	EXPECT_STREQ("caf\\xc3\\xa9!", b);
	EXPECT_EQ(12, text_ascii(b, 12, sizeof(b)));
	strcpy(b, "\xff");
	EXPECT_EQ(1, text_ascii(b, 1, 4));	/* no room: left alone */
}

/* The words that a shell makes of text, each ended by NUL. */
static size_t shell_words(const char *text, char *out, size_t n)
{
	char command[8192];
	size_t got = 0;
	FILE *f;

	snprintf(command, sizeof(command), "printf '%%s\\0' %s", text);
	setenv("WORDS", command, 1);
	f = popen("bash -c \"$WORDS\"", "r");
	if (!f)
		return 0;
	got = fread(out, 1, n, f);
	pclose(f);
	return got;
}

TEST(quoted_words_come_back)
{
	static const char *const words[] = {
		"plain", "", "two words", "it's", "\"both\"", "a\\b", "$HOME", "`id`", "*", "~", "#x",
		"tab\there", "line\nbreak", "\x1b[31m", "caf\xc3\xa9", "bad\xff", "\xc2\x9b", "'", "''",
		"a=b", "-x", "!", "{a,b}", "end\\", "\r", "\x7f", "\\'\n", "0\x01" "1",
	};
	char argv[512], quoted[4096], back[512];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		strcpy(argv + n, words[i]);
		n += strlen(words[i]) + 1;
	}
	ASSERT_LT(text_quote_room(n), sizeof(quoted) + 4096);
	text_quote_argv(quoted, sizeof(quoted), argv, n, TEXT_FOR_SHELLS);
	EXPECT_TRUE(text_valid(quoted, strlen(quoted)));
	for (const char *p = quoted; *p; p++)
		EXPECT_GE((unsigned char)*p, 0x20);
	ASSERT_EQ(n, shell_words(quoted, back, sizeof(back)));
	EXPECT_EQ(0, memcmp(argv, back, n));
}

/* Every pair of bytes fits the room that is promised and can be read back. */
TEST(room_for_every_pair)
{
	char out[256];

	for (int a = 1; a < 256; a++)
		for (int b = 0; b < 256; b++) {
			char argv[3] = { (char)a, (char)b, 0 };
			size_t len = text_quote_argv(out, sizeof(out), argv, 3, TEXT_FOR_SHELLS);

			ASSERT_LT(len, text_quote_room(3));
			ASSERT_EQ(strlen(out), len);
			ASSERT_TRUE(text_valid(out, len));
		}
}

TEST(for_people)
{
	char out[128];

	text_quote_argv(out, sizeof(out), "[kthreadd]\0*.c\0a b\0", 19, TEXT_FOR_PEOPLE);
	EXPECT_STREQ("[kthreadd] *.c 'a b'", out);
	text_quote_argv(out, sizeof(out), "[kthreadd]\0*.c\0", 15, TEXT_FOR_SHELLS);
	EXPECT_STREQ("'[kthreadd]' '*.c'", out);
}

TEST(arguments)
{
	static const char argv[] = "a\0\0b";	/* the last one not ended */
	size_t pos = 0, len;
	const char *arg;

	ASSERT_EQ(1, text_next_arg(argv, 4, &pos, &arg, &len));
	EXPECT_EQ(1, len);
	ASSERT_EQ(1, text_next_arg(argv, 4, &pos, &arg, &len));
	EXPECT_EQ(0, len);
	ASSERT_EQ(1, text_next_arg(argv, 4, &pos, &arg, &len));
	EXPECT_EQ(1, len);
	EXPECT_EQ('b', *arg);
	EXPECT_EQ(0, text_next_arg(argv, 4, &pos, &arg, &len));
}

/* Signs of one byte each. */
static void plain_signs(void)
{
	setlocale(LC_CTYPE, "C");
	setenv("LC_ALL", "C", 1);
}

TEST(spans)
{
	plain_signs();
	SPAN("0", 0);
	SPAN("1 ns", 1);
	SPAN("999 ns", 999);
	SPAN("1.0 us", 1000);
	SPAN("999.9 us", 999949);
	SPAN("1.00 ms", 999950);
	SPAN("9.99 ms", 9994999);
	SPAN("10.0 ms", 9995000);
	SPAN("999.9 ms", 999949999);
	SPAN("1.000 s", 999950000);
	SPAN("9.999 s", 9999499999);
	SPAN("10.00 s", 9999500000);
	SPAN("100.0 s", 99995000000);
	SPAN("999.9 s", 999949999999);
	SPAN("16m39s", 999950000000);
	SPAN("59m59s", 3599 * SEC);
	SPAN("1h00m", 3600 * SEC);
	SPAN("23h59m", 86399 * SEC);
	SPAN("4d04h", 100 * 3600 * SEC);
	SPAN("213503d23h", UINT64_MAX);
}

TEST(never_wider_than_eight)
{
	char out[64];

	plain_signs();
	for (uint64_t ns = 1; ns < 1000 * 86400 * SEC; ns += ns / 7 + 1)
		ASSERT_GE(8, text_span(out, sizeof(out), ns));
	for (uint64_t n = 1; n < UINT64_MAX / 2; n += n / 7 + 1)
		ASSERT_GE(6, text_bytes(out, sizeof(out), n));
}

TEST(sizes)
{
	BYTES("0", 0);
	BYTES("999", 999);
	BYTES("1.0K", 1000);
	BYTES("1.0K", 1024);
	BYTES("999.9K", 1023900);
	BYTES("1.0M", 1024 * 1024);
	BYTES("61.0M", 61ULL << 20);
	BYTES("700.0G", 700ULL << 30);
	BYTES("16.0E", UINT64_MAX);
}

TEST(seconds)
{
	SECONDS("0.000000000", 0, 9);
	SECONDS("1.234567891", 1234567891, 9);
	SECONDS("1.235", 1234567891, 3);
	SECONDS("2", 1500000000, 0);
	SECONDS("1", 1499999999, 0);
	SECONDS("18446744073.709551615", UINT64_MAX, 9);
	SECONDS("100000.000", 99999999900000, 3);
}

TEST(signals)
{
	char out[16];

	text_signal(out, sizeof(out), 11);
	EXPECT_STREQ("SEGV", out);
	text_signal(out, sizeof(out), 9);
	EXPECT_STREQ("KILL", out);
	text_signal(out, sizeof(out), SIGRTMIN);
	EXPECT_STREQ("RTMIN", out);
	text_signal(out, sizeof(out), SIGRTMIN + 3);
	EXPECT_STREQ("RTMIN+3", out);
	text_signal(out, sizeof(out), 32);
	EXPECT_STREQ("SIG32", out);
	text_signal(out, sizeof(out), 127);
	EXPECT_STREQ("SIG127", out);
}

TEST_HARNESS_MAIN
