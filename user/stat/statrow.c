// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat/statrow.c - columns and rows of `ktally stat`. A column is a row of the table below;
 * what comes from counters of a tally is a row of the second one. What was not
 * measured stays unknown, sums with unknown parts are marked, and so are bounds.
 */
#include <stdio.h>
#include <string.h>

#include "out/out.h"
#include "statrow.h"

#define BYTES_AND_RATE(name, title, what)				\
	{ name "_bytes", title, "bytes " what " since stat began", KTALLY_BYTES, KTALLY_SUM, 6, NULL, 0 }, \
	{ name "_bytes_per_s", title "/s", "bytes " what " per second", KTALLY_BYTES, KTALLY_SUM, 6, NULL, 0 }

/* In the order of enum statrow_column. Columns are only ever appended. */
static const struct ktally_field columns[STAT_COLUMNS] = {
	{ "time_ns", "TIME", "end of the interval", KTALLY_TIME, KTALLY_SAME, -12, NULL, 0 },
	{ "interval_ns", "INTERVAL", "its measured length, by which rates are divided", KTALLY_NS, KTALLY_SAME, 9, NULL, 0 },
	{ "row", "ROW", "group, total, machine or interface", KTALLY_TEXT, KTALLY_SAME, -9, NULL, 0 },
	{ "period", "PERIOD", "interval, or average of all of them", KTALLY_TEXT, KTALLY_SAME, -8, NULL, 0 },
	{ "key", "KEY", "what the processes of this row have in common", KTALLY_TEXT, KTALLY_SAME, -10, NULL, 0 },
	{ "pid", "PID", "process ID in the initial PID namespace (--by process)", KTALLY_ID, KTALLY_SAME, 7, NULL, 0 },
	{ "count", "PROCS", "processes that live; average: their mean", KTALLY_COUNT, KTALLY_SUM, 5, NULL, 0 },
	{ "begun", "BEGUN", "processes that began in the interval, or became one of these", KTALLY_COUNT, KTALLY_SUM, 5, NULL, 0 },
	{ "ended", "ENDED", "processes that ended in the interval", KTALLY_COUNT, KTALLY_SUM, 5, NULL, 0 },
	{ "user_percent", "%USR", "CPU in user mode; 100 is one CPU", KTALLY_PERCENT, KTALLY_SUM, 4, NULL, 0 },
	{ "sys_percent", "%SYS", "CPU in the kernel", KTALLY_PERCENT, KTALLY_SUM, 4, NULL, 0 },
	{ "cpu_percent", "%CPU", "CPU", KTALLY_PERCENT, KTALLY_SUM, 5, NULL, 0 },
	{ "cpu_user_ns", "USER-CPU", "time on a CPU in user mode in the interval", KTALLY_NS, KTALLY_SUM, 9, NULL, 0 },
	{ "cpu_sys_ns", "SYS-CPU", "time on a CPU in the kernel in the interval", KTALLY_NS, KTALLY_SUM, 9, NULL, 0 },
	{ "cpu_ns", "CPU", "time on a CPU in the interval, of processes that ended too", KTALLY_NS, KTALLY_SUM, 9, NULL, 0 },
	{ "cpu_total_ns", "CPU+", "time on a CPU since stat began (or --since-load, --since-birth)", KTALLY_NS, KTALLY_SUM, 9, NULL, 0 },
	{ "rss_bytes", "RSS", "resident memory at the end of the interval; average: its mean", KTALLY_BYTES, KTALLY_BOUND, 6, NULL, 0 },
	{ "peak_rss_bytes", "PEAK", "peaks of those that lived at the same time, added up", KTALLY_BYTES, KTALLY_BOUND, 7, NULL, 0 },
	{ "peak_seen_bytes", "PEAKSEEN", "largest resident memory seen since stat began", KTALLY_BYTES, KTALLY_BOUND, 8, NULL, 0 },
	{ "swap_bytes", "SWAP", "swapped out at the end of the interval", KTALLY_BYTES, KTALLY_SUM, 6, NULL, 0 },
	BYTES_AND_RATE("rx_wire", "RX", "received over physical devices, headers included,"),
	BYTES_AND_RATE("tx_wire", "TX", "sent over physical devices, headers included,"),
	BYTES_AND_RATE("loop_rx_wire", "RX", "received over loopback, headers included,"),
	BYTES_AND_RATE("loop_tx_wire", "TX", "sent over loopback, headers included,"),
	BYTES_AND_RATE("virt_rx_wire", "RX", "received over virtual devices, headers included,"),
	BYTES_AND_RATE("virt_tx_wire", "TX", "sent over virtual devices, headers included,"),
	BYTES_AND_RATE("tcp_rx", "TCPRX", "of TCP payload received"),
	BYTES_AND_RATE("tcp_tx", "TCPTX", "of TCP payload sent"),
	BYTES_AND_RATE("udp_rx", "UDPRX", "of UDP payload received"),
	BYTES_AND_RATE("udp_tx", "UDPTX", "of UDP payload sent"),
	BYTES_AND_RATE("read", "READ", "fetched from storage"),
	BYTES_AND_RATE("write", "WRITE", "sent to storage"),
	{ "minflt", "MINFLT", "page faults without I/O in the interval", KTALLY_COUNT, KTALLY_SUM, 7, NULL, 0 },
	{ "majflt", "MAJFLT", "page faults with I/O in the interval", KTALLY_COUNT, KTALLY_SUM, 6, NULL, 0 },
	{ "nvcsw", "CSW", "voluntary context switches in the interval", KTALLY_COUNT, KTALLY_SUM, 7, NULL, 0 },
	{ "nivcsw", "ICSW", "involuntary context switches in the interval", KTALLY_COUNT, KTALLY_SUM, 7, NULL, 0 },
	{ "bounds", "BOUNDS", "which of the columns before are only bounds: name<= or name>=", KTALLY_TEXT, KTALLY_SAME, -10, NULL, 0 },
	{ "rx", "RX", "in tables: bytes received over physical devices since stat began; if none v: virtual ones, if none lo: loopback", KTALLY_BYTES, KTALLY_SUM, 7, NULL, 0 },
	{ "rx_per_s", "RX/s", "the same, per second", KTALLY_BYTES, KTALLY_SUM, 6, NULL, 0 },
	{ "tx", "TX", "in tables: bytes sent, over the same class of devices", KTALLY_BYTES, KTALLY_SUM, 7, NULL, 0 },
	{ "tx_per_s", "TX/s", "the same, per second", KTALLY_BYTES, KTALLY_SUM, 6, NULL, 0 },
};

/* Columns that are a counter of a tally: since the beginning and per second, or of the interval. */
static const struct source {
	unsigned char column, place, bit;
	bool rate_behind;
} sources[] = {
	{ STAT_USER_NS, KTALLY_COST_USER, KTALLY_U_UTIME, false },
	{ STAT_SYS_NS, KTALLY_COST_SYS, KTALLY_U_STIME, false },
	{ STAT_CPU_NS, KTALLY_COST_CPU, KTALLY_U_RUNTIME, false },
	{ STAT_RX, KTALLY_COST_PHYS + KTALLY_N_RX_WIRE, KTALLY_U_NET, true },
	{ STAT_TX, KTALLY_COST_PHYS + KTALLY_N_TX_WIRE, KTALLY_U_NET, true },
	{ STAT_LOOP_RX, KTALLY_COST_LOOP + KTALLY_N_RX_WIRE, KTALLY_U_NET, true },
	{ STAT_LOOP_TX, KTALLY_COST_LOOP + KTALLY_N_TX_WIRE, KTALLY_U_NET, true },
	{ STAT_VIRT_RX, KTALLY_COST_VIRT + KTALLY_N_RX_WIRE, KTALLY_U_NET, true },
	{ STAT_VIRT_TX, KTALLY_COST_VIRT + KTALLY_N_TX_WIRE, KTALLY_U_NET, true },
	{ STAT_TCP_RX, KTALLY_COST_TCP_RX, KTALLY_U_TCP_PAYLOAD, true },
	{ STAT_TCP_TX, KTALLY_COST_TCP_TX, KTALLY_U_TCP_PAYLOAD, true },
	{ STAT_UDP_RX, KTALLY_COST_UDP_RX, KTALLY_U_UDP_PAYLOAD, true },
	{ STAT_UDP_TX, KTALLY_COST_UDP_TX, KTALLY_U_UDP_PAYLOAD, true },
	{ STAT_READ, KTALLY_COST_READ, KTALLY_U_READ_BYTES, true },
	{ STAT_WRITE, KTALLY_COST_WRITE, KTALLY_U_WRITE_BYTES, true },
	{ STAT_MINFLT, KTALLY_COST_MINFLT, KTALLY_U_MINFLT, false },
	{ STAT_MAJFLT, KTALLY_COST_MAJFLT, KTALLY_U_MAJFLT, false },
	{ STAT_NVCSW, KTALLY_COST_NVCSW, KTALLY_U_NVCSW, false },
	{ STAT_NIVCSW, KTALLY_COST_NIVCSW, KTALLY_U_NIVCSW, false },
};

void statrow_fields(struct ktally_field fields[STAT_COLUMNS], enum ktally_key key)
{
	static const char *const titles[KTALLY_KEYS] = {
		[KTALLY_BY_PROCESS] = "COMMAND", [KTALLY_BY_PROGRAM] = "PROGRAM",
		[KTALLY_BY_COMMAND] = "COMMAND", [KTALLY_BY_USER] = "USER",
		[KTALLY_BY_CGROUP] = "CGROUP", [KTALLY_BY_UNIT] = "UNIT",
		[KTALLY_BY_CONTAINER] = "CONTAINER", [KTALLY_BY_NETNS] = "NETNS",
		[KTALLY_BY_PARENT] = "PARENT",
	};

	memcpy(fields, columns, sizeof(columns));
	if (titles[key])
		fields[STAT_KEY].title = titles[key];
}

const char *statrow_usual(int class, enum ktally_key key, bool narrow)
{
#define NET(prefix)	prefix "rx_wire_bytes," prefix "rx_wire_bytes_per_s," prefix "tx_wire_bytes," prefix "tx_wire_bytes_per_s"
#define WIDE(who, net)	"time_ns," who "user_percent,sys_percent,cpu_percent,rss_bytes,peak_rss_bytes," net
#define NARROW(who, net) "time_ns," who "cpu_percent,rss_bytes,peak_rss_bytes," net
#define EACH(form, who)	{ form(who, "rx,rx_per_s,tx,tx_per_s"), form(who, NET("")), form(who, NET("loop_")), form(who, NET("virt_")) }
	static const char *const usual[2][2][4] = {
		{ EACH(WIDE, "key,count,"), EACH(NARROW, "key,") },
		{ EACH(WIDE, "pid,key,"), EACH(NARROW, "pid,key,") },
	};

	return usual[key == KTALLY_BY_PROCESS][narrow][class + 1];
}

/* ---- rows ---- */

struct ktally_value statrow_value(const struct statrow *r, enum statrow_column column)
{
	struct ktally_value v = r->v[column];

	if (v.type == KTALLY_V_TEXT && column == STAT_KEY)
		v.t.p = r->key;
	if (v.type == KTALLY_V_TEXT && column == STAT_BOUNDS)
		v.t.p = r->bounds;
	return v;
}

static struct ktally_value number(double d)
{
	return (struct ktally_value){ .type = KTALLY_V_DOUBLE, .d = d };
}

static double seconds(const struct statrow_span *s)
{
	return s->end > s->begin ? (double)(s->end - s->begin) / 1e9 : 1e-9;
}

static void begin(struct statrow *r, const struct statrow_span *s, const char *kind)
{
	memset(r, 0, sizeof(*r));
	r->v[STAT_TIME] = s->average && s->for_people ? out_text("Average:") : out_u64(s->end);
	r->v[STAT_INTERVAL] = out_u64(s->end - s->begin);
	r->v[STAT_ROW] = out_text(kind);
	r->v[STAT_PERIOD] = out_text(s->average ? "average" : "interval");
}

static void set_name(struct statrow *r, const char *p, size_t n)
{
	n = n < sizeof(r->key) ? n : sizeof(r->key) - 1;
	memcpy(r->key, p, n);
	r->key[n] = '\0';
	r->v[STAT_KEY] = out_text(r->key);
}

static void mark(const struct ktally_tally *t, unsigned int bit, struct ktally_value *v)
{
	if (!(t->known >> bit & 1)) {
		v->type = KTALLY_V_UNKNOWN;
		return;
	}
	v->upper |= t->upper >> bit & 1;
	v->lower = t->partial >> bit & 1;
}

static void take_costs(struct statrow *r, const struct statrow_span *s, const struct ktally_tally *t)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct source *from = &sources[i];
		uint64_t spent = s->average ? t->total.of[from->place] : t->interval.of[from->place];
		struct ktally_value *v = &r->v[from->column];

		*v = out_u64(from->rate_behind ? t->total.of[from->place] + t->before.of[from->place] : spent);
		mark(t, from->bit, v);
		if (!from->rate_behind)
			continue;
		v[1] = number((double)spent / seconds(s));
		mark(t, from->bit, &v[1]);
	}
}

static void take_cpu(struct statrow *r, const struct statrow_span *s, const struct ktally_tally *t)
{
	double length = seconds(s) * 1e9;

	r->v[STAT_CPU_TOTAL_NS] = out_u64(t->total.of[KTALLY_COST_CPU] + t->before.of[KTALLY_COST_CPU]);
	r->v[STAT_USER] = number(100 * (s->average ? (double)t->total.of[KTALLY_COST_USER] / length : t->rate.user));
	r->v[STAT_SYS] = number(100 * (s->average ? (double)t->total.of[KTALLY_COST_SYS] / length : t->rate.sys));
	r->v[STAT_CPU] = number(100 * (s->average ? (double)t->total.of[KTALLY_COST_CPU] / length : t->rate.cpu));
	mark(t, KTALLY_U_RUNTIME, &r->v[STAT_CPU_TOTAL_NS]);
	mark(t, KTALLY_U_RUNTIME, &r->v[STAT_CPU]);
	mark(t, KTALLY_U_UTIME, &r->v[STAT_USER]);
	mark(t, KTALLY_U_STIME, &r->v[STAT_SYS]);
}

static void take_memory(struct statrow *r, const struct statrow_span *s, const struct ktally_tally *t)
{
	r->v[STAT_RSS] = out_u64(s->average && t->cuts ? t->sum_rss / t->cuts : t->rss);
	r->v[STAT_PEAK] = out_u64(s->average ? t->peak_seen : t->peak);
	r->v[STAT_PEAK_SEEN] = out_u64(t->peak_seen);
	r->v[STAT_SWAP] = out_u64(t->swap);
	r->v[STAT_RSS].upper = s->average ? t->was_shared : t->alive > 1;
	r->v[STAT_PEAK].upper = s->average ? t->was_shared : t->shared;
	r->v[STAT_PEAK_SEEN].upper = t->was_shared;
	mark(t, KTALLY_U_RSS, &r->v[STAT_RSS]);
	mark(t, KTALLY_U_PEAK_RSS, &r->v[STAT_PEAK]);
	mark(t, KTALLY_U_PEAK_RSS, &r->v[STAT_PEAK_SEEN]);
	mark(t, KTALLY_U_SWAP, &r->v[STAT_SWAP]);
}

static void take_counts(struct statrow *r, const struct statrow_span *s, const struct ktally_tally *t)
{
	if (s->average) {
		r->v[STAT_ALIVE] = out_u64(t->cuts ? (t->sum_alive + t->cuts / 2) / t->cuts : t->alive);
		return;
	}
	r->v[STAT_ALIVE] = out_u64(t->alive);
	r->v[STAT_BEGUN] = out_u64(t->begun);
	r->v[STAT_ENDED] = out_u64(t->ended);
}

/* Classes are never added up, but bytes over loopback alone must not look like none. */
static void choose_class(struct statrow *r)
{
	static const struct { int column; const char *mark; } classes[] = {
		{ STAT_RX, NULL }, { STAT_VIRT_RX, "v:" }, { STAT_LOOP_RX, "lo:" }, { STAT_RX, NULL },
	};
	const struct ktally_value *v = NULL;
	size_t i = 0;

	for (; i < 4; i++) {
		v = &r->v[classes[i].column];
		if ((v[0].type == KTALLY_V_U64 && v[0].u) || (v[2].type == KTALLY_V_U64 && v[2].u))
			break;
	}
	memcpy(&r->v[STAT_ANY_RX], v, 4 * sizeof(*v));
	r->v[STAT_ANY_RX].mark = r->v[STAT_ANY_TX].mark = i < 4 ? classes[i].mark : NULL;
}

/* " name<=" of each value that is only a bound. */
static void name_bounds(struct statrow *r)
{
	size_t at = 0;

	for (int i = 0; i < STAT_BOUNDS; i++) {
		const struct ktally_value *v = &r->v[i];

		if (v->type == KTALLY_V_UNKNOWN || !(v->upper || v->lower) || at >= sizeof(r->bounds))
			continue;
		/* At most 0 is 0. */
		if (!v->lower && (v->type == KTALLY_V_U64 ? !v->u : v->d <= 0))
			continue;
		at += (size_t)snprintf(r->bounds + at, sizeof(r->bounds) - at, "%s%s%s", at ? " " : "",
				       columns[i].name, v->upper ? "<=" : ">=");
	}
	r->v[STAT_BOUNDS] = out_text(r->bounds);
}

void statrow_tally(struct statrow *r, const struct statrow_span *s, const struct ktally_tally *t,
		   const char *kind, const char *name)
{
	begin(r, s, kind);
	if (name)
		set_name(r, name, strlen(name));
	else if (t->name.p)
		set_name(r, t->name.p, t->name.len);
	if (t->process)
		r->v[STAT_PID] = out_u64(t->process->life.tgid);
	take_counts(r, s, t);
	take_cpu(r, s, t);
	take_memory(r, s, t);
	take_costs(r, s, t);
	name_bounds(r);
	choose_class(r);
}

void statrow_nothing(struct statrow *r, const struct statrow_span *s, const char *name)
{
	const struct ktally_tally none = { .known = ~0ULL };

	statrow_tally(r, s, &none, "group", name);
}

static struct ktally_value percent(uint64_t from, uint64_t to, const struct statrow_span *s)
{
	return number(to > from ? (double)(to - from) / (seconds(s) * 1e7) : 0);
}

void statrow_machine(struct statrow *r, const struct statrow_span *s, const struct machine *from,
		     const struct machine *now, uint64_t most_used)
{
	begin(r, s, "machine");
	set_name(r, "machine", 7);
	r->v[STAT_USER] = percent(from->user_ns, now->user_ns, s);
	r->v[STAT_SYS] = percent(from->sys_ns, now->sys_ns, s);
	r->v[STAT_CPU] = number(r->v[STAT_USER].d + r->v[STAT_SYS].d);
	r->v[STAT_USER_NS] = out_u64(now->user_ns - from->user_ns);
	r->v[STAT_SYS_NS] = out_u64(now->sys_ns - from->sys_ns);
	r->v[STAT_CPU_NS] = out_u64(r->v[STAT_USER_NS].u + r->v[STAT_SYS_NS].u);
	r->v[STAT_RSS] = out_u64(now->used_bytes);
	r->v[STAT_PEAK_SEEN] = r->v[STAT_PEAK] = out_u64(most_used);
	name_bounds(r);
}

static uint64_t risen(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;	/* a driver was loaded again */
}

void statrow_traffic(struct statrow *r, const struct statrow_span *s, enum iface_class class,
		     const struct iface_counts *base, const struct iface_counts *from,
		     const struct iface_counts *now)
{
	static const int rx[] = { STAT_RX, STAT_LOOP_RX, STAT_VIRT_RX };
	struct ktally_value *v = &r->v[rx[class]];

	v[0] = out_u64(risen(base->rx_bytes, now->rx_bytes));
	v[1] = number((double)risen(from->rx_bytes, now->rx_bytes) / seconds(s));
	v[2] = out_u64(risen(base->tx_bytes, now->tx_bytes));
	v[3] = number((double)risen(from->tx_bytes, now->tx_bytes) / seconds(s));
	choose_class(r);
}

void statrow_interface(struct statrow *r, const struct statrow_span *s, const struct iface *i)
{
	begin(r, s, "interface");
	set_name(r, i->label, strlen(i->label));
	name_bounds(r);
}
