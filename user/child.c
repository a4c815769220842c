// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * child.c - starts CMD without a shell and passes its status on.
 *
 * Between fork and exec only async-signal-safe calls. Two pipes: one holds the
 * child back until the recording is ready, the other brings errno of a failed
 * exec (closed by a successful one).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "say.h"

int child_signals(int *fd, sigset_t *old)
{
	static const int read_here[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR2, SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(read_here) / sizeof(read_here[0]); i++)
		sigaddset(&set, read_here[i]);
	*fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (*fd < 0)
		return -errno;
	sigaddset(&set, SIGPIPE);
	return sigprocmask(SIG_BLOCK, &set, old) ? -errno : 0;
}

bool child_asked_to_end(int fd)
{
	struct signalfd_siginfo si;
	bool end = false;

	while (read(fd, &si, sizeof(si)) == sizeof(si))
		end |= si.ssi_signo != SIGCHLD && si.ssi_signo != SIGUSR2;
	return end;
}

void child_hand_on(const struct child *c, const struct signalfd_siginfo *si)
{
	if (si->ssi_code == SI_USER || si->ssi_signo == SIGTERM)
		kill(c->pid, (int)si->ssi_signo);
}

static void run(char *const *argv, int gate, int report, const sigset_t *mask)
{
	char go;

	if (read(gate, &go, 1) != 1)
		_exit(FAILED_BEFORE_CMD);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	(void)!write(report, &errno, sizeof(errno));
	_exit(errno == ENOENT ? CMD_NOT_FOUND : CMD_NOT_EXECUTABLE);
}

int child_prepare(struct child *c, char *const *argv, const sigset_t *mask)
{
	int gate[2], report[2], err;

	memset(c, 0, sizeof(*c));
	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		err = -errno;
		goto close_gate;
	}
	c->pid = fork();
	if (!c->pid) {
		/* Its own copy of the writing end would keep the gate from closing. */
		close(gate[1]);
		run(argv, gate[0], report[1], mask);
	}
	err = c->pid < 0 ? -errno : 0;
	close(report[1]);
	if (err) {
		close(report[0]);
		goto close_gate;
	}
	close(gate[0]);
	c->gate = gate[1];
	c->report = report[0];
	return 0;
close_gate:
	close(gate[0]);
	close(gate[1]);
	return err;
}

/* What a child that borrows this program's memory is to become. */
struct image {
	char *const *argv;
	const sigset_t *mask;
	int null;
	int failed;		/* errno of exec */
};

static int become(void *arg)
{
	struct image *image = arg;

	if (image->null >= 0) {
		dup2(image->null, 0);
		dup2(image->null, 1);
	}
	sigprocmask(SIG_SETMASK, image->mask, NULL);
	execvp(image->argv[0], image->argv);
	image->failed = errno;
	return CMD_NOT_FOUND;
}

/*
 * Until it executes, the child borrows this program's memory, as by vfork(), which in musl
 * is fork() on some machines. So its time does not grow with what this program holds,
 * and errno needs no pipe.
 */
int child_spawn(struct child *c, char *const *argv, const sigset_t *mask, int null)
{
	static char stack[64 << 10] __attribute__((aligned(16)));
	struct image image = { argv, mask, null, 0 };

	memset(c, 0, sizeof(*c));
	c->pid = clone(become, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &image);
	if (c->pid < 0)
		return -errno;
	c->exec_errno = image.failed;
	if (image.failed)
		child_poll(c, true);
	return 0;
}

void child_release(struct child *c)
{
	ssize_t n;

	(void)!write(c->gate, "g", 1);
	close(c->gate);
	do
		n = read(c->report, &c->exec_errno, sizeof(c->exec_errno));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(c->exec_errno))
		c->exec_errno = 0;
	close(c->report);
}

bool child_poll(struct child *c, bool wait)
{
	pid_t got;

	while (!c->ended) {
		got = waitpid(c->pid, &c->wait_status, wait ? 0 : WNOHANG);
		if (got < 0 && errno == EINTR)
			continue;
		if (!got)
			return false;
		c->ended = true;
	}
	return true;
}

void child_cancel(struct child *c)
{
	close(c->gate);
	close(c->report);
	child_poll(c, true);
}

int child_status(const struct child *c, const char *name)
{
	if (c->exec_errno)
		return say_error(c->exec_errno == ENOENT ? CMD_NOT_FOUND : CMD_NOT_EXECUTABLE,
				 "cannot execute '%s': %s", name, strerror(c->exec_errno));
	if (WIFSIGNALED(c->wait_status))
		return 128 + WTERMSIG(c->wait_status);
	return WEXITSTATUS(c->wait_status);
}
