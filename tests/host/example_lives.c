// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * example_lives.c - the shortest way from a recording to named values: what each process
 * cost that ended in it.
 *
 *	cc example_lives.c $(pkg-config --cflags --libs ktally) -o lives && ./lives ktally.ktl
 */
#include <ktally.h>
#include <stdio.h>

/* All records go into a model, which knows the lives at the end. */
static int read_all(struct ktally_stream *stream, struct ktally_model *model)
{
	struct ktally_event event;
	int ret;

	while ((ret = ktally_stream_next(stream, &event)) == 1)
		if (ktally_model_feed(model, &event))
			return -1;
	return ret ? ret : ktally_model_settle(model, ktally_stream_info(stream));
}

static void print_life(const struct ktally_life *life, struct ktally_field_ctx *ctx)
{
	static const char *const names[] = { "pid", "life_ns", "cpu_ns", "peak_rss_bytes" };

	for (int i = 0; i < 4; i++) {
		struct ktally_value v = ktally_field_value(ktally_field_find(names[i]), life, ctx);

		/* What was not measured is unknown, never 0. */
		if (v.type == KTALLY_V_U64)
			printf("%llu ", (unsigned long long)v.u);
		else
			printf("- ");
	}
	if (life->n_images) {
		struct ktally_str program = ktally_image_program(ktally_life_image(life));

		printf("%.*s", (int)program.len, program.p ? program.p : "?");
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "ktally.ktl";
	struct ktally_model *model = ktally_model_open();
	struct ktally_life *const *lives;
	struct ktally_stream *stream;
	int ret = ktally_stream_open_files(&stream, &path, 1);

	if (!ret && model)
		ret = read_all(stream, model);
	if (ret || !model) {
		fprintf(stderr, "%s\n", ktally_stream_error(stream));
		return 1;
	}
	struct ktally_field_ctx ctx = { .model = model, .info = ktally_stream_info(stream) };
	size_t n = ktally_model_lives(model, &lives);

	for (size_t i = 0; i < n; i++)
		if (lives[i]->state == KTALLY_ENDED)
			print_life(lives[i], &ctx);
	/* Damage and losses are no errors: they are told. */
	for (size_t i = 0; ktally_stream_warning(stream, i); i++)
		fprintf(stderr, "%s\n", ktally_stream_warning(stream, i));
	ktally_model_close(model);
	ktally_stream_close(stream);
	return 0;
}
