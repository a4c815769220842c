// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-tree.c - who started whom: the rows of report, in the order of the tree.
 *
 * A process hangs under its nearest ancestor that is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lives.h"
#include "out/text.h"

enum { DEEPEST = 64 };		/* branches drawn; deeper rows hang there too */

struct args {
	struct reading_options in;
	struct sel sel;
	struct show show;
};

static const struct opt_group tree_groups[] = {
	READING_GROUP(struct args, in),
	SEL_GROUP(struct args, sel),
	SHOW_GROUP(struct args, show),
};

static const struct ktally_field depth_field = {
	.name = "depth", .title = "DEPTH", .help = "steps below the root of its tree",
	.unit = KTALLY_COUNT, .sum = KTALLY_SAME, .width = 5,
};

static const char tree_columns[] = "pid,start_ns,life_ns,cpu_ns,peak_rss_bytes,rx,tx,status,argv";

struct node {
	size_t group;			/* in the library's order */
	struct node *parent, *child, *sibling;
};

struct tree {
	struct lives lives;
	struct show_source under;	/* rows by the library's order */
	struct node *nodes, *first;	/* nodes by that order; first root */
	struct node **rows;		/* in the order of the tree */
	size_t n_rows;
	const struct ktally_field **fields;
	char prefix[DEEPEST * 8];
};

static struct ktally_life *life_of(const struct tree *t, size_t group)
{
	const struct ktally_life *const *lives;

	ktally_group_lives(ktally_groups_at(t->lives.groups, group), &lives);
	return (struct ktally_life *)lives[0];
}

/* Last first, so that pushing to the front leaves them in order of start. */
static void link_nodes(struct tree *t)
{
	for (size_t i = lives_count(&t->lives); i--;) {
		struct node *n = &t->nodes[i], **list = &t->first;
		const struct ktally_life *up = life_of(t, i)->parent;

		while (up && !up->user)
			up = up->parent;
		if (up) {
			n->parent = up->user;
			list = &n->parent->child;
		}
		n->sibling = *list;
		*list = n;
	}
}

/* By hand instead of recursion: a chain of forks may be longer than the stack. */
static void walk(struct tree *t)
{
	struct node *n = t->first;

	while (n) {
		t->rows[t->n_rows++] = n;
		if (n->child) {
			n = n->child;
			continue;
		}
		while (n && !n->sibling)
			n = n->parent;
		n = n ? n->sibling : NULL;
	}
}

/* The columns of report, and the depth. */
static int add_depth(struct tree *t)
{
	t->fields = calloc(t->lives.n_fields + 1, sizeof(*t->fields));
	if (!t->fields)
		return say_error(FAILED, "out of memory");
	t->fields[0] = &depth_field;
	memcpy(t->fields + 1, t->lives.fields, t->lives.n_fields * sizeof(*t->fields));
	return OPT_GO_ON;
}

static int plant(struct tree *t)
{
	size_t n = lives_count(&t->lives);

	t->nodes = calloc(n + 1, sizeof(*t->nodes));
	t->rows = calloc(n + 1, sizeof(*t->rows));
	if (!t->nodes || !t->rows)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < n; i++) {
		t->nodes[i].group = i;
		life_of(t, i)->user = &t->nodes[i];
	}
	link_nodes(t);
	walk(t);
	return add_depth(t);
}

static size_t depth_of(const struct node *n)
{
	size_t depth = 0;

	while ((n = n->parent))
		depth++;
	return depth;
}

static struct ktally_value value(void *of, size_t row, const struct ktally_field *f)
{
	struct tree *t = of;

	if (f == &depth_field)
		return out_u64(depth_of(t->rows[row]));
	return t->under.value(t->under.of, t->rows[row]->group, f);
}

static const char *prefix(void *of, size_t row)
{
	const struct text_glyphs *glyphs = text_glyphs();
	struct tree *t = of;
	const struct node *n = t->rows[row];
	const char *piece[DEEPEST];
	size_t depth = 0, at = 0;

	for (; n->parent && depth < DEEPEST; n = n->parent, depth++) {
		if (depth)
			piece[depth] = n->sibling ? glyphs->stem : glyphs->blank;
		else
			piece[depth] = n->sibling ? glyphs->branch : glyphs->last;
	}
	while (depth--) {
		size_t len = strlen(piece[depth]);

		memcpy(t->prefix + at, piece[depth], len);
		at += len;
	}
	t->prefix[at] = '\0';
	return t->prefix;
}

static int print(void *arg, struct reading *r, struct sel_match *match)
{
	struct args *args = arg;
	struct tree t = { .first = NULL };
	struct show_source src;
	struct out *o;
	int status = lives_make(&t.lives, r, KTALLY_BY_PROCESS, match);

	if (status == OPT_GO_ON)
		status = plant(&t);
	if (status == OPT_GO_ON) {
		lives_source(&t.lives, &args->show, &t.under);
		src = t.under;
		src.schema = "ktally.tree/1";
		src.fields = t.fields;
		src.n_fields = t.under.n_fields + 1;
		src.columns = tree_columns;
		src.value = value;
		src.prefix = args->show.sort ? NULL : prefix;
		src.of = &t;
		status = show_rows(&args->show, &src, &o);
	}
	if (status == OPT_GO_ON) {
		lives_footer(o, r, match);
		status = show_close(o);
	}
	if (status == DONE && !t.n_rows)
		status = lives_none(r, match);
	lives_free(&t.lives);
	free(t.nodes);
	free(t.rows);
	free(t.fields);
	return status;
}

static int list_columns(void)
{
	struct tree t = { .first = NULL };
	int status = lives_fields(&t.lives, KTALLY_BY_PROCESS);

	if (status == OPT_GO_ON)
		status = add_depth(&t);
	if (status == OPT_GO_ON)
		status = show_columns(t.fields, t.lives.n_fields + 1, tree_columns);
	lives_free(&t.lives);
	free(t.fields);
	return status;
}

static int run_tree(int argc, char **argv)
{
	struct args args = { .in = { .live = false } };
	struct view view = { .in = &args.in, .sel = &args.sel, .print = print, .arg = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_tree, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	if (show_wants_help(&args.show))
		return list_columns();
	view.strict = args.show.strict;
	return view_run(&view, &rest);
}

static const char *const tree_examples[] = {
	"tree",
	"tree build.ktl make --tree",
	NULL
};

const struct cmd cmd_tree = {
	.name = "tree",
	.words = "[FILE...] [NAME...]",
	.help = "who started whom",
	.about = "Shows processes under the process that started them, in order of their start. A parent that is not shown is passed over.",
	.bits = CMD_FILES,
	.run = run_tree,
	CMD_GROUPS(tree_groups),
	.examples = tree_examples,
};
