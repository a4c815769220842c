// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keeper DIR - executes DIR/alpha and DIR/beta, which are this program again, and waits
 * for them. Those do a step of work whenever the file DIR/NAME.STEP is there, and make
 * DIR/NAME.STEP.done: CPU, bytes over a loopback of their own, 40 MB for a while. beta
 * has another user and a network namespace of its own.
 */
#include "net.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { STEPS = 3, BALLOON = 40 << 20 };

static char b[50000];

static void wait_for(const char *dir, const char *name, int step)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.%d", dir, name, step);
	while (access(path, F_OK))
		msleep(20);
}

static void say_done(const char *dir, const char *name, int step)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.%d.done", dir, name, step);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}

static void another_life(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int s;

	need(unshare(CLONE_NEWNET) == 0, "namespace");
	s = socket(AF_INET, SOCK_DGRAM, 0);
	need(s >= 0 && ioctl(s, SIOCSIFFLAGS, &up) == 0, "lo");
	close(s);
	need(setuid(1234) == 0, "setuid");
}

static ull netns(void)
{
	struct stat st;

	need(stat("/proc/self/ns/net", &st) == 0, "namespace");
	return st.st_ino;
}

static void balloon(void)
{
	char *p = mmap(NULL, BALLOON, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "memory");
	memset(p, 1, BALLOON);
	msleep(1500);
	munmap(p, BALLOON);
}

static void work(const char *dir, const char *name)
{
	int port, l, s, r;
	long long sent = 0;

	if (!strcmp(name, "beta"))
		another_life();
	l = listen4(&port);
	s = connect4(port);
	r = accept(l, NULL, NULL);
	need(r >= 0, "connection");
	for (int step = 0; step < STEPS; step++) {
		wait_for(dir, name, step);
		burn_ms(200 + 100 * (unsigned int)step);
		sent += send_all(s, b, sizeof(b), 0);
		need(recv_n(r, b, sizeof(b), sizeof(b), 0) == sizeof(b), "receive");
		if (step == STEPS - 1)
			balloon();
		truth("role=%s%d pid=%d uid=%u netns=%llu cpu_ns=%llu sent=%lld", name, step, getpid(), getuid(),
		      netns(), cpu_ns(), sent);
		say_done(dir, name, step);
	}
	wait_for(dir, name, STEPS);
}

static void start(const char *dir, const char *name)
{
	char path[256];
	pid_t p = fork();

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	need(p >= 0, "fork");
	if (p)
		return;
	execl(path, path, dir, NULL);
	_exit(EXEC_FAILED);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	int st;

	need(argc == 2, "arguments");
	if (strcmp(name, "keeper")) {
		work(argv[1], name);
		return 0;
	}
	start(argv[1], "alpha");
	start(argv[1], "beta");
	for (int i = 0; i < 2; i++)
		need(wait(&st) > 0 && code_of(st) == 0, "child");
	return 0;
}
