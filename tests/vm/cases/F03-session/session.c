// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session - let every allocation and user copy of a whole session fail, one per
 * session: open, SELECT, START, the CPUs' descriptors, STATUS, walks, MARK, SNAPSHOT,
 * reads, FLUSH, COUNTS, END, close, and of the calls that need none: TOTALS, its
 * reset, WORK, TIMING. A call that refuses must have changed nothing: made once more,
 * without a fault, it works, and in the end attempts are records and losses.
 */
#include "fault.h"
#include "session.h"

#define BUFFER_KB 128
#define SUBBUF_KB 8

static struct session s;
static struct ktally_walk walk;
static struct ktally_snapshot snapshot;
static struct ktally_totals_row *rows;
static uint32_t rows_room;
static int failed;	/* first error of this run */
static const char *failed_in;

static int do_open(void)
{
	return session_open(&s);
}

/* All lists, and none that leaves anything out. */
static int do_select(void)
{
	static const char names[][KTALLY_NAME_MAX] = { "*" };
	const uint64_t root_cgroup = 1;
	const uint32_t pid = getpid(), root = 0;
	struct ktally_select sel = {
		.size = sizeof(sel),
		.what = KTALLY_SELECT_PIDS | KTALLY_SELECT_NAMES | KTALLY_SELECT_UIDS |
			KTALLY_SELECT_CGROUPS,
		.n_pids = 1, .n_names = 1, .n_uids = 1, .n_cgroups = 1,
		.pids = (uintptr_t)&pid, .names = (uintptr_t)names, .uids = (uintptr_t)&root,
		.cgroups = (uintptr_t)&root_cgroup,
	};

	return session_ioctl(&s, KTALLY_IOC_SELECT, &sel);
}

static int do_start(void)
{
	return session_start(&s, BUFFER_KB, SUBBUF_KB);
}

static int do_cpus(void)
{
	return session_open_cpus(&s);
}

static int do_status(void)
{
	struct ktally_status status = { .size = sizeof(status) };
	int err = session_ioctl(&s, KTALLY_IOC_STATUS, &status);

	if (!err && status.disarmed)
		fault_die("disarmed");
	return err;
}

static int do_drain(void)
{
	return session_drain(&s);
}

static int do_walk(void)
{
	int err;

	do {
		walk.size = sizeof(walk);
		err = session_ioctl(&s, KTALLY_IOC_WALK, &walk);
		if (!err || err == -EAGAIN)
			err = session_drain(&s);
	} while (!err && walk.cursor);
	return err;
}

static int do_opening(void)
{
	walk.purpose = KTALLY_WALK_OPENING;
	return do_walk();
}

static int do_closing(void)
{
	walk.purpose = KTALLY_WALK_CLOSING;
	return do_walk();
}

static int do_mark(void)
{
	struct ktally_mark_arg mark = {
		.size = sizeof(mark), .len = 4, .text = (uintptr_t)"here",
	};

	return session_ioctl(&s, KTALLY_IOC_MARK, &mark);
}

static int do_snapshot(void)
{
	const uint32_t pid = getpid();
	int err;

	snapshot.flags = KTALLY_SNAPSHOT_RAN | KTALLY_SNAPSHOT_PIDS;
	snapshot.n_pids = 1;
	snapshot.pids = (uintptr_t)&pid;
	do {
		snapshot.size = sizeof(snapshot);
		err = session_ioctl(&s, KTALLY_IOC_SNAPSHOT, &snapshot);
		if (!err || err == -EAGAIN)
			err = session_drain(&s);
	} while (!err && snapshot.cursor);
	return err;
}

static int do_totals(void)
{
	struct ktally_totals t = {
		.size = sizeof(t), .row_size = sizeof(*rows), .room = rows_room,
		.rows = (uintptr_t)rows,
	};
	int err = session_ioctl(&s, KTALLY_IOC_TOTALS, &t);

	if (!err && !t.n)
		fault_die("no totals");
	return err;
}

static int do_reset(void)
{
	return session_ioctl(&s, KTALLY_IOC_TOTALS_RESET, NULL);
}

static int do_work(void)
{
	struct ktally_work w = { .size = sizeof(w) };

	return session_ioctl(&s, KTALLY_IOC_WORK, &w);
}

/* Its beginning; one that was refused and went on all the same is busy now. */
static int do_timing(void)
{
	static struct ktally_hook_time hooks[64];
	struct ktally_timing t = {
		.size = sizeof(t), .flags = KTALLY_TIMING_BEGIN, .hook_size = sizeof(hooks[0]),
		.room = sizeof(hooks) / sizeof(hooks[0]), .hooks = (uintptr_t)hooks,
	};
	int err = session_ioctl(&s, KTALLY_IOC_TIMING, &t);

	if (!err && !t.n)
		fault_die("no hook was timed");
	return err;
}

static int do_flush(void)
{
	return session_ioctl(&s, KTALLY_IOC_FLUSH, NULL);
}

static int do_counts(void)
{
	struct ktally_counts counts = { .size = sizeof(counts) };

	return session_ioctl(&s, KTALLY_IOC_COUNTS, &counts);
}

static int do_end(void)
{
	return session_ioctl(&s, KTALLY_IOC_END, NULL);
}

static const struct {
	const char *name;
	int (*call)(void);
} steps[] = {
	{ "open", do_open }, { "SELECT", do_select }, { "START", do_start }, { "CPU", do_cpus },
	{ "STATUS", do_status }, { "opening walk", do_opening }, { "MARK", do_mark },
	{ "SNAPSHOT", do_snapshot }, { "TOTALS", do_totals }, { "RESET", do_reset },
	{ "WORK", do_work }, { "TIMING", do_timing }, { "FLUSH", do_flush },
	{ "read", do_drain }, { "COUNTS", do_counts }, { "closing walk", do_closing },
	{ "END", do_end }, { "last read", do_drain },
};

static void before(void)
{
	session_init(&s);
	memset(&walk, 0, sizeof(walk));
	memset(&snapshot, 0, sizeof(snapshot));
	failed = 0;
}

/* Everything, each refused call once more: a fault strikes only once. */
static int work(void)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int err = steps[i].call();

		if (!err)
			continue;
		if (failed)
			fault_die("after %s in %s: %s in %s", strerror(-failed), failed_in,
				  strerror(-err), steps[i].name);
		failed = err;
		failed_in = steps[i].name;
		i--;
	}
	return failed;
}

static void after(int result)
{
	const char *why = session_imbalance(&s);

	if (why)
		fault_die("after %s in %s: %s", strerror(-result), result ? failed_in : "nothing", why);
	session_close(&s);
}

static void whole_session(void)
{
	before();
	if (work())
		fault_die("%s in %s", strerror(-failed), failed_in);
}

/* A close has nobody to refuse to. */
static int do_close(void)
{
	session_close(&s);
	return 0;
}

static void must_be_free(int result)
{
	struct ktally_status status = { .size = sizeof(status) };

	(void)result;
	if (session_open(&s) || session_ioctl(&s, KTALLY_IOC_STATUS, &status))
		fault_die("no status after a close");
	for (int i = 0; i < KTALLY_SESSIONS; i++)
		if (status.sessions[i].session && !status.sessions[i].boot)
			fault_die("session %u is still there after its close", status.sessions[i].session);
	session_close(&s);
}

static void only_open(void)
{
	session_init(&s);
	if (session_open(&s))
		fault_die("a session cannot be opened");
}

/* A flight recorder's, of one user and one control group. */
static int do_start_filtered(void)
{
	memset(&s.start, 0, sizeof(s.start));
	s.start.size = sizeof(s.start);
	s.start.buffer_kb = BUFFER_KB;
	s.start.subbuf_kb = SUBBUF_KB;
	s.start.flags = KTALLY_START_FLIGHT;
	s.start.filter = KTALLY_FILTER_UID | KTALLY_FILTER_CGROUP;
	s.start.cgroup = 1;
	return session_ioctl(&s, KTALLY_IOC_START, &s.start);
}

static void must_start(int result)
{
	int err = result ? do_start_filtered() : 0;

	if (err)
		fault_die("after %s in START: %s", strerror(-result), strerror(-err));
	session_close(&s);
}

/* As many rows as the module has; it tells who has room for none. */
static void make_rows(void)
{
	struct ktally_totals t = { .size = sizeof(t), .row_size = sizeof(*rows) };

	session_init(&s);
	if (session_open(&s) || session_ioctl(&s, KTALLY_IOC_TOTALS, &t) != -ENOSPC)
		fault_die("the module does not tell how many rows there are");
	rows_room = t.rows_max;
	rows = calloc(rows_room, sizeof(*rows));
	if (!rows)
		fault_die("no memory for %u rows", rows_room);
	session_close(&s);
}

int main(void)
{
	const struct fault_walk sessions = {
		.name = "session", .before = before, .work = work, .after = after,
		.at_least = 50,
	};
	const struct fault_walk closes = {
		.name = "close", .before = whole_session, .work = do_close, .after = must_be_free,
		.silent = true,
	};
	const struct fault_walk filtered = {
		.name = "START with a filter", .before = only_open, .work = do_start_filtered,
		.after = must_start, .at_least = 5,
	};
	int fd = fault_open();

	make_rows();
	fault_walk(fd, &sessions);
	fault_walk(fd, &filtered);
	fault_walk(fd, &closes);
	return 0;
}
