// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record/spool.c - sub-buffers that wait in memory. A list, for they are few and large. What is
 * dropped is counted here, told by the caller.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/ktally.h"
#include "spool.h"

uint64_t spool_records(const void *subbuf, size_t n)
{
	uint64_t records = 0;

	for (size_t at = 0; at + sizeof(struct ktally_record) <= n;) {
		struct ktally_record frame;

		memcpy(&frame, (const char *)subbuf + at, sizeof(frame));
		if (frame.len < sizeof(frame) || frame.len > n - at)
			break;
		at += frame.len;
		records++;
	}
	return records ? records - 1 : 0;
}

void spool_pop(struct spool *s)
{
	struct spooled *p = s->first;

	s->first = p->next;
	if (!s->first)
		s->last = NULL;
	s->bytes -= p->n;
	free(p);
}

void spool_add(struct spool *s, const void *subbuf, size_t n, uint64_t *dropped, uint64_t *blocks)
{
	struct spooled *p = malloc(sizeof(*p) + n);

	while (s->first && (!p || s->bytes + n > s->limit)) {
		*dropped += spool_records(s->first->bytes, s->first->n);
		++*blocks;
		spool_pop(s);
		if (!p)
			p = malloc(sizeof(*p) + n);
	}
	if (!p) {
		*dropped += spool_records(subbuf, n);
		++*blocks;
		return;
	}
	p->next = NULL;
	p->n = n;
	memcpy(p->bytes, subbuf, n);
	if (s->last)
		s->last->next = p;
	else
		s->first = p;
	s->last = p;
	s->bytes += n;
}

void spool_clear(struct spool *s)
{
	while (s->first)
		spool_pop(s);
}
