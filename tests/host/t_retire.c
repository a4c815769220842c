// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_retire.c - lives that are handed over while records still come: every group has the
 * values and the balance the counts as when all lives are kept, and what is kept does
 * not grow with what has ended.
 */
#include "test.h"

#define LIVES	20000		/* a millisecond apart, so about 2,000 of them may get more records */

/* Every tenth is the parent of the next nine and outlives them; every 500th does not end. */
static void put_end(FILE *f, int i, double t)
{
	if (i >= 0 && i % 500)
		fprintf(f, "%.6f exit pid=%d code=%d runtime=%dus peak_rss=%dK net_phys=%s\n", t, 100 + i,
			i % 11 == 0, 1000 + i, 100 + i % 900, i % 25 ? "0" : "1,100,100,2,200,200");
}

/* Every fourth executes nothing: its names are its parent's. */
static void put_life(FILE *f, int i)
{
	double t = 2 + i / 1000.0;
	int pid = 100 + i;

	fprintf(f, "%.6f fork pid=%d ppid=%d uid=%d\n", t, pid, i % 10 ? pid - i % 10 : 1, i % 3);
	if (i % 4)
		fprintf(f, "%.6f exec pid=%d filename=/bin/tool%d argv=\"tool%d %d\" runtime=1ms\n",
			t + .0001, pid, i % 7, i % 7, i);
	if (i % 10)
		put_end(f, i, t + .0002);
	if (i % 10 == 0)
		put_end(f, i - 20, t + .0003);
}

static struct bytes many(int lives)
{
	double over = 2 + lives / 1000.0 + 4;
	char *text = NULL;
	struct bytes b;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("0.5 walk_begin walk=1 purpose=opening\n0.5 task pid=1 start=0 comm=init walk=1 runtime=1s\n"
	      "0.5 walk_end walk=1 purpose=opening\n", f);
	for (int i = 0; i < lives; i++)
		put_life(f, i);
	for (int i = 25; i < lives - 20; i += 25)
		if (i % 500)
			fprintf(f, "%.6f net_late pid=%d net_phys=3,300,300,4,400,400\n", over, 100 + i);
	/* Zombies: that of the oldest has been forgotten for long. */
	fprintf(f, "%.6f walk_begin walk=2 purpose=closing\n", over + 1);
	for (int i = 1; i < lives; i += lives / 4)
		fprintf(f, "%.6f task pid=%d walk=2 flags=zombie state=Z live=0\n", over + 1, 100 + i);
	fprintf(f, "%.6f walk_end walk=2 purpose=closing\n", over + 1);
	fclose(f);
	b = record(text);
	free(text);
	return b;
}

static int fold(void *arg, const struct ktally_life *l)
{
	return ktally_groups_add(arg, l);
}

/* As read_bytes(), but lives go into groups and are forgotten; most: bytes the model held. */
static struct ktally_groups *read_folding(struct reading *r, const struct bytes *b, enum ktally_key key,
					  const struct ktally_field *const *fields, size_t n, size_t *most)
{
	struct ktally_groups *g;
	struct ktally_event ev;

	memset(r, 0, sizeof(*r));
	r->opened = ktally_stream_open_memory(&r->stream, b->p, b->n);
	r->model = ktally_model_open();
	r->info = ktally_stream_info(r->stream);
	r->ctx = (struct ktally_field_ctx){ .model = r->model, .info = r->info };
	g = ktally_groups_fold(&r->ctx, key, fields, n);
	ktally_model_retire(r->model, r->info, fold, g);
	while (ktally_stream_next(r->stream, &ev) == 1) {
		ktally_model_feed(r->model, &ev);
		if (ktally_model_bytes(r->model) > *most)
			*most = ktally_model_bytes(r->model);
	}
	ktally_stream_info(r->stream);
	ktally_model_settle(r->model, r->info);
	ktally_model_balance(r->model, &r->balance);
	if (ktally_groups_add_rest(g, NULL, NULL))
		abort();
	return g;
}

static bool same_text(struct ktally_str a, struct ktally_str b)
{
	return a.len == b.len && !a.p == !b.p && (!a.len || !memcmp(a.p, b.p, a.len));
}

static bool same(struct ktally_value a, struct ktally_value b)
{
	if (a.type != b.type || a.upper != b.upper || a.lower != b.lower)
		return false;
	return a.type == KTALLY_V_UNKNOWN || (a.type == KTALLY_V_TEXT ? same_text(a.t, b.t) : a.u == b.u);
}

FIXTURE(retire) {
	struct bytes b;
	struct reading all;			/* whose lives are kept */
	const struct ktally_field **fields;
	size_t n;
};

FIXTURE_SETUP(retire)
{
	const struct ktally_field *table;

	self->b = many(LIVES);
	read_bytes(&self->all, self->b.p, self->b.n);
	self->n = ktally_fields(&table);
	self->fields = calloc(self->n, sizeof(*self->fields));
	for (size_t i = 0; i < self->n; i++)
		self->fields[i] = &table[i];
}

FIXTURE_TEARDOWN(retire)
{
	read_done(&self->all);
	free(self->fields);
	free(self->b.p);
	if (__lsan_do_recoverable_leak_check())
		abort();
}

TEST_F(retire, groups_and_balance_are_the_same)
{
	static const enum ktally_key keys[] = { KTALLY_BY_PROGRAM, KTALLY_BY_USER, KTALLY_BY_ALL };

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		struct ktally_groups *want = ktally_groups_make(&self->all.ctx, keys[k], NULL, NULL), *g;
		struct reading r;
		size_t most = 0;

		g = read_folding(&r, &self->b, keys[k], self->fields, self->n, &most);
		ASSERT_EQ(ktally_groups_count(want), ktally_groups_count(g));
		for (size_t i = 0; i < ktally_groups_count(g); i++) {
			const struct ktally_group *x = ktally_groups_at(want, i), *y = ktally_groups_at(g, i);

			ASSERT_TRUE(same_text(ktally_group_name(x), ktally_group_name(y)));
			for (size_t f = 0; f < self->n; f++)
				EXPECT_TRUE(same(ktally_group_value(x, self->fields[f], &self->all.ctx),
						 ktally_group_value(y, self->fields[f], &r.ctx)));
		}
		ASSERT_EQ(0, memcmp(&self->all.balance, &r.balance, sizeof(r.balance)));
		ktally_groups_free(want);
		ktally_groups_free(g);
		read_done(&r);
	}
}

TEST_F(retire, what_has_ended_is_forgotten)
{
	struct ktally_life *const *lives;
	struct ktally_groups *g;
	struct reading r;
	size_t most = 0;

	g = read_folding(&r, &self->b, KTALLY_BY_USER, self->fields, self->n, &most);
	ASSERT_EQ(LIVES + 1, ktally_model_lives(r.model, &lives) + ktally_model_retired(r.model));
	ASSERT_LT(LIVES / 4 * 3, ktally_model_retired(r.model));
	ktally_groups_free(g);
	read_done(&r);
}

/* But for one in 25, whose sockets may be told of until the end. */
TEST_F(retire, twice_the_lives_need_the_same_memory)
{
	struct bytes twice = many(2 * LIVES);
	size_t most = 0, most_of_twice = 0;
	struct ktally_groups *g;
	struct reading r;

	g = read_folding(&r, &self->b, KTALLY_BY_USER, self->fields, self->n, &most);
	ktally_groups_free(g);
	read_done(&r);
	g = read_folding(&r, &twice, KTALLY_BY_USER, self->fields, self->n, &most_of_twice);
	ktally_groups_free(g);
	read_done(&r);
	free(twice.p);
	ASSERT_LT(0, most);
	ASSERT_LE(most_of_twice, most + most / 25);
}

TEST_HARNESS_MAIN
