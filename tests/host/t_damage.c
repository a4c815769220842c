// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_damage.c - a recording cut at every length and with every byte flipped. Never a
 * crash, and never silently short: what comes out is all there was, or a line says
 * what is missing. What is left over is always a part of what was there.
 */
#include "test.h"

/* Few kinds are described, so that the recording is small. */
#define SMALL \
	"undescribed header\nundescribed format\nundescribed exec\nundescribed args\n" \
	"undescribed thread_exit\nundescribed task\nundescribed net_late\nundescribed device\n" \
	"undescribed cgroup\nundescribed mark\nundescribed exit\nundescribed walk_begin\nundescribed walk_end\n" \
	"subbuf 4K\n" \
	"1.0 fork pid=100 ppid=1\n1.1 fork pid=101 ppid=100\n" \
	"cpu 1\n1.3 fork pid=102 ppid=101\nlost fork 2\nflush\n" \
	"1.5 fork pid=103 ppid=101\nlost exit 3\n"

static struct reading whole;

/* All that a user sees of a recording, as one number. */
static uint64_t digest(struct reading *r)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->model, &lives);
	const struct ktally_field *f;
	size_t n_fields = ktally_fields(&f);
	uint64_t h = r->records;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_fields; k++) {
			struct ktally_value v = ktally_field_value(&f[k], lives[i], &r->ctx);

			h = (h ^ v.type ^ (uint64_t)v.lower << 8) * 1099511628211ULL;
			if (v.type == KTALLY_V_U64)
				h = (h ^ v.u) * 1099511628211ULL;
			for (uint32_t c = 0; v.type == KTALLY_V_TEXT && c < v.t.len; c++)
				h = (h ^ (unsigned char)v.t.p[c]) * 1099511628211ULL;
		}
	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		h = (h ^ r->info->lost[kind] ^ r->info->attempts[kind] << 32) * 1099511628211ULL;
	return h ^ (uint64_t)r->balance.difference;
}

/* Every life of the damaged one is one of the whole, with the values of the whole or none. */
static bool is_part_of_whole(struct reading *r)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->model, &lives);

	if (r->records > whole.records)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct ktally_life *l = ktally_model_find(whole.model, lives[i]->tgid, lives[i]->start);

		if (!l || (lives[i]->saw_fork && l->ppid != lives[i]->ppid))
			return false;
	}
	return true;
}

static const char *verdict(const void *p, size_t n, uint64_t want)
{
	const char *bad = NULL;
	struct reading r;

	read_bytes(&r, p, n);
	if (r.opened) {
		bad = strlen(ktally_stream_error(r.stream)) > 10 ? NULL : "refused without a word";
		ktally_stream_close(r.stream);
		return bad;
	}
	if (r.ended)
		bad = "stopped by damage";
	else if (!r.warnings && digest(&r) != want)
		bad = "differs without a warning";
	else if (!is_part_of_whole(&r))
		bad = "holds what was never there";
	read_done(&r);
	return bad;
}

FIXTURE(small) {
	struct bytes b;
	uint64_t want;
};

FIXTURE_SETUP(small)
{
	self->b = record(SMALL);
	read_bytes(&whole, self->b.p, self->b.n);
	self->want = digest(&whole);
}

FIXTURE_TEARDOWN(small)
{
	read_done(&whole);
	free(self->b.p);
	if (__lsan_do_recoverable_leak_check())
		abort();
}

TEST_F(small, undamaged)
{
	EXPECT_EQ(0, whole.warnings) TH_LOG("%s", ktally_stream_warning(whole.stream, 0));
	EXPECT_EQ(4, whole.balance.forks);
	EXPECT_EQ(2, whole.info->lost[KTALLY_FORK]);
	EXPECT_EQ(3, whole.info->lost[KTALLY_EXIT]);
	EXPECT_EQ(NULL, verdict(self->b.p, self->b.n, self->want));
}

TEST_F(small, cut_at_every_length)
{
	for (size_t n = 0; n < self->b.n; n++) {
		unsigned char *cut = malloc(n ? n : 1);
		const char *bad;

		memcpy(cut, self->b.p, n);
		bad = verdict(cut, n, 0);	/* nothing short of all is all: a warning each time */
		ASSERT_EQ(NULL, bad) TH_LOG("cut at %zu of %zu: %s", n, self->b.n, bad);
		free(cut);
			}
}

/* All bits of one byte, one bit of the next: both kinds of damage everywhere. */
TEST_F(small, every_byte_flipped)
{
	for (size_t i = 0; i < self->b.n; i++) {
		unsigned char flip = i % 2 ? 1 << i / 2 % 8 : 0xff;
		const char *bad;

		self->b.p[i] ^= flip;
		bad = verdict(self->b.p, self->b.n, self->want);
		ASSERT_EQ(NULL, bad) TH_LOG("%02x in byte %zu of %zu: %s", flip, i, self->b.n, bad);
		self->b.p[i] ^= flip;
	}
}

/* Holes as a lost page leaves them, and pieces that went missing or came twice. */
TEST_F(small, holes_and_shifts)
{
	for (size_t i = 0; i + 64 <= self->b.n; i += 37) {
		unsigned char *p = malloc(self->b.n + 64);
		const char *bad;

		memcpy(p, self->b.p, self->b.n);
		memset(p + i, 0, 64);
		bad = verdict(p, self->b.n, self->want);
		ASSERT_EQ(NULL, bad) TH_LOG("zeroes at %zu: %s", i, bad);
		memcpy(p + i, self->b.p + i + 5, self->b.n - i - 5);
		bad = verdict(p, self->b.n - 5, self->want);
		ASSERT_EQ(NULL, bad) TH_LOG("5 bytes out at %zu: %s", i, bad);
		memcpy(p + i + 9, self->b.p + i, self->b.n - i);
		bad = verdict(p, self->b.n + 9, self->want);
		ASSERT_EQ(NULL, bad) TH_LOG("9 bytes in at %zu: %s", i, bad);
		free(p);
	}
}

/* What lies before a cut is given, record by record. */
TEST_F(small, a_cut_takes_no_more_than_it_must)
{
	size_t last = 0;

	for (size_t n = 0; n < self->b.n; n += 13) {
		struct reading r;

		read_bytes(&r, self->b.p, n);
		if (r.opened) {
			ktally_stream_close(r.stream);
			continue;
		}
		EXPECT_LE(last, r.records);
		last = r.records;
		read_done(&r);
	}
	EXPECT_LE(whole.records, last + 1);
}

TEST_HARNESS_MAIN
