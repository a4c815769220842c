// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_image.c - the programs of a life, one after the other: names, arguments, and what each
 * of them used.
 */
#include "lives.h"

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

TEST_HARNESS_MAIN
