// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz SECONDS [UID] - call /dev/ktally and its descriptors at random: any ioctl
 * with any struct, sizes and flags right and wrong, pointers good and bad, reads of
 * any length, from several threads that share all descriptors and from processes
 * that inherited them. What the calls answer does not matter. In the end a session
 * must still work and balance, and the module must not have stopped itself.
 */
#include "truth.h"

#include <poll.h>
#include <pthread.h>
#include <sys/uio.h>

#include "session.h"

#define THREADS 4
#define FILES 24
#define ARG_MAX_BYTES 8192

static volatile int fds[FILES];		/* anybody's to use and to close; -1: none */
static ull end_ns;
static volatile unsigned long calls[16], agreed[16];	/* by ioctl number; 0: others */
static char *page, *readable;		/* the second half of page is not there */
static __thread unsigned int seed;

static unsigned int any(unsigned int below)
{
	seed = seed * 1664525U + 1013904223U;
	return (seed >> 8) % below;
}

static uint64_t any_value(void)
{
	const uint64_t odd[] = {
		0, 1, 2, 3, 7, 8, 64, 100, 128, 4096, 0x7fffffff, 0x80000000, 0xffffffff,
		1ULL << 32, ~0ULL, (uintptr_t)page, (uintptr_t)page + 4096 - 8,
		(uintptr_t)readable, (uintptr_t)readable, 0xffff888000000000ULL, getpid(), 1, 1,
	};
	unsigned int i = any(sizeof(odd) / sizeof(odd[0]) + 3);

	if (i < sizeof(odd) / sizeof(odd[0]))
		return odd[i];
	return i % 2 ? 1ULL << any(64) : ((uint64_t)any(1 << 24) << 40 | any(1 << 24));
}

static int any_fd(void)
{
	return fds[any(FILES)];
}

static void keep(int fd)
{
	unsigned int i = any(FILES);
	int old;

	if (fd < 0)
		return;
	if (any(8))
		fcntl(fd, F_SETFL, O_NONBLOCK);
	old = __atomic_exchange_n(&fds[i], fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
}

/* --- ioctls --- */

static const unsigned long known[] = {
	KTALLY_IOC_START, KTALLY_IOC_CPU, KTALLY_IOC_WALK, KTALLY_IOC_FLUSH, KTALLY_IOC_END,
	KTALLY_IOC_MARK, KTALLY_IOC_COUNTS, KTALLY_IOC_STATUS, KTALLY_IOC_SNAPSHOT,
	KTALLY_IOC_SELECT, KTALLY_IOC_TOTALS, KTALLY_IOC_TOTALS_RESET, KTALLY_IOC_WORK,
	KTALLY_IOC_TIMING,
};

static unsigned long any_request(void)
{
	if (!any(16))
		return _IOC(any(4), any(8) ? KTALLY_IOC_MAGIC : any(256), any(256), any(16384));
	return known[any(sizeof(known) / sizeof(known[0]))];
}

/* Sizes and rooms within an argument, which no chance would meet. */
static void fit(char *arg, unsigned long request)
{
	static char space[1 << 20];
	struct ktally_totals *totals = (void *)arg;
	struct ktally_timing *timing = (void *)arg;

	if (request == KTALLY_IOC_TOTALS) {
		totals->row_size = sizeof(struct ktally_totals_row) + any(2) * 8;
		totals->room = any(4) ? sizeof(space) / totals->row_size : any(64);
		totals->pad = 0;
		if (any(4))
			totals->rows = (uintptr_t)space;
	} else if (request == KTALLY_IOC_TIMING) {
		timing->flags = any(2) ? KTALLY_TIMING_BEGIN : 0;
		timing->hook_size = sizeof(struct ktally_hook_time);
		timing->room = any(64);
		if (any(4))
			timing->hooks = (uintptr_t)space;
	}
}

/* Half of them are laid out well enough to get past the first checks. */
static void fill(char *arg, unsigned long request)
{
	const uint32_t right = _IOC_SIZE(request) % ARG_MAX_BYTES;
	const uint32_t sizes[] = { right, right, right, right + 8, right - 1, 4096, 4097, any(9000) };
	bool careful = any(2);
	uint32_t size = careful ? right : sizes[any(sizeof(sizes) / sizeof(sizes[0]))];

	memset(arg, 0, 512);
	for (unsigned int at = 8; at < (careful ? right : 512); at += 4)
		if (!any(careful ? 4 : 2))
			*(uint32_t *)(arg + at) = any_value();
	for (unsigned int at = 8; at < right; at += 8)
		if (!any(careful ? 16 : 4))
			*(uint64_t *)(arg + at) = any_value();
	memcpy(arg, &size, 4);
	if (size > 4)
		*(uint32_t *)(arg + 4) = careful ? any(8) : any_value();
	if (careful)
		fit(arg, request);
}

static void call_ioctl(int fd)
{
	unsigned long request = any_request();
	char arg[ARG_MAX_BYTES] __attribute__((aligned(8)));
	void *at = arg;
	int result;

	fill(arg, request);
	/* across the end of what is there; nothing; the kernel's */
	if (!any(16))
		at = memcpy(page + 4096 - any(256) * 4 % 512 - 4, arg, 4);
	else if (!any(16))
		at = (void *)(uintptr_t)any_value();
	if (request == KTALLY_IOC_CPU)
		at = (void *)(uintptr_t)(any(4) ? any(2) : any_value());
	result = ioctl(fd, request, at);
	calls[_IOC_NR(request) % 16]++;
	agreed[_IOC_NR(request) % 16] += result >= 0;
	if (request == KTALLY_IOC_CPU)
		keep(result);
}

/* --- other calls --- */

static void call_read(int fd)
{
	static __thread char *into;
	const size_t sizes[] = { 0, 1, 8, 4096, 8192, 65536, 1 << 20, 1 << 20, ~0UL >> 1 };

	if (!into)
		into = malloc(1 << 20);
	if (read(fd, any(8) ? into : (void *)(uintptr_t)any_value(), sizes[any(9)]) > 0)
		agreed[0]++;
}

static void call_other(int fd)
{
	struct pollfd p = { .fd = fd, .events = any(0x4000) };
	struct iovec v[2] = { { readable, any(5000) }, { page, any(9000) } };

	switch (any(8)) {
	case 0: poll(&p, 1, any(3)); break;
	case 1: readv(fd, v, 2); break;
	case 2: pread(fd, readable, 4096, any(9)); break;
	case 3: if (write(fd, readable, any(4096)) > 0) agreed[0]++; break;
	case 4: lseek(fd, any_value(), any(5)); break;
	case 5: munmap(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), 4096); break;
	case 6: keep(dup(fd)); break;
	case 7: fsync(fd); break;
	}
}

static void call_close(void)
{
	int fd = __atomic_exchange_n(&fds[any(FILES)], -1, __ATOMIC_RELAXED);

	if (fd >= 0)
		close(fd);
}

/* A session as it should be: what follows then reaches its depths. */
static void call_session(void)
{
	struct ktally_start start = { .size = sizeof(start), .buffer_kb = 256 };
	int fd = open("/dev/ktally", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!ioctl(fd, KTALLY_IOC_START, &start)) {
		agreed[_IOC_NR(KTALLY_IOC_START)]++;
		for (unsigned long cpu = 0; cpu < 2; cpu++) {
			int got = ioctl(fd, KTALLY_IOC_CPU, cpu);

			agreed[_IOC_NR(KTALLY_IOC_CPU)] += got >= 0;
			keep(got);
		}
	}
	keep(fd);
}

/* A child has all descriptors, uses some, and takes them along. */
static void call_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (unsigned int i = any(20); i; i--)
			call_ioctl(any_fd());
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *work(void *n)
{
	seed = (uintptr_t)n * 2654435761U + getpid();
	while (boot_ns() < end_ns) {
		unsigned int what = any(100);

		if (what < 3)
			call_session();
		else if (what < 8)
			keep(open("/dev/ktally", O_RDWR | O_CLOEXEC));
		else if (what < 11)
			call_close();
		else if (what < 70)
			call_ioctl(any_fd());
		else if (what < 88)
			call_read(any_fd());
		else if (what < 99 || any(8))
			call_other(any_fd());
		else
			call_fork();
	}
	return NULL;
}

/* Blocking calls of the threads end by that; the main thread leaves it to them. */
static void wake(int sig)
{
	(void)sig;
}

static void prepare(void)
{
	const struct itimerval often = { { 0, 20000 }, { 0, 20000 } };
	struct sigaction a = { .sa_handler = wake };

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	readable = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(page != MAP_FAILED && readable != MAP_FAILED, "mmap");
	munmap(page + 4096, 4096);
	for (int i = 0; i < FILES; i++)
		fds[i] = -1;
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void must_work(void)
{
	const struct itimerval off = { 0 };
	struct ktally_status status = { .size = sizeof(status) };
	const char *why;
	struct session s;
	int err;

	setitimer(ITIMER_REAL, &off, NULL);
	session_init(&s);
	err = session_open(&s) ?: session_start(&s, 512, 16) ?: session_open_cpus(&s) ?:
	      session_ioctl(&s, KTALLY_IOC_STATUS, &status) ?:
	      session_ioctl(&s, KTALLY_IOC_END, NULL) ?: session_drain(&s);
	why = err ? strerror(-err) : session_imbalance(&s);
	if (why || status.disarmed) {
		printf("FAILED: afterwards: %s\n", why ? why : "disarmed");
		exit(1);
	}
	session_close(&s);
}

static void tell(unsigned int seconds)
{
	unsigned long sum = 0;

	for (int i = 0; i < 16; i++)
		sum += calls[i];
	printf("uid %d: %lu ioctls, %lu/s; agreed:", getuid(), sum, sum / seconds);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		printf(" %lu", agreed[_IOC_NR(known[i])]);
	printf("\n");
	/* START and CPU must have been had, or nothing was tested */
	need(agreed[1] && agreed[2], "no session was ever begun");
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	unsigned int seconds;
	sigset_t alarms;

	if (argc < 2)
		return 2;
	seconds = atoi(argv[1]);
	if (argc > 2)
		need(!setgid(atoi(argv[2])) && !setuid(atoi(argv[2])), "setuid");
	end_ns = boot_ns() + seconds * 1000000000ULL;
	prepare();
	for (uintptr_t i = 0; i < THREADS; i++)
		need(!pthread_create(&t[i], NULL, work, (void *)i), "thread");
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < FILES; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	tell(seconds);
	must_work();
	return 0;
}
