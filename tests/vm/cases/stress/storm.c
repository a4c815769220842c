// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm SECONDS [WORKER...] - a storm of everything that need not be asked for, or
 * of some workers (`all` is the first), with the books kept over it by a session of
 * its own: in the end they must balance to the record and the byte. `storm on [WORKER...]`
 * keeps none, goes on until it is told to end, and leaves the module alone.
 * `storm landed` is what its children execute.
 */
#include "storm.h"

#include "audit.h"

static pid_t running[64];
static unsigned int n_running;

static int chosen(const struct storm_worker *w, char **names)
{
	if (w->writes && !storm_can_write(w->writes))
		return 0;
	if (!*names)
		return !w->asked;
	for (; *names; names++)
		if (!strcmp(*names, w->name) || (!strcmp(*names, "all") && !w->asked))
			return 1;
	return 0;
}

static void work(unsigned int row, unsigned int copy)
{
	storm_me = row;
	storm_seed = getpid() * 2654435761U + copy;
	while (!storm->over)
		storm_workers[row].round();
	exit(0);
}

static void begin_all(char **names)
{
	for (unsigned int row = 0; row < STORM_KINDS; row++) {
		const struct storm_worker *w = &storm_workers[row];

		for (unsigned int i = 0; chosen(w, names) && i < w->copies; i++) {
			pid_t pid = fork();

			need(pid >= 0, "fork");
			if (!pid)
				work(row, i);
			running[n_running++] = pid;
		}
	}
}

static void keep_books(struct audit *a, unsigned int ms)
{
	ull end = boot_ns() + ms * 1000000ULL;

	while (boot_ns() < end) {
		audit_drain(a);
		msleep(20);
	}
}

/* Ends within a minute, the books kept all the while if there are any. */
static void end_all(struct audit *a)
{
	ull patience = boot_ns() + 60 * 1000000000ULL;
	unsigned int i = 0;

	storm->over = 1;
	while (i < n_running) {
		pid_t pid = waitpid(running[i], NULL, WNOHANG);

		i += pid != 0;
		if (!pid && boot_ns() > patience) {
			storm_wrong("a worker does not end");
			kill(running[i], SIGKILL);
		}
		if (a)
			keep_books(a, pid ? 0 : 20);
		else if (!pid)
			msleep(20);
	}
}

static void tell_rates(double seconds)
{
	for (unsigned int row = 0; row < STORM_KINDS; row++) {
		if (!storm->done[row] && !storm->refused[row])
			continue;
		printf("rate: %-12s %9.1f/s, %llu in all, %llu refused\n", storm_workers[row].name,
		       storm->done[row] / seconds, (ull)storm->done[row], (ull)storm->refused[row]);
	}
}

static void tell_records(const struct audit *a, double seconds)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		sum += a->s.seen[kind];
	printf("records: %llu, %.0f/s; %.0f forks/s, %.0f execs/s, %.0f exits/s, %zu lives\n",
	       (ull)sum, sum / seconds, a->s.seen[KTALLY_FORK] / seconds,
	       a->s.seen[KTALLY_EXEC] / seconds, a->s.seen[KTALLY_EXIT] / seconds, a->used);
}

/* What was begun before it is over; late bytes follow within two seconds. */
static unsigned int run(unsigned int seconds, char **names)
{
	static struct audit a;
	ull begun;
	unsigned int wrong;
	double took;

	audit_begin(&a, 16 * 1024);
	begun = boot_ns();
	begin_all(names);
	keep_books(&a, seconds * 1000);
	end_all(&a);
	took = (boot_ns() - begun) / 1e9;
	tell_rates(took);
	keep_books(&a, 3000);
	wrong = audit_close(&a);
	tell_records(&a, took);
	session_close(&a.s);
	return wrong + storm->wrong;
}

static void told(int signal)
{
	(void)signal;
	storm->over = 1;
}

static unsigned int go_on(char **names)
{
	ull begun = boot_ns();

	begin_all(names);
	signal(SIGTERM, told);
	while (!storm->over)
		msleep(100);
	end_all(NULL);
	tell_rates((boot_ns() - begun) / 1e9);
	return storm->wrong;
}

static void prepare(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY);

	need(write(fd, "-1000", 5) == 5, "oom_score_adj");
	close(fd);
	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	need(storm != MAP_FAILED, "mmap");
	setvbuf(stdout, NULL, _IOLBF, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "landed"))
		return 7;
	if (argc < 2)
		return 2;
	prepare();
	if (!strcmp(argv[1], "on"))
		return go_on(argv + 2) ? 1 : 0;
	return run(atoi(argv[1]), argv + 2) ? 1 : 0;
}
