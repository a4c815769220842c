// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plot.c - a picture per measure and stage into a folder: all commands, roles and
 * interfaces of it side by side.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figures.h"
#include "measure.h"
#include "out/boxes.h"
#include "say.h"

enum { MOST_BOXES = MEASURE_COMMANDS };

static bool drawn(const struct figures *f)
{
	return !f->part && f->stats.n && f->stats.max > 0;
}

static bool together(const struct figures *a, const struct figures *b)
{
	return a->of->unit == b->of->unit && !strcmp(a->of->stage, b->of->stage) && !strcmp(a->of->measure, b->of->measure);
}

/* "solo-time.svg": nothing of it needs quoting. */
static void path_of(char *path, size_t n, const char *folder, const struct series *s)
{
	size_t at = (size_t)snprintf(path, n, "%s/", folder);

	snprintf(path + at, n - at, "%s-%s.svg", s->stage, s->measure);
	for (; path[at]; at++)
		if (!isalnum((unsigned char)path[at]) && path[at] != '.')
			path[at] = '-';
}

static int write_picture(const char *folder, const struct boxes *b, const struct series *s)
{
	char path[4096];
	struct sink *sink;
	int err = 0;

	path_of(path, sizeof(path), folder, s);
	sink = sink_open(path, 1, &err);
	if (sink) {
		boxes_write(sink, b);
		err = sink_close(sink);
	}
	return err ? say_error(FAILED, "%s: %s", path, strerror(-err)) : OPT_GO_ON;
}

static int plot(const char *folder, const struct figures_set *set, size_t first)
{
	const struct figures *f = &set->at[first];
	struct box box[MOST_BOXES];
	char title[128];
	struct boxes b = {
		.title = title, .unit = f->of->unit, .scale = series_scale(f->of->unit), .far = FIGURES_FAR, .box = box,
	};

	snprintf(title, sizeof(title), "%s, %s", f->of->measure, f->of->stage);
	for (size_t i = first; i < set->n && b.n < MOST_BOXES; i++)
		if (drawn(&set->at[i]) && together(&set->at[i], f))
			box[b.n++] = (struct box){ set->at[i].of->subject, set->at[i].sorted, set->at[i].stats.n };
	return write_picture(folder, &b, f->of);
}

static bool done_before(const struct figures_set *set, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (drawn(&set->at[k]) && together(&set->at[k], &set->at[i]))
			return true;
	return false;
}

int measure_plot_folder(const char *folder)
{
	if ((!mkdir(folder, 0777) || errno == EEXIST) && !access(folder, W_OK | X_OK))
		return OPT_GO_ON;
	return say_error(FAILED, "--pictures %s: %s", folder, strerror(errno));
}

int measure_plot(const char *folder, const struct figures_set *set)
{
	int status = measure_plot_folder(folder);

	for (size_t i = 0; status == OPT_GO_ON && i < set->n; i++)
		if (drawn(&set->at[i]) && !done_before(set, i))
			status = plot(folder, set, i);
	return status;
}
