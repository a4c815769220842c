// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf.c - a folder in the Common Trace Format 1.8, as babeltrace2 and Trace Compass
 * read it: a stream of packets per CPU, and metadata made from the library's table of
 * fields. Beside ktally's records stand sched_process_fork, _exec and _exit with the
 * fields that LTTng gives them. What was lost is what packets count as discarded.
 *
 * A field that the recording lacks is not declared, so nothing unknown is written as 0.
 * All numbers are in this machine's byte order and unaligned.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "records.h"
#include "lib/layout.h"
#include "out/text.h"

enum {
	MAGIC_BYTES = 4, UUID_BYTES = 16,
	PACKET_HEAD = MAGIC_BYTES + UUID_BYTES + 4 + 5 * 8 + 4,
	PACKET = 1 << 16,		/* begins another one beyond this */
	EVENT_MAX = 4 * KTALLY_RECORD_MAX + 1024,	/* every byte may become \xNN */
	SCHED_EVENT = 100,		/* numbers of events; kinds have their own, below */
};

struct lane {
	FILE *f;
	unsigned char buf[PACKET + EVENT_MAX];
	size_t used;			/* behind the head; 0: no packet was begun */
	uint64_t begin, last;		/* times of the packet */
	uint64_t discarded;		/* so far */
	uint64_t packets;
};

struct ctf {
	struct export *ex;
	struct survey survey;
	struct lane **lanes;		/* NULL: no record came from there yet */
	const char *folder;
	unsigned char uuid[UUID_BYTES];
	int err;
};

/* ---- packets ---- */

static void put(struct lane *l, const void *p, size_t n)
{
	memcpy(l->buf + l->used, p, n);
	l->used += n;
}

static void put_u16(struct lane *l, uint16_t v)
{
	put(l, &v, sizeof(v));
}

static void put_u32(struct lane *l, uint32_t v)
{
	put(l, &v, sizeof(v));
}

static void put_u64(struct lane *l, uint64_t v)
{
	put(l, &v, sizeof(v));
}

/* Text that is no UTF-8, or would act on a terminal, is shown as \xNN. */
static void put_string(struct lane *l, const char *p, size_t n)
{
	n = text_escape((char *)l->buf + l->used, sizeof(l->buf) - l->used - 1, p, n);
	l->used += n;
	l->buf[l->used++] = '\0';
}

static void close_packet(struct ctf *c, struct lane *l, uint32_t cpu)
{
	size_t n = l->used;
	uint64_t bits = 8 * (uint64_t)n;

	if (!n)
		return;
	l->used = 0;
	put_u32(l, 0xC1FC1FC1);
	put(l, c->uuid, UUID_BYTES);
	put_u32(l, 0);			/* stream */
	put_u64(l, l->begin);
	put_u64(l, l->last);
	put_u64(l, bits);		/* of content */
	put_u64(l, bits);		/* of the packet */
	put_u64(l, l->discarded);
	put_u32(l, cpu);
	if (fwrite(l->buf, 1, n, l->f) != n && !c->err)
		c->err = errno;
	l->used = 0;
	l->packets++;
}

static void begin_packet(struct lane *l, uint64_t time)
{
	l->used = PACKET_HEAD;
	l->begin = l->last = time > l->last ? time : l->last;
}

/* A packet of nothing but the count, so that the loss has its time; the first counts from 0. */
static void put_lost(struct ctf *c, struct lane *l, uint32_t cpu, uint64_t lost, uint64_t time)
{
	if (!lost)
		return;
	close_packet(c, l, cpu);
	if (!l->packets) {
		begin_packet(l, time);
		close_packet(c, l, cpu);
	}
	l->discarded += lost;
	begin_packet(l, time);
	close_packet(c, l, cpu);
}

static void begin_event(struct ctf *c, struct lane *l, uint32_t cpu, uint16_t id, uint64_t time)
{
	if (l->used > PACKET)
		close_packet(c, l, cpu);
	if (!l->used)
		begin_packet(l, time);
	if (time > l->last)
		l->last = time;
	put_u16(l, id);
	put_u64(l, l->last);
}

/* ---- events ---- */

static bool is_argv(const struct layout_field *f)
{
	return !f->element && (!strcmp(f->name, "argv") || !strcmp(f->name, "data"));
}

static bool shown(const struct ctf *c, uint32_t kind, unsigned int place, const struct layout_field *f)
{
	if (is_argv(f) && !c->ex->options->args)
		return false;
	return c->survey.present[kind] >> place & 1;
}

/* A sequence of words, its length before it. */
static void put_words(struct lane *l, const struct ktally_str *argv)
{
	size_t pos = 0, len, at = l->used;
	const char *word;
	uint32_t n = 0;

	put_u32(l, 0);
	while (argv->p && text_next_arg(argv->p, argv->len, &pos, &word, &len)) {
		put_string(l, word, len);
		n++;
	}
	memcpy(l->buf + at, &n, sizeof(n));
}

static void put_field(struct lane *l, const struct ktally_event *ev, const struct layout_field *f,
		      const struct ktally_str *str)
{
	const char *at = (const char *)&ev->u + f->offset;

	if (is_argv(f))
		put_words(l, str);
	else if (!f->element)
		put_string(l, str->p ? str->p : "", str->p ? str->len : 0);
	else if (f->element == 1)
		put_string(l, at, strnlen(at, f->size));
	else
		put(l, at, f->size);
}

static void put_record(struct ctf *c, struct lane *l, const struct record *rec)
{
	const struct ktally_event *ev = &rec->ev;
	const struct layout *layout = layout_of(ev->kind);
	const struct ktally_str *str = ev->str;

	begin_event(c, l, ev->cpu, (uint16_t)ev->kind, rec->time);
	put_u32(l, (uint32_t)ev->u.fork.common.pid);
	for (unsigned int i = 0; i < layout->n_fields; i++) {
		const struct layout_field *f = &layout->fields[i];

		if (shown(c, ev->kind, i, f))
			put_field(l, ev, f, str);
		str += !f->element;
	}
}

/* As the metadata below declares them. */
static void put_sched(struct ctf *c, struct lane *l, const struct record *rec)
{
	struct sched s = records_sched(&rec->ev);
	size_t comm = strnlen(s.comm, sizeof(s.comm));

	if (s.what == SCHED_NONE)
		return;
	begin_event(c, l, rec->ev.cpu, (uint16_t)(SCHED_EVENT + s.what), rec->time);
	put_u32(l, (uint32_t)rec->ev.u.fork.common.pid);
	switch (s.what) {
	case SCHED_NONE:
		break;
	case SCHED_FORK:
		put_string(l, s.comm, comm);
		put_u32(l, s.other);
		put_u32(l, s.ppid);
		put_string(l, s.comm, comm);
		put_u32(l, s.tid);
		put_u32(l, s.tid);
		break;
	case SCHED_EXEC:
		put_string(l, s.filename.p ? s.filename.p : "", s.filename.p ? s.filename.len : 0);
		put_u32(l, s.tid);
		put_u32(l, s.other);
		break;
	case SCHED_EXIT:
		put_string(l, s.comm, comm);
		put_u32(l, s.tid);
		put_u32(l, (uint32_t)SCHED_PRIO_UNKNOWN);
		break;
	}
}

/* ---- metadata ---- */

static const char sched_events[] =
"event {\n\tid = 101;\n\tname = \"sched_process_fork\";\n\tstream_id = 0;\n\tfields := struct {\n"
"\t\tstring _parent_comm; int32_t _parent_tid; int32_t _parent_pid;\n"
"\t\tstring _child_comm; int32_t _child_tid; int32_t _child_pid;\n\t};\n};\n\n"
"event {\n\tid = 102;\n\tname = \"sched_process_exec\";\n\tstream_id = 0;\n\tfields := struct {\n"
"\t\tstring _filename; int32_t _tid; int32_t _old_tid;\n\t};\n};\n\n"
"event {\n\tid = 103;\n\tname = \"sched_process_exit\";\n\tstream_id = 0;\n\tfields := struct {\n"
"\t\tstring _comm; int32_t _tid; int32_t _prio;\n\t};\n};\n";

static const char types[] =
"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n";

static const char streams[] =
"typealias integer { size = 64; align = 8; signed = false; map = clock.boottime.value; } := time_t;\n\n"
"stream {\n\tid = 0;\n\tpacket.context := struct {\n"
"\t\ttime_t timestamp_begin; time_t timestamp_end; uint64_t content_size;\n"
"\t\tuint64_t packet_size; uint64_t events_discarded; uint32_t cpu_id;\n\t};\n"
"\tevent.header := struct { uint16_t id; time_t timestamp; };\n"
"\tevent.context := struct { int32_t _tid; };\n};\n\n";

/* Within quotes, where only these two would end it or escape. */
static void print_quoted(FILE *f, const char *text)
{
	char clean[512];
	size_t n = text_escape(clean, sizeof(clean), text, strlen(text));

	fputc('"', f);
	for (size_t i = 0; i < n; i++) {
		if (clean[i] == '"' || clean[i] == '\\')
			fputc('\\', f);
		fputc(clean[i], f);
	}
	fputc('"', f);
}

static void print_uuid(FILE *f, const unsigned char *uuid)
{
	for (int i = 0; i < UUID_BYTES; i++)
		fprintf(f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void print_trace(FILE *f, const struct ctf *c)
{
	const uint16_t one = 1;

	fprintf(f, "/* CTF 1.8 */\n\n%strace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = %s;\n\tuuid = \"",
		types, *(const char *)&one ? "le" : "be");
	print_uuid(f, c->uuid);
	fprintf(f, "\";\n\tpacket.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };\n};\n\n");
}

static void print_env(FILE *f, const struct export *ex)
{
	const struct ktally_stream_info *info = ex->reading->info;

	fprintf(f, "env {\n\tdomain = \"kernel\";\n\ttracer_name = \"ktally\";\n\ttracer_version = \"%s\";\n\thostname = ",
		KTALLY_VERSION);
	print_quoted(f, info->host);
	fprintf(f, ";\n\tkernel_release = ");
	print_quoted(f, info->release);
	fprintf(f, ";\n};\n\n");
}

/* Times are BOOTTIME; readers add the offset and have the wall clock. */
static void print_clock(FILE *f, const struct export *ex)
{
	struct ktally_extent e = { .real = 0 };

	ktally_stream_extent(ex->reading->stream, 0, &e);
	if (e.real < 0)
		e.real = 0;
	fprintf(f, "clock {\n\tname = boottime;\n\tdescription = \"CLOCK_BOOTTIME\";\n\tfreq = 1000000000;\n"
		"\toffset_s = %" PRId64 ";\n\toffset = %" PRId64 ";\n};\n\n",
		e.real / 1000000000, e.real % 1000000000);
}

static void print_field(FILE *f, const struct layout_field *field)
{
	if (is_argv(field))
		fprintf(f, "\t\tuint32_t _%s_words;\n\t\tstring _%s[_%s_words];\n", field->name, field->name,
			field->name);
	else if (field->element <= 1)
		fprintf(f, "\t\tstring _%s;\n", field->name);
	else if (field->size > field->element)
		fprintf(f, "\t\tuint%u_t _%s[%u];\n", 8U * field->element, field->name,
			field->size / field->element);
	else
		fprintf(f, "\t\tuint%u_t _%s;\n", 8U * field->element, field->name);
}

static void print_event(FILE *f, const struct ctf *c, uint32_t kind)
{
	const struct layout *layout = layout_of(kind);

	fprintf(f, "event {\n\tid = %u;\n\tname = \"ktally:%s\";\n\tstream_id = 0;\n\tfields := struct {\n",
		kind, layout->name);
	for (unsigned int i = 0; i < layout->n_fields; i++)
		if (shown(c, kind, i, &layout->fields[i]))
			print_field(f, &layout->fields[i]);
	fprintf(f, "\t};\n};\n\n");
}

static FILE *create(struct ctf *c, const char *name)
{
	char *path;
	FILE *f;

	if (asprintf(&path, "%s/%s", c->folder, name) < 0) {
		c->err = ENOMEM;
		return NULL;
	}
	f = fopen(path, "we");
	if (!f)
		c->err = errno;
	free(path);
	return f;
}

static void close_file(struct ctf *c, FILE *f)
{
	bool bad = ferror(f);

	if ((fclose(f) || bad) && !c->err)
		c->err = errno ? errno : EIO;
}

static void write_metadata(struct ctf *c)
{
	FILE *f = create(c, "metadata");

	if (!f)
		return;
	print_trace(f, c);
	print_env(f, c->ex);
	print_clock(f, c->ex);
	fputs(streams, f);
	for (uint32_t kind = 0; kind < KTALLY_KINDS; kind++)
		if (c->survey.descriptions[kind])
			print_event(f, c, kind);
	fputs(sched_events, f);
	close_file(c, f);
}

/* ---- the folder ---- */

static struct lane *lane_of(struct ctf *c, uint32_t cpu)
{
	struct lane *l = c->lanes[cpu];
	char name[32];

	if (l)
		return l;
	snprintf(name, sizeof(name), "channel0_%u", cpu);
	l = calloc(1, sizeof(*l));
	if (!l)
		c->err = ENOMEM;
	else
		l->f = create(c, name);
	if (c->err) {
		free(l);
		return NULL;
	}
	c->lanes[cpu] = l;
	return l;
}

static int write_events(struct ctf *c)
{
	struct records r;
	struct record rec;
	int status = records_open(&r, c->ex), got;

	while (status == OPT_GO_ON && !c->err && (got = records_next(&r, &rec))) {
		struct lane *l;

		if (got < 0) {
			status = -got;
			break;
		}
		l = lane_of(c, rec.ev.cpu);
		if (!l)
			break;
		put_lost(c, l, rec.ev.cpu, rec.lost, rec.time);
		if (!rec.meant || !c->survey.descriptions[rec.ev.kind])
			continue;
		put_record(c, l, &rec);
		put_sched(c, l, &rec);
	}
	if (status == OPT_GO_ON && !c->err && records_rest(&r) && lane_of(c, 0))
		put_lost(c, c->lanes[0], 0, records_rest(&r), c->survey.last);
	records_close(&r);
	return status;
}

static void close_lanes(struct ctf *c)
{
	for (uint32_t cpu = 0; cpu < c->survey.cpus; cpu++) {
		struct lane *l = c->lanes[cpu];

		if (!l)
			continue;
		close_packet(c, l, cpu);
		close_file(c, l->f);
		free(l);
	}
}

static int write_folder(struct export *ex, const char *part, void *arg)
{
	struct ctf *c = arg;
	int status;

	c->folder = part;
	if (mkdir(part, 0777))
		return say_error(FAILED, "%s: %s", ex->path, strerror(errno));
	status = write_events(c);
	close_lanes(c);
	if (status == OPT_GO_ON && !c->err)
		write_metadata(c);
	if (status == OPT_GO_ON && c->err)
		status = say_error(FAILED, "%s: %s", ex->path, strerror(c->err));
	return status;
}

/* That of the boot and the beginning: the same recording is the same trace. */
static void make_uuid(struct ctf *c)
{
	const char *id = c->ex->reading->info->boot_id;
	uint64_t first = c->survey.first;
	int n = 0;

	for (; *id && n < 2 * UUID_BYTES; id++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, *id);

		if (digit) {
			c->uuid[n / 2] |= (unsigned char)((digit - digits) << (n % 2 ? 0 : 4));
			n++;
		}
	}
	for (int i = 0; i < 8; i++)
		c->uuid[8 + i] ^= (unsigned char)(first >> 8 * i);
}

int export_ctf(struct export *ex)
{
	struct ctf c = { .ex = ex };
	struct stat st;
	int status;

	if (!stat(ex->path, &st))
		return say_error(FAILED, "%s: is there already; ctf makes a folder: name a new one", ex->path);
	status = survey_make(&c.survey, ex);
	if (status == OPT_GO_ON) {
		c.lanes = calloc(c.survey.cpus + 1, sizeof(*c.lanes));
		if (!c.lanes)
			status = say_error(FAILED, "out of memory");
	}
	if (status == OPT_GO_ON) {
		make_uuid(&c);
		status = export_in_place(ex, write_folder, &c);
	}
	free(c.lanes);
	survey_free(&c.survey);
	return status;
}
