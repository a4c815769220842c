// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine.c - the whole machine's CPU and memory from /proc/stat and /proc/meminfo.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

static bool read_stat(struct machine *m)
{
	uint64_t user, nice, sys, idle, wait, irq, softirq, stolen, tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "re");
	char line[256];
	int n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "cpu ", 4))
			n = sscanf(line, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
				   &user, &nice, &sys, &idle, &wait, &irq, &softirq, &stolen);
		else if (!strncmp(line, "ctxt ", 5))
			sscanf(line, "ctxt %" SCNu64, &m->switches);
	}
	if (f)
		fclose(f);
	if (n != 8)
		return false;
	m->user_ns = (user + nice) * tick;
	m->sys_ns = (sys + irq + softirq) * tick;
	m->idle_ns = (idle + wait + stolen) * tick;
	return true;
}

static bool read_memory(struct machine *m)
{
	enum { TOTAL, AVAILABLE, SWAP_TOTAL, SWAP_FREE, SLAB, STACK, TABLES, PERCPU, N };
	static const char *const names[N] = {
		"MemTotal:", "MemAvailable:", "SwapTotal:", "SwapFree:", "Slab:", "KernelStack:", "PageTables:", "Percpu:",
	};
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib[N] = { 0 };
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		for (int i = 0; i < N; i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				sscanf(line + strlen(names[i]), "%" SCNu64, &kib[i]);
	if (f)
		fclose(f);
	m->total_bytes = kib[TOTAL] * 1024;
	m->used_bytes = (kib[TOTAL] - kib[AVAILABLE]) * 1024;
	m->swap_total_bytes = kib[SWAP_TOTAL] * 1024;
	m->swap_used_bytes = (kib[SWAP_TOTAL] - kib[SWAP_FREE]) * 1024;
	m->kernel_bytes = (kib[SLAB] + kib[STACK] + kib[TABLES] + kib[PERCPU]) * 1024;
	return kib[TOTAL] && kib[AVAILABLE] && kib[AVAILABLE] <= kib[TOTAL];
}

bool machine_read(struct machine *m)
{
	return read_stat(m) && read_memory(m);
}

uint32_t machine_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint32_t)n : 1;
}

bool machine_boot_id(char *id, size_t n)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool ok = f && fgets(id, (int)n, f);

	if (f)
		fclose(f);
	if (ok)
		id[strcspn(id, "\n")] = '\0';
	return ok;
}
