// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pack.c - packed blocks and the index: the same records as without, from any part of
 * a file that is left, and no more memory than the file's size allows. Blocks are
 * unpacked by zstd's own program here, not by the library that packed them.
 */
#include "codec.h"
#include "container.h"
#include "index.h"
#include "test.h"

#define LIVES	150		/* a block each: more than an index is worth writing for */

static struct bytes many(const char *settings, int lives)
{
	size_t room = 200 + 100 * (size_t)lives, n;
	char *text = malloc(room);
	struct bytes b;

	n = sprintf(text, "subbuf 4K\n%s", settings);
	for (int i = 0; i < lives; i++)
		n += snprintf(text + n, room - n, "%d.5 fork pid=%d ppid=1\n%d.9 exit pid=%d code=%d\nflush\n",
			      i + 1, 100 + i, i + 1, 100 + i, i & 63);
	b = record(text);
	free(text);
	return b;
}

/* Where the n-th block of a type begins; the size of the file if there is none. */
static size_t find_block(const struct bytes *b, int type, int n)
{
	size_t at = sizeof(struct container_head);
	struct block_head h;

	for (; at < b->n; at += block_span(&h)) {
		memcpy(&h, b->p + at, sizeof(h));
		if (h.type == type && n-- == 0)
			return at;
	}
	return b->n;
}

static void expect_all(struct __test_metadata *_metadata, const struct bytes *b, int lives, size_t warnings)
{
	struct reading r;

	read_bytes(&r, b->p, b->n);
	ASSERT_EQ(0, r.opened);
	ASSERT_EQ(warnings, r.warnings) TH_LOG("%s", ktally_stream_warning(r.stream, 0));
	for (int i = 0; i < lives; i++) {
		ASSERT_NE(NULL, life(&r, 100 + i));
		ASSERT_EQ(i & 63, number(&r, life(&r, 100 + i), "exit_code"));
	}
	ASSERT_EQ(lives, r.balance.forks);
	ASSERT_EQ(0, r.balance.difference);
	read_done(&r);
}

/* `zstd -d` of these bytes. */
static struct bytes by_program(const void *from, size_t n)
{
	const char *dir = scratch();
	char in[80], out[80], command[200];
	struct bytes b;

	sprintf(in, "%s/in", dir);
	sprintf(out, "%s/out", dir);
	save(in, from, n);
	sprintf(command, "zstd -q -d -f -o '%s' '%s'", out, in);
	if (system(command))
		abort();
	b = load(out);
	remove_scratch(dir);
	return b;
}

TEST(packed_blocks_are_those_of_zstd)
{
	struct bytes plain = many("", 5), packed = many("pack\n", 5);
	int seen = 0;

	if (!codec_packs())
		SKIP(goto out, "built without libzstd");
	if (system("zstd --version > /dev/null 2>&1"))
		SKIP(goto out, "no zstd here");
	for (int i = 0;; i++) {
		size_t at = find_block(&packed, BLOCK_RECORDS, i), was = find_block(&plain, BLOCK_RECORDS, i);
		struct block_head h, w;
		struct bytes raw;

		if (at == packed.n)
			break;
		memcpy(&h, packed.p + at, sizeof(h));
		memcpy(&w, plain.p + was, sizeof(w));
		ASSERT_EQ(CODEC_ZSTD, h.codec);
		ASSERT_EQ(w.length, h.raw_length);
		ASSERT_LT(h.length, w.length);
		raw = by_program(packed.p + at + sizeof(h), h.length);
		ASSERT_EQ(w.length, raw.n);
		ASSERT_EQ(0, memcmp(raw.p, plain.p + was + sizeof(w), raw.n));
		free(raw.p);
		seen++;
	}
	ASSERT_LE(6, seen);
	ASSERT_LT(packed.n, plain.n);
out:
	free(plain.p);
	free(packed.p);
}

TEST(the_same_with_index_and_without)
{
	static const char *const settings[] = { "", "pack\n" };

	for (int i = 0; i < 2; i++) {
		struct bytes b = many(settings[i], LIVES), few = many(settings[i], 10);
		size_t at = find_block(&b, BLOCK_INDEX, 0);

		ASSERT_LT(at, b.n);
		ASSERT_EQ(few.n, find_block(&few, BLOCK_INDEX, 0));
		expect_all(_metadata, &b, LIVES, 0);
		/* The heads in the index do for those in the file. */
		b.p[find_block(&b, BLOCK_RECORDS, 70) + 20] ^= 1;
		expect_all(_metadata, &b, LIVES, 0);
		free(b.p);
		free(few.p);
	}
}

/* A damaged index is as good as none: not one record is missing, nothing is told twice. */
TEST(any_damage_of_the_index)
{
	struct bytes b = many("", LIVES);
	size_t begin = find_block(&b, BLOCK_INDEX, 0);

	for (size_t at = begin; at < b.n; at += 241) {
		struct reading r;

		b.p[at] ^= 0x55;
		read_bytes(&r, b.p, b.n);
		ASSERT_EQ(0, r.opened);
		ASSERT_EQ(LIVES, r.balance.forks) TH_LOG("byte %zu behind %zu", at - begin, begin);
		read_done(&r);
		b.p[at] ^= 0x55;
	}
	free(b.p);
}

/* A killed recorder, a cut file: everything up to the last whole block, and the cut is told. */
TEST(cut_anywhere)
{
	static const char *const settings[] = { "", "pack\n" };

	for (int i = 0; i < 2; i++) {
		struct bytes b = many(settings[i], 100);

		for (size_t n = find_block(&b, BLOCK_RECORDS, 3); n < b.n; n += 1 + b.n / 25) {
			unsigned char *cut = memcpy(malloc(n), b.p, n);
			struct bytes left = { cut, n };
			size_t whole = 0, ends = 0;
			struct reading r;

			/* Blocks that end before the cut, by a walk of our own. */
			for (size_t at = sizeof(struct container_head); at + sizeof(struct block_head) <= n;) {
				struct block_head h;

				memcpy(&h, left.p + at, sizeof(h));
				at += block_span(&h);
				if (at <= n && h.type == BLOCK_RECORDS) {
					whole += h.records;
					ends = at;
				}
			}
			read_bytes(&r, cut, n);
			ASSERT_EQ(0, r.opened);
			ASSERT_LE(whole, r.records) TH_LOG("cut at %zu, last block to %zu", n, ends);
			ASSERT_NE(NULL, warning(&r, "cut off at"));
			ASSERT_EQ(n, r.info->cut_at);
			read_done(&r);
			free(cut);
		}
		free(b.p);
	}
	NO_LEAKS();
}

/* More blocks than one index holds. */
TEST(an_index_of_several_parts)
{
	struct bytes b = many("pack\n", INDEX_EVERY + 100);

	ASSERT_LT(find_block(&b, BLOCK_INDEX, 1), b.n);
	ASSERT_EQ(b.n, find_block(&b, BLOCK_INDEX, 2));
	expect_all(_metadata, &b, INDEX_EVERY + 100, 0);
	free(b.p);
}

static void reseal(struct bytes *b, size_t at, const struct block_head *changed)
{
	struct block_head h = *changed;
	struct crc32c crc;

	crc32c_init(&crc);
	h.crc = crc32c(&crc, &h, offsetof(struct block_head, crc));
	memcpy(b->p + at, &h, sizeof(h));
}

/* Heads that promise more, or less, than their payload holds. */
TEST(lengths_that_lie)
{
	static const struct { uint32_t factor, more; } lies[] = {
		{ 1, 1 }, { 1, -8 }, { 2, 0 }, { 0, 0 }, { 200, 0 }, { 1, 64 << 20 }, { 0, -1 },
	};
	struct bytes b = many("pack\n", 5);
	size_t at = find_block(&b, BLOCK_RECORDS, 3);
	struct block_head h;

	memcpy(&h, b.p + at, sizeof(h));
	if (!codec_packs())
		SKIP(goto out, "built without libzstd");
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct block_head lie = h;
		struct reading r;

		lie.raw_length = h.raw_length * lies[i].factor + lies[i].more;
		reseal(&b, at, &lie);
		read_bytes(&r, b.p, b.n);
		ASSERT_EQ(0, r.opened);
		EXPECT_NE(NULL, warning(&r, "damaged at")) TH_LOG("lie %zu", i);
		EXPECT_LE(1, r.info->missing_blocks);
		EXPECT_LE(8, r.records);
		read_done(&r);
	}
	NO_LEAKS();
out:
	free(b.p);
}

TEST_HARNESS_MAIN
