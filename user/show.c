// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * show.c - chooses columns, sorts and limits rows, and hands them to a writer.
 *
 * It knows neither processes nor formats. A table shows the columns its command
 * thinks of; formats for machines give all, since they are read by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "modes.h"
#include "show.h"

enum { SMALL_TEXT = 64 };	/* the scratch of a getter */

const struct opt show_opts[] = {
	{ 'c', "columns", "LIST", "these columns: a,b; or the usual ones with +c and without -d; help lists all",
	  opt_string, offsetof(struct show, columns), 0, "@column" },
	{ 's', "sort", "[-]COLUMN", "in order of this column, smallest first; -COLUMN: largest first",
	  opt_string, offsetof(struct show, sort), 0, "@column" },
	{ 'l', "limit", "N", "at most N rows; 0: all", opt_count, offsetof(struct show, limit), 0, NULL },
	{ 0, "csv", NULL, "comma-separated values: all columns, times in ns, sizes in bytes",
	  opt_constant, offsetof(struct show, out.format), OUT_CSV, NULL },
	{ 0, "json", NULL, "one JSON document", opt_constant, offsetof(struct show, out.format),
	  OUT_JSON, NULL },
	{ 0, "jsonl", NULL, "one JSON object per line", opt_constant,
	  offsetof(struct show, out.format), OUT_JSONL, NULL },
	{ 0, "raw", NULL, "columns divided by one blank, with none inside", opt_constant,
	  offsetof(struct show, out.format), OUT_RAW, NULL },
	{ 'o', "output", "FILE", "write to FILE instead of standard output", opt_output,
	  offsetof(struct show, out.path), 0, "@file" },
	{ 0, "no-header", NULL, "without the line of headings", opt_flag,
	  offsetof(struct show, out.no_header), 0, NULL },
	{ 'w', "wide", NULL, "do not cut the last column to the terminal's width", opt_flag,
	  offsetof(struct show, out.wide), 0, NULL },
	{ 0, "human", NULL, "units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual",
	  opt_flag, offsetof(struct show, out.human), 0, NULL },
	{ 0, "ns", NULL, "times as whole nanoseconds", opt_flag, offsetof(struct show, out.ns), 0,
	  NULL },
	{ 0, "bytes", NULL, "sizes as whole bytes", opt_flag, offsetof(struct show, out.bytes), 0,
	  NULL },
	{ 'I', "normalize", NULL, "divide percentages by the number of CPUs; else 100 is one CPU",
	  opt_flag, offsetof(struct show, out.per_machine), 0, NULL },
	{ 0, "time", "FROM", "points in time since the first record (rel), since boot (boot), or by the clock (wall)",
	  opt_word, offsetof(struct show, out.time), OUT_TIME_REL, "rel boot wall" },
	{ 0, "utc", NULL, "with --time wall: UTC instead of local time", opt_flag,
	  offsetof(struct show, out.utc), 0, NULL },
	{ 0, "csv-safe", NULL, "with --csv: put ' before text that a spreadsheet would compute",
	  opt_flag, offsetof(struct show, out.csv_safe), 0, NULL },
	{ 0, "color", "WHEN", "colour: auto, always, never; NO_COLOR is heeded", opt_word,
	  offsetof(struct show, out.color), 0, "auto always never" },
	{ 0, "no-pager", NULL, "write straight to the terminal", opt_flag,
	  offsetof(struct show, out.no_pager), 0, NULL },
	{ 0, "strict", NULL, "exit with 6 when records are missing", opt_flag,
	  offsetof(struct show, strict), 0, NULL },
};
_Static_assert(sizeof(show_opts) / sizeof(show_opts[0]) == SHOW_OPTS, "show.h counts the rows");

/* In the order of enum out_format; the last is no option. */
static const char *const formats[] = { "tables", "--csv", "--json", "--jsonl", "--raw", NULL };
static const struct modes_row format_rows[] = {
	{ "csv-safe", MODE(OUT_CSV) },
	{ "no-header", MODE(OUT_TABLE) | MODE(OUT_CSV) | MODE(OUT_RAW) },
	{ "wide human ns bytes", MODE(OUT_TABLE) },
};

int show_check_given(const struct cmd *cmd, const void *show, const struct opt_rest *rest)
{
	static const struct modes by_format = MODES(formats, format_rows);

	return modes_check(&by_format, ((const struct show *)show)->out.format, cmd, rest);
}

/* Chosen columns, in order. */
struct chosen {
	const struct ktally_field **at;
	size_t n;
};

const struct ktally_field *show_find(const struct ktally_field *const *fields, size_t n,
				     const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(fields[i]->name) == len && !strncmp(fields[i]->name, name, len))
			return fields[i];
	for (size_t i = 0; i < n; i++)
		if (strlen(fields[i]->title) == len && !strncasecmp(fields[i]->title, name, len))
			return fields[i];
	return NULL;
}

static const char *field_name(const void *of, size_t i)
{
	const struct show_source *src = of;

	return src->fields[i]->name;
}

static int unknown_column(const struct show_source *src, const char *name, size_t len)
{
	const char *nearest;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	nearest = opt_nearest(word, src->n_fields, field_name, src);
	if (nearest)
		return say_error(WRONG_USE, "no column '%s'; did you mean %s? --columns help lists all", word,
				 nearest);
	return say_error(WRONG_USE, "no column '%s'; --columns help lists all", word);
}

static void drop(struct chosen *c, const struct ktally_field *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->at[i] != f)
			c->at[kept++] = c->at[i];
	c->n = kept;
}

/* One word of a list: "name", "+name" or "-name". Added columns go before the last, which is the wide one. */
static int apply_word(const struct show_source *src, struct chosen *c, const char *word, size_t len,
		      bool plain)
{
	char sign = *word == '+' || *word == '-' ? *word : 0;
	const struct ktally_field *f;

	f = show_find(src->fields, src->n_fields, word + !!sign, len - !!sign);
	if (!f)
		return unknown_column(src, word + !!sign, len - !!sign);
	drop(c, f);
	if (sign == '-')
		return OPT_GO_ON;
	if (!plain && c->n && !c->at[c->n - 1]->width && f->width) {
		c->at[c->n] = c->at[c->n - 1];
		c->at[c->n - 1] = f;
	} else {
		c->at[c->n] = f;
	}
	c->n++;
	return OPT_GO_ON;
}

static int apply_list(const struct show_source *src, struct chosen *c, const char *list)
{
	bool plain = *list != '+' && *list != '-';

	if (plain)
		c->n = 0;
	while (*list) {
		size_t len = strcspn(list, ",");
		int status = apply_word(src, c, list, len, plain);

		if (status != OPT_GO_ON)
			return status;
		list += len;
		list += *list == ',';
	}
	return c->n ? OPT_GO_ON : say_error(WRONG_USE, "--columns: no column is left");
}

static void choose_all(const struct show_source *src, struct chosen *c)
{
	for (size_t i = 0; i < src->n_fields; i++)
		c->at[i] = src->fields[i];
	c->n = src->n_fields;
}

static int choose(const struct show *show, const struct show_source *src, struct chosen *c)
{
	int status = OPT_GO_ON;

	c->at = calloc(src->n_fields + 1, sizeof(*c->at));
	if (!c->at)
		return say_error(FAILED, "out of memory");
	if (show->out.format == OUT_TABLE)
		status = apply_list(src, c, src->columns);
	else
		choose_all(src, c);
	if (status == OPT_GO_ON && show->columns)
		status = apply_list(src, c, show->columns);
	return status;
}

struct key {
	size_t row;
	struct ktally_value v;
	char small[SMALL_TEXT];
};

static int order(double a, double b)
{
	return a < b ? -1 : a > b;
}

static double as_double(const struct ktally_value *v)
{
	if (v->type == KTALLY_V_DOUBLE)
		return v->d;
	return v->type == KTALLY_V_S64 ? (double)v->s : (double)v->u;
}

static int compare_text(struct ktally_str a, struct ktally_str b)
{
	uint32_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.p, b.p, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* Unknown values stand last in either direction; equal ones keep their order. */
static int compare(const struct key *a, const struct key *b, int sign)
{
	bool known_a = a->v.type != KTALLY_V_UNKNOWN, known_b = b->v.type != KTALLY_V_UNKNOWN;
	int c;

	if (!known_a || !known_b)
		c = known_b - known_a;
	else if (a->v.type == KTALLY_V_TEXT && b->v.type == KTALLY_V_TEXT)
		c = sign * compare_text(a->v.t, b->v.t);
	else if (a->v.type == KTALLY_V_U64 && b->v.type == KTALLY_V_U64)
		c = sign * ((a->v.u > b->v.u) - (a->v.u < b->v.u));
	else
		c = sign * order(as_double(&a->v), as_double(&b->v));
	return c ? c : (a->row > b->row) - (a->row < b->row);
}

static int rising(const void *a, const void *b)
{
	return compare(a, b, 1);
}

static int falling(const void *a, const void *b)
{
	return compare(a, b, -1);
}

/* A short text lies in the getter's scratch: taken along. */
static void keep(struct ktally_value *v, char *small)
{
	if (v->type != KTALLY_V_TEXT || v->t.len > SMALL_TEXT)
		return;
	if (v->t.len)
		memcpy(small, v->t.p, v->t.len);
	v->t.p = small;
}

static const char *sort_words(const struct show *show, const struct show_source *src)
{
	return show->sort ? show->sort : src->sort;
}

/* The column that rows are sorted by; *f NULL: they stay as they come. */
static int find_sort(const struct show *show, const struct show_source *src, const struct ktally_field **f)
{
	const char *by = sort_words(show, src);

	*f = NULL;
	if (!by)
		return OPT_GO_ON;
	by += *by == '-';
	*f = show_find(src->fields, src->n_fields, by, strlen(by));
	return *f ? OPT_GO_ON : unknown_column(src, by, strlen(by));
}

static int sort_rows(const struct show *show, const struct show_source *src, struct key *keys)
{
	const struct ktally_field *f;
	int status = find_sort(show, src, &f);

	for (size_t i = 0; i < src->n_rows; i++)
		keys[i].row = i;
	if (!f)
		return status;
	for (size_t i = 0; i < src->n_rows; i++) {
		keys[i].v = src->value(src->of, i, f);
		keep(&keys[i].v, keys[i].small);
	}
	qsort(keys, src->n_rows, sizeof(*keys), *sort_words(show, src) == '-' ? falling : rising);
	return OPT_GO_ON;
}

static int write_rows(const struct show *show, const struct show_source *src, const struct key *keys,
		      struct out *o)
{
	size_t n = show->limit && show->limit < src->n_rows ? show->limit : src->n_rows;
	struct ktally_value *values = calloc(o->table.n, sizeof(*values));
	char (*small)[SMALL_TEXT] = calloc(o->table.n, sizeof(*small));

	if (values && small) {
		for (size_t i = 0; i < n; i++) {
			size_t row = keys[i].row;

			for (size_t k = 0; k < o->table.n; k++) {
				values[k] = src->value(src->of, row, o->table.columns[k]);
				keep(&values[k], small[k]);
			}
			if (src->prefix)
				out_prefix(o, src->prefix(src->of, row));
			out_row(o, values);
		}
	} else {
		o->oom = true;
	}
	free(values);
	free(small);
	return OPT_GO_ON;
}

static int sink_failed(const char *name, int err)
{
	if (err == -EPIPE)
		return FAILED;	/* the reader has gone: it knows */
	return say_error(FAILED, "%s: %s%s", name, strerror(-err),
			 err == -EBADF ? " (is it closed?)" : "");
}

int show_check_path(const struct show *show)
{
	const char *path = show->out.path;
	struct stat st;
	int fd;

	if (!path || !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
		return OPT_GO_ON;
	/* What stands there is good until there is something better. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			unlink(path);
		else if (errno == EEXIST)
			return OPT_GO_ON;	/* a link to a file that is not there yet */
	}
	if (fd < 0)
		return sink_failed(path, -errno);
	close(fd);
	return OPT_GO_ON;
}

int show_chosen(const struct show *show, const struct show_source *src,
		const struct ktally_field ***at, size_t *n)
{
	const struct ktally_field *by;
	struct chosen c = { 0 };
	int status = choose(show, src, &c);

	*at = c.at;
	*n = c.n;
	return status == OPT_GO_ON ? find_sort(show, src, &by) : status;
}

int show_check(const struct show *show, const struct show_source *src)
{
	const struct ktally_field **at;
	size_t n;
	int status = show_chosen(show, src, &at, &n);

	free(at);
	return status;
}

int show_needs(const struct show *show, const struct show_source *src,
	       const struct ktally_field ***at, size_t *n)
{
	int status = show_chosen(show, src, at, n);
	const struct ktally_field *by = NULL;
	struct chosen c = { *at, *n };

	if (status == OPT_GO_ON)
		status = find_sort(show, src, &by);
	if (by) {
		drop(&c, by);
		c.at[c.n++] = by;
	}
	*n = c.n;
	return status;
}

int show_open(const struct show *show, const struct show_source *src, struct out **o)
{
	struct out_table table = { .schema = src->schema, .clock = src->clock };
	const struct ktally_field **at;
	int status = show_chosen(show, src, &at, &table.n), err = 0;

	if (status == OPT_GO_ON) {
		say_progress_end();
		table.columns = at;
		*o = out_open(&show->out, &table, &err);
		if (*o)
			return OPT_GO_ON;
		status = sink_failed(show->out.path ? show->out.path : "standard output", err);
	}
	free(at);
	return status;
}

int show_more(const struct show *show, const struct show_source *src, struct out *o)
{
	struct key *keys = calloc(src->n_rows + 1, sizeof(*keys));
	int status = keys ? sort_rows(show, src, keys) : say_error(FAILED, "out of memory");

	if (status == OPT_GO_ON)
		status = write_rows(show, src, keys, o);
	free(keys);
	return status;
}

int show_rows(const struct show *show, const struct show_source *src, struct out **o)
{
	int status = show_open(show, src, o);

	return status == OPT_GO_ON ? show_more(show, src, *o) : status;
}

/* Words about the rows come after them, and only when they have arrived. */
static void say_lines(char *lines)
{
	for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n"))
		say("%s", line);
}

int show_close(struct out *o)
{
	const struct ktally_field *const *columns = o->table.columns;
	char name[256], *lines;
	int err;

	snprintf(name, sizeof(name), "%s", sink_name(o->sink));
	err = out_close(o, &lines);
	free((void *)columns);
	if (!err && lines)
		say_lines(lines);
	free(lines);
	return err ? sink_failed(name, err) : DONE;
}

size_t show_width(const struct show *show)
{
	return show->out.path ? SIZE_MAX : sink_width(STDOUT_FILENO);
}

bool show_wants_help(const struct show *show)
{
	return show->columns && !strcmp(show->columns, "help");
}

int show_columns(const struct ktally_field *const *fields, size_t n, const char *columns)
{
	for (size_t i = 0; i < n; i++)
		printf("  %-24s %-8s %s\n", fields[i]->name, fields[i]->title, fields[i]->help);
	printf("\nusual columns: %s\n", columns);
	if (fflush(stdout) || ferror(stdout))
		return say_error(FAILED, "standard output: cannot write the list of columns");
	return DONE;
}
