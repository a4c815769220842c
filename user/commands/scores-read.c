// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands/scores-read.c - the ash profiler's files as a recording: a life per command, below the
 * shell whose file tells of it. Members of one round of waiting are one pipeline.
 *
 * What the profiler did not measure is unknown in the recording: how a command ended,
 * what it used, whose it was. Its commands are texts, so words are what blanks divide.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "import.h"
#include "scores.h"

/* A command that a shell waited for. */
struct member {
	char *command;
	uint32_t pid, shell;		/* the shell's PID */
	int64_t start, end;		/* wall clock, us; end -1 = not known */
	uint32_t pipe_in, pipe_out;
};

struct shell {
	uint32_t pid;
	int64_t first;			/* its first start; INT64_MAX = it has none */
	const struct member *became;	/* the command that became it; NULL = none of these */
	uint32_t image;			/* number of its program */
};

/* The last member of a PID in the file that is read. */
struct latest {
	uint32_t pid;
	size_t member;
};

struct scores {
	struct member *members;
	size_t n, room;
	struct shell *shells;
	size_t n_shells;
	void *latest;			/* tree of struct latest */
	size_t round;			/* first member of the round that is read */
	bool ends;			/* the round has come to its ends */
	uint32_t pipes;
	uint64_t skipped;		/* lines that are none of the profiler's */
	int64_t real;			/* REALTIME - BOOTTIME of the recording, ns */
};

/* ---- lines ---- */

static int by_pid(const void *a, const void *b)
{
	uint32_t x = ((const struct latest *)a)->pid, y = ((const struct latest *)b)->pid;

	return x < y ? -1 : x > y;
}

static struct member *last_of(struct scores *s, uint32_t pid)
{
	const struct latest key = { .pid = pid };
	struct latest **at = tfind(&key, &s->latest, by_pid);

	return at ? &s->members[(*at)->member] : NULL;
}

/* False: no memory. */
static bool remember(struct scores *s, uint32_t pid, size_t member)
{
	struct latest *l = malloc(sizeof(*l)), **at;

	if (!l)
		return false;
	*l = (struct latest){ pid, member };
	at = tsearch(l, &s->latest, by_pid);
	if (at && *at != l)
		(*at)->member = member;
	if (!at || *at != l)
		free(l);
	return at;
}

static bool same_command(const struct member *m, const struct score *line)
{
	return strlen(m->command) == line->len && !memcmp(m->command, line->command, line->len);
}

static int add_member(struct scores *s, const struct score *line, uint32_t shell)
{
	struct member *m;

	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 256;

		m = realloc(s->members, room * sizeof(*m));
		if (!m)
			return say_error(FAILED, "out of memory");
		s->members = m;
		s->room = room;
	}
	m = &s->members[s->n];
	*m = (struct member){
		.command = strndup(line->command, line->len), .pid = line->pid, .shell = shell,
		.start = line->time, .end = -1,
	};
	if (!m->command || !remember(s, line->pid, s->n)) {
		free(m->command);
		return say_error(FAILED, "out of memory");
	}
	s->n++;
	return OPT_GO_ON;
}

/* Beside others of its round: joined by a pipe, each with the one before. */
static void join(struct scores *s)
{
	struct member *m = &s->members[s->n - 1];

	if (s->n - 1 == s->round)
		return;
	m->pipe_in = m[-1].pipe_out = ++s->pipes;
}

static int take_start(struct scores *s, const struct score *line, uint32_t shell)
{
	struct member *m = last_of(s, line->pid);
	int status;

	if (s->ends)
		s->round = s->n;
	s->ends = false;
	if (line->time == -1 || (m && m->end == -1 && same_command(m, line)))
		return OPT_GO_ON;	/* a later round of the same */
	status = add_member(s, line, shell);
	if (status == OPT_GO_ON)
		join(s);
	return status;
}

static void take_end(struct scores *s, const struct score *line)
{
	struct member *m = last_of(s, line->pid);

	s->ends = true;
	if (m && m->end == -1 && line->time >= m->start)
		m->end = line->time;
}

static int take_line(struct scores *s, const char *text, size_t len, uint32_t shell)
{
	struct score line;

	if (!strcmp(text, SCORES_HEADER))
		return OPT_GO_ON;
	if (!scores_parse(text, len, &line)) {
		s->skipped++;
		return OPT_GO_ON;
	}
	if (!line.end)
		return take_start(s, &line, shell);
	take_end(s, &line);
	return OPT_GO_ON;
}

static int read_file(struct scores *s, const char *dir, struct shell *shell)
{
	char name[32], *line = NULL;
	size_t room = 0, before = s->n;
	ssize_t len;
	int status = OPT_GO_ON, closed;
	FILE *f;

	snprintf(name, sizeof(name), SCORES_PREFIX "%u", shell->pid);
	f = scores_open(dir, name, "r");
	if (!f)
		return FAILED;
	s->round = s->n;
	s->ends = false;
	while (status == OPT_GO_ON && (len = getline(&line, &room, f)) > 0)
		status = take_line(s, line, (size_t)len, shell->pid);
	free(line);
	tdestroy(s->latest, free);
	s->latest = NULL;
	shell->first = INT64_MAX;
	for (; before < s->n; before++)
		if (s->members[before].start < shell->first)
			shell->first = s->members[before].start;
	closed = scores_close(f, dir, name);
	return status == OPT_GO_ON ? closed : status;
}

static int read_folder(struct scores *s, const char *dir)
{
	struct scores_folder files;
	int status = scores_list(&files, dir);

	s->shells = calloc(files.n + 1, sizeof(*s->shells));
	if (status == OPT_GO_ON && !s->shells)
		status = say_error(FAILED, "out of memory");
	for (size_t i = 0; status == OPT_GO_ON && i < files.n; i++) {
		s->shells[i].pid = files.pids[i];
		status = read_file(s, dir, &s->shells[i]);
		s->n_shells++;
	}
	scores_list_free(&files);
	if (status == OPT_GO_ON && !s->n)
		status = say_error(FAILED, "%s: no scores of a shell there (" SCORES_PREFIX "PID)", dir);
	return status;
}

/* ---- records ---- */

static uint64_t boot_ns(const struct scores *s, int64_t us)
{
	return (uint64_t)(us * 1000 - s->real);
}

static struct shell *shell_of(const struct scores *s, uint32_t pid)
{
	size_t low = 0, high = s->n_shells;	/* they are in order of their PIDs */

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->shells[middle].pid == pid)
			return &s->shells[middle];
		if (s->shells[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static uint64_t start_of(const struct scores *s, uint32_t pid)
{
	const struct member *m = shell_of(s, pid)->became;

	return m ? boot_ns(s, m->start) : IMPORT_BEGIN - 1;
}

static bool is_subshell(const struct member *m)
{
	return !strcmp(m->command, "(subshell)");
}

static uint32_t image_of(const struct scores *s, uint32_t pid)
{
	return shell_of(s, pid)->image;
}

/* A shell is the command of its PID that lived when it did its first step. */
static void find_shells(struct scores *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];
		struct shell *shell = shell_of(s, m->pid);

		if (shell && m->shell != shell->pid && m->start <= shell->first &&
		    (m->end == -1 || m->end >= shell->first))
			shell->became = m;
	}
}

/* Numbers of images go on from the parent's, one more with each exec. A circle ends at last. */
static void number_images(struct scores *s)
{
	for (size_t i = 0; i < s->n_shells; i++) {
		const struct member *m = s->shells[i].became;
		size_t steps = 0;

		s->shells[i].image = 1;
		for (; m && steps++ < s->n_shells; m = shell_of(s, m->shell)->became)
			s->shells[i].image += !is_subshell(m);
	}
}

/* "/sbin/ip link": ip. A shell's own words ("[", "if") are names as well. */
static void name_of(const char *command, char *comm)
{
	size_t len = strcspn(command, " ");
	const char *slash = memrchr(command, '/', len), *p = slash ? slash + 1 : command;

	snprintf(comm, KTALLY_COMM_LEN, "%.*s", (int)(command + len - p), p);
}

static int add_fork(struct import *im, const struct scores *s, const struct member *m)
{
	struct ktally_fork f = {
		.tgid = m->pid, .start = boot_ns(s, m->start), .image = image_of(s, m->shell),
		.ppid = m->shell, .parent_start = start_of(s, m->shell),
		.parent_image = image_of(s, m->shell),
	};

	snprintf(f.comm, sizeof(f.comm), "sh");
	return import_add(im, KTALLY_FORK, f.start, &f, NULL);
}

/* Words end with NULs in place of blanks. */
static int add_exec(struct import *im, const struct scores *s, struct member *m)
{
	size_t len = strlen(m->command) + 1;
	struct ktally_exec e = {
		.tgid = m->pid, .start = boot_ns(s, m->start), .image = image_of(s, m->shell) + 1,
		.ppid = m->shell, .parent_start = start_of(s, m->shell), .argv_len = (uint32_t)len,
		.pipe_in = m->pipe_in, .pipe_out = m->pipe_out,
	};
	struct ktally_str strings[3] = { { NULL, 0 } };

	if (is_subshell(m))
		return OPT_GO_ON;
	name_of(m->command, e.comm);
	len = len > IMPORT_ARGV ? IMPORT_ARGV : len;
	e.argv_kept = (uint32_t)len;
	e.flags = len < e.argv_len ? KTALLY_EXEC_ARGV_CUT : 0;
	for (size_t i = 0; i < len; i++) {
		e.argc += m->command[i] == ' ' || !m->command[i];
		m->command[i] = m->command[i] == ' ' ? '\0' : m->command[i];
	}
	strings[2] = (struct ktally_str){ m->command, (uint32_t)len };
	return import_add(im, KTALLY_EXEC, e.start, &e, strings);
}

static int add_exit(struct import *im, const struct scores *s, const struct member *m)
{
	struct ktally_exit e = {
		.tgid = m->pid, .start = boot_ns(s, m->start),
		.image = image_of(s, m->shell) + !is_subshell(m),
		.ppid = m->shell, .parent_start = start_of(s, m->shell),
		.pipe_in = m->pipe_in, .pipe_out = m->pipe_out,
	};
	struct ktally_str argv = { NULL, 0 };

	snprintf(e.comm, sizeof(e.comm), "sh");
	if (!is_subshell(m))
		name_of(m->command, e.comm);
	return import_add(im, KTALLY_EXIT, boot_ns(s, m->end), &e, &argv);
}

/* Shells that no other shell's file tells of were there before. */
static int add_roots(struct import *im, const struct scores *s)
{
	struct ktally_walk_begin begin = { .walk = 1, .purpose = KTALLY_WALK_OPENING };
	struct ktally_walk_end end = { .walk = 1, .purpose = KTALLY_WALK_OPENING };
	struct ktally_str argv = { NULL, 0 };
	int status = import_add(im, KTALLY_WALK_BEGIN, IMPORT_BEGIN, &begin, NULL);

	for (size_t i = 0; status == OPT_GO_ON && i < s->n_shells; i++) {
		struct ktally_task t = {
			.tgid = s->shells[i].pid, .start = IMPORT_BEGIN - 1, .image = 1, .comm = "sh",
			.walk = 1, .threads = 1, .live = 1, .sampled = IMPORT_BEGIN,
		};

		if (s->shells[i].became)
			continue;
		status = import_add(im, KTALLY_TASK, IMPORT_BEGIN, &t, &argv);
		end.tasks++;
	}
	if (status != OPT_GO_ON)
		return status;
	return import_add(im, KTALLY_WALK_END, IMPORT_BEGIN, &end, NULL);
}

/* Starts and ends in one order. */
struct moment {
	int64_t time;
	struct member *member;
	bool end;
};

/* At one time: ends, then starts, then ends of what lasted no time. */
static int rank(const struct moment *m)
{
	if (!m->end)
		return 1;
	return m->member->start < m->time ? 0 : 2;
}

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	return x->member < y->member ? -1 : x->member > y->member;
}

static size_t moments_of(struct scores *s, struct moment *moments)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];

		moments[n++] = (struct moment){ m->start, m, false };
		if (m->end >= 0)
			moments[n++] = (struct moment){ m->end, m, true };
	}
	qsort(moments, n, sizeof(*moments), by_time);
	return n;
}

static int add_lives(struct import *im, struct scores *s)
{
	struct moment *moments = calloc(2 * s->n + 1, sizeof(*moments));
	size_t n = moments ? moments_of(s, moments) : 0;
	int status = moments ? OPT_GO_ON : say_error(FAILED, "out of memory");

	for (size_t i = 0; status == OPT_GO_ON && i < n; i++) {
		struct member *m = moments[i].member;

		if (moments[i].end) {
			status = add_exit(im, s, m);
			continue;
		}
		status = add_fork(im, s, m);
		if (status == OPT_GO_ON)
			status = add_exec(im, s, m);
	}
	free(moments);
	return status;
}

/* What the profiler tells nothing of. */
static const struct { uint32_t kind; const char *field; } left_out[] = {
#define OWNER(kind) { kind, "nspid" }, { kind, "cgroup" }, { kind, "pidns" }, { kind, "netns" }, \
	{ kind, "uid" }, { kind, "gid" }, { kind, "sid" }, { kind, "pgrp" }
	OWNER(KTALLY_FORK), OWNER(KTALLY_EXEC), OWNER(KTALLY_EXIT), OWNER(KTALLY_TASK),
	{ KTALLY_EXEC, "envc" },
	{ KTALLY_EXIT, "status" }, { KTALLY_EXIT, "tid" }, { KTALLY_EXIT, "threads" },
};

static int write_recording(struct import *im, struct scores *s)
{
	int64_t first = INT64_MAX;
	int status;

	for (size_t i = 0; i < s->n; i++)
		first = s->members[i].start < first ? s->members[i].start : first;
	s->real = first * 1000 - (int64_t)IMPORT_BEGIN;
	find_shells(s);
	number_images(s);
	status = import_begin(im, s->real);
	for (size_t i = 0; status == OPT_GO_ON && i < sizeof(left_out) / sizeof(left_out[0]); i++)
		status = import_leave_out(im, left_out[i].kind, left_out[i].field);
	if (status == OPT_GO_ON)
		status = add_roots(im, s);
	if (status == OPT_GO_ON)
		status = add_lives(im, s);
	return status;
}

int import_ash_scores(struct import *im, const char *dir)
{
	struct scores s = { .n = 0 };
	int status = read_folder(&s, dir);
	char count[32], shells[32];

	if (status == OPT_GO_ON)
		status = write_recording(im, &s);
	if (status == OPT_GO_ON)
		status = import_finish(im, false);
	if (status == OPT_GO_ON)
		say("%s command%s of %s shell%s in %s; see: ktally commands %s", say_count(count, s.n),
		    s.n == 1 ? "" : "s", say_count(shells, s.n_shells), s.n_shells == 1 ? "" : "s",
		    im->path, im->path);
	if (status == OPT_GO_ON && s.skipped)
		say_warning("%s: %s line%s skipped, for they are no scores", dir, say_count(count, s.skipped),
			    s.skipped == 1 ? "" : "s");
	for (size_t i = 0; i < s.n; i++)
		free(s.members[i].command);
	free(s.members);
	free(s.shells);
	return status;
}
