// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pipe.c - recordings that come through a pipe: the same records, sums and warnings as
 * from a file, whole or damaged; those before a mark while more is still to come; and no
 * more memory for a long one than for a short one.
 */
#include <sys/wait.h>

#include "container.h"
#include "test.h"

size_t __sanitizer_get_current_allocated_bytes(void);	/* gcc has no header for it */

#define BEGIN "0.5 walk_begin walk=1 purpose=opening\n0.5 task pid=1 start=0 comm=init walk=1\n" \
	      "0.5 walk_end walk=1 purpose=opening\n"
/* Two CPUs, whose sub-buffers are not in order of time. */
#define FIRST	"subbuf 4K\n" BEGIN \
		"cpu 1\n1.0 fork pid=100 ppid=1\ncpu 0\n1.1 exec pid=100 argv=\"cc1 a.c\"\n" \
		"1.2 fork pid=101 ppid=100\ncpu 1\nlost exec 2\n1.3 exit pid=101 code=1 runtime=5ms\n"
#define THEN	"1.4 fork pid=102 ppid=100\ncpu 0\n1.5 exit pid=102 code=0 runtime=1ms\n" \
		"cpu 1\n2.0 exit pid=100 code=0 runtime=1s\n"
#define MARKED	FIRST "mark-all\n" THEN "mark-all\n2.5 fork pid=103 ppid=1\n"

/* The same with few descriptions, which are most of so short a recording. */
#define SMALL	"undescribed header\nundescribed format\nundescribed args\nundescribed thread_exit\nundescribed task\n" \
		"undescribed net_late\nundescribed device\nundescribed cgroup\nundescribed mark\nundescribed walk_begin\n" \
		"undescribed walk_end\nundescribed exec\nundescribed exit\nundescribed info\nundescribed selection\n" MARKED

#define STEP	5

/* Both ends of a pipe by name, for what takes paths. */
struct ends {
	int fd[2];
	char from[32], to[32];
};

static struct ends open_ends(void)
{
	struct ends e;

	if (pipe2(e.fd, O_CLOEXEC) || fcntl(e.fd[1], F_SETPIPE_SZ, 1 << 20) < 0)
		abort();
	snprintf(e.from, sizeof(e.from), "/dev/fd/%d", e.fd[0]);
	snprintf(e.to, sizeof(e.to), "/dev/fd/%d", e.fd[1]);
	return e;
}

static void put(const struct ends *e, const void *p, size_t n)
{
	if (write(e->fd[1], p, n) != (ssize_t)n)
		abort();
}

/* A recorder that writes into a pipe marks whatever it has written. */
static struct bytes record_into_pipe(const char *text)
{
	struct ends e = open_ends();
	struct bytes b = { .p = malloc(1 << 20) };
	char error[400];

	if (mkrec(text, e.to, error, sizeof(error))) {
		fprintf(stderr, "mkrec: %s\n", error);
		abort();
	}
	close(e.fd[1]);
	for (long got; (got = read(e.fd[0], b.p + b.n, (1 << 20) - b.n)) > 0;)
		b.n += got;
	close(e.fd[0]);
	return b;
}

static void read_piped(struct reading *r, const void *p, size_t n)
{
	struct ends e = open_ends();

	put(&e, p, n);
	close(e.fd[1]);
	read_files(r, (const char *[]){ e.from }, 1);
	close(e.fd[0]);
}

/* A line without the name of the file that it begins with. */
static const char *nameless(const char *line)
{
	const char *colon = strstr(line, ": ");

	return colon ? colon : line;
}

static void tell(FILE *f, struct reading *r)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->model, &lives);
	const char *line;

	fprintf(f, "%d, %zu records, %llu bytes, %llu blocks, boots %u, cpus %u, host %s\n", r->ended, r->records,
		(unsigned long long)r->info->bytes, (unsigned long long)r->info->blocks, r->info->boots,
		r->info->cpus, r->info->host);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%u of %u: %d, %s, %llu to %llu\n", lives[i]->tgid, lives[i]->ppid, lives[i]->state,
			text(r, lives[i], "argv"), (unsigned long long)lives[i]->start, (unsigned long long)lives[i]->end);
	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		fprintf(f, "%llu of %llu ", (unsigned long long)r->info->lost[kind],
			(unsigned long long)r->info->attempts[kind]);
	for (size_t i = 0; (line = ktally_stream_warning(r->stream, i)); i++)
		fprintf(f, "\n%s", nameless(line));
}

/* What a user sees of a recording. */
static char *told(const struct bytes *b, bool piped)
{
	char *text = NULL;
	struct reading r;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(piped ? read_piped : read_bytes)(&r, b->p, b->n);
	if (r.opened)
		fprintf(f, "%d%s", r.opened, nameless(ktally_stream_error(r.stream)));
	else
		tell(f, &r);
	fclose(f);
	read_done(&r);
	return text;
}

static bool same_by_pipe(const struct bytes *b)
{
	char *file = told(b, false), *pipe = told(b, true);
	bool same = !strcmp(file, pipe);

	if (!same)
		fprintf(stderr, "--- file:\n%s\n--- pipe:\n%s\n", file, pipe);
	free(file);
	free(pipe);
	return same;
}

TEST(all_of_a_recording)
{
	static const char *const texts[] = { FIRST THEN, MARKED, MARKED "crash\n", "pack\n" MARKED, "flush\n" MARKED "mark-all\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bytes file = record(texts[i]), pipe = record_into_pipe(texts[i]);

		EXPECT_TRUE(same_by_pipe(&file));
		EXPECT_TRUE(same_by_pipe(&pipe));
		free(file.p);
		free(pipe.p);
	}
	NO_LEAKS();
}

/* Steps that meet every place of a word. */
TEST(cut)
{
	struct bytes b = record_into_pipe(SMALL);

	for (; b.n > STEP; b.n -= STEP)
		ASSERT_TRUE(same_by_pipe(&b)) TH_LOG("cut at %zu", b.n);
	free(b.p);
	NO_LEAKS();
}

TEST(damaged)
{
	struct bytes b = record_into_pipe(SMALL);

	for (size_t at = 0; at < b.n; at += STEP) {
		b.p[at] ^= 0x40;
		ASSERT_TRUE(same_by_pipe(&b)) TH_LOG("flipped at %zu of %zu", at, b.n);
		b.p[at] ^= 0x40;
	}
	free(b.p);
	NO_LEAKS();
}

TEST(behind_the_end)
{
	struct bytes b = record_into_pipe(MARKED);
	struct reading r;

	b.p = realloc(b.p, 2 * b.n);
	memcpy(b.p + b.n, b.p, b.n);
	b.n *= 2;
	EXPECT_TRUE(same_by_pipe(&b));
	read_piped(&r, b.p, b.n);
	EXPECT_NE(NULL, warning(&r, "behind its end were not read"));
	read_done(&r);
	free(b.p);
	NO_LEAKS();
}

/* Offset behind the first block of a type, from `at` on. */
static size_t behind_block(const struct bytes *b, size_t at, enum block_type type)
{
	struct block_head h;

	do {
		memcpy(&h, b->p + at, sizeof(h));
		at += block_span(&h);
	} while (h.type != type && at < b->n);
	return at;
}

/* No file has a block twice; a pipe's would come after others were given. */
TEST(a_block_twice_is_damage)
{
	struct bytes b = record_into_pipe(MARKED), twice;
	size_t mark = behind_block(&b, sizeof(struct container_head), BLOCK_MARK);
	size_t next = behind_block(&b, mark, BLOCK_RECORDS);
	struct reading once, r;

	twice.n = b.n + next - mark;
	twice.p = malloc(twice.n);
	memcpy(mempcpy(twice.p, b.p, next), b.p + mark, b.n - mark);
	read_piped(&once, b.p, b.n);
	read_piped(&r, twice.p, twice.n);
	EXPECT_EQ(0, once.warnings);
	EXPECT_EQ(once.records, r.records);
	EXPECT_NE(NULL, warning(&r, "damaged at"));
	read_done(&once);
	read_done(&r);
	free(b.p);
	free(twice.p);
	NO_LEAKS();
}

TEST(what_is_marked_is_given_while_more_comes)
{
	struct bytes b = record_into_pipe(MARKED), head = b;
	struct ktally_stream *s;
	struct ktally_event ev;
	struct ends e = open_ends();
	struct reading whole;
	size_t n = 0;

	head.n = behind_block(&b, sizeof(struct container_head), BLOCK_MARK);
	put(&e, b.p, head.n);
	alarm(60);		/* it waited for the end */
	ASSERT_EQ(0, ktally_stream_open_files(&s, (const char *[]){ e.from }, 1));
	do {
		ASSERT_EQ(1, ktally_stream_next(s, &ev));
		n++;
	} while (ev.kind != KTALLY_EXEC);
	EXPECT_EQ(1100 * MS, ev.time);
	put(&e, b.p + head.n, b.n - head.n);
	close(e.fd[1]);
	while (ktally_stream_next(s, &ev) == 1)
		n++;
	alarm(0);
	read_bytes(&whole, b.p, b.n);
	EXPECT_EQ(whole.records, n);
	read_done(&whole);
	ktally_stream_close(s);
	close(e.fd[0]);
	free(b.p);
	NO_LEAKS();
}

TEST(waited_for)
{
	struct bytes b = record_into_pipe(MARKED);
	const char *paths[1];
	struct ktally_extent e;
	struct ktally_stream *s;
	struct ends ends = open_ends();

	put(&ends, b.p, b.n);
	close(ends.fd[1]);
	paths[0] = ends.from;
	ASSERT_EQ(0, ktally_stream_open_files(&s, paths, 1));
	EXPECT_TRUE(ktally_stream_extent(s, 0, &e));
	EXPECT_GT(2 * SEC, e.last);
	EXPECT_EQ(0, ktally_stream_wait(s));
	EXPECT_TRUE(ktally_stream_extent(s, 0, &e));
	EXPECT_EQ(2500 * MS, e.last);
	ktally_stream_close(s);
	close(ends.fd[0]);
	free(b.p);
	NO_LEAKS();
}

/* ---- a long one ---- */

#define LIVES		60000U
#define PER_MARK	1000U

struct text {
	unsigned int life;
	char line[512];
	size_t at, n;
};

static ssize_t more_text(void *cookie, char *to, size_t n)
{
	struct text *t = cookie;
	double time = 2 + 1e-4 * t->life;

	if (t->at == t->n && t->life == LIVES)
		return 0;
	if (t->at == t->n) {
		unsigned int pid = 1000 + t->life % 30000;

		t->at = 0;
		t->n = (size_t)snprintf(t->line, sizeof(t->line),
			"cpu %u\n%.6f fork pid=%u ppid=1\n%.6f exec pid=%u argv=\"tool%u -c %u.c\" runtime=1ms\n"
			"%.6f exit pid=%u code=%u runtime=%uus\n%s", t->life % 3, time, pid, time + 1e-5, pid, t->life % 10,
			t->life, time + 2e-5, pid, t->life % 100 == 0, 1000 + t->life % 7, t->life % PER_MARK ? "" : "mark-all\n");
		t->life++;
	}
	n = n < t->n - t->at ? n : t->n - t->at;
	memcpy(to, t->line + t->at, n);
	t->at += n;
	return n;
}

static pid_t write_long(const struct ends *e)
{
	struct text t = { .life = 0 };
	pid_t pid = fork();
	char error[400];
	FILE *f;

	if (pid)
		return pid;
	close(e->fd[0]);
	f = fopencookie(&t, "r", (cookie_io_functions_t){ .read = more_text });
	_exit(mkrec_lines(f, e->to, error, sizeof(error)) ? 1 : 0);
}

static int fold(void *arg, const struct ktally_life *l)
{
	return ktally_groups_add(arg, l);
}

TEST(a_long_one_in_bounded_memory)
{
	static const char *const names[] = { "count", "cpu_ns", "failed" };
	const struct ktally_field *fields[3];
	size_t before = __sanitizer_get_current_allocated_bytes(), most = 0;
	uint64_t sums[3] = { 0 }, want = 0;
	struct ends e = open_ends();
	pid_t writer = write_long(&e);
	struct ktally_groups *g;
	struct ktally_event ev;
	struct reading r = { .opened = 0 };
	int status;

	close(e.fd[1]);
	ASSERT_EQ(0, ktally_stream_open_files(&r.stream, (const char *[]){ e.from }, 1));
	r.info = ktally_stream_info(r.stream);
	r.model = ktally_model_open();
	r.ctx = (struct ktally_field_ctx){ .model = r.model, .info = r.info };
	for (int i = 0; i < 3; i++)
		fields[i] = ktally_field_find(names[i]);
	g = ktally_groups_fold(&r.ctx, KTALLY_BY_PROGRAM, fields, 3);
	ktally_model_retire(r.model, r.info, fold, g);
	while (ktally_stream_next(r.stream, &ev) == 1) {
		ktally_model_feed(r.model, &ev);
		if (r.records++ % 1000 == 0 && __sanitizer_get_current_allocated_bytes() > most)
			most = __sanitizer_get_current_allocated_bytes();
	}
	ktally_model_settle(r.model, ktally_stream_info(r.stream));
	ASSERT_EQ(0, ktally_groups_add_rest(g, NULL, NULL));
	EXPECT_EQ(NULL, ktally_stream_warning(r.stream, 0));
	for (size_t k = 0; k < ktally_groups_count(g); k++)
		for (int i = 0; i < 3; i++)
			sums[i] += ktally_group_value(ktally_groups_at(g, k), fields[i], &r.ctx).u;
	for (unsigned int i = 0; i < LIVES; i++)
		want += 1000000 + 1000 * (i % 7);
	EXPECT_EQ(10, ktally_groups_count(g));
	EXPECT_EQ(LIVES, sums[0]);
	EXPECT_EQ(want, sums[1]);
	EXPECT_EQ(LIVES / 100, sums[2]);
	EXPECT_LT(50 << 20, r.info->bytes);
	EXPECT_GT(r.info->bytes / 4, most - before);
	TH_LOG("%zu bytes held of %llu that came", most - before, (unsigned long long)r.info->bytes);
	ktally_groups_free(g);
	read_done(&r);
	close(e.fd[0]);
	EXPECT_EQ(writer, waitpid(writer, &status, 0));
	EXPECT_EQ(0, status);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
