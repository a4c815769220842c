/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crc32c.h - CRC-32C (Castagnoli), the checksum of a recording's blocks. The
 * tables live in a struct of the caller's, made once per handle: no globals.
 */
#ifndef KTALLY_CRC32C_H
#define KTALLY_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crc32c {
	uint32_t table[8][256];
	bool machine;			/* the CPU has an instruction for it */
};

void crc32c_init(struct crc32c *c);
uint32_t crc32c(const struct crc32c *c, const void *data, size_t n);

#endif
