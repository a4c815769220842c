// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sums.c - what a stream tells of itself: attempts, losses and what was filtered, by
 * kind, over all sessions and CPUs. Memory only; may be asked at any time.
 */
#include <string.h>

#include "stream.h"

/* Of a flight recording: what had been in the ring and was not read in time. */
static uint64_t overwritten_of(const struct ktally_stream *s, const struct source *src, int kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_queues; i++)
		if (s->queues[i]->source == src)
			n += s->queues[i]->loss.overwritten[kind];
	return n;
}

static uint64_t attempts_of(const struct ktally_stream *s, const struct source *src, int kind)
{
	uint64_t n = 0;

	if (src->ended && !(src->flight && src->continues)) {
		uint64_t base = overwritten_of(s, src, kind) + (src->continues ? src->base[kind] : 0);

		return src->end.attempts[kind] > base ? src->end.attempts[kind] - base : 0;
	}
	for (size_t i = 0; i < s->n_queues; i++)
		if (s->queues[i]->source == src)
			n += loss_attempts(&s->queues[i]->loss, kind);
	return n;
}

static void sum_source(struct ktally_stream *s, const struct source *src)
{
	struct ktally_stream_info *info = &s->info;

	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		uint64_t came = 0, filtered = 0;
		uint64_t attempts = attempts_of(s, src, kind);

		for (size_t i = 0; i < s->n_queues; i++) {
			const struct queue *q = s->queues[i];

			if (q->source != src)
				continue;
			came += q->loss.came[kind];
			filtered += q->loss.filtered[kind] - q->loss.filtered_base[kind];
		}
		info->attempts[kind] += attempts;
		info->lost[kind] += attempts > came ? attempts - came : 0;
		info->overwritten[kind] += overwritten_of(s, src, kind);
		info->filtered[kind] += src->ended && !src->continues && !src->flight ?
					src->end.filtered[kind] : filtered;
	}
	info->kp_missed += src->ended ? src->end.kp_missed : 0;
	info->disarmed |= src->ended && src->end.disarmed;
	info->ended &= src->ended;
}

/* Without totals the module counts none, whatever ended. */
static void sum_ends(struct ktally_stream *s, const struct source *src)
{
	struct ktally_stream_info *info = &s->info;
	const struct ktally_end *end = &src->end;

	if (!src->ended || src->continues || !src->end_has_ends ||
	    (!end->ends && end->attempts[KTALLY_EXIT] + end->filtered[KTALLY_EXIT]))
		info->ends_known = false;
	if (!src->ended)
		return;
	info->ends += end->ends;
	info->ends_runtime += end->ends_runtime;
	for (int i = 0; i < 6; i++)
		info->ends_net[i] += end->ends_net[i];
}

static void sum_threads(struct ktally_stream *s)
{
	for (size_t i = 0; i < s->n_queues; i++) {
		const struct queue *q = s->queues[i];

		if (!q->source->ended || q->source->continues || q->source->flight)
			s->info.threads += q->loss.threads - q->loss.threads_base;
	}
	for (size_t i = 0; i < s->n_sources; i++)
		if (s->sources[i]->ended && !s->sources[i]->continues && !s->sources[i]->flight)
			s->info.threads += s->sources[i]->end.threads;
}

static uint32_t count_cpus(const struct ktally_stream *s)
{
	uint32_t n = 0;

	for (size_t i = 0; i < s->n_queues; i++) {
		size_t j = 0;

		while (j < i && s->queues[j]->cpu != s->queues[i]->cpu)
			j++;
		n += j == i;
	}
	return n;
}

static void sum_recordings(struct ktally_stream *s)
{
	s->info.missing_blocks = s->info.unknown_codecs = 0;
	for (size_t i = 0; i < s->n_recs; i++) {
		s->info.missing_blocks += s->recs[i]->missing_blocks;
		s->info.unknown_codecs += s->recs[i]->skipped_blocks;
	}
}

const struct ktally_stream_info *ktally_stream_info(struct ktally_stream *s)
{
	struct ktally_stream_info *info = &s->info;

	memset(info->attempts, 0, sizeof(info->attempts));
	memset(info->lost, 0, sizeof(info->lost));
	memset(info->filtered, 0, sizeof(info->filtered));
	memset(info->overwritten, 0, sizeof(info->overwritten));
	info->threads = info->kp_missed = 0;
	info->disarmed = false;
	memset(info->ends_net, 0, sizeof(info->ends_net));
	info->ends = info->ends_runtime = 0;
	info->ended = info->ends_known = s->n_sources > 0;
	for (size_t i = 0; i < s->n_sources; i++) {
		sum_source(s, s->sources[i]);
		sum_ends(s, s->sources[i]);
	}
	sum_threads(s);
	sum_recordings(s);
	info->cpus = count_cpus(s);
	info->sessions = s->n_sources;
	return info;
}
