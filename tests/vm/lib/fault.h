/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - let exactly the N-th allocation or user copy of a piece of work fail,
 * for N = 1, 2, … until one run passes without having met its fault. Needs a
 * kernel with fault injection. A fault hits the calling thread only.
 */
#ifndef KTALLY_TEST_FAULT_H
#define KTALLY_TEST_FAULT_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULT_DEBUGFS "/sys/kernel/debug/"

static inline void fault_die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fputs("FAILED: ", stdout);
	vprintf(format, ap);
	putchar('\n');
	va_end(ap);
	exit(1);
}

static inline void fault_put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		fprintf(stderr, "%s: %s\n", file, strerror(errno));
		exit(77);
	}
	close(fd);
}

/* Faults in sleeping allocations, too, and of single pages; no stack in the log for each. */
static inline int fault_open(void)
{
	int fd;

	fault_put(FAULT_DEBUGFS "failslab/ignore-gfp-wait", "N");
	fault_put(FAULT_DEBUGFS "failslab/verbose", "0");
	fault_put(FAULT_DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N");
	fault_put(FAULT_DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "N");
	fault_put(FAULT_DEBUGFS "fail_page_alloc/min-order", "0");
	fault_put(FAULT_DEBUGFS "fail_page_alloc/verbose", "0");
	fault_put(FAULT_DEBUGFS "fail_usercopy/verbose", "0");
	fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fault_die("/proc/thread-self/fail-nth: %s", strerror(errno));
	return fd;
}

static inline void fault_arm(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	/* The fault that is still armed may strike this very copy. */
	if (pwrite(fd, text, len, 0) != len && pwrite(fd, text, len, 0) != len)
		fault_die("fail-nth: %s", strerror(errno));
}

/* Did the fault strike? Asking copies to user space and may itself be what it strikes. */
static inline bool fault_disarm(int fd)
{
	char text[16] = "";
	bool struck = pread(fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	fault_arm(fd, 0);
	return struck;
}

/*
 * A piece of work: before() and after() run without faults. work() returns 0 or
 * the error of a fault, which is want of memory or a page that cannot be read;
 * after() is told so and dies if the world is not as it should be. What a fault
 * leaves behind would show in the next run, as another error.
 */
struct fault_walk {
	const char *name;
	void (*before)(void);
	int (*work)(void);
	void (*after)(int result);
	unsigned int first, stride;	/* faults to try; 0: from the first one, each */
	unsigned int at_least;	/* faults that must have struck, or nothing was tested */
	bool silent;		/* work that cannot tell of an error */
};

/* How many faults could strike in work(). */
static inline unsigned int fault_count(int fd, int (*work)(void))
{
	const unsigned int many = 1 << 30;
	char text[16] = "";

	fault_arm(fd, many);
	work();
	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		fault_die("fail-nth: %s", strerror(errno));
	fault_arm(fd, 0);
	return many - atoi(text);
}

static inline void fault_tell(const struct fault_walk *w, unsigned int struck,
			      const unsigned int *results)
{
	printf("%s: %u faults", w->name, struck);
	for (int e = 0; e < 256; e++)
		if (results[e])
			printf(", %u x %s", results[e], e ? strerror(e) : "no harm");
	putchar('\n');
	fflush(stdout);
	if (struck < w->at_least)
		fault_die("%s: only %u faults struck", w->name, struck);
	if (!w->silent && struck == results[0])
		fault_die("%s: no fault ever came back as an error", w->name);
}

static inline void fault_walk(int fd, const struct fault_walk *w)
{
	unsigned int results[256] = { 0 };
	unsigned int nth = w->first ? w->first : 1, tried = 0;
	bool struck = true;

	for (; struck; nth += w->stride ? w->stride : 1, tried++) {
		int result;

		w->before();
		fault_arm(fd, nth);
		result = w->work();
		struck = fault_disarm(fd);
		if (!struck && result)
			fault_die("%s: %s without a fault", w->name, strerror(-result));
		if (result && result != -ENOMEM && result != -EFAULT)
			fault_die("%s: %s at fault %u", w->name, strerror(-result), nth);
		if (struck)
			results[-result]++;
		w->after(result);
	}
	fault_tell(w, tried - 1, results);
}

#endif
