// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session - let every allocation and user copy of a whole session fail, one per
 * session: open, START, the CPUs' descriptors, STATUS, walks, MARK, reads, FLUSH,
 * COUNTS, END, close. A call that refuses must have changed nothing: made once
 * more, without a fault, it works, and in the end attempts are records and losses.
 */
#include "fault.h"
#include "session.h"

#define BUFFER_KB 128
#define SUBBUF_KB 8

static struct session s;
static struct ktally_walk walk;
static int failed;	/* first error of this run */
static const char *failed_in;

static int do_open(void)
{
	return session_open(&s);
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
	{ "open", do_open }, { "START", do_start }, { "CPU", do_cpus }, { "STATUS", do_status },
	{ "opening walk", do_opening }, { "MARK", do_mark }, { "FLUSH", do_flush },
	{ "read", do_drain }, { "COUNTS", do_counts }, { "closing walk", do_closing },
	{ "END", do_end }, { "last read", do_drain },
};

static void before(void)
{
	session_init(&s);
	memset(&walk, 0, sizeof(walk));
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
	int fd = fault_open();

	fault_walk(fd, &sessions);
	fault_walk(fd, &closes);
	return 0;
}
