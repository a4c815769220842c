/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/method.h - a method of measuring: workers that act, roles whose processes are watched,
 * stages in which figures are taken, repeats of all of it.
 *
 * measure/method.c goes through repeats and stages, measure/method-plan.c has the words, measure/method-print.c
 * writes them, measure/method-role.c the processes and the machine, measure/method-worker.c the workers, measure/method-start.c the commands
 * around them. Functions return OPT_GO_ON or an exit status after their own message.
 */
#ifndef KTALLY_METHOD_H
#define KTALLY_METHOD_H

#include <signal.h>
#include <sys/types.h>

#include "machine.h"
#include "measure.h"
#include "sel.h"
#include "watching.h"

enum { METHOD_ROLES = 16, METHOD_WORKERS = 256, METHOD_IFACES = 32 };

/* ---- what was asked for ---- */

enum method_action { METHOD_RUNS, METHOD_NUMBERS, METHOD_MARKS };

struct method_args {
	struct opt_list roles;
	const char *start_server, *ready, *command;
	uint64_t workers, samples, solo, repeats;	/* METHOD_NOT_GIVEN */
	struct opt_time every, shared;
	int action;			/* enum method_action; -1: not given */
	int unit;			/* place in its words, -1: not given */
	int preset;			/* -1: not given */
	bool together;
	bool print;			/* the plan, and carry nothing out */
	const char *file;		/* read before the others: a file of these options */
};
enum { METHOD_OPTS = 16 };
extern const struct opt method_opts[];
#define METHOD_GROUP(type, member)						\
	{ .title = "METHOD", .opts = method_opts, .n = METHOD_OPTS, .offset = offsetof(type, member) }

/* Nothing was given yet. */
#define METHOD_NOT_GIVEN	UINT64_MAX
#define METHOD_ARGS_NONE	{						\
	.workers = METHOD_NOT_GIVEN, .samples = METHOD_NOT_GIVEN, .solo = METHOD_NOT_GIVEN,	\
	.repeats = METHOD_NOT_GIVEN, .action = -1, .unit = -1, .preset = -1,	\
}

struct method_warm_up {
	uint64_t from, to;		/* ns; equal: fixed, else drawn by the seed */
	bool stable;			/* until it is, `to` at most */
};

struct method_plan {
	char *const *command;		/* of a worker; NULL: there are none */
	const char *start_server, *ready, *prepare, *conclude;
	const struct opt_list *roles;
	enum method_action action;
	const char *unit_name;
	enum ktally_unit unit;		/* of numbers, */
	double steps;			/* and how many steps of it one is */
	uint64_t workers, samples, solo, repeats, seed, buffer_kb;
	uint64_t every, shared;		/* ns */
	struct method_warm_up warm_up;
	bool together;
};

/* A method is meant, not runs of commands. */
bool method_is_meant(const struct method_args *args);
/* warm_up: NULL, "10", "5..20" or "stable". The command is words, NULL-ended and may be NULL. */
int method_plan_make(struct method_plan *plan, const struct method_args *args, const char *warm_up,
		     char *const *words);
/* Writes it as a file that --method reads. An exit status. */
int method_plan_print(const struct method_plan *plan);
/* Makes FILE of --method FILE the file of settings; to be asked before options are parsed. */
int method_use_file(int argc, char **argv);
/* A line of --command as words, NULL-ended, which *words keeps. */
struct method_words;
int method_split(const char *line, struct method_words **words, char ***argv);
void method_words_free(struct method_words *words);

/* ---- roles ---- */

struct method_role {
	char name[SERIES_SUBJECT];
	struct sel sel;
	struct sel_match *match;
	const char *unit;		/* systemd's, in place of sel */
	bool workers;			/* what the workers started, in place of both */
	const struct method *method;
	struct ktally_field_ctx ctx;
	struct ktally_watch *watch;	/* of its processes alone */
};

struct method_iface {
	char name[16];
	uint64_t count[4];		/* bytes and packets received, bytes and packets sent */
};

struct method_machine {
	uint64_t time;			/* when it was read */
	struct machine all;
	struct method_iface iface[METHOD_IFACES];
	size_t n;
};

/* ---- workers ---- */

struct method_worker {
	pid_t pid;			/* carries out the command again and again; 0: none */
	int out;			/* its numbers come here; -1 = none do */
	char line[256];
	size_t n_line;
	uint64_t begun;			/* time of its begin mark; 0: none */
};

/* ---- all of it ---- */

struct method {
	const struct method_plan *plan;
	struct series_set *set;
	struct measure_ends *ends;
	struct watching view;
	struct method_role role[METHOD_ROLES];
	size_t n_roles;
	struct method_worker worker[METHOD_WORKERS];
	struct method_machine from, now;
	pid_t server;
	int null, signals, poll;	/* poll: signals and the workers' numbers */
	sigset_t old_mask;
	uint64_t draw;			/* state of what the seed draws */
	uint32_t repeat;
	bool stopped;			/* by a person */
	int wrong;			/* an exit status: a worker gave what is no measurement */
	uint64_t lost;
	/* Measurements are taken into this, in this stage: */
	struct series *taking;
	uint64_t taking_from;
	int taking_of;			/* a worker, or -1: all */
	uint64_t begin, measured;	/* when all began; measurements since, of all stages */
};

/* Carries it out. */
int method_run(const struct method_plan *plan, struct series_set *set, struct measure_report *report);

/* measure/method-role.c: opens the roles; their watches, to be fed and cut with the view's. */
int method_roles_open(struct method *m);
int method_roles_feed(struct method *m, const struct ktally_event *ev);
int method_roles_cut(struct method *m);
void method_roles_close(struct method *m);
/* Reads the machine; the interval's costs become samples of the stage. client: of the clients, or of all others. */
void method_machine_read(struct method *m);
void method_sample(struct method *m, const char *stage, bool clients, bool others);

/* measure/method-worker.c */
int method_workers_start(struct method *m);
int method_workers_check(struct method *m);
void method_workers_stop(struct method *m);
/* An event, once the view has it. */
void method_workers_see(struct method *m, const struct ktally_event *ev);
/* Numbers that have come. */
void method_workers_read(struct method *m);
/* Which worker that is, or -1. */
int method_worker_of(const struct method *m, const struct ktally_life *l);

/* measure/method-start.c: a process in a group of its own, with nothing at its standard input; out < 0: nothing at its output. */
pid_t method_start(const struct method *m, char *const *argv, int out, bool again);
/* Ends the group and waits for its leader. */
void method_end(pid_t pid);
/* A shell's line, to its end; option: for messages. */
int method_line(struct method *m, const char *option, const char *line);
int method_server_start(struct method *m);

/* measure/method.c: records are taken meanwhile. Waits until then or until a signal or a number came. */
int method_wait(struct method *m, uint64_t until);

#endif
