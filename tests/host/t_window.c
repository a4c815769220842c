// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_window.c - what processes used in a part of a recording: from its samples, from
 * births and ends, and across a recorder that was started again.
 */
#include "test.h"

#define WALK(n, what)	" walk_begin walk=" n " purpose=" what "\n"

static const char text_of_samples[] =
	"1.0" WALK("1", "opening")
	"1.0 task pid=1 start=0.001 image=1 comm=init argv=/sbin/init live=1 walk=1 runtime=5s tcp_rx=1000 rss=1M peak_rss=2M\n"
	"1.0 task pid=5 start=0.5 ppid=1 image=2 comm=idle argv=idle live=1 walk=1 runtime=70ms tcp_rx=9\n"
	"1.0 walk_end walk=1 purpose=opening tasks=2\n"
	"2.0 fork pid=10 ppid=1\n"
	"2.1 exec pid=10 argv=job runtime=1ms\n"
	"3.0 exit pid=10 code=0 runtime=100ms tcp_rx=50\n"
	"10.0" WALK("2", "snapshot")
	"10.0 task pid=1 walk=2 live=1 runtime=6s tcp_rx=2000 rss=3M peak_rss=3M\n"
	"10.0 walk_end walk=2 purpose=snapshot tasks=1\n"
	"11.0 fork pid=20 ppid=1\n"
	"11.0 exec pid=20 argv=load runtime=0\n"
	"20.0" WALK("3", "snapshot")
	"20.0 task pid=1 walk=3 live=1 runtime=7s tcp_rx=5000 rss=4M peak_rss=5M\n"
	"20.0 task pid=20 walk=3 live=1 runtime=9s tcp_rx=900\n"
	"20.0 walk_end walk=3 purpose=snapshot tasks=2\n"
	"30.0" WALK("4", "closing")
	"30.0 task pid=1 walk=4 live=1 runtime=7.5s tcp_rx=6000 rss=1M peak_rss=5M\n"
	"30.0 task pid=5 walk=4 live=1 runtime=70ms tcp_rx=9\n"
	"30.0 task pid=20 walk=4 live=1 runtime=10s tcp_rx=900\n"
	"30.0 walk_end walk=4 purpose=closing tasks=3\n";

static void window_of_stream(struct reading *r, struct ktally_stream *s, double since, double until, bool costs)
{
	static struct ktally_window w;
	struct ktally_event ev;

	memset(r, 0, sizeof(*r));
	r->stream = s;
	r->model = ktally_model_open();
	w = (struct ktally_window){ since * 1e9, until * 1e9 };
	ktally_model_window(r->model, &w, 1, costs);
	while (ktally_stream_next(r->stream, &ev) == 1)
		ktally_model_feed(r->model, &ev);
	r->info = ktally_stream_info(r->stream);
	ktally_model_settle(r->model, r->info);
	ktally_model_balance(r->model, &r->balance);
	r->ctx = (struct ktally_field_ctx){ .model = r->model, .info = r->info };
}

static void open_window(struct reading *r, const char *said, double since, double until, bool costs)
{
	struct bytes b = record(said);
	struct ktally_stream *s;

	if (ktally_stream_open_memory(&s, b.p, b.n))
		abort();
	window_of_stream(r, s, since, until, costs);
	free(b.p);
}

TEST(between_two_samples)
{
	struct reading r;

	open_window(&r, text_of_samples, 10.0, 20.0, true);
	EXPECT_EQ(1 * SEC, number(&r, life(&r, 1), "cpu_ns"));
	EXPECT_EQ(3000, number(&r, life(&r, 1), "tcp_rx_bytes"));
	EXPECT_EQ(9 * SEC, number(&r, life(&r, 20), "cpu_ns"));
	EXPECT_EQ(900, number(&r, life(&r, 20), "tcp_rx_bytes"));
	EXPECT_EQ(4 << 20, number(&r, life(&r, 1), "rss_bytes"));
	/* It did not run, so no sample speaks of it. */
	EXPECT_EQ(0, number(&r, life(&r, 5), "cpu_ns"));
	EXPECT_EQ(0, number(&r, life(&r, 5), "tcp_rx_bytes"));
	EXPECT_TRUE(ktally_model_within(r.model, life(&r, 5)));
	EXPECT_FALSE(ktally_model_within(r.model, life(&r, 10)));
	/* What happened outside is still in the balance. */
	EXPECT_EQ(0, r.balance.difference);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 10)->state);
	read_done(&r);
	NO_LEAKS();
}

TEST(edges_between_samples)
{
	struct reading r;

	/* Half of the ten seconds before the sample at 20, and a tenth of those behind it. */
	open_window(&r, text_of_samples, 15.0, 21.0, true);
	EXPECT_EQ(550 * MS, number(&r, life(&r, 1), "cpu_ns"));
	EXPECT_EQ(1600, number(&r, life(&r, 1), "tcp_rx_bytes"));
	/* Begun at 11: five of nine seconds until 20, a tenth of a second behind it. */
	EXPECT_EQ(5100 * MS, number(&r, life(&r, 20), "cpu_ns"));
	read_done(&r);
	NO_LEAKS();
}

TEST(a_whole_life_within)
{
	struct reading r;

	open_window(&r, text_of_samples, 1.5, 5.0, true);
	EXPECT_EQ(100 * MS, number(&r, life(&r, 10), "cpu_ns"));
	EXPECT_EQ(50, number(&r, life(&r, 10), "tcp_rx_bytes"));
	EXPECT_FALSE(ktally_model_within(r.model, life(&r, 20)));
	read_done(&r);
	NO_LEAKS();
}

/* Parts that lie side by side add up to the whole. */
TEST(parts_add_up)
{
	uint64_t cpu = 0, bytes = 0;
	struct reading r;

	for (double at = 1.0; at < 30.0; at += 2.9) {
		open_window(&r, text_of_samples, at, at + 2.9, true);
		cpu += number(&r, life(&r, 1), "cpu_ns");
		bytes += number(&r, life(&r, 1), "tcp_rx_bytes");
		read_done(&r);
	}
	EXPECT_EQ(2500 * MS / 1000, cpu / 1000);
	EXPECT_GE(5000, bytes);
	EXPECT_LE(5000 - 10, bytes);
	NO_LEAKS();
}

/* A recorder that was started again later changes nothing of what is before. */
TEST(before_a_restart)
{
	static const char again[] =
		"session 2\n"
		"40.0" WALK("1", "opening")
		"40.0 task pid=1 start=0.001 image=1 comm=init argv=/sbin/init live=1 walk=1 runtime=20s tcp_rx=90000\n"
		"40.0 walk_end walk=1 purpose=opening tasks=1\n"
		"50.0 exit pid=1 code=0 runtime=21s tcp_rx=91000\n";
	const char *dir = scratch();
	char first[128], second[128], error[400];
	const char *paths[] = { first, second };
	struct ktally_stream *s;
	struct reading r;

	snprintf(first, sizeof(first), "%s/a.ktl", dir);
	snprintf(second, sizeof(second), "%s/b.ktl", dir);
	ASSERT_EQ(0, mkrec(text_of_samples, first, error, sizeof(error)));
	ASSERT_EQ(0, mkrec(again, second, error, sizeof(error)));
	ASSERT_EQ(0, ktally_stream_open_files(&s, paths, 2));
	window_of_stream(&r, s, 10.0, 20.0, true);
	EXPECT_EQ(1 * SEC, number(&r, life(&r, 1), "cpu_ns"));
	EXPECT_EQ(3000, number(&r, life(&r, 1), "tcp_rx_bytes"));
	read_done(&r);
	remove_scratch(dir);
	NO_LEAKS();
}

TEST(whole_lives_if_asked_for)
{
	struct reading r;

	open_window(&r, text_of_samples, 10.0, 20.0, false);
	EXPECT_EQ(2500 * MS, number(&r, life(&r, 1), "cpu_ns"));
	EXPECT_FALSE(ktally_model_within(r.model, life(&r, 10)));
	read_done(&r);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
