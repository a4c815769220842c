// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * table.c - the table for ClickHouse, made of the same fields as the rows. Old and new
 * servers take it: nothing in it is younger than 2018.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "out/sink.h"
#include "ship.h"

/* The row's own columns are known in every row; of all others some may not be. */
static const char *type_of(const struct ktally_field *f, bool own)
{
	if (f->unit == KTALLY_TEXT)
		return own ? "String" : "Nullable(String)";
	if (f->unit == KTALLY_ARGV)
		return "Array(String)";
	if (f->unit == KTALLY_BOOL)
		return "Nullable(UInt8)";
	if (f->unit == KTALLY_PERCENT)
		return "Nullable(Float64)";
	return own ? "UInt64" : "Nullable(UInt64)";
}

static void put_columns(struct sink *s, const struct ship_rows *r, const struct ktally_field *const *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sink_puts(s, "\t");
		sink_puts(s, at[i]->name);
		sink_char(s, ' ');
		sink_puts(s, type_of(at[i], at[i] >= r->own && at[i] < r->own + ROWS_OWN));
		sink_puts(s, ",\n");
	}
}

int ship_print_table(const struct ship_rows *r, const char *table)
{
	const struct ktally_field **at;
	size_t n;
	int err = 0, status = show_chosen(&r->show, &r->source, &at, &n);
	struct sink *s = status == OPT_GO_ON ? sink_open(NULL, 1, &err) : NULL;

	if (!s) {
		free(at);
		return status == OPT_GO_ON ? say_error(FAILED, "out of memory") : status;
	}
	sink_puts(s, "CREATE TABLE IF NOT EXISTS ");
	sink_puts(s, table);
	sink_puts(s, "\n(\n");
	put_columns(s, r, at, n);
	free(at);
	sink_puts(s, "\ttime DateTime MATERIALIZED toDateTime(intDiv(unix_ns, 1000000000))\n)\n");
	sink_puts(s, "ENGINE = ReplacingMergeTree()\nPARTITION BY toYYYYMMDD(time)\n");
	sink_puts(s, "ORDER BY (time, host, boot_id, load_id, session, cpu, seq)\n");
	err = sink_close(s);
	if (err && err != -EPIPE)
		return say_error(FAILED, "standard output: %s", strerror(-err));
	return DONE;
}
