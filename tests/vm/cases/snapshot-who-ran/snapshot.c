// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snapshot - who is in a snapshot, against what /proc says of every thread's time on
 * a CPU before and after; and processes made to run, or not, in ways that leave few
 * traces: a thread that ends, a stopped process that gets packets, one that is
 * signalled. Prints counts; the judge compares.
 */
#include "truth.h"

#include <dirent.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

#include "session.h"

enum { PIDS = 65536, IDLE = 60, ROUNDS = 40 };

static bool told[PIDS];
static bool ended[PIDS];	/* by its exit record, in this round */
static uint64_t runtime_told[PIDS];
static unsigned int records;

static void note(const struct ktally_common *c)
{
	const struct ktally_task *t = (const void *)c;
	const struct ktally_exit *e = (const void *)c;

	if (c->type == KTALLY_EXIT && e->tgid < PIDS)
		ended[e->tgid] = true;
	if (c->type != KTALLY_TASK || t->tgid >= PIDS)
		return;
	told[t->tgid] = true;
	runtime_told[t->tgid] = t->runtime;
	records++;
}

static void forget(void)
{
	memset(told, 0, sizeof(told));
	records = 0;
}

static void snapshot(struct session *s, struct ktally_snapshot *how)
{
	forget();
	need(session_snapshot(s, how) == 0, "snapshot");
}

static void who_ran(struct session *s)
{
	struct ktally_snapshot how = { .flags = KTALLY_SNAPSHOT_RAN | KTALLY_SNAPSHOT_NO_ARGV |
						KTALLY_SNAPSHOT_NO_DEVICES };

	snapshot(s, &how);
}

static void nap(unsigned int ms)
{
	usleep(ms * 1000);
}

/* --- what /proc says --- */

struct look {
	uint64_t runtime, times;	/* over all living threads */
	unsigned int threads, resting;
};

/* Does that thread sleep, or is it stopped? */
static bool rests(const char *task)
{
	char path[600], line[600] = "", *state;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stat", task);
	f = fopen(path, "r");
	if (f && !fgets(line, sizeof(line), f))
		*line = 0;
	if (f)
		fclose(f);
	state = strrchr(line, ')');
	return state && (state[2] == 'S' || state[2] == 'T');
}

static bool add_thread(const char *task, struct look *l)
{
	unsigned long long runtime, delay, times;
	char path[600];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/schedstat", task);
	f = fopen(path, "r");
	ok = f && fscanf(f, "%llu %llu %llu", &runtime, &delay, &times) == 3;

	if (f)
		fclose(f);
	if (!ok)
		return false;
	l->runtime += runtime;
	l->times += times;
	l->threads++;
	l->resting += rests(task);
	return true;
}

static struct look look_at(const char *pid)
{
	struct look l = { 0 };
	char path[560];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task/%s", pid, e->d_name);
		add_thread(path, &l);
	}
	if (d)
		closedir(d);
	return l;
}

static unsigned int look_at_all(struct look *at)
{
	DIR *d = opendir("/proc");
	unsigned int n = 0;
	struct dirent *e;

	memset(at, 0, PIDS * sizeof(*at));
	while ((e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && atoi(e->d_name) < PIDS) {
			at[atoi(e->d_name)] = look_at(e->d_name);
			n++;
		}
	closedir(d);
	return n;
}

/*
 * When a process last ran its exec_start says, but a kernel that leaves sleepers queued for
 * a while (6.12 on) may move one to another CPU, which clears it: until that one runs again
 * it has to be told of.
 */
static bool moved_asleep(int pid)
{
	char path[40], line[200];
	double exec_start = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/sched", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "se.exec_start : %lf", &exec_start) == 1)
			break;
	if (f)
		fclose(f);
	return exec_start == 0;
}

static bool same(const struct look *a, const struct look *b)
{
	return a->runtime == b->runtime && a->times == b->times && a->threads == b->threads;
}

/* --- actors: each obeys one byte on its pipe and answers with one --- */

struct actor {
	const char *name;
	pid_t pid;
	int to, from;
	struct sockaddr_in address;
};

static void *brief(void *arg)
{
	(void)arg;
	nap(1);
	return NULL;
}

static volatile sig_atomic_t poked;

static void on_poke(int sig)
{
	(void)sig;
	poked = 1;
}

static pthread_t waits;
static int wake[2];

/* Waits for a byte and ends; nobody joins it. */
static void *ends_when_told(void *arg)
{
	char c;

	(void)arg;
	if (read(wake[0], &c, 1) != 1)
		abort();
	return NULL;
}

static void obey(char order)
{
	ull until;

	switch (order) {
	case 's':	/* spin */
		until = cpu_ns() + 3000000;
		while (cpu_ns() < until)
			;
		break;
	case 't':	/* a thread of mine lives and ends */
		pthread_create(&waits, NULL, brief, NULL);
		pthread_join(waits, NULL);
		break;
	case 'w':	/* one that will wait for its end, detached */
		if (pipe(wake))
			abort();
		pthread_create(&waits, NULL, ends_when_told, NULL);
		pthread_detach(waits);
		break;
	}
}

static void act(int from, int to, int sock)
{
	char c;

	(void)sock;
	signal(SIGUSR1, on_poke);
	while (read(from, &c, 1) == 1) {
		obey(c);
		if (write(to, c == 'w' ? (char *)wake : &c, 1) != 1)
			break;
	}
	_exit(0);
}

static int bound(struct sockaddr_in *a)
{
	socklen_t len = sizeof(*a);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*a = (struct sockaddr_in){ .sin_family = AF_INET };
	a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	need(fd >= 0 && !bind(fd, (void *)a, sizeof(*a)) && !getsockname(fd, (void *)a, &len), "bind");
	return fd;
}

static void send_to(const struct sockaddr_in *a, unsigned int n)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	while (n--)
		need(sendto(fd, "x", 1, 0, (const void *)a, sizeof(*a)) == 1, "send");
	close(fd);
}

static struct actor start(const char *name)
{
	struct actor a = { .name = name };
	int to[2], from[2];
	char c;

	need(!pipe(to) && !pipe(from), "pipe");
	a.pid = fork();
	if (!a.pid) {
		int sock = bound(&a.address);

		close(to[1]);
		close(from[0]);
		/* its socket gets an owner by sending */
		if (sendto(sock, "x", 1, 0, (void *)&a.address, sizeof(a.address)) != 1 ||
		    read(sock, &c, 1) != 1 ||
		    write(from[1], &a.address, sizeof(a.address)) < 0)
			_exit(1);
		act(to[0], from[1], sock);
	}
	close(to[0]);
	close(from[1]);
	a.to = to[1];
	a.from = from[0];
	need(read(a.from, &a.address, sizeof(a.address)) == sizeof(a.address), "actor");
	return a;
}

static void order(struct actor *a, char what)
{
	char c;

	need(write(a->to, &what, 1) == 1 && read(a->from, &c, 1) == 1, "order");
}

/* Until it has gone, or sleeps and was seen to for a while: its CPU may stand still. */
static void rest(pid_t pid)
{
	struct look before, now;
	char name[16];

	snprintf(name, sizeof(name), "%d", pid);
	now = look_at(name);
	do {
		before = now;
		nap(30);
		now = look_at(name);
	} while (now.resting < now.threads || !same(&before, &now));
}

static void expect(struct session *s, const struct actor *a, const char *what, int want)
{
	rest(a->pid);
	who_ran(s);
	truth("role=who actor=%s what=%s want=%d have=%d", a->name, what, want, told[a->pid]);
}

/* From here on it has not run. */
static void settle(struct session *s, const struct actor *a)
{
	for (int i = 0; i < 2; i++) {
		rest(a->pid);
		who_ran(s);
	}
}

/* --- the parts --- */

static pid_t idlers[IDLE];

static void start_idlers(void)
{
	for (int i = 0; i < IDLE; i++) {
		idlers[i] = fork();
		if (!idlers[i])
			for (;;)
				pause();
	}
}

/*
 * Some run, most do not; /proc is read outside and inside of each pair of snapshots.
 * Whoever ended before the second one is told of by its end.
 */
static void against_proc(struct session *s)
{
	static struct look outer[2][PIDS], inner[2][PIDS];
	unsigned int ran = 0, missed = 0, surplus = 0, passed = 0, moved = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		look_at_all(outer[0]);
		nap(30);
		who_ran(s);
		memset(ended, 0, sizeof(ended));
		look_at_all(inner[0]);
		for (int i = round % 3; i < IDLE; i += 7)
			kill(idlers[i], round % 2 ? SIGSTOP : SIGCONT);
		nap(30);
		look_at_all(inner[1]);
		nap(10);
		who_ran(s);
		look_at_all(outer[1]);
		for (int p = 1; p < PIDS; p++) {
			if (!inner[0][p].threads || !inner[1][p].threads)
				continue;
			if (!same(&inner[0][p], &inner[1][p])) {
				ran++;
				missed += !told[p] && !ended[p];
			} else if (same(&outer[0][p], &outer[1][p])) {
				bool unsure = told[p] && moved_asleep(p);

				passed += !told[p];
				moved += unsure;
				surplus += told[p] && !unsure;
			}
		}
	}
	truth("role=missed rounds=%d ran=%u missed=%u", round, ran, missed);
	truth("role=surplus rounds=%d passed=%u surplus=%u moved=%u", round, passed, surplus, moved);
}

static void few_traces(struct session *s)
{
	struct actor spin = start("spin"), thread = start("thread"), late = start("late"),
		     stopped = start("stopped");

	settle(s, &spin);
	expect(s, &spin, "nothing", 0);
	order(&spin, 's');
	expect(s, &spin, "spun", 1);
	expect(s, &spin, "nothing", 0);
	order(&thread, 't');
	expect(s, &thread, "a-thread-of-its", 1);
	expect(s, &thread, "nothing", 0);
	order(&late, 'w');
	settle(s, &late);
	expect(s, &late, "nothing", 0);
	kill(stopped.pid, SIGSTOP);
	settle(s, &stopped);
	expect(s, &stopped, "stopped", 0);
	send_to(&stopped.address, 5);
	expect(s, &stopped, "got-packets", 1);
	expect(s, &stopped, "nothing", 0);
	kill(stopped.pid, SIGKILL);
	expect(s, &stopped, "ended", 0);
	kill(spin.pid, SIGKILL);
	kill(thread.pid, SIGKILL);
	kill(late.pid, SIGKILL);
}

/* A thread that nobody waits for ends while all others sleep. */
static void silent_end(struct session *s)
{
	struct actor a = { .name = "silent" };
	int go[2], ready[2];
	char c;

	need(!pipe(go) && !pipe(ready), "pipe");
	a.pid = fork();
	if (!a.pid) {
		wake[0] = go[0];
		pthread_create(&waits, NULL, ends_when_told, NULL);
		pthread_detach(waits);
		need(write(ready[1], "x", 1) == 1, "ready");
		for (;;)
			pause();
	}
	need(read(ready[0], &c, 1) == 1, "ready");
	settle(s, &a);
	expect(s, &a, "nothing", 0);
	need(write(go[1], "x", 1) == 1, "go");
	expect(s, &a, "its-other-thread-ended", 1);
	expect(s, &a, "nothing", 0);
	kill(a.pid, SIGKILL);
}

static void values(struct session *s)
{
	static struct look at[2][PIDS];
	uint64_t worst = 0;

	for (int i = 0; i < 5; i++) {
		struct ktally_snapshot all = { .flags = KTALLY_SNAPSHOT_NO_ARGV };

		look_at_all(at[0]);
		snapshot(s, &all);
		look_at_all(at[1]);
		for (int p = 1; p < PIDS; p++) {
			uint64_t off = 0;

			/* an ended thread's time is in no living one */
			if (!told[p] || !at[0][p].threads || !at[1][p].threads || p == getpid())
				continue;
			if (runtime_told[p] < at[0][p].runtime)
				off = at[0][p].runtime - runtime_told[p];
			else if (runtime_told[p] > at[1][p].runtime)
				off = runtime_told[p] - at[1][p].runtime;
			if (at[0][p].threads == 1 && off > worst)
				worst = off;
		}
	}
	truth("role=runtime worst_ns=%llu", (ull)worst);
}

/* Kernel threads come and go: until there were as many before as after. */
static void everybody(struct session *s)
{
	static struct look at[PIDS];
	struct ktally_snapshot all, ran;
	unsigned int n, written;

	do {
		all = (struct ktally_snapshot){ .flags = 0 };
		ran = (struct ktally_snapshot){ .flags = KTALLY_SNAPSHOT_RAN };
		n = look_at_all(at);
		snapshot(s, &all);
		written = all.written;
		snapshot(s, &ran);
	} while (look_at_all(at) != n);
	truth("role=all processes=%u written=%u passed_and_written=%u", n, written,
	      ran.written + ran.idle);
}

static void listed(struct session *s)
{
	uint32_t pids[] = { (uint32_t)getpid(), 1, (uint32_t)getpid() };
	struct ktally_snapshot two = { .flags = KTALLY_SNAPSHOT_PIDS, .n_pids = 3,
				       .pids = (uintptr_t)pids };
	unsigned int strangers = 0;

	snapshot(s, &two);
	for (int p = 2; p < PIDS; p++)
		strangers += told[p] && p != getpid();
	truth("role=listed records=%u strangers=%u", records, strangers);
}

static volatile sig_atomic_t rung;

static void on_alarm(int sig)
{
	(void)sig;
	rung = 1;
}

/* Numbers that no process can have end the walk as well; a signal would end it, too. */
static void listed_beyond(struct session *s)
{
	uint32_t pids[] = { 1, 1U << 30, UINT32_MAX };
	struct ktally_snapshot three = { .flags = KTALLY_SNAPSHOT_PIDS, .n_pids = 3,
					 .pids = (uintptr_t)pids };

	signal(SIGALRM, on_alarm);
	alarm(10);
	snapshot(s, &three);
	alarm(0);
	truth("role=listed-beyond records=%u rung=%d", records, rung);
}

/* The walk waits for its reader; returns how often it did. */
static unsigned int walk_by_pieces(struct session *s)
{
	struct ktally_snapshot w = { .size = sizeof(w) };
	unsigned int calls = 0;
	int err;

	do {
		err = session_ioctl(s, KTALLY_IOC_SNAPSHOT, &w);
		need(!err || err == -EAGAIN, "snapshot");
		calls++;
		session_ioctl(s, KTALLY_IOC_FLUSH, NULL);
		need(!session_drain(s), "drain");
	} while (err || w.cursor);
	return calls;
}

/* 64 KiB for far more. */
static void small(void)
{
	enum { MANY = 600 };
	static pid_t pids[MANY];
	static struct look at[PIDS];
	struct session s;
	unsigned int calls, n;

	for (int i = 0; i < MANY; i++) {
		pids[i] = fork();
		if (!pids[i])
			for (;;)
				pause();
	}
	nap(200);
	session_init(&s);
	need(!session_open(&s) && !session_start(&s, 64, 8) && !session_open_cpus(&s), "session");
	s.record = note;
	do {
		forget();
		n = look_at_all(at);
		calls = walk_by_pieces(&s);
	} while (look_at_all(at) != n);
	truth("role=small processes=%u records=%u calls=%u lost=%d", n, records, calls,
	      session_imbalance(&s) ? -1 : 0);
	session_close(&s);
	for (int i = 0; i < MANY; i++)
		kill(pids[i], SIGKILL);
}

int main(void)
{
	struct session s;

	signal(SIGCHLD, SIG_IGN);
	session_init(&s);
	need(!session_open(&s) && !session_start(&s, 4096, 64) && !session_open_cpus(&s), "session");
	s.record = note;
	need(!session_walk(&s, KTALLY_WALK_OPENING), "opening walk");
	start_idlers();
	nap(30);
	who_ran(&s);
	against_proc(&s);
	few_traces(&s);
	silent_end(&s);
	values(&s);
	everybody(&s);
	listed(&s);
	listed_beyond(&s);
	session_close(&s);
	for (int i = 0; i < IDLE; i++)
		kill(idlers[i], SIGKILL);
	nap(200);
	small();
	return 0;
}
