// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plot.c - a picture of the boot into a file: the name's ending says which.
 */
#include <errno.h>
#include <string.h>

#include "boot.h"
#include "cmd.h"
#include "out/picture.h"

static const struct kind {
	const char *ending;
	int (*write)(struct sink *s, const struct picture *p);
} kinds[] = {
	{ ".svg", chart_write },
	{ ".html", page_write },
	{ ".htm", page_write },
};

static const struct kind *kind_of(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i].ending);

		if (len > n && !strcmp(path + len - n, kinds[i].ending))
			return &kinds[i];
	}
	return NULL;
}

static int write_picture(const struct kind *kind, const char *path, const struct picture *p)
{
	int err = 0, ret;
	struct sink *s = sink_open(path, 1, &err);

	if (!s)
		return say_error(FAILED, "%s: %s", path, strerror(-err));
	ret = kind->write(s, p);
	err = sink_close(s);
	if (ret)
		return say_error(FAILED, "out of memory for the picture");
	return err ? say_error(FAILED, "%s: %s", path, strerror(-err)) : DONE;
}

int boot_plot(const struct boot_args *args)
{
	const char *path = args->show.out.path;
	const struct kind *kind = kind_of(path);
	struct ktally_balance balance;
	struct boot_view v;
	struct picture p;
	int status;

	if (!kind)
		return say_error(WRONG_USE, "boot plot: say where to and as what: -o FILE.svg, or -o FILE.html");
	status = boot_open(&v, args, &args->in);
	if (status != OPT_GO_ON)
		return status;
	ktally_model_balance(v.reading.model, &balance);
	if (picture_make(&p, &v.boot, balance.lost_total))
		status = say_error(FAILED, "out of memory for the picture");
	else
		status = write_picture(kind, path, &p);
	if (status == DONE)
		say("%zu processes drawn to %s", p.shown, path);
	picture_free(&p);
	reading_warn(&v.reading);
	boot_close(&v);
	return status;
}
