// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leaks ROUNDS - look into each record, of all kinds, for what must not be there:
 * the patterns with which slabs (SLUB) and stacks (the compiler, on debug kernels)
 * are filled, kernel addresses, words of the environment. `leaks landed` and
 * `leaks image N` are what children execute.
 */
#include "storm.h"

#define SECRET "not-for-records"
#define CHANGING 6		/* processes that execute without end */
#define IMAGES 150		/* each of them */

static struct session s;
static unsigned long looked, found;

static void blame(const struct ktally_common *c, size_t at, const char *what)
{
	if (found++ < 20)
		printf("FAILED: kind %u, byte %zu: %s\n", c->type, at, what);
}

/* POISON_INUSE, POISON_FREE and the compiler's. */
static bool is_pattern(const unsigned char *p)
{
	return (p[0] == 0x5a || p[0] == 0x6b || p[0] == 0xfe) &&
	       p[1] == p[0] && p[2] == p[0] && p[3] == p[0];
}

/* The upper half, but for small negative numbers. */
static bool is_kernel_address(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word >= 0xffff800000000000ULL && word < 0xfffffffffff00000ULL;
}

static void look(const struct ktally_common *c)
{
	const struct ktally_record *frame = (const void *)c - sizeof(*frame);
	size_t size = frame->len - sizeof(*frame);
	const unsigned char *p = (const void *)c;

	looked++;
	for (size_t at = 0; at + 4 <= size; at += 4)
		if (is_pattern(p + at))
			blame(c, at, "memory that was not written");
	for (size_t at = 0; at + 8 <= size; at += 8)
		if (is_kernel_address(p + at))
			blame(c, at, "a kernel address");
	if (memmem(p, size, SECRET, strlen(SECRET)))
		blame(c, 0, "environment");
}

static void must(int err, const char *what)
{
	if (!err)
		return;
	printf("FAILED: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void walk(uint32_t purpose)
{
	struct ktally_walk w = { .purpose = purpose };
	int err;

	do {
		w.size = sizeof(w);
		err = session_ioctl(&s, KTALLY_IOC_WALK, &w);
		if (err == -EAGAIN)
			err = session_ioctl(&s, KTALLY_IOC_FLUSH, NULL);
		must(err == -EAGAIN ? 0 : err, "WALK");
		must(session_drain(&s), "read");
	} while (err || w.cursor);
}

static void work(int rounds)
{
	struct ktally_mark_arg mark = { .size = sizeof(mark), .len = 3, .text = (uintptr_t)"abc" };

	while (rounds-- > 0) {
		storm_forks();
		/* a quarter of them has arguments that need records of their own */
		for (int i = 0; i < 8; i++)
			storm_execs();
		storm_threads();
		storm_namespaces();
		storm_networks();
		storm_memory();
		must(session_ioctl(&s, KTALLY_IOC_MARK, &mark), "MARK");
		must(session_drain(&s), "read");
	}
}

/*
 * The next image of a process that has many, with a long list of arguments and a short
 * one in turn: behind a short one lies the environment, where the other's arguments lay.
 */
static int next_image(int left)
{
	static char filler[KTALLY_ARGV_INLINE / 2];
	char number[12];
	char *argv[] = { "leaks", "image", number, left % 2 ? filler : NULL, NULL };
	char *env[] = { SECRET "=1", NULL };

	if (!left)
		return 7;
	memset(filler, 'a', sizeof(filler) - 1);
	snprintf(number, sizeof(number), "%d", left - 1);
	execve("/proc/self/exe", argv, env);
	return 1;
}

static int change_images(void)
{
	return next_image(IMAGES);
}

/* Processes are looked at while they become others. */
static void look_at_changes(void)
{
	uint64_t before = s.seen[KTALLY_TASK];
	unsigned int left = CHANGING;
	uint32_t pids[CHANGING];
	struct ktally_snapshot only = {
		.flags = KTALLY_SNAPSHOT_PIDS | KTALLY_SNAPSHOT_NO_DEVICES,
		.n_pids = CHANGING, .pids = (uintptr_t)pids,
	};
	int status;

	for (int i = 0; i < CHANGING; i++) {
		pids[i] = (uint32_t)storm_child(change_images);
		need((int)pids[i] > 0, "a child");
	}
	while (left) {
		must(session_snapshot(&s, &only), "SNAPSHOT");
		while (left && waitpid(-1, &status, WNOHANG) > 0) {
			need(WIFEXITED(status) && WEXITSTATUS(status) == 7, "all images");
			left--;
		}
	}
	before = s.seen[KTALLY_TASK] - before;
	printf("%llu records of processes that become others\n", (unsigned long long)before);
	need(before >= CHANGING, "a look at each of them");
}

/* A selection is recorded, too; nobody is left out. */
static void select_all(void)
{
	static const char names[][KTALLY_NAME_MAX] = { "*" };
	struct ktally_select sel = {
		.size = sizeof(sel), .what = KTALLY_SELECT_NAMES, .n_names = 1, .names = (uintptr_t)names,
	};

	must(session_ioctl(&s, KTALLY_IOC_SELECT, &sel), "SELECT");
}

/* What was asked of the machine must have come, or nothing was looked at. */
static void must_have_all(void)
{
	static const unsigned char kinds[] = {
		KTALLY_HEADER, KTALLY_FORMAT, KTALLY_INFO, KTALLY_FORK, KTALLY_EXEC, KTALLY_ARGS,
		KTALLY_THREAD_EXIT, KTALLY_EXIT, KTALLY_TASK, KTALLY_DEVICE, KTALLY_CGROUP,
		KTALLY_MARK, KTALLY_WALK_BEGIN, KTALLY_WALK_END, KTALLY_END, KTALLY_NET_LATE,
		KTALLY_SELECTION,
	};

	for (size_t i = 0; i < sizeof(kinds); i++)
		if (!s.seen[kinds[i]]) {
			printf("FAILED: no record of kind %d came\n", kinds[i]);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "landed"))
		return 7;
	if (argc > 2 && !strcmp(argv[1], "image"))
		return next_image(atoi(argv[2]));
	if (argc < 2)
		return 2;
	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	need(storm != MAP_FAILED && getenv("STORM_ENVIRONMENT"), "a page and an environment");
	session_init(&s);
	s.record = look;
	must(session_open(&s), "open");
	must(session_start(&s, 16384, 64), "START");
	must(session_open_cpus(&s), "CPU");
	walk(KTALLY_WALK_OPENING);
	work(atoi(argv[1]));
	look_at_changes();
	select_all();
	walk(KTALLY_WALK_CLOSING);
	must(session_ioctl(&s, KTALLY_IOC_END, NULL), "END");
	must(session_drain(&s), "read");
	printf("%lu records looked into\n", looked);
	must_have_all();
	return found ? 1 : 0;
}
