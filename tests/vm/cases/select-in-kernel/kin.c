// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kin NAME FAN PROGRAM READY: makes the file READY; once SIGUSR1 comes, has FAN children,
 * each of which has FAN children that execute PROGRAM; tells the PIDs' number and waits
 * for SIGTERM.
 */
#include "truth.h"

static volatile sig_atomic_t go, stop;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		go = 1;
	else
		stop = 1;
}

static void grandchildren(int fan, const char *program)
{
	for (int i = 0; i < fan; i++) {
		pid_t p = fork();

		if (!p) {
			execl(program, "blink", "7", (char *)NULL);
			_exit(EXEC_FAILED);
		}
		waitpid(p, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	int fan = argc > 4 ? atoi(argv[2]) : 0;
	sigset_t none, both;

	sigemptyset(&none);
	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, NULL);
	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_signal);
	need(argc > 4 && !close(open(argv[4], O_CREAT | O_WRONLY, 0600)), "ready");
	while (!go)
		sigsuspend(&none);
	for (int i = 0; i < fan; i++) {
		pid_t p = fork();

		if (!p) {
			grandchildren(fan, argv[3]);
			_exit(3);
		}
		waitpid(p, NULL, 0);
	}
	truth("role=%s pid=%d children=%d grandchildren=%d all=%d", argv[1], getpid(), fan, fan * fan,
	      1 + fan + fan * fan);
	while (!stop)
		sigsuspend(&none);
	return 0;
}
