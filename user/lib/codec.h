/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * codec.h - packed payloads of a recording's blocks, by libzstd where it was there at
 * build time. Memory to memory; what is unpacked may be damaged or hostile.
 */
#ifndef KTALLY_CODEC_H
#define KTALLY_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packer;

/* Can this build read it? */
bool codec_known(uint16_t codec);
/* Can this build pack? */
bool codec_packs(void);

/* NULL: no memory, or built without. */
struct packer *packer_open(int level);
/* *out is the packer's until its next use. 0: it does not become smaller, so it stays as it is. */
size_t packer_pack(struct packer *p, const void *from, size_t n, const void **out);
void packer_close(struct packer *p);

/* True if `from` unpacks to exactly n bytes. */
bool codec_unpack(uint16_t codec, void *to, size_t n, const void *from, size_t length);

#endif
