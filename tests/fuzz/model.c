// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model.c - any bytes as a recording or as sub-buffers, to lives, groups, runs and
 * steps. Checksums are made right first, else the fuzzer would only ever test them.
 */
#include <errno.h>

#include "fuzz.h"
#include "ktally.h"

/* Steps of a life lie one after the other, or beside each other, within reason. */
static void follow(const struct ktally_life *l, const struct ktally_stream_info *info)
{
	struct ktally_steps *steps = ktally_steps_make(l, info);
	const struct ktally_step *at;
	size_t n = ktally_steps_at(steps, &at);

	for (size_t i = 0; i < n; i++)
		if (at[i].end < at[i].begin || (i && at[i].begin < at[i - 1].begin))
			abort();
	ktally_steps_self(steps, 0, UINT64_MAX);
	ktally_steps_free(steps);
}

static void use_commands(struct ktally_field_ctx *ctx)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(ctx->model, &lives);

	for (size_t i = 0; i < n; i++)
		follow(lives[i], ctx->info);
	for (int key = KTALLY_RUN_SCRIPT; key <= KTALLY_RUN_USER; key++) {
		const struct ktally_runs_options options = {
			.key = key, .fold = key % 2, .forks = true, .ctx = ctx,
		};

		ktally_runs_free(ktally_runs_make(&options));
	}
}

static void use(struct ktally_stream *s)
{
	struct ktally_model *m = ktally_model_open();
	struct ktally_field_ctx ctx = { .model = m };
	struct ktally_network network;
	const struct ktally_field *fields;
	size_t n = ktally_fields(&fields);
	struct ktally_groups *g;
	struct ktally_event ev;
	char line[8192];
	int ret;

	while ((ret = ktally_stream_next(s, &ev)) == 1) {
		ktally_wire_print(ktally_stream_wire(s), &ev, line, sizeof(line));
		ktally_model_feed(m, &ev);
	}
	if (ret)
		abort();		/* damage is no error */
	ctx.info = ktally_stream_info(s);
	ktally_model_settle(m, ctx.info);
	ktally_model_network(m, false, &network);
	ktally_model_network(m, true, &network);
	for (size_t i = 0; ktally_stream_warning(s, i); i++)
		;
	g = ktally_groups_make(&ctx, KTALLY_BY_COMMAND, NULL, NULL);
	for (size_t i = 0; i < ktally_groups_count(g); i++)
		for (size_t k = 0; k < n; k++)
			ktally_group_value(ktally_groups_at(g, i), &fields[k], &ctx);
	ktally_groups_free(g);
	use_commands(&ctx);
	ktally_model_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ktally_stream *s;
	unsigned char *copy;

	if (!n)
		return 0;
	copy = malloc(n);
	memcpy(copy, data, n);
	if (data[n - 1] % 4)
		fuzz_make_sums_right(copy, n);
	if (!ktally_stream_open_memory(&s, copy, n))
		use(s);
	ktally_stream_close(s);
	if (!ktally_stream_open_push(&s) && !ktally_stream_push(s, copy, n)) {
		struct ktally_event ev;

		if (ktally_stream_next(s, &ev) != -EAGAIN)
			abort();	/* nothing is settled yet */
		ktally_stream_settled(s, UINT64_MAX);
		use(s);
	}
	ktally_stream_close(s);
	free(copy);
	return 0;
}
