// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkrec_stream.c - records to sub-buffers, and those to a file, with what begins and
 * ends a stream. Records are laid by the module's own packing and described by its own
 * descriptions.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/format.h"
#include "mkrec_maker.h"

#define REALTIME_0	1700000000000000000ULL	/* wall clock at boot */

/* ---- sub-buffers ---- */

int maker_flush(struct maker *m, struct cpu *c)
{
	if (c->n && ktally_file_add(m->file, c->buf, c->n))
		return maker_fail(m, "%s", ktally_file_error(m->file));
	c->n = 0;
	return 0;
}

static int flush_all(struct maker *m)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (maker_flush(m, &m->cpus[cpu]))
			return -1;
	return 0;
}

int maker_mark(struct maker *m)
{
	if (flush_all(m))
		return -1;
	return ktally_file_mark(m->file, m->time) ? maker_fail(m, "%s", ktally_file_error(m->file)) : 0;
}

static void begin_subbuf(struct maker *m, struct cpu *c, uint64_t time)
{
	struct ktally_header h = {
		.magic = KTALLY_MAGIC, .version = KTALLY_STREAM_VERSION,
		.cpu = c - m->cpus, .session = m->session, .load_id = m->load,
		.first_seq = c->seq, .boottime = time, .realtime = REALTIME_0 + time,
		.threads = c->threads,
	};
	struct kt_record r = KT_RECORD(KTALLY_HEADER, &h);

	memcpy(h.attempts, c->attempts, sizeof(h.attempts));
	memcpy(h.filtered, c->filtered, sizeof(h.filtered));
	kt_lay(c->buf, kt_record_len(&r), &r, 0, time, 0);
	c->n = kt_record_len(&r);
}

int maker_put(struct maker *m, const struct kt_record *r, uint64_t time, int32_t pid)
{
	struct cpu *c = &m->cpus[m->cpu_now];
	uint32_t len = kt_record_len(r);

	if (len > KTALLY_RECORD_MAX)
		return maker_fail(m, "a record of %u bytes is longer than %d", len, KTALLY_RECORD_MAX);
	if (!c->buf)
		c->buf = aligned_alloc(8, m->subbuf);
	if (!c->buf)
		return maker_fail(m, "out of memory");
	if (c->n && c->n + len > m->subbuf && maker_flush(m, c))
		return -1;
	if (!c->n)
		begin_subbuf(m, c, time);
	if (c->n + len > m->subbuf)
		return maker_fail(m, "a record of %u bytes does not fit a sub-buffer", len);
	kt_lay(c->buf + c->n, len, r, c->seq, time, pid);
	c->n += len;
	c->seq++;
	c->attempts[r->kind]++;
	return 0;
}

/* ---- the beginning and the end ---- */

static int put_description(struct maker *m, unsigned int kind, uint64_t time)
{
	char text[KT_FORMAT_MAX];
	size_t total = kt_format(kind, text, sizeof(text));

	for (size_t at = 0; at < total;) {
		size_t n = total - at > 3000 ? 3000 : total - at;
		struct ktally_format f = { .id = kind, .offset = at, .total = total };
		struct kt_record r = KT_RECORD(KTALLY_FORMAT, &f);

		r.strings = 1;
		r.string[0] = (struct kt_bytes){ text + at, n, offsetof(struct ktally_format, text), 0 };
		if (maker_put(m, &r, time, 1))
			return -1;
		at += n;
	}
	return 0;
}

static int put_info(struct maker *m, uint64_t time)
{
	const char *release = m->options.release, *machine = m->options.machine;
	struct ktally_info i = {
		.load_id = m->load, .mem_bytes = 8ULL << 30, .page_size = 4096, .cpus = INFO_CPUS,
		.hz = 250, .kinds = KTALLY_SELECTION + 1, .arg_bytes = 16384,
		.features = KTALLY_FEAT_EXIT_ARG | KTALLY_FEAT_CGROUP | KTALLY_FEAT_IO,
	};
	struct kt_record r = KT_RECORD(KTALLY_INFO, &i);

	r.strings = 3;
	r.string[0] = (struct kt_bytes){ release, strlen(release), offsetof(struct ktally_info, release), 1 };
	r.string[1] = (struct kt_bytes){ machine, strlen(machine), offsetof(struct ktally_info, machine), 1 };
	r.string[2] = (struct kt_bytes){ "0.1", 3, offsetof(struct ktally_info, module), 1 };
	return maker_put(m, &r, time, 1);
}

int maker_begin(struct maker *m, uint64_t time)
{
	if (m->begun)
		return 0;
	m->begun = 1;
	m->options.boottime = m->load;
	m->options.realtime = REALTIME_0 + m->load;
	if (ktally_file_create(&m->file, m->path, &m->options))
		return maker_fail(m, "%s", ktally_file_error(m->file));
	for (unsigned int kind = 1; kind < KTALLY_KINDS; kind++)
		if (!(m->undescribed >> kind & 1) && put_description(m, kind, time))
			return -1;
	return put_info(m, time);
}

static int put_end(struct maker *m)
{
	struct ktally_end e = {
		.kp_missed = m->missed, .disarmed = m->disarmed, .ends = m->ends,
		.ends_runtime = m->ends_runtime, .ends_net = { m->ends_rx },
	};
	struct kt_record r = KT_RECORD(KTALLY_END, &e);

	for (int cpu = 0; cpu < CPUS; cpu++) {
		e.threads += m->cpus[cpu].threads;
		for (int kind = 0; kind < KTALLY_KINDS; kind++) {
			e.attempts[kind] += m->cpus[cpu].attempts[kind];
			e.filtered[kind] += m->cpus[cpu].filtered[kind];
		}
	}
	e.attempts[KTALLY_END]++;
	m->cpu_now = 0;
	return maker_put(m, &r, m->time, 1);
}

int maker_finish(struct maker *m)
{
	m->line = 0;
	if (maker_begin(m, m->time) || (!m->no_end && put_end(m)))
		return -1;
	if (flush_all(m))
		return -1;
	if (m->note && ktally_file_note(m->file, m->note_name, m->note, strlen(m->note)))
		return maker_fail(m, "%s", ktally_file_error(m->file));
	if (!m->crash && ktally_file_finish(m->file))
		return maker_fail(m, "%s", ktally_file_error(m->file));
	return 0;
}
