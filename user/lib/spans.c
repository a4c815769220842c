// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spans.c - the largest sum of peaks of what lived at the same time. When all places
 * are taken they become one span from the first beginning to the last end that holds
 * their largest sum: still an upper bound, and as much memory as before.
 */
#include "spans.h"

/* Of those that lived when span i began: a sum can only grow at a beginning. */
static uint64_t sum_at(const struct spans *s, unsigned int i, uint32_t *count)
{
	uint64_t sum = 0, when = s->at[i].from;

	*count = 0;
	for (unsigned int k = 0; k < s->n; k++) {
		const struct span *other = &s->at[k];

		if (k != i && (other->from > when || other->to <= when))
			continue;
		sum += other->peak;
		*count += other->count;
	}
	return sum;
}

uint64_t spans_most(const struct spans *s, uint32_t *count)
{
	uint64_t most = 0;

	*count = 0;
	for (unsigned int i = 0; i < s->n; i++) {
		uint32_t n;
		uint64_t sum = sum_at(s, i, &n);

		if (sum < most || (sum == most && n <= *count))
			continue;
		most = sum;
		*count = n;
	}
	return most;
}

static void make_one(struct spans *s)
{
	struct span one = s->at[0];

	one.peak = spans_most(s, &one.count);
	for (unsigned int i = 1; i < s->n; i++) {
		if (s->at[i].from < one.from)
			one.from = s->at[i].from;
		if (s->at[i].to > one.to)
			one.to = s->at[i].to;
	}
	s->at[0] = one;
	s->n = 1;
}

void spans_add(struct spans *s, uint64_t from, uint64_t to, uint64_t peak)
{
	if (s->n == SPANS_MOST)
		make_one(s);
	s->at[s->n++] = (struct span){ from, to, peak, 1 };
}
