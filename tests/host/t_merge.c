// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_merge.c - many CPUs, sessions, files and boots into one order of time, with what
 * was lost counted by kind, from files and from a live reader's pushes alike.
 */
#include "container.h"
#include "test.h"

FIXTURE(folder) {
	char dir[64];
};

FIXTURE_SETUP(folder)
{
	strcpy(self->dir, scratch());
}

FIXTURE_TEARDOWN(folder)
{
	remove_scratch(self->dir);
}

static char *make(const char *dir, const char *name, const char *text)
{
	static char paths[4][128];
	static int turn;
	char error[400], *path = paths[turn++ % 4];

	sprintf(path, "%s/%s", dir, name);
	if (mkrec(text, path, error, sizeof(error))) {
		fprintf(stderr, "%s\n", error);
		abort();
	}
	return path;
}

/* Marks of one CPU at the given step, and where they would sort. */
static void add_marks(FILE *f, int cpu, int n, int step, int offset)
{
	fprintf(f, "cpu %d\n", cpu);
	for (int i = 0; i < n; i++)
		fprintf(f, "%dus mark pid=%d start=0 text=m\n", offset + i * step, cpu + 1);
}

static struct bytes many_cpus(void)
{
	struct bytes b;
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fputs("subbuf 8K\n0us mark pid=1 start=0 text=m\n", f);
	for (int cpu = 0; cpu < 9; cpu++)
		add_marks(f, cpu, 200, 7 + cpu, 10 + cpu % 3);
	fclose(f);
	b = record(text);
	free(text);
	return b;
}

TEST(time_never_runs_backwards)
{
	struct bytes b = many_cpus();
	struct ktally_stream *s;
	struct ktally_event ev;
	uint64_t last = 0, seq[9] = { 0 }, marks = 0;

	ASSERT_EQ(0, ktally_stream_open_memory(&s, b.p, b.n));
	while (ktally_stream_next(s, &ev) == 1) {
		ASSERT_LE(last, ev.time);
		last = ev.time;
		ASSERT_EQ(seq[ev.cpu], ev.seq);
		seq[ev.cpu]++;
		marks += ev.kind == KTALLY_MARK;
	}
	EXPECT_EQ(9 * 200 + 1, marks);
	EXPECT_EQ(9, ktally_stream_info(s)->cpus);
	EXPECT_EQ(0, ktally_stream_gaps(s, &(const struct ktally_gap *){ NULL }));
	ktally_stream_close(s);
	free(b.p);
	NO_LEAKS();
}

TEST(losses_by_kind_and_place)
{
	struct bytes b = record("1.0 fork pid=100 ppid=1\n"
				"cpu 1\n1.5 mark text=a\nlost fork 2\nlost exit 3\n1.7 mark text=b\nflush\n"
				"lost exec\n2.0 mark text=c\n"
				"cpu 2\n2.1 mark text=d\nlost args 5\n");
	const struct ktally_gap *gaps;
	struct reading r;

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(2, r.info->lost[KTALLY_FORK]);
	EXPECT_EQ(3, r.info->lost[KTALLY_EXIT]);
	EXPECT_EQ(1, r.info->lost[KTALLY_EXEC]);
	EXPECT_EQ(5, r.info->lost[KTALLY_ARGS]);
	EXPECT_EQ(0, r.info->lost[KTALLY_MARK]);
	EXPECT_EQ(4, r.info->attempts[KTALLY_MARK]);
	ASSERT_EQ(2, ktally_stream_gaps(r.stream, &gaps));
	EXPECT_EQ(1, gaps[0].cpu);
	EXPECT_EQ(5, gaps[0].lost);
	EXPECT_EQ(1500 * MS, gaps[0].from);
	EXPECT_EQ(1700 * MS, gaps[0].to);
	EXPECT_FALSE(gaps[0].damaged);
	EXPECT_EQ(1, gaps[1].lost);
	read_done(&r);
	free(b.p);
}

/* Without the end record only what headers say is known: losses behind the last are not. */
TEST(losses_of_a_torn_recording)
{
	struct bytes b = record("no-end\n1.5 mark text=a\nlost fork 2\nflush\n"
				"1.7 mark text=b\nlost exit 3\n");
	struct reading r;

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(2, r.info->lost[KTALLY_FORK]);
	EXPECT_EQ(0, r.info->lost[KTALLY_EXIT]);
	EXPECT_FALSE(r.info->ended);
	read_done(&r);
	free(b.p);
}

TEST(filtered_and_threads_are_counted)
{
	struct bytes b = record("1.5 mark text=a\nfiltered fork 2\nfiltered exit 4\nthreads 7\n"
				"cpu 1\n1.6 mark text=b\nthreads 5\nfiltered fork 1\n");
	struct reading r;

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(3, r.info->filtered[KTALLY_FORK]);
	EXPECT_EQ(4, r.info->filtered[KTALLY_EXIT]);
	EXPECT_EQ(12, r.info->threads);
	EXPECT_EQ(0, r.info->lost[KTALLY_FORK]);
	read_done(&r);
	free(b.p);
}

TEST_F(folder, a_folder_of_sessions_one_after_the_other)
{
	struct reading r;

	make(self->dir, "b.ktl", "session 2\nload 1\n"
	     "5.0 walk_begin walk=1 purpose=opening\n5.0 task pid=1 start=0.1 walk=1\n5.0 walk_end walk=1 purpose=opening\n"
	     "6.0 exit pid=1 code=4\n"
	     "7.0 walk_begin walk=2 purpose=closing\n7.0 walk_end walk=2 purpose=closing\n");
	make(self->dir, "a.ktl", "session 1\nload 1\n"
	     "1.0 walk_begin walk=1 purpose=opening\n1.0 task pid=1 start=0.1 walk=1\n1.0 walk_end walk=1 purpose=opening\n"
	     "1.5 fork pid=50 ppid=1\n"
	     "2.0 walk_begin walk=2 purpose=closing\n2.0 task pid=1 walk=2\n2.0 task pid=50 walk=2\n2.0 walk_end walk=2 purpose=closing\n");
	read_files(&r, (const char *[]){ self->dir }, 1);
	ASSERT_EQ(0, r.opened) TH_LOG("%s", ktally_stream_error(r.stream));
	EXPECT_EQ(2, r.info->sessions);
	EXPECT_EQ(2, r.info->files);
	EXPECT_EQ(1, r.info->boots);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 1)->state);
	EXPECT_EQ(KTALLY_END_UNSEEN, life(&r, 50)->state);	/* ended between the two */
	EXPECT_EQ(0, r.balance.difference);
	EXPECT_EQ(0, r.warnings);
	read_done(&r);
	NO_LEAKS();
}

TEST_F(folder, two_boots)
{
	struct reading r;

	char *a = make(self->dir, "a.ktl", "boot one\nload 1\n1.0 fork pid=50 ppid=1\n2.0 exit pid=50 code=1\n");
	char *b = make(self->dir, "b.ktl", "boot two\nload 1\n1.0 fork pid=50 ppid=1\n2.5 exit pid=50 code=2\n");

	read_files(&r, (const char *[]){ b, a }, 2);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(2, r.info->boots);
	EXPECT_EQ(2, r.balance.forks);
	EXPECT_EQ(2, r.balance.exits);
	EXPECT_EQ(0, r.balance.duplicates);
	read_done(&r);
}

TEST_F(folder, the_same_file_twice_counts_once)
{
	char *a = make(self->dir, "a.ktl", "1.0 fork pid=50 ppid=1\nlost exec 2\n2.0 exit pid=50\n");
	struct reading r;

	read_files(&r, (const char *[]){ a, a }, 2);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(1, r.balance.exits);
	EXPECT_EQ(0, r.balance.duplicates);
	EXPECT_EQ(2, r.info->lost[KTALLY_EXEC]);
	read_done(&r);
}

TEST_F(folder, sessions_of_the_same_time_are_refused)
{
	char *a = make(self->dir, "a.ktl", "session 1\n1.0 fork pid=50 ppid=1\n2.0 exit pid=50\n");
	char *b = make(self->dir, "b.ktl", "session 2\n1.5 fork pid=51 ppid=1\n3.0 exit pid=51\n");
	struct reading r;

	read_files(&r, (const char *[]){ a, b }, 2);
	EXPECT_EQ(-EINVAL, r.opened);
	EXPECT_NE(NULL, strstr(ktally_stream_error(r.stream), "recorded at the same time"));
	ktally_stream_close(r.stream);
	NO_LEAKS();
}

TEST_F(folder, an_empty_folder)
{
	struct reading r;

	read_files(&r, (const char *[]){ self->dir }, 1);
	EXPECT_EQ(-ENOENT, r.opened);
	EXPECT_NE(NULL, strstr(ktally_stream_error(r.stream), "no recordings"));
	ktally_stream_close(r.stream);
}

/* ---- pushed ---- */

/* Calls f for every block of records, in the order of the file. */
static void each_subbuf(const struct bytes *b, void (*f)(void *arg, const struct block_head *h, const void *p), void *arg)
{
	struct block_head h;

	for (size_t at = sizeof(struct container_head); at < b->n; at += block_span(&h)) {
		memcpy(&h, b->p + at, sizeof(h));
		if (h.type == BLOCK_RECORDS)
			f(arg, &h, b->p + at + sizeof(h));
	}
}

static void push_one(void *arg, const struct block_head *h, const void *p)
{
	if (ktally_stream_push(arg, p, h->length))
		abort();
}

TEST(pushed_is_as_read)
{
	struct bytes b = many_cpus();
	struct ktally_stream *file, *push;
	struct ktally_event x, y;
	int ret;

	ASSERT_EQ(0, ktally_stream_open_memory(&file, b.p, b.n));
	ASSERT_EQ(0, ktally_stream_open_push(&push));
	each_subbuf(&b, push_one, push);
	EXPECT_EQ(-EAGAIN, ktally_stream_next(push, &y));
	ktally_stream_settled(push, UINT64_MAX);
	while ((ret = ktally_stream_next(file, &x)) == 1) {
		ASSERT_EQ(1, ktally_stream_next(push, &y));
		ASSERT_EQ(x.time, y.time);
		ASSERT_EQ(x.cpu, y.cpu);
		ASSERT_EQ(x.seq, y.seq);
		ASSERT_EQ(x.kind, y.kind);
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(0, ktally_stream_next(push, &y));
	EXPECT_EQ(ktally_stream_info(file)->records, ktally_stream_info(push)->records);
	EXPECT_EQ(0, memcmp(ktally_stream_info(file)->attempts, ktally_stream_info(push)->attempts,
			    sizeof(ktally_stream_info(push)->attempts)));
	ktally_stream_close(file);
	ktally_stream_close(push);
	free(b.p);
	NO_LEAKS();
}

TEST(all_has_the_last_time_there_is)
{
	struct bytes b = record("1us mark pid=1 start=0 text=m\n7654321ns mark pid=1 start=0 text=m\n");
	const uint64_t written = 7654321, meant = UINT64_MAX;
	struct ktally_stream *s;
	struct ktally_event ev;
	int ret, last = 0;
	void *time;

	while ((time = memmem(b.p, b.n, &written, sizeof(written))))
		memcpy(time, &meant, sizeof(meant));
	ASSERT_EQ(0, ktally_stream_open_push(&s));
	each_subbuf(&b, push_one, s);
	ktally_stream_settled(s, UINT64_MAX);
	while ((ret = ktally_stream_next(s, &ev)) == 1)
		last += ev.time == UINT64_MAX;
	EXPECT_EQ(0, ret);
	EXPECT_GT(last, 0);
	ktally_stream_close(s);
	free(b.p);
	NO_LEAKS();
}

struct sub {
	struct block_head h;
	const void *p;
};

struct subs {
	struct sub all[256];
	size_t n;
};

static void keep_sub(void *arg, const struct block_head *h, const void *p)
{
	struct subs *s = arg;

	s->all[s->n++] = (struct sub){ *h, p };
}

static int by_last_time(const void *a, const void *b)
{
	uint64_t x = ((const struct sub *)a)->h.last_time, y = ((const struct sub *)b)->h.last_time;

	return x < y ? -1 : x > y;
}

/* Sub-buffers come when they are full; what is not there yet begins at the earliest here. */
static uint64_t earliest_from(const struct subs *s, size_t i)
{
	uint64_t t = UINT64_MAX;

	for (; i < s->n; i++)
		if (s->all[i].h.first_time < t)
			t = s->all[i].h.first_time;
	return t;
}

TEST(pushed_little_by_little)
{
	struct bytes b = many_cpus();
	struct subs subs = { .n = 0 };
	struct ktally_stream *s;
	struct ktally_event ev;
	uint64_t last = 0, marks = 0, early = 0;

	each_subbuf(&b, keep_sub, &subs);
	qsort(subs.all, subs.n, sizeof(subs.all[0]), by_last_time);
	ASSERT_EQ(0, ktally_stream_open_push(&s));
	for (size_t i = 0; i < subs.n; i++) {
		push_one(s, &subs.all[i].h, subs.all[i].p);
		ktally_stream_settled(s, earliest_from(&subs, i + 1));
		while (ktally_stream_next(s, &ev) == 1) {
			ASSERT_LE(last, ev.time);
			last = ev.time;
			marks += ev.kind == KTALLY_MARK;
		}
		early += i + 1 < subs.n ? marks > 0 : 0;
	}
	EXPECT_EQ(9 * 200 + 1, marks);
	EXPECT_GT(early, 5);		/* not all at the end */
	EXPECT_EQ(0, ktally_stream_next(s, &ev));
	EXPECT_EQ(0, ktally_stream_info(s)->lost[KTALLY_MARK]);
	ktally_stream_close(s);
	free(b.p);
	NO_LEAKS();
}

TEST(pushed_rubbish_is_refused)
{
	struct ktally_stream *s;
	unsigned char junk[64] = { 1, 2, 3 };

	ASSERT_EQ(0, ktally_stream_open_push(&s));
	EXPECT_EQ(-EBADMSG, ktally_stream_push(s, junk, sizeof(junk)));
	EXPECT_EQ(-EBADMSG, ktally_stream_push(s, junk, 0));
	EXPECT_NE(NULL, strstr(ktally_stream_error(s), "no sub-buffer"));
	ktally_stream_close(s);
	NO_LEAKS();
}

TEST(a_closed_stream_leaves_nothing)
{
	struct bytes b = many_cpus();
	struct ktally_stream *s;
	struct ktally_event ev;

	ASSERT_EQ(0, ktally_stream_open_push(&s));
	each_subbuf(&b, push_one, s);
	ktally_stream_settled(s, 300000);
	for (int i = 0; i < 50; i++)
		ktally_stream_next(s, &ev);
	ktally_stream_close(s);
	ktally_stream_close(NULL);
	free(b.p);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
