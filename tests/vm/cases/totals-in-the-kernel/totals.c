// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * totals - what /dev/ktally sums up, against what this program knows: how many
 * children it had, what their clocks said, what they sent; read while others come and
 * go, after a buffer overflowed, after bytes that came late.
 */
#include "truth.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "session.h"

enum { BURST = 3000, STORM_READS = 25, BURNERS = 6, PACKETS = 70, BULK = 400000 };

static struct ktally_totals_row rows[8192];
static struct ktally_totals t;
static int device;

static void read_totals(void)
{
	t = (struct ktally_totals){
		.size = sizeof(t), .row_size = sizeof(rows[0]), .room = 8192,
		.rows = (uintptr_t)rows,
	};
	need(!ioctl(device, KTALLY_IOC_TOTALS, &t), "totals");
}

/* Of a program, over all rows: ended ones, or those alive. */
static struct ktally_totals_row of(const char *program, uint32_t flags)
{
	struct ktally_totals_row sum = { 0 };

	for (uint32_t i = 0; i < t.n; i++) {
		if (strncmp(rows[i].program, program, KTALLY_COMM_LEN) || rows[i].flags != flags)
			continue;
		sum.processes += rows[i].processes;
		sum.failed += rows[i].failed;
		sum.runtime += rows[i].runtime;
		sum.net_loop[KTALLY_N_TX_PACKETS] += rows[i].net_loop[KTALLY_N_TX_PACKETS];
		sum.net_loop[KTALLY_N_TX_WIRE] += rows[i].net_loop[KTALLY_N_TX_WIRE];
		sum.uid = rows[i].uid;
		if (rows[i].peak_rss > sum.peak_rss)
			sum.peak_rss = rows[i].peak_rss;
	}
	return sum;
}

static void named(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static void spin(ull ns)
{
	ull until = cpu_ns() + ns;

	while (cpu_ns() < until)
		;
}

/* A full buffer loses records; the sums have every end. */
static void burst(void)
{
	struct ktally_counts a = { .size = sizeof(a) }, b = { .size = sizeof(b) };
	struct session s;
	uint64_t ends;

	session_init(&s);
	need(!session_open(&s) && !session_start(&s, 64, 8), "session");
	read_totals();
	need(!session_ioctl(&s, KTALLY_IOC_COUNTS, &a), "counts");
	ends = t.ends;
	for (int i = 0; i < BURST; i++) {
		pid_t p = fork();

		if (!p) {
			named("burst");
			_exit(i & 1);
		}
		waitpid(p, NULL, 0);
	}
	need(!session_ioctl(&s, KTALLY_IOC_COUNTS, &b), "counts");
	read_totals();
	truth("role=burst children=%d ends=%llu attempts=%llu lost=%llu named=%llu failed=%llu",
	      BURST, (ull)(t.ends - ends), (ull)(b.attempts[KTALLY_EXIT] - a.attempts[KTALLY_EXIT]),
	      (ull)(b.lost[KTALLY_EXIT] - a.lost[KTALLY_EXIT]), (ull)of("burst", 0).processes,
	      (ull)of("burst", 0).failed);
	session_close(&s);
}

static void storm(void)
{
	volatile ull *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int wrong = 0;
	ull seen = 0, least = ~0ULL;
	pid_t forker = fork();

	if (!forker) {
		named("storm");
		signal(SIGCHLD, SIG_IGN);
		for (;;) {
			made[0]++;	/* about to */
			if (!fork())
				_exit(0);
			made[1]++;	/* done */
		}
	}
	for (int i = 0; i < STORM_READS; i++) {
		ull before = made[1], both;

		usleep(20000);
		before = made[1];
		read_totals();
		both = of("storm", 0).processes + of("storm", KTALLY_TOTALS_ALIVE).processes;
		/* the forker itself is one of them */
		wrong += both < before + 1 || both > made[0] + 1;
		seen = of("storm", 0).processes;
		if (seen < least)
			least = seen;
	}
	kill(forker, SIGKILL);
	waitpid(forker, NULL, 0);
	truth("role=storm reads=%d wrong=%u ended=%llu first=%llu", STORM_READS, wrong, seen, least);
}

static void burners(void)
{
	ull *used = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), sum = 0;
	int go[2];
	char c;

	need(!pipe(go), "pipe");
	for (int i = 0; i < BURNERS; i++)
		if (!fork()) {
			named("burner");
			need(!setuid(4712), "setuid");
			spin(40000000);
			used[i] = cpu_ns();
			need(read(go[0], &c, 1) == 1, "go");
			_exit(0);
		}
	for (int i = 0; i < BURNERS; i++)
		while (!*(volatile ull *)&used[i])
			usleep(10000);
	for (int i = 0; i < BURNERS; i++)
		sum += used[i];
	usleep(50000);
	read_totals();
	truth("role=alive count=%llu want=%d cpu_ns=%llu used_ns=%llu uid=%u",
	      (ull)of("burner", KTALLY_TOTALS_ALIVE).processes, BURNERS,
	      (ull)of("burner", KTALLY_TOTALS_ALIVE).runtime, sum, of("burner", KTALLY_TOTALS_ALIVE).uid);
	need(write(go[1], "xxxxxx", BURNERS) == BURNERS, "go");
	while (wait(NULL) > 0)
		;
	read_totals();
	truth("role=ended count=%llu want=%d cpu_ns=%llu used_ns=%llu still=%llu",
	      (ull)of("burner", 0).processes, BURNERS, (ull)of("burner", 0).runtime, sum,
	      (ull)of("burner", KTALLY_TOTALS_ALIVE).processes);
}

static void packets(void)
{
	pid_t p = fork();

	if (!p) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(9) };
		int fd = socket(AF_INET, SOCK_DGRAM, 0);

		a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		named("sender");
		for (int i = 0; i < PACKETS; i++)
			sendto(fd, "x", 1, 0, (void *)&a, sizeof(a));
		_exit(0);
	}
	waitpid(p, NULL, 0);
	read_totals();
	truth("role=packets sent=%d counted=%llu", PACKETS,
	      (ull)of("sender", 0).net_loop[KTALLY_N_TX_PACKETS]);
}

/* Its last bytes leave when the reader gets round to it: after the writer's end. */
static void late(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	int l = socket(AF_INET, SOCK_STREAM, 0), small = 4096, big = 4 * BULK, fd;
	socklen_t len = sizeof(a);
	static char buf[65536];
	ull got = 0, at_end;
	ssize_t n;
	pid_t p;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(l, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	need(!bind(l, (void *)&a, sizeof(a)) && !listen(l, 1) && !getsockname(l, (void *)&a, &len), "listen");
	p = fork();
	if (!p) {
		static char bytes[BULK];

		named("late");
		fd = socket(AF_INET, SOCK_STREAM, 0);
		setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big));
		need(!connect(fd, (void *)&a, sizeof(a)) && write(fd, bytes, BULK) == BULK, "write");
		_exit(0);
	}
	fd = accept(l, NULL, NULL);
	waitpid(p, NULL, 0);
	read_totals();
	at_end = of("late", 0).net_loop[KTALLY_N_TX_WIRE];
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		got += (ull)n;
	close(fd);
	sleep(4);
	read_totals();
	truth("role=late wrote=%d got=%llu at_end=%llu after=%llu", BULK, got, at_end,
	      (ull)of("late", 0).net_loop[KTALLY_N_TX_WIRE]);
}

int main(void)
{
	device = open("/dev/ktally", O_RDWR | O_CLOEXEC);
	need(device >= 0, "/dev/ktally");
	burst();
	storm();
	burners();
	packets();
	late();
	return 0;
}
