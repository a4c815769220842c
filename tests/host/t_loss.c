// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_loss.c - records to lives with some records lost, late or twice: what is known all the
 * same, what is not, and whether the sums say so.
 */
#include "lives.h"

/* Forked while recording, in neither the closing walk nor an exit record. */
TEST(a_lost_end_is_no_end)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 argv=sh runtime=2ms\n"
		  "lost exit\n");
	l = life(&r, 100);
	EXPECT_EQ(KTALLY_END_LOST, l->state);
	EXPECT_EQ(UINT64_MAX, number(&r, l, "status"));
	EXPECT_EQ(2 * MS, number(&r, l, "cpu_ns"));
	EXPECT_TRUE(value(&r, l, "cpu_ns").lower);
	EXPECT_EQ(1, r.balance.lost_ends);
	EXPECT_EQ(1, r.balance.lost[KTALLY_EXIT]);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

/* An end that no record and no count tells: the balance must not agree. */
TEST(a_vanished_life_is_told_by_the_balance)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n");
	EXPECT_EQ(KTALLY_END_LOST, life(&r, 100)->state);
	EXPECT_EQ(1, r.balance.difference);
	read_done(&r);
}

/* The kprobe was disarmed: its own count explains two ends and no more. */
TEST(ends_that_the_kprobe_missed)
{
	struct reading r;

	lives(&r, "missed 2\n1.0 fork pid=100 ppid=1\n1.1 fork pid=101 ppid=1\n"
		  "1.2 fork pid=102 ppid=1\n");
	EXPECT_EQ(2, r.balance.missed_ends);
	EXPECT_EQ(1, r.balance.difference);
	read_done(&r);
}

/* The module stopped itself: what it did not see is not made up, and nothing is exact. */
TEST(a_module_that_stopped_itself)
{
	struct reading r;

	lives(&r, "disarmed 1\n1.0 fork pid=100 ppid=1\n");
	EXPECT_EQ(true, r.balance.disarmed);
	EXPECT_EQ(1, r.balance.difference);
	read_done(&r);
}

/* Older, ended before the walk met it, and its exit record lost: on one side only. */
TEST(an_old_life_that_nobody_saw)
{
	struct reading r;

	lives(&r, "lost exit\n");
	EXPECT_EQ(1, r.balance.never_seen);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

/* Forked while recording, its fork record lost, and met by a slow opening walk. */
TEST(a_lost_fork_in_the_opening_walk)
{
	struct reading r;
	struct bytes b = record("0.5 walk_begin walk=1 purpose=opening\n"
				"lost fork\n"
				"0.7 task pid=7 start=0.6 ppid=1 walk=1 threads=1 live=1\n"
				"0.8 walk_end walk=1 purpose=opening tasks=1\n"
				"9.0 walk_begin walk=2 purpose=closing\n"
				"9.0 task pid=7 start=0.6 ppid=1 walk=2 threads=1 live=1\n"
				"9.0 walk_end walk=2 purpose=closing tasks=1\n");

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(0, r.balance.dumped);
	EXPECT_EQ(1, r.balance.lost_forks);
	EXPECT_EQ(1, r.balance.running);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
	free(b.p);
}

TEST(a_lost_fork)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "lost fork\n"
		  "2.0 exit pid=100 start=1.5 ppid=1 image=2 comm=x runtime=1ms\n");
	l = life(&r, 100);
	EXPECT_EQ(KTALLY_ENDED, l->state);
	EXPECT_FALSE(l->older);
	EXPECT_EQ(1, r.balance.lost_forks);
	EXPECT_EQ(0, r.balance.older);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

TEST(both_ends_of_a_life_lost)
{
	struct reading r;

	lives(&r, "lost fork\nlost exit\n");
	EXPECT_EQ(0, r.balance.difference);
	EXPECT_EQ(2, r.balance.lost_total);
	read_done(&r);
}

/* Older than the recording and gone before the walk came by. */
TEST(an_old_life_that_ended_before_the_walk)
{
	struct reading r;
	struct bytes b = record("0.5 walk_begin walk=1 purpose=opening\n"
				"0.6 exit pid=7 start=0.1 ppid=1 runtime=1ms\n"
				"0.7 walk_end walk=1 purpose=opening\n"
				"9.0 walk_begin walk=2 purpose=closing\n"
				"9.0 walk_end walk=2 purpose=closing\n");

	read_bytes(&r, b.p, b.n);
	EXPECT_TRUE(life(&r, 7)->older);
	EXPECT_EQ(0, r.balance.difference);
	EXPECT_EQ(1, r.balance.older);
	EXPECT_EQ(100 * MS, number(&r, life(&r, 7), "start_ns"));
	read_done(&r);
	free(b.p);
}

TEST(dying_when_recording_began)
{
	struct reading r;
	struct bytes b = record("0.5 walk_begin walk=1 purpose=opening\n"
				"0.5 task pid=8 start=0.1 walk=1 live=0 flags=zombie state=Z code=2\n"
				"0.5 task pid=9 start=0.2 walk=1 live=0 state=X\n"
				"0.5 task pid=10 start=0.2 walk=1 live=1 flags=zombie state=Z\n"
				"0.7 walk_end walk=1 purpose=opening tasks=3\n"
				"0.8 exit pid=10 code=1\n"
				"9.0 walk_begin walk=2 purpose=closing\n"
				"9.0 walk_end walk=2 purpose=closing\n");

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(KTALLY_END_UNSEEN, life(&r, 8)->state);
	EXPECT_EQ(2, number(&r, life(&r, 8), "exit_code"));
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 8), "life_ns"));
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 9), "exit_code"));
	EXPECT_EQ(KTALLY_ENDED, life(&r, 10)->state);
	EXPECT_EQ(2, r.balance.end_unseen);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
	free(b.p);
}

TEST(forked_behind_the_closing_walk)
{
	struct reading r;
	struct bytes b = record(BEGIN
				"9.0 walk_begin walk=2 purpose=closing\n"
				"9.0 task pid=1 walk=2\n"
				"9.1 fork pid=50 ppid=1\n"
				"9.2 walk_end walk=2 purpose=closing tasks=1\n");

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(KTALLY_RUNNING, life(&r, 50)->state);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
	free(b.p);
}

TEST(without_a_closing_walk_nothing_is_said_of_ends)
{
	struct reading r;
	struct bytes b = record(BEGIN "1.0 fork pid=100 ppid=1\nno-end\n");

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(KTALLY_END_UNKNOWN, life(&r, 100)->state);
	EXPECT_EQ(2, r.balance.unknown_ends);
	EXPECT_FALSE(r.balance.checked);
	/* a file that was ended in order */
	EXPECT_NE(NULL, warning(&r, "no end record (it goes on in another file"));
	read_done(&r);
	free(b.p);
	b = record(BEGIN "1.0 fork pid=100 ppid=1\ncrash\n");
	read_bytes(&r, b.p, b.n);
	EXPECT_NE(NULL, warning(&r, "no end record (recorder killed?)"));
	read_done(&r);
	free(b.p);
}

/* Lost task records: who is not in the walk may live all the same. */
TEST(a_closing_walk_with_losses_proves_nothing)
{
	struct reading r;
	struct bytes b = record(BEGIN "1.0 fork pid=100 ppid=1\n"
				"9.0 walk_begin walk=2 purpose=closing\n"
				"lost task\n"
				"9.0 task pid=1 walk=2\n"
				"9.2 walk_end walk=2 purpose=closing tasks=2 lost=1\n");

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(KTALLY_RUNNING, life(&r, 1)->state);
	EXPECT_EQ(KTALLY_END_UNKNOWN, life(&r, 100)->state);
	read_done(&r);
	free(b.p);
}

TEST(the_second_exit_record_is_dropped)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "2.0 exit pid=100 code=1 runtime=5ms flags=maybe_dup\n"
		  "2.1 exit pid=100 code=9 runtime=50ms flags=maybe_dup\n");
	EXPECT_EQ(1, number(&r, life(&r, 100), "exit_code"));
	EXPECT_EQ(5 * MS, number(&r, life(&r, 100), "cpu_ns"));
	EXPECT_EQ(1, r.balance.duplicates);
	EXPECT_EQ(1, r.balance.exits);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

/* task read before the end and written after it. */
TEST(a_task_record_behind_the_exit_changes_nothing)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.5 exec pid=100 argv=cat\n"
		  "2.0 exit pid=100 code=1 runtime=5ms comm=end\n"
		  "2.1 task pid=100 walk=1 runtime=4ms comm=walk live=1\n");
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_EQ(5 * MS, number(&r, life(&r, 100), "cpu_ns"));
	EXPECT_STREQ("end", text(&r, life(&r, 100), "comm"));
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

/* Across the walk a life may have a task record before its fork record. */
TEST(task_before_fork_is_one_life)
{
	struct reading r;
	struct ktally_life *const *all;

	lives(&r, "1.0 task pid=100 start=0.95 ppid=1 walk=1 image=1 comm=sh argv=sh\n"
		  "1.1 fork pid=100 start=0.95 ppid=1 image=1\n"
		  "2.0 exit pid=100\n");
	EXPECT_EQ(2, ktally_model_lives(r.model, &all));
	EXPECT_EQ(1, r.balance.forks);
	EXPECT_EQ(1, r.balance.dumped);
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

TEST(run_delay_with_a_lost_thread_is_a_lower_bound)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "lost thread_exit\n"
		  "2.0 exit pid=100 run_delay=1ms\n");
	EXPECT_TRUE(value(&r, life(&r, 100), "run_delay_ns").lower);
	read_done(&r);
}

TEST_HARNESS_MAIN
