// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_top.c - rows of the full-screen view: who is there, in which order, and what their
 * lines say, out of records as a session writes them.
 */
#include "test.h"

#include "../../user/out/text.c"
#include "../../user/top/rows.c"
#include "../../user/top/cells.c"

struct top {
	struct ktally_field_ctx ctx;
	struct ktally_watch *watch;
	struct ktally_stream *stream;
	struct bytes bytes;
	struct top_view view;
	struct top_rows rows;
};

static const char records[] =
	"1.0 walk_begin walk=1 purpose=opening\n"
	"1.0 task pid=1 start=0.001 image=1 comm=init argv=/sbin/init live=1 threads=1 walk=1 runtime=5ms utime=5ms stime=0 rss=1M peak_rss=2M sampled=1.0\n"
	"1.0 task pid=7 start=0.5 ppid=1 parent_start=0.001 image=1 comm=sh argv=sh live=1 threads=1 walk=1 runtime=1ms utime=1ms stime=0 rss=9M peak_rss=9M sampled=1.0\n"
	"1.0 walk_end walk=1 purpose=opening tasks=2\n"
	"1.2 fork pid=10 ppid=7\n"
	"1.2 exec pid=10 argv=\"cc1 -O2\" runtime=0 rss=1M peak_rss=500K\n"
	"1.4 exit pid=10 code=0 runtime=100ms utime=100ms stime=0 rss=0 peak_rss=61M\n"
	"1.5 fork pid=11 ppid=7\n"
	"1.5 exec pid=11 argv=\"cc1 -O3\" runtime=0 rss=1M peak_rss=500K\n"
	"1.7 exit pid=11 code=0 runtime=200ms utime=200ms stime=0 rss=0 peak_rss=50M\n"
	"1.9 task pid=1 walk=2 live=1 runtime=505ms utime=505ms stime=0 rss=1M peak_rss=2M sampled=1.9\n"
	"1.9 task pid=7 walk=2 live=1 runtime=11ms utime=11ms stime=0 rss=9M peak_rss=9M sampled=1.9\n";

static void feed(struct top *t, const char *text)
{
	const struct ktally_watch_options o = { .key = KTALLY_BY_PROGRAM, .ctx = &t->ctx };
	struct ktally_event ev;
	bool cut = false;

	t->bytes = record(text);
	if (ktally_stream_open_memory(&t->stream, t->bytes.p, t->bytes.n))
		abort();
	t->watch = ktally_watch_open(&o);
	while (ktally_stream_next(t->stream, &ev) == 1) {
		if (!cut && ev.time >= 1100 * MS) {
			ktally_watch_cut(t->watch, 1100 * MS, false);
			cut = true;
		}
		ktally_watch_feed(t->watch, &ev);
	}
	ktally_watch_cut(t->watch, 2100 * MS, false);
	t->view = (struct top_view){ .sort = TOP_CPU, .cpus = 2 };
}

static void make(struct top *t, size_t most_ended)
{
	if (top_rows_make(&t->rows, t->watch, &t->ctx, &t->view, most_ended))
		abort();
}

static void done(struct top *t)
{
	top_rows_free(&t->rows);
	ktally_watch_close(t->watch);
	ktally_stream_close(t->stream);
	free(t->bytes.p);
}

static const char *cell(struct top *t, size_t row, enum top_column c)
{
	static char text[2 * TOP_TEXT];

	if (row >= t->rows.n)
		return "(no such row)";
	write_cell(text, sizeof(text), &t->rows, t->rows.order[row], &t->view, c);
	return text;
}

/* PIDs of the rows, in order. */
static const char *pids(struct top *t)
{
	static char text[256];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < t->rows.n; i++)
		at += snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "", cell(t, i, TOP_PID));
	return text;
}

/* A command with its branches, in the letters of this locale. */
static const char *branched(const char *branch, int depth, const char *command)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s%s%s", depth ? text_glyphs()->blank : "", branch, command);
	return text;
}
#define last(depth, command)	branched(text_glyphs()->last, depth, command)
#define between(depth, command)	branched(text_glyphs()->branch, depth, command)

TEST(each_column_sorts_and_turns_round)
{
	static const struct {
		enum top_column by;
		const char *order, *turned;
	} cases[] = {
		{ TOP_PID, "1 7 10 11", "11 10 7 1" },
		{ TOP_CPU, "1 11 10 7", "7 10 11 1" },
		{ TOP_CPU_TOTAL, "1 11 10 7", "7 10 11 1" },
		{ TOP_PEAK, "10 11 7 1", "1 7 11 10" },
		{ TOP_RSS, "7 1 10 11", "10 11 1 7" },	/* unknown: of those that ended */
		{ TOP_AGE, "10 11 7 1", "1 7 10 11" },	/* equal ones keep still */
		{ TOP_COMMAND, "1 10 11 7", "7 11 10 1" },
	};
	struct top t = {};

	feed(&t, records);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		t.view.sort = cases[i].by;
		t.view.reverse = false;
		make(&t, 100);
		EXPECT_STREQ(cases[i].order, pids(&t)) TH_LOG("sorted by %s", top_columns[cases[i].by].name);
		t.view.reverse = true;
		make(&t, 100);
		EXPECT_STREQ(cases[i].turned, pids(&t)) TH_LOG("turned, by %s", top_columns[cases[i].by].name);
	}
	done(&t);
	NO_LEAKS();
}

TEST(what_ended_is_there_once_with_its_whole_figures)
{
	struct top t = {};

	feed(&t, records);
	make(&t, 100);
	EXPECT_STREQ("11", cell(&t, 1, TOP_PID));
	EXPECT_STREQ("x", cell(&t, 1, TOP_STATE));
	EXPECT_STREQ("0:00.20", cell(&t, 1, TOP_CPU_TOTAL));
	EXPECT_STREQ("-", cell(&t, 1, TOP_RSS));
	EXPECT_STREQ("50.0M", cell(&t, 1, TOP_PEAK));
	EXPECT_STREQ("0.2s", cell(&t, 1, TOP_AGE));
	EXPECT_STREQ("cc1 -O3", cell(&t, 1, TOP_COMMAND));
	ktally_watch_cut(t.watch, 3100 * MS, false);
	make(&t, 100);
	EXPECT_STREQ("1 7", pids(&t));
	done(&t);
	NO_LEAKS();
}

TEST(too_many_that_ended_are_a_row_per_program)
{
	struct top t = {};

	feed(&t, records);
	make(&t, 1);
	EXPECT_EQ(3, t.rows.n);
	EXPECT_STREQ("2", cell(&t, 1, TOP_PID));
	EXPECT_STREQ("x", cell(&t, 1, TOP_STATE));
	EXPECT_STREQ("0:00.30", cell(&t, 1, TOP_CPU_TOTAL));
	EXPECT_STREQ("61.0M", cell(&t, 1, TOP_PEAK));
	EXPECT_STREQ("cc1 (2 ended)", cell(&t, 1, TOP_COMMAND));
	done(&t);
	NO_LEAKS();
}

TEST(the_tree_keeps_the_order_among_siblings)
{
	struct top t = {};

	feed(&t, records);
	t.view.tree = true;
	make(&t, 100);
	EXPECT_STREQ("1 7 11 10", pids(&t));
	EXPECT_STREQ(last(0, "sh"), cell(&t, 1, TOP_COMMAND));
	EXPECT_STREQ(between(1, "cc1 -O3"), cell(&t, 2, TOP_COMMAND));
	EXPECT_STREQ(last(1, "cc1 -O2"), cell(&t, 3, TOP_COMMAND));
	/* Who passes the filter is shown with those above it. */
	strcpy(t.view.filter, "o2");
	make(&t, 100);
	EXPECT_STREQ("1 7 10", pids(&t));
	EXPECT_STREQ(last(1, "cc1 -O2"), cell(&t, 2, TOP_COMMAND));
	t.view.tree = false;
	make(&t, 100);
	EXPECT_STREQ("10", pids(&t));
	strcpy(t.view.filter, "nothing of this");
	make(&t, 100);
	EXPECT_EQ(0, t.rows.n);
	done(&t);
	NO_LEAKS();
}

TEST(groups_are_tallies)
{
	struct top t = {};

	feed(&t, records);
	t.view.groups = true;
	make(&t, 100);
	EXPECT_EQ(3, t.rows.n);
	EXPECT_STREQ("init", cell(&t, 0, TOP_COMMAND));
	EXPECT_STREQ("cc1 (2 ended)", cell(&t, 1, TOP_COMMAND));
	EXPECT_STREQ("0:00.30", cell(&t, 1, TOP_CPU_TOTAL));
	done(&t);
	NO_LEAKS();
}

/* At any width a line holds no more columns than there are, and the command gets the rest. */
TEST(lines_fit)
{
	enum top_column list[TOP_COLUMNS];
	char line[4096];
	struct top t = {};

	feed(&t, records);
	make(&t, 100);
	for (size_t width = 80; width < 140; width++) {
		size_t n = top_choose(&t.view, width, list);

		for (size_t i = 0; i < t.rows.n; i++) {
			top_line(line, sizeof(line), &t.rows, t.rows.order[i], &t.view, list, n, width);
			EXPECT_GE(width, text_width(line, strlen(line)));
			EXPECT_NE(NULL, strstr(line, i == 0 ? "/sbin/init" : i == 3 ? "sh" : "cc1 -O"));
		}
	}
	/* The tree gets its room, but never from the column that sorts. */
	t.view.tree = true;
	EXPECT_EQ(TOP_COLUMNS - 4, top_choose(&t.view, 80, list));
	t.view.sort = TOP_PEAK;
	EXPECT_EQ(TOP_COLUMNS - 3, top_choose(&t.view, 80, list));
	t.view.tree = false;
	EXPECT_EQ(TOP_COLUMNS - 2, top_choose(&t.view, 80, list));
	EXPECT_EQ(TOP_COLUMNS, top_choose(&t.view, SIZE_MAX, list));
	top_heading(line, sizeof(line), &t.view, list, TOP_COLUMNS);
	EXPECT_NE(NULL, strstr(line, "%CPU    CPU+"));
	done(&t);
	NO_LEAKS();
}

TEST(times_fit_their_columns)
{
	static const struct {
		uint64_t ns;
		const char *clock, *age;
	} cases[] = {
		{ 0, "0:00.00", "0.0s" }, { 9990 * MS, "0:09.99", "9.9s" }, { 61000 * MS, "1:01.00", "1:01" },
		{ 3599990 * MS, "59:59.9", "59:59" }, { 7384 * 1000 * MS, "2:03:04", "2h03" },
		{ 400ULL * 3600 * 1000 * MS, "400h00", "16d" },
	};
	char text[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cpu_clock(text, sizeof(text), cases[i].ns);
		EXPECT_GE(top_columns[TOP_CPU_TOTAL].width, strlen(text));
		EXPECT_STREQ(cases[i].clock, text);
		age(text, sizeof(text), cases[i].ns);
		EXPECT_STREQ(cases[i].age, text);
	}
}

TEST_HARNESS_MAIN
