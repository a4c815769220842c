// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * warning.c - what is missing from a stream or was skipped, a line each: what, where,
 * what to do. Made from what was booked; decides nothing.
 */
#include <stdio.h>
#include <string.h>

#include "stream.h"

/* "12.3 MB", for people; exact below a thousand. */
static void bytes_text(char *buf, size_t n, uint64_t bytes)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB" };
	double v = bytes;
	size_t i = 0;

	if (bytes < 1000) {
		snprintf(buf, n, "%llu bytes", (unsigned long long)bytes);
		return;
	}
	for (v /= 1000; v >= 1000 && i + 1 < sizeof(units) / sizeof(units[0]); v /= 1000)
		i++;
	snprintf(buf, n, "%.1f %s", v, units[i]);
}

static bool warn_head(struct error *e, const struct recording *r)
{
	if (!r->head_damaged && r->has_machine)
		return false;
	if (r->cut_at && !r->n_blocks && !r->head_damaged)
		return false;		/* cut off in its head: that line says it */
	error_set(e, 0, "%s: its head is damaged; host, command and tree are unknown", r->name);
	return true;
}

static bool warn_cut(struct error *e, const struct recording *r)
{
	char where[32], missing[64] = "";

	if (!r->cut_at)
		return false;
	bytes_text(where, sizeof(where), r->cut_at);
	if (r->missing_blocks)
		snprintf(missing, sizeof(missing), ", %llu block%s missing",
			 (unsigned long long)r->missing_blocks, r->missing_blocks == 1 ? "" : "s");
	error_set(e, 0, "%s: cut off at %s (%s); everything before is shown%s", r->name, where,
		  r->in.error ? strerror(-r->in.error) : "crash, or still being written?", missing);
	return true;
}

static bool warn_damage(struct error *e, const struct recording *r)
{
	char where[32];

	if (!r->damaged_places)
		return false;
	bytes_text(where, sizeof(where), r->damaged_at);
	error_set(e, 0, "%s: damaged at %s%s; %llu block%s and at least %llu records missing, the rest is shown",
		  r->name, where, r->damaged_places > 1 ? " and further on" : "",
		  (unsigned long long)r->missing_blocks, r->missing_blocks == 1 ? "" : "s",
		  (unsigned long long)r->missing_records);
	return true;
}

static bool warn_codec(struct error *e, const struct recording *r)
{
	if (!r->skipped_blocks)
		return false;
	if (r->skipped_codec == CODEC_ZSTD)
		error_set(e, 0, "%s: %llu blocks skipped: packed by zstd, which this ktally was built without; use one that has it, or record with --compress 0",
			  r->name, (unsigned long long)r->skipped_blocks);
	else
		error_set(e, 0, "%s: %llu blocks skipped: packed by codec %u, which this ktally %s does not know; use a newer ktally",
			  r->name, (unsigned long long)r->skipped_blocks, r->skipped_codec, ktally_version());
	return true;
}

static bool warn_unwritten(struct error *e, const struct recording *r)
{
	if (!r->has_summary || !r->summary.not_written)
		return false;
	error_set(e, 0, "%s: %llu blocks could not be written while recording (disk full?); they are missing",
		  r->name, (unsigned long long)r->summary.not_written);
	return true;
}

static bool warn_short(struct error *e, const struct recording *r)
{
	uint64_t here = r->n_blocks + r->skipped_blocks + r->missing_blocks;

	if (!r->has_summary || r->summary.blocks <= here)
		return false;
	error_set(e, 0, "%s: %llu of %llu blocks are missing", r->name,
		  (unsigned long long)(r->summary.blocks - here),
		  (unsigned long long)r->summary.blocks);
	return true;
}

static bool warn_behind(struct error *e, const struct recording *r)
{
	char size[32];

	if (!r->behind)
		return false;
	bytes_text(size, sizeof(size), r->behind);
	error_set(e, 0, "%s: %s behind its end were not read; give recordings one by one", r->name, size);
	return true;
}

static bool (*const file_warnings[])(struct error *, const struct recording *) = {
	warn_head, warn_damage, warn_cut, warn_codec, warn_unwritten, warn_short, warn_behind,
};

static bool warn_unknown(struct error *e, const struct ktally_stream *s)
{
	if (!s->info.unknown_kinds)
		return false;
	error_set(e, 0, "%llu records of kinds that this ktally %s does not know were skipped; use a newer ktally",
		  (unsigned long long)s->info.unknown_kinds, ktally_version());
	return true;
}

static bool warn_undescribed(struct error *e, const struct ktally_stream *s)
{
	if (!s->info.undescribed)
		return false;
	error_set(e, 0, "%llu records could not be decoded: their descriptions are missing or damaged",
		  (unsigned long long)s->info.undescribed);
	return true;
}

static bool warn_contradiction(struct error *e, const struct ktally_stream *s)
{
	if (!s->contradictions)
		return false;
	error_set(e, 0, "one kind of record is described in two ways; the first description was used");
	return true;
}

/* A recorder that was killed has left a file without a summary. */
static bool all_summed_up(const struct ktally_stream *s)
{
	for (size_t i = 0; i < s->n_recs; i++)
		if (!s->recs[i]->has_summary)
			return false;
	return true;
}

/* Who stopped in the middle does not know. */
static bool warn_unended(struct error *e, const struct ktally_stream *s)
{
	const char *why = all_summed_up(s) ? "it goes on in another file: give all, or their folder"
					   : "recorder killed?";

	if (s->heap.n || s->piped)
		return false;
	for (size_t i = 0; i < s->n_sources; i++) {
		if (s->sources[i]->ended || s->push)
			continue;
		error_set(e, 0, "%s: the recording has no end record (%s); what was still running then is unknown",
			  s->sources[i]->name, why);
		return true;
	}
	return false;
}

static bool warn_disarmed(struct error *e, const struct ktally_stream *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		if (!s->sources[i]->ended || !s->sources[i]->end.disarmed)
			continue;
		error_set(e, 0, "%s: the module found itself inconsistent and stopped recording; everything before is shown",
			  s->sources[i]->name);
		return true;
	}
	return false;
}

static bool warn_overwritten(struct error *e, const struct ktally_stream *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_queues; i++)
		for (int kind = 0; kind < KTALLY_KINDS; kind++)
			n += s->queues[i]->loss.overwritten[kind];
	if (!n)
		return false;
	error_set(e, 0, "a flight recording, which keeps the newest: %llu older records were overwritten",
		  (unsigned long long)n);
	return true;
}

static bool (*const stream_warnings[])(struct error *, const struct ktally_stream *) = {
	warn_unknown, warn_undescribed, warn_contradiction, warn_unended, warn_disarmed,
	warn_overwritten,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *ktally_stream_warning(struct ktally_stream *s, size_t i)
{
	for (size_t r = 0; r < s->n_recs; r++)
		for (size_t k = 0; k < COUNT(file_warnings); k++)
			if (file_warnings[k](&s->line, s->recs[r]) && i-- == 0)
				return s->line.text;
	for (size_t k = 0; k < COUNT(stream_warnings); k++)
		if (stream_warnings[k](&s->line, s) && i-- == 0)
			return s->line.text;
	return NULL;
}
