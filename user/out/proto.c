// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto.c - the wire form of protobuf. Memory only; the meaning of fields is the caller's.
 */
#include <stdlib.h>
#include <string.h>

#include "proto.h"

enum wire { VARINT = 0, FIXED64 = 1, LENGTH = 2 };

static bool grow(struct proto *m, size_t n)
{
	size_t room = m->room ? m->room : 256;
	unsigned char *p;

	while (room < m->n + n)
		room *= 2;
	if (room == m->room)
		return true;
	p = m->oom ? NULL : realloc(m->p, room);
	if (!p) {
		m->oom = true;
		return false;
	}
	m->p = p;
	m->room = room;
	return true;
}

static void put(struct proto *m, const void *p, size_t n)
{
	if (!n || !grow(m, n))
		return;
	memcpy(m->p + m->n, p, n);
	m->n += n;
}

/* Seven bits a byte, the lowest first; the eighth says that more follow. */
static void put_varint(struct proto *m, uint64_t v)
{
	unsigned char bytes[10];
	size_t n = 0;

	do {
		bytes[n] = v & 0x7f;
		v >>= 7;
		if (v)
			bytes[n] |= 0x80;
		n++;
	} while (v);
	put(m, bytes, n);
}

static void put_key(struct proto *m, unsigned int field, enum wire wire)
{
	put_varint(m, (uint64_t)field << 3 | wire);
}

void proto_uint(struct proto *m, unsigned int field, uint64_t v)
{
	put_key(m, field, VARINT);
	put_varint(m, v);
}

void proto_int(struct proto *m, unsigned int field, int64_t v)
{
	proto_uint(m, field, (uint64_t)v);
}

/* Little-endian on every machine. */
void proto_fixed64(struct proto *m, unsigned int field, uint64_t v)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(v >> 8 * i);
	put_key(m, field, FIXED64);
	put(m, bytes, sizeof(bytes));
}

void proto_double(struct proto *m, unsigned int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	proto_fixed64(m, field, bits);
}

void proto_bytes(struct proto *m, unsigned int field, const void *p, size_t n)
{
	put_key(m, field, LENGTH);
	put_varint(m, n);
	put(m, p, n);
}

void proto_string(struct proto *m, unsigned int field, const char *text)
{
	proto_bytes(m, field, text, strlen(text));
}

void proto_message(struct proto *m, unsigned int field, struct proto *inner)
{
	proto_bytes(m, field, inner->p, inner->n);
	m->oom |= inner->oom;
	proto_clear(inner);
}

void proto_clear(struct proto *m)
{
	m->n = 0;
}

void proto_free(struct proto *m)
{
	free(m->p);
}
