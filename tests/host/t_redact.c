// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_redact.c - what is overwritten in arguments and what is not, in every kind of
 * record that holds them and over all pieces of long ones.
 */
#include "container.h"
#include "test.h"

static const char *const patterns[] = { "--pass*", "*token*", "secret" };

/* words: '|' stands for the NUL between two; in a buffer of its own. */
static const char *redacted(const char *words)
{
	static char buf[256];
	struct ktally_redact *r = ktally_redact_open(patterns, 3);
	size_t n = strlen(words) + 1;

	memcpy(buf, words, n);
	for (size_t i = 0; i < n; i++)
		buf[i] = buf[i] == '|' ? '\0' : buf[i];
	ktally_redact_words(r, buf, n);
	for (size_t i = 0; i + 1 < n; i++)
		buf[i] = buf[i] ? buf[i] : '|';
	ktally_redact_close(r);
	return buf;
}

TEST(words)
{
	static const char *const table[][2] = {
		{ "mysql|--password=geheim|db", "mysql|--password=******|db" },
		{ "mysql|--password|geheim|db", "mysql|--password|******|db" },
		{ "mysql|-password|a=b|db", "mysql|-password|***|db" },
		{ "x|PASSWORD=a b c", "x|PASSWORD=*****" },
		{ "x|Secret:y|z", "x|Secret:*|z" },
		{ "curl|https://h/p?user=a&api_token=abc&x=1", "curl|https://h/p?user=a&api_token=*******" },
		{ "sh|-c|mysql --password geheim", "sh|-c|mysql --password ******" },
		{ "sh|-c|SECRET=1 make", "sh|-c|SECRET=******" },
		{ "ls|secret|x", "ls|secret|x" },		/* a name, but no option */
		{ "ls|secrets=x", "ls|secrets=x" },
		{ "make|--|-j2", "make|--|-j2" },
		{ "x|--token", "x|--token" },
		{ "x|--token||y", "x|--token||y" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		EXPECT_STREQ(table[i][1], redacted(table[i][0]));
}

/* A recording, its sub-buffers redacted one after the other, its sums made right. */
static struct bytes redacted_recording(const char *text, int *worst)
{
	struct ktally_redact *r = ktally_redact_open(patterns, 3);
	struct bytes b = record(text);
	struct crc32c crc;

	crc32c_init(&crc);
	for (size_t at = sizeof(struct container_head); at < b.n;) {
		struct block_head *h = (void *)(b.p + at);
		int ret = h->type == BLOCK_RECORDS ? ktally_redact_subbuf(r, h + 1, h->length) : 0;

		*worst = ret ? ret : *worst;
		block_seal(h, &crc, h + 1, h->length);
		at += block_span(h);
	}
	ktally_redact_close(r);
	return b;
}

TEST(every_kind)
{
	int worst = 0;
	struct bytes b = redacted_recording(
		"0.5 walk_begin walk=1 purpose=opening\n"
		"0.5 task pid=7 start=0.1 argv=\"d --token t7t7\" walk=1 threads=1 live=1\n"
		"0.5 walk_end walk=1 purpose=opening tasks=1\n"
		"1.0 fork pid=100 ppid=1\n1.1 exec pid=100 argv=\"c token=t1t1\"\n"
		"2.0 exit pid=100 code=0\n3.0 exit pid=101 code=0 argv=\"e secret=t2t2\"\n", &worst);
	struct reading r;

	ASSERT_EQ(0, worst);
	read_bytes(&r, b.p, b.n);
	EXPECT_STREQ("d|--token|****|", text(&r, life(&r, 7), "argv"));
	EXPECT_STREQ("c|token=****|", text(&r, life(&r, 100), "argv"));
	EXPECT_EQ(0, r.warnings);
	for (size_t i = 0; i + 4 <= b.n; i++)
		EXPECT_FALSE(b.p[i] == 't' && b.p[i + 2] == 't' && b.p[i + 1] == b.p[i + 3] &&
			     b.p[i + 1] >= '1' && b.p[i + 1] <= '9');
	read_done(&r);
	free(b.p);
	NO_LEAKS();
}

/* 600 bytes of words, then the name on one side of each place where a piece may end. */
TEST(pieces)
{
	for (int before = 480; before < 512; before++) {
		char line[2048];
		int n = snprintf(line, sizeof(line), "1.0 fork pid=9 ppid=1\n1.1 exec pid=9 argv=\"");
		int worst = 0;
		struct bytes b;

		for (int i = 0; i < before; i++)
			line[n++] = 'a';
		n += snprintf(line + n, sizeof(line) - n, " --password=");
		for (int i = 0; i < 700; i++)
			line[n++] = 'Z';
		snprintf(line + n, sizeof(line) - n, " end\"\n");
		b = redacted_recording(line, &worst);
		EXPECT_EQ(0, worst);
		EXPECT_EQ(NULL, memmem(b.p, b.n, "ZZZ", 3));
		EXPECT_NE(NULL, memmem(b.p, b.n, "**\0end", 6));
		free(b.p);
	}
}

/* The record in front was lost: nobody knows what the piece belongs to. */
TEST(piece_without_beginning)
{
	int worst = 0;
	struct bytes b = redacted_recording(
		"1.0 fork pid=9 ppid=1\nlost exec 1\n1.1 args pid=9 image=2 offset=512 total=520 data=ZZZZZZZZ\n",
		&worst);

	EXPECT_EQ(0, worst);
	EXPECT_EQ(NULL, memmem(b.p, b.n, "ZZZ", 3));
	free(b.p);
}

/* The CPU with the descriptions may be read last. */
TEST(before_descriptions)
{
	struct ktally_redact *r = ktally_redact_open(patterns, 3);
	struct bytes b = record("1.0 fork pid=9 ppid=1\ncpu 1\n1.1 exec pid=9 argv=\"x token=ZZZZ\"\n");

	for (size_t at = sizeof(struct container_head); at < b.n;) {
		struct block_head *h = (void *)(b.p + at);

		if (h->type == BLOCK_RECORDS && h->cpu == 1)
			EXPECT_EQ(0, ktally_redact_subbuf(r, h + 1, h->length));
		at += block_span(h);
	}
	EXPECT_EQ(NULL, memmem(b.p, b.n, "ZZZZ", 4));
	ktally_redact_close(r);
	free(b.p);
}

TEST_HARNESS_MAIN
