/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ship.h - rows of processes to a server. Records come from the module (live.c) or from
 * recordings (files.c), become rows and batches of them (rows.c), wait (queue.c) and go
 * to the server one batch after the other (loop.c, http.c).
 *
 * A batch is what is sent: packed, ready, and given up only when the server has taken
 * it. So rows come at least once; what came twice has the same key. Functions say what
 * went wrong themselves and return OPT_GO_ON or an exit status.
 */
#ifndef KTALLY_SHIP_H
#define KTALLY_SHIP_H

#include "bounds.h"
#include "names.h"
#include "opt.h"
#include "sel.h"
#include "service.h"
#include "session.h"
#include "show.h"
#include "ship/http.h"
#include "ship/queue.h"
#include "watching.h"

enum ship_format { SHIP_CLICKHOUSE, SHIP_INFLUX };

struct ship_options {
	int format;			/* enum ship_format */
	const char *to, *table, *auth, *spool, *kinds, *columns;
	struct opt_time every, sample, duration, timeout;
	uint64_t rows, spool_mb;
	bool args, follow, print_table, strict;
	struct opt_list files;		/* none: the module */
	struct sel sel;
};

/* ---- rows.c: from records to batches ---- */

enum { ROWS_OWN = 9 };

/* Whose the records are. */
struct ship_origin {
	char host[65], boot_id[40];
	int64_t real;			/* REALTIME - BOOTTIME */
	uint64_t lost;			/* records of this session so far */
};

struct ship_rows {
	const struct ship_options *options;
	uint64_t kinds;			/* that make rows, a bit each */
	struct ship_origin origin;
	struct ktally_field_ctx *ctx;	/* the source's; its watch has taken the record before */
	struct ktally_field own[ROWS_OWN];
	const struct ktally_field **fields;
	size_t n_fields;
	struct show show;
	struct show_source source;
	char *columns;
	struct out *out;		/* the batch that is being made; NULL: it has no row yet */
	int fd;				/* its bytes, in memory */
	uint64_t n, begin;		/* rows of it, and when it began */
	const struct ktally_event *event;
	const struct ktally_watched *process;
	struct bounds bounds;		/* of that row */
	uint64_t bytes;			/* of rows in all, before packing */
};

int ship_rows_open(struct ship_rows *r, const struct ship_options *o);
/* One record that the watch has taken. */
int ship_rows_see(void *rows, const struct ktally_event *ev);
/* Whether the batch is large or old enough. */
bool ship_rows_due(const struct ship_rows *r, uint64_t now);
/* The batch, packed, into the queue; nothing if there is no row. */
int ship_rows_seal(struct ship_rows *r, const struct ship_http *h, struct ship_queue *q);
void ship_rows_close(struct ship_rows *r);

/* ---- where records come from ---- */

struct ship;
struct ship_source {
	int (*open)(struct ship *s);
	/* Some of what there is; s->done when that was all there will ever be. */
	int (*take)(struct ship *s, uint64_t now);
	/* All that was taken is in the queue; NULL: of no interest. */
	int (*settled)(struct ship *s);
	/* A descriptor that says that there is more before next_take; NULL: there is none. */
	int (*fd)(const struct ship *s);
	void (*close)(struct ship *s);
	bool endless;			/* and what is not taken now is lost; else it waits */
};
extern const struct ship_source ship_live, ship_files;

struct ship {
	const struct ship_options *options;
	const struct ship_source *source;
	struct sel_match *match;
	struct ship_rows rows;
	struct ship_queue queue;
	struct ship_http *http;
	struct watching live;
	struct files *files;
	uint64_t next_take;		/* not earlier than this */
	uint64_t next_look;		/* at the living, for task rows */
	struct service_losses losses;
	bool done, stop;
	int signals, status;
	uint64_t begin, next_try, sent_rows, sent_batches, sent_bytes;
	unsigned int tries;		/* in vain, since the last batch was taken */
	struct ship_batch *sending;
	uint64_t next_write;		/* of what waits in memory to the disk */
	unsigned char *body;		/* of the batch that is being sent */
	char trouble[512];		/* that was said last; empty: none */
};

/* Until all is sent, or Ctrl-C. */
int ship_run(struct ship *s);

/* ---- table.c ---- */

/* CREATE TABLE for ClickHouse, on standard output. */
int ship_print_table(const struct ship_rows *r, const char *table);

#endif
