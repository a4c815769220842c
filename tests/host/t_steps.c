// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_steps.c - what a script did, in order: each case is a recording of a script (PID
 * 100, from 1.0 to 9.0 unless it says otherwise) and its steps as words,
 *
 *   FROM-TO self | PID[+PID...] [~ guessed] [& background] [^ left behind] [... no end]
 *
 * with times in tenths of a second. Whatever the case, steps and self must tile it.
 */
#include "test.h"

#define SCRIPT "1.0 fork pid=100 ppid=1 pgrp=100\n"
#define END "9.0 exit pid=100\n"

static void put_step(FILE *f, const struct ktally_step *s)
{
	fprintf(f, "%llu-%llu ", (unsigned long long)(s->begin / (100 * MS)),
		(unsigned long long)(s->end / (100 * MS)));
	if (s->kind == KTALLY_STEP_SELF)
		fprintf(f, "self");
	for (size_t i = 0; i < s->n_parts; i++)
		fprintf(f, "%s%u", i ? "+" : "", s->parts[i]->tgid);
	fprintf(f, "%s%s%s%s", s->guessed ? "~" : "", s->background ? "&" : "", s->left ? "^" : "",
		s->ended ? "" : "...");
}

/* Every moment of the life is self or in a step that counts, and never both. */
static const char *untiled(const struct ktally_steps *steps, uint64_t begin, uint64_t end)
{
	const struct ktally_step *s;
	size_t n = ktally_steps_at(steps, &s);
	uint64_t at = begin;

	for (size_t i = 0; i < n; i++) {
		if (s[i].left)
			continue;
		if (s[i].begin > at)
			return " HOLE";
		if (s[i].kind == KTALLY_STEP_SELF && s[i].begin < at)
			return " TWICE";
		at = s[i].end > at ? s[i].end : at;
	}
	return at < end ? " SHORT" : "";
}

static const char *steps_of(const char *text, uint32_t pid)
{
	static char said[2048];
	FILE *f = fmemopen(said, sizeof(said), "w");
	struct bytes b = record(text);
	const struct ktally_step *s;
	struct ktally_steps *steps;
	const struct ktally_life *l;
	struct reading r;
	size_t n;

	read_bytes(&r, b.p, b.n);
	free(b.p);
	l = life(&r, pid);
	steps = ktally_steps_make(l, r.info);
	n = ktally_steps_at(steps, &s);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? " | " : "", f);
		put_step(f, &s[i]);
	}
	fputs(untiled(steps, l->older ? r.info->first_time : l->start,
		      l->end ? l->end : r.info->last_time), f);
	fclose(f);
	ktally_steps_free(steps);
	read_done(&r);
	return said;
}

#define STEPS(want, text) EXPECT_STREQ(want, steps_of(SCRIPT text END, 100)); NO_LEAKS()

TEST(nothing_but_itself)
{
	STEPS("10-90 self", "");
}

TEST(one_after_the_other)
{
	STEPS("10-20 self | 20-30 101 | 30-40 self | 40-50 102 | 50-90 self",
	      "2.0 fork pid=101 ppid=100\n"
	      "2.1 exec pid=101 argv=a\n"
	      "3.0 exit pid=101\n"
	      "4.0 fork pid=102 ppid=100\n"
	      "4.1 exec pid=102 argv=b\n"
	      "5.0 exit pid=102\n");
}

/* The last part ends first, the first one last. */
TEST(a_pipeline_whose_parts_end_in_any_order)
{
	STEPS("10-20 self | 20-60 101+102+103 | 60-90 self",
	      "2.0 fork pid=101 ppid=100\n"
	      "2.1 fork pid=102 ppid=100\n"
	      "2.2 fork pid=103 ppid=100\n"
	      "2.3 exec pid=102 argv=b pipe_in=7 pipe_out=8\n"
	      "2.4 exec pid=101 argv=a pipe_out=7\n"
	      "2.5 exec pid=103 argv=c pipe_in=8\n"
	      "3.0 exit pid=103\n"
	      "4.0 exit pid=102\n"
	      "6.0 exit pid=101\n");
}

/* "true | sleep 1": the first part is gone before the second one is forked. */
TEST(a_part_that_ends_before_the_next_is_forked)
{
	STEPS("10-20 self | 20-40 101+102 | 40-90 self",
	      "2.0 fork pid=101 ppid=100\n"
	      "2.1 exit pid=101 pipe_out=7\n"
	      "2.5 fork pid=102 ppid=100\n"
	      "2.6 exec pid=102 argv=sleep pipe_in=7\n"
	      "4.0 exit pid=102\n");
}

/* "a & b" looks like "a | b", but for the pipe. */
TEST(side_by_side_is_no_pipeline)
{
	STEPS("10-20 self | 20-40 101& | 21-50 102 | 50-90 self",
	      "2.0 fork pid=101 ppid=100\n"
	      "2.1 fork pid=102 ppid=100\n"
	      "2.2 exec pid=101 argv=a pipe_out=3\n"
	      "2.3 exec pid=102 argv=b pipe_out=3\n"
	      "4.0 exit pid=101\n"
	      "5.0 exit pid=102\n");
}

/* A pipeline in the background, steps beside it, and a wait for it. */
TEST(a_pipeline_in_the_background)
{
	STEPS("10-20 self | 20-70 101+102& | 30-40 103 | 70-90 self",
	      "2.0 fork pid=101 ppid=100\n"
	      "2.0 exec pid=101 argv=a pipe_out=7\n"
	      "2.1 fork pid=102 ppid=100\n"
	      "2.1 exec pid=102 argv=b pipe_in=7\n"
	      "3.0 fork pid=103 ppid=100\n"
	      "3.0 exec pid=103 argv=c\n"
	      "4.0 exit pid=103\n"
	      "7.0 exit pid=101\n"
	      "7.0 exit pid=102\n");
}

/* What outlives the script takes nothing from its self. */
TEST(a_daemon_that_is_left_behind)
{
	EXPECT_STREQ("10-40 self | 20-95 101&^... | 40-50 102 | 50-90 self",
		     steps_of(SCRIPT "2.0 fork pid=101 ppid=100\n"
			      "2.0 exec pid=101 argv=daemon\n"
			      "4.0 fork pid=102 ppid=100\n"
			      "4.0 exec pid=102 argv=b\n"
			      "5.0 exit pid=102\n" END
			      "9.5 walk_begin walk=2 purpose=closing\n"
			      "9.5 task pid=101 walk=2\n"
			      "9.5 walk_end walk=2 purpose=closing tasks=1\n", 100));
	EXPECT_STREQ("10-90 self | 20-95 101^",
		     steps_of(SCRIPT "2.0 fork pid=101 ppid=100\n"
			      "2.0 exec pid=101 argv=daemon\n" END
			      "9.5 exit pid=101\n", 100));
}

/* The recording ends while the script waits for its child, and beside a daemon. */
TEST(a_script_that_has_not_ended)
{
	EXPECT_STREQ("10-20 self | 20-40 101 | 40-55 self | 50-60 102&^... | 55-60 103...",
		     steps_of(SCRIPT "2.0 fork pid=101 ppid=100\n"
			      "2.0 exec pid=101 argv=a\n"
			      "4.0 exit pid=101\n"
			      "5.0 fork pid=102 ppid=100\n"
			      "5.0 exec pid=102 argv=daemon\n"
			      "5.5 fork pid=103 ppid=100\n"
			      "5.5 exec pid=103 argv=b\n"
			      "6.0 walk_begin walk=2 purpose=closing\n"
			      "6.0 task pid=100 walk=2\n6.0 task pid=102 walk=2\n6.0 task pid=103 walk=2\n"
			      "6.0 walk_end walk=2 purpose=closing tasks=3\n", 100));
}

/* "exec b" in the script: its self is cut where the other program began. */
TEST(an_exec_splits_the_life)
{
	STEPS("10-11 self | 11-20 self | 20-30 101 | 30-50 self | 50-90 self",
	      "1.1 exec pid=100 argv=\"sh x\"\n"
	      "2.0 fork pid=101 ppid=100\n"
	      "2.0 exec pid=101 argv=a\n"
	      "3.0 exit pid=101\n"
	      "5.0 exec pid=100 argv=b\n");
}

/* "(a; b) | c", still running: the subshell shows its pipe by what it started. */
TEST(a_subshell_in_a_pipeline)
{
	EXPECT_STREQ("10-20 self | 20-40 101+102...",
		     steps_of(SCRIPT "2.0 fork pid=101 ppid=100\n"
			      "2.1 fork pid=102 ppid=100\n"
			      "2.1 exec pid=102 argv=c pipe_in=7\n"
			      "2.2 fork pid=103 ppid=101\n"
			      "2.2 exec pid=103 argv=a pipe_out=7\n"
			      "4.0 walk_begin walk=2 purpose=closing\n"
			      "4.0 task pid=100 walk=2\n4.0 task pid=101 walk=2\n4.0 task pid=102 walk=2\n"
			      "4.0 task pid=103 walk=2\n4.0 walk_end walk=2 purpose=closing tasks=4\n", 100));
}

/* Longer than the window in which joined parts are looked for. */
TEST(a_pipeline_of_many)
{
	char text[40000] = SCRIPT, want[2000] = "10-20 self | 20-80 ";
	size_t at = strlen(text), w = strlen(want);

	for (int i = 0; i < 200; i++) {
		at += sprintf(text + at, "2.0 fork pid=%d ppid=100\n2.0 exec pid=%d argv=p pipe_in=%d pipe_out=%d\n",
			      200 + i, 200 + i, i, i + 1);
		w += sprintf(want + w, "%s%d", i ? "+" : "", 200 + i);
	}
	for (int i = 0; i < 200; i++)
		at += sprintf(text + at, "8.0 exit pid=%d\n", 200 + i);
	strcpy(text + at, END);
	strcpy(want + w, " | 80-90 self");
	EXPECT_STREQ(want, steps_of(text, 100));
}

#define STILL_THERE(pgrp)						\
	"6.0 walk_begin walk=2 purpose=closing\n6.0 task pid=100 walk=2\n"	\
	"6.0 task pid=101 pgrp=" pgrp " walk=2\n6.0 task pid=102 pgrp=" pgrp " walk=2\n" \
	"6.0 walk_end walk=2 purpose=closing tasks=3\n"

/* Nothing tells their pipes: a shell with job control gave them a group of their own. */
TEST(guessed_by_process_group)
{
	EXPECT_STREQ("10-30 self | 20-60 101+102~&^... | 30-40 103 | 40-60 self",
		     steps_of(SCRIPT "2.0 fork pid=101 ppid=100\n"
			      "2.1 fork pid=102 ppid=100\n"
			      "3.0 fork pid=103 ppid=100\n"
			      "4.0 exit pid=103\n" STILL_THERE("101"), 100));
}

/* Neither that: one forked right after the other and beside it. */
TEST(guessed_by_time)
{
	EXPECT_STREQ("10-20 self | 20-60 101+102~...",
		     steps_of(SCRIPT "2.0 fork pid=101 ppid=100\n"
			      "2.1 fork pid=102 ppid=100\n" STILL_THERE("100"), 100));
}

TEST_HARNESS_MAIN
