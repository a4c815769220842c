/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto.h - the wire form of protobuf: fields appended to bytes in memory. A message
 * within another one is made by itself and then put as bytes.
 *
 * Text must be UTF-8: text_escape() sees to it. Memory that ran out is told by `oom`,
 * and everything after it dropped, so that callers ask once.
 */
#ifndef KTALLY_OUT_PROTO_H
#define KTALLY_OUT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto {
	unsigned char *p;
	size_t n, room;
	bool oom;
};

void proto_uint(struct proto *m, unsigned int field, uint64_t v);
void proto_int(struct proto *m, unsigned int field, int64_t v);	/* int32 and int64, not sint */
void proto_fixed64(struct proto *m, unsigned int field, uint64_t v);
void proto_double(struct proto *m, unsigned int field, double v);
void proto_bytes(struct proto *m, unsigned int field, const void *p, size_t n);
void proto_string(struct proto *m, unsigned int field, const char *text);
/* Puts it and makes it empty again, for the next one. */
void proto_message(struct proto *m, unsigned int field, struct proto *inner);
void proto_clear(struct proto *m);
void proto_free(struct proto *m);

#endif
