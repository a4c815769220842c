// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sees - opens the device as different people and counts what comes: of processes
 * that root begins (by this program's first process, on request) and of its own.
 * `sees end SECRET` only ends: what others' arguments look like.
 */
#include "truth.h"

#include <linux/capability.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "session.h"

enum { EACH = 8, MEMBER = 1001, GROUP = 1500, LATE = 150000 };

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static const char *self;
static int ask[2], answer[2];

static struct seen {
	unsigned int forks, exits, shown, hidden, tasks_shown, tasks_hidden, strangers, devices;
	bool ends_only;
	unsigned long long told_ends;	/* of all processes, by the end record */
	unsigned long long sent;	/* by a process that ended, of TCP: the most that was told */
	uint32_t from;	/* PIDs below are others' */
} seen;

static uint32_t length(uint32_t loc)
{
	return loc >> 16;
}

static bool is_end(const char *comm)
{
	return !strcmp(comm, "sees");
}

/* The records of one life come from several CPUs, and the later ones may be read first. */
static void note_sent(unsigned long long sent)
{
	seen.sent = sent > seen.sent ? sent : seen.sent;
}

static void note(const struct ktally_common *c)
{
	switch (c->type) {
	case KTALLY_FORK:
		seen.forks++;
		break;
	case KTALLY_EXEC: {
		const struct ktally_exec *e = (const void *)c;

		seen.shown += length(e->argv) > 0;
		seen.hidden += !length(e->argv) && (e->flags & KTALLY_EXEC_ARGV_HIDDEN);
		break;
	}
	case KTALLY_EXIT: {
		const struct ktally_exit *e = (const void *)c;

		seen.exits += is_end(e->comm);
		note_sent(e->tcp_tx);
		if (seen.ends_only) {
			seen.shown += length(e->argv) > 0;
			seen.hidden += !length(e->argv) && (e->flags & KTALLY_EXIT_ARGV_HIDDEN);
		}
		break;
	}
	case KTALLY_TASK: {
		const struct ktally_task *t = (const void *)c;

		seen.tasks_shown += length(t->argv) > 0;
		seen.tasks_hidden += !!(t->flags & KTALLY_TASK_ARGV_HIDDEN);
		seen.strangers += t->tgid < seen.from;
		break;
	}
	case KTALLY_NET_LATE:
		note_sent(((const struct ktally_net_late *)c)->tcp_tx);
		break;
	case KTALLY_DEVICE:
		seen.devices = 1;
		break;
	case KTALLY_END:
		seen.told_ends = ((const struct ktally_end *)c)->ends;
		break;
	}
}

static void begin_some(void)
{
	for (int i = 0; i < EACH; i++) {
		pid_t p = fork();

		if (!p) {
			execl(self, "sees", "end", "secret", (char *)NULL);
			_exit(EXEC_FAILED);
		}
		waitpid(p, NULL, 0);
	}
}

static void others_and_own(void)
{
	char c = 'x';

	need(write(ask[1], &c, 1) == 1 && read(answer[0], &c, 1) == 1, "others");
	begin_some();
}

static int try(struct session *s, unsigned long request, void *arg)
{
	int err = session_ioctl(s, request, arg);

	return err < 0 ? -err : 0;
}

/* Everything is read already, so there is room. */
static unsigned long long told_at_end(struct session *s)
{
	need(!session_ioctl(s, KTALLY_IOC_END, NULL) && !session_drain(s), "end");
	return seen.told_ends;
}

static int try_totals(struct session *s)
{
	struct ktally_totals t = { .size = sizeof(t), .row_size = sizeof(struct ktally_totals_row) };
	int err = try(s, KTALLY_IOC_TOTALS, &t);

	return err == ENOSPC ? 0 : err;	/* it told how many rows there may be */
}

/* Sessions that anything is told of; of the machine, whether any end was. */
static unsigned int told_sessions(struct session *s, bool *hits)
{
	static const struct ktally_session_status nothing;
	struct ktally_status st = { .size = sizeof(st) };
	unsigned int n = 0;

	need(!session_ioctl(s, KTALLY_IOC_STATUS, &st), "status");
	for (int i = 0; i < KTALLY_SESSIONS; i++)
		n += memcmp(&st.sessions[i], &nothing, sizeof(nothing)) != 0;
	*hits = st.tp_hits || st.kp_hits;
	return n;
}

static int try_boot(void)
{
	struct session s;
	int err;

	session_init(&s);
	need(!session_open(&s), "open");
	s.start.size = sizeof(s.start);
	s.start.flags = KTALLY_START_BOOT;
	err = try(&s, KTALLY_IOC_START, &s.start);
	session_close(&s);
	return err;
}

static void look(const char *role)
{
	unsigned int sessions;
	struct session s;
	bool hits;
	int err;

	memset(&seen, 0, sizeof(seen));
	seen.from = 60;
	session_init(&s);
	err = session_open(&s);
	if (err) {
		truth("role=%s open=%d", role, -err);
		return;
	}
	need(!session_start(&s, 2048, 64) && !session_open_cpus(&s), "start");
	s.record = note;
	need(!session_walk(&s, KTALLY_WALK_OPENING), "walk");
	others_and_own();
	session_ioctl(&s, KTALLY_IOC_FLUSH, NULL);
	need(!session_drain(&s), "drain");
	sessions = told_sessions(&s, &hits);
	truth("role=%s open=0 forks=%u exits=%u shown=%u hidden=%u tasks_shown=%u tasks_hidden=%u strangers=%u devices=%u totals=%d reset=%d boot=%d sessions=%u hits=%d ends=%llu",
	      role, seen.forks, seen.exits, seen.shown, seen.hidden, seen.tasks_shown, seen.tasks_hidden,
	      seen.strangers, seen.devices, try_totals(&s), try(&s, KTALLY_IOC_TOTALS_RESET, NULL),
	      try_boot(), sessions, hits, told_at_end(&s));
	session_close(&s);
}

static void look_at_ends(const char *role)
{
	struct ktally_select ends = { .size = sizeof(ends), .what = KTALLY_SELECT_EXITS };
	struct session s;

	memset(&seen, 0, sizeof(seen));
	seen.ends_only = true;
	session_init(&s);
	need(!session_open(&s) && !session_ioctl(&s, KTALLY_IOC_SELECT, &ends) &&
	     !session_start(&s, 2048, 64) && !session_open_cpus(&s), "start");
	s.record = note;
	others_and_own();
	session_ioctl(&s, KTALLY_IOC_FLUSH, NULL);
	need(!session_drain(&s), "drain");
	truth("role=%s exits=%u shown=%u hidden=%u forks=%u", role, seen.exits, seen.shown, seen.hidden,
	      seen.forks);
	session_close(&s);
}

/* 1 is the container's first process: this one. */
static void select_in_container(void)
{
	uint32_t one = 1;
	struct ktally_select sel = { .size = sizeof(sel), .what = KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE,
				     .n_pids = 1, .pids = (uintptr_t)&one };
	struct session s;
	int err;

	memset(&seen, 0, sizeof(seen));
	session_init(&s);
	need(!session_open(&s), "open");
	err = try(&s, KTALLY_IOC_SELECT, &sel);
	need(!session_start(&s, 2048, 64) && !session_open_cpus(&s), "start");
	s.record = note;
	others_and_own();
	session_ioctl(&s, KTALLY_IOC_FLUSH, NULL);
	need(!session_drain(&s), "drain");
	truth("role=container-select selected=%d forks=%u", err, seen.forks);
	session_close(&s);
}

/* A child ends with nearly all that it sends still in its socket, and leaves it to the kernel. */
static void send_and_end(const struct sockaddr_in *to, const char *bytes)
{
	int s = socket(AF_INET, SOCK_STREAM, 0), size = LATE;

	if (fork() == 0) {
		need(!setsockopt(s, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) &&
		     !connect(s, (const void *)to, sizeof(*to)) && write(s, bytes, LATE) == LATE, "send");
		_exit(0);
	}
	close(s);
	need(wait(NULL) > 0, "sender");
}

static void take_all(int listening, char *to)
{
	int s = accept(listening, NULL, NULL);
	ssize_t n;

	need(s >= 0, "accept");
	while ((n = read(s, to, LATE)) > 0)
		;
	need(n == 0, "read");
	close(s);
}

/* Its last bytes leave after its end, and a moment later the session ends. */
static void late_bytes(const char *role)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listening = socket(AF_INET, SOCK_STREAM, 0), small = 4096;
	socklen_t len = sizeof(a);
	static char bytes[LATE];
	struct session s;

	memset(&seen, 0, sizeof(seen));
	need(!setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)) &&
	     !bind(listening, (void *)&a, sizeof(a)) && !listen(listening, 1) &&
	     !getsockname(listening, (void *)&a, &len), "listen");
	session_init(&s);
	need(!session_open(&s) && !session_start(&s, 2048, 64) && !session_open_cpus(&s), "start");
	s.record = note;
	send_and_end(&a, bytes);
	take_all(listening, bytes);
	close(listening);
	need(!session_walk(&s, KTALLY_WALK_CLOSING) && !session_ioctl(&s, KTALLY_IOC_FLUSH, NULL) &&
	     !session_drain(&s), "closing walk");
	truth("role=%s sent=%d told=%llu", role, LATE, seen.sent);
	session_close(&s);
}

static void become(uid_t uid, gid_t gid, bool perfmon)
{
	struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct d[2] = { 0 };

	need(!setgroups(0, NULL) && !setgid(gid), "setgid");
	prctl(PR_SET_KEEPCAPS, perfmon);
	need(!setuid(uid), "setuid");
	if (!perfmon)
		return;
	d[CAP_PERFMON / 32].effective = d[CAP_PERFMON / 32].permitted = 1U << CAP_PERFMON % 32;
	need(!syscall(SYS_capset, &h, d), "capset");
}

static void as(void (*who)(void))
{
	pid_t p = fork();
	int st;

	if (!p) {
		/* as a program that was executed: owned by who runs it */
		prctl(PR_SET_DUMPABLE, 1);
		who();
		_exit(0);
	}
	/* serves until that one is done */
	for (;;) {
		char c;

		if (waitpid(p, &st, WNOHANG) == p)
			break;
		fcntl(ask[0], F_SETFL, O_NONBLOCK);
		if (read(ask[0], &c, 1) == 1) {
			begin_some();
			need(write(answer[1], &c, 1) == 1, "answer");
		}
		usleep(2000);
	}
	need(st == 0, "viewer");
}

static void root(void)
{
	look("root");
	look_at_ends("root-exits");
	late_bytes("root-late");
}

static void member(void)
{
	become(MEMBER, GROUP, false);
	look("member");
	look_at_ends("member-exits");
}

static void perfmon(void)
{
	become(MEMBER, GROUP, true);
	look("perfmon");
}

static void stranger(void)
{
	become(2000, 2000, false);
	look("stranger");
}

static void container(void)
{
	pid_t p;
	int st;

	need(!unshare(CLONE_NEWPID), "unshare");
	p = fork();
	if (!p) {
		look("container");
		select_in_container();
		late_bytes("container-late");
		_exit(0);
	}
	need(waitpid(p, &st, 0) == p && !st, "container");
}

/* Nobody else's business but root's and the group's. */
static struct session standing;

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	self = argv[1];
	need(!pipe(ask) && !pipe(answer), "pipe");
	session_init(&standing);
	need(!session_open(&standing) && !session_start(&standing, 64, 64), "a session that stands by");
	as(root);
	as(member);
	as(perfmon);
	as(stranger);
	as(container);
	session_close(&standing);
	return 0;
}
