// SPDX-License-Identifier: GPL-2.0-or-later
/* mover GROUP GROUP: goes into the first, works, into the second, works. */
#include "truth.h"

static void move_to(const char *group)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", group);
	f = fopen(path, "w");
	need(f && fprintf(f, "%d\n", getpid()) > 0 && fclose(f) == 0, path);
}

int main(int argc, char **argv)
{
	ull first, second;

	need(argc == 3, "two groups");
	move_to(argv[1]);
	first = cpu_ns();
	burn_ms(1200);
	first = cpu_ns() - first;
	move_to(argv[2]);
	second = cpu_ns();
	burn_ms(800);
	second = cpu_ns() - second;
	truth("role=mover pid=%d cpu_ns=%llu first_ns=%llu second_ns=%llu", getpid(), cpu_ns(), first, second);
	return 0;
}
