// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * elsewhere WHAT FROM TO - copies a recording as another machine would have written its
 * head and the heads of its blocks: order: the other byte order, word: 32-bit longs, same:
 * as it is. Knows docs/format.md, nothing of ktally.
 */
#include "truth.h"

enum { HEAD = 32, HEAD_SUMMED = 24, BLOCK = 80, BLOCK_SUMMED = 76 };

static const unsigned char head_fields[] = { 8, 4, 2, 1, 1, 8, 4, 4, 0 };
static const unsigned char block_fields[] = {
	4, 4, 4, 2, 2, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 0,
};

static uint32_t crc32c(const unsigned char *p, size_t n)
{
	uint32_t crc = ~0U;

	while (n--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
	}
	return ~crc;
}

static void swap(unsigned char *p, const unsigned char *sizes, size_t skip)
{
	for (; *sizes; p += *sizes++)
		for (int i = 0; !skip && i < *sizes / 2; i++) {
			unsigned char c = p[i];

			p[i] = p[*sizes - 1 - i];
			p[*sizes - 1 - i] = c;
		}
}

/* The sum is of the bytes as that machine has them, and is itself a number of its order. */
static void seal(unsigned char *p, size_t summed, int swapped)
{
	uint32_t crc = crc32c(p, summed);

	crc = swapped ? __builtin_bswap32(crc) : crc;
	memcpy(p + summed, &crc, sizeof crc);
}

static void change(unsigned char *all, size_t n, int swapped, int word)
{
	unsigned char magic[8];

	memcpy(magic, all, sizeof magic);
	if (word)
		all[14] = 32;
	swap(all, head_fields, !swapped);
	memcpy(all, magic, sizeof magic);
	seal(all, HEAD_SUMMED, swapped);
	for (size_t at = HEAD; at + BLOCK <= n;) {
		uint32_t length;

		memcpy(&length, all + at + 4, sizeof length);
		need(length <= n - at - BLOCK, "length of a block");
		swap(all + at, block_fields, !swapped);
		seal(all + at, BLOCK_SUMMED, swapped);
		at += BLOCK + ((length + 7U) & ~7U);
	}
}

int main(int argc, char **argv)
{
	static unsigned char all[16 << 20];
	size_t n;
	FILE *f;

	if (argc != 4)
		return 2;
	f = fopen(argv[2], "r");
	need(!!f, argv[2]);
	n = fread(all, 1, sizeof all, f);
	need(n > HEAD && n < sizeof all && !fclose(f), "read");
	change(all, n, !strcmp(argv[1], "order"), !strcmp(argv[1], "word"));
	f = fopen(argv[3], "w");
	need(f && fwrite(all, 1, n, f) == n && !fclose(f), "write");
	return 0;
}
