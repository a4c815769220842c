// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metrics/metrics.c - families of figures in the text formats of Prometheus and OpenMetrics.
 * Memory and a sink only; where figures come from is the caller's.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "out/markup.h"
#include "out/text.h"

enum { LABEL_BYTES = 1024 };

/* ---- the families ---- */

#define NET_PARTS(what)							\
	{ { "class=\"physical\",direction=\"receive\"", "rx_" what, { NULL } },	\
	  { "class=\"physical\",direction=\"transmit\"", "tx_" what, { NULL } }, \
	  { "class=\"loopback\",direction=\"receive\"", "loop_rx_" what, { NULL } }, \
	  { "class=\"loopback\",direction=\"transmit\"", "loop_tx_" what, { NULL } }, \
	  { "class=\"virtual\",direction=\"receive\"", "virt_rx_" what, { NULL } }, \
	  { "class=\"virtual\",direction=\"transmit\"", "virt_tx_" what, { NULL } } }

/* What was used between two ticks of the clock is of no known mode. */
#define CPU_PARTS							\
	{ { "mode=\"user\"", "cpu_user_ns", { NULL } },			\
	  { "mode=\"system\"", "cpu_sys_ns", { NULL } },		\
	  { "mode=\"unsplit\"", "cpu_ns", { "cpu_user_ns", "cpu_sys_ns" } } }

static const struct metrics_family own[] = {
	{ "cpu_seconds", "seconds", "CPU time of all threads.", true, 1e-9, CPU_PARTS },
	{ "exits", NULL, "Processes that ended, by status 0 or not.", true, 1,
	  { { "result=\"ok\"", "count", { "failed" } }, { "result=\"failed\"", "failed", { NULL } } } },
	{ "lifetime_seconds", "seconds", "How long the processes that ended had lived, all together.", true, 1e-9,
	  { { "", "life_ns", { NULL } } } },
	{ "processes", NULL, "Processes that live now.", false, 1, { { "", "alive", { NULL } } } },
	{ "memory_bytes", "bytes", "Resident memory of those that live, shared pages counted for each.", false, 1,
	  { { "", "rss_bytes", { NULL } } } },
	{ "memory_peak_bytes", "bytes", "Most resident memory of one process.", false, 1,
	  { { "", "peak_rss_bytes", { NULL } } } },
	{ "network_bytes", "bytes", "Wire bytes, headers and segments included.", true, 1, NET_PARTS("wire_bytes") },
	{ "network_packets", NULL, "Packets.", true, 1, NET_PARTS("packets") },
	{ "storage_bytes", "bytes", "Bytes fetched from and sent to storage.", true, 1,
	  { { "direction=\"read\"", "read_bytes", { NULL } }, { "direction=\"write\"", "write_bytes", { NULL } } } },
	{ "io_bytes", "bytes", "Bytes through read and write calls.", true, 1,
	  { { "direction=\"read\"", "rchar_bytes", { NULL } }, { "direction=\"write\"", "wchar_bytes", { NULL } } } },
	{ "page_faults", NULL, "Page faults without and with I/O.", true, 1,
	  { { "kind=\"minor\"", "minflt", { NULL } }, { "kind=\"major\"", "majflt", { NULL } } } },
	{ "context_switches", NULL, "Context switches.", true, 1,
	  { { "kind=\"voluntary\"", "nvcsw", { NULL } }, { "kind=\"involuntary\"", "nivcsw", { NULL } } } },
};

/* The names of process-exporter, for dashboards that are there. */
static const struct metrics_family process_exporter[] = {
	{ "num_procs", NULL, "Processes in this group.", false, 1, { { "", "alive", { NULL } } } },
	{ "cpu_seconds", "seconds", "CPU time in seconds.", true, 1e-9, CPU_PARTS },
	{ "read_bytes", "bytes", "Bytes fetched from storage.", true, 1, { { "", "read_bytes", { NULL } } } },
	{ "write_bytes", "bytes", "Bytes sent to storage.", true, 1, { { "", "write_bytes", { NULL } } } },
	{ "major_page_faults", NULL, "Page faults with I/O.", true, 1, { { "", "majflt", { NULL } } } },
	{ "minor_page_faults", NULL, "Page faults without I/O.", true, 1, { { "", "minflt", { NULL } } } },
	{ "context_switches", NULL, "Context switches.", true, 1,
	  { { "ctxswitchtype=\"voluntary\"", "nvcsw", { NULL } },
	    { "ctxswitchtype=\"nonvoluntary\"", "nivcsw", { NULL } } } },
	{ "memory_bytes", "bytes", "Resident memory of those that live.", false, 1,
	  { { "memtype=\"resident\"", "rss_bytes", { NULL } } } },
};

#define FAMILIES(table)	(table), sizeof(table) / sizeof((table)[0])
const struct metrics_families metrics_own = { NULL, NULL, FAMILIES(own) };
const struct metrics_families metrics_process_exporter = {
	"namedprocess_namegroup", "groupname", FAMILIES(process_exporter)
};

/* ---- heads ---- */

void metrics_begin(const struct metrics_out *o, const char *name, const char *unit, bool counter,
		   const char *help)
{
	/* Prometheus wants the name that samples have, OpenMetrics the family's. */
	const char *total = counter && !o->open ? "_total" : "";

	markup_printf(o->sink, "# HELP %s%s %s\n", name, total, help);
	markup_printf(o->sink, "# TYPE %s%s %s\n", name, total, counter ? "counter" : "gauge");
	if (unit && o->open)
		markup_printf(o->sink, "# UNIT %s %s\n", name, unit);
}

/* ---- what was said before ---- */

struct said {
	struct hash_link link;
	double value;
	char text[];			/* name and labels, each with its NUL */
};

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
	return h;
}

static struct said *find_said(const struct metrics_memory *m, uint64_t hash, const char *text, size_t n)
{
	for (struct hash_link *l = hash_find(&m->said, hash, NULL); l; l = hash_find(&m->said, hash, l)) {
		struct said *s = hash_entry(l, struct said, link);

		if (!memcmp(s->text, text, n))
			return s;
	}
	return NULL;
}

/*
 * A living process that executes another program takes along what it used, so its old
 * program's sum falls; a reader would take that for a restart and count all of it anew.
 * The counter waits until the sum has caught up. Without memory it is said as it is.
 */
static double not_below(const struct metrics_memory *memory, const char *name, const char *labels, double value)
{
	struct metrics_memory *m = (struct metrics_memory *)memory;
	char text[LABEL_BYTES + 256];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s{%s", name, labels) + 1;
	uint64_t hash;
	struct said *s;

	if (n > sizeof(text))
		n = sizeof(text);
	hash = hash_of(text, n);
	s = find_said(m, hash, text, n);
	if (!s) {
		s = malloc(sizeof(*s) + n);
		if (!s)
			return value;
		memcpy(s->text, text, n);
		s->value = value;
		if (hash_add(&m->said, hash, &s->link))
			free(s);
		return value;
	}
	if (s->value < value)
		s->value = value;
	return s->value;
}

void metrics_forget(struct metrics_memory *m)
{
	for (size_t i = 0; i < m->said.room; i++) {
		struct hash_link *l = m->said.heads[i], *next;

		for (; l; l = next) {
			next = l->next;
			free(hash_entry(l, struct said, link));
		}
	}
	hash_free(&m->said);
}

/* ---- lines ---- */

static void put_sample(const struct metrics_out *o, const char *name, bool counter, const char *labels,
		       double value, const double *time)
{
	if (counter && o->memory)
		value = not_below(o->memory, name, labels, value);
	markup_printf(o->sink, "%s%s", name, counter ? "_total" : "");
	if (*labels) {
		sink_char(o->sink, '{');
		sink_puts(o->sink, labels);
		sink_char(o->sink, '}');
	}
	if (value == floor(value) && fabs(value) < 1e18)
		markup_printf(o->sink, " %.0f", value);
	else
		markup_printf(o->sink, " %.9f", value);
	if (time)
		markup_printf(o->sink, " %.3f", *time);
	sink_char(o->sink, '\n');
}

void metrics_value(const struct metrics_out *o, const char *name, bool counter, const char *labels,
		   double value)
{
	put_sample(o, name, counter, labels, value, NULL);
}

void metrics_label(char *dst, size_t n, const char *name, const char *text, size_t len)
{
	char clean[LABEL_BYTES / 2];
	size_t at = strlen(dst), room;

	at += (size_t)snprintf(dst + at, n - at, "%s%s=\"", at ? "," : "", name);
	room = n - 3;			/* for an escape and the end */
	len = text_escape(clean, sizeof(clean), text, len);
	for (size_t i = 0; i < len && at < room; i++) {
		if (clean[i] == '"' || clean[i] == '\\')
			dst[at++] = '\\';
		dst[at++] = clean[i];
	}
	snprintf(dst + at, n - at, "\"");
}

void metrics_end(const struct metrics_out *o)
{
	if (o->open)
		sink_puts(o->sink, "# EOF\n");
}

/* ---- groups ---- */

struct writing {
	const struct metrics_out *o;
	const struct metrics_families *families;
	const struct metrics_source *src;
	double *samples, *less;		/* o->n of each */
	char name[128];
};

/* A difference of roundings must not let a counter fall: that means a restart. */
static void keep_rising(double *samples, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (samples[i] < samples[i - 1])
			samples[i] = samples[i - 1];
}

/* False: it is unknown. What is to be taken from it may be: then all of it stays. */
static bool take_series(struct writing *w, size_t group, const struct metrics_part *part, bool counter)
{
	const struct metrics_source *src = w->src;

	if (!src->series(src->of, group, part->column, w->samples))
		return false;
	for (size_t k = 0; k < 2 && part->less[k]; k++) {
		if (!src->series(src->of, group, part->less[k], w->less))
			continue;
		for (size_t i = 0; i < w->o->n; i++)
			w->samples[i] -= w->samples[i] < w->less[i] ? w->samples[i] : w->less[i];
	}
	if (counter)
		keep_rising(w->samples, w->o->n);
	return true;
}

static void put_labels(const struct writing *w, size_t group, const struct metrics_part *part,
		       char labels[LABEL_BYTES])
{
	struct ktally_str name = w->src->name(w->src->of, group);

	labels[0] = '\0';
	if (!name.p)
		name = (struct ktally_str){ "(unknown)", 9 };
	else if (!name.len)
		name = (struct ktally_str){ "(none)", 6 };
	metrics_label(labels, LABEL_BYTES, w->families->label ? w->families->label : w->src->key, name.p, name.len);
	if (*part->labels)
		snprintf(labels + strlen(labels), LABEL_BYTES - strlen(labels), ",%s", part->labels);
}

/* The head comes with the first sample: a family without one is left out. */
static void put_family(struct writing *w, const struct metrics_family *f)
{
	char labels[LABEL_BYTES];
	bool begun = false;

	snprintf(w->name, sizeof(w->name), "%s%s_%s", w->families->prefix ? "" : "ktally_",
		 w->families->prefix ? w->families->prefix : w->src->key, f->name);
	for (size_t group = 0; group < w->src->n; group++) {
		for (const struct metrics_part *part = f->parts; part < f->parts + METRICS_PARTS && part->column; part++) {
			if (!take_series(w, group, part, f->counter))
				continue;
			if (!begun)
				metrics_begin(w->o, w->name, f->unit, f->counter, f->help);
			begun = true;
			put_labels(w, group, part, labels);
			for (size_t i = 0; i < w->o->n; i++)
				put_sample(w->o, w->name, f->counter, labels, f->scale * w->samples[i],
					   w->o->times ? &w->o->times[i] : NULL);
		}
	}
}

int metrics_groups(const struct metrics_out *o, const struct metrics_families *families,
		   const struct metrics_source *src)
{
	struct writing w = {
		.o = o, .families = families, .src = src,
		.samples = calloc(o->n + 1, sizeof(double)), .less = calloc(o->n + 1, sizeof(double)),
	};
	int err = w.samples && w.less ? 0 : -ENOMEM;

	for (size_t i = 0; i < families->n && !err; i++)
		put_family(&w, &families->at[i]);
	free(w.samples);
	free(w.less);
	return err;
}
