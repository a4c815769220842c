// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-totals.c - what all processes cost since the module was loaded, as the kernel
 * itself keeps it: no session, no record, nothing to lose. --save and --add carry the
 * sums over reboots.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups.h"
#include "cmd.h"
#include "lib/ktally.h"
#include "names.h"
#include "out/text.h"
#include "show.h"
#include "sumfile.h"

enum by { BY_PROGRAM, BY_USER, BY_CGROUP, BY_ALL };

struct args {
	int by;
	const char *save, *add;
	bool reset, quiet;
	struct show show;
};

static const struct opt totals_opts[] = {
	{ 'b', "by", "KEY", "a row per program, user, cgroup, or all three (each); default: program", opt_word,
	  offsetof(struct args, by), BY_PROGRAM, "program user cgroup each" },
	{ 0, "add", "FILE", "add the sums of earlier loads that FILE has", opt_string,
	  offsetof(struct args, add), 0, "@file" },
	{ 0, "save", "FILE", "keep the sums in FILE for later loads; what it has of earlier ones stays", opt_string,
	  offsetof(struct args, save), 0, "@file" },
	{ 0, "reset", NULL, "let the kernel begin anew, after showing and saving; root only", opt_flag,
	  offsetof(struct args, reset), 0, NULL },
	{ 'q', "quiet", NULL, "show nothing", opt_flag, offsetof(struct args, quiet), 0, NULL },
};

static const struct opt_group totals_groups[] = {
	OPT_OWN("TOTALS", totals_opts),
	SHOW_GROUP(struct args, show),
};

/* ---- columns: a place in the row, or something made of it ---- */

enum { KEY, PROGRAM, UID, CGROUP, ALIVE, USER_CPU, SYS_CPU, MADE };

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
	{ .name = "program", .title = "PROGRAM", .help = "its name at the end; with --by each", .unit = KTALLY_TEXT, .width = -15, .arg = PROGRAM },
	{ .name = "uid", .title = "UID", .help = "real user ID at the end; with --by each", .unit = KTALLY_ID, .width = 6, .arg = UID },
	{ .name = "cgroup", .title = "CGROUP", .help = "control group, or its nearest ancestor that is left; with --by each", .unit = KTALLY_TEXT, .width = 0, .arg = CGROUP },
	{ .name = "key", .title = "KEY", .help = "what the processes have in common", .unit = KTALLY_TEXT, .width = 0, .arg = KEY },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

struct totals {
	const struct args *args;
	struct ktally_totals t;
	struct sums now, earlier, shown;
	struct names names;
	char text[64];
};

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

static struct ktally_value key_of(struct totals *v, const struct sum *s)
{
	const char *name;

	if (s->row.flags & KTALLY_TOTALS_OTHER)
		return out_text("(others)");
	switch ((enum by)v->args->by) {
	case BY_CGROUP:
		return out_text(s->cgroup);
	case BY_USER:
		name = names_user(s->row.uid, &v->names);
		if (!name)
			snprintf(v->text, sizeof(v->text), "%u", s->row.uid);
		return out_text(name ? name : v->text);
	default:
		return out_text(s->row.program);
	}
}

static struct ktally_value value(void *of, size_t i, const struct ktally_field *f)
{
	struct totals *v = of;
	const struct sum *s = &v->shown.at[i];
	bool each = v->args->by == BY_ALL && !(s->row.flags & KTALLY_TOTALS_OTHER);

	switch (f->arg) {
	case KEY:	return key_of(v, s);
	case PROGRAM:	return out_text(each ? s->row.program : NULL);
	case UID:	return each ? out_u64(s->row.uid) : out_text(NULL);
	case CGROUP:	return out_text(each ? s->cgroup : NULL);
	case ALIVE:	return out_u64(s->alive);
	case USER_CPU:	return out_u64(part_of_cpu(&s->row, s->row.utime));
	case SYS_CPU:	return out_u64(part_of_cpu(&s->row, s->row.stime));
	}
	if (is_network(f->arg) && !(v->t.known >> KTALLY_U_NET & 1))
		return out_text(NULL);
	return out_u64(((const uint64_t *)&s->row)[f->arg - MADE]);
}

/* ---- gathering ---- */

/* The row of all others stays a row of its own. */
static int by_kind(const struct sum *a, const struct sum *b)
{
	return (int)(a->row.flags & KTALLY_TOTALS_OTHER) - (int)(b->row.flags & KTALLY_TOTALS_OTHER);
}

static int by_program(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = by_kind(a, b);

	return d ? d : memcmp(a->row.program, b->row.program, sizeof(a->row.program));
}

static int by_user(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = by_kind(a, b);

	return d ? d : a->row.uid < b->row.uid ? -1 : a->row.uid > b->row.uid;
}

static int by_cgroup(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = by_kind(a, b);

	return d ? d : strcmp(a->cgroup, b->cgroup);
}

/* Living ones are counted beside those that ended. */
static int show_row(struct totals *v, const struct sum *s)
{
	struct ktally_totals_row row = s->row;
	uint64_t alive = row.flags & KTALLY_TOTALS_ALIVE ? row.processes : 0;
	int err;

	row.processes -= alive;
	row.flags &= ~KTALLY_TOTALS_ALIVE;
	err = sums_add(&v->shown, s->cgroup, &row);
	if (!err)
		v->shown.at[v->shown.n - 1].alive = alive;
	return err;
}

static int gather_shown(struct totals *v)
{
	static int (*const same[])(const void *a, const void *b) = {
		[BY_PROGRAM] = by_program, [BY_USER] = by_user, [BY_CGROUP] = by_cgroup,
		[BY_ALL] = sums_by_all,
	};
	int err = 0;

	for (size_t i = 0; i < v->now.n && !err; i++)
		err = show_row(v, &v->now.at[i]);
	for (size_t i = 0; v->args->add && i < v->earlier.n && !err; i++)
		err = show_row(v, &v->earlier.at[i]);
	if (!err)
		sums_merge(&v->shown, same[v->args->by]);
	return err;
}

static int gather_now(struct totals *v, const struct ktally_totals_row *rows)
{
	struct cgroups cgroups;
	int err = cgroups_read(&cgroups);
	char number[32];

	for (uint32_t i = 0; i < v->t.n && !err; i++) {
		const char *path = cgroups_path(&cgroups, rows[i].cgroup);

		snprintf(number, sizeof(number), "%llu", (unsigned long long)rows[i].cgroup);
		err = sums_add(&v->now, path ? path : rows[i].cgroup <= 1 ? "/" : number, &rows[i]);
	}
	cgroups_free(&cgroups);
	if (!err)
		sums_merge(&v->now, sums_by_all);
	return err ? say_error(FAILED, "out of memory") : OPT_GO_ON;
}

static int read_now(struct totals *v)
{
	struct ktally_totals_row *rows;
	char why[256];
	int err = ktally_totals_read(&v->t, &rows, NULL, why, sizeof(why)), status;

	if (err == -EOPNOTSUPP)
		return say_error(NO_MODULE, "the module keeps no totals: it was loaded with totals_rows=0");
	if (err)
		return say_error(err == -ENOMEM ? FAILED : status_of(err), "%s", why);
	status = gather_now(v, rows);
	free(rows);
	return status;
}

/* ---- the file ---- */

static int read_id(struct totals *v, struct sumfile_id *id)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool ok = f && fgets(id->boot, sizeof(id->boot), f);

	if (f)
		fclose(f);
	if (!ok)
		return say_error(FAILED, "/proc/sys/kernel/random/boot_id: cannot read it; is /proc mounted?");
	id->boot[strcspn(id->boot, "\n")] = '\0';
	id->since = v->t.since;
	return OPT_GO_ON;
}

/* A file to save to need not be there yet; one to add must be. */
static int read_file(struct totals *v, const char *path, const struct sumfile_id *id, bool must)
{
	size_t line;
	int err = sumfile_read(path, id, &v->earlier, &line);

	if (!err || (err == -ENOENT && !must))
		return OPT_GO_ON;
	if (err == -EBADMSG)
		return say_error(FAILED, "%s: line %zu: no totals that ktally saved; move it away", path, line);
	return say_error(FAILED, "%s: cannot read it: %s", path, strerror(-err));
}

static int files(struct totals *v)
{
	const struct args *args = v->args;
	struct sumfile_id id;
	int status, err;

	if (!args->save && !args->add)
		return OPT_GO_ON;
	status = read_id(v, &id);
	if (status == OPT_GO_ON)
		status = read_file(v, args->add ? args->add : args->save, &id, args->add);
	if (status != OPT_GO_ON || !args->save)
		return status;
	err = sumfile_write(args->save, &id, &v->earlier, &v->now);
	return err ? say_error(FAILED, "%s: cannot save to it: %s", args->save, strerror(-err)) : OPT_GO_ON;
}

/* ---- showing ---- */

static void put_footer(struct out *o, const struct totals *v)
{
	const struct ktally_totals *t = &v->t;
	const struct out_fact facts[] = {
		{ "since_ns", KTALLY_ID, out_u64(t->since) },
		{ "until_ns", KTALLY_ID, out_u64(t->until) },
		{ "ends", KTALLY_COUNT, out_u64(t->ends) },
		{ "alive", KTALLY_COUNT, out_u64(t->alive) },
		{ "others", KTALLY_COUNT, out_u64(t->others) },
		{ "folded", KTALLY_COUNT, out_u64(t->folded) },
		{ "twice", KTALLY_COUNT, out_u64(t->twice) },
		{ "kprobe_missed", KTALLY_COUNT, out_u64(t->kp_missed) },
	};
	char line[256], ends[32], alive[32], span[32], others[32];

	text_span(span, sizeof(span), t->until - t->since);
	snprintf(line, sizeof(line), "%s processes ended and %s live, in %s since the totals began",
		 say_count(ends, t->ends), say_count(alive, t->alive), span);
	out_line(o, line);
	if (t->others) {
		snprintf(line, sizeof(line), "%s of them found no row of their own; totals_rows= of the module gives more",
			 say_count(others, t->others));
		out_line(o, line);
	}
	out_facts(o, "totals", facts, sizeof(facts) / sizeof(facts[0]));
}

static int show(struct totals *v)
{
	const struct args *args = v->args;
	const struct ktally_field *all[COLUMNS];
	struct show_source src = {
		.schema = "ktally.totals/1", .fields = all, .n_fields = COLUMNS,
		.columns = args->by == BY_ALL ?
			"count,alive,cpu_ns,peak_rss_bytes,rx_wire_bytes,tx_wire_bytes,program,uid,cgroup" :
			"count,alive,failed,cpu_ns,peak_rss_bytes,rx_wire_bytes,tx_wire_bytes,read_bytes,write_bytes,key",
		.sort = "-cpu_ns", .n_rows = v->shown.n, .value = value, .of = v,
	};
	struct out *o;
	int status;

	for (size_t i = 0; i < COLUMNS; i++)
		all[i] = &columns[i];
	if (show_wants_help(&args->show))
		return show_columns(all, COLUMNS, src.columns);
	status = show_rows(&args->show, &src, &o);
	if (status != OPT_GO_ON)
		return status;
	put_footer(o, v);
	return show_close(o);
}

static int reset(void)
{
	char why[256];
	int err = ktally_totals_reset(NULL, why, sizeof(why));

	if (err == -EPERM)
		return say_error(NO_PERMISSION, "--reset: only root may let the totals begin anew");
	return err ? say_error(status_of(err), "%s", why) : DONE;
}

static int totals(struct totals *v)
{
	int status = show_wants_help(&v->args->show) ? show(v) : read_now(v);

	if (status == OPT_GO_ON)
		status = files(v);
	if (status == OPT_GO_ON && !v->args->quiet)
		status = gather_shown(v) ? say_error(FAILED, "out of memory") : show(v);
	if (status == OPT_GO_ON)
		status = DONE;
	return status == DONE && v->args->reset ? reset() : status;
}

static int run_totals(int argc, char **argv)
{
	struct args args = { .show = { .columns = NULL } };
	struct totals v = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_totals, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words)
		return say_error(WRONG_USE, "totals: '%s'? it takes options only", rest.words[0]);
	if (args.save && args.add && strcmp(args.save, args.add))
		return say_error(WRONG_USE, "totals: --save and --add name different files");
	status = totals(&v);
	sums_free(&v.now);
	sums_free(&v.earlier);
	sums_free(&v.shown);
	return status;
}

static const char *const totals_examples[] = {
	"totals",
	"totals --by cgroup --sort -tx_wire_bytes",
	"totals -q --save /var/lib/ktally/totals",
	"totals --by each --json --add /var/lib/ktally/totals",
	NULL
};

const struct cmd cmd_totals = {
	.name = "totals",
	.words = "[--by KEY] [--add FILE] [--save FILE]",
	.help = "what all processes cost since load, as the kernel sums it up",
	.about = "Shows the sums that the module keeps by program, user and control group: of every process that ended since it was loaded, whether anybody recorded or not, and of those that live now. What was used before the load is not in them. Nothing is lost when buffers overflow. What a removed control group had belongs to its nearest ancestor that is left. With --save and --add sums go on over reboots: saving as often as you like counts nothing twice.",
	.run = run_totals,
	CMD_GROUPS(totals_groups),
	.examples = totals_examples,
};
