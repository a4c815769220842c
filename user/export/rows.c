// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - a row per process as comma-separated values or JSON lines: report's
 * own, without what may not leave the machine.
 */
#include <stdlib.h>

#include "cmd.h"
#include "export.h"

static int put_rows(struct export *ex, const struct show_source *src, int format)
{
	const struct show show = { .out = { .format = format, .path = ex->path } };
	struct ktally_stream_info info = *ex->reading->info;
	struct reading shown = *ex->reading;
	struct out *o;
	int status = show_rows(&show, src, &o);

	if (status != OPT_GO_ON)
		return status;
	/* What was recorded is a command line, too. */
	if (!ex->options->args)
		info.command[0] = '\0';
	shown.info = &info;
	if (o->writer->facts)
		lives_footer(o, &shown, ex->match);
	status = show_close(o);
	return status == DONE ? OPT_GO_ON : status;
}

/* ex->rows without what may not be shown; src->fields is to be freed. */
static int take_shown(const struct export *ex, struct show_source *src)
{
	const struct ktally_field **fields = calloc(ex->rows.n_fields + 1, sizeof(*fields));

	*src = ex->rows;
	src->fields = fields;
	src->n_fields = 0;
	if (!fields)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < ex->rows.n_fields; i++)
		if (export_shows(ex, ex->rows.fields[i]))
			fields[src->n_fields++] = ex->rows.fields[i];
	return OPT_GO_ON;
}

static int put_shown(struct export *ex, int format)
{
	struct show_source src;
	int status = take_shown(ex, &src);

	if (status == OPT_GO_ON)
		status = put_rows(ex, &src, format);
	free((void *)src.fields);
	return status;
}

int export_csv(struct export *ex)
{
	return put_shown(ex, OUT_CSV);
}

int export_jsonl(struct export *ex)
{
	return put_shown(ex, OUT_JSONL);
}

/* ---- a stream ---- */

struct rows {
	struct show show;
	struct show_source src;
	struct out *out;
};

static int begin_stream(struct export *ex, int format)
{
	struct rows *r = calloc(1, sizeof(*r));
	int status;

	ex->state = r;
	if (!r)
		return say_error(FAILED, "out of memory");
	r->show.out = (struct out_options){ .format = format, .path = ex->path, .grows = true };
	status = take_shown(ex, &r->src);
	return status == OPT_GO_ON ? show_open(&r->show, &r->src, &r->out) : status;
}

static int begin_csv(struct export *ex)
{
	return begin_stream(ex, OUT_CSV);
}

static int begin_jsonl(struct export *ex)
{
	return begin_stream(ex, OUT_JSONL);
}

static int put_in_stream(struct export *ex, const struct ktally_life *l)
{
	struct rows *r = ex->state;

	(void)l;
	return show_more(&r->show, &r->src, r->out);
}

static bool flush_stream(struct export *ex)
{
	struct rows *r = ex->state;

	return out_flush(r->out);
}

static int end_stream(struct export *ex)
{
	struct rows *r = ex->state;
	int status = r && r->out ? show_close(r->out) : DONE;

	free(r ? (void *)r->src.fields : NULL);
	free(r);
	return status == DONE ? OPT_GO_ON : status;
}

const struct export_stream export_stream_csv = {
	.begin = begin_csv, .put = put_in_stream, .flush = flush_stream, .end = end_stream,
};
const struct export_stream export_stream_jsonl = {
	.begin = begin_jsonl, .put = put_in_stream, .flush = flush_stream, .end = end_stream,
};
