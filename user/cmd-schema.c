// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-schema.c - the field list: every column by name, unit and the way it adds up.
 */
#include "cmd.h"
#include "lib/ktally.h"
#include "show.h"

struct args {
	struct show show;
};

static const struct opt_group schema_groups[] = {
	SHOW_GROUP(struct args, show),
};

static const struct ktally_field columns[] = {
	{ .name = "name", .title = "NAME", .help = "in CSV, JSON and --columns", .unit = KTALLY_TEXT, .width = -20 },
	{ .name = "heading", .title = "HEADING", .help = "in tables", .unit = KTALLY_TEXT, .width = -8 },
	{ .name = "unit", .title = "UNIT", .help = "of its values", .unit = KTALLY_TEXT, .width = -7 },
	{ .name = "adds_up", .title = "ADDS-UP", .help = "how a group's value is made: sum, max, min, bound, last, first, same", .unit = KTALLY_TEXT, .width = -7 },
	{ .name = "meaning", .title = "MEANING", .help = "one line", .unit = KTALLY_TEXT, .width = 0 },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static struct ktally_value value(void *of, size_t row, const struct ktally_field *column)
{
	const struct ktally_field *f = (const struct ktally_field *)of + row;

	switch (column - columns) {
	case 0:		return out_text(f->name);
	case 1:		return out_text(f->title);
	case 2:		return out_text(ktally_unit_name(f->unit));
	case 3:		return out_text(ktally_sum_name(f->sum));
	default:	return out_text(f->help);
	}
}

static int run_schema(int argc, char **argv)
{
	const struct ktally_field *fields, *chosen[N_COLUMNS];
	struct args args = { .show = { .columns = NULL } };
	struct show_source src = { .schema = "ktally.schema/1" };
	struct opt_rest rest;
	struct out *o;
	int status = opt_parse(&cmd_schema, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words)
		return say_error(WRONG_USE, "schema: '%s'? it takes no words", rest.words[0]);
	for (size_t i = 0; i < N_COLUMNS; i++)
		chosen[i] = &columns[i];
	src.n_rows = ktally_fields(&fields);
	src.fields = chosen;
	src.n_fields = N_COLUMNS;
	src.columns = "name,heading,unit,adds_up,meaning";
	src.value = value;
	src.of = (void *)fields;
	if (show_wants_help(&args.show))
		return show_columns(chosen, N_COLUMNS, src.columns);
	status = show_rows(&args.show, &src, &o);
	return status == OPT_GO_ON ? show_close(o) : status;
}

static const char *const schema_examples[] = { "schema", "schema --csv", NULL };

const struct cmd cmd_schema = {
	.name = "schema",
	.words = "",
	.help = "the list of columns: name, unit, how they add up",
	.about = "Lists the columns of report and tree. They have the same names in every format; new ones are only ever appended.",
	.run = run_schema,
	CMD_GROUPS(schema_groups),
	.examples = schema_examples,
};
