// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * totals.c - the module's totals as rows with columns: for ktally totals and ktally
 * metrics. Reads the module and the cgroup hierarchy; says what went wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups.h"
#include "cmd.h"
#include "out/out.h"
#include "totals.h"

/* ---- columns: a place in the row, or something made of it ---- */

enum { ALIVE = TOTALS_KEYS, USER_CPU, SYS_CPU, MADE };

#define AT(member)	(MADE + offsetof(struct ktally_totals_row, member) / 8)
#define PLACE(class, counter) (AT(net_##class) + KTALLY_N_##counter)
#define NET(prefix, heading, class, what) \
	{ .name = prefix "rx_packets", .title = heading "RXP", .help = "packets received over " what, .unit = KTALLY_COUNT, .width = 8, .arg = PLACE(class, RX_PACKETS) }, \
	{ .name = prefix "rx_wire_bytes", .title = heading "RX", .help = "bytes received over " what ", headers and segments included", .unit = KTALLY_BYTES, .width = 8, .arg = PLACE(class, RX_WIRE) }, \
	{ .name = prefix "tx_packets", .title = heading "TXP", .help = "packets sent over " what, .unit = KTALLY_COUNT, .width = 8, .arg = PLACE(class, TX_PACKETS) }, \
	{ .name = prefix "tx_wire_bytes", .title = heading "TX", .help = "bytes sent over " what ", headers and segments included", .unit = KTALLY_BYTES, .width = 8, .arg = PLACE(class, TX_WIRE) }

static const struct ktally_field columns[] = {
	{ .name = "count", .title = "ENDED", .help = "processes that ended", .unit = KTALLY_COUNT, .width = 8, .arg = AT(processes) },
	{ .name = "alive", .title = "ALIVE", .help = "processes that live now", .unit = KTALLY_COUNT, .width = 6, .arg = ALIVE },
	{ .name = "failed", .title = "FAILED", .help = "processes that ended with a status other than 0", .unit = KTALLY_COUNT, .width = 7, .arg = AT(failed) },
	{ .name = "life_ns", .title = "TIME", .help = "how long they lived, all together", .unit = KTALLY_NS, .width = 9, .arg = AT(life) },
	{ .name = "cpu_ns", .title = "CPU", .help = "time on a CPU since the totals began, all threads", .unit = KTALLY_NS, .width = 9, .arg = AT(runtime) },
	{ .name = "cpu_user_ns", .title = "USER-CPU", .help = "of it in user mode", .unit = KTALLY_NS, .width = 9, .arg = USER_CPU },
	{ .name = "cpu_sys_ns", .title = "SYS-CPU", .help = "of it in the kernel", .unit = KTALLY_NS, .width = 9, .arg = SYS_CPU },
	{ .name = "peak_rss_bytes", .title = "PEAK", .help = "most resident memory of one process", .unit = KTALLY_BYTES, .width = 7, .arg = AT(peak_rss) },
	{ .name = "rss_bytes", .title = "RSS", .help = "resident memory of those that live", .unit = KTALLY_BYTES, .width = 7, .arg = AT(rss) },
	{ .name = "minflt", .title = "MINFLT", .help = "page faults without I/O", .unit = KTALLY_COUNT, .width = 8, .arg = AT(minflt) },
	{ .name = "majflt", .title = "MAJFLT", .help = "page faults that read from storage", .unit = KTALLY_COUNT, .width = 7, .arg = AT(majflt) },
	{ .name = "nvcsw", .title = "CSW", .help = "voluntary context switches", .unit = KTALLY_COUNT, .width = 8, .arg = AT(nvcsw) },
	{ .name = "nivcsw", .title = "ICSW", .help = "involuntary context switches", .unit = KTALLY_COUNT, .width = 8, .arg = AT(nivcsw) },
	{ .name = "rchar_bytes", .title = "RCHAR", .help = "bytes through read calls", .unit = KTALLY_BYTES, .width = 7, .arg = AT(rchar) },
	{ .name = "wchar_bytes", .title = "WCHAR", .help = "bytes through write calls", .unit = KTALLY_BYTES, .width = 7, .arg = AT(wchar) },
	{ .name = "read_calls", .title = "SYSCR", .help = "read calls", .unit = KTALLY_COUNT, .width = 8, .arg = AT(syscr) },
	{ .name = "write_calls", .title = "SYSCW", .help = "write calls", .unit = KTALLY_COUNT, .width = 8, .arg = AT(syscw) },
	{ .name = "read_bytes", .title = "READ", .help = "bytes fetched from storage", .unit = KTALLY_BYTES, .width = 7, .arg = AT(read_bytes) },
	{ .name = "write_bytes", .title = "WRITTEN", .help = "bytes sent to storage", .unit = KTALLY_BYTES, .width = 7, .arg = AT(write_bytes) },
	NET("", "", phys, "physical devices"),
	NET("loop_", "LO-", loop, "loopback"),
	NET("virt_", "V-", virt, "virtual devices"),
	{ .name = "tcp_rx_bytes", .title = "TCPRX", .help = "TCP payload received", .unit = KTALLY_BYTES, .width = 8, .arg = AT(tcp_rx) },
	{ .name = "tcp_tx_bytes", .title = "TCPTX", .help = "TCP payload sent", .unit = KTALLY_BYTES, .width = 8, .arg = AT(tcp_tx) },
	{ .name = "udp_rx_bytes", .title = "UDPRX", .help = "UDP payload received", .unit = KTALLY_BYTES, .width = 8, .arg = AT(udp_rx) },
	{ .name = "udp_tx_bytes", .title = "UDPTX", .help = "UDP payload sent", .unit = KTALLY_BYTES, .width = 8, .arg = AT(udp_tx) },
	{ .name = "program", .title = "PROGRAM", .help = "its name at the end; with --by each", .unit = KTALLY_TEXT, .width = -15, .arg = TOTALS_PROGRAM },
	{ .name = "uid", .title = "UID", .help = "real user ID at the end; with --by each", .unit = KTALLY_ID, .width = 6, .arg = TOTALS_UID },
	{ .name = "cgroup", .title = "CGROUP", .help = "control group, or its nearest ancestor that is left; with --by each", .unit = KTALLY_TEXT, .width = 0, .arg = TOTALS_CGROUP },
	{ .name = "key", .title = "KEY", .help = "what the processes have in common", .unit = KTALLY_TEXT, .width = 0, .arg = TOTALS_KEY },
};
_Static_assert(sizeof(columns) / sizeof(columns[0]) == TOTALS_COLUMNS, "totals.h counts them");

size_t totals_columns(const struct ktally_field **all)
{
	*all = columns;
	return TOTALS_COLUMNS;
}

const struct ktally_field *totals_column(const char *name)
{
	for (size_t i = 0; i < TOTALS_COLUMNS; i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

/* ---- values ---- */

static bool is_network(unsigned int arg)
{
	return arg >= AT(net_phys) && arg <= AT(rx_dropped);
}

static uint64_t part_of_cpu(const struct ktally_totals_row *row, uint64_t part)
{
	uint64_t all = row->utime + row->stime;

	return all ? (uint64_t)((long double)row->runtime * part / all) : 0;
}

struct ktally_value totals_value(const struct ktally_totals *t, const struct sum *s, const struct ktally_field *f)
{
	switch (f->arg) {
	case ALIVE:	return out_u64(s->alive);
	case USER_CPU:	return out_u64(part_of_cpu(&s->row, s->row.utime));
	case SYS_CPU:	return out_u64(part_of_cpu(&s->row, s->row.stime));
	}
	if (f->arg < TOTALS_KEYS || (is_network(f->arg) && !(t->known >> KTALLY_U_NET & 1)))
		return out_text(NULL);
	return out_u64(((const uint64_t *)&s->row)[f->arg - MADE]);
}

/* ---- gathering ---- */

/* The row of all others stays a row of its own. */
static int by_kind(const struct sum *a, const struct sum *b)
{
	return (int)(a->row.flags & KTALLY_TOTALS_OTHER) - (int)(b->row.flags & KTALLY_TOTALS_OTHER);
}

int totals_by_program(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = by_kind(a, b);

	return d ? d : memcmp(a->row.program, b->row.program, sizeof(a->row.program));
}

int totals_by_user(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = by_kind(a, b);

	return d ? d : a->row.uid < b->row.uid ? -1 : a->row.uid > b->row.uid;
}

int totals_by_cgroup(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = by_kind(a, b);

	return d ? d : strcmp(a->cgroup, b->cgroup);
}

/* Living ones are counted beside those that ended. */
int totals_add(struct sums *to, const char *cgroup, const struct sum *s)
{
	struct ktally_totals_row row = s->row;
	uint64_t alive = row.flags & KTALLY_TOTALS_ALIVE ? row.processes : s->alive;
	int err;

	if (row.flags & KTALLY_TOTALS_ALIVE)
		row.processes -= alive;
	row.flags &= ~KTALLY_TOTALS_ALIVE;
	err = sums_add(to, cgroup, &row);
	if (!err)
		to->at[to->n - 1].alive = alive;
	return err;
}

static int gather(struct totals_now *now, const struct ktally_totals_row *rows)
{
	struct cgroups cgroups;
	int err = cgroups_read(&cgroups);
	char number[32];

	for (uint32_t i = 0; i < now->t.n && !err; i++) {
		const char *path = cgroups_path(&cgroups, rows[i].cgroup);

		snprintf(number, sizeof(number), "%llu", (unsigned long long)rows[i].cgroup);
		err = sums_add(&now->sums, path ? path : rows[i].cgroup <= 1 ? "/" : number, &rows[i]);
	}
	cgroups_free(&cgroups);
	if (!err)
		sums_merge(&now->sums, sums_by_all);
	return err ? say_error(FAILED, "out of memory") : OPT_GO_ON;
}

int totals_read(struct totals_now *now)
{
	struct ktally_totals_row *rows;
	char why[256];
	int err = ktally_totals_read(&now->t, &rows, NULL, why, sizeof(why)), status;

	if (err == -EOPNOTSUPP)
		return say_error(NO_MODULE, "the module keeps no totals: it was loaded with totals_rows=0");
	if (err)
		return say_error(err == -ENOMEM ? FAILED : status_of(err), "%s", why);
	status = gather(now, rows);
	free(rows);
	return status;
}

void totals_free(struct totals_now *now)
{
	sums_free(&now->sums);
}
