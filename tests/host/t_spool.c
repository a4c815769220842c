// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_spool.c - memory in place of a disk: what comes out is what went in, in order; the
 * bound holds, and what had to go for it is counted to the record.
 */
#include "../../user/record/spool.c"
#include "test.h"

/* A header and n records, numbered from `first`. */
static size_t subbuf(unsigned char *to, uint32_t first, uint32_t n)
{
	struct ktally_record r = { .len = 24 };
	size_t at = 0;

	for (uint32_t i = 0; i <= n; i++) {
		r.seq = first + (i ? i - 1 : 0);
		memcpy(to + at, &r, sizeof(r));
		at += r.len;
	}
	return at;
}

TEST(in_order_and_bounded)
{
	struct spool s = { .limit = 10000 };
	uint64_t dropped = 0, blocks = 0, came = 0, sent = 0, out = 0;
	unsigned char buf[4000];
	uint32_t next = 0;

	for (int i = 0; i < 500; i++) {
		uint32_t n = i * 7 % 100;
		size_t len = subbuf(buf, (uint32_t)sent, n);

		ASSERT_EQ(n, spool_records(buf, len));
		spool_add(&s, buf, len, &dropped, &blocks);
		sent += n;
		ASSERT_LE(s.bytes, s.limit);
		/* Now and then some of it is written. */
		for (int k = 0; i % 50 == 49 && k < 3 && !spool_empty(&s); k++) {
			struct ktally_record first;

			memcpy(&first, s.first->bytes, sizeof(first));
			ASSERT_LE(next, first.seq);
			next = first.seq;
			came += spool_records(s.first->bytes, s.first->n);
			spool_pop(&s);
			out++;
		}
	}
	while (!spool_empty(&s)) {
		came += spool_records(s.first->bytes, s.first->n);
		spool_pop(&s);
		out++;
	}
	EXPECT_EQ(sent, came + dropped);
	EXPECT_EQ(500, out + blocks);
	EXPECT_LT(0, dropped);
	EXPECT_EQ(0, s.bytes);
	NO_LEAKS();
}

TEST(larger_than_all_room)
{
	struct spool s = { .limit = 100 };
	uint64_t dropped = 0, blocks = 0;
	unsigned char buf[4000];
	size_t len = subbuf(buf, 0, 50);

	/* The newest is kept even so: what comes after tells what went before. */
	spool_add(&s, buf, len, &dropped, &blocks);
	EXPECT_FALSE(spool_empty(&s));
	spool_add(&s, buf, len, &dropped, &blocks);
	EXPECT_EQ(50, dropped);
	EXPECT_EQ(1, blocks);
	spool_clear(&s);
	EXPECT_EQ(0, spool_records(buf, 10));
	memset(buf, 0xff, sizeof(buf));
	EXPECT_EQ(0, spool_records(buf, sizeof(buf)));
}

TEST_HARNESS_MAIN
