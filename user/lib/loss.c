// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * loss.c - attempts against records, by kind, for one CPU of one session. Works on
 * torn recordings as well: every header carries the sums so far. A sub-buffer's own
 * header is no attempt.
 */
#include <string.h>

#include "loss.h"

void loss_header(struct loss *l, const struct ktally_header *h, bool continues)
{
	if (!l->begun && continues) {
		memcpy(l->base, h->attempts, sizeof(l->base));
		memcpy(l->filtered_base, h->filtered, sizeof(l->filtered_base));
		l->threads_base = h->threads;
		l->next_seq = h->first_seq;
	}
	l->begun = true;
	memcpy(l->counted, h->attempts, sizeof(l->counted));
	memcpy(l->filtered, h->filtered, sizeof(l->filtered));
	memset(l->since, 0, sizeof(l->since));
	l->threads = h->threads;
}

void loss_overwritten(struct loss *l, const struct ktally_header *h)
{
	if (h->first_seq <= l->next_seq)
		return;
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		uint64_t known = l->counted[kind] + l->since[kind];
		uint64_t gone = h->attempts[kind] > known ? h->attempts[kind] - known : 0;

		l->overwritten[kind] += gone;
		l->base[kind] += gone;
		l->filtered_base[kind] += h->filtered[kind] - l->filtered[kind];
	}
	l->threads_base += h->threads - l->threads;
	l->next_seq = h->first_seq;
}

uint64_t loss_jump(struct loss *l, uint64_t seq)
{
	uint64_t missing = seq > l->next_seq ? seq - l->next_seq : 0;

	if (missing)
		l->next_seq = seq;
	return missing;
}

void loss_record(struct loss *l, uint32_t kind, uint64_t time)
{
	l->next_seq++;
	l->last_time = time;
	if (kind < KTALLY_KINDS) {
		l->since[kind]++;
		l->came[kind]++;
	}
}

uint64_t loss_attempts(const struct loss *l, unsigned int kind)
{
	uint64_t n = l->counted[kind] + l->since[kind];

	return n > l->base[kind] ? n - l->base[kind] : 0;
}
