// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_hostile.c - recordings that somebody made to exhaust or mislead whoever reads them:
 * what they claim costs nothing, what they hold costs in proportion to their bytes.
 */
#include "../fuzz/fuzz.h"
#include "container.h"
#include "test.h"

/* Of the sanitizers' runtime; gcc has no header for it. */
size_t __sanitizer_get_current_allocated_bytes(void);

static size_t allocated(void)
{
	return __sanitizer_get_current_allocated_bytes();
}

/* The N-th block of records of a recording. */
static struct block_head *records_block(struct bytes *b, int n)
{
	for (size_t at = sizeof(struct container_head); at < b->n;) {
		struct block_head *h = (void *)(b->p + at);

		if (h->type == BLOCK_RECORDS && !n--)
			return h;
		at += block_span(h);
	}
	abort();
}

static void seal(struct block_head *h)
{
	struct crc32c crc;

	crc32c_init(&crc);
	block_seal(h, &crc, h + 1, h->length);
}

/* 2^32 CPUs: the block is no block. */
TEST(cpu_that_no_machine_has)
{
	struct bytes b = record("1.0 fork pid=100 ppid=1\nflush\n2.0 exit pid=100 code=0\n");
	struct block_head *h = records_block(&b, 1);
	struct ktally_header *inner = (void *)((char *)(h + 1) + sizeof(struct ktally_record));
	size_t before = allocated();
	struct reading r;

	h->cpu = inner->cpu = UINT32_MAX;
	seal(h);
	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	EXPECT_TRUE(allocated() - before < 4 << 20);
	EXPECT_NE(NULL, warning(&r, "damage"));
	EXPECT_NE(NULL, life(&r, 100));
	read_done(&r);
	free(b.p);
}

/* Heads of blocks, 80 bytes each, of as many sessions. */
TEST(sessions_without_end)
{
	struct bytes b = record("1.0 fork pid=100 ppid=1\n2.0 exit pid=100 code=0\n");
	enum { N = 20000 };
	unsigned char *p = malloc(b.n + N * sizeof(struct block_head));
	struct block_head h = *records_block(&b, 0);
	size_t at = (char *)records_block(&b, 0) - (char *)b.p, before, used;
	struct crc32c crc;
	struct reading r;

	crc32c_init(&crc);
	memcpy(p, b.p, at);
	for (uint32_t i = 0; i < N; i++) {
		h.session = 1000 + i;
		h.load_id = i;
		h.first_time = h.last_time = i;
		block_seal(&h, &crc, NULL, 0);
		memcpy(p + at + i * sizeof(h), &h, sizeof(h));
	}
	memcpy(p + at + N * sizeof(h), b.p + at, b.n - at);
	before = allocated();
	read_bytes(&r, p, b.n + N * sizeof(h));
	used = allocated() - before;
	EXPECT_TRUE(used < 16 << 20);
	EXPECT_TRUE(!r.opened || strstr(ktally_stream_error(r.stream), "same time"));
	read_done(&r);
	free(p);
	free(b.p);
}

/* n lines behind the first; each gets a number that grows or falls. */
static char *lines(const char *first, const char *format, size_t from, int step, size_t n)
{
	char *text = NULL;
	size_t room;
	FILE *f = open_memstream(&text, &room);

	fputs(first, f);
	for (; n--; from += step)
		fprintf(f, format, from);
	fclose(f);
	return text;
}

/* Programs numbered backwards: each would be put in front of all others. */
TEST(programs_in_reverse)
{
	char *text = lines("1.0 fork pid=100 ppid=1\n", "1.1 exec pid=100 image=%zu argv=x\n", 9999, -1, 5000);
	struct bytes b = record(text);
	struct reading r;

	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	ASSERT_NE(NULL, life(&r, 100));
	EXPECT_TRUE(life(&r, 100)->n_images <= 200);
	EXPECT_TRUE(ktally_model_bytes(r.model) < 4 * b.n);
	read_done(&r);
	free(b.p);
	free(text);
}

/* Arguments byte by byte: memory grows as they do, not as their square. */
TEST(arguments_in_pieces)
{
	char *text = lines("1.0 fork pid=100 ppid=1\n1.1 exec pid=100 argv=xy argv_len=4294967295\n",
			   "1.1 args pid=100 total=4294967295 data=z offset=%zu\n", 3, 1, 20000);
	struct reading r;
	struct bytes b;

	b = record(text);
	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	ASSERT_NE(NULL, life(&r, 100));
	EXPECT_EQ(20003, ktally_life_image(life(&r, 100))->argv_len);
	EXPECT_TRUE(ktally_model_bytes(r.model) < b.n);
	read_done(&r);
	free(b.p);
	free(text);
}

/* Numbers of the largest size in each place that is a count. */
TEST(claims)
{
	struct bytes b = record(
		"0.5 walk_begin walk=1 purpose=opening\n"
		"0.5 task pid=1 start=0 comm=init walk=1 threads=4294967295 live=4294967295 argv_len=4294967295\n"
		"0.5 walk_end walk=1 purpose=opening tasks=1000000000000\n"
		"1.0 fork pid=100 ppid=1\n"
		"1.1 exec pid=100 argv=x argc=4294967295 argv_len=4294967295 argv_kept=4294967295 envc=4294967295\n"
		"threads 18446744073709551615\nfiltered exit 18446744073709551615\n"
		"2.0 exit pid=100 code=0 threads=4294967295 runtime=18446744073709551615 peak_rss=18446744073709551615\n");
	size_t before = allocated();
	struct reading r;

	read_bytes(&r, b.p, b.n);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(0, r.ended);
	EXPECT_TRUE(allocated() - before < 4 << 20);
	EXPECT_EQ(2, r.model ? (int)!!life(&r, 1) + !!life(&r, 100) : 0);
	EXPECT_NE(0, r.info->filtered[KTALLY_EXIT]);
	read_done(&r);
	free(b.p);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
