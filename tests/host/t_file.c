// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_file.c - a recording's file while it is written: made, moved aside, kept whole when
 * the disk refuses, by one writer at a time, and gone on with in the next one.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "container.h"
#include "test.h"

#define SMALL "1.0 fork pid=100 ppid=1\n2.0 exit pid=100 code=3\n"

FIXTURE(folder) {
	char dir[64], path[80], old[90];
};

FIXTURE_SETUP(folder)
{
	strcpy(self->dir, scratch());
	sprintf(self->path, "%s/r.ktl", self->dir);
	sprintf(self->old, "%s.old", self->path);
}

FIXTURE_TEARDOWN(folder)
{
	remove_scratch(self->dir);
}

static int make(const char *text, const char *path, char *error)
{
	return mkrec(text, path, error, 400);
}

/* One sub-buffer to write, taken from a recording. */
static struct bytes one_subbuf(void)
{
	struct bytes b = record("subbuf 128K\n" SMALL);
	struct bytes sub = { NULL, 0 };
	size_t at = sizeof(struct container_head);
	struct block_head h;

	do {
		memcpy(&h, b.p + at, sizeof(h));
		if (h.type == BLOCK_RECORDS) {
			sub.p = malloc(h.length);
			sub.n = h.length;
			memcpy(sub.p, b.p + at + sizeof(h), h.length);
		}
		at += block_span(&h);
	} while (!sub.p);
	free(b.p);
	return sub;
}

TEST_F(folder, private_and_whole)
{
	char error[400];
	struct reading r;
	struct stat st;

	ASSERT_EQ(0, make("host h\ncommand \"make -j\"\nroot 100@1.0\n" SMALL, self->path, error));
	ASSERT_EQ(0, stat(self->path, &st));
	EXPECT_EQ(0600, st.st_mode & 0777);
	read_files(&r, (const char *[]){ self->path }, 1);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(0, r.ended);
	EXPECT_EQ(0, r.warnings);
	EXPECT_STREQ("h", r.info->host);
	EXPECT_STREQ("make -j", r.info->command);
	EXPECT_STREQ("6.1.0-test", r.info->release);
	EXPECT_STREQ("x86_64", r.info->machine);
	EXPECT_STREQ("0.1", r.info->module);
	EXPECT_EQ(100, r.info->root_tgid);
	EXPECT_EQ(SEC, r.info->root_start);
	EXPECT_EQ(st.st_size, r.info->bytes);
	EXPECT_TRUE(r.info->ended);
	EXPECT_EQ(1, r.info->cpus);
	read_done(&r);
	NO_LEAKS();
}

TEST_F(folder, an_existing_file_is_moved_aside)
{
	struct bytes old;
	char error[400];

	save(self->path, "precious", 8);
	ASSERT_EQ(0, make(SMALL, self->path, error));
	old = load(self->old);
	EXPECT_EQ(8, old.n);
	free(old.p);
	save(self->path, "precious", 8);
	ASSERT_EQ(0, make("force\n" SMALL, self->path, error));
	old = load(self->old);
	EXPECT_EQ(8, old.n);
	free(old.p);
}

TEST_F(folder, nothing_recorded_no_file)
{
	struct bytes back;
	char error[400];

	save(self->path, "precious", 8);
	EXPECT_EQ(-1, make("1.0 walk_begin walk=1 purpose=opening\n", self->path, error));
	EXPECT_NE(NULL, strstr(error, "nothing was recorded"));
	back = load(self->path);
	EXPECT_EQ(8, back.n);
	EXPECT_NE(0, access(self->old, F_OK));
	free(back.p);
}

static int files_in(const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, NULL, NULL);

	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return n - 2;
}

TEST_F(folder, discarded)
{
	struct bytes sub = one_subbuf(), back;

	for (int force = 0; force < 2; force++) {
		const struct ktally_file_options o = { .force = force };
		struct ktally_file *f;

		save(self->path, "precious", 8);
		ASSERT_EQ(0, ktally_file_create(&f, self->path, &o));
		EXPECT_EQ(0, ktally_file_add(f, sub.p, sub.n));
		ktally_file_discard(f);
		ktally_file_close(f);
		back = load(self->path);
		EXPECT_EQ(8, back.n);
		EXPECT_EQ(1, files_in(self->dir));
		free(back.p);
	}
	free(sub.p);
}

TEST_F(folder, overwritten)
{
	struct bytes sub = one_subbuf();

	for (int keep = 0; keep < 2; keep++) {
		struct ktally_file *f;

		save(self->path, "worthless", 9);
		ASSERT_EQ(0, ktally_file_create(&f, self->path, &(struct ktally_file_options){ .force = true }));
		EXPECT_EQ(0, ktally_file_add(f, sub.p, sub.n));
		EXPECT_EQ(2, files_in(self->dir));
		if (keep)
			ktally_file_keep(f);
		EXPECT_EQ(2 - keep, files_in(self->dir));
		ktally_file_close(f);
		EXPECT_EQ(1, files_in(self->dir));
	}
	free(sub.p);
}

TEST_F(folder, places_that_can_not_be_written)
{
	static const struct { const char *path, *words; } cases[] = {
		{ "/nonexistent/x.ktl", "No such file" }, { "/", "directory" }, { "/proc/x.ktl", "can't create" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ktally_file *f;

		EXPECT_GT(0, ktally_file_create(&f, cases[i].path, NULL));
		EXPECT_NE(NULL, strstr(ktally_file_error(f), cases[i].words)) TH_LOG("%s", ktally_file_error(f));
		ktally_file_close(f);
	}
	NO_LEAKS();
}

/* A block that does not fit is taken back; what was written before can be read. */
TEST_F(folder, a_full_disk_leaves_a_whole_file)
{
	struct bytes sub = one_subbuf();
	struct ktally_file *f;
	struct rlimit limit;
	struct reading r;
	uint64_t before;

	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, ktally_file_create(&f, self->path, NULL));
	ASSERT_EQ(0, ktally_file_add(f, sub.p, sub.n));
	before = ktally_file_bytes(f);
	limit.rlim_cur = limit.rlim_max = before + 1000;
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	EXPECT_EQ(-EFBIG, ktally_file_add(f, sub.p, sub.n));
	EXPECT_NE(NULL, strstr(ktally_file_error(f), "can't write"));
	EXPECT_EQ(before, ktally_file_bytes(f));
	EXPECT_EQ(-EFBIG, ktally_file_add(f, sub.p, sub.n));
	ktally_file_dropped(f);
	EXPECT_EQ(0, ktally_file_finish(f));
	ktally_file_close(f);
	read_files(&r, (const char *[]){ self->path }, 1);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_NE(NULL, warning(&r, "1 blocks could not be written"));
	read_done(&r);
	free(sub.p);
}

/* Refused at every length of what the disk still takes, then written on: nothing is missing. */
TEST_F(folder, written_on_when_there_is_room_again)
{
	struct bytes whole = record("subbuf 4K\n1.0 fork pid=100 ppid=1\nflush\n2.0 exit pid=100 code=3\n");
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	for (uint64_t room = 200; room < whole.n; room += 333) {
		const struct rlimit little = { room, RLIM_INFINITY };
		struct ktally_file_options o = { .force = true };
		size_t at = sizeof(struct container_head);
		struct ktally_file *f;
		struct block_head h;
		struct bytes back;
		struct reading r;

		ASSERT_EQ(0, ktally_file_create(&f, self->path, &o));
		for (; at < whole.n; at += block_span(&h)) {
			const void *sub = whole.p + at + sizeof(h);

			memcpy(&h, whole.p + at, sizeof(h));
			if (h.type != BLOCK_RECORDS)
				continue;
			ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &little));
			if (ktally_file_add(f, sub, h.length)) {
				ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &all));
				ASSERT_EQ(0, ktally_file_add(f, sub, h.length));
			}
		}
		setrlimit(RLIMIT_FSIZE, &all);
		ASSERT_EQ(0, ktally_file_finish(f));
		back = load(self->path);
		ASSERT_EQ(back.n, ktally_file_bytes(f));
		ktally_file_close(f);
		read_bytes(&r, back.p, back.n);
		ASSERT_EQ(0, r.warnings) TH_LOG("%s", ktally_stream_warning(r.stream, 0));
		ASSERT_EQ(3, number(&r, life(&r, 100), "exit_code"));
		read_done(&r);
		free(back.p);
	}
	free(whole.p);
}

/*
 * The blocks of a recording into another file, but for the one that begins at `left_out`,
 * for which `instead` is called. How many records were in that; negative: an error.
 */
static int write_without(struct ktally_file *f, struct bytes b, uint64_t left_out,
			 void (*instead)(struct ktally_file *f))
{
	struct block_head h;
	int ret = 0, records = 0;

	for (size_t at = sizeof(struct container_head); at < b.n && !ret; at += block_span(&h)) {
		memcpy(&h, b.p + at, sizeof(h));
		if (h.type != BLOCK_RECORDS)
			continue;
		if (h.first_time != left_out) {
			ret = ktally_file_add(f, b.p + at + sizeof(h), h.length);
			continue;
		}
		records = h.records;
		if (instead)
			instead(f);
	}
	ret = ret ? ret : ktally_file_finish(f);
	ktally_file_close(f);
	return ret ? ret : records;
}

/* A sub-buffer that found no room anywhere: its records are told as lost, no more and no fewer. */
TEST_F(folder, dropped_blocks_are_losses)
{
	struct bytes b = record("subbuf 4K\n1.0 fork pid=100 ppid=1\nflush\n1.1 fork pid=101 ppid=1\n"
				"1.2 fork pid=102 ppid=1\n1.3 exit pid=101\nflush\n2.0 exit pid=100 code=3\n");
	struct ktally_file *f;
	struct reading r;

	ASSERT_EQ(0, ktally_file_create(&f, self->path, NULL));
	ASSERT_EQ(3, write_without(f, b, 1100 * MS, ktally_file_dropped));
	read_files(&r, (const char *[]){ self->path }, 1);
	EXPECT_EQ(2, r.info->lost[KTALLY_FORK]);
	EXPECT_EQ(1, r.info->lost[KTALLY_EXIT]);
	EXPECT_EQ(3, r.balance.lost_total);
	EXPECT_NE(NULL, warning(&r, "1 blocks could not be written"));
	read_done(&r);
	free(b.p);
}

/* The same place missing in a flight recording: overwritten, which is no loss. */
TEST_F(folder, overwritten_blocks_are_no_losses)
{
	struct bytes b = record("subbuf 4K\n1.0 fork pid=100 ppid=1\nflush\n1.1 fork pid=101 ppid=1\n"
				"1.2 fork pid=102 ppid=1\n1.3 exit pid=101\nflush\n2.0 exit pid=100 code=3\n");
	const struct ktally_file_options flight = { .flight = true };
	struct ktally_file *f;
	struct reading r;

	ASSERT_EQ(0, ktally_file_create(&f, self->path, &flight));
	ASSERT_EQ(3, write_without(f, b, 1100 * MS, NULL));
	read_files(&r, (const char *[]){ self->path }, 1);
	EXPECT_EQ(2, r.info->overwritten[KTALLY_FORK]);
	EXPECT_EQ(1, r.info->overwritten[KTALLY_EXIT]);
	EXPECT_EQ(0, r.balance.lost_total);
	EXPECT_EQ(1, r.info->attempts[KTALLY_FORK]);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_NE(NULL, warning(&r, "keeps the newest: 3 older records were overwritten"));
	EXPECT_EQ(1, r.warnings);
	read_done(&r);
	free(b.p);
}

/* Whoever comes second is refused and changes nothing; when the first has closed it, it is moved aside. */
TEST_F(folder, two_writers)
{
	struct bytes sub = one_subbuf(), old;
	struct ktally_file *f, *g;
	const struct ktally_file_options force = { .force = true };
	struct reading r;

	ASSERT_EQ(0, ktally_file_create(&f, self->path, NULL));
	ASSERT_EQ(0, ktally_file_add(f, sub.p, sub.n));
	EXPECT_EQ(-EBUSY, ktally_file_create(&g, self->path, NULL));
	EXPECT_NE(NULL, strstr(ktally_file_error(g), "another recorder is writing")) TH_LOG("%s", ktally_file_error(g));
	ktally_file_discard(g);
	ktally_file_close(g);
	EXPECT_EQ(-EBUSY, ktally_file_create(&g, self->path, &force));
	ktally_file_close(g);
	EXPECT_NE(0, access(self->old, F_OK));
	EXPECT_EQ(0, ktally_file_finish(f));
	ktally_file_close(f);
	read_files(&r, (const char *[]){ self->path }, 1);
	EXPECT_EQ(0, r.opened);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	read_done(&r);
	ASSERT_EQ(0, ktally_file_create(&g, self->path, NULL));
	EXPECT_EQ(0, ktally_file_add(g, sub.p, sub.n));
	ktally_file_close(g);
	old = load(self->old);
	EXPECT_LT(0, old.n);
	free(old.p);
	free(sub.p);
}

/* Of many that begin at once one gets the file, and an earlier recording is never lost. */
TEST_F(folder, many_writers_at_once)
{
	for (int round = 0; round < 20; round++) {
		int results[2], over[2], ret, winners = 0;
		struct bytes kept;

		unlink(self->old);
		unlink(self->path);
		save(self->path, "precious", 8);
		ASSERT_EQ(0, pipe(results));
		ASSERT_EQ(0, pipe(over));
		for (int i = 0; i < 8; i++)
			if (!fork()) {
				struct ktally_file *f;

				close(over[1]);
				ret = ktally_file_create(&f, self->path, NULL);
				if (write(results[1], &ret, sizeof(ret)) < 0 || read(over[0], &ret, 1) < 0)
					abort();
				_exit(0);
			}
		for (int i = 0; i < 8; i++) {
			ASSERT_EQ(sizeof(ret), read(results[0], &ret, sizeof(ret)));
			winners += !ret;
		}
		for (int i = 0; i < 2; i++) {
			close(results[i]);
			close(over[i]);
		}
		while (wait(NULL) > 0)
			;
		ASSERT_EQ(1, winners);
		kept = load(self->old);
		ASSERT_EQ(8, kept.n);
		free(kept.p);
	}
}

TEST(a_reader_that_went_away)
{
	struct bytes sub = one_subbuf();
	struct ktally_file *f;
	int p[2], out = dup(1);
	int ret = 0;

	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, pipe(p));
	dup2(p[1], 1);
	ASSERT_EQ(0, ktally_file_create(&f, "-", NULL));
	close(p[0]);
	for (int i = 0; i < 3 && !ret; i++)
		ret = ktally_file_add(f, sub.p, sub.n);
	EXPECT_EQ(-EPIPE, ret);
	EXPECT_NE(NULL, strstr(ktally_file_error(f), "reader has gone"));
	EXPECT_EQ(-EPIPE, ktally_file_finish(f));
	ktally_file_close(f);
	dup2(out, 1);
	free(sub.p);
}

/* Of /dev/stdout and the like: it is written to what the link leads to, which is no file. */
TEST_F(folder, a_link_to_a_fifo_is_written_through)
{
	char fifo[90], head[sizeof(struct container_head)];
	struct ktally_file *f = NULL;
	struct stat st;
	int reader;

	sprintf(fifo, "%s.fifo", self->path);
	ASSERT_EQ(0, mkfifo(fifo, 0600));
	ASSERT_EQ(0, symlink(fifo, self->path));
	reader = open(fifo, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, reader);
	ASSERT_EQ(0, ktally_file_create(&f, self->path, NULL));
	EXPECT_EQ((ssize_t)sizeof(head), read(reader, head, sizeof(head)));
	ktally_file_close(f);
	close(reader);
	EXPECT_EQ(0, lstat(self->path, &st));
	EXPECT_TRUE(S_ISLNK(st.st_mode));
	EXPECT_EQ(0, lstat(fifo, &st));
	EXPECT_TRUE(S_ISFIFO(st.st_mode));
	EXPECT_NE(0, access(self->old, F_OK));
}

TEST_F(folder, through_a_pipe)
{
	char command[300];
	struct reading r;
	char error[400];
	int in = dup(0);

	ASSERT_EQ(0, make(SMALL, self->path, error));
	sprintf(command, "cat '%s'", self->path);
	fflush(stdout);
	FILE *f = popen(command, "r");

	dup2(fileno(f), 0);
	read_files(&r, (const char *[]){ "-" }, 1);
	pclose(f);
	dup2(in, 0);
	ASSERT_EQ(0, r.opened);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_EQ(0, r.warnings);
	read_done(&r);
}

/* The second file of a session that was split: complete in itself, losses included. */
TEST_F(folder, a_recording_that_goes_on_in_a_second_file)
{
	struct bytes b = record("subbuf 4K\n1.0 fork pid=100 ppid=1\nlost exit 2\nflush\n"
				"2.0 exit pid=100 code=3\nlost fork 3\nflush\n3.0 mark text=x\n");
	struct ktally_file *f, *g;
	size_t at = sizeof(struct container_head);
	char second[90];
	struct reading r;

	sprintf(second, "%s/s.ktl", self->dir);
	ASSERT_EQ(0, ktally_file_create(&f, self->path, NULL));
	g = NULL;
	while (at < b.n) {
		struct block_head h;

		memcpy(&h, b.p + at, sizeof(h));
		if (h.type == BLOCK_RECORDS) {
			struct ktally_file_options o = { .continues = f };
			const void *sub = b.p + at + sizeof(h);

			if (!g && h.first_time == 2 * SEC)
				ASSERT_EQ(0, ktally_file_create(&g, second, &o));
			ASSERT_EQ(0, ktally_file_add(g ? g : f, sub, h.length));
		}
		at += block_span(&h);
	}
	ASSERT_NE(NULL, g);
	EXPECT_EQ(0, ktally_file_finish(f));
	EXPECT_EQ(0, ktally_file_finish(g));
	ktally_file_close(g);
	ktally_file_close(f);
	read_files(&r, (const char *[]){ self->path, second }, 2);
	ASSERT_EQ(0, r.opened) TH_LOG("%s", ktally_stream_error(r.stream));
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_EQ(2, r.info->lost[KTALLY_EXIT]);
	EXPECT_EQ(3, r.info->lost[KTALLY_FORK]);
	EXPECT_EQ(0, r.warnings);
	read_done(&r);

	/* Alone it answers for its own part only. */
	read_files(&r, (const char *[]){ second }, 1);
	EXPECT_EQ(KTALLY_ENDED, life(&r, 100)->state);
	EXPECT_EQ(0, r.info->lost[KTALLY_FORMAT]);
	EXPECT_EQ(0, r.info->lost[KTALLY_INFO]);
	EXPECT_EQ(3, r.info->lost[KTALLY_FORK]);
	read_done(&r);
	free(b.p);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
