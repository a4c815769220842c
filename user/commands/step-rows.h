/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands/step-rows.h - scripts and their steps as rows in the order of a tree: laid out by
 * commands/step-rows.c, given values by commands/steps.c.
 */
#ifndef KTALLY_STEP_ROWS_H
#define KTALLY_STEP_ROWS_H

#include "commands.h"

enum row_kind { SCRIPT, COMMAND, SUBSHELL, FORKED, PIPELINE, PART, EXEC, SELF_TIME };

struct step_row {
	enum row_kind kind;
	const struct ktally_life *life;	/* NULL: self, or a pipeline as a whole */
	uint32_t image;			/* of it: what is shown */
	struct ktally_step step;	/* of a pipeline or self; of others begin, end, flags */
	uint64_t self;
	size_t parent;			/* row + 1; 0 = none */
	const struct ktally_life **parts;	/* of a pipeline */
	char *line;			/* a pipeline's words, once they were asked for */
	uint32_t depth;
	bool more;			/* another row of the same parent follows */
};

struct step_rows {
	struct reading *reading;
	const struct steps_options *options;
	bool for_people;
	struct step_row *rows;
	size_t n, room;
	bool cut;			/* there are deeper levels than are shown */
	char prefix[512], kind[16];
};

/* OPT_GO_ON or an exit status after a message. */
int step_rows_make(struct step_rows *s, struct sel_match *match);
void step_rows_free(struct step_rows *s);
/* The image that stands for a process: its place, and whether it was executed. */
uint32_t step_rows_image(const struct ktally_life *l);
bool step_rows_executed(const struct ktally_life *l);

#endif
