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
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"
#include "out/text.h"
#include "reading.h"
#include "rotate.h"
#include "sel.h"
#include "select.h"
#include "service.h"
#include "secrets.h"
#include "session.h"

enum {
	FLUSH_NS = 1000000000,		/* a crash costs at most so much of the recording */
	PROGRESS_AFTER_NS = 1000000000,
	SECOND = 1000000000,
};

#define DAEMON_FILE	"/var/lib/ktally/ktally.ktl"
#define DAEMON_ROTATE	"24x64M"

struct record {
	struct sel sel;
	const char *path;
	struct opt_time duration, timeout;
	uint64_t buffer_kb;
	struct rotate rotate;
	struct opt_time sample;
	struct opt_list secrets;
	bool boot, force, exits, daemon;
};

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
	{ 0, "boot", NULL, "take over what the module has recorded since it was loaded", opt_flag,
	  offsetof(struct record, boot), 0, NULL },
	{ 0, "exits", NULL, "only the ends of processes, with their arguments: a tenth of the records", opt_flag,
	  offsetof(struct record, exits), 0, NULL },
	SECRETS_OPT(struct record, secrets),
	{ 0, "buffer", "KB", "size of the kernel's buffers, all CPUs together (default: the module's)",
	  opt_count, offsetof(struct record, buffer_kb), 0, NULL },
};

static const struct opt_group record_groups[] = {
	OPT_OWN("RECORDING", record_opts),
	SEL_GROUP(struct record, sel),
};

struct recorder {
	const struct record *args;
	char *const *command;		/* NULL = whole machine or a process */
	char **shown;			/* the same without secrets, for the head of the file */
	struct session session;
	struct ktally_live_options live;
	struct sel_match *match;
	struct selection selection;
	uint32_t own;			/* PID of ours, from which CMD's tree is recorded */
	struct ktally_file *file;
	struct child child;
	sigset_t old_mask;
	int signals;			/* signalfd */
	dev_t dev;			/* of the file, for rotation */
	ino_t ino;
	bool stop, now, rotate, timed_out;
	uint64_t begin, file_begin, next_flush, next_sample, bytes, records, lost;
	struct service_losses losses;
};

static int file_failed(const struct recorder *r, int err)
{
	if (err == -EPIPE)
		return say_error(FAILED, "standard output: the reader has gone, so the recording ends here");
	return say_error(FAILED, "%s", ktally_file_error(r->file));
}

static int take(void *arg, const void *subbuf, size_t n)
{
	struct recorder *r = arg;
	int err = ktally_file_add(r->file, subbuf, n);

	return err ? file_failed(r, err) : 0;
}

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

/* CMD's tree begins at the one who will fork it. */
static void select_command(struct recorder *r)
{
	struct ktally_select *k = &r->selection.kernel;

	r->own = (uint32_t)getpid();
	k->what |= KTALLY_SELECT_PIDS | KTALLY_SELECT_TREE;
	k->n_pids = 1;
	k->pids = (uintptr_t)&r->own;
}

/* What the kernel can select goes into the session; the rest is for the readers of the file. */
static int set_selection(struct recorder *r)
{
	const struct record *args = r->args;
	int status;

	r->match = sel_compile(&args->sel, NULL, 0, &status);
	if (!r->match)
		return status;
	status = selection_make(&r->selection, "record", &args->sel, r->match);
	if (status != OPT_GO_ON)
		return status;
	if (args->sel.tree && r->command && !args->sel.names.n)
		select_command(r);
	else if (args->sel.tree && !(r->selection.kernel.what & KTALLY_SELECT_TREE))
		return say_error(WRONG_USE, "record: --tree of what? -p PID, -n NAME or a command to run");
	if (args->exits)
		r->selection.kernel.what |= KTALLY_SELECT_EXITS;
	if (r->selection.kernel.what)
		r->live.select = &r->selection.kernel;
	return OPT_GO_ON;
}

static int check_args(struct recorder *r, const struct opt_rest *rest)
{
	if (rest->n_words)
		return say_error(WRONG_USE, "record: '%s'? a command to run stands behind --: ktally record -- %s",
				 rest->words[0], rest->words[0]);
	if (r->args->timeout.set && !r->command)
		return say_error(WRONG_USE, "record: --timeout ends a command, and there is none; -D ends the recording");
	if (rotate_asked(&r->args->rotate) && (r->command || !strcmp(r->args->path, "-")))
		return say_error(WRONG_USE, "record: --rotate is for recordings of the machine into files");
	if (r->command && (r->args->boot || r->args->sel.pids.n))
		return say_error(WRONG_USE, "record: %s and a command exclude each other",
				 r->args->boot ? "--boot" : "-p");
	if (r->args->daemon && r->command)
		return say_error(WRONG_USE, "record: --daemon records the machine, not a command");
	if (r->args->sample.set && r->args->sample.ns < SECOND / 10)
		return say_error(WRONG_USE, "record: --sample: 100ms is the least");
	if (r->args->buffer_kb > UINT32_MAX)
		return say_error(WRONG_USE, "record: --buffer: too large");
	r->live.buffer_kb = (uint32_t)r->args->buffer_kb;
	r->live.boot = r->args->boot;
	return set_selection(r);
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

static void remember_file(struct recorder *r)
{
	struct stat st;

	if (strcmp(r->args->path, "-") && !stat(r->args->path, &st)) {
		r->dev = st.st_dev;
		r->ino = st.st_ino;
	}
}

static int create_file(struct recorder *r, const struct ktally_file *continues)
{
	struct ktally_file_options options = {
		.force = r->args->force || continues,
		.root_tgid = (uint32_t)(continues && r->command ? r->child.pid : 0),
		.continues = continues,
	};
	struct ktally_file *file;
	char words[256] = "";
	size_t at = 0;

	for (int i = 0; r->shown && r->shown[i] && at + 1 < sizeof(words); i++) {
		if (i)
			words[at++] = ' ';
		at += text_quote(words + at, sizeof(words) - at, r->shown[i],
				 strlen(r->shown[i]), TEXT_FOR_PEOPLE);
	}
	options.command = *words ? words : NULL;
	if (ktally_file_create(&file, r->args->path, &options)) {
		say_error(FAILED, "%s", ktally_file_error(file));
		ktally_file_close(file);
		return FAILED;
	}
	r->file = file;
	remember_file(r);
	return OPT_GO_ON;
}

static int start_command(struct recorder *r)
{
	int err = child_prepare(&r->child, r->command, &r->old_mask);

	if (err)
		return say_error(FAILED_BEFORE_CMD, "fork: %s", strerror(-err));
	err = ktally_file_set_root(r->file, (uint32_t)r->child.pid, 0);
	if (err) {
		child_cancel(&r->child);
		return file_failed(r, err);
	}
	child_release(&r->child);
	return r->child.exec_errno ? child_status(&r->child, r->command[0]) : OPT_GO_ON;
}

/* The file first: a boot recording that was taken over can't be given back. */
static int start(struct recorder *r)
{
	int status = create_file(r, NULL);

	if (status == OPT_GO_ON)
		status = session_open(&r->session, &r->live);
	if (status == OPT_GO_ON)
		status = session_walk(&r->session, KTALLY_WALK_OPENING);
	if (status == OPT_GO_ON && r->command)
		status = start_command(r);
	return status;
}

static int move_dated(const char *path, char *to, size_t n)
{
	int err = rotate_move(path, to, n);

	if (err)
		return say_error(FAILED, "%s: cannot move it to %s: %s", path, to, strerror(-err));
	return OPT_GO_ON;
}

/* Left alone if somebody has moved it already, as logrotate does. */
static int move_away(const struct recorder *r)
{
	const char *path = r->args->path;
	char to[4096] = "";
	struct stat st;
	int status;

	if (stat(path, &st) || st.st_dev != r->dev || st.st_ino != r->ino)
		return OPT_GO_ON;
	status = move_dated(path, to, sizeof(to));
	if (status == OPT_GO_ON)
		say("%s is complete; the recording goes on in %s", to, path);
	return status;
}

/* What an earlier recorder left is one of the finished files. */
static int keep_earlier(const struct recorder *r)
{
	const char *path = r->args->path;
	char to[4096] = "";
	struct stat st;
	int status;

	if (!rotate_asked(&r->args->rotate) || stat(path, &st) || !S_ISREG(st.st_mode))
		return OPT_GO_ON;
	status = move_dated(path, to, sizeof(to));
	rotate_prune(&r->args->rotate, path);
	return status;
}

static int finish_file(struct recorder *r, struct ktally_file *file)
{
	int err = ktally_file_finish(file), status = OPT_GO_ON;

	if (!err || err == -ENODATA) {
		r->bytes += err ? 0 : ktally_file_bytes(file);
		r->records += err ? 0 : ktally_file_records(file);
		if (err)
			status = say_error(FAILED, "nothing was recorded, so there is no file");
	} else {
		status = say_error(FAILED, "%s", ktally_file_error(file));
	}
	ktally_file_close(file);
	return status;
}

static int rotate(struct recorder *r)
{
	struct ktally_file *old = r->file;
	int status;

	r->rotate = false;
	if (!strcmp(r->args->path, "-")) {
		say_warning("standard output cannot be rotated");
		return OPT_GO_ON;
	}
	status = session_flush(&r->session);
	if (status != OPT_GO_ON || !ktally_file_records(old))
		return status;
	status = move_away(r);
	if (status == OPT_GO_ON)
		status = create_file(r, old);
	if (status != OPT_GO_ON)
		return status;
	status = finish_file(r, old);
	rotate_prune(&r->args->rotate, r->args->path);
	r->file_begin = session_now();
	/* Names, arguments and groups of the living: the files before this one may go. */
	if (status == OPT_GO_ON && r->args->sample.set)
		status = session_walk(&r->session, KTALLY_WALK_OPENING);
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
		     say_count(lost, session_lost(&r->session)), text_glyphs()->dot);
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
	return until > now ? (int)((until - now + 999999) / 1000000) : 0;
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
		if (ktally_live_wait(r->session.live, wait_ms(r, now), r->signals) < 0)
			return say_error(FAILED, "%s", ktally_live_error(r->session.live));
		status = session_drain(&r->session);
		read_signals(r);
		now = session_now();
		if (status == OPT_GO_ON && now >= r->next_flush) {
			status = session_flush(&r->session);
			r->next_flush = now + FLUSH_NS;
		}
		if (status == OPT_GO_ON)
			status = sample(r, now);
		if (status == OPT_GO_ON && r->rotate)
			status = rotate(r);
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
	bool out = !strcmp(path, "-"), usual = !strcmp(path, READING_DEFAULT);
	char records[32], bytes[32], lost[32], span[32];

	text_span(span, sizeof(span), session_now() - r->begin);
	say("recorded %s to %s: %s records, %s, lost %s%s%s%s", span, out ? "standard output" : path,
	    say_count(records, r->records), say_size(bytes, r->bytes), say_count(lost, r->lost),
	    out ? "" : "; see: ktally report", out || usual ? "" : " ", out || usual ? "" : path);
}

/* Whatever happened, what was written until then stays readable. */
static int finish(struct recorder *r, int status)
{
	struct ktally_file *file = r->file;

	if (status == OPT_GO_ON)
		status = session_end(&r->session);
	r->lost = session_lost(&r->session);
	r->file = NULL;
	if (r->now) {
		ktally_file_close(file);
		return say_error(FAILED, "stopped at once; the end of the recording is missing");
	}
	if (status != OPT_GO_ON) {
		/* The message is out; a second one about the same disk would not help. */
		(void)ktally_file_finish(file);
		ktally_file_close(file);
		return status;
	}
	status = finish_file(r, file);
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
	status = keep_earlier(r);
	if (status == OPT_GO_ON)
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
	struct record args = { .path = NULL };
	struct recorder r = { .args = &args };
	struct opt_rest rest;
	int status = opt_parse(&cmd_record, argc, argv, &args, &rest);

	if (status != OPT_GO_ON)
		return status;
	daemon_defaults(&args);
	r.command = rest.n_command ? rest.command : NULL;
	r.session.take = take;
	r.session.hurry = read_signals;
	r.session.arg = &r;
	status = check_args(&r, &rest);
	if (status == OPT_GO_ON)
		status = hide_secrets(&r);
	if (status == OPT_GO_ON)
		status = record(&r);
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
