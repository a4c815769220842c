// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_live.c - reading a session's CPUs, here pipes, when more of them have something to tell
 * than are looked at at once: none is passed over, not even when all have come to their end.
 */
#include <fcntl.h>

#include "live.c"
#include "test.h"

#define CPUS	200	/* of which one look finds READY_AT_ONCE */
#define SUBBUF	4

static void add_cpu(struct ktally_live *l, uint32_t cpu, int subbufs)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = cpu };
	int ends[2];

	if (pipe(ends) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		abort();
	while (subbufs--)
		if (write(ends[1], "full", SUBBUF) != SUBBUF)
			abort();
	close(ends[1]);
	l->cpus[cpu] = ends[0];
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, ends[0], &e))
		abort();
}

/* Sub-buffers that come of `cpus` CPUs, of which one has `subbufs` and the others nothing. */
static int read_all(uint32_t cpus, uint32_t which, int subbufs)
{
	struct ktally_live l = {
		.fd = -1, .epoll = epoll_create1(0), .start = { .cpus = cpus, .subbuf_size = SUBBUF },
	};
	const void *buf;
	uint32_t cpu;
	int n = 0;

	l.cpus = calloc(cpus, sizeof(*l.cpus));
	l.buf = malloc(SUBBUF);
	for (uint32_t i = 0; i < cpus; i++)
		add_cpu(&l, i, i == which ? subbufs : 0);
	while (ktally_live_read(&l, &buf, &cpu) > 0)
		n += cpu == which;
	for (uint32_t i = 0; i < cpus; i++)
		if (l.cpus[i] >= 0)
			close(l.cpus[i]);
	close(l.epoll);
	free(l.cpus);
	free(l.buf);
	return n;
}

TEST(every_sub_buffer_at_the_end)
{
	for (uint32_t cpus = 1; cpus <= CPUS; cpus += READY_AT_ONCE - 1) {
		EXPECT_EQ(read_all(cpus, 0, 3), 3);
		EXPECT_EQ(read_all(cpus, cpus - 1, 3), 3);
		EXPECT_EQ(read_all(cpus, cpus / 2, 1), 1);
	}
}

TEST_HARNESS_MAIN
