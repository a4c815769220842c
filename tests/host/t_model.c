// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_model.c - records to lives: what is known of a process after its records, whatever their
 * order, whose child it is and what it used.
 */
#include "lives.h"

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
