// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file.c - writes a recording: head, then a block per sub-buffer as it came, then a
 * summary. A block is written whole or taken back, so that a full disk leaves a
 * recording that can be read. Decodes nothing but frames and descriptions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "container.h"
#include "error.h"
#include "loss.h"
#include "wire.h"

#define MACHINE_MAX	8192		/* bytes of the machine block's strings */

struct ktally_file {
	struct error error;
	struct crc32c crc;
	char *path, *old;		/* old: where an existing file went */
	int fd;
	bool seekable, made, described, finished;
	int stuck;			/* error of a pipe: what went out can't be taken back */
	uint64_t file_id, bytes, worth;	/* worth: records that make the file worth keeping */
	struct block_summary sum;
	struct ktally_wire *wire;
	struct loss *cpus;
	size_t n_cpus;
	uint64_t base[KTALLY_KINDS];	/* attempts of the session that earlier files hold */
};

/* What one sub-buffer holds. */
struct contents {
	struct ktally_header header;
	uint64_t first_time, last_time, worth;
	uint32_t records;
	bool beyond_formats;
};

/* ---- bytes out ---- */

static int write_all(int fd, struct iovec *v, int n)
{
	while (n) {
		long put = writev(fd, v, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		for (; n && (size_t)put >= v->iov_len; v++, n--)
			put -= v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + put;
			v->iov_len -= put;
		}
	}
	return 0;
}

/* After a failed write: as if it had not been tried. */
static void take_back(struct ktally_file *f, int err)
{
	if (!f->seekable || ftruncate(f->fd, f->bytes) ||
	    lseek(f->fd, f->bytes, SEEK_SET) < 0)
		f->stuck = err;
}

static const char *advice(int err)
{
	switch (-err) {
	case ENOSPC:
	case EDQUOT:	return "; make room or choose another place with -o";
	case EFBIG:	return "; raise the limit of file sizes (ulimit -f)";
	case EPIPE:	return "; the reader has gone";
	}
	return "";
}

static int put(struct ktally_file *f, struct iovec *v, int n)
{
	uint64_t total = 0;
	int ret;

	if (f->stuck)
		return f->stuck;
	for (int i = 0; i < n; i++)
		total += v[i].iov_len;
	ret = write_all(f->fd, v, n);
	if (ret) {
		take_back(f, ret);
		return error_set(&f->error, ret, "%s: can't write: %s%s", f->path,
				 strerror(-ret), advice(ret));
	}
	f->bytes += total;
	return 0;
}

static int put_block(struct ktally_file *f, struct block_head *h, const void *payload, uint32_t n)
{
	static const unsigned char zeroes[8];
	struct iovec v[3] = {
		{ h, sizeof(*h) },
		{ (void *)payload, n },
		{ (void *)zeroes, -n & 7 },
	};

	h->file_id = f->file_id;
	block_seal(h, &f->crc, payload, n);
	return put(f, v, 3);
}

/* ---- the head ---- */

struct strings {
	char text[MACHINE_MAX];
	size_t n;
};

/* Left out when it does not fit: a head without it is better than none. */
static void add_string(struct strings *s, const char *key, const char *value)
{
	size_t left = sizeof(s->text) - s->n;
	int n = snprintf(s->text + s->n, left, "%s=%s", key, value);

	if (n >= 0 && (size_t)n < left)
		s->n += n + 1;
}

static void add_number(struct strings *s, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	add_string(s, key, text);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void read_boot_id(char *id, size_t n)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	id[0] = '\0';
	if (!f)
		return;
	if (fgets(id, n, f))
		id[strcspn(id, "\n")] = '\0';
	fclose(f);
}

static void add_base(struct strings *s, const struct ktally_file *f)
{
	char key[16];

	add_number(s, "continues", 1);
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		if (!f->base[kind])
			continue;
		snprintf(key, sizeof(key), "base%d", kind);
		add_number(s, key, f->base[kind]);
	}
}

static void add_root(struct strings *s, uint32_t tgid, uint64_t start)
{
	add_number(s, "root_tgid", tgid);
	add_number(s, "root_start", start);
}

static int put_machine(struct ktally_file *f, const struct ktally_file_options *o)
{
	struct block_head h = { .type = BLOCK_MACHINE };
	struct strings s = { .n = 0 };
	struct utsname u = { 0 };
	char boot_id[40];

	uname(&u);
	read_boot_id(boot_id, sizeof(boot_id));
	add_string(&s, "boot_id", o->boot_id ? o->boot_id : boot_id);
	add_string(&s, "host", o->host ? o->host : u.nodename);
	add_string(&s, "release", o->release ? o->release : u.release);
	add_string(&s, "machine", o->machine ? o->machine : u.machine);
	add_number(&s, "boottime", clock_ns(CLOCK_BOOTTIME));
	add_number(&s, "realtime", clock_ns(CLOCK_REALTIME));
	add_string(&s, "program", ktally_version());
	if (o->root_tgid)
		add_root(&s, o->root_tgid, o->root_start);
	if (o->continues)
		add_base(&s, f);
	if (o->command)
		add_string(&s, "command", o->command);
	return put_block(f, &h, s.text, s.n);
}

static int put_descriptions(struct ktally_file *f)
{
	struct block_head h = { .type = BLOCK_DESCRIPTIONS };
	size_t len, total = 0;
	char *all, *p;
	int ret;

	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		if (ktally_wire_description(f->wire, kind, &len))
			total += len + 1;
	if (!total)
		return 0;
	p = all = malloc(total);
	if (!all)
		return error_set(&f->error, -ENOMEM, "out of memory");
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		const char *text = ktally_wire_description(f->wire, kind, &len);

		if (text)
			p = mempcpy(p, text, len + 1);
	}
	ret = put_block(f, &h, all, total);
	free(all);
	f->described = !ret;
	return ret;
}

static int put_head(struct ktally_file *f, const struct ktally_file_options *o)
{
	struct container_head head;
	struct iovec v = { &head, sizeof(head) };
	int ret;

	container_head_make(&head, &f->crc, f->file_id);
	ret = put(f, &v, 1);
	if (!ret)
		ret = put_machine(f, o);
	if (!ret && o->continues)
		ret = put_descriptions(f);
	return ret;
}

/* ---- opening ---- */

static int move_aside(struct ktally_file *f, bool force)
{
	if (force)
		return unlink(f->path) ? -errno : 0;
	if (asprintf(&f->old, "%s.old", f->path) < 0) {
		f->old = NULL;
		return -ENOMEM;
	}
	if (!rename(f->path, f->old))
		return 0;
	free(f->old);
	f->old = NULL;
	return -errno;
}

/* Regular files are made anew and private; a device or fifo that is there is written to. */
static int open_path(struct ktally_file *f, bool force)
{
	struct stat st;
	int ret;

	if (!strcmp(f->path, "-")) {
		f->fd = dup(STDOUT_FILENO);
		return f->fd < 0 ? -errno : 0;
	}
	if (!lstat(f->path, &st)) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) {
			ret = move_aside(f, force);
			if (ret)
				return ret;
		} else {
			f->fd = open(f->path, O_WRONLY | O_CLOEXEC);
			return f->fd < 0 ? -errno : 0;
		}
	}
	f->fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	f->made = f->fd >= 0;
	return f->fd < 0 ? -errno : 0;
}

static uint64_t random_id(void)
{
	uint64_t id = 0;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id) || !id)
		id = clock_ns(CLOCK_REALTIME) ^ (uint64_t)getpid() << 32;
	return id;
}

static int go_on_from(struct ktally_file *f, const struct ktally_file *before)
{
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		size_t len;
		const char *text = ktally_wire_description(before->wire, kind, &len);

		if (text && ktally_wire_describe(f->wire, text, len))
			return error_set(&f->error, -ENOMEM, "out of memory");
		f->base[kind] = before->base[kind];
		for (size_t cpu = 0; cpu < before->n_cpus; cpu++)
			f->base[kind] += loss_attempts(&before->cpus[cpu], kind);
	}
	return 0;
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
		return error_set(&f->error, -ENOMEM, "out of memory");
	ret = o->continues ? go_on_from(f, o->continues) : 0;
	if (ret)
		return ret;
	ret = open_path(f, o->force);
	if (ret)
		return error_set(&f->error, ret, "%s: can't create: %s", path, strerror(-ret));
	f->seekable = f->made;
	return put_head(f, o);
}

/* ---- blocks ---- */

static bool is_worth(uint32_t kind)
{
	return kind != KTALLY_FORMAT && kind != KTALLY_INFO && kind != KTALLY_WALK_BEGIN &&
	       kind != KTALLY_WALK_END && kind != KTALLY_END && kind != KTALLY_SELECTION;
}

static int look_through(struct ktally_file *f, const void *subbuf, size_t n, struct contents *c)
{
	struct ktally_cursor cursor;
	struct ktally_event ev;

	memset(c, 0, sizeof(*c));
	ktally_cursor_init(&cursor, subbuf, n);
	if (wire_frame(&cursor, &ev) != 1)
		return error_set(&f->error, -EBADMSG,
				 "the module gave bytes that are no sub-buffer; see the kernel log");
	memcpy(&c->header, ev.payload, sizeof(c->header));
	/* Damage behind this point is written as it came: the reader will tell it. */
	while (wire_frame(&cursor, &ev) == 1) {
		if (!c->records++)
			c->first_time = ev.time;
		c->last_time = ev.time;
		c->worth += is_worth(ev.kind);
		if (ev.kind == KTALLY_FORMAT)
			wire_decode(f->wire, &ev);
		else
			c->beyond_formats = true;
	}
	return 0;
}

static int make_room(struct ktally_file *f, uint32_t cpu)
{
	struct loss *p;
	size_t n = cpu + 1;

	if (cpu < f->n_cpus)
		return 0;
	if (cpu >= CONTAINER_CPUS)
		return error_set(&f->error, -EBADMSG, "the module gave CPU number %u", cpu);
	p = realloc(f->cpus, n * sizeof(*p));
	if (!p)
		return error_set(&f->error, -ENOMEM, "out of memory");
	memset(p + f->n_cpus, 0, (n - f->n_cpus) * sizeof(*p));
	f->cpus = p;
	f->n_cpus = n;
	return 0;
}

static void account(struct ktally_file *f, const void *subbuf, size_t n, const struct contents *c)
{
	struct loss *l = &f->cpus[c->header.cpu];
	struct ktally_cursor cursor;
	struct ktally_event ev;

	loss_header(l, &c->header, f->base[KTALLY_FORMAT] > 0);
	ktally_cursor_init(&cursor, subbuf, n);
	while (wire_frame(&cursor, &ev) == 1)
		if (ev.kind != KTALLY_HEADER)
			loss_record(l, ev.kind, ev.time);
	f->worth += c->worth;
	f->sum.blocks++;
	f->sum.records += c->records;
	if (c->records && !f->sum.first_time)
		f->sum.first_time = c->first_time;
	if (c->last_time > f->sum.last_time)
		f->sum.last_time = c->last_time;
}

int ktally_file_add(struct ktally_file *f, const void *subbuf, size_t n)
{
	struct block_head h = { .type = BLOCK_RECORDS };
	struct contents c;
	int ret;

	if (n > CONTAINER_BLOCK_MAX)
		return error_set(&f->error, -EMSGSIZE, "a sub-buffer of %zu bytes is too long", n);
	ret = look_through(f, subbuf, n, &c);
	if (!ret)
		ret = make_room(f, c.header.cpu);
	if (ret)
		return ret;
	h.cpu = c.header.cpu;
	h.session = c.header.session;
	h.load_id = c.header.load_id;
	h.first_seq = c.header.first_seq;
	h.first_time = c.first_time;
	h.last_time = c.last_time;
	h.records = c.records;
	ret = put_block(f, &h, subbuf, n);
	if (ret) {
		f->sum.not_written++;
		return ret;
	}
	account(f, subbuf, n, &c);
	/* Once more in one place: one damaged block shall not make all others unreadable. */
	return c.beyond_formats && !f->described ? put_descriptions(f) : 0;
}

uint64_t ktally_file_bytes(const struct ktally_file *f)
{
	return f->bytes;
}

uint64_t ktally_file_records(const struct ktally_file *f)
{
	return f->sum.records;
}

const char *ktally_file_error(const struct ktally_file *f)
{
	return error_text(f ? &f->error : NULL);
}

int ktally_file_set_root(struct ktally_file *f, uint32_t tgid, uint64_t start)
{
	struct block_head h = { .type = BLOCK_MACHINE };
	struct strings s = { .n = 0 };

	add_root(&s, tgid, start);
	return put_block(f, &h, s.text, s.n);
}

int ktally_file_note(struct ktally_file *f, const char *name, const char *text, size_t n)
{
	struct block_head h = { .type = BLOCK_NOTE };
	size_t head = strlen(name) + 1;
	char *all;
	int ret;

	if (n > CONTAINER_TEXT_MAX - head)
		return error_set(&f->error, -E2BIG, "%s: the note '%s' is too long", f->path, name);
	all = malloc(head + n);
	if (!all)
		return error_set(&f->error, -ENOMEM, "out of memory");
	memcpy(all, name, head);
	memcpy(all + head, text, n);
	ret = put_block(f, &h, all, (uint32_t)(head + n));
	free(all);
	return ret;
}

void ktally_file_discard(struct ktally_file *f)
{
	f->finished = true;
	if (f->made)
		unlink(f->path);
	if (f->old)
		rename(f->old, f->path);
}

int ktally_file_finish(struct ktally_file *f)
{
	struct block_head h = { .type = BLOCK_SUMMARY };
	int ret;

	if (f->finished)
		return 0;
	f->finished = true;
	if (f->stuck)
		return f->stuck;
	if (!f->worth) {
		ktally_file_discard(f);
		return error_set(&f->error, -ENODATA, "%s: nothing was recorded, so there is no file",
				 f->path);
	}
	ret = put_block(f, &h, &f->sum, sizeof(f->sum));
	if (!ret && close(f->fd))
		ret = error_set(&f->error, -errno, "%s: can't write: %s", f->path, strerror(errno));
	if (!ret)
		f->fd = -1;
	return ret;
}

void ktally_file_close(struct ktally_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	ktally_wire_close(f->wire);
	free(f->cpus);
	free(f->path);
	free(f->old);
	free(f);
}
