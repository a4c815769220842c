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

static int put_shown(struct export *ex, int format)
{
	struct show_source src = ex->rows;
	const struct ktally_field **fields = calloc(src.n_fields + 1, sizeof(*fields));
	int status;

	if (!fields)
		return say_error(FAILED, "out of memory");
	src.n_fields = 0;
	for (size_t i = 0; i < ex->rows.n_fields; i++)
		if (export_shows(ex, ex->rows.fields[i]))
			fields[src.n_fields++] = ex->rows.fields[i];
	src.fields = fields;
	status = put_rows(ex, &src, format);
	free(fields);
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
