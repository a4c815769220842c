// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_ring.c - the module's ring of records under writers that never wait, read meanwhile.
 * kmod/channel*.c as they stand, on the few pieces of a kernel in
 * kernel.h. Every record bears its own number and bytes made from it, so that one torn,
 * lost, twice or out of order is seen; what was not read must be what the counters say.
 *
 * RING_RECORDS=N writes N records by each flight test instead (1000000000: minutes).
 */
#include "kernel.h"
#include "main.h"

u64 kt_load_id = 4711;

void kt_disarm(const char *why)
{
	(void)why;
	abort();
}

#include "channel.c"
#include "channel_read.c"
#include "channel_owner.c"
#include "test.h"

/* As many as RING_RECORDS asks for take their time. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 7200

struct cpu {
	struct kt_channel *ch;
	unsigned int cpu;
	u64 records;
	pthread_t thread;
	/* what its reader saw */
	u64 next, read, missing, subbufs, lapped;
	u64 attempts;			/* as of the newest header */
};

static struct {
	bool over;			/* CPUs may go */
	unsigned int writing;
} run;

static unsigned char text_byte(u64 n, unsigned int i)
{
	return (unsigned char)(n * 31 + i * 7);
}

/* Lengths that fill sub-buffers unevenly. */
static unsigned int text_len(u64 n)
{
	return (unsigned int)((n * 2654435761U >> 7) % 190);
}

static bool write_one(struct cpu *c, u64 n)
{
	struct ktally_mark m = { .start = n, .tgid = c->cpu };
	struct kt_record r = KT_RECORD(KTALLY_MARK, &m);
	unsigned char text[200];
	unsigned int len = text_len(n);

	for (unsigned int i = 0; i < len; i++)
		text[i] = text_byte(n, i);
	r.strings = 1;
	r.string[0] = (struct kt_bytes){ .from = text, .len = len, .at = offsetof(struct ktally_mark, text) };
	return kt_channel_write(c->ch, &r);
}

static void *cpu_main(void *arg)
{
	struct cpu *c = arg;

	this_cpu = c->cpu;
	for (u64 n = 0; n < c->records; n++)
		write_one(c, n);
	__atomic_fetch_sub(&run.writing, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&run.over, __ATOMIC_ACQUIRE)) {
		take_interrupt();
		sched_yield();
	}
	return NULL;
}

static const char *check_record(struct cpu *c, const struct ktally_record *r)
{
	const struct ktally_mark *m = (const void *)(r + 1);
	u64 n = c->next;
	u32 loc = m->text;

	if (m->common.type != KTALLY_MARK || m->tgid != c->cpu)
		return "not ours";
	if (m->start != n || r->seq != (u32)n)
		return "out of order";
	if (loc >> 16 != text_len(n))
		return "of another length";
	for (unsigned int i = 0; i < loc >> 16; i++)
		if (((const unsigned char *)m)[(loc & 0xffff) + i] != text_byte(n, i))
			return "torn";
	c->next++;
	c->read++;
	return NULL;
}

/* NULL: a header and whole records, each the next one of its CPU. */
static const char *check_subbuf(struct cpu *c, const char *buf, size_t n)
{
	const struct ktally_record *r = (const void *)buf;
	const struct ktally_header *h = (const void *)(r + 1);
	const char *bad = NULL;

	if (r->len != HEADER_LEN || h->magic != KTALLY_MAGIC || h->cpu != c->cpu)
		return "no header";
	if (h->first_seq < c->next)
		return "older than what was read";
	if (h->attempts[KTALLY_MARK] != h->first_seq)
		return "attempts that are not the sequence";
	c->missing += h->first_seq - c->next;
	c->lapped += h->first_seq > c->next;
	c->next = h->first_seq;
	c->attempts = h->attempts[KTALLY_MARK];
	c->subbufs++;
	for (size_t at = r->len; at < n && !bad; at += r->len) {
		r = (const void *)(buf + at);
		if (r->len < sizeof(*r) + sizeof(struct ktally_mark) || r->len > n - at)
			return "a frame that does not fit";
		bad = check_record(c, r);
	}
	return bad;
}

/* All that is there now. */
static const char *drain(struct cpu *c, char *buf, size_t size)
{
	const char *bad = NULL;
	ssize_t n;

	while (!bad && (n = kt_channel_read(c->ch, c->cpu, buf, size, false)) > 0)
		bad = check_subbuf(c, buf, (size_t)n);
	return bad ? bad : n && n != -EAGAIN ? "an error" : NULL;
}

static const char *snapshot(struct cpu *cpus, char *buf, size_t size)
{
	const char *bad = NULL;

	kt_channel_flush(cpus->ch, false);
	for (unsigned int i = 0; i < CPUS && !bad; i++)
		bad = drain(&cpus[i], buf, size);
	return bad;
}

/* pause_us: between two snapshots. Fills in cpus; NULL or what was wrong. */
static const char *storm(const struct kt_channel_shape *shape, u64 records, useconds_t pause_us,
			 struct cpu *cpus, struct ktally_counts *sum)
{
	struct kt_channel *ch = kt_channel_open(shape);
	char *buf = malloc(shape->subbuf_size);
	const char *bad = NULL;

	run.over = false;
	run.writing = CPUS;
	for (unsigned int i = 0; i < CPUS; i++) {
		cpus[i] = (struct cpu){ .ch = ch, .cpu = i, .records = records / CPUS };
		pthread_create(&cpus[i].thread, NULL, cpu_main, &cpus[i]);
	}
	do {
		bad = snapshot(cpus, buf, shape->subbuf_size);
		if (pause_us)
			usleep(pause_us);
	} while (!bad && __atomic_load_n(&run.writing, __ATOMIC_ACQUIRE));
	if (!bad)
		bad = snapshot(cpus, buf, shape->subbuf_size);
	if (!bad)
		kt_channel_finish(ch);
	memset(sum, 0, sizeof(*sum));
	kt_channel_counts(ch, sum);
	run.over = true;
	for (unsigned int i = 0; i < CPUS; i++)
		pthread_join(cpus[i].thread, NULL);
	kt_channel_close(ch);
	free(buf);
	return bad;
}

static u64 wanted(u64 usual)
{
	const char *n = getenv("RING_RECORDS");

	return n ? strtoull(n, NULL, 10) : usual;
}

/* What holds of every storm in flight mode: newest included, each record read or overwritten. */
static void check_flight(struct __test_metadata *_metadata, const struct cpu *cpus, u64 records,
			 const struct ktally_counts *sum)
{
	u64 read = 0, missing = 0;

	for (unsigned int i = 0; i < CPUS; i++) {
		const struct cpu *c = &cpus[i];

		TH_LOG("cpu %u: %llu read in %llu sub-buffers, %llu overwritten in %llu places", i,
		       (unsigned long long)c->read, (unsigned long long)c->subbufs,
		       (unsigned long long)c->missing, (unsigned long long)c->lapped);
		ASSERT_EQ(records / CPUS, c->next);
		ASSERT_EQ(records / CPUS, c->read + c->missing);
		read += c->read;
		missing += c->missing;
	}
	ASSERT_EQ(sum->attempts[KTALLY_MARK], read + missing);
	ASSERT_EQ(0, sum->lost[KTALLY_MARK]);
	ASSERT_LT(0, read);
}

/* A ring so small that readers are overtaken all the time. */
TEST(overtaken_at_every_step)
{
	const struct kt_channel_shape shape = { .subbuf_size = 4096, .subbufs = 4, .flight = true };
	u64 records = wanted(600000), lapped = 0;
	struct ktally_counts sum;
	struct cpu cpus[CPUS];
	const char *bad = storm(&shape, records, 0, cpus, &sum);

	ASSERT_EQ(NULL, bad) TH_LOG("%s", bad);
	check_flight(_metadata, cpus, records, &sum);
	for (unsigned int i = 0; i < CPUS; i++)
		lapped += cpus[i].lapped;
	ASSERT_LT(0, lapped);
}

TEST(snapshots_of_a_usual_ring)
{
	const struct kt_channel_shape shape = { .subbuf_size = 65536, .subbufs = 8, .flight = true };
	u64 records = wanted(600000);
	struct ktally_counts sum;
	struct cpu cpus[CPUS];
	const char *bad = storm(&shape, records, 3000, cpus, &sum);

	ASSERT_EQ(NULL, bad) TH_LOG("%s", bad);
	check_flight(_metadata, cpus, records, &sum);
}

/* One snapshot after everything: as much as the ring holds but for the sub-buffer being overwritten. */
TEST(the_newest_are_kept)
{
	const struct kt_channel_shape shape = { .subbuf_size = 8192, .subbufs = 8, .flight = true };
	struct kt_channel *ch = kt_channel_open(&shape);
	struct cpu c = { .ch = ch };
	char buf[8192];

	this_cpu = 0;
	for (u64 n = 0; n < 50000; n++)
		ASSERT_TRUE(write_one(&c, n));
	/* This thread is CPU 0: it takes its own call. */
	finish_subbuf(ch->relay->buf[0]);
	ASSERT_EQ(NULL, drain(&c, buf, sizeof(buf)));
	EXPECT_EQ(50000, c.next);
	EXPECT_EQ(7, c.subbufs);
	EXPECT_EQ(1, c.lapped);
	EXPECT_EQ(50000, c.read + c.missing);
	/* Six sub-buffers are full to the last record that did not fit. */
	EXPECT_LE(6 * (8192 - HEADER_LEN - 300) / 280, c.read);
	EXPECT_EQ(-EAGAIN, kt_channel_read(ch, 0, buf, sizeof(buf), false));
	kt_channel_close(ch);
}

/* The usual mode: what is there stays, what finds no room is counted. */
TEST(the_oldest_are_kept)
{
	const struct kt_channel_shape shape = { .subbuf_size = 4096, .subbufs = 4 };
	u64 records = 600000, read = 0, missing = 0;
	struct ktally_counts sum;
	struct cpu cpus[CPUS];
	const char *bad = storm(&shape, records, 500, cpus, &sum);

	ASSERT_EQ(NULL, bad) TH_LOG("%s", bad);
	for (unsigned int i = 0; i < CPUS; i++) {
		read += cpus[i].read;
		missing += records / CPUS - cpus[i].read;
		ASSERT_LE(cpus[i].missing, records / CPUS - cpus[i].read);
	}
	ASSERT_EQ(sum.attempts[KTALLY_MARK], read + sum.lost[KTALLY_MARK]);
	ASSERT_EQ(missing, sum.lost[KTALLY_MARK]);
}

TEST_HARNESS_MAIN
