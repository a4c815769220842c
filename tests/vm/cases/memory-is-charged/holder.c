// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * holder GROUP: joins the control group, opens /dev/ktally 16 times and selects
 * by name and user in each without beginning a session; tells by how much the
 * group's memory grew, and by how much it is more when all are closed.
 */
#include "truth.h"
#include <linux/ktally.h>
#include <sys/ioctl.h>

#define FILES	16
#define NAMES	1024

static char names[NAMES][KTALLY_NAME_MAX];

static FILE *of_group(const char *group, const char *name, const char *mode)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", group, name);
	f = fopen(path, mode);
	need(f != NULL, path);
	return f;
}

static long long charged_kb(const char *group)
{
	FILE *f = of_group(group, "memory.current", "r");
	long long bytes = -1;

	need(fscanf(f, "%lld", &bytes) == 1, "memory.current");
	fclose(f);
	return bytes / 1024;
}

static int selecting(void)
{
	unsigned int uid = 0;
	struct ktally_select s = {
		.size = sizeof s, .what = KTALLY_SELECT_NAMES | KTALLY_SELECT_UIDS,
		.names = (uintptr_t)names, .n_names = NAMES,
		.uids = (uintptr_t)&uid, .n_uids = 1,
	};
	int fd = open("/dev/ktally", O_RDWR | O_CLOEXEC);

	need(fd >= 0, "/dev/ktally");
	need(ioctl(fd, KTALLY_IOC_SELECT, &s) == 0, "select");
	return fd;
}

int main(int argc, char **argv)
{
	long long before, held;
	int fd[FILES], i;
	FILE *f;

	need(argc == 2, "usage: holder GROUP");
	f = of_group(argv[1], "cgroup.procs", "w");
	need(fprintf(f, "%d", getpid()) > 0 && fclose(f) == 0, "cgroup.procs");
	for (i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof names[i], "nobody-%d", i);
	close(selecting());	/* what the kernel keeps for the first time */
	before = charged_kb(argv[1]);
	for (i = 0; i < FILES; i++)
		fd[i] = selecting();
	held = charged_kb(argv[1]);
	for (i = 0; i < FILES; i++)
		close(fd[i]);
	truth("role=held files=%d charged_kb=%lld left_kb=%lld", FILES, held - before,
	      charged_kb(argv[1]) > before ? charged_kb(argv[1]) - before : 0);
	f = of_group("/sys/fs/cgroup", "cgroup.procs", "w");
	need(fprintf(f, "%d", getpid()) > 0 && fclose(f) == 0, "the way out");
	return 0;
}
