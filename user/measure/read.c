// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c - a result as --json wrote it, read again: the values of its series and
 * the machine they come from. Figures are computed anew.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "measure.h"
#include "say.h"

struct reader {
	struct measure_file *file;
	bool is_result;
	size_t row;			/* whose members are being read, from 1 */
	/* Of that row: */
	char stage[SERIES_STAGE], subject[SERIES_SUBJECT], measure[SERIES_MEASURE], unit[16];
	uint32_t command, repeat;
	bool void_;
	struct series *series;		/* once a value came */
	char wrong[128];
};

static void copy(char *to, size_t room, const struct json_value *v)
{
	snprintf(to, room, "%.*s", v->kind == JSON_NULL || !v->text ? 0 : (int)v->len, v->text ? v->text : "");
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Two digits a byte. */
static void copy_hex(char *to, size_t room, const struct json_value *v)
{
	size_t n = 0;

	while (v->kind == JSON_TEXT && n + 1 < room && 2 * n + 1 < v->len) {
		int high = digit(v->text[2 * n]), low = digit(v->text[2 * n + 1]);

		if (high < 0 || low < 0)
			break;
		to[n++] = (char)(high << 4 | low);
	}
	to[n] = '\0';
}

struct text {
	const char *key;
	char *to;
	size_t room;
};

/* What was no UTF-8 stands once more behind it, under KEY_hex. */
static void take_text(const struct text *texts, size_t n, const char *key, const struct json_value *v)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(texts[i].key);

		if (strncmp(key, texts[i].key, len))
			continue;
		if (!key[len])
			copy(texts[i].to, texts[i].room, v);
		else if (!strcmp(key + len, "_hex"))
			copy_hex(texts[i].to, texts[i].room, v);
	}
}

static uint64_t whole(const struct json_value *v)
{
	uint64_t n = 0;

	if (v->kind == JSON_NUMBER && series_parse(v->text, v->len, KTALLY_COUNT, &n))
		n = 0;
	return n;
}

/* Of numbers that are counted from 1; 0: it is none. */
static uint32_t ordinal(const struct json_value *v)
{
	uint64_t n = whole(v);

	return n > UINT32_MAX ? 0 : (uint32_t)n;
}

/* Of plain numbers, as --unit names it, or as it is written. */
static bool is_none(const char *name)
{
	return !*name || !strcmp(name, "none");
}

static bool unit_of(const char *name, enum ktally_unit *unit)
{
	static const enum ktally_unit possible[] = { KTALLY_NS, KTALLY_BYTES, KTALLY_COUNT, KTALLY_PERCENT };

	*unit = KTALLY_NONE;
	for (size_t i = 0; i < sizeof(possible) / sizeof(possible[0]); i++)
		if (!strcmp(name, ktally_unit_name(possible[i]))) {
			*unit = possible[i];
			return true;
		}
	return is_none(name);
}

static void begin_row(struct reader *r, size_t row)
{
	r->row = row;
	r->stage[0] = r->subject[0] = r->measure[0] = r->unit[0] = '\0';
	r->command = r->repeat = 0;
	r->void_ = false;
	r->series = NULL;
}

static void take_member(struct reader *r, const char *key, const struct json_value *v)
{
	const struct text texts[] = {
		{ "stage", r->stage, sizeof(r->stage) }, { "subject", r->subject, sizeof(r->subject) },
		{ "measure", r->measure, sizeof(r->measure) }, { "unit", r->unit, sizeof(r->unit) },
	};

	take_text(texts, sizeof(texts) / sizeof(texts[0]), key, v);
	if (!strcmp(key, "command"))
		r->command = ordinal(v);
	else if (!strcmp(key, "repeat"))
		r->repeat = ordinal(v);
	else if (!strcmp(key, "void"))
		r->void_ = v->kind == JSON_TRUE;
}

/* Members are written in one order, and the values last. */
static int begin_series(struct reader *r)
{
	struct series_key key = {
		.stage = r->stage, .command = r->command, .subject = r->subject,
		.measure = r->measure, .repeat = r->repeat ? r->repeat : 1,
	};

	if (!unit_of(r->unit, &key.unit)) {
		snprintf(r->wrong, sizeof(r->wrong), "row %zu: unit '%s' is none of ns, bytes, count, percent and none",
			 r->row, r->unit);
		return -EINVAL;
	}
	r->series = series_get(&r->file->set, &key);
	if (!r->series)
		return -ENOMEM;
	if (r->series->unit != key.unit) {
		snprintf(r->wrong, sizeof(r->wrong), "row %zu: unit '%s' where an earlier row has '%s'", r->row,
			 r->unit, ktally_unit_name(r->series->unit));
		return -EINVAL;
	}
	r->series->void_ = r->void_;
	return 0;
}

static int take_number(struct reader *r, const struct json_value *v)
{
	struct series_set *set = &r->file->set;
	int err = r->series ? 0 : begin_series(r);
	uint64_t value;

	if (err)
		return err;
	if (v->kind != JSON_NUMBER || series_parse(v->text, v->len, r->series->unit, &value)) {
		snprintf(r->wrong, sizeof(r->wrong), "row %zu: '%.*s' is no number from 0 on", r->row,
			 v->text ? (int)v->len : 4, v->text ? v->text : "null");
		return -EINVAL;
	}
	series_add(set, r->series, value);
	return set->oom ? -ENOMEM : 0;
}

static void take_part(double *to, const struct json_value *v)
{
	double d = v->kind == JSON_NUMBER ? strtod(v->text, NULL) : NAN;

	if (isfinite(d))
		*to = d;
}

static void take_fact(struct measure_file *f, const char *key, const struct json_value *v)
{
	struct measure_host *h = &f->host;
	const struct text texts[] = {
		{ "kernel", h->kernel, sizeof(h->kernel) }, { "machine", h->machine, sizeof(h->machine) },
		{ "cpu", h->cpu, sizeof(h->cpu) }, { "governor", h->governor, sizeof(h->governor) },
		{ "clocksource", h->clock, sizeof(h->clock) },
	};
	const struct { const char *key; uint64_t *to; } numbers[] = {
		{ "memory_bytes", &h->memory }, { "swap_used_bytes", &h->swap_used }, { "seed", &f->seed },
		{ "clock_resolution_ns", &f->resolution }, { "clock_cost_ns", &f->cost }, { "lost_records", &f->lost },
		{ "lost_before", &h->lost },
	};

	take_text(texts, sizeof(texts) / sizeof(texts[0]), key, v);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(key, numbers[i].key))
			*numbers[i].to = whole(v);
	if (!strcmp(key, "cpus"))
		h->cpus = (uint32_t)whole(v);
	else if (!strcmp(key, "stopped_early"))
		f->stopped = v->kind == JSON_TRUE;
	else if (!strcmp(key, "load"))
		take_part(&h->load, v);
	else if (!strcmp(key, "others"))
		take_part(&h->others, v);
}

static int visit(void *arg, const struct json_place *p, const struct json_value *v)
{
	struct reader *r = arg;

	if (p->depth == 1 && !strcmp(p->key[0], "schema"))
		r->is_result = v->kind == JSON_TEXT && v->len == 16 && !memcmp(v->text, "ktally.measure/1", 16);
	if (p->depth == 2 && !strcmp(p->key[0], "measurement"))
		take_fact(r->file, p->key[1], v);
	if (p->depth < 3 || strcmp(p->key[0], "rows"))
		return 0;
	if (p->index[1] + 1 != r->row)
		begin_row(r, p->index[1] + 1);
	if (p->depth == 3)
		take_member(r, p->key[2], v);
	else if (p->depth == 4 && !strcmp(p->key[2], "values"))
		return take_number(r, v);
	return 0;
}

/* All of it; NULL after a message. */
static char *read_all(const char *path, size_t *n)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *text = NULL, *more;
	size_t room = 0;

	*n = 0;
	while (f && !feof(f) && !ferror(f)) {
		if (*n == room) {
			room = room ? 2 * room : 65536;
			more = realloc(text, room);
			if (!more)
				break;
			text = more;
		}
		*n += fread(text + *n, 1, room - *n, f);
	}
	if (f && feof(f) && !ferror(f)) {
		if (f != stdin)
			fclose(f);
		return text;
	}
	say_error(FAILED, "%s: %s", path, strerror(errno));
	free(text);
	return NULL;
}

int measure_read(struct measure_file *f, const char *path)
{
	struct reader r = { .file = f };
	size_t n, wrong;
	char *text = read_all(path, &n);
	int err;

	if (!text)
		return FAILED;
	err = json_walk(text, n, visit, &r, &wrong);
	free(text);
	if (err == -ENOMEM)
		return say_error(FAILED, "out of memory");
	if (err == -EINVAL)
		return say_error(FAILED, "%s: %s", path, r.wrong);
	if (err)
		return say_error(FAILED, "%s: no JSON at byte %zu; results are written by: ktally measure --json -o %s", path, wrong, path);
	if (!r.is_result)
		return say_error(FAILED, "%s: no result of measure; write one by: ktally measure --json -o %s", path, path);
	return f->set.n ? OPT_GO_ON : say_error(NOTHING_MATCHED, "%s: a result without values", path);
}

int measure_show_file(const char *path, const char *pictures, struct show *show)
{
	struct measure_file f = { .path = path, .host.others = -1 };
	struct measure_report report = { .set = &f.set, .host = &f.host, .pictures = pictures };
	int status = measure_read(&f, path);

	if (status == OPT_GO_ON) {
		report.columns = measure_columns(measure_commands(&f.set));
		report.resolution = f.resolution;
		report.cost = f.cost;
		report.seed = f.seed;
		report.lost = f.lost;
		report.stopped = f.stopped;
		status = measure_check(show, report.columns);
	}
	if (status == OPT_GO_ON)
		status = measure_show(&report, show);
	measure_file_free(&f);
	return status;
}

void measure_file_free(struct measure_file *f)
{
	series_free(&f->set);
}
