// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_model.c - records to lives: what is known of a process after its records, in any
 * order, with some of them lost, and whether the sums say so.
 */
#include "test.h"

#define BEGIN \
	"0.5 walk_begin walk=1 purpose=opening\n" \
	"0.5 task pid=1 start=0.001 image=1 comm=init argv=/sbin/init walk=1 runtime=5ms utime=5ms stime=0\n" \
	"0.5 walk_end walk=1 purpose=opening tasks=1\n"
#define CLOSE \
	"9.0 walk_begin walk=2 purpose=closing\n" \
	"9.0 task pid=1 walk=2 runtime=9ms utime=4ms stime=4ms\n" \
	"9.0 walk_end walk=2 purpose=closing tasks=1\n"

static void lives(struct reading *r, const char *middle)
{
	char *all;
	struct bytes b;

	if (asprintf(&all, "%s%s%s", BEGIN, middle, CLOSE) < 0)
		abort();
	b = record(all);
	free(all);
	read_bytes(r, b.p, b.n);
	free(b.p);		/* the stream has read all of it */
}

TEST(a_whole_life)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1 uid=1000\n"
		  "1.5 exec pid=100 filename=/usr/bin/cc1 argv=\"cc1 -quiet  a.c\" runtime=1ms peak_rss=9M\n"
		  "3.0 exit pid=100 code=3 runtime=30ms utime=8ms stime=4ms peak_rss=61M minflt=7\n");
	l = life(&r, 100);
	ASSERT_NE(NULL, l);
	EXPECT_EQ(KTALLY_ENDED, l->state);
	EXPECT_EQ(2 * SEC, number(&r, l, "life_ns"));
	EXPECT_EQ(30 * MS, number(&r, l, "cpu_ns"));
	EXPECT_EQ(20 * MS, number(&r, l, "cpu_user_ns"));
	EXPECT_EQ(10 * MS, number(&r, l, "cpu_sys_ns"));
	EXPECT_EQ(61 << 20, number(&r, l, "peak_rss_bytes"));
	EXPECT_EQ(7, number(&r, l, "minflt"));
	EXPECT_EQ(UINT64_MAX, number(&r, l, "majflt"));
	EXPECT_EQ(3, number(&r, l, "exit_code"));
	EXPECT_EQ(UINT64_MAX, number(&r, l, "exit_signal"));
	EXPECT_EQ(1, number(&r, l, "failed"));
	EXPECT_EQ(1000, number(&r, l, "uid"));
	EXPECT_EQ(0, number(&r, l, "partial"));
	EXPECT_STREQ("cc1|-quiet||a.c|", text(&r, l, "argv"));
	EXPECT_STREQ("cc1", text(&r, l, "program"));
	EXPECT_EQ(life(&r, 1), l->parent);
	EXPECT_EQ(l, life(&r, 1)->child);
	EXPECT_EQ(0, r.balance.difference);
	EXPECT_TRUE(r.balance.checked);
	EXPECT_EQ(0, r.warnings);
	read_done(&r);
	NO_LEAKS();
}

TEST(no_ticks_is_all_user_time)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exit pid=100 runtime=3ms utime=0 stime=0\n");
	EXPECT_EQ(3 * MS, number(&r, life(&r, 100), "cpu_user_ns"));
	EXPECT_EQ(0, number(&r, life(&r, 100), "cpu_sys_ns"));
	read_done(&r);
}

TEST(only_system_ticks_is_all_system_time)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exit pid=100 runtime=3ms utime=0 stime=4ms\n");
	EXPECT_EQ(0, number(&r, life(&r, 100), "cpu_user_ns"));
	EXPECT_EQ(3 * MS, number(&r, life(&r, 100), "cpu_sys_ns"));
	read_done(&r);
}

TEST(scaling_does_not_overflow)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exit pid=100 runtime=9000000000000000000 utime=4000000000000000000 stime=4000000000000000000\n");
	EXPECT_EQ(4500000000000000000ULL, number(&r, life(&r, 100), "cpu_sys_ns"));
	read_done(&r);
}

TEST(a_subshell_has_its_parents_program)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 filename=/bin/sh argv=\"sh -c x\"\n"
		  "1.2 fork pid=101 ppid=100\n"
		  "1.3 fork pid=102 ppid=101\n"
		  "1.4 exit pid=102 code=3\n"
		  "1.5 exit pid=101\n"
		  "1.6 exit pid=100\n");
	l = life(&r, 102);
	EXPECT_STREQ("sh", text(&r, l, "program"));
	EXPECT_STREQ("sh|-c|x|", text(&r, l, "argv"));
	EXPECT_FALSE(ktally_life_image(l)->has_exec);
	EXPECT_FALSE(ktally_life_image(l)->unknown);
	EXPECT_EQ(0, number(&r, l, "execs"));
	EXPECT_TRUE(ktally_life_below(l, life(&r, 100)));
	EXPECT_FALSE(ktally_life_below(life(&r, 100), l));
	read_done(&r);
}

/* The child was forked before its parent executed another program. */
TEST(a_subshell_keeps_the_program_of_the_fork)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 filename=/bin/sh argv=sh\n"
		  "1.2 fork pid=101 ppid=100\n"
		  "1.3 exec pid=100 filename=/bin/cat argv=cat\n"
		  "1.5 exit pid=101\n"
		  "1.6 exit pid=100\n");
	EXPECT_STREQ("sh", text(&r, life(&r, 101), "program"));
	EXPECT_STREQ("cat", text(&r, life(&r, 100), "program"));
	read_done(&r);
}

TEST(a_script_has_its_own_name_and_its_interpreters_file)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 filename=/usr/local/bin/backup-everything.sh interp=/bin/sh argv=\"/bin/sh backup\"\n"
		  "1.6 exit pid=100 comm=renamed\n");
	EXPECT_STREQ("backup-everything.sh", text(&r, life(&r, 100), "program"));
	EXPECT_STREQ("/bin/sh", text(&r, life(&r, 100), "exe"));
	EXPECT_STREQ("/usr/local/bin/backup-everything.sh", text(&r, life(&r, 100), "filename"));
	EXPECT_STREQ("renamed", text(&r, life(&r, 100), "comm"));
	read_done(&r);
}

/* By descriptor the file name is /dev/fd/N; then the name the kernel gave holds. */
TEST(a_file_name_that_is_not_the_program)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 filename=/dev/fd/3 comm=hello argv=\"hello\"\n"
		  "1.6 exit pid=100\n");
	EXPECT_STREQ("hello", text(&r, life(&r, 100), "program"));
	read_done(&r);
}

TEST(images_and_what_each_used)
{
	struct reading r;
	struct ktally_life *l;
	struct ktally_use use;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 argv=sh runtime=2ms peak_rss=1M minflt=10\n"
		  "1.5 exec pid=100 argv=cc1 runtime=5ms peak_rss=3M minflt=50\n"
		  "2.0 exit pid=100 runtime=105ms peak_rss=60M minflt=950\n");
	l = life(&r, 100);
	ASSERT_EQ(3, l->n_images);
	EXPECT_EQ(1 * SEC, l->images[0].begin);
	EXPECT_EQ(1100 * MS, l->images[0].end);
	EXPECT_EQ(1500 * MS, l->images[1].end);
	EXPECT_EQ(2 * SEC, l->images[2].end);
	ktally_image_use(l, 0, &use);
	EXPECT_EQ(2 * MS, use.runtime);
	EXPECT_EQ(1 << 20, use.peak_rss);
	ktally_image_use(l, 1, &use);
	EXPECT_EQ(3 * MS, use.runtime);
	EXPECT_EQ(3 << 20, use.peak_rss);
	EXPECT_EQ(40, use.minflt);
	ktally_image_use(l, 2, &use);
	EXPECT_EQ(100 * MS, use.runtime);
	EXPECT_EQ(900, use.minflt);
	EXPECT_EQ(60 << 20, use.peak_rss);
	EXPECT_EQ(0, use.known & 1ULL << KTALLY_U_MAJFLT);
	read_done(&r);
}

/* A program's pipes are those it began with; a subshell's, those it ended with. */
TEST(pipes_of_images)
{
	struct reading r;
	const struct ktally_image *im;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 argv=cat pipe_in=7 pipe_out=8\n"
		  "1.2 fork pid=101 ppid=100\n"
		  "1.3 exit pid=101 pipe_out=9\n"
		  "1.4 fork pid=102 ppid=100\n"
		  "2.0 exit pid=100\n");
	im = ktally_life_image(life(&r, 100));
	EXPECT_TRUE(im->pipes_known);
	EXPECT_EQ(7, im->pipe_in);
	EXPECT_EQ(8, im->pipe_out);
	im = ktally_life_image(life(&r, 101));
	EXPECT_TRUE(im->pipes_known);
	EXPECT_EQ(0, im->pipe_in);
	EXPECT_EQ(9, im->pipe_out);
	EXPECT_FALSE(ktally_life_image(life(&r, 102))->pipes_known);
	read_done(&r);
}

TEST(a_lost_exec_leaves_an_unknown_program)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 argv=sh\n"
		  "lost exec\n"
		  "2.0 exit pid=100 image=3 comm=mystery\n");
	l = life(&r, 100);
	ASSERT_EQ(3, l->n_images);
	EXPECT_TRUE(ktally_life_image(l)->unknown);
	EXPECT_EQ(NULL, ktally_life_image(l)->argv);
	EXPECT_STREQ("?", text(&r, l, "argv"));
	EXPECT_STREQ("mystery", text(&r, l, "program"));
	EXPECT_EQ(1, number(&r, l, "partial"));
	EXPECT_TRUE(value(&r, l, "execs").lower);
	read_done(&r);
}

TEST(a_lost_exec_between_two)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "lost exec 2\n"
		  "1.4 exec pid=100 image=4 argv=cat\n"
		  "2.0 exit pid=100\n");
	l = life(&r, 100);
	ASSERT_EQ(3, l->n_images);
	EXPECT_FALSE(l->images[0].unknown);
	EXPECT_TRUE(l->images[1].unknown);
	EXPECT_EQ(3, l->images[1].number);
	EXPECT_STREQ("cat", text(&r, l, "program"));
	read_done(&r);
}

TEST(long_arguments_come_together)
{
	char line[4000] = "1.1 exec pid=100 argv=\"sh";
	struct reading r;
	struct ktally_life *l;
	char *all;

	for (int i = 0; i < 300; i++)
		sprintf(line + strlen(line), " word%03d", i);
	ASSERT_GT(asprintf(&all, "1.0 fork pid=100 ppid=1\n%s\"\n2.0 exit pid=100\n", line), 0);
	lives(&r, all);
	free(all);
	l = life(&r, 100);
	EXPECT_EQ(3 + 300 * 8, ktally_life_image(l)->argv_len);
	EXPECT_EQ(3 + 300 * 8, ktally_life_image(l)->argv_true_len);
	EXPECT_STREQ("word299", ktally_life_image(l)->argv + 3 + 299 * 8);
	EXPECT_FALSE(value(&r, l, "argv").lower);
	read_done(&r);
	NO_LEAKS();
}

TEST(a_lost_piece_of_arguments_is_told)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 exec pid=100 argv=\"sh a\" argv_len=900 argv_kept=900\n"
		  "lost args\n"
		  "1.1 args pid=100 offset=600 total=900 data=b\n"
		  "2.0 exit pid=100\n");
	l = life(&r, 100);
	EXPECT_EQ(5, ktally_life_image(l)->argv_len);
	EXPECT_TRUE(value(&r, l, "argv").lower);
	read_done(&r);
}

TEST(what_runs_on_has_no_end)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 fork pid=100 ppid=1\n");
	l = life(&r, 1);
	EXPECT_EQ(KTALLY_RUNNING, l->state);
	EXPECT_EQ(UINT64_MAX, number(&r, l, "end_ns"));
	EXPECT_EQ(UINT64_MAX, number(&r, l, "status"));
	EXPECT_EQ(1 * MS, number(&r, l, "start_ns"));
	EXPECT_EQ(9 * SEC - MS, number(&r, l, "life_ns"));
	EXPECT_TRUE(value(&r, l, "life_ns").lower);
	EXPECT_EQ(4 * MS, number(&r, l, "cpu_ns"));	/* of the recording */
	EXPECT_FALSE(value(&r, l, "cpu_ns").lower);
	EXPECT_TRUE(l->older);
	EXPECT_EQ(1, number(&r, l, "partial"));
	read_done(&r);
}

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
	EXPECT_NE(NULL, warning(&r, "no end record"));
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

TEST(run_delay_is_added_up_over_threads)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.5 thread_exit pid=100 tid=101 run_delay=3ms\n"
		  "2.0 exit pid=100 run_delay=1ms\n"
		  "2.0 thread_exit pid=100 tid=102 run_delay=5ms\n");
	EXPECT_EQ(9 * MS, number(&r, life(&r, 100), "run_delay_ns"));
	EXPECT_FALSE(value(&r, life(&r, 100), "run_delay_ns").lower);
	EXPECT_EQ(2, number(&r, life(&r, 100), "threads_ended"));
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

TEST(one_number_two_lives)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "2.0 exit pid=100 code=1\n"
		  "3.0 fork pid=100 ppid=1\n"
		  "4.0 exit pid=100 code=2\n");
	EXPECT_EQ(2, number(&r, ktally_model_find(r.model, 100, 0), "exit_code"));
	EXPECT_EQ(1, number(&r, ktally_model_find(r.model, 100, 1 * SEC), "exit_code"));
	EXPECT_EQ(2, r.balance.exits);
	read_done(&r);
}

/* The thread that executes takes the leader's number and start. */
TEST(exec_by_a_thread_that_is_not_the_leader)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.4 thread_exit pid=100 tid=100\n"
		  "1.5 exec pid=100 old_tid=101 argv=cat\n"
		  "2.0 exit pid=100 code=4\n");
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_STREQ("cat", text(&r, life(&r, 100), "program"));
	EXPECT_EQ(4, number(&r, life(&r, 100), "exit_code"));
	EXPECT_EQ(0, r.balance.difference);
	read_done(&r);
}

TEST(an_adopted_life_keeps_the_parent_of_its_birth)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.1 fork pid=101 ppid=100\n"
		  "1.2 exit pid=100\n"
		  "2.0 exit pid=101 ppid=1 parent_start=0.001\n");
	EXPECT_EQ(100, number(&r, life(&r, 101), "ppid"));
	EXPECT_EQ(life(&r, 100), life(&r, 101)->parent);
	read_done(&r);
}

TEST(upper_bounds_are_marked)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "2.0 exit pid=100 peak_rss=5M upper=peak_rss flags=fallback\n");
	EXPECT_TRUE(value(&r, life(&r, 100), "peak_rss_bytes").upper);
	EXPECT_STREQ("fallback", text(&r, life(&r, 100), "flags"));
	read_done(&r);
}

TEST(signals_and_cores)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "2.0 exit pid=100 signal=11 core\n");
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 100), "exit_code"));
	EXPECT_EQ(11, number(&r, life(&r, 100), "exit_signal"));
	EXPECT_EQ(1, number(&r, life(&r, 100), "core_dumped"));
	EXPECT_EQ(11 | 0x80, number(&r, life(&r, 100), "status"));
	read_done(&r);
}

/* After an exec and no more the peaks are those of the program before. */
TEST(the_peak_of_the_program_before_is_not_this_ones)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 ppid=1\n"
		  "1.5 exec pid=100 argv=cat peak_rss=99M runtime=1ms\n"
		  "lost exit\n");
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 100), "peak_rss_bytes"));
	read_done(&r);
}

TEST(the_tree_of_a_command)
{
	struct reading r;
	struct bytes b = record("root 100\n" BEGIN
				"1.0 fork pid=100 ppid=1\n"
				"1.1 fork pid=101 ppid=100\n"
				"1.2 fork pid=102 ppid=1\n"
				"1.3 exit pid=100\n"
				"1.4 fork pid=103 ppid=101\n"
				"1.5 exit pid=101\n1.5 exit pid=102\n"
				"1.6 exit pid=103 ppid=1\n" CLOSE);

	read_bytes(&r, b.p, b.n);
	EXPECT_TRUE(life(&r, 100)->in_tree);
	EXPECT_TRUE(life(&r, 101)->in_tree);
	EXPECT_TRUE(life(&r, 103)->in_tree);
	EXPECT_FALSE(life(&r, 102)->in_tree);
	EXPECT_FALSE(life(&r, 1)->in_tree);
	read_done(&r);
	free(b.p);
}

/* Records say what they like: a life is never below itself. */
TEST(parents_in_a_circle)
{
	struct reading r;

	lives(&r, "1.0 fork pid=100 start=1.0 ppid=101 parent_start=1.0\n"
		  "1.0 fork pid=101 start=1.0 ppid=100 parent_start=1.0\n"
		  "1.0 fork pid=102 start=1.0 ppid=102 parent_start=1.0\n");
	EXPECT_FALSE(ktally_life_below(life(&r, 1), life(&r, 100)));
	EXPECT_EQ(NULL, life(&r, 100)->parent);
	read_done(&r);
}

TEST(cgroups_by_path)
{
	struct reading r;

	lives(&r, "1.0 cgroup id=77 op=1 path=/system.slice/nginx.service\n"
		  "1.0 cgroup id=78 op=0 path=/a\n"
		  "1.1 cgroup id=78 op=2 path=/b\n"
		  "1.2 cgroup id=78 op=3 path=/gone\n"
		  "1.5 fork pid=100 ppid=1 cgroup=77\n1.5 fork pid=101 ppid=1 cgroup=78\n"
		  "1.5 fork pid=102 ppid=1 cgroup=1\n1.5 fork pid=103 ppid=1 cgroup=99\n");
	EXPECT_STREQ("/system.slice/nginx.service", text(&r, life(&r, 100), "cgroup"));
	EXPECT_STREQ("nginx.service", text(&r, life(&r, 100), "unit"));
	EXPECT_STREQ("", text(&r, life(&r, 100), "container"));
	EXPECT_STREQ("/b", text(&r, life(&r, 101), "cgroup"));
	EXPECT_STREQ("/", text(&r, life(&r, 102), "cgroup"));
	EXPECT_STREQ("?", text(&r, life(&r, 103), "cgroup"));
	EXPECT_EQ(99, number(&r, life(&r, 103), "cgroup_id"));
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 1), "cgroup_id"));
	read_done(&r);
}

TEST(settling_twice_changes_nothing)
{
	struct reading r;
	struct ktally_balance again;

	lives(&r, "1.0 fork pid=100 ppid=1\n1.1 fork pid=101 ppid=100\n2.0 exit pid=100\n");
	ktally_model_settle(r.model, r.info);
	ktally_model_balance(r.model, &again);
	EXPECT_EQ(0, memcmp(&again, &r.balance, sizeof(again)));
	EXPECT_EQ(life(&r, 101), life(&r, 100)->child);
	EXPECT_EQ(NULL, life(&r, 101)->sibling);
	read_done(&r);
}

/* A recording's figures are what came while it recorded. */
TEST(older_lives_show_what_came_while_recording)
{
	struct bytes b = record(
		"0.5 walk_begin walk=1 purpose=opening\n"
		"0.5 task pid=50 start=0.1 comm=old walk=1 runtime=1s utime=600ms stime=300ms run_delay=9ms minflt=70"
		" peak_rss=4M net_phys=1,100,90,2,200,180 tcp_rx=80 udp_tx=7\n"
		"0.5 walk_end walk=1 purpose=opening tasks=1\n"
		"0.6 exec pid=51 start=0.2 comm=met argv=met runtime=5ms\n"
		"1.0 thread_exit pid=50 start=0.1 tid=52 run_delay=2ms\n"
		"2.0 exit pid=50 start=0.1 code=0 runtime=1500ms utime=800ms stime=500ms run_delay=10ms minflt=75 majflt=3"
		" peak_rss=5M net_phys=4,400,370,2,200,180 tcp_rx=300 udp_tx=7\n"
		"2.5 net_late pid=50 start=0.1 net_phys=4,400,370,3,260,240 tcp_rx=300 udp_tx=7\n"
		"3.0 exit pid=51 start=0.2 code=0 runtime=6ms net_phys=9,9,9,9,9,9\n");
	struct reading r;
	struct ktally_life *l;

	read_bytes(&r, b.p, b.n);
	l = life(&r, 50);
	EXPECT_TRUE(l->older);
	EXPECT_EQ(500 * MS, number(&r, l, "cpu_ns"));
	EXPECT_EQ(250 * MS, number(&r, l, "cpu_user_ns"));
	EXPECT_EQ(250 * MS, number(&r, l, "cpu_sys_ns"));
	EXPECT_EQ(3 * MS, number(&r, l, "run_delay_ns"));
	EXPECT_FALSE(value(&r, l, "run_delay_ns").lower);
	EXPECT_EQ(5, number(&r, l, "minflt"));
	EXPECT_EQ(UINT64_MAX, number(&r, l, "majflt"));
	EXPECT_EQ(5 << 20, number(&r, l, "peak_rss_bytes"));
	EXPECT_EQ(300, number(&r, l, "rx_wire_bytes"));
	EXPECT_EQ(60, number(&r, l, "tx_wire_bytes"));
	EXPECT_EQ(3, number(&r, l, "rx_packets"));
	EXPECT_EQ(220, number(&r, l, "tcp_rx_bytes"));
	EXPECT_EQ(0, number(&r, l, "udp_tx_bytes"));
	EXPECT_FALSE(value(&r, l, "udp_tx_bytes").upper);
	/* Met by no opening walk: what came before is not known. */
	l = life(&r, 51);
	EXPECT_TRUE(l->older);
	EXPECT_EQ(6 * MS, number(&r, l, "cpu_ns"));
	EXPECT_TRUE(value(&r, l, "cpu_ns").upper);
	EXPECT_TRUE(value(&r, l, "rx_wire_bytes").upper);
	r.ctx.since_birth = true;
	EXPECT_FALSE(value(&r, l, "cpu_ns").upper);
	l = life(&r, 50);
	EXPECT_EQ(1500 * MS, number(&r, l, "cpu_ns"));
	EXPECT_EQ(12 * MS, number(&r, l, "run_delay_ns"));
	EXPECT_EQ(400, number(&r, l, "rx_wire_bytes"));
	EXPECT_EQ(300, number(&r, l, "tcp_rx_bytes"));
	read_done(&r);
	free(b.p);
}

/* Bytes of a process that had ended before are its own, and no process of the balance. */
TEST(late_bytes_of_the_dead)
{
	struct reading r;
	struct ktally_life *l;

	lives(&r, "1.0 net_late pid=77 start=0.2 net_phys=1,100,90,1,60,60\n"
		  "9.0 net_late pid=77 start=0.2 net_phys=1,100,90,2,120,120\n");
	l = life(&r, 77);
	ASSERT_NE(NULL, l);
	EXPECT_EQ(KTALLY_END_UNSEEN, l->state);
	EXPECT_EQ(120, number(&r, l, "tx_wire_bytes"));
	EXPECT_TRUE(value(&r, l, "tx_wire_bytes").upper);
	EXPECT_EQ(0, r.balance.older);
	EXPECT_EQ(0, r.balance.difference);
	EXPECT_EQ(1, r.balance.running);
	read_done(&r);
}

/* Two recordings of one load: what came between them is in neither. */
TEST(two_recordings_leave_out_what_came_between)
{
	static const char *const texts[] = {
		"session 1\n"
		"0.5 walk_begin walk=1 purpose=opening\n"
		"0.5 task pid=50 start=0.1 comm=old walk=1 runtime=1s net_phys=1,100,90,2,200,180\n"
		"0.5 walk_end walk=1 purpose=opening tasks=1\n"
		"0.6 fork pid=60 ppid=50 start=0.6\n"
		"1.0 walk_begin walk=2 purpose=closing\n"
		"1.0 task pid=50 start=0.1 comm=old walk=2 runtime=2s net_phys=1,200,90,2,300,180\n"
		"1.0 task pid=60 start=0.6 comm=new walk=2 runtime=1s net_phys=1,10,90,2,20,180\n"
		"1.0 walk_end walk=2 purpose=closing tasks=2\n",
		"session 2\n"
		"3.0 walk_begin walk=1 purpose=opening\n"
		"3.0 task pid=50 start=0.1 comm=old walk=1 runtime=5s net_phys=1,1000,90,2,1000,180\n"
		"3.0 task pid=60 start=0.6 comm=new walk=1 runtime=3s net_phys=1,50,90,2,50,180\n"
		"3.0 task pid=70 start=2.0 comm=between walk=1 runtime=3s net_phys=1,50,90,2,50,180\n"
		"3.0 walk_end walk=1 purpose=opening tasks=3\n"
		"4.0 exit pid=50 start=0.1 code=0 runtime=6s net_phys=1,1007,90,2,1001,180\n"
		"4.0 exit pid=60 start=0.6 code=0 runtime=3500ms net_phys=1,50,90,2,53,180\n"
		"4.0 exit pid=70 start=2.0 code=0 runtime=3100ms net_phys=1,50,90,2,50,180\n",
	};
	const char *const paths[] = { strdup(scratch()) };
	struct reading r;

	for (int i = 0; i < 2; i++) {
		struct bytes b = record(texts[i]);
		char path[128];

		snprintf(path, sizeof(path), "%s/%d.ktl", paths[0], i);
		save(path, b.p, b.n);
		free(b.p);
	}
	read_files(&r, paths, 1);
	EXPECT_EQ(2 * SEC, number(&r, life(&r, 50), "cpu_ns"));
	EXPECT_EQ(107, number(&r, life(&r, 50), "rx_wire_bytes"));
	EXPECT_EQ(101, number(&r, life(&r, 50), "tx_wire_bytes"));
	EXPECT_EQ(1500 * MS, number(&r, life(&r, 60), "cpu_ns"));
	EXPECT_EQ(10, number(&r, life(&r, 60), "rx_wire_bytes"));
	EXPECT_EQ(23, number(&r, life(&r, 60), "tx_wire_bytes"));
	EXPECT_EQ(100 * MS, number(&r, life(&r, 70), "cpu_ns"));
	EXPECT_EQ(0, number(&r, life(&r, 70), "rx_wire_bytes"));
	read_done(&r);
	remove_scratch(paths[0]);
	free((void *)paths[0]);
}

TEST_HARNESS_MAIN
