// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rows.c - from a record to a row, and from rows to a batch. The columns are those of
 * the field table behind the row's own, which say when, where and by which record: that
 * is its key. Command lines stay out unless they are asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "ship.h"

enum own { OWN_UNIX, OWN_EVENT, OWN_HOST, OWN_BOOT, OWN_LOAD, OWN_SESSION, OWN_CPU, OWN_SEQ, OWN_LOST };

static const struct ktally_field own_fields[ROWS_OWN] = {
	[OWN_UNIX] = { "unix_ns", "UNIX", "when it happened, ns since 1970", KTALLY_ID, KTALLY_SAME, 0, NULL, 0 },
	[OWN_EVENT] = { "event", "EVENT", "exit, exec or task", KTALLY_TEXT, KTALLY_SAME, 0, NULL, 0 },
	[OWN_HOST] = { "host", "HOST", "name of the machine", KTALLY_TEXT, KTALLY_SAME, 0, NULL, 0 },
	[OWN_BOOT] = { "boot_id", "BOOT", "its boot", KTALLY_TEXT, KTALLY_SAME, 0, NULL, 0 },
	[OWN_LOAD] = { "load_id", "LOAD", "load of the module", KTALLY_ID, KTALLY_SAME, 0, NULL, 0 },
	[OWN_SESSION] = { "session", "SESSION", "session since that load", KTALLY_ID, KTALLY_SAME, 0, NULL, 0 },
	[OWN_CPU] = { "cpu", "CPU-NO", "CPU that wrote the record", KTALLY_ID, KTALLY_SAME, 0, NULL, 0 },
	[OWN_SEQ] = { "seq", "SEQ", "number of the record on this CPU in this session", KTALLY_ID, KTALLY_SAME, 0, NULL, 0 },
	[OWN_LOST] = { "lost", "LOST", "records that this session had lost by then", KTALLY_COUNT, KTALLY_SAME, 0, NULL, 0 },
};
#define OWN_COLUMNS "unix_ns,event,host,boot_id,load_id,session,cpu,seq,lost"
/* A field is a series there, so the usual ones are few. */
#define INFLUX_KEY "unix_ns,event,host,cpu,program,user,unit"
#define INFLUX_USUAL "life_ns,cpu_user_ns,cpu_sys_ns,cpu_ns,peak_rss_bytes,read_bytes,write_bytes,rx_wire_bytes,tx_wire_bytes,failed"

static const struct {
	const char *name;
	uint32_t kind;
} kinds[] = { { "exit", KTALLY_EXIT }, { "exec", KTALLY_EXEC }, { "task", KTALLY_TASK } };
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- a value ---- */

static const char *kind_name(uint32_t kind)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (kinds[i].kind == kind)
			return kinds[i].name;
	return NULL;
}

static struct ktally_value own_value(const struct ship_rows *r, enum own which)
{
	const struct ktally_event *ev = r->event;

	switch (which) {
	case OWN_UNIX:	return out_u64(ev->time + (uint64_t)r->origin.real);
	case OWN_EVENT:	return out_text(kind_name(ev->kind));
	case OWN_HOST:	return out_text(r->origin.host);
	case OWN_BOOT:	return out_text(r->origin.boot_id);
	case OWN_LOAD:	return out_u64(ev->load_id);
	case OWN_SESSION: return out_u64(ev->session);
	case OWN_CPU:	return out_u64(ev->cpu);
	case OWN_SEQ:	return out_u64(ev->seq);
	default:	return out_u64(r->origin.lost);
	}
}

static struct ktally_value value_of(void *of, size_t row, const struct ktally_field *f)
{
	struct ship_rows *r = of;
	struct ktally_value v;

	(void)row;
	if (f >= r->own && f < r->own + ROWS_OWN)
		return own_value(r, (enum own)(f - r->own));
	if (f == &bounds_field)
		return bounds_value(&r->bounds);
	v = ktally_field_value(f, &r->process->life, r->ctx);
	bounds_note(&r->bounds, f, &v);
	/* A list cannot be unknown there. */
	if (f->unit == KTALLY_ARGV && v.type == KTALLY_V_UNKNOWN)
		v = out_text("");
	return v;
}

/* ---- a row ---- */

/* The numbers of a life stand at the same place in all of these kinds. */
static const struct ktally_watched *process_of(const struct ship_rows *r, const struct ktally_event *ev)
{
	const struct ktally_watched *p = ktally_watch_find(r->ctx->watch, ev->u.exit.tgid, ev->u.exit.start);

	if (!p || !p->tally)
		return NULL;
	/* The second of a pair is none. */
	return ev->kind != KTALLY_EXIT || p->life.end == ev->time ? p : NULL;
}

static int begin_batch(struct ship_rows *r)
{
	char path[32];
	int status;

	r->fd = memfd_create("rows", MFD_CLOEXEC);
	if (r->fd < 0)
		return say_error(FAILED, "no memory for rows");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	r->show.out.path = path;
	status = show_open(&r->show, &r->source, &r->out);
	r->show.out.path = NULL;
	r->begin = session_now();
	return status;
}

int ship_rows_see(void *rows, const struct ktally_event *ev)
{
	struct ship_rows *r = rows;
	int status = OPT_GO_ON;

	if (!ev->decoded || ev->kind >= 64 || !(r->kinds >> ev->kind & 1))
		return OPT_GO_ON;
	r->process = process_of(r, ev);
	if (!r->process)
		return OPT_GO_ON;
	r->event = ev;
	bounds_begin(&r->bounds);
	if (!r->out)
		status = begin_batch(r);
	if (status == OPT_GO_ON)
		status = show_more(&r->show, &r->source, r->out);
	r->n++;
	return status;
}

bool ship_rows_due(const struct ship_rows *r, uint64_t now)
{
	return r->out && (r->n >= r->options->rows || now - r->begin >= r->options->every.ns);
}

/* ---- a batch ---- */

static int close_rows(struct ship_rows *r)
{
	int status = show_close(r->out);

	r->out = NULL;
	r->n = 0;
	return status == DONE ? OPT_GO_ON : status;
}

static unsigned char *pack(struct ship_rows *r, const struct ship_http *h, size_t *n)
{
	unsigned char *packed = NULL;
	struct stat st;
	void *rows;

	if (fstat(r->fd, &st) || !st.st_size)
		return NULL;
	rows = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, r->fd, 0);
	if (rows == MAP_FAILED)
		return NULL;
	packed = ship_http_pack(h, rows, (size_t)st.st_size, n);
	munmap(rows, (size_t)st.st_size);
	r->bytes += (uint64_t)st.st_size;
	return packed;
}

int ship_rows_seal(struct ship_rows *r, const struct ship_http *h, struct ship_queue *q)
{
	unsigned char *packed;
	uint64_t rows = r->n;
	size_t n = 0;
	int status;

	if (!r->out)
		return OPT_GO_ON;
	status = close_rows(r);
	packed = status == OPT_GO_ON ? pack(r, h, &n) : NULL;
	close(r->fd);
	if (status != OPT_GO_ON)
		return status;
	if (!packed)
		return say_error(FAILED, "no memory for rows");
	return ship_queue_add(q, packed, n, rows);
}

/* ---- columns ---- */

static int take_kinds(struct ship_rows *r, const char *list)
{
	for (list = list ? list : "exit"; *list;) {
		size_t n = strcspn(list, ","), i = 0;

		while (i < N_KINDS && (strlen(kinds[i].name) != n || strncmp(kinds[i].name, list, n)))
			i++;
		if (i == N_KINDS)
			return say_error(WRONG_USE, "ship: -e '%.*s': there are exit, exec and task", (int)n, list);
		r->kinds |= 1ULL << kinds[i].kind;
		list += n + (list[n] == ',');
	}
	return r->kinds ? OPT_GO_ON : say_error(WRONG_USE, "ship: -e '': there are exit, exec and task");
}

static int take_fields(struct ship_rows *r)
{
	const struct ktally_field *all;
	size_t n = ktally_fields(&all);

	r->fields = calloc(ROWS_OWN + n + 1, sizeof(*r->fields));
	if (!r->fields)
		return say_error(FAILED, "out of memory");
	memcpy(r->own, own_fields, sizeof(own_fields));
	for (size_t i = 0; i < ROWS_OWN; i++)
		r->fields[r->n_fields++] = &r->own[i];
	for (size_t i = 0; i < n; i++)
		if (r->options->args || all[i].unit != KTALLY_ARGV)
			r->fields[r->n_fields++] = &all[i];
	r->fields[r->n_fields++] = &bounds_field;
	return OPT_GO_ON;
}

static int set_columns(struct ship_rows *r, char *columns)
{
	free(r->columns);
	r->show.columns = r->columns = columns;
	return columns ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

/* Without --columns they are in that order anyway. */
static int put_own_first(struct ship_rows *r)
{
	const struct ktally_field **at;
	size_t n, len;
	int status = show_chosen(&r->show, &r->source, &at, &n);
	char *columns = NULL;
	FILE *f = status == OPT_GO_ON ? open_memstream(&columns, &len) : NULL;

	if (f) {
		fputs(OWN_COLUMNS, f);
		for (size_t i = 0; i < n; i++)
			if (at[i] < r->own || at[i] >= r->own + ROWS_OWN)
				fprintf(f, ",%s", at[i]->name);
		fclose(f);
	}
	free(at);
	return status == OPT_GO_ON ? set_columns(r, columns) : status;
}

/* What makes the key is always there. */
static int choose(struct ship_rows *r)
{
	bool influx = r->options->format == SHIP_INFLUX;
	const char *more = r->options->columns;
	char *columns;
	int n, status;

	if (!more && !influx)
		return OPT_GO_ON;
	n = asprintf(&columns, "%s,%s", more ? more : INFLUX_USUAL, influx ? INFLUX_KEY : OWN_COLUMNS);
	status = set_columns(r, n < 0 ? NULL : columns);
	if (status != OPT_GO_ON)
		return status;
	return influx ? show_check(&r->show, &r->source) : put_own_first(r);
}

int ship_rows_open(struct ship_rows *r, const struct ship_options *o)
{
	int status;

	*r = (struct ship_rows){ .options = o };
	status = take_kinds(r, o->kinds);
	if (status == OPT_GO_ON)
		status = take_fields(r);
	if (status != OPT_GO_ON)
		return status;
	r->source = (struct show_source){
		.schema = "ktally.ship/1", .fields = r->fields, .n_fields = r->n_fields,
		.columns = OWN_COLUMNS, .n_rows = 1, .value = value_of, .of = r, .clock = { .cpus = 1 },
	};
	r->show.out = (struct out_options){ .format = o->format == SHIP_INFLUX ? OUT_INFLUX : OUT_JSONL };
	return choose(r);
}

void ship_rows_close(struct ship_rows *r)
{
	if (r->out) {
		close_rows(r);
		close(r->fd);
	}
	bounds_free(&r->bounds);
	free(r->fields);
	free(r->columns);
}
