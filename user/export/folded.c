// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded.c - stacks of the process tree for flame graphs: a line per process,
 * "init;sshd;make;cc1 495", its own figure last. The lines add up to the figures of all.
 *
 * Readers split at ';' and at the last blank, so neither line breaks nor ';' may come
 * out of a name. A process without that figure has no line; how many is said.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "export.h"

enum {
	DEEPEST = 256,			/* frames of a line: the nearest ancestors */
	NAME_BYTES = 4096,
};

static const char *const weights[][5] = {
	[EXPORT_TIME] = { "life_ns" },
	[EXPORT_CPU] = { "cpu_ns" },
	[EXPORT_BYTES] = { "read_bytes", "write_bytes", "rx_wire_bytes", "tx_wire_bytes" },
};

/* Sum of the figures that are known; false: none is. */
static bool weigh(struct export *ex, size_t row, uint64_t *sum)
{
	bool known = false;

	*sum = 0;
	for (const char *const *f = weights[ex->options->weight]; *f; f++) {
		struct ktally_value v = export_value(ex, row, *f);

		if (v.type != KTALLY_V_U64)
			continue;
		known = true;
		*sum += v.u;
	}
	return known;
}

static void put_frame(struct export *ex, const struct ktally_life *l)
{
	char name[NAME_BYTES];
	size_t n = export_name(ex, l, ktally_life_image(l), name, sizeof(name));

	for (size_t i = 0; i < n; i++) {
		if (name[i] == ';')
			sink_puts(ex->sink, "\\x3b");
		else
			sink_char(ex->sink, name[i]);
	}
}

static void put_stack(struct export *ex, const struct ktally_life *l)
{
	const struct ktally_life *stack[DEEPEST];
	size_t depth = 0;

	for (; l && depth < DEEPEST; l = export_parent(l))
		stack[depth++] = l;
	if (l)
		sink_puts(ex->sink, "...;");
	while (depth--) {
		put_frame(ex, stack[depth]);
		if (depth)
			sink_char(ex->sink, ';');
	}
}

int export_folded(struct export *ex)
{
	size_t unknown = 0;
	char count[32];
	uint64_t sum;

	for (size_t i = 0; i < ex->n; i++) {
		if (!weigh(ex, i, &sum)) {
			unknown++;
			continue;
		}
		put_stack(ex, ex->lives[i]);
		sink_char(ex->sink, ' ');
		sink_u64(ex->sink, sum);
		sink_char(ex->sink, '\n');
	}
	if (unknown)
		say("%s of these processes have no such figure and no line", say_count(count, unknown));
	return OPT_GO_ON;
}
