// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_wire.c - bytes of a sub-buffer to records: frames that lie, descriptions of
 * modules that are older, newer or broken, strings that point elsewhere.
 */
#include "../../kmod/format.h"
#include "../../kmod/pack.h"
#include "test.h"

struct subbuf {
	unsigned char p[16384] __attribute__((aligned(8)));
	size_t n;
	uint32_t seq;
};

static void put(struct subbuf *b, uint16_t kind, const void *fixed, size_t size)
{
	struct kt_record r = { .fixed = fixed, .size = size, .kind = kind };
	uint32_t len = kt_record_len(&r);

	kt_lay(b->p + b->n, len, &r, b->seq, 1000 + b->seq, 1);
	b->n += len;
	b->seq++;
}

static void put_header(struct subbuf *b)
{
	struct ktally_header h = {
		.magic = KTALLY_MAGIC, .version = KTALLY_STREAM_VERSION, .cpu = 3, .session = 2,
		.load_id = 77, .first_seq = 0x5fffffff0ULL,
	};

	b->n = 0;
	b->seq = (uint32_t)h.first_seq;
	put(b, KTALLY_HEADER, &h, sizeof(h));
	b->seq = (uint32_t)h.first_seq;
}

static void put_walk(struct subbuf *b)
{
	struct ktally_walk_begin w = { .walk = 5, .purpose = 1 };

	put(b, KTALLY_WALK_BEGIN, &w, sizeof(w));
}

static struct ktally_wire *described(void)
{
	struct ktally_wire *w = ktally_wire_open();

	for (unsigned int kind = 0; kind < KTALLY_KINDS; kind++) {
		char text[KT_FORMAT_MAX];
		size_t n = kt_format(kind, text, sizeof(text));

		if (n && ktally_wire_describe(w, text, n))
			abort();
	}
	return w;
}

/* The record behind the header. */
static int second(struct ktally_wire *w, const void *p, size_t n, struct ktally_event *ev)
{
	struct ktally_cursor c;

	ktally_cursor_init(&c, p, n);
	if (ktally_wire_next(w, &c, ev) != 1)
		return -1000;
	return ktally_wire_next(w, &c, ev);
}

TEST(frames_in_order)
{
	struct ktally_wire *w = described();
	struct ktally_event ev;
	struct ktally_cursor c;
	struct subbuf b;

	put_header(&b);
	for (int i = 0; i < 40; i++)
		put_walk(&b);
	ktally_cursor_init(&c, b.p, b.n);
	ASSERT_EQ(1, ktally_wire_next(w, &c, &ev));
	EXPECT_EQ(KTALLY_HEADER, ev.kind);
	for (uint64_t i = 0; i < 40; i++) {
		ASSERT_EQ(1, ktally_wire_next(w, &c, &ev));
		EXPECT_EQ(0x5fffffff0ULL + i, ev.seq);	/* over the end of 32 bits */
		EXPECT_EQ(3, ev.cpu);
		EXPECT_EQ(2, ev.session);
		EXPECT_EQ(77, ev.load_id);
		EXPECT_EQ(5, ev.u.walk_begin.walk);
		EXPECT_TRUE(ev.decoded);
	}
	EXPECT_EQ(0, ktally_wire_next(w, &c, &ev));
	ktally_wire_close(w);
	NO_LEAKS();
}

TEST(frames_that_lie)
{
	static const uint32_t lens[] = { 0, 8, 16, 23, 25, 31, 48, 4096, 0x7ffffff8, 0xfffffff8 };
	struct ktally_wire *w = described();
	struct ktally_event ev;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		struct subbuf b;
		size_t at;

		put_header(&b);
		at = b.n;
		put_walk(&b);
		memcpy(b.p + at, &lens[i], 4);
		EXPECT_EQ(-EBADMSG, second(w, b.p, b.n, &ev)) TH_LOG("length %u", lens[i]);
	}
	ktally_wire_close(w);
}

TEST(every_cut_of_a_record)
{
	struct ktally_wire *w = described();
	struct ktally_event ev;
	struct subbuf b;
	size_t at;

	put_header(&b);
	at = b.n;
	put_walk(&b);
	EXPECT_EQ(0, second(w, b.p, at, &ev));
	for (size_t n = at + 1; n < b.n; n++) {
		unsigned char *cut = malloc(n);		/* nothing behind it: ASan sees each step too far */

		memcpy(cut, b.p, n);
		EXPECT_EQ(-EBADMSG, second(w, cut, n, &ev));
		free(cut);
	}
	ktally_wire_close(w);
}

TEST(no_header_no_records)
{
	struct ktally_wire *w = described();
	struct ktally_event ev;
	struct ktally_cursor c;
	struct subbuf b = { .n = 0 };

	put_walk(&b);
	ktally_cursor_init(&c, b.p, b.n);
	EXPECT_EQ(-EBADMSG, ktally_wire_next(w, &c, &ev));
	EXPECT_EQ(0, c.pos);
	ktally_wire_close(w);
}

TEST(headers_of_something_else)
{
	struct ktally_wire *w = ktally_wire_open();
	size_t version = sizeof(struct ktally_record) + offsetof(struct ktally_header, version);
	size_t magic = sizeof(struct ktally_record) + offsetof(struct ktally_header, magic);
	struct ktally_event ev;
	struct subbuf b;

	put_header(&b);
	b.p[version]++;
	EXPECT_EQ(-1000, second(w, b.p, b.n, &ev));
	put_header(&b);
	b.p[magic]++;
	EXPECT_EQ(-1000, second(w, b.p, b.n, &ev));
	ktally_wire_close(w);
}

/* ---- descriptions ---- */

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static int describe(struct ktally_wire *w, const char *name, int id, const char *fields)
{
	char *text;
	int n = asprintf(&text, "name: %s\nID: %d\nformat:\n" COMMON "%s\nprint fmt: \"\"\n", name, id, fields);
	int ret = ktally_wire_describe(w, text, n);

	free(text);
	return ret;
}

/* A newer module: its own fields before, between and behind ours. */
TEST(fields_that_this_reader_does_not_know)
{
	struct { struct ktally_common c; uint64_t a; uint32_t purpose, b, walk, d; } rec = {
		.purpose = 2, .walk = 9, .a = ~0ULL, .b = ~0U, .d = ~0U,
	};
	struct ktally_wire *w = ktally_wire_open();
	struct ktally_event ev;
	struct subbuf b;

	ASSERT_EQ(0, describe(w, "walk_begin", KTALLY_WALK_BEGIN,
			      "\tfield:u64 extra_a;\toffset:8;\tsize:8;\tsigned:0;\n"
			      "\tfield:u32 purpose;\toffset:16;\tsize:4;\tsigned:0;\n"
			      "\tfield:u32 extra_b;\toffset:20;\tsize:4;\tsigned:0;\n"
			      "\tfield:u32 walk;\toffset:24;\tsize:4;\tsigned:0;\n"
			      "\tfield:u32 extra_d;\toffset:28;\tsize:4;\tsigned:0;\n"));
	put_header(&b);
	put(&b, KTALLY_WALK_BEGIN, &rec, sizeof(rec));
	ASSERT_EQ(1, second(w, b.p, b.n, &ev));
	EXPECT_EQ(9, ev.u.walk_begin.walk);
	EXPECT_EQ(2, ev.u.walk_begin.purpose);
	EXPECT_EQ(3, ev.present);
	ktally_wire_close(w);
}

/* An older module: what it did not measure is unknown, whatever it says in known. */
TEST(fields_that_the_stream_lacks)
{
	struct {
		struct ktally_common c; uint32_t tgid, image; uint64_t start, known, upper, runtime;
	} rec = { .tgid = 5, .start = 6, .known = ~0ULL, .runtime = 8 };
	struct ktally_wire *w = ktally_wire_open();
	struct ktally_event ev;
	struct subbuf b;

	ASSERT_EQ(0, describe(w, "exit", KTALLY_EXIT,
			      "\tfield:u32 tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
			      "\tfield:u32 image;\toffset:12;\tsize:4;\tsigned:0;\n"
			      "\tfield:u64 start;\toffset:16;\tsize:8;\tsigned:0;\n"
			      "\tfield:u64 known;\toffset:24;\tsize:8;\tsigned:0;\n"
			      "\tfield:u64 upper;\toffset:32;\tsize:8;\tsigned:0;\n"
			      "\tfield:u64 runtime;\toffset:40;\tsize:8;\tsigned:0;\n"));
	put_header(&b);
	put(&b, KTALLY_EXIT, &rec, sizeof(rec));
	memset(&ev, 0xff, sizeof(ev));
	ASSERT_EQ(1, second(w, b.p, b.n, &ev));
	EXPECT_EQ(5, ev.u.exit.tgid);
	EXPECT_EQ(8, ev.u.exit.runtime);
	EXPECT_EQ(0, ev.u.exit.utime);
	EXPECT_EQ(0, ev.u.exit.status);
	EXPECT_EQ(0, ev.present >> KTALLY_HAS_status & 1);
	EXPECT_EQ(0, ev.present >> KTALLY_HAS_uid & 1);
	EXPECT_EQ(1ULL << KTALLY_U_RUNTIME, ev.u.exit.known & ((2ULL << KTALLY_U_UDP_PAYLOAD) - 1));
	ktally_wire_close(w);
}

TEST(numbers_of_another_size)
{
	struct { struct ktally_common c; uint64_t walk; uint16_t purpose; } rec = {
		.walk = 0x1000000007ULL, .purpose = 3,
	};
	struct ktally_wire *w = ktally_wire_open();
	struct ktally_event ev;
	struct subbuf b;

	ASSERT_EQ(0, describe(w, "walk_begin", KTALLY_WALK_BEGIN,
			      "\tfield:u64 walk;\toffset:8;\tsize:8;\tsigned:0;\n"
			      "\tfield:u16 purpose;\toffset:16;\tsize:2;\tsigned:0;\n"));
	put_header(&b);
	put(&b, KTALLY_WALK_BEGIN, &rec, sizeof(rec));
	ASSERT_EQ(1, second(w, b.p, b.n, &ev));
	EXPECT_EQ(7, ev.u.walk_begin.walk);
	EXPECT_EQ(3, ev.u.walk_begin.purpose);
	ktally_wire_close(w);
}

TEST(a_kind_that_does_not_say_which_life)
{
	struct { struct ktally_common c; uint32_t image, x; } rec = { .image = 1 };
	struct ktally_wire *w = ktally_wire_open();
	struct ktally_event ev;
	struct subbuf b;

	ASSERT_EQ(0, describe(w, "exit", KTALLY_EXIT,
			      "\tfield:u32 image;\toffset:8;\tsize:4;\tsigned:0;\n"));
	put_header(&b);
	put(&b, KTALLY_EXIT, &rec, sizeof(rec));
	ASSERT_EQ(1, second(w, b.p, b.n, &ev));
	EXPECT_FALSE(ev.decoded);
	ktally_wire_close(w);
}

TEST(kinds_of_a_newer_module)
{
	static const char later[] = "name: later\nID: 30\nformat:\n" COMMON
		"\tfield:u64 x;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"x=%llu\", REC->x\n";
	struct { struct ktally_common c; uint64_t x; } rec = { .x = 11 };
	struct ktally_wire *w = described();
	struct ktally_event ev;
	char line[128];
	struct subbuf b;

	put_header(&b);
	put(&b, 30, &rec, sizeof(rec));
	ASSERT_EQ(1, second(w, b.p, b.n, &ev));
	EXPECT_FALSE(ev.decoded);
	EXPECT_EQ(NULL, ktally_kind_name(30));
	ktally_wire_print(w, &ev, line, sizeof(line));
	EXPECT_STREQ("unknown kind: 16 bytes without a description", line);
	/* Once it is described it can be printed, though not used. */
	ASSERT_EQ(0, ktally_wire_describe(w, later, strlen(later)));
	ktally_wire_print(w, &ev, line, sizeof(line));
	EXPECT_STREQ("later: x=11", line);
	ktally_wire_close(w);
	NO_LEAKS();
}

TEST(broken_descriptions_are_refused)
{
	static const char *const broken[] = {
		"", "x", "name: exit\n", "name: exit\nID: 8\n", "name: exit\nID: 99999999999\nformat:\n\n",
		"name: exit\nID: 8\nformat:\n\tfield:u32 tgid;\toffset:8\n\nprint fmt: \"\"\n",
		"name: exit\nID: 8\nformat:\n" COMMON "\tfield:;\toffset:8;\tsize:4;\n\nprint fmt: \"\"\n",
		"name: exit\nID: 8\nformat:\n" COMMON "\tfield:u32 tgid;\toffset:8;\tsize:4;\tsigned:0;\n",
		"name: \001\nID: 8\nformat:\n\nprint fmt: \"\"\n",
	};
	struct ktally_wire *w = ktally_wire_open();

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		EXPECT_EQ(-EBADMSG, ktally_wire_describe(w, broken[i], strlen(broken[i])))
			TH_LOG("%s", broken[i]);
		EXPECT_GT(strlen(ktally_wire_error(w)), 10);
	}
	ktally_wire_close(w);
	NO_LEAKS();
}

/* A newer module prints in a way this reader does not know: its fields hold all the same. */
TEST(a_print_format_of_another_form)
{
	static const char *const formats[] = {
		"\"%s\", __print_symbolic(REC->x, {1, \"a\"})", "\"%pS\", REC->x", "\"%u\"", "\"", "\"%u\", REC->y",
		"\"%s\", __get_str(x)", "\"%s\", __print_array(REC->x, 1, 8)", "\"%u\", (REC->x", "",
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct { struct ktally_common c; uint64_t x; } rec = { .x = 11 };
		struct ktally_wire *w = ktally_wire_open();
		struct ktally_event ev;
		char line[128], *description;
		struct subbuf b;
		int n = asprintf(&description, "name: later\nID: 30\nformat:\n" COMMON
				 "\tfield:u64 x;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: %s\n", formats[i]);

		ASSERT_EQ(0, ktally_wire_describe(w, description, n)) TH_LOG("%s", formats[i]);
		free(description);
		put_header(&b);
		put(&b, 30, &rec, sizeof(rec));
		ASSERT_EQ(1, second(w, b.p, b.n, &ev));
		ktally_wire_print(w, &ev, line, sizeof(line));
		EXPECT_STREQ("later: (printed by a newer ktally)", line);
		ktally_wire_close(w);
	}
	NO_LEAKS();
}

TEST(two_descriptions_of_one_kind)
{
	struct ktally_wire *w = described();
	char text[KT_FORMAT_MAX];
	size_t n = kt_format(KTALLY_EXIT, text, sizeof(text));

	EXPECT_EQ(0, ktally_wire_describe(w, text, n));
	EXPECT_EQ(-EEXIST, describe(w, "exit", KTALLY_EXIT,
				    "\tfield:u32 tgid;\toffset:8;\tsize:4;\tsigned:0;\n"));
	ktally_wire_close(w);
}

static void put_piece(struct subbuf *b, const char *text, uint32_t at, uint32_t n, uint32_t total)
{
	struct ktally_format f = { .id = KTALLY_EXIT, .offset = at, .total = total };
	struct kt_record r = KT_RECORD(KTALLY_FORMAT, &f);

	r.strings = 1;
	r.string[0] = (struct kt_bytes){ text + at, n, offsetof(struct ktally_format, text), 0 };
	kt_lay(b->p + b->n, kt_record_len(&r), &r, b->seq++, 1, 1);
	b->n += kt_record_len(&r);
}

static bool all_described(const struct subbuf *b)
{
	struct ktally_wire *w = ktally_wire_open();
	struct ktally_cursor c;
	struct ktally_event ev;
	bool there;
	size_t len;

	ktally_cursor_init(&c, b->p, b->n);
	while (ktally_wire_next(w, &c, &ev) == 1)
		;
	there = ktally_wire_description(w, KTALLY_EXIT, &len);
	ktally_wire_close(w);
	return there;
}

TEST(descriptions_in_pieces)
{
	char text[KT_FORMAT_MAX];
	uint32_t n = kt_format(KTALLY_EXIT, text, sizeof(text));
	struct subbuf b;

	put_header(&b);
	put_piece(&b, text, 0, 1000, n);
	put_piece(&b, text, 1000, 3000, n);
	put_piece(&b, text, 4000, n - 4000, n);
	EXPECT_TRUE(all_described(&b));

	/* One lost, then begun anew. */
	put_header(&b);
	put_piece(&b, text, 0, 1000, n);
	put_piece(&b, text, 4000, n - 4000, n);
	EXPECT_FALSE(all_described(&b));
	put_piece(&b, text, 0, 3000, n);
	put_piece(&b, text, 3000, n - 3000, n);
	EXPECT_TRUE(all_described(&b));

	/* A piece that claims another total, or lies beyond it. */
	put_header(&b);
	put_piece(&b, text, 0, 1000, n);
	put_piece(&b, text, 1000, 3000, 60000);
	EXPECT_FALSE(all_described(&b));
	put_header(&b);
	put_piece(&b, text, 0, 1000, 500);
	EXPECT_FALSE(all_described(&b));
}

/* ---- strings ---- */

TEST(strings_that_point_elsewhere)
{
	static const uint32_t locs[] = {
		1U << 16 | 0xffff, 0xffffU << 16 | 24, 0xffffffff, 9U << 16 | 24, 1U << 16 | 32,
	};
	struct ktally_wire *w = described();
	struct ktally_event ev;

	for (size_t i = 0; i < sizeof(locs) / sizeof(locs[0]); i++) {
		struct { struct ktally_cgroup c; char path[8]; } rec = { .c.path = locs[i] };
		struct subbuf b;

		put_header(&b);
		put(&b, KTALLY_CGROUP, &rec, sizeof(rec));
		b.n -= 8;		/* kt_lay leaves room for a NUL: not this time */
		EXPECT_EQ(-EBADMSG, second(w, b.p, b.n, &ev)) TH_LOG("%08x", locs[i]);
	}
	ktally_wire_close(w);
}

TEST(strings_with_and_without_their_nul)
{
	static const struct { uint32_t loc; int len; } cases[] = {
		{ 0, -1 }, { 4U << 16 | 24, 3 }, { 3U << 16 | 24, 3 }, { 8U << 16 | 24, 7 },
	};
	struct ktally_wire *w = described();
	struct ktally_event ev;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct { struct ktally_cgroup c; char path[8]; } rec = {
			.c.path = cases[i].loc, .path = "/ab",
		};
		struct subbuf b;

		put_header(&b);
		put(&b, KTALLY_CGROUP, &rec, sizeof(rec));
		ASSERT_EQ(1, second(w, b.p, b.n, &ev));
		EXPECT_EQ(cases[i].len < 0, !ev.str[0].p);
		EXPECT_EQ(cases[i].len < 0 ? 0 : cases[i].len, ev.str[0].len);
	}
	ktally_wire_close(w);
}

/* A record shorter than its description says. */
TEST(short_payloads)
{
	struct ktally_exit e = { .tgid = 1 };
	struct ktally_wire *w = described();
	struct ktally_event ev;

	for (size_t n = sizeof(struct ktally_common); n < sizeof(e); n += 8) {
		struct subbuf b;

		put_header(&b);
		put(&b, KTALLY_EXIT, &e, n);
		if (b.n - sizeof(struct ktally_record) >= n)
			EXPECT_EQ(-EBADMSG, second(w, b.p, b.n, &ev)) TH_LOG("%zu", n);
	}
	ktally_wire_close(w);
}

TEST(every_kind_prints)
{
	struct ktally_wire *w = described();
	unsigned char zeroes[1024] = { 0 };

	for (uint32_t kind = KTALLY_INFO; kind <= KTALLY_SELECTION; kind++) {
		struct ktally_event ev;
		char line[8192];
		struct subbuf b;
		size_t n;

		put_header(&b);
		put(&b, kind, zeroes, 1000);
		ASSERT_EQ(1, second(w, b.p, b.n, &ev)) TH_LOG("kind %u", kind);
		EXPECT_TRUE(ev.decoded);
		n = strlen(ktally_kind_name(kind));
		EXPECT_GT(ktally_wire_print(w, &ev, line, sizeof(line)), n + 2);
		EXPECT_EQ(0, strncmp(line, ktally_kind_name(kind), n));
		EXPECT_EQ(':', line[n]);
	}
	ktally_wire_close(w);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
