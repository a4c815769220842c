// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_container.c - the bytes of a recording's file: told apart from other files, with
 * blocks that are damaged, and what a reader that is older than its writer does.
 */
#include "container.h"
#include "test.h"

#define SMALL "1.0 fork pid=100 ppid=1\n2.0 exit pid=100 code=3\n"

/* Where the n-th block of a type begins. */
static size_t find_block(const struct bytes *b, int type, int n)
{
	size_t at = sizeof(struct container_head);
	struct block_head h;

	while (at < b->n) {
		memcpy(&h, b->p + at, sizeof(h));
		if (h.type == type && n-- == 0)
			return at;
		at += block_span(&h);
	}
	abort();
}

static void reseal(struct bytes *b, size_t at, void (*change)(struct block_head *h))
{
	struct crc32c crc;
	struct block_head h;

	crc32c_init(&crc);
	memcpy(&h, b->p + at, sizeof(h));
	change(&h);
	h.crc = crc32c(&crc, &h, offsetof(struct block_head, crc));
	memcpy(b->p + at, &h, sizeof(h));
}

TEST(crc32c_of_known_values)
{
	unsigned char buf[300];
	struct crc32c c, by_table;

	crc32c_init(&c);
	by_table = c;
	by_table.machine = false;
	EXPECT_EQ(0xe3069283, crc32c(&c, "123456789", 9));
	EXPECT_EQ(0xe3069283, crc32c(&by_table, "123456789", 9));
	EXPECT_EQ(0, crc32c(&c, "", 0));
	memset(buf, 0, 32);
	EXPECT_EQ(0x8a9136aa, crc32c(&by_table, buf, 32));
	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = i * 7 + 3;
	for (size_t n = 0; n < sizeof(buf); n++)
		ASSERT_EQ(crc32c(&c, buf, n), crc32c(&by_table, buf, n));
}

static void expect_refused(struct __test_metadata *_metadata, const void *p, size_t n, const char *words)
{
	struct reading r;

	read_bytes(&r, p, n);
	EXPECT_GT(0, r.opened) TH_LOG("for '%s'", words);
	EXPECT_NE(NULL, strstr(ktally_stream_error(r.stream), words))
		TH_LOG("'%s' not in '%s'", words, ktally_stream_error(r.stream));
	ktally_stream_close(r.stream);
}

static void seal_head(unsigned char *p)
{
	struct container_head h;
	struct crc32c crc;

	crc32c_init(&crc);
	memcpy(&h, p, sizeof(h));
	h.crc = crc32c(&crc, &h, offsetof(struct container_head, crc));
	if (h.order != CONTAINER_ORDER)
		h.crc = __builtin_bswap32(h.crc);
	memcpy(p, &h, sizeof(h));
}

TEST(recordings_this_reader_must_refuse)
{
	struct bytes b = record(SMALL);
	struct container_head *h = (void *)b.p;

	h->version++;
	seal_head(b.p);
	expect_refused(_metadata, b.p, b.n, "use a newer ktally");
	h->version--;
	h->word = 32;
	seal_head(b.p);
	expect_refused(_metadata, b.p, b.n, "other word size");
	h->word = 64;
	h->order = __builtin_bswap32(h->order);
	seal_head(b.p);
	expect_refused(_metadata, b.p, b.n, "other byte order");
	free(b.p);
	NO_LEAKS();
}

TEST(files_that_are_no_recordings)
{
	char text[10000];

	memset(text, 'x', sizeof(text));
	expect_refused(_metadata, "", 0, "empty");
	expect_refused(_metadata, text, 5, "not a recording");
	expect_refused(_metadata, text, sizeof(text), "not a recording");
	memcpy(text, "\x8aKTALLY\n", 8);
	expect_refused(_metadata, text, sizeof(text), "not a recording");
}

TEST(paths_that_lead_nowhere)
{
	struct reading r;

	read_files(&r, (const char *[]){ "/nonexistent.ktl" }, 1);
	EXPECT_EQ(-ENOENT, r.opened);
	EXPECT_NE(NULL, strstr(ktally_stream_error(r.stream), "/nonexistent.ktl: no such file"));
	ktally_stream_close(r.stream);
	NO_LEAKS();
}

static void to_codec_77(struct block_head *h) { h->codec = 77; }
static void to_type_99(struct block_head *h) { h->type = 99; }

TEST(an_unknown_codec_is_skipped_and_told)
{
	struct bytes b = record(SMALL "cpu 1\n1.5 mark text=x\n");
	struct reading r;

	reseal(&b, find_block(&b, BLOCK_RECORDS, 1), to_codec_77);
	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(1, r.info->unknown_codecs);
	EXPECT_NE(NULL, warning(&r, "1 blocks skipped: packed by codec 77"));
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	read_done(&r);
	free(b.p);
}

TEST(an_unknown_kind_of_block_is_no_matter)
{
	struct bytes b = record(SMALL);
	struct reading r;

	reseal(&b, find_block(&b, BLOCK_DESCRIPTIONS, 0), to_type_99);
	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(0, r.warnings);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	read_done(&r);
	free(b.p);
}

TEST(bytes_behind_the_end_are_told)
{
	struct bytes b = record(SMALL);
	struct reading r;

	b.p = realloc(b.p, 2 * b.n);
	memcpy(b.p + b.n, b.p, b.n);
	read_bytes(&r, b.p, 2 * b.n);
	EXPECT_NE(NULL, warning(&r, "behind its end"));
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	read_done(&r);
	free(b.p);
}

/* A process may put a whole block, taken from any recording, into its arguments. */
TEST(a_block_inside_of_arguments_is_not_taken_for_one)
{
	struct bytes b = record(SMALL "1.5 exec pid=100 argv=SEVENHUNDREDBYTES\\x20of\\x20room----------"
		"---------------------------------------------------------------------------------------------"
		"---------------------------------------------------------------------------------------------"
		"---------------------------------------------------------------------------------------------"
		"---------------------------------------------------------------------------------------------\n");
	unsigned char *room = memmem(b.p, b.n, "SEVENHUNDRED", 12);
	struct block_head h = { .type = BLOCK_RECORDS, .file_id = 12345, .records = 7 };
	struct crc32c crc;
	struct reading r;

	crc32c_init(&crc);
	block_seal(&h, &crc, "", 0);
	memcpy(room, &h, sizeof(h));		/* the block around it is damaged now */
	b.p[find_block(&b, BLOCK_RECORDS, 0)] ^= 1;	/* and its head: a search begins */
	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(0, r.info->blocks);
	EXPECT_NE(NULL, warning(&r, "damaged at"));
	read_done(&r);
	free(b.p);
}

TEST(one_damaged_block_takes_no_descriptions_with_it)
{
	struct bytes b = record("subbuf 8K\n1.0 fork pid=100 ppid=1\nflush\n2.0 exit pid=100 code=3\n");
	struct reading r;

	/* The first blocks hold the descriptions in the stream. */
	b.p[find_block(&b, BLOCK_RECORDS, 0) + 200] ^= 1;
	b.p[find_block(&b, BLOCK_RECORDS, 1) + 200] ^= 1;
	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_EQ(3, number(&r, life(&r, 100), "exit_code"));
	EXPECT_EQ(2, r.info->missing_blocks);
	EXPECT_NE(NULL, warning(&r, "damaged at"));
	read_done(&r);
	free(b.p);
}

TEST(a_damaged_head_hides_only_what_it_held)
{
	struct bytes b = record("host secret\n" SMALL);
	struct reading r;

	memset(b.p, 0, 100);
	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_STREQ("", r.info->host);
	EXPECT_NE(NULL, warning(&r, "head is damaged"));
	read_done(&r);
	free(b.p);
}

TEST_HARNESS_MAIN
