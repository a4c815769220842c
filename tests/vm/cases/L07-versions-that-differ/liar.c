// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * liar api|version|stream VALUE COMMAND...: runs a command and changes what the
 * module tells it, as a module of another version would: the interface's number
 * in the answers of the device, the module's version, the stream's number in the
 * header of each sub-buffer. Works from outside by ptrace, so that neither side
 * needs to be built twice.
 */
#include "truth.h"
#include <linux/ktally.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

struct call {
	ull nr, args[3];
};

static struct call calls[65536];	/* the call each thread is in, by its id */

static void poke(pid_t tid, ull at, const void *data, size_t len)
{
	struct iovec here = { (void *)(uintptr_t)data, len };
	struct iovec there = { (void *)(uintptr_t)at, len };

	need(process_vm_writev(tid, &here, 1, &there, 1, 0) == (ssize_t)len, "poke");
}

static uint32_t peek(pid_t tid, ull at)
{
	return (uint32_t)ptrace(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)at, NULL);
}

static void lie_ioctl(pid_t tid, const struct call *c, const char *about, const char *value)
{
	uint32_t number = (uint32_t)atol(value), request = (uint32_t)c->args[1];	/* musl's is signed */
	char text[16] = "";

	snprintf(text, sizeof text, "%s", value);
	if (!strcmp(about, "api") && request == KTALLY_IOC_START)
		poke(tid, c->args[2] + offsetof(struct ktally_start, api), &number, 4);
	if (!strcmp(about, "api") && request == KTALLY_IOC_STATUS)
		poke(tid, c->args[2] + offsetof(struct ktally_status, api), &number, 4);
	if (!strcmp(about, "version") && request == KTALLY_IOC_STATUS)
		poke(tid, c->args[2] + offsetof(struct ktally_status, version), text, sizeof text);
}

static void lie_read(pid_t tid, const struct call *c, long got, const char *value)
{
	ull header = c->args[1] + sizeof(struct ktally_record);
	uint32_t number = (uint32_t)atol(value);

	if (got < (long)(sizeof(struct ktally_record) + sizeof(struct ktally_header)))
		return;
	if (peek(tid, header + offsetof(struct ktally_header, magic)) == KTALLY_MAGIC)
		poke(tid, header + offsetof(struct ktally_header, version), &number, 4);
}

static void at_call(pid_t tid, const char *about, const char *value)
{
	struct __ptrace_syscall_info i = { 0 };
	struct call *c = &calls[tid % 65536];

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof i, &i) <= 0)
		return;
	if (i.op == PTRACE_SYSCALL_INFO_ENTRY) {
		*c = (struct call){ i.entry.nr, { i.entry.args[0], i.entry.args[1], i.entry.args[2] } };
		return;
	}
	if (i.op != PTRACE_SYSCALL_INFO_EXIT || i.exit.is_error)
		return;
	if (c->nr == SYS_ioctl)
		lie_ioctl(tid, c, about, value);
	if (c->nr == SYS_read && !strcmp(about, "stream"))
		lie_read(tid, c, i.exit.rval, value);
}

static void child(char **argv)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execvp(argv[0], argv);
	_exit(EXEC_FAILED);
}

/* Lets a thread run to its next call; passes signals on. */
static void go_on(pid_t tid, int st)
{
	int sig = WSTOPSIG(st);

	if (sig == (SIGTRAP | 0x80) || sig == SIGTRAP || sig == SIGSTOP)
		sig = 0;
	ptrace(PTRACE_SYSCALL, tid, NULL, (void *)(long)sig);
}

int main(int argc, char **argv)
{
	pid_t p = argc > 3 ? fork() : -1, tid;
	int st;

	need(p >= 0, "arguments");
	if (p == 0)
		child(argv + 3);
	need(waitpid(p, &st, 0) == p && WIFSTOPPED(st), "stopped");
	ptrace(PTRACE_SETOPTIONS, p, NULL,
	       (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
	ptrace(PTRACE_SYSCALL, p, NULL, NULL);
	while ((tid = waitpid(-1, &st, __WALL)) > 0) {
		if (tid == p && WIFEXITED(st))
			return WEXITSTATUS(st);
		if (tid == p && WIFSIGNALED(st))
			return 128 + WTERMSIG(st);
		if (WIFSTOPPED(st) && WSTOPSIG(st) == (SIGTRAP | 0x80))
			at_call(tid, argv[1], argv[2]);
		if (WIFSTOPPED(st))
			go_on(tid, st);
	}
	return NOT_AS_MEANT;
}
