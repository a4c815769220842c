// SPDX-License-Identifier: GPL-2.0-or-later
/* One argument of 100 KiB; three thousand arguments; some of 15 KiB; a normal one. */
#include "truth.h"

static char cmdline[1 << 20], hundred[100 * 1024 + 1], fifteen[15000 + 1];
static char *many[3005];

static ull fnv(const char *p, size_t n)
{
	ull h = 1469598103934665603ULL;

	while (n--)
		h = (h ^ (unsigned char)*p++) * 1099511628211ULL;
	return h;
}

static int show(const char *role, int argc)
{
	int fd = open("/proc/self/cmdline", O_RDONLY);
	size_t n = 0;
	ssize_t r;

	while ((r = read(fd, cmdline + n, sizeof cmdline - n)) > 0)
		n += (size_t)r;
	truth("role=%s pid=%d argc=%d cmdline_len=%zu cmdline_fnv=%016llx kept_fnv=%016llx", role,
	      getpid(), argc, n, fnv(cmdline, n), fnv(cmdline, n < 16384 ? n : 16384));
	return 0;
}

static void run(char *role, char **argv)
{
	char env[80], *envp[] = { env, NULL };
	pid_t p = begin();

	if (p == 0) {
		snprintf(env, sizeof env, "ROLE=%s", role);
		execve("/proc/self/exe", argv, envp);
		_exit(EXEC_FAILED);
	}
	need(code_of(reap(p, "ended")) == 0, role);
}

static void fill(char *text, size_t size)
{
	memset(text, 'a', size - 1);
	memcpy(text + size - 5, "TAIL", 4);
}

int main(int argc, char **argv)
{
	const char *role = getenv("ROLE");
	int i;

	(void)argv;
	if (role)
		return show(role, argc);
	fill(hundred, sizeof hundred);
	fill(fifteen, sizeof fifteen);
	many[0] = "longargs";
	for (i = 1; i <= 3000; i++) {
		many[i] = malloc(16);
		snprintf(many[i], 16, "arg-%05d", i);
	}
	run("one-long", (char *[]){ "longargs", hundred, NULL });
	run("many", many);
	run("fits", (char *[]){ "longargs", fifteen, "", "last", NULL });
	run("normal", (char *[]){ "longargs", "-x", "file name", NULL });
	return 0;
}
