// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * example_steps.c - what a process did, in order, by the library's steps: for each its
 * length in ns, how many processes it had, and the first one's program.
 *
 *	cc example_steps.c $(pkg-config --cflags --libs ktally) -o steps && ./steps ktally.ktl 1234
 */
#include <ktally.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kinds[] = {
	[KTALLY_STEP_SELF] = "self", [KTALLY_STEP_COMMAND] = "command",
	[KTALLY_STEP_PIPELINE] = "pipeline",
};

static void print_step(const struct ktally_step *step)
{
	printf("%s %llu %zu", kinds[step->kind], (unsigned long long)(step->end - step->begin),
	       step->n_parts);
	if (step->n_parts && step->parts[0]->n_images) {
		struct ktally_str name = ktally_image_program(ktally_life_image(step->parts[0]));

		printf(" %.*s", (int)name.len, name.p ? name.p : "?");
	}
	puts(step->background ? " &" : "");
}

static int print_steps(struct ktally_model *model, const struct ktally_stream_info *info, uint32_t pid)
{
	struct ktally_life *life = ktally_model_find(model, pid, 0);
	struct ktally_steps *steps = life ? ktally_steps_make(life, info) : NULL;
	const struct ktally_step *at;

	if (!steps) {
		fprintf(stderr, "no process %u\n", pid);
		return 1;
	}
	for (size_t i = 0, n = ktally_steps_at(steps, &at); i < n; i++)
		print_step(&at[i]);
	ktally_steps_free(steps);
	return 0;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "ktally.ktl";
	struct ktally_model *model = ktally_model_open();
	struct ktally_stream *stream;
	struct ktally_event event;
	int ret = ktally_stream_open_files(&stream, &path, 1);

	while (model && !ret && (ret = ktally_stream_next(stream, &event)) == 1)
		ret = ktally_model_feed(model, &event);
	if (ret || !model) {
		fprintf(stderr, "%s\n", ktally_stream_error(stream));
		return 1;
	}
	ktally_model_settle(model, ktally_stream_info(stream));
	ret = print_steps(model, ktally_stream_info(stream), argc > 2 ? (uint32_t)atoi(argv[2]) : 1);
	ktally_model_close(model);
	ktally_stream_close(stream);
	return ret;
}
