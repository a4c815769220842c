// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_watch.c - records of a live session to figures by interval: nothing spent is
 * missed or counted twice, whatever begins, ends, executes or moves in between, and
 * memory does not grow with what has ended.
 */
#include "test.h"

struct watch {
	struct ktally_watch_options o;
	struct ktally_field_ctx ctx;
	struct ktally_stream *stream;
	struct ktally_watch *w;
	struct ktally_event ev;
	bool pending;
	uint64_t interval_cpu;		/* of all cuts so far */
	struct bytes bytes;
};

#define INIT	"pid=1 start=0.001 image=1 comm=init argv=/sbin/init live=1 threads=1"
#define OPEN \
	"1.0 walk_begin walk=1 purpose=opening\n" \
	"1.0 task " INIT " walk=1 runtime=5ms utime=5ms stime=0 rss=1M peak_rss=2M sampled=1.0\n"
#define OPENED "1.0 walk_end walk=1 purpose=opening tasks=1\n"

static void open_watch(struct watch *t, const char *text)
{
	t->bytes = record(text);
	if (ktally_stream_open_memory(&t->stream, t->bytes.p, t->bytes.n))
		abort();
	t->o.ctx = &t->ctx;
	t->w = ktally_watch_open(&t->o);
	t->pending = false;
	t->interval_cpu = 0;
}

/* Feeds what is older than `time` and cuts there. */
static void cut(struct watch *t, double time, bool whole)
{
	uint64_t ns = time * 1e9;

	while (t->pending || ktally_stream_next(t->stream, &t->ev) == 1) {
		t->pending = t->ev.time >= ns;
		if (t->pending)
			break;
		if (ktally_watch_feed(t->w, &t->ev))
			abort();
	}
	if (ktally_watch_cut(t->w, ns, whole))
		abort();
	t->interval_cpu += ktally_watch_total(t->w)->interval.of[KTALLY_COST_CPU];
}

static void done(struct watch *t)
{
	ktally_watch_close(t->w);
	ktally_stream_close(t->stream);
	free(t->bytes.p);
}

static const struct ktally_tally *tally(const struct watch *t, const char *name)
{
	struct ktally_tally *const *all;
	size_t n = ktally_watch_tallies(t->w, &all);

	for (size_t i = 0; i < n; i++)
		if (all[i]->name.p && !strcmp(all[i]->name.p, name))
			return all[i];
	return NULL;
}

static uint64_t cpu(const struct watch *t, const char *name)
{
	const struct ktally_tally *g = tally(t, name);

	return g ? g->interval.of[KTALLY_COST_CPU] : UINT64_MAX;
}

static uint64_t total(const struct watch *t, const char *name)
{
	const struct ktally_tally *g = tally(t, name);

	return g ? g->total.of[KTALLY_COST_CPU] : UINT64_MAX;
}

TEST(what_was_there_counts_from_the_first_walk_on)
{
	struct watch t = { .o.key = KTALLY_BY_PROGRAM };

	open_watch(&t, OPEN OPENED
		   "1.9 task pid=1 walk=2 live=1 runtime=105ms utime=10ms stime=0 rss=3M peak_rss=4M sampled=1.9\n"
		   "2.9 task pid=1 walk=3 live=1 runtime=605ms utime=20ms stime=20ms rss=2M peak_rss=4M sampled=2.9\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ(100 * MS, cpu(&t, "init"));
	EXPECT_EQ(3 << 20, tally(&t, "init")->rss);
	EXPECT_EQ(4 << 20, tally(&t, "init")->peak);
	EXPECT_FALSE(tally(&t, "init")->shared);
	cut(&t, 3.0, false);
	EXPECT_EQ(500 * MS, cpu(&t, "init"));
	EXPECT_EQ(600 * MS, total(&t, "init"));
	/* Half of the ticks were the kernel's, so half of all of it is by now. */
	EXPECT_EQ(302500000, tally(&t, "init")->interval.of[KTALLY_COST_SYS]);
	EXPECT_EQ(2 << 20, tally(&t, "init")->rss);
	EXPECT_EQ(4 << 20, tally(&t, "init")->peak_seen);
	/* 500 ms between two samples a second apart. */
	EXPECT_EQ(500, (int)(1000 * tally(&t, "init")->rate.cpu + 0.5));
	cut(&t, 4.0, false);
	EXPECT_EQ(0, cpu(&t, "init"));
	EXPECT_EQ(0, tally(&t, "init")->rate.cpu);
	EXPECT_EQ(2 << 20, tally(&t, "init")->rss);
	done(&t);
	NO_LEAKS();
}

/* The peak that exec ends may be a bound; the one of the program that runs now is not. */
TEST(bounds_end_with_their_image)
{
	struct watch t = { .o.key = KTALLY_BY_PROCESS };

	open_watch(&t, OPEN OPENED
		   "1.5 fork pid=10 ppid=1\n"
		   "1.5 exec pid=10 argv=cc1 runtime=1ms rss=1M peak_rss=9M upper=peak_rss\n"
		   "1.9 task pid=10 walk=2 live=1 runtime=5ms rss=1M peak_rss=2M sampled=1.9\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ(0, tally(&t, "10")->upper >> KTALLY_U_PEAK_RSS & 1);
	done(&t);
	NO_LEAKS();
}

/* Born and gone between two refreshes: counted, listed once, and then forgotten. */
TEST(what_lived_and_died_in_between)
{
	struct watch t = { .o.key = KTALLY_BY_PROGRAM };
	struct ktally_watched *const *all;

	open_watch(&t, OPEN OPENED
		   "1.5 fork pid=10 ppid=1\n"
		   "1.5 exec pid=10 argv=cc1 runtime=1ms rss=1M peak_rss=500K\n"
		   "1.7 exit pid=10 code=1 runtime=61ms utime=8ms stime=4ms rss=0 peak_rss=61M minflt=9\n"
		   "2.5 mark text=x\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	/* Up to its exec it was its parent's program. */
	EXPECT_EQ(1 * MS, cpu(&t, "init"));
	EXPECT_EQ(60 * MS, cpu(&t, "cc1"));
	EXPECT_EQ(0, tally(&t, "cc1")->alive);
	EXPECT_EQ(1, tally(&t, "cc1")->ended);
	EXPECT_EQ(61 << 20, tally(&t, "cc1")->peak);
	EXPECT_FALSE(tally(&t, "cc1")->shared);
	EXPECT_EQ(9, tally(&t, "cc1")->interval.of[KTALLY_COST_MINFLT]);
	/* Nothing of it was left unmeasured, though it was never in a walk. */
	EXPECT_EQ(0, tally(&t, "cc1")->partial);
	EXPECT_EQ(61 * MS, ktally_watch_total(t.w)->interval.of[KTALLY_COST_CPU]);
	EXPECT_EQ(2, ktally_watch_processes(t.w, &all));
	EXPECT_TRUE(ktally_watch_find(t.w, 10, 1500 * MS)->ended);
	EXPECT_EQ(1 << 8, ktally_watch_find(t.w, 10, 1500 * MS)->life.status);
	cut(&t, 3.0, false);
	EXPECT_EQ(1, ktally_watch_processes(t.w, &all));
	EXPECT_EQ(NULL, ktally_watch_find(t.w, 10, 1500 * MS));
	EXPECT_EQ(0, cpu(&t, "cc1"));
	EXPECT_EQ(60 * MS, total(&t, "cc1"));
	EXPECT_EQ(0, tally(&t, "cc1")->peak);
	EXPECT_EQ(61 << 20, tally(&t, "cc1")->peak_seen);
	done(&t);
	NO_LEAKS();
}

/* Whatever is sampled in between, the intervals add up to what the exit record says. */
TEST(intervals_add_up_to_the_exit_record)
{
	struct watch t = { .o.key = KTALLY_BY_PROCESS };

	open_watch(&t, OPEN OPENED
		   "1.2 fork pid=10 ppid=1\n"
		   "1.3 exec pid=10 argv=job runtime=3ms\n"
		   "1.9 task pid=10 walk=2 live=1 runtime=503ms utime=90ms stime=10ms nvcsw=5 tcp_rx=100 sampled=1.9\n"
		   "2.9 task pid=10 walk=3 live=1 runtime=903ms utime=100ms stime=70ms nvcsw=7 tcp_rx=400 sampled=2.9\n"
		   "3.1 exit pid=10 code=0 runtime=1.2s utime=200ms stime=100ms nvcsw=9 tcp_rx=450\n"
		   "3.2 net_late pid=10 tcp_rx=460 tcp_tx=7\n"
		   "4.2 net_late pid=10 tcp_rx=470 tcp_tx=7\n");
	cut(&t, 1.1, false);
	for (double at = 2.0; at <= 5.0; at++)
		cut(&t, at, false);
	EXPECT_EQ(1200 * MS, t.interval_cpu);
	EXPECT_EQ(1200 * MS, ktally_watch_total(t.w)->total.of[KTALLY_COST_CPU]);
	EXPECT_EQ(1200 * MS, ktally_watch_total(t.w)->total.of[KTALLY_COST_USER] +
			     ktally_watch_total(t.w)->total.of[KTALLY_COST_SYS]);
	EXPECT_EQ(9, ktally_watch_total(t.w)->total.of[KTALLY_COST_NVCSW]);
	/* Bytes that came after its end, when its own row was long gone. */
	EXPECT_EQ(470, ktally_watch_total(t.w)->total.of[KTALLY_COST_TCP_RX]);
	EXPECT_EQ(7, ktally_watch_total(t.w)->total.of[KTALLY_COST_TCP_TX]);
	done(&t);
	NO_LEAKS();
}

static bool want_named(const struct ktally_life *l, void *arg)
{
	struct ktally_str s = l->n_images ? ktally_image_program(&l->images[0]) : (struct ktally_str){ "", 0 };

	return s.len == strlen(arg) && !memcmp(s.p, arg, s.len);
}

#define SHOP \
	OPEN \
	"1.0 task pid=5 start=0.5 ppid=1 parent_start=0.001 image=2 comm=shop argv=shop live=1 walk=1 runtime=1s rss=8M peak_rss=9M sampled=1.0\n" \
	"1.0 task pid=6 start=0.6 ppid=5 parent_start=0.5 image=2 comm=shop argv=shop live=1 walk=1 runtime=2s rss=8M peak_rss=8M sampled=1.0\n" \
	"1.0 task pid=4 start=0.7 ppid=6 parent_start=0.6 image=3 comm=cgi argv=cgi live=1 walk=1 runtime=3s rss=1M peak_rss=1M sampled=1.0\n" \
	OPENED \
	"1.5 fork pid=7 ppid=5\n" \
	"1.6 fork pid=8 ppid=6\n" \
	"1.6 exec pid=8 argv=cgi runtime=2ms rss=100K\n" \
	"1.7 exit pid=7 code=0 runtime=10ms rss=0 peak_rss=3M\n" \
	"1.8 exit pid=8 code=0 runtime=32ms rss=0 peak_rss=2M\n" \
	"1.9 task pid=4 walk=2 live=1 runtime=3.1s rss=1M peak_rss=1M sampled=1.9\n" \
	"1.9 task pid=5 walk=2 live=1 runtime=1.2s rss=8M peak_rss=9M sampled=1.9\n"

TEST(a_program_is_all_its_processes)
{
	struct watch t = { .o = { .key = KTALLY_BY_PROGRAM, .want = want_named, .arg = "shop" } };
	struct ktally_tally *const *all;

	open_watch(&t, SHOP);
	cut(&t, 1.1, false);
	EXPECT_EQ(2, ktally_watch_total(t.w)->alive);
	cut(&t, 2.0, false);
	EXPECT_EQ(1, ktally_watch_tallies(t.w, &all));
	/* The worker that came and went, and what the child used until it was another program. */
	EXPECT_EQ(212 * MS, cpu(&t, "shop"));
	EXPECT_EQ(16 << 20, tally(&t, "shop")->rss);
	/* Two that live and, at the same time, one that ended. */
	EXPECT_EQ(20 << 20, tally(&t, "shop")->peak);
	EXPECT_TRUE(tally(&t, "shop")->shared);
	EXPECT_EQ(16 << 20, tally(&t, "shop")->peak_seen);
	EXPECT_TRUE(tally(&t, "shop")->was_shared);
	EXPECT_EQ(212 * MS, ktally_watch_total(t.w)->interval.of[KTALLY_COST_CPU]);
	done(&t);
	NO_LEAKS();
}

/* What was largest while there were two stays a bound when only one is left. */
TEST(a_bound_stays_one)
{
	struct watch t = { .o = { .key = KTALLY_BY_PROGRAM, .want = want_named, .arg = "shop" } };

	open_watch(&t, SHOP "2.5 exit pid=6 code=0 runtime=2s rss=0 peak_rss=8M\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	cut(&t, 3.0, false);
	cut(&t, 4.0, false);
	EXPECT_EQ(1, tally(&t, "shop")->alive);
	EXPECT_FALSE(tally(&t, "shop")->shared);
	EXPECT_TRUE(tally(&t, "shop")->was_shared);
	EXPECT_TRUE(ktally_watch_total(t.w)->was_shared);
	done(&t);
	NO_LEAKS();
}

TEST(with_all_they_started)
{
	struct watch t = { .o = { .key = KTALLY_BY_PROGRAM, .want = want_named, .arg = "shop", .tree = true,
				  .heads = true } };
	struct ktally_tally *const *all;

	/* pid 4 comes first in the walk, before its parents: it belongs to them all the same. */
	open_watch(&t, SHOP);
	cut(&t, 1.1, false);
	EXPECT_EQ(3, ktally_watch_total(t.w)->alive);
	cut(&t, 2.0, false);
	EXPECT_EQ(1, ktally_watch_tallies(t.w, &all));
	EXPECT_EQ((200 + 100 + 10 + 32) * MS, cpu(&t, "shop"));
	done(&t);
	t.o.heads = false;
	open_watch(&t, SHOP);
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ((200 + 10 + 2) * MS, cpu(&t, "shop"));
	EXPECT_EQ((100 + 30) * MS, cpu(&t, "cgi"));
	done(&t);
	NO_LEAKS();
}

/*
 * A walk meets a child whose fork is told a moment later, and which bears another name
 * by then than its parent's program: it belongs to that program all the same.
 */
TEST(met_before_its_fork_is_told)
{
	static const char *const flags[] = { "", " flags=0x20" };	/* told or not that it executed nothing */

	for (int i = 0; i < 2; i++) {
		struct watch t = { .o = { .key = KTALLY_BY_PROGRAM, .want = want_named, .arg = "shop" } };
		char *all;

		if (asprintf(&all, OPEN OPENED
			     "1.2 fork pid=5 ppid=1\n"
			     "1.2 exec pid=5 argv=shop image=9 runtime=1ms\n"
			     "1.5 walk_begin walk=2 purpose=snapshot\n"
			     "1.5 task pid=6 start=1.45 ppid=5 parent_start=1.2 image=9 comm=renamed live=1 walk=2 runtime=0%s sampled=1.5\n"
			     "1.51 fork pid=6 start=1.45 ppid=5 parent_start=1.2 image=9 comm=renamed\n"
			     "1.6 walk_end walk=2 purpose=snapshot tasks=1\n"
			     "1.7 fork pid=7 ppid=6\n"
			     "1.8 exit pid=7 code=0 runtime=20ms\n"
			     "1.9 exit pid=6 code=0 runtime=70ms\n", flags[i]) < 0)
			abort();
		open_watch(&t, all);
		cut(&t, 1.1, false);
		cut(&t, 2.0, false);
		EXPECT_EQ(90 * MS, cpu(&t, "shop"));
		EXPECT_EQ(3, tally(&t, "shop")->begun);
		EXPECT_EQ(2, tally(&t, "shop")->ended);
		done(&t);
		free(all);
	}
	NO_LEAKS();
}

static uint64_t execs(struct watch *t, uint32_t pid, double start)
{
	const struct ktally_watched *p = ktally_watch_find(t->w, pid, (uint64_t)(start * 10 + .5) * 100 * MS);

	return ktally_field_value(ktally_field_find("execs"), &p->life, &t->ctx).u;
}

/* Who runs its parent's program has not executed it; who executed again, did so twice. */
TEST(execs_are_those_of_the_process)
{
	struct watch t = { .o.key = KTALLY_BY_PROGRAM };

	open_watch(&t, OPEN
		   "1.0 task pid=4 start=0.5 ppid=1 parent_start=0.001 image=1 comm=helper live=1 walk=1 runtime=1ms flags=0x20 sampled=1.0\n"
		   OPENED
		   "1.2 fork pid=5 ppid=1\n"
		   "1.3 exec pid=5 argv=env runtime=1ms\n"
		   "1.4 exec pid=5 argv=sh runtime=1ms\n"
		   "1.5 fork pid=6 ppid=5\n"
		   "1.6 exit pid=6 code=0 runtime=1ms\n"
		   "1.7 fork pid=7 ppid=5\n"
		   "1.8 exec pid=7 argv=cc1 runtime=1ms\n"
		   "1.8 fork pid=8 ppid=99\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ(0, execs(&t, 4, .5));
	EXPECT_EQ(2, execs(&t, 5, 1.2));
	EXPECT_EQ(0, execs(&t, 6, 1.5));
	EXPECT_EQ(1, execs(&t, 7, 1.7));
	EXPECT_FALSE(ktally_life_image(&ktally_watch_find(t.w, 6, 1500 * MS)->life)->has_exec);
	EXPECT_EQ(1500 * MS, ktally_life_image(&ktally_watch_find(t.w, 6, 1500 * MS)->life)->begin);
	/* Nothing is missing of what an unknown parent bore. */
	EXPECT_EQ(0, execs(&t, 8, 1.8));
	EXPECT_FALSE(ktally_life_image(&ktally_watch_find(t.w, 8, 1800 * MS)->life)->unknown);
	/* Its name is its parent's all the same. */
	EXPECT_EQ(1, tally(&t, "sh")->ended);
	done(&t);
	NO_LEAKS();
}

/* A move to another group is no record of its own: what follows is the new group's. */
TEST(moved_between_groups)
{
	struct watch t = { .o.key = KTALLY_BY_CGROUP };

	open_watch(&t, "0.9 cgroup id=7 path=/one\n0.9 cgroup id=8 path=/two\n" OPEN
		   "1.0 task pid=5 start=0.5 image=2 comm=mover argv=mover live=1 cgroup=7 walk=1 runtime=1s rss=5M peak_rss=6M sampled=1.0\n"
		   OPENED
		   "1.9 task pid=5 walk=2 live=1 cgroup=7 runtime=1.3s rss=5M peak_rss=6M sampled=1.9\n"
		   "2.9 task pid=5 walk=3 live=1 cgroup=8 runtime=1.5s rss=5M peak_rss=6M sampled=2.9\n"
		   "3.5 cgroup id=8 op=3 path=/two\n"
		   "3.9 exit pid=5 code=0 cgroup=8 runtime=1.9s rss=0 peak_rss=6M\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ(300 * MS, cpu(&t, "/one"));
	cut(&t, 3.0, false);
	EXPECT_EQ(0, tally(&t, "/one")->alive);
	EXPECT_EQ(0, tally(&t, "/one")->rss);
	EXPECT_EQ(1, tally(&t, "/two")->alive);
	EXPECT_EQ(200 * MS, cpu(&t, "/two"));
	cut(&t, 4.0, false);
	EXPECT_EQ(300 * MS, total(&t, "/one"));
	EXPECT_EQ(600 * MS, total(&t, "/two"));
	EXPECT_STREQ("/two", ktally_watch_cgroup(t.w, 8));
	done(&t);
	NO_LEAKS();
}

TEST(since_load_and_since_birth)
{
	static const struct { enum ktally_since since; uint64_t cpu, bytes; } want[] = {
		{ KTALLY_SINCE_START, 100 * MS, 10 },
		{ KTALLY_SINCE_LOAD, 100 * MS, 510 },
		{ KTALLY_SINCE_BIRTH, 105 * MS, 510 },
	};

	for (int i = 0; i < 3; i++) {
		struct watch t = { .o = { .key = KTALLY_BY_PROGRAM, .since = want[i].since } };

		open_watch(&t, "1.0 walk_begin walk=1 purpose=opening\n"
			   "1.0 task " INIT " walk=1 runtime=5ms tcp_rx=500 sampled=1.0\n" OPENED
			   "1.9 task pid=1 walk=2 live=1 runtime=105ms tcp_rx=510 sampled=1.9\n");
		cut(&t, 1.1, false);
		cut(&t, 2.0, false);
		EXPECT_EQ(want[i].cpu, total(&t, "init") + tally(&t, "init")->before.of[KTALLY_COST_CPU]);
		EXPECT_EQ(want[i].bytes, tally(&t, "init")->total.of[KTALLY_COST_TCP_RX] +
					 tally(&t, "init")->before.of[KTALLY_COST_TCP_RX]);
		EXPECT_EQ(10, tally(&t, "init")->interval.of[KTALLY_COST_TCP_RX]);
		done(&t);
	}
	NO_LEAKS();
}

/* An exec that was not told is seen by the walk: nothing of that makes a sum uncertain. */
TEST(another_program_than_before)
{
	struct watch t = { .o.key = KTALLY_BY_PROGRAM };

	open_watch(&t, OPEN OPENED
		   "1.2 fork pid=5 ppid=1\n"
		   "1.3 exec pid=5 argv=sh runtime=1ms\n"
		   "1.9 task pid=5 image=9 comm=late argv=late walk=2 live=1 runtime=5ms rss=1M peak_rss=1M swap=0 tcp_rx=0 udp_rx=0 net_phys=0,0,0,0,0,0 sampled=1.9\n");
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ(4 * MS, cpu(&t, "late"));
	EXPECT_EQ(0, tally(&t, "late")->partial);
	EXPECT_EQ(0, tally(&t, "sh")->alive);
	done(&t);
	NO_LEAKS();
}

/* Gone without a word, found by a walk that meets everybody; nothing is counted twice. */
TEST(ends_and_beginnings_that_are_lost)
{
	struct watch t = { .o.key = KTALLY_BY_PROGRAM };

	open_watch(&t, OPEN
		   "1.0 task pid=5 start=0.5 image=2 comm=gone argv=gone live=1 walk=1 runtime=1s rss=5M peak_rss=6M sampled=1.0\n"
		   OPENED
		   /* Begun unseen, met by the walk, and by an exit record. */
		   "1.5 walk_begin walk=2 purpose=snapshot\n"
		   "1.6 task pid=1 walk=2 live=1 runtime=6ms sampled=1.6\n"
		   "1.6 task pid=20 start=1.3 image=4 comm=young argv=young live=1 walk=2 runtime=70ms sampled=1.6\n"
		   /* A zombie whose end was told before the watch: no process any more. */
		   "1.6 task pid=21 start=0.9 image=4 comm=zombie walk=2 live=0 runtime=3s state=90 sampled=1.6\n"
		   "1.7 walk_end walk=2 purpose=snapshot tasks=3\n"
		   "1.8 exit pid=22 start=1.4 image=4 comm=flash code=0 runtime=30ms\n"
		   "1.8 exit pid=23 start=0.4 image=4 comm=older code=0 runtime=9s\n"
		   "2.5 exit pid=20 code=0 runtime=90ms\n");
	cut(&t, 1.1, true);
	cut(&t, 2.0, true);
	EXPECT_EQ(1, ktally_watch_interval(t.w)->lost_ends);
	EXPECT_EQ(1, ktally_watch_interval(t.w)->unseen);
	EXPECT_EQ(0, tally(&t, "gone")->alive);
	EXPECT_EQ(0, tally(&t, "gone")->rss);
	EXPECT_EQ(70 * MS, cpu(&t, "young"));
	EXPECT_EQ(30 * MS, cpu(&t, "flash"));
	EXPECT_EQ(NULL, tally(&t, "zombie"));
	EXPECT_EQ(101 * MS, ktally_watch_total(t.w)->interval.of[KTALLY_COST_CPU]);
	EXPECT_EQ(2, ktally_watch_total(t.w)->alive);
	cut(&t, 3.0, false);
	EXPECT_EQ(20 * MS, cpu(&t, "young"));
	EXPECT_EQ(1, ktally_watch_total(t.w)->alive);
	done(&t);
	NO_LEAKS();
}

static void add_text(char **at, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_text(char **at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	*at += vsprintf(*at, fmt, args);
	va_end(args);
}

/* Memory is that of what lives, however many have come and gone, each of another group. */
TEST(memory_is_bounded)
{
	enum { LIVES = 20000 };
	static const enum ktally_key keys[] = { KTALLY_BY_PROCESS, KTALLY_BY_COMMAND };
	char *all = malloc(LIVES * 300 + 1000), *at = all;

	add_text(&at, OPEN OPENED);
	for (int i = 0; i < LIVES; i++)
		add_text(&at, "%d.%06d fork pid=%d ppid=1\n%d.%06d exec pid=%d argv=\"job %d\" runtime=1ms\n"
			 "%d.%06d exit pid=%d code=0 runtime=2ms peak_rss=1M tcp_rx=3\n",
			 2 + i / 1000, i % 1000 * 1000, 100 + i, 2 + i / 1000, i % 1000 * 1000 + 1, 100 + i, i,
			 2 + i / 1000, i % 1000 * 1000 + 2, 100 + i);
	for (size_t k = 0; k < 2; k++) {
		struct watch t = { .o = { .key = keys[k], .most_tallies = 64, .most_ended = 100 } };
		size_t early = 0;

		open_watch(&t, all);
		cut(&t, 1.1, false);
		for (int i = 0; i < LIVES / 1000; i++) {
			cut(&t, 3.0 + i, false);
			EXPECT_EQ(900, ktally_watch_interval(t.w)->ended_unlisted);
			EXPECT_EQ(1000, ktally_watch_total(t.w)->ended);
			early = i == 4 ? ktally_watch_bytes(t.w) : early;
		}
		EXPECT_LE(ktally_watch_bytes(t.w), early + early / 10);
		EXPECT_EQ(LIVES * 2 * MS, t.interval_cpu);
		EXPECT_EQ(LIVES * 2 * MS, ktally_watch_total(t.w)->total.of[KTALLY_COST_CPU]);
		EXPECT_EQ(LIVES * 3, ktally_watch_total(t.w)->total.of[KTALLY_COST_TCP_RX]);
		done(&t);
	}
	free(all);
	NO_LEAKS();
}

/* One behind the other they never held it together; side by side they did. */
TEST(peaks_of_what_lived_at_the_same_time)
{
	struct watch t = { .o.key = KTALLY_BY_PROGRAM };
	char *all = malloc(1 << 16), *at = all;

	add_text(&at, OPEN OPENED);
	for (int i = 0; i < 200; i++)
		add_text(&at, "1.%03d fork pid=%d ppid=1\n1.%03d exec pid=%d argv=cc1 runtime=0\n"
			 "1.%03d5 exit pid=%d code=0 runtime=1ms peak_rss=10M\n",
			 200 + 2 * i, 100 + i, 200 + 2 * i, 100 + i, 201 + 2 * i + i % 2, 100 + i);
	open_watch(&t, all);
	cut(&t, 1.1, false);
	cut(&t, 2.0, false);
	EXPECT_EQ(200, tally(&t, "cc1")->ended);
	EXPECT_GE(tally(&t, "cc1")->peak, 20 << 20);
	/* Folding many of them together may cost something, never a multiple. */
	EXPECT_LE(tally(&t, "cc1")->peak, 60 << 20);
	EXPECT_TRUE(tally(&t, "cc1")->shared);
	done(&t);
	free(all);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
