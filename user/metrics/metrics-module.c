// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metrics/metrics-module.c - the module's state, sessions and network devices as metrics. The
 * module tells of devices in a walk, so a session of that kind alone is opened.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "metrics-module.h"
#include "reading.h"
#include "watching.h"

enum { LABELS = 512 };

/* ---- state ---- */

static void put_one(const struct metrics_out *o, const char *name, const char *unit, bool counter,
		    const char *help, double value)
{
	metrics_begin(o, name, unit, counter, help);
	metrics_value(o, name, counter, "", value);
}

static void put_info(const struct metrics_out *o, const struct ktally_status *st)
{
	char labels[LABELS] = "";

	metrics_label(labels, sizeof(labels), "version", KTALLY_VERSION, strlen(KTALLY_VERSION));
	metrics_label(labels, sizeof(labels), "module", st->version, strnlen(st->version, sizeof(st->version)));
	metrics_begin(o, "ktally_build_info", NULL, false, "Versions of program and module.");
	metrics_value(o, "ktally_build_info", false, labels, 1);
}

static void put_sessions(const struct metrics_out *o, const struct ktally_status *st)
{
	static const struct { const char *name, *help; } families[] = {
		{ "ktally_session_records", "Records that a session was to get." },
		{ "ktally_session_lost_records", "Of them, lost because its buffers were full." },
	};
	char labels[64];

	for (int f = 0; f < 2; f++) {
		bool begun = false;

		for (int i = 0; i < KTALLY_SESSIONS; i++) {
			const struct ktally_session_status *s = &st->sessions[i];

			if (!s->session)
				continue;
			if (!begun)
				metrics_begin(o, families[f].name, NULL, true, families[f].help);
			begun = true;
			snprintf(labels, sizeof(labels), "session=\"%u\"", s->session);
			metrics_value(o, families[f].name, true, labels, (double)(f ? s->lost : s->attempts));
		}
	}
}

int metrics_module_put(const struct metrics_out *o, const struct ktally_totals *t)
{
	struct ktally_status st;
	char why[256];
	int err = ktally_status_read(&st, NULL, why, sizeof(why));

	if (err)
		return say_error(status_of(err), "%s", why);
	put_info(o, &st);
	put_one(o, "ktally_start_time_seconds", "seconds", false, "When the totals began: the module's load, or a reset.",
		round(1e-9 * ((double)t->since + (double)watching_real())));
	put_one(o, "ktally_exits", NULL, true, "Processes that ended since then.", (double)t->ends);
	put_one(o, "ktally_processes", NULL, false, "Processes that live now.", (double)t->alive);
	put_one(o, "ktally_missed_exits", NULL, true, "Ends that no hook saw: missing in all totals.", (double)t->kp_missed);
	put_one(o, "ktally_other_exits", NULL, true, "Ends that found no row of their own in the module's table.",
		(double)t->others);
	put_one(o, "ktally_disarmed", NULL, false, "Not 0: the module found itself inconsistent and stopped counting.",
		(double)st.disarmed);
	put_sessions(o, &st);
	return OPT_GO_ON;
}

/* ---- devices ---- */

/* Which terms a family takes, and which label their names go to. */
static const struct family {
	const char *name, *help, *label;
	enum ktally_equation equation;
	int role;
	bool classes, counter;
} families[] = {
	{ "ktally_device_bytes", "Wire bytes that the hooks saw on a device.", NULL, KTALLY_EQ_BUCKETS, KTALLY_WHOLE, false, true },
	{ "ktally_device_bucket_bytes", "Of them, by what became of the packet.", "bucket", KTALLY_EQ_BUCKETS, KTALLY_PART, false, true },
	{ "ktally_device_remainder_bytes", "What the device's own counters have beyond the hooks'; 0 when all is told.", NULL,
	  KTALLY_EQ_DEVICE, KTALLY_REST, false, false },
	{ "ktally_class_bytes", "Wire bytes of sockets, by whose they are.", "owner", KTALLY_EQ_CLASS, KTALLY_PART, true, false },
	{ "ktally_class_remainder_bytes", "Bytes of sockets that are nobody's; 0 when all is told.", NULL,
	  KTALLY_EQ_CLASS, KTALLY_REST, true, false },
};

static void put_term(const struct metrics_out *o, const struct family *f, const struct ktally_netdev *d,
		     const struct ktally_term *t)
{
	char labels[LABELS] = "", netns[16];

	if (!f->classes) {
		snprintf(netns, sizeof(netns), "%u", d->last.netns);
		metrics_label(labels, sizeof(labels), "device", d->last.name, strnlen(d->last.name, sizeof(d->last.name)));
		metrics_label(labels, sizeof(labels), "netns", netns, strlen(netns));
	}
	metrics_label(labels, sizeof(labels), "class", ktally_class_name(d->last.class),
		      strlen(ktally_class_name(d->last.class)));
	metrics_label(labels, sizeof(labels), "direction", t->tx ? "transmit" : "receive", t->tx ? 8 : 7);
	if (f->label)
		metrics_label(labels, sizeof(labels), f->label, t->name, strlen(t->name));
	metrics_value(o, f->name, f->counter, labels, (double)t->bytes);
}

static bool takes(const struct family *f, const struct ktally_netdev *d, const struct ktally_term *t)
{
	return t->known && t->equation == f->equation && (int)t->role == f->role &&
	       f->classes == !!(d->last.flags & KTALLY_DEVICE_CLASS);
}

static void put_family(const struct metrics_out *o, const struct family *f,
		       struct ktally_netdev *const *devices, size_t n, size_t most)
{
	struct ktally_term terms[KTALLY_TERMS_MAX];
	bool begun = false;
	size_t put = 0;

	for (size_t i = 0; i < n; i++) {
		size_t count = ktally_netdev_terms(devices[i], true, terms);
		bool is_class = devices[i]->last.flags & KTALLY_DEVICE_CLASS;

		if (devices[i]->gone || (!is_class && put++ >= most))
			continue;
		for (size_t k = 0; k < count; k++) {
			if (!takes(f, devices[i], &terms[k]))
				continue;
			if (!begun)
				metrics_begin(o, f->name, "bytes", f->counter, f->help);
			begun = true;
			put_term(o, f, devices[i], &terms[k]);
		}
	}
}

static void put_devices(const struct metrics_out *o, const struct ktally_model *model, size_t most)
{
	struct ktally_netdev *const *devices;
	size_t n = ktally_model_netdevs(model, &devices), there = 0;

	for (size_t i = 0; i < n; i++)
		there += !devices[i]->gone && !(devices[i]->last.flags & KTALLY_DEVICE_CLASS);
	put_one(o, "ktally_devices_left_out", NULL, false, "Network devices beyond the bound on groups, without series.",
		there > most ? (double)(there - most) : 0);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		put_family(o, &families[i], devices, n, most);
}

int metrics_devices_put(const struct metrics_out *o, size_t most)
{
	struct reading r;
	int status = reading_open_live(&r, 1ULL << KTALLY_DEVICE);

	if (status != OPT_GO_ON)
		return status;
	put_devices(o, r.model, most);
	reading_close(&r);
	return OPT_GO_ON;
}
