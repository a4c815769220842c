// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-record.c - saves a session to a file: everything, or CMD and its tree.
 *
 * CMD is forked last, when the opening walk is in the file, and let go at once: its
 * life holds no work of ours. A failed start leaves no file. Signals are read from
 * a descriptor in the same loop as the buffers: nothing runs between two lines of
 * this file.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "out/text.h"
#include "reading.h"
#include "record/record.h"
#include "secrets.h"

enum {
	FLUSH_NS = 1000000000,		/* a crash costs at most so much of the recording */
	PROGRESS_AFTER_NS = 1000000000,
	SECOND = 1000000000,
	LEVEL_MAX = 19,
	LOOK_MS = 100,			/* between two looks at what triggers */
};

#define DAEMON_FILE	"/var/lib/ktally/ktally.ktl"
#define DAEMON_ROTATE	"24x64M"

static const struct opt record_opts[] = {
	{ 'o', "output", "FILE", "the recording (default: " READING_DEFAULT "); - is standard output; one that exists is kept as FILE.old",
	  opt_string, offsetof(struct record, path), 0, "@file" },
	{ 0, "force", NULL, "overwrite FILE instead", opt_flag, offsetof(struct record, force), 0,
	  NULL },
	{ 'D', "duration", "TIME", "stop after TIME: 10, 500ms, 2m", opt_time,
	  offsetof(struct record, duration), 0, NULL },
	{ 0, "timeout", "TIME", "end CMD by SIGTERM after TIME, and exit with 124", opt_time,
	  offsetof(struct record, timeout), 0, NULL },
	{ 0, "rotate", "FILESxSIZE", "begin a new file at SIZE, and keep FILES finished ones: 24x64M", rotate_opt,
	  offsetof(struct record, rotate), 0, NULL },
	{ 0, "rotate-after", "TIME", "begin a new file after TIME, however small: 1h", opt_time,
	  offsetof(struct record, rotate.after), 0, NULL },
	{ 0, "keep", "TIME", "remove finished files once they are older than TIME: 7d", opt_time,
	  offsetof(struct record, rotate.keep), 0, NULL },
	{ 0, "sample", "TIME", "put figures of the processes that ran into the recording every TIME: then report --since and --until tell who used what in between",
	  opt_time, offsetof(struct record, sample), 0, NULL },
	{ 0, "daemon", NULL, "as a service: into " DAEMON_FILE ", --rotate " DAEMON_ROTATE " and --sample 10s unless said otherwise; the service manager is told when it records, and losses are said as they happen",
	  opt_flag, offsetof(struct record, daemon), 0, NULL },
	{ 0, "flight", NULL, "keep the newest in the kernel's buffers (--buffer) and write only at the end, on SIGUSR2 (then go on), or when a --trigger says so",
	  opt_flag, offsetof(struct record, flight), 0, NULL },
	{ 0, "trigger", "WHEN", "with --flight: end and save when a process failed (failed), ended by exit status N (status=N) or signal N (signal=N), a session lost records (loss), or a file was written (file=PATH); more than one may be given; if none comes, nothing is saved",
	  opt_list, offsetof(struct record, triggers), 0, NULL },
	{ 0, "boot", NULL, "take over what the module has recorded since it was loaded", opt_flag,
	  offsetof(struct record, boot), 0, NULL },
	{ 0, "exits", NULL, "only the ends of processes, with their arguments: a tenth of the records", opt_flag,
	  offsetof(struct record, exits), 0, NULL },
	SECRETS_OPT(struct record, secrets),
	{ 0, "compress", "LEVEL", "pack what is written by zstd of this level, 1 to 19; 0: not (default: 1, where ktally is built with libzstd)",
	  opt_count, offsetof(struct record, level), 0, NULL },
	{ 0, "buffer", "KB", "size of the kernel's buffers, all CPUs together (default: the module's)",
	  opt_count, offsetof(struct record, buffer_kb), 0, NULL },
};

static const struct opt_group record_groups[] = {
	OPT_OWN("RECORDING", record_opts),
	SEL_GROUP(struct record, sel),
};

/* Ctrl-C is CMD's affair while it runs. */
static void interrupted(struct recorder *r, const struct signalfd_siginfo *si)
{
	if (r->command && !r->child.ended) {
		child_hand_on(&r->child, si);
		return;
	}
	r->now = r->stop;
	r->stop = true;
}

static void take_signal(struct recorder *r, const struct signalfd_siginfo *si)
{
	switch (si->ssi_signo) {
	case SIGINT:
	case SIGTERM:
	case SIGQUIT:
		interrupted(r, si);
		break;
	case SIGHUP:
		/* Its terminal has gone: finish. Without one it is a request to rotate. */
		if (si->ssi_code != SI_USER)
			r->stop = true;
		else
			r->rotate = true;
		break;
	case SIGUSR2:
		r->rotate = true;
		break;
	default:
		break;
	}
}

static bool read_signals(void *arg)
{
	struct signalfd_siginfo si;
	struct recorder *r = arg;

	while (read(r->signals, &si, sizeof(si)) == sizeof(si))
		take_signal(r, &si);
	return r->now;
}

static int check_args(struct recorder *r, const struct opt_rest *rest)
{
	if (rest->n_words)
		return say_error(WRONG_USE, "record: '%s'? a command to run stands behind --: ktally record -- %s",
				 rest->words[0], rest->words[0]);
	if (r->args->timeout.set && !r->command)
		return say_error(WRONG_USE, "record: --timeout ends a command, and there is none; -D ends the recording");
	if (rotate_asked(&r->args->rotate) && (r->command || record_to_stdout(r)))
		return say_error(WRONG_USE, "record: --rotate is for recordings of the machine into files");
	if (r->command && (r->args->boot || r->args->sel.pids.n))
		return say_error(WRONG_USE, "record: %s and a command exclude each other",
				 r->args->boot ? "--boot" : "-p");
	if (r->args->daemon && r->command)
		return say_error(WRONG_USE, "record: --daemon records the machine, not a command");
	if (r->args->sample.set && r->args->sample.ns < SECOND / 10)
		return say_error(WRONG_USE, "record: --sample: 100ms is the least");
	if (r->args->level != UINT64_MAX && r->args->level > LEVEL_MAX)
		return say_error(WRONG_USE, "record: --compress: levels are 1 to %d; 0: not packed", LEVEL_MAX);
	if (r->args->level != UINT64_MAX && r->args->level && !ktally_file_packs())
		return say_error(FAILED, "record: --compress: built without libzstd, so recordings are not packed");
	if (r->args->buffer_kb > UINT32_MAX)
		return say_error(WRONG_USE, "record: --buffer: too large");
	r->live.buffer_kb = (uint32_t)r->args->buffer_kb;
	r->live.boot = r->args->boot;
	return record_select(r);
}

/* With -p the recording lasts as long as one of them lives. */
static size_t count_watched(const struct recorder *r, uint32_t *gone)
{
	const uint32_t *pids;
	size_t n = sel_pids(r->match, &pids), alive = 0;

	for (size_t i = 0; i < n; i++)
		if (kill((pid_t)pids[i], 0) && errno == ESRCH)
			*gone = pids[i];
		else
			alive++;
	return alive;
}

static int check_watched(const struct recorder *r)
{
	uint32_t gone = 0;

	count_watched(r, &gone);
	return gone ? say_error(NOTHING_MATCHED, "-p %u: no such process", gone) : OPT_GO_ON;
}

/* A machine-wide recording takes over the one that began at load, if it waits. */
static void look_for_boot(struct recorder *r)
{
	struct ktally_status st;
	char why[256];

	if (r->live.boot || r->command || r->live.select ||
	    ktally_status_read(&st, NULL, why, sizeof(why)))
		return;
	for (size_t i = 0; i < KTALLY_SESSIONS; i++)
		if (st.sessions[i].boot) {
			r->live.boot = true;
			say("taking over the recording that began when the module was loaded");
			return;
		}
}

static int start_command(struct recorder *r)
{
	int err = child_prepare(&r->child, r->command, &r->old_mask);

	if (err)
		return say_error(FAILED_BEFORE_CMD, "fork: %s", strerror(-err));
	err = ktally_file_set_root(r->file, (uint32_t)r->child.pid, 0);
	if (err) {
		child_cancel(&r->child);
		return record_file_failed(r, err);
	}
	child_release(&r->child);
	return r->child.exec_errno ? child_status(&r->child, r->command[0]) : OPT_GO_ON;
}

/* The file first: a boot recording that was taken over can't be given back. */
static int start(struct recorder *r)
{
	int status = record_create(r);

	if (status == OPT_GO_ON && r->flight)
		status = flight_watch(r);
	if (status == OPT_GO_ON)
		status = session_open(&r->session, &r->live);
	if (status == OPT_GO_ON)
		status = r->flight ? flight_begin(r) : session_walk(&r->session, KTALLY_WALK_OPENING);
	if (status == OPT_GO_ON && r->command)
		status = start_command(r);
	/* A flight recorder may end without one. */
	if (status == OPT_GO_ON && !r->flight)
		ktally_file_keep(r->file);
	return status;
}

/* Figures of who ran since the last one: processes that sleep cost nothing. */
static int sample(struct recorder *r, uint64_t now)
{
	bool all = false;

	if (!r->args->sample.set || now < r->next_sample)
		return OPT_GO_ON;
	while (r->next_sample <= now)
		r->next_sample += r->args->sample.ns;
	return session_look(&r->session, &all);
}

static void show_progress(struct recorder *r, uint64_t now)
{
	char records[32], bytes[32], lost[32];

	if (now - r->begin < PROGRESS_AFTER_NS || r->args->daemon || !isatty(STDERR_FILENO))
		return;
	say_progress("recording %.1f s %s %s records %s %s %s lost %s %s Ctrl-C stops",
		     (double)(now - r->begin) / 1e9, text_glyphs()->dot,
		     say_count(records, r->records + ktally_file_records(r->file)), text_glyphs()->dot,
		     say_size(bytes, r->bytes + ktally_file_bytes(r->file)), text_glyphs()->dot,
		     say_count(lost, record_lost(r)), text_glyphs()->dot);
}

/* Until the next thing that has its time, at most until the next flush. */
static int wait_ms(const struct recorder *r, uint64_t now)
{
	uint64_t until = r->next_flush;

	if (r->args->duration.set && r->begin + r->args->duration.ns < until)
		until = r->begin + r->args->duration.ns;
	if (r->args->timeout.set && !r->timed_out && r->begin + r->args->timeout.ns < until)
		until = r->begin + r->args->timeout.ns;
	if (r->args->sample.set && r->next_sample < until)
		until = r->next_sample;
	if (isatty(STDERR_FILENO) && until > now + SECOND / 5)
		until = now + SECOND / 5;
	return session_ms(now, until, INT_MAX);
}

static void check_limits(struct recorder *r, uint64_t now)
{
	uint32_t gone;

	if (r->args->rotate.bytes && ktally_file_bytes(r->file) >= r->args->rotate.bytes)
		r->rotate = true;
	if (r->args->rotate.after.set && now - r->file_begin >= r->args->rotate.after.ns)
		r->rotate = true;
	if (r->args->duration.set && now - r->begin >= r->args->duration.ns)
		r->stop = true;
	if (r->args->timeout.set && !r->timed_out && now - r->begin >= r->args->timeout.ns) {
		r->timed_out = true;
		kill(r->child.pid, SIGTERM);
	}
	if (r->args->sel.pids.n && !count_watched(r, &gone))
		r->stop = true;
	if (r->command && child_poll(&r->child, false))
		r->stop = true;
}

/* What a flight recorder does not read is always there to be read: it looks by the clock. */
static int wait_for_more(struct recorder *r, uint64_t now)
{
	struct pollfd p = { .fd = r->signals, .events = POLLIN };
	int ms = wait_ms(r, now);

	if (!r->flight)
		return ktally_live_wait(r->session.live, ms, r->signals);
	poll(&p, 1, r->args->triggers.n && ms > LOOK_MS ? LOOK_MS : ms);
	return 0;
}

static int flush(struct recorder *r)
{
	uint64_t before;
	int status = session_settle(&r->session, SESSION_TRIES, &before);

	if (status == OPT_GO_ON)
		status = record_write_on(r);
	return status == OPT_GO_ON && before ? record_mark(r, before) : status;
}

static int loop(struct recorder *r)
{
	uint64_t now = session_now();
	int status = OPT_GO_ON;

	r->begin = r->file_begin = r->losses.looked = now;
	r->next_flush = now + FLUSH_NS;
	r->next_sample = now + r->args->sample.ns;
	if (r->args->daemon)
		service_ready();
	while (!r->stop && status == OPT_GO_ON) {
		if (wait_for_more(r, now) < 0)
			return say_error(FAILED, "%s", ktally_live_error(r->session.live));
		status = r->flight ? flight_look(r) : session_drain(&r->session);
		read_signals(r);
		now = session_now();
		if (status == OPT_GO_ON && now >= r->next_flush) {
			status = flush(r);
			r->next_flush = now + FLUSH_NS;
		}
		if (status == OPT_GO_ON)
			status = sample(r, now);
		if (status == OPT_GO_ON && r->rotate)
			status = r->flight ? flight_snapshot(r, now) : record_rotate(r, now);
		if (r->args->daemon)
			service_say_losses(&r->losses, &r->session);
		check_limits(r, now);
		show_progress(r, now);
	}
	return status;
}

static void summary(const struct recorder *r)
{
	const char *path = r->args->path;
	bool out = record_to_stdout(r), usual = !strcmp(path, READING_DEFAULT);
	char records[32], bytes[32], lost[32], span[32];

	text_span(span, sizeof(span), session_now() - r->begin);
	say("recorded %s to %s: %s records, %s, lost %s%s%s%s", span, out ? "standard output" : path,
	    say_count(records, r->records), say_size(bytes, r->bytes), say_count(lost, r->lost),
	    out ? "" : "; see: ktally report", out || usual ? "" : " ", out || usual ? "" : path);
}

/* Whatever happened, what was written until then stays readable. */
static int finish(struct recorder *r, int status)
{
	bool wanted = true;

	if (status == OPT_GO_ON && r->flight)
		status = flight_end(r, &wanted);
	if (!wanted)
		return flight_discard(r, status);
	if (status == OPT_GO_ON)
		status = session_end(&r->session);
	if (r->now) {
		ktally_file_close(r->file);
		r->file = NULL;
		return say_error(FAILED, "stopped at once; the end of the recording is missing");
	}
	if (status != OPT_GO_ON) {
		record_finish(r, false);
		return status;
	}
	status = record_finish(r, true);
	r->lost = record_lost(r);
	if (status == OPT_GO_ON)
		summary(r);
	return status;
}

/* CMD was not run: no file is left, and one that stood there is back. */
static int give_up(struct recorder *r, int status)
{
	if (r->file) {
		ktally_file_discard(r->file);
		ktally_file_close(r->file);
	}
	return r->command && !r->child.exec_errno ? FAILED_BEFORE_CMD : status;
}

/* The recording may end before CMD: signals are handed on until it does. */
static void wait_for_command(struct recorder *r)
{
	struct pollfd p = { .fd = r->signals, .events = POLLIN };

	while (!child_poll(&r->child, false)) {
		poll(&p, 1, FLUSH_NS / 1000000);
		read_signals(r);
	}
}

static int result(struct recorder *r, int status)
{
	int own;

	if (!r->command)
		return status == OPT_GO_ON ? DONE : status;
	wait_for_command(r);
	own = r->timed_out ? TIMED_OUT : child_status(&r->child, r->command[0]);
	return own == DONE && status != OPT_GO_ON ? status : own;
}

static int record(struct recorder *r)
{
	int err = child_signals(&r->signals, &r->old_mask), status;

	if (err)
		return say_error(FAILED, "signals: %s", strerror(-err));
	status = check_watched(r);
	if (status != OPT_GO_ON)
		return status;
	look_for_boot(r);
	status = start(r);
	if (status == OPT_GO_ON)
		status = result(r, finish(r, loop(r)));
	else
		status = give_up(r, status);
	session_close(&r->session);
	return status;
}

static void daemon_defaults(struct record *args)
{
	char why[160];

	if (!args->path)
		args->path = args->daemon ? DAEMON_FILE : READING_DEFAULT;
	if (!args->daemon)
		return;
	if (!rotate_asked(&args->rotate))
		rotate_opt(NULL, &args->rotate, DAEMON_ROTATE, why, sizeof(why));
	if (!args->sample.set)
		args->sample = (struct opt_time){ .set = true, .ns = 10ULL * SECOND };
}

static int hide_secrets(struct recorder *r)
{
	int status = secrets_open(&r->live.redact, &r->args->secrets);

	if (status != OPT_GO_ON || !r->command)
		return status;
	r->shown = secrets_hide(r->live.redact, r->command);
	return r->shown ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

static int run_record(int argc, char **argv)
{
	struct record args = { .level = UINT64_MAX };
	struct recorder r = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_record, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	daemon_defaults(&args);
	r.command = rest.n_command ? rest.command : NULL;
	r.session.take = record_take;
	r.session.hurry = read_signals;
	r.session.arg = &r;
	status = check_args(&r, &rest);
	if (status == OPT_GO_ON)
		status = hide_secrets(&r);
	if (status == OPT_GO_ON)
		status = flight_prepare(&r);
	if (status == OPT_GO_ON)
		status = record(&r);
	flight_close(&r);
	ktally_redact_close(r.live.redact);
	free(r.shown);
	selection_free(&r.selection);
	sel_free(r.match);
	return status;
}

static const char *const record_examples[] = {
	"record -- make -j2",
	"record -D 30 -o half-a-minute.ktl",
	"record -n 'nginx*' --tree -u www-data -D 1h",
	"record --exits --min-duration 1s -o long.ktl",
	"record --boot -o boot.ktl -D 1m",
	"record --sample 10s --rotate 24x64M -o machine.ktl",
	"record --flight --trigger failed -n backup --tree -o last.ktl",
	NULL
};

const struct cmd cmd_record = {
	.name = "record",
	.words = "[-o FILE] [-D TIME] [-p PID] [-n NAME] [-u USER] [-- CMD...]",
	.help = "save what happens to a file",
	.about = "Saves the stream of the module to FILE until Ctrl-C, for TIME, or as long as CMD runs; then CMD's exit status is passed on and report shows CMD's tree. SIGHUP and SIGUSR2 begin a new file. What is left out by the options that select never leaves the kernel. Who was selected once stays so until it ends. With -p the recording ends with the last of these processes, with --tree and CMD it holds CMD's tree only, with --min-duration ends only. With no CMD, a recording that began when the module was loaded is taken over.",
	.bits = CMD_RUNS,
	.run = run_record,
	CMD_GROUPS(record_groups),
	.examples = record_examples,
};
