// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * codec.c - packs and unpacks payloads by libzstd. Each block is packed by itself, so
 * that a damaged one takes no other with it. Without the library nothing is packed, and
 * packed blocks are not known. No I/O.
 */
#include <stdlib.h>

#include "codec.h"
#include "container.h"

#ifdef KTALLY_ZSTD
#include <zstd.h>

struct packer {
	ZSTD_CCtx *zstd;
	int level;
	void *out;
	size_t room;
};

bool codec_packs(void)
{
	return true;
}

bool codec_known(uint16_t codec)
{
	return codec == CODEC_NONE || codec == CODEC_ZSTD;
}

struct packer *packer_open(int level)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->level = level;
	p->zstd = ZSTD_createCCtx();
	if (p->zstd)
		return p;
	free(p);
	return NULL;
}

/* Out of memory is no reason to lose records: they are written as they came. */
static bool make_room(struct packer *p, size_t n)
{
	void *out;

	if (n <= p->room)
		return true;
	out = realloc(p->out, n);
	if (!out)
		return false;
	p->out = out;
	p->room = n;
	return true;
}

size_t packer_pack(struct packer *p, const void *from, size_t n, const void **out)
{
	size_t packed;

	if (!make_room(p, ZSTD_compressBound(n)))
		return 0;
	packed = ZSTD_compressCCtx(p->zstd, p->out, p->room, from, n, p->level);
	*out = p->out;
	/* Beyond that ratio a reader would take it for an attack on its memory. */
	if (ZSTD_isError(packed) || packed >= n || n > packed * CONTAINER_RATIO_MAX)
		return 0;
	return packed;
}

void packer_close(struct packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p->out);
	free(p);
}

bool codec_unpack(uint16_t codec, void *to, size_t n, const void *from, size_t length)
{
	return codec == CODEC_ZSTD && ZSTD_decompress(to, n, from, length) == n;
}

#else

bool codec_packs(void)
{
	return false;
}

bool codec_known(uint16_t codec)
{
	return codec == CODEC_NONE;
}

struct packer *packer_open(int level)
{
	(void)level;
	return NULL;
}

size_t packer_pack(struct packer *p, const void *from, size_t n, const void **out)
{
	(void)p, (void)from, (void)n, (void)out;
	return 0;
}

void packer_close(struct packer *p)
{
	(void)p;
}

bool codec_unpack(uint16_t codec, void *to, size_t n, const void *from, size_t length)
{
	(void)codec, (void)to, (void)n, (void)from, (void)length;
	return false;
}

#endif
