// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * status/timing.c - how long each hook of the module takes on this machine: the module
 * times them while this runs, and here its histograms become rows.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../child.h"
#include "../cmd.h"
#include "../out/text.h"
#include "timing.h"

#define HOOKS	64

enum column { HOOK, CALLS, SUM, MEAN, HALF, P99, MOST, SHARE, TOOK, COLUMNS };

static const struct ktally_field columns[COLUMNS] = {
	[HOOK] = { .name = "hook", .title = "HOOK", .help = "where the kernel calls the module", .unit = KTALLY_TEXT, .width = -20 },
	[CALLS] = { .name = "calls", .title = "CALLS", .help = "how often, on all CPUs", .unit = KTALLY_COUNT, .width = 9 },
	[SUM] = { .name = "time_ns", .title = "TIME", .help = "what they took, all together", .unit = KTALLY_NS, .width = 8 },
	[MEAN] = { .name = "mean_ns", .title = "MEAN", .help = "of a call", .unit = KTALLY_NS, .width = 8 },
	[HALF] = { .name = "p50_below_ns", .title = "P50<", .help = "half of the calls took less", .unit = KTALLY_NS, .width = 8 },
	[P99] = { .name = "p99_below_ns", .title = "P99<", .help = "99 of 100 calls took less", .unit = KTALLY_NS, .width = 8 },
	[MOST] = { .name = "most_ns", .title = "MOST", .help = "the longest call, interrupts in it included", .unit = KTALLY_NS, .width = 8 },
	[SHARE] = { .name = "ppm", .title = "PPM", .help = "millionths of one CPU's time", .unit = KTALLY_COUNT, .width = 7 },
	[TOOK] = { .name = "took", .title = "BELOW-NS:CALLS", .help = "calls below 1, 2, 4, 8 ... ns, and no power of two before", .unit = KTALLY_TEXT, .width = 0 },
};

struct timing {
	struct ktally_timing t;
	struct ktally_hook_time hooks[HOOKS];
	char text[HOOKS][KTALLY_TOOK * 34];	/* histograms; they have to stay */
};

/* ---- values ---- */

/* The power of two that so many thousandths of the calls stay below. */
static uint64_t below(const struct ktally_hook_time *h, unsigned int thousandths)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < KTALLY_TOOK; i++) {
		n += h->took[i];
		if (n * 1000 >= h->calls * thousandths)
			return 1ULL << i;
	}
	return 0;
}

static const char *histogram(char *to, size_t room, const struct ktally_hook_time *h)
{
	size_t n = 0;

	to[0] = '\0';
	for (unsigned int i = 0; i < KTALLY_TOOK; i++)
		if (h->took[i])
			n += snprintf(to + n, room - n, "%s%llu:%llu", n ? " " : "", 1ULL << i,
				      (unsigned long long)h->took[i]);
	return to;
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	struct timing *t = of;
	const struct ktally_hook_time *h = &t->hooks[row];
	enum column c = (enum column)(f - columns);

	if (c == HOOK || c == CALLS || c == SUM)
		return c == HOOK ? out_text(h->name) : out_u64(c == CALLS ? h->calls : h->sum);
	if (!h->calls)
		return out_text(NULL);
	switch (c) {
	case MEAN:	return out_u64(h->sum / h->calls);
	case HALF:	return out_u64(below(h, 500));
	case P99:	return out_u64(below(h, 990));
	case MOST:	return out_u64(h->most);
	case SHARE:	return out_u64(h->sum / ((t->t.until - t->t.since) / 1000000 + 1));
	default:	return out_text(histogram(t->text[row], sizeof(t->text[row]), h));
	}
}

/* ---- the way through it ---- */

static int pause_for(uint64_t ns)
{
	struct pollfd p = { .events = POLLIN };
	sigset_t old;
	int err = child_signals(&p.fd, &old);

	if (err)
		return err;
	while (poll(&p, 1, ns ? (int)((ns + 999999) / 1000000) : -1) < 0 && errno == EINTR)
		;
	close(p.fd);
	return 0;
}

static int measure(struct timing *t, uint64_t ns)
{
	char why[256];
	int fd = ktally_timing_begin(&t->t, NULL, why, sizeof(why)), err;

	if (fd == -EPERM)
		return say_error(NO_PERMISSION, "status: --cost: only root may have the hooks timed");
	if (fd == -EBUSY)
		return say_error(FAILED, "status: --cost: somebody else has the hooks timed");
	if (fd < 0)
		return say_error(status_of(fd), "%s", why);
	err = pause_for(ns);
	if (!err)
		err = ktally_timing_read(fd, &t->t, t->hooks, HOOKS);
	close(fd);
	return err ? say_error(FAILED, "status: --cost: %s", strerror(-err)) : OPT_GO_ON;
}

static struct show_source source(struct timing *t, const struct ktally_field **all)
{
	for (size_t i = 0; i < COLUMNS; i++)
		all[i] = &columns[i];
	return (struct show_source){
		.schema = "ktally.cost/1", .fields = all, .n_fields = COLUMNS, .n_rows = t ? t->t.n : 0,
		.columns = "hook,calls,time_ns,mean_ns,p50_below_ns,p99_below_ns,most_ns,ppm",
		.value = value, .of = t,
	};
}

static void put_sum(struct out *o, const struct timing *t)
{
	uint64_t span = t->t.until - t->t.since, sum = 0;
	char line[256], took[32], all[32];

	for (uint32_t i = 0; i < t->t.n; i++)
		sum += t->hooks[i].sum;
	text_span(took, sizeof(took), sum);
	text_span(all, sizeof(all), span);
	snprintf(line, sizeof(line), "%s in hooks in %s, %.4f %% of one CPU; reading the clock takes %u ns and is left out; kretprobes at UDP ports are not timed",
		 took, all, span ? 100.0 * (double)sum / (double)span : 0, t->t.clock_ns);
	out_line(o, line);
	out_facts(o, "timing", (const struct out_fact[]){
		{ "since_ns", KTALLY_ID, out_u64(t->t.since) },
		{ "until_ns", KTALLY_ID, out_u64(t->t.until) },
		{ "clock_ns", KTALLY_NS, out_u64(t->t.clock_ns) },
		{ "hooks_ns", KTALLY_NS, out_u64(sum) },
	}, 4);
}

int timing_columns(void)
{
	const struct ktally_field *all[COLUMNS];
	struct show_source src = source(NULL, all);

	return show_columns(all, COLUMNS, src.columns);
}

int timing_print(const struct show *show, uint64_t ns)
{
	const struct ktally_field *all[COLUMNS];
	static struct timing t;
	struct show_source src = source(&t, all);
	struct out *o;
	int status = show_check(show, &src);

	if (status == OPT_GO_ON)
		status = measure(&t, ns);
	src.n_rows = t.t.n;
	if (status == OPT_GO_ON)
		status = show_rows(show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	put_sum(o, &t);
	return show_close(o);
}
