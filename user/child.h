/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.h - CMD: started when everything is ready, its status passed on.
 *
 * The child exists before it runs: it waits at a gate, so that its process number
 * can be written down first, and it runs in the program's own group, so that a
 * terminal's Ctrl-C reaches it.
 */
#ifndef KTALLY_CHILD_H
#define KTALLY_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct signalfd_siginfo;

struct child {
	pid_t pid;
	int gate;		/* closing it without a byte makes the child leave */
	int report;		/* errno of a failed exec, or end of file */
	int wait_status;
	bool ended;
	int exec_errno;		/* 0 = it runs */
};

/*
 * From now on signals that end, rotate or tell of CMD are read from *fd; SIGPIPE is
 * blocked too, so that a reader who leaves is an error to speak of. old: as it was,
 * for CMD. 0 or -errno.
 */
int child_signals(int *fd, sigset_t *old);
/* For those without CMD: reads what has come there; true if one of them asks to end. */
bool child_asked_to_end(int fd);
/*
 * A terminal sends Ctrl-C to CMD as well; a signal that somebody sent to this
 * program alone is handed on.
 */
void child_hand_on(const struct child *c, const struct signalfd_siginfo *si);

/* 0 or -errno. mask: the signals CMD is to have blocked. */
int child_prepare(struct child *c, char *const *argv, const sigset_t *mask);
/*
 * Starts it at once, without a gate: for commands that are timed. null >= 0 becomes its
 * standard input and output. 0 or -errno; exec_errno says why it does not run.
 */
int child_spawn(struct child *c, char *const *argv, const sigset_t *mask, int null);
/* Lets it run; exec_errno says why it does not. */
void child_release(struct child *c);
/* Collects it if it has ended (or waits for its end); true once it has. */
bool child_poll(struct child *c, bool wait);
void child_cancel(struct child *c);
/* CMD's own status, 128 + N for a signal, 126 or 127 when it could not be executed. */
int child_status(const struct child *c, const char *name);

#endif
