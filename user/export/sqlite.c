// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sqlite.c - a database: a row per process with all columns, per program it ran,
 * per term of a network device's equations and per place where records were lost; what
 * is known of the recording and its balance as facts; views for the usual questions.
 *
 * Unknown is NULL. Points in time are CLOCK_BOOTTIME ns as recorded. Text that is no
 * UTF-8 is a blob, so that its bytes stay. All of it is one transaction in a file
 * beside the one that was named, which takes its place when it is whole.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "export.h"
#include "out/out.h"
#include "out/text.h"

enum { SCHEMA = 1, SQL_BYTES = 16384 };

struct base {
	struct export *ex;
	sqlite3 *db;
	sqlite3_stmt *insert;		/* into the table that is being filled */
	int err;			/* first SQLITE_* that was not OK; nothing is done after it */
};

static const char tables[] =
"CREATE TABLE facts (kind TEXT NOT NULL, name TEXT NOT NULL, value, PRIMARY KEY (kind, name));"
"CREATE TABLE images (process INTEGER NOT NULL REFERENCES processes (id), place INTEGER NOT NULL,"
" number INTEGER, begin_ns INTEGER, end_ns INTEGER, executed INTEGER NOT NULL, program TEXT,"
" filename TEXT, interp TEXT, comm TEXT, argv TEXT, PRIMARY KEY (process, place));"
"CREATE TABLE devices (boot INTEGER NOT NULL, ifindex INTEGER, device TEXT, netns INTEGER, class TEXT,"
" is_class INTEGER NOT NULL, gone INTEGER NOT NULL, direction TEXT NOT NULL, equation TEXT NOT NULL,"
" role TEXT NOT NULL, term TEXT NOT NULL, packets INTEGER, bytes INTEGER, lower INTEGER NOT NULL);"
"CREATE TABLE losses (cpu INTEGER NOT NULL, records INTEGER NOT NULL, from_ns INTEGER NOT NULL,"
" to_ns INTEGER NOT NULL, damaged INTEGER NOT NULL);"
"CREATE TABLE kinds (kind TEXT PRIMARY KEY, lost INTEGER NOT NULL, filtered INTEGER NOT NULL);"
"CREATE VIEW recording AS SELECT name, value FROM facts WHERE kind = 'recording';"
"CREATE VIEW balance AS SELECT name, value FROM facts WHERE kind = 'balance';";

static const char views[] =
"CREATE INDEX processes_parent ON processes (parent);"
"CREATE INDEX processes_program ON processes (program);"
"CREATE VIEW v_processes AS SELECT p.id, p.pid, q.program AS started_by, p.program, p.user,"
" datetime((p.start_ns + (SELECT value FROM recording WHERE name = 'realtime_minus_boottime_ns'))"
"  / 1000000000, 'unixepoch') AS started, p.life_ns / 1e9 AS life_s, p.cpu_ns / 1e9 AS cpu_s,"
" p.peak_rss_bytes, p.exit_code, p.exit_signal, p.state FROM processes p"
" LEFT JOIN processes q ON q.id = p.parent;"
"CREATE VIEW v_failed AS SELECT * FROM v_processes WHERE exit_code <> 0 OR exit_signal IS NOT NULL;"
"CREATE VIEW v_tree AS WITH RECURSIVE t (id, depth, path) AS ("
" SELECT id, 0, printf('%09d', id) FROM processes WHERE parent IS NULL UNION ALL"
" SELECT p.id, t.depth + 1, t.path || printf('/%09d', p.id) FROM processes p JOIN t ON p.parent = t.id)"
" SELECT t.depth, p.* FROM t JOIN processes p USING (id) ORDER BY t.path;"
"CREATE VIEW v_durations AS SELECT program, count(*) AS runs, avg(end_ns - begin_ns) / 1e9 AS mean_s,"
" max(end_ns - begin_ns) / 1e9 AS max_s, sum(end_ns - begin_ns) / 1e9 AS total_s FROM images"
" WHERE executed AND begin_ns IS NOT NULL AND end_ns IS NOT NULL GROUP BY program ORDER BY total_s DESC;";

/* What a group of processes cost, by column. */
static const struct { const char *view, *column; } groups[] = {
	{ "v_programs", "program" }, { "v_users", "user" }, { "v_cgroups", "cgroup" },
	{ "v_units", "unit" }, { "v_containers", "container" },
};

/* ---- statements ---- */

static void check(struct base *b, int rc)
{
	if (b->err == SQLITE_OK && rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW)
		b->err = rc;
}

static void execute(struct base *b, const char *sql)
{
	if (b->err == SQLITE_OK)
		check(b, sqlite3_exec(b->db, sql, NULL, NULL, NULL));
}

/* "INSERT INTO table VALUES (?,?)" */
static void prepare(struct base *b, const char *table, size_t columns)
{
	char sql[SQL_BYTES];
	size_t n = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (?", table);

	for (size_t i = 1; i < columns; i++)
		n += (size_t)snprintf(sql + n, sizeof(sql) - n, ",?");
	snprintf(sql + n, sizeof(sql) - n, ")");
	sqlite3_finalize(b->insert);
	b->insert = NULL;
	if (b->err == SQLITE_OK)
		check(b, sqlite3_prepare_v2(b->db, sql, -1, &b->insert, NULL));
}

static void insert(struct base *b)
{
	if (b->err != SQLITE_OK)
		return;
	check(b, sqlite3_step(b->insert));
	check(b, sqlite3_reset(b->insert));
	check(b, sqlite3_clear_bindings(b->insert));
}

/* Places are counted from 1; what is not bound is NULL. */
static void bind_number(struct base *b, int place, int64_t v)
{
	if (b->err == SQLITE_OK)
		check(b, sqlite3_bind_int64(b->insert, place, v));
}

/* Its integers have a sign: from 2^63 on a figure is a real, rounded but never negative. */
static void bind_figure(struct base *b, int place, uint64_t v)
{
	if (v <= INT64_MAX)
		bind_number(b, place, (int64_t)v);
	else if (b->err == SQLITE_OK)
		check(b, sqlite3_bind_double(b->insert, place, (double)v));
}

static void bind_text(struct base *b, int place, const char *p, size_t n)
{
	if (b->err != SQLITE_OK || !p)
		return;
	if (text_valid(p, n) && !memchr(p, '\0', n))
		check(b, sqlite3_bind_text(b->insert, place, p, (int)n, SQLITE_TRANSIENT));
	else
		check(b, sqlite3_bind_blob(b->insert, place, p, (int)n, SQLITE_TRANSIENT));
}

static void bind_word(struct base *b, int place, const char *text)
{
	if (text)
		bind_text(b, place, text, strlen(text));
}

/* As a shell reads it back; only with --args. */
static void bind_argv(struct base *b, int place, const char *argv, size_t len)
{
	size_t room = text_quote_room(len) + 1;
	char *text;

	if (!b->ex->options->args || !argv)
		return;
	text = malloc(room);
	if (text)
		bind_text(b, place, text, text_quote_argv(text, room, argv, len, TEXT_FOR_SHELLS));
	else
		check(b, SQLITE_NOMEM);
	free(text);
}

static void bind_value(struct base *b, int place, enum ktally_unit unit,
		       const struct ktally_value *v)
{
	if (v->type == KTALLY_V_TEXT && unit == KTALLY_ARGV)
		bind_argv(b, place, v->t.p, v->t.len);
	else if (v->type == KTALLY_V_TEXT)
		bind_text(b, place, v->t.p, v->t.len);
	else if (v->type == KTALLY_V_U64)
		bind_figure(b, place, v->u);
	else if (v->type == KTALLY_V_S64)
		bind_number(b, place, v->s);
	else if (v->type == KTALLY_V_DOUBLE && b->err == SQLITE_OK)
		check(b, sqlite3_bind_double(b->insert, place, v->d));
}

/* ---- rows ---- */

static void make_processes(struct base *b)
{
	const struct show_source *rows = &b->ex->rows;
	char sql[SQL_BYTES];
	size_t n = (size_t)snprintf(sql, sizeof(sql),
		"CREATE TABLE processes (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES processes (id)");

	for (size_t i = 0; i < rows->n_fields; i++) {
		enum ktally_unit unit = rows->fields[i]->unit;
		bool text = unit == KTALLY_TEXT || unit == KTALLY_ARGV;

		n += (size_t)snprintf(sql + n, sizeof(sql) - n, ", \"%s\" %s", rows->fields[i]->name,
				      text ? "TEXT" : "INTEGER");
	}
	snprintf(sql + n, sizeof(sql) - n, ")");
	execute(b, sql);
}

static void fill_processes(struct base *b)
{
	struct show_source *rows = &b->ex->rows;

	prepare(b, "processes", rows->n_fields + 2);
	for (size_t i = 0; i < b->ex->n; i++) {
		const struct ktally_life *up = export_parent(b->ex->lives[i]);

		bind_number(b, 1, (int64_t)i + 1);
		if (up)
			bind_number(b, 2, (int64_t)export_row(up) + 1);
		for (size_t k = 0; k < rows->n_fields; k++) {
			struct ktally_value v = rows->value(rows->of, i, rows->fields[k]);

			bind_value(b, (int)k + 3, rows->fields[k]->unit, &v);
		}
		insert(b);
	}
}

static void add_image(struct base *b, const struct ktally_life *l, size_t place)
{
	const struct ktally_image *im = &l->images[place];
	struct ktally_str program = ktally_image_program(im);
	uint64_t end = im->end ? im->end : l->end;

	bind_number(b, 1, (int64_t)export_row(l) + 1);
	bind_number(b, 2, (int64_t)place);
	bind_number(b, 3, im->number);
	if (im->begin_known)
		bind_figure(b, 4, im->begin);
	if (end)
		bind_figure(b, 5, end);
	bind_number(b, 6, im->has_exec);
	bind_text(b, 7, program.p, program.len);
	bind_word(b, 8, im->filename);
	bind_word(b, 9, im->interp);
	bind_text(b, 10, im->comm, strnlen(im->comm, sizeof(im->comm)));
	bind_argv(b, 11, im->argv, im->argv_len);
	insert(b);
}

static void fill_images(struct base *b)
{
	prepare(b, "images", 11);
	for (size_t i = 0; i < b->ex->n; i++)
		for (size_t k = 0; k < b->ex->lives[i]->n_images; k++)
			add_image(b, b->ex->lives[i], k);
}

static void add_term(struct base *b, const struct ktally_netdev *d, const struct ktally_term *t)
{
	static const char *const equations[] = {
		[KTALLY_EQ_BUCKETS] = "buckets", [KTALLY_EQ_DEVICE] = "device",
		[KTALLY_EQ_CLASS] = "owners", [KTALLY_EQ_KINDS] = "kinds",
	};
	static const char *const roles[] = {
		[KTALLY_WHOLE] = "whole", [KTALLY_PART] = "part", [KTALLY_REST] = "remainder",
	};
	bool is_class = d->last.flags & (KTALLY_DEVICE_CLASS | KTALLY_DEVICE_KINDS);

	bind_number(b, 1, d->boot);
	if (!is_class) {
		bind_number(b, 2, d->last.ifindex);
		bind_number(b, 4, d->last.netns);
	}
	bind_text(b, 3, d->last.name, strnlen(d->last.name, sizeof(d->last.name)));
	bind_word(b, 5, ktally_class_name(d->last.class));
	bind_number(b, 6, is_class);
	bind_number(b, 7, d->gone);
	bind_word(b, 8, t->tx ? "tx" : "rx");
	bind_word(b, 9, equations[t->equation]);
	bind_word(b, 10, roles[t->role]);
	bind_word(b, 11, t->name);
	if (t->known && t->has_packets)
		bind_number(b, 12, t->packets);
	if (t->known)
		bind_number(b, 13, t->bytes);
	bind_number(b, 14, t->lower);
	insert(b);
}

static void fill_devices(struct base *b)
{
	struct reading *r = b->ex->reading;
	struct ktally_netdev *const *devices;
	struct ktally_term terms[KTALLY_TERMS_MAX];
	size_t n = ktally_model_netdevs(r->model, &devices);

	prepare(b, "devices", 14);
	for (size_t i = 0; i < n; i++) {
		size_t count = ktally_netdev_terms(devices[i], r->ctx.since_birth, terms);

		for (size_t k = 0; k < count; k++)
			add_term(b, devices[i], &terms[k]);
	}
}

static void fill_losses(struct base *b)
{
	const struct ktally_gap *gaps;
	size_t n = ktally_stream_gaps(b->ex->reading->stream, &gaps);
	struct ktally_balance balance;

	prepare(b, "losses", 5);
	for (size_t i = 0; i < n; i++) {
		bind_number(b, 1, gaps[i].cpu);
		bind_figure(b, 2, gaps[i].lost);
		bind_figure(b, 3, gaps[i].from);
		bind_figure(b, 4, gaps[i].to);
		bind_number(b, 5, gaps[i].damaged);
		insert(b);
	}
	ktally_model_balance(b->ex->reading->model, &balance);
	prepare(b, "kinds", 3);
	for (uint32_t kind = 0; kind < KTALLY_KINDS; kind++) {
		if (!ktally_kind_name(kind))
			continue;
		bind_word(b, 1, ktally_kind_name(kind));
		bind_figure(b, 2, balance.lost[kind]);
		bind_figure(b, 3, balance.filtered[kind]);
		insert(b);
	}
}

/* A writer of facts, so that they are those of every other format. What was recorded is a command line. */
static void put_facts(struct out *o, const char *kind, const struct out_fact *facts, size_t n)
{
	struct base *b = o->own;

	for (size_t i = 0; i < n; i++) {
		if (!b->ex->options->args && !strcmp(facts[i].name, "command"))
			continue;
		bind_word(b, 1, kind);
		bind_word(b, 2, facts[i].name);
		bind_value(b, 3, facts[i].unit, &facts[i].value);
		insert(b);
	}
}

static void fill_facts(struct base *b)
{
	static const struct out_writer writer = { .name = "sqlite", .facts = put_facts };
	struct out o = { .writer = &writer, .own = b };

	prepare(b, "facts", 3);
	lives_footer(&o, b->ex->reading, b->ex->match);
}

static void make_views(struct base *b)
{
	char sql[1024];

	execute(b, views);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		snprintf(sql, sizeof(sql), "CREATE VIEW %s AS SELECT %s, count(*) AS processes, sum(failed) AS failed, sum(life_ns) / 1e9 AS life_s, sum(cpu_ns) / 1e9 AS cpu_s, max(peak_rss_bytes) AS peak_rss_bytes, sum(read_bytes) AS read_bytes, sum(write_bytes) AS write_bytes, sum(rx_wire_bytes) AS rx_wire_bytes, sum(tx_wire_bytes) AS tx_wire_bytes FROM processes GROUP BY %s ORDER BY cpu_s DESC",
			 groups[i].view, groups[i].column, groups[i].column);
		execute(b, sql);
	}
}

/* ---- the file ---- */

static void fill(struct base *b)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d; BEGIN", SCHEMA);
	execute(b, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
	execute(b, sql);
	execute(b, tables);
	make_processes(b);
	fill_processes(b);
	fill_images(b);
	fill_devices(b);
	fill_losses(b);
	fill_facts(b);
	sqlite3_finalize(b->insert);
	b->insert = NULL;
	make_views(b);
	execute(b, "COMMIT");
}

static int write_base(struct export *ex, const char *part, void *arg)
{
	struct base b = { .ex = ex };
	int status = OPT_GO_ON;

	(void)arg;
	check(&b, sqlite3_open_v2(part, &b.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
	if (b.err == SQLITE_OK)
		fill(&b);
	if (b.err != SQLITE_OK)
		status = say_error(FAILED, "%s: %s", ex->path, b.db ? sqlite3_errmsg(b.db) : "out of memory");
	check(&b, sqlite3_close(b.db));
	if (status == OPT_GO_ON && b.err != SQLITE_OK)
		status = say_error(FAILED, "%s: %s", ex->path, sqlite3_errstr(b.err));
	return status;
}

int export_sqlite(struct export *ex)
{
	return export_in_place(ex, write_base, NULL);
}
