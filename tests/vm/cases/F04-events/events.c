// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * events - let every allocation and user copy of a fork, an exec, an exit and a
 * connection fail, one per child, while a session records. Whatever becomes of the
 * child: each one that was born has exactly one exit record, and attempts are records
 * and losses. Started as `events landed`, it is what the children execute.
 */
#define _GNU_SOURCE

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "fault.h"
#include "session.h"

enum { STRUCK = 0, MISSED = 3, REFUSED = 4, PIDS = 1 << 16 };

static struct session s;
static unsigned char born[PIDS], ended[PIDS];
static char long_argument[3000];

static void record(const struct ktally_common *c)
{
	const struct ktally_exit *e = (const void *)c;

	if (c->type == KTALLY_EXIT && e->tgid < PIDS)
		ended[e->tgid]++;
}

static int nth_file(pid_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fault_die("%s: %s", path, strerror(errno));
	return fd;
}

/* Has the fault of this task struck? It may be a zombie. */
static bool struck(pid_t pid)
{
	char text[16] = "";
	int fd = nth_file(pid);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	return n > 0 && atoi(text) == 0;
}

static void fork_child(unsigned int nth)
{
	int fd = nth_file(getpid());
	pid_t pid;
	bool hit;

	fault_arm(fd, nth);
	pid = fork();
	if (!pid)
		_exit(0);
	hit = fault_disarm(fd);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	_exit(!hit ? MISSED : pid < 0 ? REFUSED : STRUCK);
}

static void exec_child(unsigned int nth)
{
	char *argv[] = { "events", "landed", long_argument, "", NULL };
	int fd = nth_file(getpid());

	fault_arm(fd, nth);
	execv("/proc/self/exe", argv);
	fault_arm(fd, 0);
	_exit(REFUSED);
}

static void exit_child(unsigned int nth)
{
	fault_arm(nth_file(getpid()), nth);
	_exit(STRUCK);
}

/* A socket that is bound to any port of this machine, connected to `to` or itself. */
static int socket_to(int type, const struct sockaddr_in *to, struct sockaddr_in *own)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(*own);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (void *)&any, sizeof(any)) || getsockname(fd, (void *)own, &len))
		return -1;
	if (type == SOCK_STREAM && !to)
		return listen(fd, 1) ? -1 : fd;
	return connect(fd, (const void *)(to ? to : own), sizeof(*own)) ? -1 : fd;
}

/* A datagram to itself and a connection; none waits for what a fault has dropped. */
static int talk(void)
{
	struct sockaddr_in own, listener;
	int udp = socket_to(SOCK_DGRAM, NULL, &own), there, here, peer;
	char text[100] = "";

	if (udp < 0 || send(udp, text, sizeof(text), 0) < 0 ||
	    recv(udp, text, sizeof(text), MSG_DONTWAIT) < 0)
		return -1;
	there = socket_to(SOCK_STREAM, NULL, &listener);
	here = there < 0 ? -1 : socket_to(SOCK_STREAM, &listener, &own);
	peer = here < 0 ? -1 : accept(there, NULL, NULL);
	return peer < 0 || send(here, text, sizeof(text), 0) < 0 || shutdown(here, SHUT_WR) ? -1 : 0;
}

/* No new network namespace: where a fault ends one early, 6.1 walks a list without a lock. */
static void connection_child(unsigned int nth)
{
	int fd = nth_file(getpid()), err;
	bool hit;

	fault_arm(fd, nth);
	err = talk();
	hit = fault_disarm(fd);
	_exit(!hit ? MISSED : err ? REFUSED : STRUCK);
}

/* Dead but not gone, so that its fault can be looked up. */
static int outcome(pid_t pid, bool zombie_tells)
{
	siginfo_t info;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		fault_die("waitid: %s", strerror(errno));
	if (zombie_tells && info.si_status != REFUSED && !struck(pid))
		info.si_code = CLD_EXITED, info.si_status = MISSED;
	waitpid(pid, NULL, 0);
	return info.si_code == CLD_EXITED ? info.si_status : REFUSED;
}

static const struct event {
	const char *name;
	void (*child)(unsigned int nth);
	bool zombie_tells;
	unsigned int at_least;
} events[] = {
	{ "fork", fork_child, false, 20 },
	{ "exec", exec_child, true, 20 },
	{ "exit", exit_child, true, 0 },
	{ "connection", connection_child, false, 20 },
};

static void read_all(void)
{
	int err = session_drain(&s);

	if (err)
		fault_die("reading: %s", strerror(-err));
}

static void walk_event(const struct event *e)
{
	unsigned int nth = 0, refused = 0;
	int what = STRUCK;

	while (what != MISSED) {
		pid_t pid;

		fflush(stdout);
		nth++;
		pid = fork();
		if (pid < 0)
			fault_die("fork: %s", strerror(errno));
		if (!pid)
			e->child(nth);
		if (pid < PIDS)
			born[pid]++;
		what = outcome(pid, e->zombie_tells);
		refused += what == REFUSED;
		read_all();
	}
	printf("%s: %u faults, %u of them refused or fatal\n", e->name, nth - 1, refused);
	if (nth - 1 < e->at_least)
		fault_die("%s: only %u faults struck", e->name, nth - 1);
}

static void must(int err, const char *what)
{
	if (err)
		fault_die("%s: %s", what, strerror(-err));
}

static void begin(void)
{
	session_init(&s);
	s.record = record;
	must(session_open(&s), "open");
	must(session_start(&s, 8192, 64), "START");
	must(session_open_cpus(&s), "CPU");
}

static void end(void)
{
	const char *why;

	must(session_ioctl(&s, KTALLY_IOC_END, NULL), "END");
	read_all();
	why = session_imbalance(&s);
	if (why)
		fault_die("%s", why);
	for (int pid = 0; pid < PIDS; pid++)
		if (born[pid] && ended[pid] != born[pid])
			fault_die("process %d: born %d times, %d exit records", pid, born[pid],
				  ended[pid]);
	session_close(&s);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "landed"))
		return STRUCK;
	memset(long_argument, 'x', sizeof(long_argument) - 1);
	close(fault_open());
	begin();
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		walk_event(&events[i]);
	end();
	return 0;
}
