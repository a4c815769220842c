// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure/method-start.c - the processes that a method starts itself: workers, the server and
 * the shell's lines around a repeat. Each has a process group, so that all it started
 * ends with it, and none outlives this program.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "method.h"
#include "say.h"

#define MS	1000000ULL
enum { READY_MS = 100, READY_SECONDS = 60, END_MS = 10, END_TRIES = 500 };

/* A worker: one run behind the other, without anything of this program between them. */
static void run_again_and_again(char *const *argv)
{
	extern char **environ;
	int status;
	pid_t pid;

	for (;;) {
		if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ))
			_exit(CMD_NOT_FOUND);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
}

pid_t method_start(const struct method *m, char *const *argv, int out, bool again)
{
	pid_t parent = getpid(), pid = fork();

	/* On both sides: whoever is first may need it. */
	if (pid > 0)
		setpgid(pid, pid);
	if (pid)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(FAILED);
	dup2(m->null, 0);
	dup2(out < 0 ? m->null : out, 1);
	sigprocmask(SIG_SETMASK, &m->old_mask, NULL);
	if (again)
		run_again_and_again(argv);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? CMD_NOT_FOUND : CMD_NOT_EXECUTABLE);
}

void method_end(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = END_MS * (long)MS };

	if (pid <= 0)
		return;
	kill(-pid, SIGTERM);
	for (int i = 0; i < END_TRIES; i++) {
		if (waitpid(pid, NULL, WNOHANG)) {
			/* Who ignored it and is still of the group. */
			kill(-pid, SIGKILL);
			return;
		}
		nanosleep(&pause, NULL);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Runs a line to its end; *ended: how. */
static int run_line(struct method *m, const char *line, int *ended)
{
	char *const argv[] = { "sh", "-c", (char *)line, NULL };
	pid_t pid = method_start(m, argv, -1, false), got = 0;
	int status = OPT_GO_ON;

	if (pid < 0)
		return say_error(FAILED, "fork: %s", strerror(errno));
	while (status == OPT_GO_ON && !m->stopped) {
		got = waitpid(pid, ended, WNOHANG);
		if (got)
			break;
		status = method_wait(m, session_now() + 20 * MS);
	}
	if (!got)
		method_end(pid);
	return status;
}

static int status_number(int ended)
{
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

int method_line(struct method *m, const char *option, const char *line)
{
	int ended = 0, status;

	if (!line)
		return OPT_GO_ON;
	status = run_line(m, line, &ended);
	if (status == OPT_GO_ON && ended && !m->stopped)
		status = say_error(FAILED, "measure: --%s '%s' ended with status %d", option, line, status_number(ended));
	return status;
}

static int wait_until_ready(struct method *m)
{
	uint64_t until = session_now() + READY_SECONDS * 1000 * MS;
	int ended = 1, status = OPT_GO_ON, how;

	while (status == OPT_GO_ON && !m->stopped) {
		if (m->plan->ready)
			status = run_line(m, m->plan->ready, &ended);
		if (status != OPT_GO_ON || !m->plan->ready || !ended)
			return status;
		if (m->server && waitpid(m->server, &how, WNOHANG)) {
			m->server = 0;
			return say_error(FAILED, "measure: the server ended with status %d before it was ready: %s",
					 status_number(how), m->plan->start_server);
		}
		if (session_now() > until)
			return say_error(FAILED, "measure: --ready '%s' did not succeed within %d s", m->plan->ready, READY_SECONDS);
		status = method_wait(m, session_now() + READY_MS * MS);
	}
	return status;
}

int method_server_start(struct method *m)
{
	char *const argv[] = { "sh", "-c", (char *)m->plan->start_server, NULL };

	if (m->plan->start_server) {
		m->server = method_start(m, argv, -1, false);
		if (m->server < 0)
			return say_error(FAILED, "fork: %s", strerror(errno));
	}
	return wait_until_ready(m);
}
