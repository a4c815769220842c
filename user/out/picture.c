// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picture.c - what both pictures of a boot need to know of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "markup.h"
#include "picture.h"
#include "text.h"

enum { GAP_LEAST_NS = 50000000 };
#define GAP_SHARE	0.25

/* A little behind the end: what comes there is the saving. */
static uint64_t axis_end(const struct boot *b)
{
	uint64_t end = b->end.time, last = b->info->last_time;

	return last > end + end / 16 ? end + end / 16 : last > end ? last : end;
}

static int mark_chain(struct picture *p)
{
	const struct boot *b = p->b;

	p->in_chain = calloc(b->n_lives + 1, 1);
	if (!p->in_chain)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_lives; i++)
		((struct ktally_life *)b->lives[i])->user = NULL;
	for (size_t i = 0; i < p->chain.n; i++)
		if (p->chain.links[i].kind == CHAIN_PROCESS)
			((struct ktally_life *)p->chain.links[i].life)->user = p;
	for (size_t i = 0; i < b->n_lives; i++)
		p->in_chain[i] = b->lives[i]->user == p;
	return 0;
}

static int compare_starts(const void *key, const void *of)
{
	const struct ktally_life *a = key, *b = *(struct ktally_life *const *)of;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

bool picture_in_chain(const struct picture *p, const struct ktally_life *l)
{
	const struct ktally_life *const *at = bsearch(l, p->b->lives, p->b->n_lives,
						      sizeof(*p->b->lives), compare_starts);

	return at && p->in_chain[(size_t)((struct ktally_life *const *)at - p->b->lives)];
}

static void count(struct picture *p)
{
	double sum[PACE_KINDS];
	struct pace_cursor c;

	for (size_t i = 0; i < p->b->n_lives; i++)
		if (!p->b->lives[i]->kthread)
			p->b->lives[i]->start <= p->until ? p->shown++ : p->later++;
	pace_begin(&c, &p->pace);
	pace_advance(&c, p->b->load, sum);
	pace_advance(&c, p->b->end.time, sum);
	p->cpu_ns = sum[PACE_CPU];
}

int picture_make(struct picture *p, const struct boot *b, uint64_t lost)
{
	memset(p, 0, sizeof(*p));
	p->b = b;
	p->lost = lost;
	p->until = axis_end(b);
	p->cpus = b->info->has_info && b->info->info.cpus ? b->info->info.cpus : b->info->cpus;
	if (!p->cpus)
		p->cpus = 1;
	if (chain_make(&p->chain, b) || pace_make(&p->pace, b) ||
	    gaps_find(&p->gaps, b, &p->pace, GAP_LEAST_NS, GAP_SHARE) || mark_chain(p))
		return -ENOMEM;
	count(p);
	return 0;
}

void picture_slices(const struct picture *p, struct picture_slice slices[PICTURE_SLICES])
{
	double ns = (double)p->until / PICTURE_SLICES, sum[PACE_KINDS];
	struct pace_cursor c;

	pace_begin(&c, &p->pace);
	for (int i = 0; i < PICTURE_SLICES; i++) {
		struct picture_slice *s = &slices[i];
		uint64_t to = (uint64_t)(ns * (i + 1));

		pace_advance(&c, to, sum);
		memset(s, 0, sizeof(*s));
		if (to <= p->b->load)
			continue;
		s->cpu = sum[PACE_CPU] / ns / p->cpus;
		s->delay = sum[PACE_DELAY] / ns / p->cpus;
		s->read = sum[PACE_READ] / ns * 1e9;
		s->write = sum[PACE_WRITE] / ns * 1e9;
	}
}

size_t picture_title(const struct picture *p, char *dst, size_t n)
{
	const struct boot *b = p->b;
	char span[32], host[80], end[300];

	text_span(span, sizeof(span), b->end.time);
	text_escape(host, sizeof(host), b->info->host, strlen(b->info->host));
	text_escape(end, sizeof(end), b->end.name, strlen(b->end.name));
	return (size_t)snprintf(dst, n, "Boot of %s: %s to %s", *host && strcmp(host, "(none)") ? host : "this machine", span, end);
}

static size_t put_date(const struct picture *p, char *dst, size_t n)
{
	const struct ktally_stream_info *i = p->b->info;
	time_t at = (time_t)((i->realtime - i->boottime) / 1000000000);
	struct tm tm;

	if (!i->realtime || !gmtime_r(&at, &tm))
		return 0;
	return strftime(dst, n, "%Y-%m-%d %H:%M UTC  \xc2\xb7  ", &tm);
}

size_t picture_subtitle(const struct picture *p, char *dst, size_t n)
{
	double all = (double)(p->b->end.time - p->b->load) * p->cpus;
	char release[80], cpu[32], lost[64] = "";
	size_t at = put_date(p, dst, n);

	text_escape(release, sizeof(release), p->b->info->release, strlen(p->b->info->release));
	text_span(cpu, sizeof(cpu), (uint64_t)p->cpu_ns);
	if (p->lost)
		snprintf(lost, sizeof(lost), "  \xc2\xb7  %llu records lost", (unsigned long long)p->lost);
	at += (size_t)snprintf(dst + at, n - at, "%s  \xc2\xb7  %zu processes%s  \xc2\xb7  %s CPU, %.0f %% of %u CPU%s%s",
			       release, p->shown, p->later ? " (later ones left out)" : "", cpu,
			       all > 0 ? 100.0 * p->cpu_ns / all : 0.0, p->cpus, p->cpus == 1 ? "" : "s", lost);
	return at < n ? at : n - 1;
}

size_t picture_row_words(const struct chain_row *r, char *dst, size_t n)
{
	size_t at = 0;

	if (r->link->kind == CHAIN_KERNEL)
		return (size_t)snprintf(dst, n, "kernel");
	if (r->link->kind == CHAIN_UNIT && r->links == 1)
		return (size_t)snprintf(dst, n, "systemd: %s", r->link->unit->id);
	if (r->links > 1)
		at = (size_t)snprintf(dst, n, "%zu steps of ", r->links);
	return at + markup_command(dst + at, n - at, r->life, boot_image_at(r->life, r->to - 1));
}

void picture_free(struct picture *p)
{
	chain_free(&p->chain);
	pace_free(&p->pace);
	gaps_free(&p->gaps);
	free(p->in_chain);
	memset(p, 0, sizeof(*p));
}
