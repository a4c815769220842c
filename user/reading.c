// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reading.c - FILE or the module, read to the end into a model.
 *
 * A damaged recording is read as far as it goes; what is missing is said at the
 * end, in one line each, and makes the exit status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "reading.h"
#include "session.h"
#include "when.h"

enum { PROGRESS_EVERY = 1 << 16, MAX_GAPS = 3 };

const struct opt reading_opts[READING_OPTS] = {
	{ 'i', "input", "FILE", "read this recording, or the recordings of this folder (default: " READING_DEFAULT "); - is standard input; FILE as a plain word too",
	  opt_list, offsetof(struct reading_options, files), 0, "@file" },
	{ 0, "live", NULL, "ask the module about the processes that live now, instead of a file",
	  opt_flag, offsetof(struct reading_options, live), 0, NULL },
	{ 0, "since-birth", NULL, "of processes older than the recording all they used, not only what they used while recording; with --live always",
	  opt_flag, offsetof(struct reading_options, since_birth), 0, NULL },
};

/* Who names a script or program that lies here speaks of its processes. */
static bool is_program(const char *path, const struct stat *st)
{
	char begin[4] = "";
	int fd;

	if (!S_ISREG(st->st_mode))
		return false;
	if (st->st_mode & 0111)
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, begin, sizeof(begin)) < 2)
		begin[0] = '\0';
	if (fd >= 0)
		close(fd);
	return !memcmp(begin, "#!", 2) || !memcmp(begin, "\177ELF", 4);
}

/* A path is no name of a process: those are compared with base names. /x/ is an expression. */
static bool is_path(const char *word)
{
	return !strncmp(word, "./", 2) || (*word == '/' && word[strlen(word) - 1] != '/');
}

static bool is_file(const char *word)
{
	size_t len = strlen(word);
	struct stat st;

	if (!strcmp(word, "-") || (len > 4 && !strcmp(word + len - 4, ".ktl")))
		return true;
	if (stat(word, &st))
		return is_path(word);
	return (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode)) && !is_program(word, &st);
}

int reading_take_words(struct reading_options *options, struct opt_rest *rest)
{
	int names = 0;

	if (options->live && options->files.by_default)
		options->files.n = 0;
	for (int i = 0; i < rest->n_words; i++) {
		if (!is_file(rest->words[i])) {
			rest->words[names++] = rest->words[i];
			continue;
		}
		if (options->files.by_default)
			options->files = (struct opt_list){ .n = 0 };
		if (options->files.n == OPT_LIST_MAX)
			return say_error(WRONG_USE, "more than %d files; name their folder instead",
					 OPT_LIST_MAX);
		options->files.at[options->files.n++] = rest->words[i];
	}
	rest->n_words = names;
	if (options->live && options->files.n)
		return say_error(WRONG_USE, "--live reads the module, not '%s'; give one of them",
				 options->files.at[0]);
	return OPT_GO_ON;
}

/* Another machine's users and containers have other names there. */
static bool same_host(const struct ktally_stream_info *info)
{
	char host[65];

	return !info->host[0] || (!gethostname(host, sizeof(host)) && !strcmp(host, info->host));
}

void reading_names(struct ktally_field_ctx *ctx, struct names *names, const struct ktally_stream_info *info)
{
	bool same = same_host(info);

	ctx->info = info;
	ctx->arg = names;
	ctx->user_name = same ? names_user : NULL;
	ctx->container_name = same ? names_container : NULL;
}

static int finish(struct reading *r)
{
	int err = ktally_model_settle(r->model, r->info);

	if (err)
		return say_error(FAILED, "out of memory for the processes of this recording");
	r->ctx.model = r->model;
	reading_names(&r->ctx, &r->names, r->info);
	return OPT_GO_ON;
}

static int begin(struct reading *r, const struct reading_options *options)
{
	if (!options->begin)
		return OPT_GO_ON;
	r->info = ktally_stream_info(r->stream);
	r->ctx.model = r->model;
	reading_names(&r->ctx, &r->names, r->info);
	return options->begin(options->begin_arg, r);
}

int reading_pump(struct reading *r)
{
	struct ktally_event ev;
	uint64_t n = 0;
	char count[32];
	int got;

	while ((got = ktally_stream_next(r->stream, &ev)) == 1) {
		if (ktally_model_feed(r->model, &ev) || (r->see && r->see(r->see_arg, &ev)))
			return say_error(FAILED, "out of memory for the processes of this recording");
		if (++n % PROGRESS_EVERY == 0)
			say_progress("reading: %s records", say_count(count, n));
	}
	if (got < 0 && got != -EAGAIN)
		return say_error(FAILED, "%s", ktally_stream_error(r->stream));
	r->info = ktally_stream_info(r->stream);
	return OPT_GO_ON;
}

static int open_model(struct reading *r)
{
	r->model = ktally_model_open();
	return r->model ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

int reading_open_stream(struct ktally_stream **s, const struct reading_options *options)
{
	static const char *const fallback[] = { READING_DEFAULT };
	bool given = options->files.n;
	int err, status;

	err = ktally_stream_open_files(s, given ? options->files.at : fallback,
				       given ? options->files.n : 1);
	if (!err)
		return OPT_GO_ON;
	if (err == -ENOENT && !given)
		status = say_error(FAILED, "%s: no such file here; make one with: %s, or name one",
				   READING_DEFAULT, options->made_by ? options->made_by : "ktally record");
	else
		status = say_error(err == -EACCES || err == -EPERM ? NO_PERMISSION : FAILED, "%s",
				   ktally_stream_error(*s));
	ktally_stream_close(*s);
	*s = NULL;
	return status;
}

static int set_window(struct reading *r, const struct reading_options *options)
{
	size_t boots;
	int err;

	if (!options->since && !options->until)
		return OPT_GO_ON;
	/* "-10" is before its end. */
	if (ktally_stream_wait(r->stream))
		return say_error(FAILED, "%s", ktally_stream_error(r->stream));
	err = when_windows(r->stream, options->since, options->until, &r->windows, &boots);
	if (err == -EINVAL)
		return say_error(WRONG_USE, "--since %s is after --until %s", options->since, options->until);
	if (err)
		return say_error(FAILED, "out of memory");
	ktally_model_window(r->model, r->windows, boots, !options->whole_lives && !options->since_birth);
	return OPT_GO_ON;
}

int reading_open(struct reading *r, const struct reading_options *options)
{
	int status;

	memset(r, 0, sizeof(*r));
	if (options->live)
		return reading_open_live(r, 0);
	r->ctx.since_birth = options->since_birth;
	r->see = options->see;
	r->see_arg = options->arg;
	status = open_model(r);
	if (status == OPT_GO_ON)
		status = reading_open_stream(&r->stream, options);
	if (status == OPT_GO_ON)
		status = set_window(r, options);
	if (status == OPT_GO_ON)
		status = begin(r, options);
	if (status == OPT_GO_ON)
		status = reading_pump(r);
	if (status == OPT_GO_ON)
		status = finish(r);
	if (status != OPT_GO_ON)
		reading_close(r);
	return status;
}

int reading_begin_push(struct reading *r)
{
	int status;

	memset(r, 0, sizeof(*r));
	status = open_model(r);
	if (status != OPT_GO_ON)
		return status;
	if (ktally_stream_open_push(&r->stream))
		return say_error(FAILED, "%s", ktally_stream_error(r->stream));
	return OPT_GO_ON;
}

int reading_push(struct reading *r, const void *subbuf, size_t n)
{
	if (ktally_stream_push(r->stream, subbuf, n))
		return say_error(FAILED, "%s", ktally_stream_error(r->stream));
	return 0;
}

int reading_settle(struct reading *r, struct session *s)
{
	uint64_t before;
	int status = session_settle(s, SESSION_TRIES, &before);

	if (status != OPT_GO_ON)
		return status;
	if (before)
		ktally_stream_settled(r->stream, before);
	return reading_pump(r);
}

int reading_end_push(struct reading *r)
{
	int status;

	ktally_stream_settled(r->stream, UINT64_MAX);
	status = reading_pump(r);
	return status == OPT_GO_ON ? finish(r) : status;
}

static int push_one(void *arg, const void *subbuf, size_t n)
{
	return reading_push(arg, subbuf, n);
}

int reading_open_live(struct reading *r, uint64_t kinds)
{
	const struct ktally_live_options options = { .kinds = kinds };
	struct session s = { .take = push_one, .arg = r };
	int status = reading_begin_push(r);

	/* One walk is no stretch of time: nothing could be subtracted. */
	r->ctx.since_birth = true;
	if (status == OPT_GO_ON)
		status = session_open(&s, &options);
	if (status == OPT_GO_ON) {
		status = session_walk(&s, KTALLY_WALK_OPENING);
		if (status == OPT_GO_ON)
			status = session_end(&s);
		session_close(&s);
	}
	if (status == OPT_GO_ON)
		status = reading_end_push(r);
	if (status != OPT_GO_ON)
		reading_close(r);
	return status;
}

static void warn_gap(const struct reading *r, const struct ktally_gap *gap)
{
	uint64_t zero = r->info->first_time;
	char count[32];

	say_warning("%s records lost on cpu %u between %.3f s and %.3f s (buffer full); totals from the records are lower bounds; raise the module's buffer_kb or record with --buffer",
		    say_count(count, gap->lost), gap->cpu,
		    gap->from > zero ? (double)(gap->from - zero) / 1e9 : 0.0,
		    gap->to > zero ? (double)(gap->to - zero) / 1e9 : 0.0);
}

/* Rows of processes lack them, and nothing else of a report says so. */
static void warn_full(const struct reading *r)
{
	struct ktally_network net;
	int64_t most = 0;
	char count[32];

	ktally_model_network(r->model, r->ctx.since_birth, &net);
	for (int i = 0; i < 6; i++)
		if (net.share[i / 2][KTALLY_S_FULL][i % 2] > most)
			most = net.share[i / 2][KTALLY_S_FULL][i % 2];
	if (most)
		say_warning("%s network bytes are in no process, for their sockets found no room in the module's tables; raise its net_sockets and net_accounts, see: ktally status --devices",
			    say_count(count, (uint64_t)most));
}

static void say_damage(struct ktally_stream *s)
{
	const char *line;

	for (size_t i = 0; (line = ktally_stream_warning(s, i)); i++)
		say_error(FAILED, "%s", line);
}

uint64_t reading_lost(const struct ktally_stream_info *info)
{
	uint64_t lost = 0;

	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		lost += info->lost[kind];
	return lost;
}

uint64_t reading_say_missing(struct ktally_stream *s, const char *path)
{
	uint64_t lost = reading_lost(ktally_stream_info(s));
	char count[32];

	say_damage(s);
	if (lost)
		say_warning("%s%s%s records were lost while recording (buffer full); their rows are missing",
			    path ? path : "", path ? ": " : "", say_count(count, lost));
	return lost;
}

bool reading_is_damaged(const struct ktally_stream_info *info)
{
	return info->missing_blocks || info->cut_at;
}

void reading_warn(struct reading *r)
{
	const struct ktally_gap *gaps;
	uint64_t rest = 0;
	size_t n;
	char count[32];

	say_damage(r->stream);
	n = ktally_stream_gaps(r->stream, &gaps);
	for (size_t i = 0; i < n; i++) {
		if (i < MAX_GAPS)
			warn_gap(r, &gaps[i]);
		else
			rest += gaps[i].lost;
	}
	warn_full(r);
	if (rest)
		say_warning("%s more records lost in %zu other places", say_count(count, rest),
			    n - MAX_GAPS);
}

int reading_status(const struct reading *r, bool strict)
{
	struct ktally_balance b;

	if (reading_is_damaged(r->info))
		return FAILED;
	if (!strict)
		return DONE;
	ktally_model_balance(r->model, &b);
	/* Of a filtered recording the sides differ by those who came into it or left it. */
	if (b.lost_total || b.kp_missed || !b.checked || b.disarmed || r->info->unknown_codecs ||
	    (b.difference && !b.filtered_total))
		return INCOMPLETE;
	return DONE;
}

void reading_close(struct reading *r)
{
	ktally_model_close(r->model);
	ktally_stream_close(r->stream);
	free(r->windows);
	r->windows = NULL;
	r->model = NULL;
	r->stream = NULL;
}
