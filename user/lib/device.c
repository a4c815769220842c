// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * device.c - what the module is asked without a session: its state, its totals, what it
 * did and how long its hooks take; and marks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "ktally.h"

static int no_device(struct error *e, const char *device, int err)
{
	switch (-err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return error_set(e, err, "module not loaded; load it with: ktally load (not built for this kernel? see: ktally doctor)");
	case EACCES:
	case EPERM:
		return error_set(e, err, "%s: permission denied; you are not in group 'ktally': adduser $USER ktally", device);
	}
	return error_set(e, err, "%s: can't open: %s", device, strerror(-err));
}

int device_open(const char *device, struct error *e)
{
	int fd = open(device, O_RDWR | O_CLOEXEC);

	return fd < 0 ? no_device(e, device, -errno) : fd;
}

static int ask(int fd, const char *device, unsigned long request, void *arg, const char *what,
	       struct error *e)
{
	if (!ioctl(fd, request, arg))
		return 0;
	return error_set(e, -errno, "%s: can't %s: %s", device, what,
			 errno == ENOTTY || errno == EINVAL || errno == E2BIG ?
			 "module and program are of different versions, or it is no device of ktally" :
			 strerror(errno));
}

static int one_ioctl(const char *device, unsigned long request, void *arg, const char *what,
		     struct error *e)
{
	int fd = device_open(device, e);
	int ret;

	if (fd < 0)
		return fd;
	ret = ask(fd, device, request, arg, what, e);
	close(fd);
	return ret;
}

static int with_text(int ret, const struct error *e, char *text, size_t n)
{
	if (ret && n)
		strncpy(text, e->text, n - 1)[n - 1] = '\0';
	return ret;
}

int ktally_status_read(struct ktally_status *st, const char *device, char *text, size_t n)
{
	struct error e;

	memset(st, 0, sizeof(*st));
	st->size = sizeof(*st);
	return with_text(one_ioctl(device ? device : DEVICE_PATH, KTALLY_IOC_STATUS, st,
				   "read its state", &e), &e, text, n);
}

int ktally_work_read(struct ktally_work *w, const char *device, char *text, size_t n)
{
	struct error e;

	memset(w, 0, sizeof(*w));
	w->size = sizeof(*w);
	return with_text(one_ioctl(device ? device : DEVICE_PATH, KTALLY_IOC_WORK, w,
				   "read what it did", &e), &e, text, n);
}

int ktally_mark(const char *device, const char *mark, size_t len, char *text, size_t n)
{
	struct ktally_mark_arg a = {
		.size = sizeof(a), .len = len, .text = (uint64_t)(uintptr_t)mark,
	};
	struct error e;

	if (!len || len > KTALLY_MARK_MAX)
		return with_text(error_set(&e, -EINVAL, "a mark has 1 to %d bytes; this one has %zu",
					   KTALLY_MARK_MAX, len), &e, text, n);
	return with_text(one_ioctl(device ? device : DEVICE_PATH, KTALLY_IOC_MARK, &a,
				   "set a mark", &e), &e, text, n);
}

/* A first question tells how many rows there can be. */
int ktally_totals_read(struct ktally_totals *t, struct ktally_totals_row **rows, const char *device,
		       char *text, size_t n)
{
	struct error e;
	int ret;

	*rows = NULL;
	do {
		uint32_t room = *rows ? t->rows_max : 0;

		*t = (struct ktally_totals){
			.size = sizeof(*t), .row_size = sizeof(**rows), .room = room,
			.rows = (uint64_t)(uintptr_t)*rows,
		};
		ret = one_ioctl(device ? device : DEVICE_PATH, KTALLY_IOC_TOTALS, t, "read the totals", &e);
		if (ret != -ENOSPC)
			break;
		free(*rows);
		*rows = calloc(t->rows_max, sizeof(**rows));
		if (!*rows)
			ret = error_set(&e, -ENOMEM, "out of memory");
	} while (*rows);
	if (ret) {
		free(*rows);
		*rows = NULL;
	}
	return with_text(ret, &e, text, n);
}

int ktally_totals_reset(const char *device, char *text, size_t n)
{
	struct error e;

	return with_text(one_ioctl(device ? device : DEVICE_PATH, KTALLY_IOC_TOTALS_RESET, NULL,
				   "reset the totals", &e), &e, text, n);
}

int ktally_timing_begin(struct ktally_timing *t, const char *device, char *text, size_t n)
{
	struct error e;
	int fd, ret;

	if (!device)
		device = DEVICE_PATH;
	*t = (struct ktally_timing){
		.size = sizeof(*t), .flags = KTALLY_TIMING_BEGIN,
		.hook_size = sizeof(struct ktally_hook_time),
	};
	fd = device_open(device, &e);
	if (fd < 0)
		return with_text(fd, &e, text, n);
	ret = ask(fd, device, KTALLY_IOC_TIMING, t, "have its hooks timed", &e);
	if (!ret)
		return fd;
	close(fd);
	return with_text(ret, &e, text, n);
}

int ktally_timing_read(int fd, struct ktally_timing *t, struct ktally_hook_time *hooks, size_t room)
{
	*t = (struct ktally_timing){
		.size = sizeof(*t), .hook_size = sizeof(*hooks), .room = room,
		.hooks = (uint64_t)(uintptr_t)hooks,
	};
	return ioctl(fd, KTALLY_IOC_TIMING, t) ? -errno : 0;
}
