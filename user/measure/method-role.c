// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure/method-role.c - whose processes are watched, and samples of what they and the machine
 * cost in an interval.
 *
 * A role is a watch of its own beside the view's, fed with the same records: processes
 * that come, go and start anew in an interval stay in its sums.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/whole.h"
#include "method.h"
#include "say.h"

#define PERCENT_STEPS	1e8	/* steps of series for one CPU, 100 percent */

/* ---- who ---- */

static bool has_unit(struct method_role *r, const struct ktally_life *l)
{
	struct ktally_value v = ktally_field_value(ktally_field_find("unit"), l, &r->ctx);

	return v.type == KTALLY_V_TEXT && v.t.len == strlen(r->unit) && !memcmp(v.t.p, r->unit, v.t.len);
}

static bool role_want(const struct ktally_life *l, void *arg)
{
	struct method_role *r = arg;

	if (r->workers)
		return method_worker_of(r->method, l) >= 0;
	return r->unit ? has_unit(r, l) : sel_want(l, r->match);
}

static int wrong_role(const char *text)
{
	return say_error(WRONG_USE, "measure: --role '%s': NAME=WHO is wanted, WHO being name:nginx, pid:12, cgroup:/x or unit:nginx.service",
			 text);
}

/* "12,34": who has gone will not come back. */
static int check_pids(const char *text, const char *pids)
{
	char *end = (char *)pids - 1;

	do {
		unsigned long pid = strtoul(pids = end + 1, &end, 10);

		if (end == pids || (*end && *end != ',') || !pid || pid > INT_MAX)
			return wrong_role(text);
		if (kill((pid_t)pid, 0) && errno == ESRCH)
			return say_error(NOTHING_MATCHED, "measure: --role '%s': no such process", text);
	} while (*end);
	return OPT_GO_ON;
}

/* "name:nginx", "nginx", "cgroup:/x". text: all of it, for messages. */
static int parse_who(struct method_role *r, const char *text, const char *who)
{
	const struct { const char *kind; struct opt_list *list; } kinds[] = {
		{ "name:", &r->sel.names }, { "pid:", &r->sel.pids }, { "cgroup:", &r->sel.cgroups }, { "unit:", NULL },
	}, *kind = NULL;

	for (size_t i = 0; !kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(who, kinds[i].kind, strlen(kinds[i].kind)))
			kind = &kinds[i];
	/* "user:root" is no name, but a kind that there is not. */
	if (!kind && who[strspn(who, "abcdefghijklmnopqrstuvwxyz")] == ':')
		return wrong_role(text);
	who += kind ? strlen(kind->kind) : 0;
	if (!*who)
		return wrong_role(text);
	if (kind && !kind->list) {
		r->unit = who;
		return OPT_GO_ON;
	}
	if (!kind)
		kind = &kinds[0];
	kind->list->at[kind->list->n++] = who;
	return kind->list == &r->sel.pids ? check_pids(text, who) : OPT_GO_ON;
}

/* Its figures are found by its name. */
static bool is_taken(const struct method *m, const struct method_role *r)
{
	for (const struct method_role *other = m->role; other < r; other++)
		if (!strcmp(other->name, r->name))
			return true;
	return !strcmp(r->name, "machine");
}

static int parse_role(struct method *m, struct method_role *r, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : 0;

	if (!n || n >= sizeof(r->name))
		return wrong_role(text);
	snprintf(r->name, sizeof(r->name), "%.*s", (int)n, text);
	if (is_taken(m, r))
		return say_error(WRONG_USE, "measure: --role '%s': there is a '%s' already; give it another name", text, r->name);
	return parse_who(r, text, equals + 1);
}

static int open_role(struct method *m, struct method_role *r)
{
	struct ktally_watch_options options = {
		.key = KTALLY_BY_ALL, .want = role_want, .arg = r, .tree = r->workers, .ctx = &r->ctx,
	};
	int status = OPT_GO_ON;

	r->method = m;
	if (!r->unit && !r->workers) {
		r->match = sel_compile(&r->sel, NULL, 0, &status);
		if (!r->match)
			return status;
		sel_bind_live(r->match, &r->ctx, session_now());
	}
	r->watch = ktally_watch_open(&options);
	return r->watch ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static bool is_client(const struct method_role *r)
{
	return !strcmp(r->name, "client");
}

int method_roles_open(struct method *m)
{
	const struct opt_list *list = m->plan->roles;
	int status = OPT_GO_ON;
	bool client = false;

	for (size_t i = 0; status == OPT_GO_ON && i < list->n; i++) {
		struct method_role *r = &m->role[m->n_roles];

		if (m->n_roles == METHOD_ROLES - 1)
			return say_error(WRONG_USE, "measure: at most %d roles", METHOD_ROLES - 1);
		status = parse_role(m, r, list->at[i]);
		m->n_roles++;
		if (status == OPT_GO_ON)
			status = open_role(m, r);
		client |= is_client(r);
	}
	/* Unless somebody else is: the workers. */
	if (status == OPT_GO_ON && !client && m->plan->command) {
		struct method_role *r = &m->role[m->n_roles++];

		snprintf(r->name, sizeof(r->name), "client");
		r->workers = true;
		status = open_role(m, r);
	}
	return status;
}

int method_roles_feed(struct method *m, const struct ktally_event *ev)
{
	for (size_t i = 0; i < m->n_roles; i++) {
		m->role[i].ctx.info = m->view.ctx.info;
		if (ktally_watch_feed(m->role[i].watch, ev))
			return say_error(FAILED, "out of memory for the processes of this machine");
	}
	return OPT_GO_ON;
}

int method_roles_cut(struct method *m)
{
	const struct ktally_interval *i = ktally_watch_interval(m->view.watch);
	uint64_t time = i->end ? i->end : m->view.begin;
	bool whole = i->end && m->view.looked_at_all == i->end;

	for (size_t k = 0; k < m->n_roles; k++)
		if (ktally_watch_cut(m->role[k].watch, time, whole))
			return say_error(FAILED, "out of memory for the processes of this machine");
	return OPT_GO_ON;
}

void method_roles_close(struct method *m)
{
	for (size_t i = 0; i < m->n_roles; i++) {
		ktally_watch_close(m->role[i].watch);
		sel_free(m->role[i].match);
	}
}

/* ---- the machine ---- */

void method_machine_read(struct method *m)
{
	struct method_machine *now = &m->now;
	FILE *f = fopen("/proc/net/dev", "re");
	char line[512];

	m->from = *now;
	now->time = session_now();
	machine_read(&now->all);
	now->n = 0;
	while (f && now->n < METHOD_IFACES && fgets(line, sizeof(line), f)) {
		struct method_iface *i = &now->iface[now->n];
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		snprintf(i->name, sizeof(i->name), "%.15s", line + strspn(line, " "));
		now->n += sscanf(colon + 1, "%" SCNu64 " %" SCNu64 " %*u %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
				 &i->count[0], &i->count[1], &i->count[2], &i->count[3]) == 4;
	}
	if (f)
		fclose(f);
}

/* ---- samples ---- */

struct sampling {
	struct method *m;
	const char *stage, *subject;
	double seconds;			/* of the interval */
};

static void put(const struct sampling *s, const char *measure, enum ktally_unit unit, double value)
{
	const struct series_key key = {
		.stage = s->stage, .subject = s->subject, .measure = measure, .unit = unit, .repeat = s->m->repeat,
	};

	series_add(s->m->set, series_get(s->m->set, &key), whole_of(value));
}

/* What came in the interval, and that per second. */
static void put_with_rate(const struct sampling *s, const char *measure, enum ktally_unit unit, uint64_t value)
{
	char rate[SERIES_MEASURE];

	snprintf(rate, sizeof(rate), "%s/s", measure);
	put(s, measure, unit, (double)value);
	put(s, rate, unit, (double)value / s->seconds);
}

static const struct cost_row {
	const char *measure;
	unsigned char place, bit;
	enum ktally_unit unit;
} cost_rows[] = {
#define WIRE(name, class, bytes, packets)	\
	{ name, class + bytes, KTALLY_U_NET, KTALLY_BYTES }, { name " packets", class + packets, KTALLY_U_NET, KTALLY_COUNT }
	WIRE("rx", KTALLY_COST_PHYS, KTALLY_N_RX_WIRE, KTALLY_N_RX_PACKETS),
	WIRE("tx", KTALLY_COST_PHYS, KTALLY_N_TX_WIRE, KTALLY_N_TX_PACKETS),
	WIRE("lo rx", KTALLY_COST_LOOP, KTALLY_N_RX_WIRE, KTALLY_N_RX_PACKETS),
	WIRE("lo tx", KTALLY_COST_LOOP, KTALLY_N_TX_WIRE, KTALLY_N_TX_PACKETS),
	WIRE("v rx", KTALLY_COST_VIRT, KTALLY_N_RX_WIRE, KTALLY_N_RX_PACKETS),
	WIRE("v tx", KTALLY_COST_VIRT, KTALLY_N_TX_WIRE, KTALLY_N_TX_PACKETS),
	{ "read", KTALLY_COST_READ, KTALLY_U_READ_BYTES, KTALLY_BYTES },
	{ "written", KTALLY_COST_WRITE, KTALLY_U_WRITE_BYTES, KTALLY_BYTES },
	{ "switches", KTALLY_COST_NVCSW, KTALLY_U_NVCSW, KTALLY_COUNT },
	{ "preempted", KTALLY_COST_NIVCSW, KTALLY_U_NIVCSW, KTALLY_COUNT },
	{ "faults", KTALLY_COST_MINFLT, KTALLY_U_MINFLT, KTALLY_COUNT },
	{ "majflt", KTALLY_COST_MAJFLT, KTALLY_U_MAJFLT, KTALLY_COUNT },
};

static void put_cpu(const struct sampling *s, double user, double sys, double all)
{
	const struct { const char *one, *machine; double cpus; } rows[] = {
		{ "cpu", "cpu/machine", all }, { "user", "user/machine", user }, { "system", "sys/machine", sys },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(s, rows[i].one, KTALLY_PERCENT, rows[i].cpus * PERCENT_STEPS);
		put(s, rows[i].machine, KTALLY_PERCENT, rows[i].cpus * PERCENT_STEPS / machine_cpus());
	}
	/* Intervals are never quite equal: their percents don't add up, this does. */
	put(s, "cpu time", KTALLY_NS, all * s->seconds * 1e9);
}

static uint64_t threads_of(const struct ktally_watch *w)
{
	struct ktally_watched *const *p;
	size_t n = ktally_watch_processes(w, &p);
	uint64_t threads = 0;

	/* Who came since the last look has one at least. */
	for (size_t i = 0; i < n; i++)
		if (p[i]->tally && !p[i]->ended)
			threads += p[i]->life.threads ? p[i]->life.threads : 1;
	return threads;
}

static void sample_role(const struct sampling *s, const struct method_role *r)
{
	const struct ktally_tally *t = ktally_watch_total(r->watch);

	put(s, "processes", KTALLY_COUNT, t->alive);
	put(s, "ended", KTALLY_COUNT, t->ended);
	put(s, "threads", KTALLY_COUNT, (double)threads_of(r->watch));
	if (!t->known)
		return;
	put_cpu(s, t->rate.user, t->rate.sys, t->rate.cpu);
	put(s, "resident", KTALLY_BYTES, (double)t->rss);
	put(s, "swapped", KTALLY_BYTES, (double)t->swap);
	for (size_t i = 0; i < sizeof(cost_rows) / sizeof(cost_rows[0]); i++)
		if (t->known >> cost_rows[i].bit & 1)
			put_with_rate(s, cost_rows[i].measure, cost_rows[i].unit, t->interval.of[cost_rows[i].place]);
}

/*
 * What CPUs were not idle for: ticks miss who works between them, and those that a halted guest
 * does not get. User and system are in proportion to theirs.
 */
static void put_cpu_of_machine(const struct sampling *s, const struct machine *a, const struct machine *b)
{
	double ns = s->seconds * 1e9, user = (double)(b->user_ns - a->user_ns), sys = (double)(b->sys_ns - a->sys_ns);
	double all = fmax(0, machine_cpus() - ((double)b->idle_ns - (double)a->idle_ns) / ns);
	double part = user + sys > 0 ? user / (user + sys) : 0;

	put_cpu(s, all * part, all * (1 - part), all);
}

static void sample_machine(const struct sampling *s)
{
	const struct machine *a = &s->m->from.all, *b = &s->m->now.all;
	const struct { const char *measure; uint64_t bytes; } sizes[] = {
		{ "memory", b->total_bytes }, { "memory used", b->used_bytes }, { "kernel mem", b->kernel_bytes },
		{ "swap", b->swap_total_bytes }, { "swap used", b->swap_used_bytes },
	};

	put_cpu_of_machine(s, a, b);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		put(s, sizes[i].measure, KTALLY_BYTES, (double)sizes[i].bytes);
	put_with_rate(s, "switches", KTALLY_COUNT, b->switches - a->switches);
}

static void sample_iface(const struct sampling *s, const struct method_iface *a, const struct method_iface *b)
{
	static const char *const names[4] = { "rx", "rx packets", "tx", "tx packets" };

	for (int i = 0; i < 4; i++)
		put_with_rate(s, names[i], i & 1 ? KTALLY_COUNT : KTALLY_BYTES,
			      b->count[i] > a->count[i] ? b->count[i] - a->count[i] : 0);
}

static void sample_ifaces(struct sampling *s)
{
	const struct method_machine *from = &s->m->from, *now = &s->m->now;

	for (size_t i = 0; i < now->n; i++)
		for (size_t k = 0; k < from->n; k++)
			if (!strcmp(from->iface[k].name, now->iface[i].name)) {
				s->subject = now->iface[i].name;
				sample_iface(s, &from->iface[k], &now->iface[i]);
			}
}

void method_sample(struct method *m, const char *stage, bool clients, bool others)
{
	const struct ktally_interval *i = ktally_watch_interval(m->view.watch);
	struct sampling s = { .m = m, .stage = stage, .seconds = (double)(i->end - i->begin) / 1e9 };

	for (size_t k = 0; k < m->n_roles; k++) {
		if (!(is_client(&m->role[k]) ? clients : others))
			continue;
		s.subject = m->role[k].name;
		sample_role(&s, &m->role[k]);
	}
	/* They are read a moment after the roles, and have an interval of their own. */
	s.seconds = (double)(m->now.time - m->from.time) / 1e9;
	s.subject = "machine";
	sample_machine(&s);
	sample_ifaces(&s);
}
