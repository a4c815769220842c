/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * truth.h - helpers of the workloads: each measures itself with what the kernel
 * offers everybody and prints lines "TRUTH key=value ..." for the judge. Static
 * programs of one file, so everything here is inline. Nothing of ktally is used.
 */
#ifndef TRUTH_H
#define TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long ull;

/* Exit statuses of a workload that says nothing about ktally. */
enum { CANNOT_RUN = 77, EXEC_FAILED = 96, NOT_AS_MEANT = 97, NO_TRUTH = 99 };

static inline ull clock_ns(clockid_t c)
{
	struct timespec t;

	clock_gettime(c, &t);
	return (ull)t.tv_sec * 1000000000ULL + (ull)t.tv_nsec;
}

static inline ull boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

static inline ull cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* One line, one write, so that several processes can share a file. */
__attribute__((format(printf, 1, 2)))
static inline void truth(const char *fmt, ...)
{
	char b[8192];
	int n = snprintf(b, sizeof b, "TRUTH ");
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(b + n, sizeof b - 2 - (size_t)n, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof b - 2)
		n = sizeof b - 2;
	b[n++] = '\n';
	if (write(STDOUT_FILENO, b, (size_t)n) != n)
		_exit(NO_TRUTH);
}

/* The workload itself went wrong: the case says nothing. */
static inline void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "workload: %s: not as meant (%s)\n", what, strerror(errno));
	exit(NOT_AS_MEANT);
}

static inline void skip(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(CANNOT_RUN);
}

/* A numeric field of /proc/self/status, read without stdio's buffers. */
static inline long status_kb(const char *key)
{
	char b[4096], *p;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, b, sizeof b - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	b[n] = 0;
	p = strstr(b, key);
	return p ? strtol(p + strlen(key), NULL, 10) : -1;
}

static inline long hwm_kb(void)
{
	return status_kb("VmHWM:");
}

static inline void comm_hex(char *out, size_t size)
{
	char c[64];
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, c, sizeof c), i;
	size_t o = 0;

	if (fd >= 0)
		close(fd);
	if (n > 0 && c[n - 1] == '\n')
		n--;
	for (i = 0; i < n && o + 3 < size; i++)
		o += (size_t)snprintf(out + o, size - o, "%02x", (unsigned char)c[i]);
	out[o] = 0;
}

/* argv as hex of NUL-ended strings, cut to size */
static inline void argv_hex(char **av, char *out, size_t size)
{
	size_t o = 0;
	char *p;

	out[0] = 0;
	for (; *av; av++)
		for (p = *av; o + 3 < size; p++) {
			o += (size_t)snprintf(out + o, size - o, "%02x", (unsigned char)*p);
			if (!*p)
				break;
		}
}

/* Spins in user space until this thread has used that much CPU more. */
static inline void burn_ms(unsigned ms)
{
	ull end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ULL;
	volatile unsigned x = 1;
	int i;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (i = 0; i < 2000; i++)
			x = x * 1664525U + 1013904223U;
}

static inline void msleep(unsigned ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static inline char *touch_mb(size_t mb)
{
	size_t len = mb << 20, i;
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "mmap");
	madvise(p, len, MADV_NOHUGEPAGE);
	for (i = 0; i < len; i += 4096)
		p[i] = (char)i;
	return p;
}

static inline void set_name(const char *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* ---- children, seen from outside ---- */

struct birth {
	pid_t pid;
	ull asked_ns;		/* before the call that made it */
};

static struct birth births[32] __attribute__((unused));

/* Remembers when a child was asked for; the newest 32 are kept. */
static inline pid_t born(pid_t pid, ull asked_ns)
{
	if (pid > 0)
		births[pid % 32] = (struct birth){ pid, asked_ns };
	return pid;
}

/* fork() that knows when; vfork and posix_spawn call born() themselves. */
static inline pid_t begin(void)
{
	ull now = boot_ns();

	return born(fork(), now);
}

static inline long tv_us(struct timeval t)
{
	return t.tv_sec * 1000000L + t.tv_usec;
}

static inline long rusage_us(const struct rusage *ru)
{
	return tv_us(ru->ru_utime) + tv_us(ru->ru_stime);
}

/* Waits and prints how the kernel says that the child ended. */
static inline int reap(pid_t pid, const char *role)
{
	const struct birth *b = &births[pid % 32];
	char how[64], when[64] = "";
	struct rusage ru;
	int st;
	pid_t r;

	do
		r = wait4(pid, &st, __WALL, &ru);
	while (r < 0 && errno == EINTR);
	need(r == pid, "wait4");
	if (WIFSIGNALED(st))
		snprintf(how, sizeof how, "exit_signal=%d core=%d", WTERMSIG(st), !!WCOREDUMP(st));
	else
		snprintf(how, sizeof how, "exit_code=%d", WEXITSTATUS(st));
	if (b->pid == pid)
		snprintf(when, sizeof when, " born_boot_ns=%llu", b->asked_ns);
	truth("role=%s pid=%d %s rusage_us=%ld maxrss_kb=%ld%s reaped_boot_ns=%llu", role, r, how,
	      rusage_us(&ru), ru.ru_maxrss, when, boot_ns());
	return st;
}

static inline int code_of(int st)
{
	return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

#endif
