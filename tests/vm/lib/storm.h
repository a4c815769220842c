/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm.h - workers that do to a kernel, each over and over, what ktally counts
 * or must survive, and the shared page in which they count what they did. A
 * worker is a function that does one round; it runs in a process of its own
 * until the storm is over. See the table at the end.
 */
#ifndef KTALLY_TEST_STORM_H
#define KTALLY_TEST_STORM_H

#include "truth.h"

#include <pthread.h>
#include <spawn.h>

#include "session.h"

#define STORM_WORKERS	32
#define STORM_FTRACE	"/proc/sys/kernel/ftrace_enabled"
#define STORM_ALARM	"/sys/class/rtc/rtc0/wakealarm"
#define STORM_WAKEUPS	"/sys/power/wakeup_count"

struct storm_page {
	volatile int over;
	volatile uint64_t done[STORM_WORKERS];	/* things of its kind */
	volatile uint64_t refused[STORM_WORKERS];
	volatile uint64_t wrong;
};

static struct storm_page *storm;
static unsigned int storm_me;		/* row of this worker */
static unsigned int storm_seed = 1;
extern char **environ;

static inline unsigned int storm_random(unsigned int below)
{
	storm_seed = storm_seed * 1664525U + 1013904223U;
	return (storm_seed >> 8) % below;
}

static inline void storm_count(int ok)
{
	volatile uint64_t *n = ok ? &storm->done[storm_me] : &storm->refused[storm_me];

	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

__attribute__((format(printf, 1, 2)))
static inline void storm_wrong(const char *format, ...)
{
	char line[256] = "WRONG: ";
	size_t n = strlen(line);
	va_list ap;

	va_start(ap, format);
	n += vsnprintf(line + n, sizeof(line) - n - 1, format, ap);
	va_end(ap);
	if (n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	__atomic_add_fetch(&storm->wrong, 1, __ATOMIC_RELAXED);
	if (write(STDOUT_FILENO, line, n) < 0)
		_exit(NO_TRUTH);
}

/* A child that runs body() and ends with what it returns. */
static inline pid_t storm_child(int (*body)(void))
{
	pid_t pid = fork();

	if (!pid)
		_exit(body());
	storm_count(pid > 0);
	return pid;
}

static inline void storm_reap(pid_t pid)
{
	if (pid > 0)
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
}

static inline void storm_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	storm_count(ok);
}

static inline bool storm_can_write(const char *path)
{
	return !access(path, W_OK);
}

/* --- processes and threads --- */

static inline int storm_nothing(void)
{
	return (int)storm_random(256);
}

static inline void storm_forks(void)
{
	pid_t pid[8];

	for (int i = 0; i < 8; i++)
		pid[i] = storm_child(storm_nothing);
	for (int i = 0; i < 8; i++)
		storm_reap(pid[i]);
}

/* Arguments of any length: within the record, in further records, cut. */
static inline void storm_execs(void)
{
	static char text[20000];
	char *argv[] = { "storm", "landed", text, "", NULL };
	size_t len = storm_random(4) ? storm_random(400) : storm_random(sizeof(text));
	pid_t pid;

	memset(text, 'a', len);
	text[len] = 0;
	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ)) {
		storm_count(0);
		return;
	}
	storm_count(1);
	storm_reap(pid);
}

static inline void *storm_thread(void *how)
{
	char *argv[] = { "storm", "landed", NULL };

	switch ((intptr_t)how) {
	case 1: _exit(7);
	case 2: execve("/proc/self/exe", argv, environ); break;
	case 3: raise(SIGKILL); break;
	}
	return NULL;
}

/* Which thread ends the process, or becomes its leader by an exec, differs. */
static inline int storm_thread_group(void)
{
	pthread_t t[8];
	int last = storm_random(8), how = storm_random(4), made = 0;

	for (int i = 0; i < 8; i++)
		made += !pthread_create(&t[made], NULL, storm_thread,
					(void *)(intptr_t)(i == last ? how : 0));
	if (storm_random(2))
		pthread_exit(NULL);
	for (int i = 0; i < made; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static inline void storm_threads(void)
{
	storm_reap(storm_child(storm_thread_group));
}

static inline int storm_namespace_body(void)
{
	if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC |
		    (storm_random(2) ? CLONE_NEWUSER : 0)))
		return 1;
	/* the first child is init there, takes the other with it and waits for that */
	storm_child(storm_nothing);
	storm_child(storm_nothing);
	while (wait(NULL) > 0)
		;
	return 0;
}

static inline void storm_namespaces(void)
{
	storm_reap(storm_child(storm_namespace_body));
}

#include "storm_net.h"

/* --- the machine --- */

static inline void storm_hotplug(void)
{
	static const char online[] = "/sys/devices/system/cpu/cpu1/online";

	storm_put(online, "0");
	msleep(100 + storm_random(400));
	storm_put(online, "1");
	msleep(100 + storm_random(900));
}

/* Hours back and forward; what runs by CLOCK_BOOTTIME must not notice. */
static inline void storm_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 3600 * ((int)storm_random(25) - 12);
	storm_count(!clock_settime(CLOCK_REALTIME, &t));
	msleep(300);
}

/* A process that takes memory until it is killed for it. */
static inline int storm_glutton(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	if (write(fd, "1000", 4) != 4)
		return 1;
	for (;;) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		if (p == MAP_FAILED)
			return 0;
	}
}

#define STORM_GROUPS "/sys/fs/cgroup"

/* In a control group with a limit, which is made and removed for it. */
static inline void storm_memory(void)
{
	char dir[64], path[96], pid[16];
	pid_t child;
	int fd;

	snprintf(dir, sizeof(dir), STORM_GROUPS "/storm-%u", storm_random(1000));
	if (mkdir(dir, 0755))
		return;
	snprintf(path, sizeof(path), "%s/memory.max", dir);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "16M", 3) != 3) {
		/* without a limit it would be the machine's memory */
		storm_count(0);
		close(fd);
		rmdir(dir);
		return;
	}
	close(fd);
	child = fork();
	if (!child) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
		snprintf(pid, sizeof(pid), "%d", getpid());
		fd = open(path, O_WRONLY);
		_exit(write(fd, pid, strlen(pid)) > 0 ? storm_glutton() : 1);
	}
	storm_count(child > 0);
	storm_reap(child);
	while (rmdir(dir) && errno == EBUSY)
		msleep(10);
	msleep(500);
}

/* The whole machine is short of memory: allocations fail everywhere. */
static inline void storm_pressure(void)
{
	storm_reap(storm_child(storm_glutton));
	msleep(3000);
}

/* Kprobes that stand on ftrace are disarmed, and not told of it. */
static inline void storm_kprobes(void)
{
	msleep(2000 + storm_random(8000));
	storm_put(STORM_FTRACE, "0");
	msleep(1000 + storm_random(1000));
	storm_put(STORM_FTRACE, "1");
}

/*
 * To memory, for seconds; the real time clock wakes it, also from what has not become a
 * suspend yet. While a CPU comes or goes it is refused.
 */
static inline void storm_suspend(void)
{
	char count[24] = "";
	int fd;

	msleep(10000 + storm_random(20000));
	fd = open(STORM_WAKEUPS, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, count, sizeof(count) - 1) <= 0) {
		storm_wrong("no %s", STORM_WAKEUPS);
		_exit(NO_TRUTH);
	}
	close(fd);
	storm_put(STORM_WAKEUPS, count);
	storm_put(STORM_ALARM, "0");
	storm_put(STORM_ALARM, "+5");
	storm_put("/sys/power/state", "mem");
}

/* --- ktally's own sessions --- */

static inline int storm_read(struct session *s, unsigned int rounds)
{
	int err = session_open_cpus(s);

	while (!err && rounds--) {
		err = session_drain(s);
		msleep(storm_random(100));
	}
	return err;
}

static inline int storm_walk(struct session *s)
{
	struct ktally_walk w = { .purpose = 1 + storm_random(KTALLY_WALK_SNAPSHOT) };
	int err, tries = 200;

	do {
		w.size = sizeof(w);
		err = session_ioctl(s, KTALLY_IOC_WALK, &w);
		if (err == -EAGAIN)
			err = session_ioctl(s, KTALLY_IOC_FLUSH, NULL);
		if (!err || err == -EAGAIN)
			err = session_drain(s);
	} while (!err && w.cursor && tries--);
	return err;
}

static inline int storm_end(struct session *s)
{
	int err;

	while ((err = session_ioctl(s, KTALLY_IOC_END, NULL)) == -EAGAIN)
		if ((err = session_drain(s)))
			break;
	return err ? err : session_open_cpus(s) ? -EIO : session_drain(s);
}

/*
 * A session of any size that reads, lags, walks; it is ended and must balance, or
 * it ends unread, with the process that had it.
 */
static inline int storm_session_body(void)
{
	unsigned int kb[] = { 128, 256, 1024, 4096 };
	const char *why = NULL;
	struct session s;
	int err;

	session_init(&s);
	err = session_open(&s);
	if (!err)
		err = session_start(&s, kb[storm_random(4)], 8 << storm_random(3));
	if (err)	/* no place, no memory */
		return 1;
	if (storm_random(2))
		err = storm_read(&s, storm_random(20));
	if (!storm_random(4))
		kill(getpid(), SIGKILL);
	if (!err)
		err = session_open_cpus(&s);
	if (!err)
		err = storm_walk(&s);
	msleep(storm_random(2000));
	if (!err)
		err = storm_end(&s);
	if (!err)
		why = session_imbalance(&s);
	if (err == -ENOMEM)
		return 1;
	if (err || why)
		storm_wrong("session %u: %s", s.start.session, why ? why : strerror(-err));
	return 0;
}

/* The process is stopped in whatever it does, and goes on or is killed. */
static inline void storm_sessions(void)
{
	pid_t pid = storm_child(storm_session_body);

	if (pid <= 0)
		return;
	for (int i = storm_random(4); i; i--) {
		msleep(storm_random(200));
		kill(pid, SIGSTOP);
		msleep(storm_random(1000));
		kill(pid, SIGCONT);
	}
	if (!storm_random(8))
		kill(pid, SIGKILL);
	storm_reap(pid);
}

/* A session whose reader is stopped for a minute: full buffers, then all of it. */
static inline void storm_long_stops(void)
{
	pid_t pid = storm_child(storm_session_body);

	if (pid <= 0)
		return;
	msleep(storm_random(500));
	kill(pid, SIGSTOP);
	for (int i = 0; i < 600 && !storm->over; i++)
		msleep(100);
	kill(pid, SIGCONT);
	storm_reap(pid);
}

static inline void storm_status(void)
{
	struct ktally_status status = { .size = sizeof(status) };
	struct ktally_mark_arg mark = {
		.size = sizeof(mark), .len = 5, .text = (uintptr_t)"storm",
	};
	struct session s;

	session_init(&s);
	if (session_open(&s)) {
		storm_count(0);
		return;
	}
	if (!session_ioctl(&s, KTALLY_IOC_STATUS, &status) && status.disarmed)
		storm_wrong("disarmed");
	storm_count(!session_ioctl(&s, KTALLY_IOC_MARK, &mark));
	session_close(&s);
	msleep(20);
}

/* The program: recorded for a while, ended or killed; what it wrote is readable. */
static inline void storm_recorder(void)
{
	char command[256];
	int status;

	snprintf(command, sizeof(command),
		 "f=storm-%u.ktl; ktally record -q -o $f & p=$!; sleep %u; kill -%s $p; wait $p;"
		 "ktally report -q -a --csv $f > /dev/null; r=$?; rm -f $f;"
		 "[ $r = 0 -o $r = 6 ]", storm_me, 1 + storm_random(5),
		 storm_random(2) ? "TERM" : "KILL");
	status = system(command);
	storm_count(!status);
}

/* --- the table --- */

struct storm_worker {
	const char *name;
	void (*round)(void);
	unsigned int copies;
	const char *writes;	/* only where this can be written */
	bool asked;		/* only when it is named */
};

static const struct storm_worker storm_workers[] = {
	{ "forks", storm_forks, 2 },
	{ "execs", storm_execs, 2 },
	{ "threads", storm_threads, 1 },
	{ "namespaces", storm_namespaces, 1 },
	{ "connections", storm_tcp, 2 },
	{ "datagrams", storm_udp, 1 },
	{ "networks", storm_networks, 1 },
	{ "hotplug", storm_hotplug, 1, "/sys/devices/system/cpu/cpu1/online" },
	{ "clock", storm_clock, 1 },
	{ "oom", storm_memory, 1, STORM_GROUPS "/cgroup.procs" },
	{ "pressure", storm_pressure, 1, NULL, true },
	{ "kprobes", storm_kprobes, 1, STORM_FTRACE, true },
	{ "suspend", storm_suspend, 1, STORM_ALARM, true },
	/* with the books', the recorder's and one that is stopped for long all eight */
	{ "sessions", storm_sessions, 5 },
	{ "long stops", storm_long_stops, 1, NULL, true },
	{ "status", storm_status, 1 },
	{ "recorders", storm_recorder, 1 },
};

#define STORM_KINDS (sizeof(storm_workers) / sizeof(storm_workers[0]))

#endif
