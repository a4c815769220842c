// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_boot.c - a recorded boot: its phases and its end, what the end waited for, when
 * nothing happened, how the use is spread, and where the bars of its chart lie.
 */
#include "boot.h"
#include "chain.h"
#include "lanes.h"
#include "pace.h"
#include "test.h"

struct booted {
	struct reading r;
	struct boot b;
};

static void boots(struct booted *t, const char *text)
{
	struct bytes file = record(text);
	struct ktally_event ev;
	size_t len;

	memset(t, 0, sizeof(*t));
	ktally_stream_open_memory(&t->r.stream, file.p, file.n);
	t->r.model = ktally_model_open();
	while (ktally_stream_next(t->r.stream, &ev) == 1) {
		ktally_model_feed(t->r.model, &ev);
		boot_see(&t->b, &ev);
	}
	t->r.info = ktally_stream_info(t->r.stream);
	ktally_model_settle(t->r.model, t->r.info);
	boot_settle(&t->b, t->r.model, t->r.info, ktally_stream_note(t->r.stream, UNITS_NOTE, &len),
		    ktally_stream_note(t->r.stream, BOOT_END_NOTE, &len));
	free(file.p);
}

static void boots_done(struct booted *t)
{
	boot_free(&t->b);
	read_done(&t->r);
}

/* "PID:from-to ..." in ms; units by name, the kernel as K. */
static const char *links(const struct chain *c)
{
	static char text[2048];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->n; i++) {
		const struct chain_link *l = &c->links[i];
		char who[80];

		snprintf(who, sizeof(who), "%u", l->life ? l->life->tgid : 0);
		n += snprintf(text + n, sizeof(text) - n, "%s%s:%d-%d", i ? " " : "",
			      l->kind == CHAIN_KERNEL ? "K" : l->kind == CHAIN_UNIT ? l->unit->id : who,
			      (int)(l->from / MS), (int)(l->to / MS));
	}
	return text;
}

static const char *chain_to(struct booted *t, const char *end)
{
	const char *text;
	struct chain c;

	if (boot_choose_end(&t->b, end))
		return "no such end";
	chain_make(&c, &t->b);
	text = links(&c);
	chain_free(&c);
	return text;
}

#define OLD_INIT \
	"9.0 walk_begin walk=1 purpose=opening\n" \
	"9.0 task pid=1 start=0.1 comm=init argv=/sbin/init walk=1 runtime=2s threads=1 live=1\n" \
	"9.0 walk_end walk=1 purpose=opening tasks=1\n"

/* A script in the initramfs, switch_root, a script that starts things and is ready at 6 s. */
#define APPLIANCE \
	"load 1s\n" \
	"1.1 fork pid=10 ppid=1 parent_start=0.1\n" \
	"1.1 exec pid=10 argv=\"modprobe disk\" runtime=0\n" \
	"2.0 exit pid=10 runtime=100ms\n" \
	"2.5 exec pid=1 start=0.1 image=2 filename=/sbin/switch_root argv=\"switch_root /new /sbin/init\" runtime=1s\n" \
	"2.6 exec pid=1 start=0.1 image=3 filename=/sbin/init argv=/sbin/init runtime=1s\n" \
	"3.0 fork pid=20 ppid=1 parent_start=0.1\n" \
	"3.0 exec pid=20 argv=\"sh rcS\" runtime=0\n" \
	"3.1 fork pid=21 ppid=20\n" \
	"3.1 exec pid=21 argv=\"sleep 9\"\n" \
	"3.2 fork pid=22 ppid=20\n" \
	"3.2 exec pid=22 argv=\"fsck /dev/a\" runtime=0\n" \
	"4.0 fork pid=23 ppid=22\n" \
	"4.5 exit pid=23 runtime=500ms\n" \
	"5.0 exit pid=22 runtime=100ms\n" \
	"5.2 fork pid=24 ppid=20\n" \
	"5.2 exec pid=24 argv=\"ktally mark ready\" runtime=0\n" \
	"6.0 mark pid=24 text=ready\n" \
	"6.1 exit pid=24 runtime=10ms\n" \
	"8.0 fork pid=30 ppid=20\n" \
	"8.0 exec pid=30 argv=\"ktally boot save\"\n"

TEST(phases_are_one_axis)
{
	struct booted t;

	boots(&t, APPLIANCE OLD_INIT);
	EXPECT_EQ(1 * SEC, t.b.load);
	EXPECT_STREQ("mark ready", t.b.end.name);
	EXPECT_EQ(6 * SEC, t.b.end.time);
	EXPECT_EQ(0, t.b.phases[BOOT_KERNEL].from);
	EXPECT_EQ(1 * SEC, t.b.phases[BOOT_KERNEL].to);
	EXPECT_EQ(1 * SEC, t.b.phases[BOOT_INITRAMFS].from);
	/* switch_root starts nothing: the system is what it executes. */
	EXPECT_EQ(2600 * MS, t.b.phases[BOOT_INITRAMFS].to);
	EXPECT_EQ(2600 * MS, t.b.phases[BOOT_SYSTEM].from);
	EXPECT_EQ(6 * SEC, t.b.phases[BOOT_SYSTEM].to);
	boots_done(&t);
	NO_LEAKS();
}

TEST(the_end_can_be_chosen)
{
	struct booted t;

	boots(&t, APPLIANCE OLD_INIT);
	EXPECT_EQ(0, boot_choose_end(&t.b, "process:fsck"));
	EXPECT_EQ(3200 * MS, t.b.end.time);
	EXPECT_EQ(0, boot_choose_end(&t.b, "exit:fsck"));
	EXPECT_EQ(5 * SEC, t.b.end.time);
	EXPECT_EQ(0, boot_choose_end(&t.b, "fsck"));
	EXPECT_EQ(3200 * MS, t.b.end.time);
	EXPECT_EQ(0, boot_choose_end(&t.b, "last"));
	EXPECT_EQ(9 * SEC, t.b.end.time);
	EXPECT_EQ(-ENOENT, boot_choose_end(&t.b, "unit:nothing.service"));
	EXPECT_EQ(-ENOENT, boot_choose_end(&t.b, "mark:other"));
	EXPECT_EQ(-ENOENT, boot_choose_end(&t.b, "nobody"));
	boots_done(&t);
}

TEST(the_walk_at_the_load_is_no_saving)
{
	struct booted t;

	boots(&t, "load 1s\n1.0 walk_begin walk=7 purpose=opening\n1.0 walk_end walk=7 purpose=opening\n"
		  "2.0 fork pid=10 ppid=1 parent_start=0.1\n3.0 exit pid=10\n" OLD_INIT);
	EXPECT_EQ(0, boot_choose_end(&t.b, "saved"));
	EXPECT_EQ(9 * SEC, t.b.end.time);
	boots_done(&t);
}

TEST(what_it_was_saved_with_is_the_end)
{
	struct booted t;

	boots(&t, "note end exit:fsck\n" APPLIANCE OLD_INIT);
	EXPECT_EQ(5 * SEC, t.b.end.time);
	EXPECT_STREQ("end of fsck", t.b.end.name);
	boots_done(&t);
}

TEST(the_chain_goes_by_ends_of_children)
{
	struct booted t;

	boots(&t, APPLIANCE OLD_INIT);
	/* sleep 9 in the background held nobody up; within fsck its own child did. */
	EXPECT_STREQ("K:0-1000 1:1000-1100 10:1100-2000 1:2000-3000 20:3000-3200 22:3200-4000 "
		     "23:4000-4500 22:4500-5000 20:5000-5200 24:5200-6000", chain_to(&t, "ready"));
	EXPECT_STREQ("K:0-1000 1:1000-1100 10:1100-2000 1:2000-3000 20:3000-3200", chain_to(&t, "fsck"));
	boots_done(&t);
	NO_LEAKS();
}

TEST(a_pipeline_waited_for_its_writer)
{
	struct booted t;

	boots(&t, "load 1s\n"
		  "2.0 fork pid=20 ppid=1 parent_start=0.1\n"
		  "2.1 fork pid=21 ppid=20\n"
		  "2.1 fork pid=22 ppid=20\n"
		  "2.2 exec pid=21 argv=\"sleep 3\" pipe_out=77\n"
		  "2.2 exec pid=22 argv=cat pipe_in=77\n"
		  "5.0 exit pid=21 runtime=1ms\n"
		  "5.1 exit pid=22 runtime=1ms\n"
		  "5.2 exit pid=20 runtime=1ms\n"
		  "5.3 mark pid=1 start=0.1 text=ready\n" OLD_INIT);
	EXPECT_STREQ("K:0-1000 1:1000-2000 20:2000-2100 21:2100-5000 22:5000-5100 20:5100-5200 1:5200-5300",
		     chain_to(&t, "ready"));
	boots_done(&t);
}

#define UNITS \
	"note systemd DefaultTarget=multi-user.target\n" \
	"note systemd \n" \
	"note systemd Id=a.service\n" \
	"note systemd After=base.target\n" \
	"note systemd InactiveExitTimestampMonotonic=3150000\n" \
	"note systemd ActiveEnterTimestampMonotonic=5100000\n" \
	"note systemd \n" \
	"note systemd Id=base.target\n" \
	"note systemd After=\n" \
	"note systemd InactiveExitTimestampMonotonic=2900000\n" \
	"note systemd ActiveEnterTimestampMonotonic=2900000\n" \
	"note systemd \n" \
	"note systemd Id=daemon.service\n" \
	"note systemd After=a.service\n" \
	"note systemd InactiveExitTimestampMonotonic=5300000\n" \
	"note systemd ActiveEnterTimestampMonotonic=6500000\n" \
	"note systemd \n" \
	"note systemd Id=early.service\n" \
	"note systemd After=base.target\n" \
	"note systemd InactiveExitTimestampMonotonic=3000000\n" \
	"note systemd ActiveEnterTimestampMonotonic=0\n" \
	"note systemd InactiveEnterTimestampMonotonic=4000000\n" \
	"note systemd \n" \
	"note systemd Id=multi-user.target\n" \
	"note systemd After=daemon.service early.service gone.service\n" \
	"note systemd InactiveExitTimestampMonotonic=6600000\n" \
	"note systemd ActiveEnterTimestampMonotonic=6600000\n"

#define SYSTEMD \
	"load 1s\n" \
	"1.0 cgroup id=5 op=0 path=/system.slice/a.service\n" \
	"1.0 cgroup id=6 op=0 path=/system.slice/daemon.service\n" \
	"2.0 exec pid=1 start=0.1 image=2 filename=/lib/systemd/systemd argv=/sbin/init\n" \
	"2.1 fork pid=10 ppid=1 parent_start=0.1\n" \
	"2.8 exit pid=10 runtime=1ms\n" \
	"3.1 fork pid=11 ppid=1 parent_start=0.1\n" \
	"3.2 exec pid=11 argv=a cgroup=5\n" \
	"5.0 exit pid=11 runtime=1ms cgroup=5\n" \
	"5.4 fork pid=12 ppid=1 parent_start=0.1\n" \
	"5.5 exec pid=12 argv=daemon cgroup=6\n"

TEST(under_systemd_the_chain_goes_by_units)
{
	struct booted t;

	boots(&t, UNITS SYSTEMD OLD_INIT);
	EXPECT_EQ(5, t.b.units.n);
	/* A oneshot that is over: systemd never had it active. */
	EXPECT_EQ(4 * SEC, units_find(&t.b.units, "early.service", 13)->active);
	EXPECT_STREQ("multi-user.target", t.b.end.name);
	EXPECT_EQ(6600 * MS, t.b.end.time);
	EXPECT_STREQ("K:0-1000 1:1000-2100 10:2100-2800 1:2800-2900 a.service:2900-3100 "
		     "11:3100-5000 a.service:5000-5100 daemon.service:5100-5300 daemon.service:5300-5400 "
		     "12:5400-6500 multi-user.target:6500-6600",
		     chain_to(&t, NULL));
	boots_done(&t);
	NO_LEAKS();
}

/* The initramfs had a systemd of its own: what it had active lies behind the change of roots. */
TEST(the_chain_goes_through_two_systemds)
{
	struct booted t;

	boots(&t, "note systemd DefaultTarget=basic.target\n"
		  "note systemd \n"
		  "note systemd Id=basic.target\n"
		  "note systemd After=fsck.service\n"
		  "note systemd InactiveExitTimestampMonotonic=2900000\n"
		  "note systemd ActiveEnterTimestampMonotonic=2900000\n"
		  "note systemd \n"
		  "note systemd Id=fsck.service\n"
		  "note systemd After=\n"
		  "note systemd InactiveExitTimestampMonotonic=1500000\n"
		  "note systemd ActiveEnterTimestampMonotonic=1800000\n"
		  "load 1s\n"
		  "1.0 cgroup id=7 op=0 path=/system.slice/fsck.service\n"
		  "1.1 fork pid=8 ppid=1 parent_start=0.1\n"
		  "1.45 fork pid=9 ppid=1 parent_start=0.1\n"
		  "1.46 exec pid=9 argv=fsck cgroup=7\n"
		  "1.7 exit pid=9 cgroup=7\n"
		  "1.95 exit pid=8\n"
		  "2.0 exec pid=1 start=0.1 image=2 filename=/lib/systemd/systemd argv=/sbin/init\n"
		  "2.1 fork pid=10 ppid=1 parent_start=0.1\n"
		  "2.8 exit pid=10\n" OLD_INIT);
	/* Not through 8, a daemon of the initramfs that was ended before the change. */
	EXPECT_STREQ("K:0-1000 1:1000-1450 9:1450-1700 fsck.service:1700-1800 1:1800-2100 10:2100-2800 1:2800-2900",
		     chain_to(&t, NULL));
	boots_done(&t);
	NO_LEAKS();
}

TEST(units_that_are_no_list)
{
	struct booted t;

	boots(&t, "note systemd Failed to connect to bus\n" APPLIANCE OLD_INIT);
	EXPECT_EQ(0, t.b.units.n);
	EXPECT_STREQ("mark ready", t.b.end.name);
	boots_done(&t);
}

TEST(use_is_spread_and_adds_up)
{
	double sum[PACE_KINDS], all = 0;
	struct pace_cursor c;
	struct booted t;
	struct pace p;

	boots(&t, APPLIANCE OLD_INIT);
	ASSERT_EQ(0, pace_make(&p, &t.b));
	pace_begin(&c, &p);
	for (uint64_t at = 0; at <= 9 * SEC; at += SEC / 2) {
		pace_advance(&c, at, sum);
		all += sum[PACE_CPU];
		/* In half a second: fsck 100 ms over 1.8 s, its child 500 ms over 0.5 s, init 1 s over 6.4 s. */
		if (at == 4500 * MS) {
			EXPECT_GT(1e6, sum[PACE_CPU] - (500e6 + 50e6 / 1.8 + 500e6 / 6.4));
			EXPECT_LT(-1e6, sum[PACE_CPU] - (500e6 + 50e6 / 1.8 + 500e6 / 6.4));
		}
	}
	/* Everything: 100 + 500 + 100 + 10 ms and init's 2 s. */
	EXPECT_GT(2711e6, all);
	EXPECT_LT(2709e6, all);
	pace_free(&p);
	boots_done(&t);
	NO_LEAKS();
}

TEST(gaps_say_what_ended_them)
{
	struct booted t;
	struct pace p;
	struct gaps g;

	boots(&t, APPLIANCE OLD_INIT);
	pace_make(&p, &t.b);
	ASSERT_EQ(0, gaps_find(&g, &t.b, &p, 450 * MS, 0.6));
	/* Not 4.0 to 4.5: a CPU was busy. */
	ASSERT_EQ(5, g.n);
	EXPECT_EQ(1100 * MS, g.all[0].from);
	EXPECT_EQ(2000 * MS, g.all[0].to);
	EXPECT_EQ(GAP_EXIT, g.all[0].ended);
	EXPECT_EQ(10, g.all[0].life->tgid);
	EXPECT_EQ(2000 * MS, g.all[1].from);
	EXPECT_EQ(GAP_EXEC, g.all[1].ended);
	EXPECT_EQ(3200 * MS, g.all[2].from);
	EXPECT_EQ(GAP_FORK, g.all[2].ended);
	EXPECT_EQ(4500 * MS, g.all[3].from);
	EXPECT_EQ(5200 * MS, g.all[4].from);
	EXPECT_EQ(6000 * MS, g.all[4].to);
	EXPECT_EQ(GAP_OVER, g.all[4].ended);
	gaps_free(&g);
	pace_free(&p);
	boots_done(&t);
	NO_LEAKS();
}

static uint32_t lane_of(const struct lanes *l, uint32_t tgid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->bars[i].life->tgid == tgid)
			return l->bars[i].lane;
	return UINT32_MAX;
}

TEST(bars_share_lanes_below_their_parent)
{
	struct lanes_options o = { .who = LANES_PROCESSES, .until = 9 * SEC };
	struct booted t;
	struct lanes l;

	boots(&t, APPLIANCE OLD_INIT);
	ASSERT_EQ(0, lanes_make(&l, &t.b, &o));
	EXPECT_EQ(8, l.n);
	EXPECT_EQ(0, lane_of(&l, 1));
	EXPECT_EQ(1, lane_of(&l, 10));	/* over before rcS begins */
	EXPECT_EQ(1, lane_of(&l, 20));
	EXPECT_EQ(2, lane_of(&l, 21));	/* all the time */
	EXPECT_EQ(3, lane_of(&l, 22));
	EXPECT_EQ(4, lane_of(&l, 23));
	EXPECT_EQ(3, lane_of(&l, 24));	/* fsck and its child are gone */
	EXPECT_EQ(5, l.lanes);
	lanes_free(&l);
	boots_done(&t);
	NO_LEAKS();
}

TEST(no_two_bars_overlap)
{
	enum { MANY = 3000 };
	struct lanes_options o = { .who = LANES_PROCESSES, .until = UINT64_MAX };
	size_t n = 0, room = 200 * MANY;
	char *text = malloc(room);
	struct booted t;
	struct lanes l;
	unsigned int dice = 1;

	n += snprintf(text + n, room - n, "load 1s\n");
	for (int i = 0; i < MANY; i++) {
		dice = dice * 1103515245 + 12345;
		/* each below one of the eight before it, so that chains grow long */
		n += snprintf(text + n, room - n, "%d.%03d fork pid=%d ppid=%d%s\n", 1 + i / 1000, i % 1000, 100 + i,
			      i < 8 ? 1 : 100 + i - 1 - (int)(dice >> 16) % 8, i < 8 ? " parent_start=0.1" : "");
		if (i >= 20)
			n += snprintf(text + n, room - n, "%d.%03d exit pid=%d\n", 1 + i / 1000, i % 1000, 100 + i - 20);
	}
	boots(&t, text);
	free(text);
	ASSERT_EQ(0, lanes_make(&l, &t.b, &o));
	EXPECT_EQ(t.b.n_lives, l.n);
	for (size_t i = 0; i < l.n; i++) {
		const struct lane_bar *a = &l.bars[i];

		if (a->parent)
			EXPECT_LT(a->parent->lane, a->lane);
		EXPECT_GT(l.lanes, a->lane);
		for (size_t k = 0; k < i; k++)
			if (l.bars[k].lane == a->lane && l.bars[k].from < a->to && a->from < l.bars[k].to)
				EXPECT_EQ(0, a->life->tgid);
	}
	lanes_free(&l);
	boots_done(&t);
}

TEST_HARNESS_MAIN
