// SPDX-License-Identifier: GPL-2.0-or-later
/* here CPU - a life that begins somewhere and ends on that CPU. */
#include "truth.h"

int main(int argc, char **argv)
{
	int cpu = argc > 1 ? atoi(argv[1]) : -1;
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	need(!sched_setaffinity(0, size, set), "sched_setaffinity");
	need(sched_getcpu() == cpu, "CPU");
	truth("role=here pid=%d cpu=%d exit_code=%d", getpid(), cpu, cpu & 63);
	return cpu & 63;
}
