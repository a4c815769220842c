// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * each.c - a row per run, for those who want to compute themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum each_column { EACH_RUN, EACH_COMMAND, EACH_WARM_UP, EACH_STATUS, EACH_FIRST };

static const struct ktally_field each_fields[EACH_FIRST] = {
	{ "run", "RUN", "in order of time, from 1", KTALLY_ID, KTALLY_SAME, 5, NULL, 0 },
	{ "command", "CMD", "which of the commands, from 1", KTALLY_ID, KTALLY_SAME, 3, NULL, 0 },
	{ "warm_up", "WARM", "1: it is in no figures", KTALLY_BOOL, KTALLY_SUM, 4, NULL, 0 },
	{ "status", "EXIT", "how it ended", KTALLY_STATUS, KTALLY_SAME, 4, NULL, 0 },
};

struct shown {
	const struct measure_result *result;
	struct ktally_field fields[EACH_FIRST + MEASURES];
	const struct ktally_field *list[EACH_FIRST + MEASURES];
};

static struct ktally_value each_value(void *of, size_t i, const struct ktally_field *f)
{
	struct shown *s = of;
	const struct measure_run *run = &s->result->run[i];
	size_t c = (size_t)(f - s->fields);

	switch (c) {
	case EACH_RUN:
		return out_u64(i + 1);
	case EACH_COMMAND:
		return out_u64(run->command + 1);
	case EACH_WARM_UP:
		return out_u64(run->warm_up);
	case EACH_STATUS:
		return out_u64((uint32_t)run->wait_status);
	default:
		c -= EACH_FIRST;
		return run->known >> c & 1 ? out_u64(run->v[c]) : (struct ktally_value){ .type = KTALLY_V_UNKNOWN };
	}
}

static void make_fields(struct shown *s)
{
	static const char *const names[MEASURES] = {
		"time_ns", "wall_ns", "cpu_ns", "cpu_user_ns", "cpu_sys_ns", "peak_rss_bytes", "read_bytes", "write_bytes",
		"rx_wire_bytes", "tx_wire_bytes", "loop_rx_wire_bytes", "loop_tx_wire_bytes", "minflt", "majflt",
		"nvcsw", "nivcsw", "count",
	};
	static const char *const titles[MEASURES] = {
		"TIME", "WALL", "CPU", "USER-CPU", "SYS-CPU", "PEAK", "READ", "WRITE", "RX", "TX", "LO-RX", "LO-TX",
		"MINFLT", "MAJFLT", "CSW", "ICSW", "PROCS",
	};

	memcpy(s->fields, each_fields, sizeof(each_fields));
	for (int k = 0; k < MEASURES; k++)
		s->fields[EACH_FIRST + k] = (struct ktally_field){
			names[k], titles[k], measures[k].name, measures[k].unit, KTALLY_SUM, 8, NULL, 0
		};
	for (int i = 0; i < EACH_FIRST + MEASURES; i++)
		s->list[i] = &s->fields[i];
}

static void source_of(struct shown *s, struct show_source *src)
{
	make_fields(s);
	*src = (struct show_source){
		.schema = "ktally.measure-runs/1", .fields = s->list, .n_fields = EACH_FIRST + MEASURES,
		.columns = "run,command,time_ns,wall_ns,cpu_user_ns,cpu_sys_ns,peak_rss_bytes,count,status",
		.n_rows = s->result ? s->result->n : 0, .value = each_value, .of = s,
	};
}

int measure_check_runs(const struct show *show)
{
	struct shown s = { .result = NULL };
	struct show_source src;

	source_of(&s, &src);
	if (show_wants_help(show))
		return show_columns(s.list, EACH_FIRST + MEASURES, src.columns);
	return show_check(show, &src);
}

int measure_show_runs(const struct measure_report *report, const struct measure_result *r, struct show *show)
{
	struct shown s = { .result = r };
	struct show_source src;
	struct out *o;
	int status;

	source_of(&s, &src);
	status = show_rows(show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	measure_put_ends(o, report);
	measure_put_host(o, report);
	return show_close(o);
}
