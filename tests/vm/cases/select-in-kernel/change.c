// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * change - one session whose selection changes while it runs: this process, then
 * another, then everything. Children are forked by the one selected and by one that
 * is not; records and refusals are compared with how many there were.
 */
#include "truth.h"

#include "session.h"

enum { CHILDREN = 40 };

static struct session s;

static void drain(void)
{
	session_ioctl(&s, KTALLY_IOC_FLUSH, NULL);
	need(!session_drain(&s), "drain");
}

static int select_one(uint32_t what, uint32_t pid)
{
	struct ktally_select sel = { .size = sizeof(sel), .what = what, .pids = (uintptr_t)&pid,
				     .n_pids = what ? 1 : 0 };

	return session_ioctl(&s, KTALLY_IOC_SELECT, &sel);
}

static void have_children(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t p = fork();

		if (!p)
			_exit(0);
		waitpid(p, NULL, 0);
	}
}

/* All of the machine's: kernel threads come and go as well. */
struct kernel_count {
	ull forks, tasks;
};

static void read_kernel(struct kernel_count *k)
{
	char line[4096];
	FILE *f = fopen("/proc/stat", "r");

	need(f != NULL, "stat");
	k->forks = 0;
	while (!k->forks && fgets(line, sizeof(line), f))
		sscanf(line, "processes %llu", &k->forks);
	fclose(f);
	f = fopen("/proc/loadavg", "r");
	need(f && fscanf(f, "%*f %*f %*f %*d/%llu", &k->tasks) == 1, "loadavg");
	fclose(f);
}

struct point {
	struct kernel_count kernel;
	uint64_t forks, exits;
	struct ktally_counts counts;
};

/* What was recorded and refused, and what the kernel counted, at one moment. */
static void look(struct point *p)
{
	struct kernel_count after;

	do {
		read_kernel(&p->kernel);
		drain();
		p->forks = s.seen[KTALLY_FORK];
		p->exits = s.seen[KTALLY_EXIT];
		p->counts = (struct ktally_counts){ .size = sizeof(p->counts) };
		need(!session_ioctl(&s, KTALLY_IOC_COUNTS, &p->counts), "counts");
		read_kernel(&after);
	} while (memcmp(&after, &p->kernel, sizeof(after)));
}

/* Children of ours, and as many of a process that is no descendant worth telling. */
static void part(const char *name, int want, int to, int from)
{
	struct point a, b;
	ull forks, exits;
	char c = 'x';

	look(&a);
	have_children();
	need(write(to, &c, 1) == 1 && read(from, &c, 1) == 1, "other");
	look(&b);
	forks = b.kernel.forks - a.kernel.forks;
	exits = forks - (b.kernel.tasks - a.kernel.tasks);
	truth("role=part name=%s want=%d forks=%llu exits=%llu refused_forks=%llu refused_exits=%llu all_forks=%llu all_exits=%llu ours=%d",
	      name, want, (ull)(b.forks - a.forks), (ull)(b.exits - a.exits),
	      (ull)(b.counts.filtered[KTALLY_FORK] - a.counts.filtered[KTALLY_FORK]),
	      (ull)(b.counts.filtered[KTALLY_EXIT] - a.counts.filtered[KTALLY_EXIT]),
	      forks, exits, 2 * CHILDREN);
}

static void refusals(void)
{
	struct ktally_select bad[] = {
		{ .what = 1U << 31 },
		{ .what = KTALLY_SELECT_TREE },
		{ .what = KTALLY_SELECT_MIN_LIFE, .min_life = 1 },
		{ .what = KTALLY_SELECT_PIDS, .n_pids = 0 },
		{ .what = KTALLY_SELECT_PIDS, .n_pids = KTALLY_SELECT_MAX + 1 },
	};
	int refused = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bad[i].size = sizeof(bad[i]);
		refused += session_ioctl(&s, KTALLY_IOC_SELECT, &bad[i]) == -EINVAL;
	}
	truth("role=refusals refused=%d gone=%d", refused,
	      select_one(KTALLY_SELECT_PIDS, 4194303) == -ESRCH);
}

int main(void)
{
	int to[2], from[2];
	pid_t other;
	char c;

	need(!pipe(to) && !pipe(from), "pipe");
	other = fork();
	if (!other) {
		close(to[1]);
		while (read(to[0], &c, 1) == 1) {
			have_children();
			if (write(from[1], &c, 1) != 1)
				break;
		}
		_exit(0);
	}
	session_init(&s);
	need(!session_open(&s), "open");
	/* before START: nothing of anybody else is ever recorded */
	need(!select_one(KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE, getpid()), "select before start");
	need(!session_start(&s, 2048, 64) && !session_open_cpus(&s), "start");
	need(!session_walk(&s, KTALLY_WALK_OPENING), "walk");
	drain();
	truth("role=opening tasks=%llu", (ull)s.seen[KTALLY_TASK]);
	refusals();
	part("own-tree", 2 * CHILDREN, to[1], from[0]);
	need(!select_one(KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE, other), "select other");
	part("other", CHILDREN, to[1], from[0]);
	need(!select_one(KTALLY_SELECT_PIDS, getpid()), "select alone");
	part("alone", 0, to[1], from[0]);
	need(!select_one(0, 0), "select all");
	part("everything", 2 * CHILDREN, to[1], from[0]);
	truth("role=sum balanced=%d selections=%llu", !session_imbalance(&s),
	      (ull)s.seen[KTALLY_SELECTION]);
	return 0;
}
