// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz.c - any bytes as a recording or as sub-buffers: no crash, no leak, no end
 * that never comes. Checksums are made right first, else the fuzzer would only ever
 * test them. `make fuzz` builds it for libFuzzer; t_fuzz.c replays a corpus.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "ktally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Gives every block that looks like one the sums and the number that it should have. */
static void make_sums_right(unsigned char *p, size_t n)
{
	struct container_head *head = (void *)p;
	struct crc32c crc;
	size_t at = sizeof(*head);

	crc32c_init(&crc);
	if (n < sizeof(*head))
		return;
	container_head_make(head, &crc, 1);
	while (n - at >= sizeof(struct block_head)) {
		struct block_head h;
		size_t left = n - at - sizeof(h);

		memcpy(&h, p + at, sizeof(h));
		h.file_id = 1;
		if (h.length > left)
			h.length = left;
		block_seal(&h, &crc, p + at + sizeof(h), h.length);
		memcpy(p + at, &h, sizeof(h));
		at += block_span(&h) < n - at ? block_span(&h) : n - at;
	}
}

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
		make_sums_right(copy, n);
	if (!ktally_stream_open_memory(&s, copy, n))
		use(s);
	ktally_stream_close(s);
	if (!ktally_stream_open_push(&s) && !ktally_stream_push(s, copy, n)) {
		ktally_stream_settled(s, UINT64_MAX);
		use(s);
	}
	ktally_stream_close(s);
	free(copy);
	return 0;
}
