// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * select.c - which processes a recorder records, from its options: what the kernel
 * can select goes into the session. Reads no file and starts nothing.
 */
#include <stdint.h>
#include <unistd.h>

#include "cmd.h"
#include "record.h"

/* CMD's tree begins at the one who will fork it. */
static void select_command(struct recorder *r)
{
	struct ktally_select *k = &r->selection.kernel;

	r->own = (uint32_t)getpid();
	k->what |= KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE;
	k->n_pids = 1;
	k->pids = (uintptr_t)&r->own;
}

/* What the kernel can select goes into the session; the rest is for the readers of the file. */
int record_select(struct recorder *r)
{
	const struct record *args = r->args;
	int status;

	r->match = sel_compile(&args->sel, NULL, 0, &status);
	if (!r->match)
		return status;
	status = selection_make(&r->selection, "record", &args->sel, r->match);
	if (status != OPT_GO_ON)
		return status;
	if (args->sel.tree && r->command && !args->sel.names.n)
		select_command(r);
	else if (args->sel.tree && !(r->selection.kernel.what & KTALLY_SELECT_TREE))
		return say_error(WRONG_USE, "record: --tree of what? -p PID, -n NAME or a command to run");
	if (args->exits)
		r->selection.kernel.what |= KTALLY_SELECT_EXITS;
	if (r->selection.kernel.what)
		r->live.select = &r->selection.kernel;
	return OPT_GO_ON;
}
