// SPDX-License-Identifier: GPL-2.0-or-later
/* Exit codes and signals that are easy to confuse; one stopped and continued. */
#include "truth.h"

static void by_code(int code)
{
	char role[32];
	pid_t p = begin();

	if (p == 0)
		_exit(code);
	snprintf(role, sizeof role, "exit(%d)", code);
	need(code_of(reap(p, role)) == (code & 255), role);
}

static void by_signal(int sig)
{
	char role[32];
	int st;
	pid_t p = begin();

	if (p == 0) {
		signal(sig, SIG_DFL);
		syscall(SYS_kill, getpid(), sig);
		msleep(500);
		_exit(NOT_AS_MEANT);
	}
	snprintf(role, sizeof role, "signal-%d", sig);
	st = reap(p, role);
	need(WIFSIGNALED(st) && WTERMSIG(st) == sig, role);
}

static void stop_and_go(void)
{
	int st;
	pid_t p = begin();

	if (p == 0) {
		set_name("stop-and-go");
		raise(SIGSTOP);
		_exit(3);
	}
	need(waitpid(p, &st, WUNTRACED) == p && WIFSTOPPED(st), "stopped");
	msleep(300);
	kill(p, SIGCONT);
	need(code_of(reap(p, "stop-and-go")) == 3, "continued");
}

int main(void)
{
	static const int codes[] = { 0, 1, 2, 77, 126, 127, 128, 137, 139, 255, 256, -1 };
	static const int signals[] = {
		SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, 39 /* real-time */, 64,
	};
	struct rlimit none = { 0, 0 };
	size_t i;

	setrlimit(RLIMIT_CORE, &none);
	for (i = 0; i < sizeof codes / sizeof *codes; i++)
		by_code(codes[i]);
	for (i = 0; i < sizeof signals / sizeof *signals; i++)
		by_signal(signals[i]);
	stop_and_go();
	return 0;
}
