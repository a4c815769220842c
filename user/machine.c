// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine.c - the whole machine's CPU and memory from /proc/stat and /proc/meminfo.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

static bool read_cpu(struct machine *m)
{
	uint64_t user, nice, sys, idle, wait, irq, softirq, tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "re");
	int n;

	if (!f)
		return false;
	n = fscanf(f, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &user, &nice, &sys, &idle, &wait, &irq, &softirq);
	fclose(f);
	if (n != 7)
		return false;
	m->user_ns = (user + nice) * tick;
	m->sys_ns = (sys + irq + softirq) * tick;
	return true;
}

static bool read_memory(struct machine *m)
{
	uint64_t total = 0, available = 0;
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f) && !(total && available)) {
		if (!strncmp(line, "MemTotal:", 9))
			sscanf(line + 9, "%" SCNu64, &total);
		if (!strncmp(line, "MemAvailable:", 13))
			sscanf(line + 13, "%" SCNu64, &available);
	}
	fclose(f);
	m->used_bytes = (total - available) * 1024;
	return total && available && available <= total;
}

bool machine_read(struct machine *m)
{
	return read_cpu(m) && read_memory(m);
}

uint32_t machine_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint32_t)n : 1;
}
