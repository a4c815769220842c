// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * devices.c - the equations of network figures as people and programs read them.
 *
 * It shows terms and computes none. In a table terms that are 0 are left out and
 * parts stand a little behind their whole; formats for machines have all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "devices.h"
#include "nettables.h"

enum column { DEVICE, NETNS, CLASS, DIRECTION, EQUATION, PACKETS, BYTES, PERCENT, ROLE, TERM,
	      IFINDEX, GONE, COLUMNS };

static const struct ktally_field columns[COLUMNS] = {
	[DEVICE] = { .name = "device", .title = "DEVICE", .help = "its name; (class): all devices of that class", .unit = KTALLY_TEXT, .width = -15 },
	[NETNS] = { .name = "netns", .title = "NETNS", .help = "network namespace it is in", .unit = KTALLY_ID, .width = 10 },
	[CLASS] = { .name = "class", .title = "CLASS", .help = "physical, loopback or virtual", .unit = KTALLY_TEXT, .width = -8 },
	[DIRECTION] = { .name = "direction", .title = "DIR", .help = "rx: received, tx: sent", .unit = KTALLY_TEXT, .width = -3 },
	[EQUATION] = { .name = "equation", .title = "EQUATION", .help = "buckets: wire bytes at the hooks by what they were; device: its own counters against the hooks; owners: whose the sockets' bytes are; kinds: packets of no process by what they are", .unit = KTALLY_TEXT, .width = -8 },
	[PACKETS] = { .name = "packets", .title = "PACKETS", .help = "packets, of buckets not counted apart", .unit = KTALLY_COUNT, .width = 10 },
	[BYTES] = { .name = "bytes", .title = "BYTES", .help = "wire bytes; in equation device as drivers count", .unit = KTALLY_COUNT, .width = 14 },
	[PERCENT] = { .name = "percent", .title = "%", .help = "bytes as a share of the whole", .unit = KTALLY_PERCENT, .width = 6 },
	[ROLE] = { .name = "role", .title = "ROLE", .help = "whole = sum of parts + remainder", .unit = KTALLY_TEXT, .width = -9 },
	[TERM] = { .name = "term", .title = "TERM", .help = "what is counted; see ktally(1) and network.md of the documentation", .unit = KTALLY_TEXT },
	[IFINDEX] = { .name = "ifindex", .title = "IFINDEX", .help = "number of the device in its namespace", .unit = KTALLY_ID, .width = 7 },
	[GONE] = { .name = "gone", .title = "GONE", .help = "1: the device is no more, and its driver has forgotten some of what it counted", .unit = KTALLY_BOOL, .width = 4 },
};

struct row {
	const struct ktally_netdev *device;
	struct ktally_term term;
	int64_t whole;			/* bytes of its equation */
	bool alone;			/* the whole is not known */
};

struct rows {
	struct row *at;
	size_t n;
	char name[32];
};

/* ---- rows ---- */

static bool is_nothing(const struct ktally_term *t)
{
	return t->known && !t->bytes && !t->packets;
}

/* The equation at terms[i], whole first: how many terms, and whether all are 0. */
static size_t equation_at(const struct ktally_term *terms, size_t n, size_t i, bool *nothing)
{
	size_t end = i;

	*nothing = true;
	do
		*nothing &= is_nothing(&terms[end]);
	while (++end < n && terms[end].role != KTALLY_WHOLE);
	return end - i;
}

static void add_row(struct rows *rows, const struct ktally_netdev *d, const struct ktally_term *t,
		    const struct ktally_term *whole)
{
	rows->at[rows->n++] = (struct row){
		.device = d, .term = *t, .whole = whole->bytes, .alone = !whole->known,
	};
}

/* Of an idle device a line is enough, of parts that are 0 none. */
static void add_terms(struct rows *rows, const struct ktally_netdev *d, bool since_load, bool all)
{
	struct ktally_term terms[KTALLY_TERMS_MAX];
	size_t n = ktally_netdev_terms(d, since_load, terms), before = rows->n, count;
	bool nothing;

	for (size_t i = 0; i < n; i += count) {
		count = equation_at(terms, n, i, &nothing);
		for (size_t k = i; k < i + count && (all || !nothing); k++)
			if (all || terms[k].role != KTALLY_PART || terms[k].bytes || terms[k].packets)
				add_row(rows, d, &terms[k], &terms[i]);
	}
	if (rows->n == before && n)
		add_row(rows, d, &terms[0], &terms[0]);
}

static int make_rows(struct rows *rows, const struct reading *r, bool all)
{
	struct ktally_netdev *const *devices;
	size_t n = ktally_model_netdevs(r->model, &devices);

	rows->at = calloc(n ? n * KTALLY_TERMS_MAX : 1, sizeof(*rows->at));
	if (!rows->at)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < n; i++)
		add_terms(rows, devices[i], r->ctx.since_birth, all);
	return OPT_GO_ON;
}

/* Not of one device. */
static bool is_class(const struct ktally_device *d)
{
	return d->flags & (KTALLY_DEVICE_CLASS | KTALLY_DEVICE_KINDS);
}

static bool many_namespaces(const struct rows *rows)
{
	uint32_t first = 0;

	for (size_t i = 0; i < rows->n; i++) {
		const struct ktally_device *d = &rows->at[i].device->last;

		if (is_class(d))
			continue;
		if (first && d->netns != first)
			return true;
		first = d->netns;
	}
	return false;
}

static const char *usual_columns(const struct rows *rows)
{
	return many_namespaces(rows) ? "device,netns,direction,equation,packets,bytes,percent,term" :
				       "device,direction,equation,packets,bytes,percent,term";
}

/* ---- values ---- */

static struct ktally_value device_name(struct rows *rows, const struct ktally_device *d)
{
	const char *class = ktally_class_name(d->class);

	if (is_class(d))
		snprintf(rows->name, sizeof(rows->name), "(%s)", class ? class : "?");
	else
		snprintf(rows->name, sizeof(rows->name), "%.*s", (int)sizeof(d->name), d->name);
	return out_text(rows->name);
}

static struct ktally_value counted(const struct row *row, int64_t v, bool known)
{
	struct ktally_value out = v < 0 ? out_s64(v) : out_u64((uint64_t)v);

	if (!known)
		return out_text(NULL);
	out.lower = row->term.lower;
	out.upper = !row->device->met && row->term.role != KTALLY_REST;
	return out;
}

static struct ktally_value percent(const struct row *row)
{
	struct ktally_value v = { .type = KTALLY_V_DOUBLE };

	if (!row->term.known || row->alone)
		return out_text(NULL);
	if (row->whole)
		v.d = 100.0 * (double)row->term.bytes / (double)row->whole;
	else if (row->term.bytes)
		return out_text(NULL);
	return v;
}

static struct ktally_value value(void *of, size_t i, const struct ktally_field *f)
{
	static const char *const equations[] = {
		[KTALLY_EQ_BUCKETS] = "buckets", [KTALLY_EQ_DEVICE] = "device",
		[KTALLY_EQ_CLASS] = "owners", [KTALLY_EQ_KINDS] = "kinds",
	};
	static const char *const roles[] = {
		[KTALLY_WHOLE] = "whole", [KTALLY_PART] = "part", [KTALLY_REST] = "remainder",
	};
	struct rows *rows = of;
	const struct row *row = &rows->at[i];
	const struct ktally_device *d = &row->device->last;

	switch ((enum column)(f - columns)) {
	case DEVICE:	return device_name(rows, d);
	case NETNS:	return is_class(d) ? out_text(NULL) : out_u64(d->netns);
	case CLASS:	return out_text(ktally_class_name(d->class));
	case DIRECTION:	return out_text(row->term.tx ? "tx" : "rx");
	case EQUATION:	return out_text(equations[row->term.equation]);
	case PACKETS:	return counted(row, row->term.packets, row->term.known && row->term.has_packets);
	case BYTES:	return counted(row, row->term.bytes, row->term.known);
	case PERCENT:	return percent(row);
	case ROLE:	return out_text(roles[row->term.role]);
	case TERM:	return out_text(row->term.name);
	case IFINDEX:	return is_class(d) ? out_text(NULL) : out_u64(d->ifindex);
	default:	return out_u64(row->device->gone);
	}
}

static const char *prefix(void *of, size_t i)
{
	const struct rows *rows = of;

	return rows->at[i].term.role == KTALLY_WHOLE ? "" : "  ";
}

/* ---- what others ask ---- */

int devices_columns(void)
{
	const struct ktally_field *chosen[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = &columns[i];
	return show_columns(chosen, COLUMNS, usual_columns(&(struct rows){ .n = 0 }));
}

static void put_line(struct out *o, const struct reading *r)
{
	char text[128];

	devices_remainder(r, text, sizeof(text));
	if (*text)
		out_line(o, text);
}

int devices_print(const struct show *show, const struct reading *r)
{
	const struct ktally_field *chosen[COLUMNS];
	struct rows rows = { .n = 0 };
	struct show_source src = {
		.schema = "ktally.devices/1", .fields = chosen, .n_fields = COLUMNS,
		.value = value, .prefix = prefix, .of = &rows,
	};
	struct out *o;
	int status = make_rows(&rows, r, show->out.format != OUT_TABLE);

	for (size_t i = 0; i < COLUMNS; i++)
		chosen[i] = &columns[i];
	src.n_rows = rows.n;
	src.columns = usual_columns(&rows);
	if (status == OPT_GO_ON && !rows.n)
		status = say_error(NOTHING_MATCHED, "no network devices: the module was loaded with net=0, or they may not be seen here");
	if (status == OPT_GO_ON)
		status = show_rows(show, &src, &o);
	if (status == OPT_GO_ON) {
		put_line(o, r);
		devices_facts(o, r);
		nettables_put(o, r->model);
		status = show_close(o);
	}
	free(rows.at);
	return status;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

void devices_remainder(const struct reading *r, char *text, size_t n)
{
	struct ktally_network net;
	char count[32];

	ktally_model_network(r->model, r->ctx.since_birth, &net);
	*text = '\0';
	if (!net.counted)
		return;
	if (net.rest_bytes)
		snprintf(text, n, "network remainder %s B (%.2g%%)", say_count(count, net.rest_bytes),
			 share(net.rest_bytes, net.wire_bytes));
	else if (net.rest_packets)
		snprintf(text, n, "network remainder %s packets", say_count(count, net.rest_packets));
	else
		snprintf(text, n, "network remainder 0 B");
}

/* sockets = processes + kernel + pending + unowned + table-full; shown: in rows of processes. */
static const char *const class_facts[3][2][KTALLY_S_KINDS + 2] = {
#define NAMES(class, dir) {						\
	class "_" dir "_wire_bytes", class "_" dir "_processes_bytes",	\
	class "_" dir "_kernel_bytes", class "_" dir "_pending_bytes",	\
	class "_" dir "_unowned_bytes", class "_" dir "_table_full_bytes", \
	class "_" dir "_shown_bytes" }
#define CLASS_NAMES(class) { NAMES(class, "rx"), NAMES(class, "tx") }
	CLASS_NAMES("physical"), CLASS_NAMES("loopback"), CLASS_NAMES("virtual"),
};

void devices_facts(struct out *o, const struct reading *r)
{
	struct out_fact facts[5 + 6 * (KTALLY_S_KINDS + 2)];
	struct ktally_network net;
	size_t n = 0;

	ktally_model_network(r->model, r->ctx.since_birth, &net);
	facts[n++] = (struct out_fact){ "counted", KTALLY_BOOL, out_u64(net.counted) };
	if (!net.counted) {
		out_facts(o, "network", facts, n);
		return;
	}
	facts[n++] = (struct out_fact){ "remainder_bytes", KTALLY_BYTES, out_u64(net.rest_bytes) };
	facts[n++] = (struct out_fact){ "remainder_packets", KTALLY_COUNT, out_u64(net.rest_packets) };
	facts[n++] = (struct out_fact){ "hooks_wire_bytes", KTALLY_BYTES, out_u64(net.wire_bytes) };
	facts[n++] = (struct out_fact){ "unchecked_directions", KTALLY_COUNT, out_u64(net.unchecked) };
	for (int i = 0; i < 6; i++) {
		const char *const *name = class_facts[i / 2][i % 2];

		facts[n++] = (struct out_fact){ *name++, KTALLY_BYTES, out_u64(net.sockets[i / 2][i % 2]) };
		for (int k = 0; k < KTALLY_S_KINDS; k++)
			facts[n++] = (struct out_fact){ *name++, KTALLY_BYTES, out_s64(net.share[i / 2][k][i % 2]) };
		facts[n++] = (struct out_fact){ *name, KTALLY_BYTES, out_u64(net.lives[i / 2][i % 2]) };
	}
	out_facts(o, "network", facts, n);
}
