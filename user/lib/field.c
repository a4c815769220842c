// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * field.c - the one table of everything that can be said of a life, by name, unit and
 * the way it adds up. Every format, heading and help text is made from it. A value
 * that was not measured is unknown, never 0.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ktally.h"
#include "place.h"

typedef struct ktally_value value;

static const value unknown;

static value number(uint64_t v)
{
	return (value){ .type = KTALLY_V_U64, .u = v };
}

static value text(const char *p, size_t n)
{
	return p ? (value){ .type = KTALLY_V_TEXT, .t = { p, n } } : unknown;
}

static bool has(const struct ktally_life *l, unsigned int field)
{
	return l->present >> field & 1;
}

/* What was seen of a life whose end was not: it may have used more. */
static bool may_be_more(const struct ktally_life *l)
{
	return l->state == KTALLY_END_LOST || l->state == KTALLY_END_UNKNOWN;
}

/* ---- who ---- */

static value get_pid(const struct ktally_field *f, const struct ktally_life *l,
		     struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return number(l->tgid);
}

static value get_ppid(const struct ktally_field *f, const struct ktally_life *l,
		      struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return l->birth_time ? number(l->ppid) : unknown;
}

static value get_parent_start(const struct ktally_field *f, const struct ktally_life *l,
			      struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return l->birth_time && l->parent_start ? number(l->parent_start) : unknown;
}

/* arg: place in the list, enum ktally_has */
static value get_owner(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	const struct ktally_owner *o = &l->owner;
	uint64_t v = 0;

	(void)c;
	if (!has(l, f->arg))
		return unknown;
	switch (f->arg) {
	case KTALLY_HAS_nspid:	v = o->nspid; break;
	case KTALLY_HAS_cgroup:	v = o->cgroup; break;
	case KTALLY_HAS_pidns:	v = o->pidns; break;
	case KTALLY_HAS_netns:	v = o->netns; break;
	case KTALLY_HAS_uid:	v = o->uid; break;
	case KTALLY_HAS_gid:	v = o->gid; break;
	case KTALLY_HAS_sid:	v = o->sid; break;
	case KTALLY_HAS_pgrp:	v = o->pgrp; break;
	}
	/* 0 stands for "none any more" in these. */
	if (!v && (f->arg == KTALLY_HAS_cgroup || f->arg == KTALLY_HAS_netns ||
		   f->arg == KTALLY_HAS_pidns))
		return unknown;
	return number(v);
}

static value get_user(const struct ktally_field *f, const struct ktally_life *l,
		      struct ktally_field_ctx *c)
{
	const char *name;

	(void)f;
	if (!has(l, KTALLY_HAS_uid))
		return unknown;
	name = c->user_name ? c->user_name(l->owner.uid, c->arg) : NULL;
	if (name)
		return text(name, strlen(name));
	return text(c->scratch, snprintf(c->scratch, sizeof(c->scratch), "%u", l->owner.uid));
}

/* ---- names ---- */

static value get_comm(const struct ktally_field *f, const struct ktally_life *l,
		      struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	if (!has(l, KTALLY_HAS_comm))
		return unknown;
	return text(l->owner.comm, strnlen(l->owner.comm, sizeof(l->owner.comm)));
}

static value get_program(const struct ktally_field *f, const struct ktally_life *l,
			 struct ktally_field_ctx *c)
{
	const struct ktally_image *im = ktally_life_image(l);
	struct ktally_str s;

	if (!im)
		return get_comm(f, l, c);
	s = ktally_image_program(im);
	return s.len ? text(s.p, s.len) : get_comm(f, l, c);
}

static value get_exe(const struct ktally_field *f, const struct ktally_life *l,
		     struct ktally_field_ctx *c)
{
	const struct ktally_image *im = ktally_life_image(l);
	const char *name = im ? im->interp ? im->interp : im->filename : NULL;

	(void)f, (void)c;
	return name ? text(name, strlen(name)) : unknown;
}

static value get_filename(const struct ktally_field *f, const struct ktally_life *l,
			  struct ktally_field_ctx *c)
{
	const struct ktally_image *im = ktally_life_image(l);

	(void)f, (void)c;
	return im && im->filename ? text(im->filename, strlen(im->filename)) : unknown;
}

static value get_argv(const struct ktally_field *f, const struct ktally_life *l,
		      struct ktally_field_ctx *c)
{
	const struct ktally_image *im = ktally_life_image(l);
	value v;

	(void)f, (void)c;
	if (!im || !im->argv)
		return unknown;
	v = text(im->argv, im->argv_len);
	v.lower = im->flags & KTALLY_EXEC_ARGV_CUT || im->argv_len < im->argv_true_len;
	return v;
}

/* arg: what of the arguments */
enum { WORDS, TRUE_BYTES, IS_CUT };

static value get_argv_facts(const struct ktally_field *f, const struct ktally_life *l,
			    struct ktally_field_ctx *c)
{
	const struct ktally_image *im = ktally_life_image(l);

	(void)c;
	if (!im || !im->argv)
		return unknown;
	switch (f->arg) {
	case WORDS:	return im->argc ? number(im->argc) : unknown;
	case TRUE_BYTES: return number(im->argv_true_len);
	}
	return number(im->flags & KTALLY_EXEC_ARGV_CUT || im->argv_len < im->argv_true_len);
}

static value get_image(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	const struct ktally_image *im = ktally_life_image(l);

	(void)f, (void)c;
	return im ? number(im->number) : unknown;
}

static value get_execs(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	value v = number(0);

	(void)f, (void)c;
	for (uint32_t i = 0; i < l->n_images; i++) {
		v.u += l->images[i].has_exec;
		v.lower |= l->images[i].unknown;
	}
	v.lower |= l->older || may_be_more(l);
	return v;
}

/* ---- where ---- */

static const char *cgroup_path(const struct ktally_life *l, const struct ktally_field_ctx *c)
{
	const char *path;

	if (!has(l, KTALLY_HAS_cgroup) || !l->owner.cgroup || !c->model)
		return NULL;
	path = ktally_model_cgroup(c->model, l->boot, l->owner.cgroup);
	return path || l->owner.cgroup != 1 ? path : "/";
}

static value get_cgroup(const struct ktally_field *f, const struct ktally_life *l,
			struct ktally_field_ctx *c)
{
	const char *path = cgroup_path(l, c);

	(void)f;
	return path ? text(path, strlen(path)) : unknown;
}

static value get_unit(const struct ktally_field *f, const struct ktally_life *l,
		      struct ktally_field_ctx *c)
{
	const char *path = cgroup_path(l, c);
	struct ktally_str s;

	(void)f;
	if (!path)
		return unknown;
	s = place_unit(path);
	return text(s.p, s.len);
}

static value get_container(const struct ktally_field *f, const struct ktally_life *l,
			   struct ktally_field_ctx *c)
{
	const char *path = cgroup_path(l, c);
	struct ktally_str s;

	(void)f;
	if (!path)
		return unknown;
	s = place_container(path);
	return text(s.p, s.len);
}

/* ---- when ---- */

static value get_start(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return number(l->start);
}

static value get_end(const struct ktally_field *f, const struct ktally_life *l,
		     struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return l->state == KTALLY_ENDED ? number(l->end) : unknown;
}

/* Of what did not end: as long as it was seen, and it lived longer. */
static value get_life(const struct ktally_field *f, const struct ktally_life *l,
		      struct ktally_field_ctx *c)
{
	uint64_t to = l->state == KTALLY_ENDED ? l->end : l->last_seen;
	value v;

	(void)f;
	if (l->state == KTALLY_END_UNSEEN)
		return unknown;
	if (l->state == KTALLY_RUNNING && c->info && c->info->last_time > to)
		to = c->info->last_time;
	v = number(to > l->start ? to - l->start : 0);
	v.lower = l->state != KTALLY_ENDED;
	return v;
}

/* ---- what it used ---- */

static bool measured(const struct ktally_life *l, unsigned int bit)
{
	return l->use.known >> bit & 1;
}

static value use_value(const struct ktally_life *l, unsigned int bit, uint64_t v)
{
	value out = number(v);

	if (!measured(l, bit))
		return unknown;
	out.upper = l->use.upper >> bit & 1;
	out.lower = may_be_more(l);
	return out;
}

/* arg: enum ktally_usage */
static value get_use(const struct ktally_field *f, const struct ktally_life *l,
		     struct ktally_field_ctx *c)
{
	(void)c;
	return use_value(l, f->arg, (&l->use.utime)[f->arg]);
}

/* The exact time, else what the ticks saw. */
static value get_cpu(const struct ktally_field *f, const struct ktally_life *l,
		     struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	if (measured(l, KTALLY_U_RUNTIME))
		return use_value(l, KTALLY_U_RUNTIME, l->use.runtime);
	if (!measured(l, KTALLY_U_STIME))
		return unknown;
	return use_value(l, KTALLY_U_UTIME, l->use.utime + l->use.stime);
}

/*
 * Ticks say how user and system time relate, the runtime how much it was: as the
 * kernel's own task_cputime_adjusted() shares it out for wait4() and /proc.
 */
static uint64_t scaled_system(const struct ktally_use *u)
{
	unsigned __int128 share;

	if (!u->stime)
		return 0;
	if (!u->utime)
		return u->runtime;
	share = (unsigned __int128)u->stime * u->runtime;
	return share / ((unsigned __int128)u->utime + u->stime);
}

/* arg: KTALLY_U_UTIME or KTALLY_U_STIME */
static value get_cpu_part(const struct ktally_field *f, const struct ktally_life *l,
			  struct ktally_field_ctx *c)
{
	uint64_t sys;

	if (!measured(l, KTALLY_U_UTIME) || !measured(l, KTALLY_U_STIME))
		return unknown;
	if (!measured(l, KTALLY_U_RUNTIME))
		return get_use(f, l, c);
	sys = scaled_system(&l->use);
	return use_value(l, f->arg, f->arg == KTALLY_U_STIME ? sys : l->use.runtime - sys);
}

/* Threads that ended before the recording took theirs with them. */
static value get_run_delay(const struct ktally_field *f, const struct ktally_life *l,
			   struct ktally_field_ctx *c)
{
	value v = use_value(l, KTALLY_U_RUN_DELAY, l->use.run_delay);

	(void)f;
	v.lower |= l->older && (l->threads > 1 || l->threads_ended);
	v.lower |= c->info && c->info->lost[KTALLY_THREAD_EXIT];
	return v;
}

static unsigned int traffic_bit(size_t at)
{
	if (at >= offsetof(struct ktally_traffic, udp_rx) && at <= offsetof(struct ktally_traffic, udp_tx))
		return KTALLY_U_UDP_PAYLOAD;
	if (at >= offsetof(struct ktally_traffic, tcp_rx) && at <= offsetof(struct ktally_traffic, tcp_tx))
		return KTALLY_U_TCP_PAYLOAD;
	return KTALLY_U_NET;
}

/* arg: place in struct ktally_traffic counted in u64 */
static value get_traffic(const struct ktally_field *f, const struct ktally_life *l,
			 struct ktally_field_ctx *c)
{
	unsigned int bit = traffic_bit(f->arg * sizeof(__u64));
	value v;

	(void)c;
	if (!l->traffic || !(l->net_known >> bit & 1))
		return unknown;
	v = number(((const __u64 *)l->traffic)[f->arg]);
	v.upper = l->net_upper >> bit & 1;
	v.lower = may_be_more(l);
	return v;
}

/* ---- how it ended ---- */

static bool has_status(const struct ktally_life *l)
{
	if (l->state == KTALLY_ENDED)
		return has(l, KTALLY_HAS_status);
	return l->state == KTALLY_END_UNSEEN && l->run_state == 'Z';
}

/* arg: which part */
enum { WHOLE_STATUS, EXIT_CODE, EXIT_SIGNAL, CORE_DUMPED, FAILED };

static value get_status(const struct ktally_field *f, const struct ktally_life *l,
			struct ktally_field_ctx *c)
{
	uint32_t signal = l->status & 0x7f;

	(void)c;
	if (!has_status(l))
		return unknown;
	switch (f->arg) {
	case EXIT_CODE:		return signal ? unknown : number(l->status >> 8 & 0xff);
	case EXIT_SIGNAL:	return signal ? number(signal) : unknown;
	case CORE_DUMPED:	return number(l->status >> 7 & 1);
	case FAILED:		return number(l->status != 0);
	}
	return number(l->status);
}

static value get_state(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	static const char *const names[] = {
		[KTALLY_RUNNING] = "running", [KTALLY_ENDED] = "ended",
		[KTALLY_END_UNSEEN] = "end unseen", [KTALLY_END_LOST] = "end lost",
		[KTALLY_END_UNKNOWN] = "end unknown",
	};

	(void)f, (void)c;
	return text(names[l->state], strlen(names[l->state]));
}

static value get_threads(const struct ktally_field *f, const struct ktally_life *l,
			 struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return l->threads && l->state == KTALLY_RUNNING ? number(l->threads) : unknown;
}

static value get_threads_ended(const struct ktally_field *f, const struct ktally_life *l,
			       struct ktally_field_ctx *c)
{
	value v = number(l->threads_ended);

	(void)f;
	v.lower = l->older || (c->info && c->info->lost[KTALLY_THREAD_EXIT]);
	return v;
}

static value get_count(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	(void)f, (void)l, (void)c;
	return number(1);
}

static value get_kthread(const struct ktally_field *f, const struct ktally_life *l,
			 struct ktally_field_ctx *c)
{
	(void)f, (void)c;
	return number(l->kthread);
}

/* Began before the recording, or something of it is lost. */
static value get_partial(const struct ktally_field *f, const struct ktally_life *l,
			 struct ktally_field_ctx *c)
{
	bool partial = l->older || may_be_more(l) || l->state == KTALLY_END_UNSEEN;

	(void)f, (void)c;
	for (uint32_t i = 0; i < l->n_images; i++)
		partial |= l->images[i].unknown;
	return number(partial);
}

/* Flags of exit that say how good its figures are; words, comma-separated. */
static value get_flags(const struct ktally_field *f, const struct ktally_life *l,
		       struct ktally_field_ctx *c)
{
	static const struct { uint32_t bit; const char *word; } words[] = {
		{ KTALLY_EXIT_OOM, "oom" }, { KTALLY_EXIT_FALLBACK, "fallback" },
		{ KTALLY_EXIT_UNSTABLE, "unstable" }, { KTALLY_EXIT_MANY, "many-threads" },
		{ KTALLY_EXIT_MAYBE_DUP, "maybe-dup" },
	};
	size_t n = 0;

	(void)f;
	if (l->state != KTALLY_ENDED)
		return unknown;
	c->scratch[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (l->exit_flags & words[i].bit)
			n += snprintf(c->scratch + n, sizeof(c->scratch) - n, "%s%s",
				      n ? "," : "", words[i].word);
	return text(c->scratch, n);
}

#define NET_AT(class, counter) \
	(offsetof(struct ktally_traffic, net_##class) / 8 + KTALLY_N_##counter)
#define NET(prefix, class, what) \
	{ prefix "rx_packets", "RXP", "packets received over " what, KTALLY_COUNT, KTALLY_SUM, 8, get_traffic, NET_AT(class, RX_PACKETS) }, \
	{ prefix "rx_wire_bytes", "RX", "bytes received over " what ", headers and segments included", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, NET_AT(class, RX_WIRE) }, \
	{ prefix "tx_packets", "TXP", "packets sent over " what, KTALLY_COUNT, KTALLY_SUM, 8, get_traffic, NET_AT(class, TX_PACKETS) }, \
	{ prefix "tx_wire_bytes", "TX", "bytes sent over " what ", headers and segments included", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, NET_AT(class, TX_WIRE) }

/* name, title, help, unit, sum, width, get, arg. Columns are only ever appended. */
static const struct ktally_field fields[] = {
	{ "pid", "PID", "process ID in the initial PID namespace", KTALLY_ID, KTALLY_SAME, 7, get_pid, 0 },
	{ "ppid", "PPID", "process ID of the parent it was born to", KTALLY_ID, KTALLY_SAME, 7, get_ppid, 0 },
	{ "uid", "UID", "real user ID", KTALLY_ID, KTALLY_SAME, 5, get_owner, KTALLY_HAS_uid },
	{ "user", "USER", "real user by name", KTALLY_TEXT, KTALLY_SAME, -8, get_user, 0 },
	{ "gid", "GID", "real group ID", KTALLY_ID, KTALLY_SAME, 5, get_owner, KTALLY_HAS_gid },
	{ "start_ns", "START", "when it was forked", KTALLY_TIME, KTALLY_MIN, 9, get_start, 0 },
	{ "end_ns", "END", "when its last thread ended", KTALLY_TIME, KTALLY_MAX, 9, get_end, 0 },
	{ "life_ns", "TIME", "from fork to end, or as long as it was seen", KTALLY_NS, KTALLY_SUM, 10, get_life, 0 },
	{ "cpu_ns", "CPU", "time on a CPU, all threads", KTALLY_NS, KTALLY_SUM, 9, get_cpu, 0 },
	{ "cpu_user_ns", "USER-CPU", "of it in user mode", KTALLY_NS, KTALLY_SUM, 9, get_cpu_part, KTALLY_U_UTIME },
	{ "cpu_sys_ns", "SYS-CPU", "of it in the kernel", KTALLY_NS, KTALLY_SUM, 9, get_cpu_part, KTALLY_U_STIME },
	{ "run_delay_ns", "DELAY", "ready to run but waiting for a CPU, all threads", KTALLY_NS, KTALLY_SUM, 9, get_run_delay, 0 },
	{ "rss_bytes", "RSS", "resident memory now or at the end", KTALLY_BYTES, KTALLY_BOUND, 7, get_use, KTALLY_U_RSS },
	{ "peak_rss_bytes", "PEAK", "most resident memory of its last program (VmHWM)", KTALLY_BYTES, KTALLY_MAX, 7, get_use, KTALLY_U_PEAK_RSS },
	{ "vm_bytes", "VM", "address space now or at the end", KTALLY_BYTES, KTALLY_BOUND, 7, get_use, KTALLY_U_VM },
	{ "peak_vm_bytes", "PEAKVM", "largest address space of its last program (VmPeak)", KTALLY_BYTES, KTALLY_MAX, 7, get_use, KTALLY_U_PEAK_VM },
	{ "swap_bytes", "SWAP", "swapped out now or at the end", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_SWAP },
	{ "maxrss_bytes", "MAXRSS", "most resident memory over all programs, as wait4() tells", KTALLY_BYTES, KTALLY_MAX, 7, get_use, KTALLY_U_MAXRSS },
	{ "minflt", "MINFLT", "page faults without I/O", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_MINFLT },
	{ "majflt", "MAJFLT", "page faults with I/O", KTALLY_COUNT, KTALLY_SUM, 7, get_use, KTALLY_U_MAJFLT },
	{ "nvcsw", "CSW", "voluntary context switches", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_NVCSW },
	{ "nivcsw", "ICSW", "involuntary context switches", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_NIVCSW },
	{ "read_bytes", "READ", "bytes fetched from storage", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_READ_BYTES },
	{ "write_bytes", "WRITE", "bytes sent to storage", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_WRITE_BYTES },
	{ "cancelled_write_bytes", "CANCEL", "bytes of it that never had to be written", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_CANCELLED_WRITE_BYTES },
	{ "rchar_bytes", "RCHAR", "bytes through read calls", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_RCHAR },
	{ "wchar_bytes", "WCHAR", "bytes through write calls", KTALLY_BYTES, KTALLY_SUM, 7, get_use, KTALLY_U_WCHAR },
	{ "read_calls", "SYSCR", "read calls", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_SYSCR },
	{ "write_calls", "SYSCW", "write calls", KTALLY_COUNT, KTALLY_SUM, 8, get_use, KTALLY_U_SYSCW },
	NET("", phys, "physical devices"),
	NET("loop_", loop, "loopback"),
	NET("virt_", virt, "virtual devices"),
	{ "tcp_rx_bytes", "TCPRX", "TCP payload received", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, tcp_rx) / 8 },
	{ "tcp_tx_bytes", "TCPTX", "TCP payload sent", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, tcp_tx) / 8 },
	{ "udp_rx_bytes", "UDPRX", "UDP payload received", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, udp_rx) / 8 },
	{ "udp_tx_bytes", "UDPTX", "UDP payload sent", KTALLY_BYTES, KTALLY_SUM, 8, get_traffic, offsetof(struct ktally_traffic, udp_tx) / 8 },
	{ "rx_dropped", "RXDROP", "datagrams dropped at a full socket", KTALLY_COUNT, KTALLY_SUM, 7, get_traffic, offsetof(struct ktally_traffic, rx_dropped) / 8 },
	{ "status", "EXIT", "how it ended", KTALLY_STATUS, KTALLY_SAME, 5, get_status, WHOLE_STATUS },
	{ "exit_code", "CODE", "exit code, unknown if a signal ended it", KTALLY_ID, KTALLY_SAME, 4, get_status, EXIT_CODE },
	{ "exit_signal", "SIGNAL", "signal that ended it", KTALLY_ID, KTALLY_SAME, 6, get_status, EXIT_SIGNAL },
	{ "core_dumped", "CORE", "1: it left a core dump", KTALLY_BOOL, KTALLY_SUM, 4, get_status, CORE_DUMPED },
	{ "failed", "FAILED", "1: it ended with another status than 0", KTALLY_BOOL, KTALLY_SUM, 6, get_status, FAILED },
	{ "state", "STATE", "running, ended, end unseen, end lost or end unknown", KTALLY_TEXT, KTALLY_SAME, -11, get_state, 0 },
	{ "comm", "COMM", "name of the main thread, the newest", KTALLY_TEXT, KTALLY_SAME, -15, get_comm, 0 },
	{ "program", "PROGRAM", "name of its last program, or of its parent's if it executed none", KTALLY_TEXT, KTALLY_SAME, -16, get_program, 0 },
	{ "exe", "EXE", "file that was loaded; of a script the interpreter", KTALLY_TEXT, KTALLY_SAME, -24, get_exe, 0 },
	{ "filename", "FILE", "file that was executed; of a script the script", KTALLY_TEXT, KTALLY_SAME, -24, get_filename, 0 },
	{ "argv", "COMMAND", "exact command line of its last program, or of its parent's", KTALLY_ARGV, KTALLY_SAME, 0, get_argv, 0 },
	{ "cgroup", "CGROUP", "path of its control group", KTALLY_TEXT, KTALLY_SAME, -24, get_cgroup, 0 },
	{ "cgroup_id", "CGROUPID", "number of its control group", KTALLY_ID, KTALLY_SAME, 8, get_owner, KTALLY_HAS_cgroup },
	{ "unit", "UNIT", "systemd unit; empty if none", KTALLY_TEXT, KTALLY_SAME, -20, get_unit, 0 },
	{ "container", "CONTAINER", "container; empty if none", KTALLY_TEXT, KTALLY_SAME, -12, get_container, 0 },
	{ "netns", "NETNS", "network namespace", KTALLY_ID, KTALLY_SAME, 10, get_owner, KTALLY_HAS_netns },
	{ "pidns", "PIDNS", "PID namespace", KTALLY_ID, KTALLY_SAME, 10, get_owner, KTALLY_HAS_pidns },
	{ "nspid", "NSPID", "process ID in its own PID namespace", KTALLY_ID, KTALLY_SAME, 7, get_owner, KTALLY_HAS_nspid },
	{ "sid", "SID", "session leader", KTALLY_ID, KTALLY_SAME, 7, get_owner, KTALLY_HAS_sid },
	{ "pgrp", "PGRP", "process group leader", KTALLY_ID, KTALLY_SAME, 7, get_owner, KTALLY_HAS_pgrp },
	{ "image", "IMAGE", "number of its last program since the boot's first fork", KTALLY_ID, KTALLY_SAME, 5, get_image, 0 },
	{ "execs", "EXECS", "programs it executed", KTALLY_COUNT, KTALLY_SUM, 5, get_execs, 0 },
	{ "count", "PROCS", "processes", KTALLY_COUNT, KTALLY_SUM, 6, get_count, 0 },
	{ "threads", "THREADS", "threads of a running process", KTALLY_COUNT, KTALLY_SUM, 7, get_threads, 0 },
	{ "threads_ended", "THRENDED", "threads that ended before the process did", KTALLY_COUNT, KTALLY_SUM, 8, get_threads_ended, 0 },
	{ "kthread", "KTHREAD", "1: a kernel thread", KTALLY_BOOL, KTALLY_SUM, 7, get_kthread, 0 },
	{ "partial", "PARTIAL", "1: began before the recording, or something of it is lost", KTALLY_BOOL, KTALLY_SUM, 7, get_partial, 0 },
	{ "flags", "FLAGS", "how good its figures are: oom, fallback, unstable, many-threads", KTALLY_TEXT, KTALLY_SAME, -12, get_flags, 0 },
	{ "argc", "ARGC", "words of its command line, those of a #! line included", KTALLY_COUNT, KTALLY_SAME, 5, get_argv_facts, WORDS },
	{ "argv_bytes", "ARGBYTES", "true length of its command line, a NUL behind each word", KTALLY_BYTES, KTALLY_SAME, 8, get_argv_facts, TRUE_BYTES },
	{ "argv_cut", "ARGCUT", "1: argv is not all of it", KTALLY_BOOL, KTALLY_SUM, 6, get_argv_facts, IS_CUT },
	{ "parent_start_ns", "PARENTSTART", "when that parent was forked: with ppid it names the parent", KTALLY_TIME, KTALLY_SAME, 11, get_parent_start, 0 },
};

size_t ktally_fields(const struct ktally_field **out)
{
	*out = fields;
	return sizeof(fields) / sizeof(fields[0]);
}

const struct ktally_field *ktally_field_find(const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

struct ktally_value ktally_field_value(const struct ktally_field *f, const struct ktally_life *l,
				       struct ktally_field_ctx *c)
{
	return f->get(f, l, c);
}

const char *ktally_unit_name(enum ktally_unit unit)
{
	static const char *const names[] = {
		[KTALLY_NONE] = "", [KTALLY_ID] = "id", [KTALLY_NS] = "ns", [KTALLY_TIME] = "time",
		[KTALLY_BYTES] = "bytes", [KTALLY_COUNT] = "count", [KTALLY_PERCENT] = "percent",
		[KTALLY_STATUS] = "status", [KTALLY_BOOL] = "bool", [KTALLY_TEXT] = "text",
		[KTALLY_ARGV] = "argv",
	};

	return names[unit];
}

const char *ktally_sum_name(enum ktally_sum sum)
{
	static const char *const names[] = {
		[KTALLY_SUM] = "sum", [KTALLY_MAX] = "max", [KTALLY_MIN] = "min",
		[KTALLY_BOUND] = "bound", [KTALLY_LAST] = "last", [KTALLY_FIRST] = "first",
		[KTALLY_SAME] = "same",
	};

	return names[sum];
}
