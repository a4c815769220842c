// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file_open.c - the file of a new recording: an earlier one is moved aside, one that
 * somebody writes to is left alone. Who writes holds flock() on it until it is closed;
 * readers need no lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"

/* A file system without locks is recorded to without one. */
static int lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? -EBUSY : 0;
}

bool ktally_file_in_use(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0)
		return false;
	ret = lock(fd);
	close(fd);
	return ret;
}

/* What is not to be kept stays until it is sure that the new one does. */
static int move_aside(struct ktally_file *f, bool keep)
{
	int n = keep ? asprintf(&f->old, "%s.old", f->path) :
		       asprintf(&f->old, "%s.%016" PRIx64, f->path, f->file_id);

	if (n < 0) {
		f->old = NULL;
		return -ENOMEM;
	}
	if (!rename(f->path, f->old)) {
		f->old_goes = !keep;
		return 0;
	}
	free(f->old);
	f->old = NULL;
	return -errno;
}

static bool is_still_there(const char *path, int fd)
{
	struct stat by_name, own;

	return !stat(path, &by_name) && !fstat(fd, &own) && own.st_ino == by_name.st_ino &&
	       own.st_dev == by_name.st_dev;
}

/*
 * Locked until it is out of the way, so that its writer, had it just begun, finds out.
 * Whoever was faster has put a file of his own in its place, which is left alone.
 */
static int make_way(struct ktally_file *f, bool force, const struct stat *st)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int ret = 0;

	if (fd >= 0)
		ret = lock(fd) || !is_still_there(f->path, fd) ? -EBUSY : 0;
	else if (errno == ENOENT && S_ISREG(st->st_mode))
		return 0;
	/* An empty one holds nothing, and must not take the place of an .old one that does. */
	if (!ret)
		ret = move_aside(f, !force && st->st_size);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int open_new(struct ktally_file *f)
{
	f->fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return -errno;
	f->made = !lock(f->fd) && is_still_there(f->path, f->fd);
	return f->made ? 0 : -EBUSY;
}

/*
 * Regular files are made anew and private, and a link to one is moved aside as itself. A
 * device or fifo that is there is written to, and so is what a link to one leads to.
 */
static int open_path(struct ktally_file *f, bool force)
{
	struct stat st, target;
	int ret;

	if (lstat(f->path, &st))
		return open_new(f);
	if (S_ISLNK(st.st_mode) && !stat(f->path, &target) && !S_ISREG(target.st_mode))
		st = target;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
		f->fd = open(f->path, O_WRONLY | O_CLOEXEC);
		return f->fd < 0 ? -errno : 0;
	}
	ret = make_way(f, force, &st);
	return ret ? ret : open_new(f);
}

int file_open(struct ktally_file *f, bool force)
{
	int ret;

	/* Whatever the second is a link to, it must stay. */
	if (!strcmp(f->path, "-") || !strcmp(f->path, "/dev/stdout")) {
		f->fd = dup(STDOUT_FILENO);
		return f->fd < 0 ? -errno : 0;
	}
	ret = open_path(f, force);
	/* Somebody was faster: is it a recorder? */
	return ret == -EEXIST ? open_path(f, force) : ret;
}

static uint64_t random_id(void)
{
	uint64_t id = 0;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id) || !id)
		id = (uint64_t)time(NULL) * 1000000000 ^ (uint64_t)getpid() << 32;
	return id;
}

static int go_on_from(struct ktally_file *f, const struct ktally_file *before)
{
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		size_t len;
		const char *text = ktally_wire_description(before->wire, kind, &len);

		if (text && ktally_wire_describe(f->wire, text, len))
			return file_no_memory(f);
		f->base[kind] = before->base[kind];
		for (size_t cpu = 0; cpu < before->n_cpus; cpu++)
			f->base[kind] += loss_attempts(&before->cpus[cpu], kind);
	}
	return 0;
}

bool ktally_file_packs(void)
{
	return codec_packs();
}

static int refuse(struct ktally_file *f, int err)
{
	if (err == -EBUSY)
		return error_set(&f->error, err, "%s: another recorder is writing to it; choose another place with -o, or end that one (see: ktally status)",
				 f->path);
	return error_set(&f->error, err, "%s: can't create: %s", f->path, strerror(-err));
}

int ktally_file_create(struct ktally_file **out, const char *path,
		       const struct ktally_file_options *o)
{
	static const struct ktally_file_options none;
	struct ktally_file *f = calloc(1, sizeof(*f));
	int ret;

	*out = f;
	if (!f)
		return -ENOMEM;
	if (!o)
		o = &none;
	crc32c_init(&f->crc);
	f->fd = -1;
	f->file_id = random_id();
	f->path = strdup(path);
	f->wire = ktally_wire_open();
	if (!f->path || !f->wire)
		return file_no_memory(f);
	ret = o->continues ? go_on_from(f, o->continues) : 0;
	if (ret)
		return ret;
	ret = file_open(f, o->force);
	if (ret)
		return refuse(f, ret);
	f->seekable = f->made;
	if (o->level)
		f->packer = packer_open(o->level);
	return file_put_head(f, o);
}

void ktally_file_discard(struct ktally_file *f)
{
	f->finished = true;
	if (f->made)
		unlink(f->path);
	/* Whoever was faster has begun a file of his own there. */
	if (f->old && (f->made || access(f->path, F_OK)))
		rename(f->old, f->path);
	f->old_goes = false;
}

void ktally_file_keep(struct ktally_file *f)
{
	if (f->old_goes && f->made)
		unlink(f->old);
	f->old_goes = false;
}
