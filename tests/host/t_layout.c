// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_layout.c - what was published stays where it is: every kind's number, every
 * field's offset and size against golden/layout.txt; the module's descriptions
 * against the structs, read by libtraceevent; records as the module lays them.
 */
#include <traceevent/event-parse.h>

#include "../../kmod/format.h"
#include "../../kmod/pack.h"
#include "layout.h"
#include "test.h"

#define GOLDEN TEST_SOURCE "/golden/layout.txt"

static void list_layout(FILE *f)
{
	fprintf(f, "frame %zu common %zu\n", sizeof(struct ktally_record), sizeof(struct ktally_common));
	for (uint32_t kind = 0; kind < KTALLY_KINDS; kind++) {
		const struct layout *l = layout_of(kind);

		if (!l)
			continue;
		fprintf(f, "%s %u size %u\n", l->name, kind, l->size);
		for (unsigned int i = 0; i < l->n_fields; i++)
			fprintf(f, "  %u+%u %s%s\n", l->fields[i].offset, l->fields[i].size,
				l->fields[i].name, l->fields[i].element ? "" : " string");
	}
	fprintf(f, "ioctls %lx %lx %lx %lx %lx %lx %lx %lx\n",
		(unsigned long)KTALLY_IOC_START, (unsigned long)KTALLY_IOC_CPU,
		(unsigned long)KTALLY_IOC_WALK, (unsigned long)KTALLY_IOC_FLUSH,
		(unsigned long)KTALLY_IOC_END, (unsigned long)KTALLY_IOC_MARK,
		(unsigned long)KTALLY_IOC_COUNTS, (unsigned long)KTALLY_IOC_STATUS);
	fprintf(f, "ioctls %lx %lx %lx %lx\n",
		(unsigned long)KTALLY_IOC_SNAPSHOT, (unsigned long)KTALLY_IOC_SELECT,
		(unsigned long)KTALLY_IOC_TOTALS, (unsigned long)KTALLY_IOC_TOTALS_RESET);
}

/* A line that changed or went is a broken contract; new ones are added to the file. */
TEST(layout_is_as_published)
{
	struct bytes want = load(GOLDEN);
	char *have;
	size_t n;
	FILE *f = open_memstream(&have, &n);

	list_layout(f);
	fclose(f);
	save("layout.now", have, n);
	ASSERT_NE(NULL, want.p);
	want.p[want.n] = '\0';
	EXPECT_EQ(0, strcmp((char *)want.p, have)) TH_LOG("diff %s build/tests/host/layout.now", GOLDEN);
	free(have);
	free(want.p);
}

static struct tep_event *parse(struct tep_handle *tep, uint32_t kind)
{
	char text[KT_FORMAT_MAX];
	size_t n = kt_format(kind, text, sizeof(text));
	struct tep_event *e;

	if (!n || n > sizeof(text) || tep_parse_event(tep, text, n, "ktally"))
		return NULL;
	e = tep_find_event(tep, kind);
	return e && !(e->flags & TEP_EVENT_FL_FAILED) ? e : NULL;
}

TEST(descriptions_agree_with_the_structs)
{
	struct tep_handle *tep = tep_alloc();

	for (uint32_t kind = 0; kind < KTALLY_KINDS; kind++) {
		const struct layout *l = layout_of(kind);
		struct tep_event *e = l ? parse(tep, kind) : NULL;

		if (!l)
			continue;
		ASSERT_NE(NULL, e) TH_LOG("kind %u", kind);
		EXPECT_STREQ(l->name, e->name);
		EXPECT_EQ(l->n_fields, e->format.nr_fields);
		for (unsigned int i = 0; i < l->n_fields; i++) {
			const struct layout_field *own = &l->fields[i];
			struct tep_format_field *f = tep_find_field(e, own->name);

			ASSERT_NE(NULL, f) TH_LOG("%s.%s", l->name, own->name);
			EXPECT_EQ(own->offset, f->offset);
			EXPECT_EQ(own->size, f->size);
			EXPECT_EQ(!own->element, !!(f->flags & TEP_FIELD_IS_DYNAMIC));
			if (own->element > 1)
				EXPECT_EQ(own->element, own->element == own->size ? f->size : f->elementsize);
		}
	}
	tep_free(tep);
	NO_LEAKS();
}

TEST(a_description_that_does_not_fit_says_its_length)
{
	char text[100];
	size_t n = kt_format(KTALLY_EXIT, text, sizeof(text));

	EXPECT_GT(n, sizeof(text));
	EXPECT_EQ(0, kt_format(KTALLY_KINDS, text, sizeof(text)));
	EXPECT_EQ(0, kt_format(0, text, sizeof(text)));
	EXPECT_LE(n, KT_FORMAT_MAX);
}

static uint32_t lay_cgroup(unsigned char *to, const char *path, size_t n, int is_text)
{
	struct ktally_cgroup c = { .id = 7, .op = 1 };
	struct kt_record r = KT_RECORD(KTALLY_CGROUP, &c);

	r.strings = 1;
	r.string[0] = (struct kt_bytes){ path, n, offsetof(struct ktally_cgroup, path), is_text };
	kt_lay(to, kt_record_len(&r), &r, 42, 99, 5);
	return kt_record_len(&r);
}

/* Old bytes of the buffer must never leave with a record: every length, all of 0xff before. */
TEST(padding_is_zero_for_every_length)
{
	char path[64];

	memset(path, 'p', sizeof(path));
	for (size_t n = 0; n < sizeof(path); n++) {
		unsigned char buf[256] __attribute__((aligned(8)));
		const struct ktally_record *r = (void *)buf;
		const struct ktally_cgroup *c = (void *)(r + 1);
		uint32_t len, end;

		memset(buf, 0xff, sizeof(buf));
		len = lay_cgroup(buf, path, n, 1);
		ASSERT_EQ(0, len % 8);
		EXPECT_EQ(len, r->len);
		EXPECT_EQ(42, r->seq);
		EXPECT_EQ(99, r->time);
		EXPECT_EQ(KTALLY_CGROUP, c->common.type);
		EXPECT_EQ(5, c->common.pid);
		EXPECT_EQ(sizeof(*c), c->path & 0xffff);
		EXPECT_EQ(n + 1, c->path >> 16);
		end = sizeof(*r) + sizeof(*c) + n;
		for (uint32_t i = end; i < len; i++)
			ASSERT_EQ(0, buf[i]);
		for (uint32_t i = len; i < sizeof(buf); i++)
			ASSERT_EQ(0xff, buf[i]);
	}
}

TEST(bytes_have_exactly_their_length)
{
	unsigned char buf[256] __attribute__((aligned(8)));
	const struct ktally_cgroup *c = (void *)(buf + sizeof(struct ktally_record));

	lay_cgroup(buf, "a\0b", 4, 0);
	EXPECT_EQ(4, c->path >> 16);
}

TEST(the_longest_exec_fits_a_record)
{
	struct ktally_exec e = { 0 };
	struct kt_record r = KT_RECORD(KTALLY_EXEC, &e);

	r.strings = 3;
	r.string[0].len = KTALLY_FILENAME_MAX;
	r.string[1].len = KTALLY_INTERP_MAX;
	r.string[2].len = KTALLY_ARGV_INLINE;
	EXPECT_LE(kt_record_len(&r), KTALLY_RECORD_MAX);
}

TEST_HARNESS_MAIN
