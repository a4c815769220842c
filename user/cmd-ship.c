// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-ship.c - a row per process that ended, to the servers that a fleet already has:
 * as it happens, or out of recordings. What it does is in ship/; here are its words.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "modes.h"
#include "reading.h"
#include "ship/ship.h"

#define SPOOL		"/var/lib/ktally/ship"
#define USUAL_EVERY	5000000000ULL
#define USUAL_TIMEOUT	30000000000ULL
enum { USUAL_ROWS = 10000, USUAL_SPOOL_MB = 256, AUTH_MAX = 512 };

static const struct opt ship_opts[] = {
	{ 0, "to", "URL", "the server: http://HOST:8123/ for ClickHouse; with --format influx all of it: http://HOST:8428/write, http://HOST:8086/write?db=NAME",
	  opt_string, offsetof(struct ship_options, to), 0, NULL },
	{ 0, "format", "WHAT", "clickhouse (INSERT of JSONEachRow) or influx (line protocol: VictoriaMetrics, InfluxDB); default: clickhouse",
	  opt_word, offsetof(struct ship_options, format), SHIP_CLICKHOUSE, "clickhouse influx" },
	{ 0, "table", "NAME", "of ClickHouse; default: ktally", opt_string, offsetof(struct ship_options, table), 0, NULL },
	{ 0, "print-table", NULL, "print the CREATE TABLE for ClickHouse, and do nothing else", opt_flag,
	  offsetof(struct ship_options, print_table), 0, NULL },
	{ 0, "auth", "FILE", "who we are there: a line USER:PASSWORD", opt_string,
	  offsetof(struct ship_options, auth), 0, "@file" },
	{ 'e', "events", "KIND,...", "rows of exit, exec and task (figures of the living, every --sample); default: exit",
	  opt_string, offsetof(struct ship_options, kinds), 0, "exit exec task" },
	{ 0, "sample", "TIME", "with -e task: look at the living so often; default: 60s", opt_time,
	  offsetof(struct ship_options, sample), 0, NULL },
	{ 'c', "columns", "LIST", "these columns beside the key; default: all, for influx a few",
	  opt_string, offsetof(struct ship_options, columns), 0, "@column" },
	{ 0, "args", NULL, "with command lines, which may hold secrets; names of programs and users are always there",
	  opt_flag, offsetof(struct ship_options, args), 0, NULL },
	{ 0, "every", "TIME", "send what there is so often; default: 5s", opt_time,
	  offsetof(struct ship_options, every), 0, NULL },
	{ 0, "rows", "N", "or when there are so many rows; default: 10000", opt_count,
	  offsetof(struct ship_options, rows), 0, NULL },
	{ 0, "spool", "DIR", "where rows wait for the server; default: " SPOOL ", and memory for recordings that can be read again",
	  opt_string, offsetof(struct ship_options, spool), 0, "@file" },
	{ 0, "spool-size", "MB", "bound of the spool, beyond which the oldest rows go; default: 256", opt_count,
	  offsetof(struct ship_options, spool_mb), 0, NULL },
	{ 0, "follow", NULL, "go on with what a recorder finishes in the folders that are named, and remember what was taken", opt_flag,
	  offsetof(struct ship_options, follow), 0, NULL },
	{ 0, "timeout", "TIME", "how long the server may take to answer; default: 30s", opt_time,
	  offsetof(struct ship_options, timeout), 0, NULL },
	{ 'D', "duration", "TIME", "end after TIME", opt_time, offsetof(struct ship_options, duration), 0, NULL },
	{ 0, "strict", NULL, "exit with 6 when rows or records are missing", opt_flag,
	  offsetof(struct ship_options, strict), 0, NULL },
};

static const struct opt_group ship_groups[] = {
	OPT_OWN("SHIPPING", ship_opts),
	SEL_GROUP(struct ship_options, sel),
};

/* ---- words ---- */

static int take_files(struct ship_options *o, struct opt_rest *rest)
{
	struct reading_options in = { .files = { .n = 0 } };
	int status = reading_take_words(&in, rest);

	o->files = in.files;
	return status;
}

static bool is_table(const char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.')
			return false;
	return true;
}

static int check_url(const struct ship_options *o)
{
	const char *host = o->to ? strstr(o->to, "://") : NULL;

	if (!o->to)
		return say_error(WRONG_USE, "ship: say where to; for example: ktally ship --to http://127.0.0.1:8123/");
	if (!host || (strncmp(o->to, "http://", 7) && strncmp(o->to, "https://", 8)))
		return say_error(WRONG_USE, "ship: --to '%s': a URL is wanted: http://HOST:PORT/ or https://...", o->to);
	host += 3;
	if (memchr(host, '@', strcspn(host, "/?")))
		return say_error(WRONG_USE, "ship: --to: a password there is seen by everybody; put USER:PASSWORD into a file: --auth FILE");
	return OPT_GO_ON;
}

static int check_folders(const struct ship_options *o)
{
	struct stat st;

	if (o->follow && !o->files.n)
		return say_error(WRONG_USE, "ship: --follow: name the recorder's folder; for example: ktally ship --follow /var/lib/ktally");
	for (size_t i = 0; o->follow && i < o->files.n; i++)
		if (stat(o->files.at[i], &st) || !S_ISDIR(st.st_mode))
			return say_error(WRONG_USE, "ship: --follow: '%s' is no folder", o->files.at[i]);
	return OPT_GO_ON;
}

/* In the order of --format. */
static const char *const ways[] = { "--format clickhouse", "--format influx", NULL };
static const struct modes_row way_rows[] = {
	{ "table", MODE(SHIP_CLICKHOUSE) },
};

static int check(const struct ship_options *o, const struct opt_rest *rest)
{
	static const struct modes modes = MODES(ways, way_rows);
	const char *past = sel_past(&o->sel);

	if (past)
		return say_error(WRONG_USE, "ship: --%s is for reports; rows have their time", past);
	if (o->sel.pids.n && o->files.n)
		return say_error(WRONG_USE, "ship: -p is for what lives now, not for recordings");
	if (o->print_table && o->format != SHIP_CLICKHOUSE)
		return say_error(WRONG_USE, "ship: --print-table is for ClickHouse; InfluxDB and VictoriaMetrics need no table");
	if (!is_table(o->table))
		return say_error(WRONG_USE, "ship: --table '%s': letters, digits, _ and . only", o->table);
	if (!o->rows || !o->spool_mb || o->spool_mb > UINT32_MAX)
		return say_error(WRONG_USE, "ship: %s: at least 1", o->rows ? "--spool-size" : "--rows");
	if (o->timeout.ns < 1000000 || o->timeout.ns > 3600000000000ULL)
		return say_error(WRONG_USE, "ship: --timeout: from 1ms to 1h");
	if (o->sample.set && !o->sample.ns)
		return say_error(WRONG_USE, "ship: --sample 0; for example: --sample 60s");
	if (modes_check(&modes, o->format, &cmd_ship, rest) != OPT_GO_ON)
		return WRONG_USE;
	return check_folders(o);
}

/* ---- the server ---- */

static char *make_url(const struct ship_options *o)
{
	char *url = NULL;
	int n;

	if (o->format == SHIP_INFLUX)
		n = asprintf(&url, "%s", o->to);
	else
		n = asprintf(&url, "%s%cquery=INSERT+INTO+%s+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1", o->to,
			     strchr(o->to, '?') ? '&' : '?', o->table);
	return n < 0 ? NULL : url;
}

/* The first line of the file. */
static int read_auth(const char *path, char *auth, size_t n)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(auth, (int)n, f);

	if (!f)
		return say_error(errno == EACCES ? NO_PERMISSION : FAILED, "--auth %s: %s", path, strerror(errno));
	fclose(f);
	auth[ok ? strcspn(auth, "\r\n") : 0] = '\0';
	return strchr(auth, ':') ? OPT_GO_ON : say_error(FAILED, "--auth %s: its first line is no USER:PASSWORD", path);
}

static int open_server(struct ship *s)
{
	char auth[AUTH_MAX] = "", *url;
	int status = s->options->auth ? read_auth(s->options->auth, auth, sizeof(auth)) : OPT_GO_ON;

	if (status != OPT_GO_ON)
		return status;
	url = make_url(s->options);
	status = url ? ship_http_open(&s->http, url, *auth ? auth : NULL, (unsigned int)(s->options->timeout.ns / 1000000)) : say_error(FAILED, "out of memory");
	explicit_bzero(auth, sizeof(auth));
	free(url);
	return status;
}

/* ---- the command ---- */

static int run(struct ship *s, struct opt_rest *rest)
{
	const struct ship_options *o = s->options;
	int status = check_url(o);

	if (status == OPT_GO_ON)
		s->match = sel_compile(&o->sel, rest->words, rest->n_words, &status);
	if (status == OPT_GO_ON)
		status = open_server(s);
	if (status == OPT_GO_ON)
		status = ship_queue_open(&s->queue, o->spool, o->format == SHIP_INFLUX ? "influx.gz" : "jsonl.gz", o->spool_mb << 20);
	if (status == OPT_GO_ON) {
		s->source = o->files.n ? &ship_files : &ship_live;
		status = ship_run(s);
		s->source->close(s);
		if (status == DONE && (s->status == FAILED || o->strict))
			status = s->status;
	}
	ship_http_close(s->http);
	ship_queue_close(&s->queue);
	sel_free(s->match);
	return status;
}

static int run_ship(int argc, char **argv)
{
	struct ship_options o = { .table = "ktally", .rows = USUAL_ROWS, .spool_mb = USUAL_SPOOL_MB,
		.every = { .ns = USUAL_EVERY }, .timeout = { .ns = USUAL_TIMEOUT } };
	struct ship s = { .options = &o };
	struct opt_rest rest;
	int status = opt_parse(&cmd_ship, argc, argv, &o, &rest);

	if (status == OPT_GO_ON)
		status = take_files(&o, &rest);
	if (status == OPT_GO_ON)
		status = check(&o, &rest);
	if (status != OPT_GO_ON)
		return status;
	if (!o.spool && (!o.files.n || o.follow))
		o.spool = SPOOL;
	status = ship_rows_open(&s.rows, &o);
	if (status == OPT_GO_ON)
		status = o.print_table ? ship_print_table(&s.rows, o.table) : run(&s, &rest);
	ship_rows_close(&s.rows);
	return status;
}

static const char *const ship_examples[] = {
	"ship --print-table | clickhouse-client",
	"ship --to http://clickhouse:8123/",
	"ship build.ktl --to http://127.0.0.1:8123/ -e exit,exec",
	"ship --follow /var/lib/ktally --to https://clickhouse:8443/ --auth /etc/ktally/auth",
	"ship --format influx --to http://127.0.0.1:8428/write",
	NULL
};

const struct cmd cmd_ship = {
	.name = "ship",
	.words = "[FILE...] [NAME...] --to URL",
	.help = "a row per ended process to ClickHouse, VictoriaMetrics, InfluxDB",
	.about = "Sends a row for each process that ended to a server by HTTP, in packed batches: as it happens, until Ctrl-C, or of recordings. Rows wait in a bounded spool on disk while the server is away, also over restarts; beyond its size the oldest go, which is counted and said. A row comes at least once, and what comes twice has the same key: boot, load of the module, session, CPU and number of the record. Command lines stay here unless --args asks for them. fleet.md of the documentation has the table and questions to it.",
	.run = run_ship,
	CMD_GROUPS(ship_groups),
	.examples = ship_examples,
};
