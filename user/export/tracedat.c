// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracedat.c - a trace.dat of version 6, as trace-cmd and KernelShark read it: the
 * records as they are, described by their own descriptions, in the pages of a ring
 * buffer; beside them sched_process_fork, _exec and _exit in the kernel's own form. What
 * was lost is lost in the pages too: "EVENTS DROPPED".
 *
 * The head says where each CPU's pages lie, so they are counted first and written in a
 * second round. All numbers are in this machine's byte order, as those of the records.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "records.h"
#include "out/text.h"

enum {
	PAGE = 4096, PAGE_HEAD = 16,
	SMALL = 28 * 4,			/* bytes of an event whose length is in its first word */
	DELTA_BITS = 27,
	TIME_EXTEND = 30,
	COUNT_BYTES = 8,		/* of lost events, behind a page's data */
	/* Numbers of events; kinds have their own, below. */
	LOST_EVENT = 100, SCHED_EVENT = 300,
	OPTION_UNAME = 5, OPTION_CPUCOUNT = 8, OPTION_VERSION = 9,
};
#define LOST_BEFORE	(1U << 31)	/* in a page's length: events were lost before it, */
#define LOST_COUNTED	(1U << 30)	/* and their number stands behind the data */

/* The pages of one CPU. */
struct lane {
	unsigned char page[PAGE];
	size_t used;			/* bytes of data */
	uint64_t begin, last;		/* times */
	uint64_t lost;			/* before the page that is being filled */
	uint64_t pages;
	off_t at;			/* in the file */
};

struct tracedat {
	struct export *ex;
	struct survey survey;
	struct lane *lanes;
	int fd;				/* -1: pages are only counted */
	int err;
};

static const char page_head[] =
"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char event_head[] =
"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
"\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
"\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

#define COMMON								\
"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char lost_event[] = "name: lost\nID: 100\n" COMMON
"\tfield:u64 records;\toffset:8;\tsize:8;\tsigned:0;\n\n"
"print fmt: \"records=%llu\", REC->records\n";

/* By enum records_sched; their numbers are SCHED_EVENT and that. */
static const char *const sched_events[] = {
	[SCHED_FORK] = "name: sched_process_fork\nID: 301\n" COMMON
"\tfield:char parent_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
"\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
"\tfield:char child_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
"\tfield:pid_t child_pid;\toffset:44;\tsize:4;\tsigned:1;\n\n"
"print fmt: \"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, REC->parent_pid, REC->child_comm, REC->child_pid\n",
	[SCHED_EXEC] = "name: sched_process_exec\nID: 302\n" COMMON
"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
"\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n\n"
"print fmt: \"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid\n",
	[SCHED_EXIT] = "name: sched_process_exit\nID: 303\n" COMMON
"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n\n"
"print fmt: \"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio\n",
};

/* ---- pages ---- */

static void write_at(struct tracedat *t, const void *p, size_t n, off_t at)
{
	while (n && !t->err) {
		ssize_t done = pwrite(t->fd, p, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			t->err = done ? errno : EIO;
			return;
		}
		p = (const char *)p + done;
		n -= (size_t)done;
		at += done;
	}
}

static void close_page(struct tracedat *t, struct lane *l)
{
	uint64_t length = l->used;

	if (!l->used)
		return;
	if (l->lost) {
		length |= LOST_BEFORE | LOST_COUNTED;
		memcpy(l->page + PAGE_HEAD + l->used, &l->lost, COUNT_BYTES);
	}
	memcpy(l->page, &l->begin, 8);
	memcpy(l->page + 8, &length, 8);
	if (t->fd >= 0)
		write_at(t, l->page, PAGE, l->at + (off_t)(l->pages * PAGE));
	l->pages++;
	l->used = 0;
	l->lost = 0;
	memset(l->page, 0, PAGE);
}

/* Five bits of type or length and 27 of time, as the compiler lays out a bit field. */
static void put_word(struct lane *l, uint32_t type, uint32_t delta)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t word = type | delta << 5;
#else
	uint32_t word = type << DELTA_BITS | delta;
#endif

	memcpy(l->page + PAGE_HEAD + l->used, &word, 4);
	l->used += 4;
}

static void put_u32(struct lane *l, uint32_t v)
{
	memcpy(l->page + PAGE_HEAD + l->used, &v, 4);
	l->used += 4;
}

/* n is a multiple of 4, and fits a page. */
static void put_event(struct tracedat *t, struct lane *l, uint64_t time, const void *payload, size_t n)
{
	size_t room = PAGE - PAGE_HEAD - COUNT_BYTES, most = n + 16;
	uint64_t delta;

	if (l->used + most > room)
		close_page(t, l);
	if (!l->used)
		l->begin = l->last = time;
	delta = time > l->last ? time - l->last : 0;
	l->last += delta;
	if (delta >> DELTA_BITS) {
		put_word(l, TIME_EXTEND, (uint32_t)(delta & ((1U << DELTA_BITS) - 1)));
		put_u32(l, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	put_word(l, n <= SMALL ? (uint32_t)n / 4 : 0, (uint32_t)delta);
	if (n > SMALL)
		put_u32(l, (uint32_t)n + 4);
	memcpy(l->page + PAGE_HEAD + l->used, payload, n);
	l->used += n;
}

/* ---- events ---- */

/* Readers print a text up to its first NUL: words of a command line are parted by blanks. */
static void clean_argv(const struct export *ex, unsigned char *argv, size_t n)
{
	if (!ex->options->args) {
		memset(argv, 0, n);
		return;
	}
	while (n && !argv[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!argv[i])
			argv[i] = ' ';
}

static void put_record(struct tracedat *t, struct lane *l, const struct record *rec)
{
	unsigned char copy[KTALLY_RECORD_MAX];
	const struct ktally_event *ev = &rec->ev;
	size_t n = ev->payload_len;

	memcpy(copy, ev->payload, n);
	if (rec->argv)
		clean_argv(t->ex, copy + (rec->argv->p - (const char *)ev->payload), rec->argv->len);
	put_event(t, l, rec->time, copy, n);
}

struct sched_payload {
	struct ktally_common common;
	union {
		struct { char parent_comm[16]; int32_t parent_pid; char child_comm[16]; int32_t child_pid; } fork;
		struct { uint32_t filename; int32_t pid, old_pid; char text[KTALLY_FILENAME_MAX + 8]; } exec;
		struct { char comm[16]; int32_t pid, prio; } exit;
	} u;
};

static size_t fill_exec(struct sched_payload *p, const struct sched *s)
{
	uint32_t len = s->filename.p ? s->filename.len : 0;

	if (len > KTALLY_FILENAME_MAX)
		len = KTALLY_FILENAME_MAX;
	p->u.exec.filename = (len + 1) << 16 | (uint32_t)offsetof(struct sched_payload, u.exec.text);
	p->u.exec.pid = (int32_t)s->tid;
	p->u.exec.old_pid = (int32_t)s->other;
	if (len)
		memcpy(p->u.exec.text, s->filename.p, len);
	return (offsetof(struct sched_payload, u.exec.text) + len + 1 + 3) & ~(size_t)3;
}

static void put_sched(struct tracedat *t, struct lane *l, const struct record *rec)
{
	struct sched_payload p = { .common = *(const struct ktally_common *)rec->ev.payload };
	struct sched s = records_sched(&rec->ev);
	size_t n = sizeof(p.common);

	switch (s.what) {
	case SCHED_NONE:
		return;
	case SCHED_FORK:
		memcpy(p.u.fork.parent_comm, s.comm, sizeof(s.comm));
		memcpy(p.u.fork.child_comm, s.comm, sizeof(s.comm));
		p.u.fork.parent_pid = (int32_t)s.other;
		p.u.fork.child_pid = (int32_t)s.tid;
		n += sizeof(p.u.fork);
		break;
	case SCHED_EXEC:
		n = fill_exec(&p, &s);
		break;
	case SCHED_EXIT:
		memcpy(p.u.exit.comm, s.comm, sizeof(s.comm));
		p.u.exit.pid = (int32_t)s.tid;
		p.u.exit.prio = SCHED_PRIO_UNKNOWN;
		n += sizeof(p.u.exit);
		break;
	}
	p.common.type = (__u16)(SCHED_EVENT + s.what);
	put_event(t, l, rec->time, &p, n);
}

/* Events that were lost are missing before a page: it is a new one. */
static void put_lost(struct tracedat *t, struct lane *l, uint64_t lost)
{
	if (!lost)
		return;
	close_page(t, l);
	l->lost += lost;
}

/* Losses behind everything want an event that they can stand before. */
static void put_end(struct tracedat *t, uint64_t rest)
{
	struct lane *l = t->lanes;
	struct { struct ktally_common common; uint64_t records; } p = { .common.type = LOST_EVENT };

	put_lost(t, l, rest);
	for (uint32_t cpu = 0; cpu < t->survey.cpus; cpu++, l++) {
		p.records = l->lost;
		if (l->lost && !l->used)
			put_event(t, l, t->survey.last > l->last ? t->survey.last : l->last, &p, sizeof(p));
		close_page(t, l);
	}
}

static int put_all(struct tracedat *t)
{
	struct records r;
	struct record rec;
	int status = records_open(&r, t->ex), got;

	while (status == OPT_GO_ON && !t->err && (got = records_next(&r, &rec))) {
		struct lane *l = &t->lanes[rec.ev.cpu];

		if (got < 0) {
			status = -got;
			break;
		}
		put_lost(t, l, rec.lost);
		if (!rec.meant || !t->survey.descriptions[rec.ev.kind])
			continue;
		put_record(t, l, &rec);
		put_sched(t, l, &rec);
	}
	if (status == OPT_GO_ON)
		put_end(t, records_rest(&r));
	records_close(&r);
	return status;
}

/* ---- the head ---- */

static void put_text(FILE *f, const char *text, size_t n)
{
	uint64_t len = n;

	fwrite(&len, sizeof(len), 1, f);
	fwrite(text, 1, n, f);
}

static void put_number(FILE *f, uint32_t v)
{
	fwrite(&v, sizeof(v), 1, f);
}

/* Also its final NUL. */
static void put_name(FILE *f, const char *name)
{
	fwrite(name, 1, strlen(name) + 1, f);
}

static void put_formats(FILE *f, const struct survey *s)
{
	uint32_t kinds = 0;

	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		kinds += s->descriptions[kind] != NULL;
	put_number(f, 0);		/* events of ftrace itself */
	put_number(f, 2);
	put_name(f, "ktally");
	put_number(f, kinds + 1);
	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		if (s->descriptions[kind])
			put_text(f, s->descriptions[kind], strlen(s->descriptions[kind]));
	put_text(f, lost_event, sizeof(lost_event) - 1);
	put_name(f, "sched");
	put_number(f, SCHED_EXIT);
	for (int what = SCHED_FORK; what <= SCHED_EXIT; what++)
		put_text(f, sched_events[what], strlen(sched_events[what]));
}

/* "PID comm" a line; of a number that was used twice, the later one. */
static int put_names(FILE *f, const struct export *ex)
{
	char *text = NULL, comm[4 * KTALLY_COMM_LEN + 1];
	size_t n = 0;
	FILE *names = open_memstream(&text, &n);

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < ex->n; i++) {
		const struct ktally_owner *o = &ex->lives[i]->owner;

		if (!text_escape(comm, sizeof(comm), o->comm, strnlen(o->comm, sizeof(o->comm))))
			continue;
		fprintf(names, "%u %s\n", ex->lives[i]->tgid, comm);
	}
	if (fclose(names)) {
		free(text);
		return -ENOMEM;
	}
	put_text(f, text, n);
	free(text);
	return 0;
}

static void put_option(FILE *f, uint16_t id, const void *p, uint32_t n)
{
	fwrite(&id, sizeof(id), 1, f);
	put_number(f, n);
	fwrite(p, 1, n, f);
}

static void put_options(FILE *f, const struct export *ex, uint32_t cpus)
{
	static const char version[] = "ktally " KTALLY_VERSION;
	const struct ktally_stream_info *info = ex->reading->info;
	const uint16_t end = 0;
	char uname[256];

	snprintf(uname, sizeof(uname), "Linux %s %s %s", info->host, info->release, info->machine);
	fwrite("options  ", 1, 10, f);
	put_option(f, OPTION_UNAME, uname, (uint32_t)strlen(uname) + 1);
	put_option(f, OPTION_CPUCOUNT, &cpus, sizeof(cpus));
	put_option(f, OPTION_VERSION, version, sizeof(version));
	fwrite(&end, sizeof(end), 1, f);
}

static off_t page_up(off_t at)
{
	return (at + PAGE - 1) / PAGE * PAGE;
}

/* Where each CPU's pages lie; fills in the lanes' places. */
static void put_places(FILE *f, struct tracedat *t)
{
	off_t at = page_up(ftello(f) + 16 * (off_t)t->survey.cpus);

	for (uint32_t cpu = 0; cpu < t->survey.cpus; cpu++) {
		struct lane *l = &t->lanes[cpu];
		uint64_t place[2] = { (uint64_t)at, l->pages * PAGE };

		fwrite(place, sizeof(place), 1, f);
		l->at = at;
		at += (off_t)place[1];
	}
}

static int put_head(FILE *f, struct tracedat *t)
{
	const uint16_t one = 1;
	int err;

	fwrite("\x17\x08\x44tracing6", 1, 12, f);
	fputc(*(const char *)&one ? 0 : 1, f);	/* byte order */
	fputc(8, f);				/* bytes of a long: as page_head says */
	put_number(f, PAGE);
	put_name(f, "header_page");
	put_text(f, page_head, sizeof(page_head) - 1);
	put_name(f, "header_event");
	put_text(f, event_head, sizeof(event_head) - 1);
	put_formats(f, &t->survey);
	put_number(f, 0);			/* symbols of the kernel */
	put_number(f, 0);			/* formats of trace_printk() */
	err = put_names(f, t->ex);
	put_number(f, t->survey.cpus);
	put_options(f, t->ex, t->survey.cpus);
	put_name(f, "flyrecord");
	put_places(f, t);
	return err;
}

static int write_head(struct tracedat *t)
{
	char *head = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&head, &n);
	int err = f ? put_head(f, t) : -ENOMEM;

	if (f && fclose(f))
		err = -ENOMEM;
	if (!err)
		write_at(t, head, n, 0);
	free(head);
	return err ? say_error(FAILED, "out of memory") : OPT_GO_ON;
}

/* ---- the file ---- */

static int write_pages(struct tracedat *t)
{
	for (uint32_t cpu = 0; cpu < t->survey.cpus; cpu++) {
		off_t at = t->lanes[cpu].at;

		t->lanes[cpu] = (struct lane){ .at = at };
	}
	return put_all(t);
}

static int write_file(struct export *ex, const char *part, void *arg)
{
	struct tracedat *t = arg;
	int status;

	t->fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (t->fd < 0)
		return say_error(FAILED, "%s: %s", ex->path, strerror(errno));
	status = write_head(t);
	if (status == OPT_GO_ON)
		status = write_pages(t);
	if (close(t->fd) && !t->err)
		t->err = errno;
	if (status == OPT_GO_ON && t->err)
		status = say_error(FAILED, "%s: %s", ex->path, strerror(t->err));
	return status;
}

int export_tracedat(struct export *ex)
{
	struct tracedat t = { .ex = ex, .fd = -1 };
	int status = survey_make(&t.survey, ex);

	if (status == OPT_GO_ON) {
		t.lanes = calloc(t.survey.cpus + 1, sizeof(*t.lanes));
		status = t.lanes ? put_all(&t) : say_error(FAILED, "out of memory");
	}
	if (status == OPT_GO_ON)
		status = export_in_place(ex, write_file, &t);
	free(t.lanes);
	survey_free(&t.survey);
	return status;
}
