// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * host.c - the machine that figures come from: kept with them, and asked
 * beforehand for what would spoil them. Reads /proc, /sys, the clock and the module's state.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "machine.h"
#include "measure.h"
#include "say.h"
#include "session.h"

#define OTHERS_NS	500000000ULL	/* shorter, and /proc/stat is too coarse */
#define OTHERS_PART	0.1

/* The first line of a file; empty if it is not there. */
static void read_line(const char *path, char *to, size_t n)
{
	FILE *f = fopen(path, "re");

	to[0] = '\0';
	if (!f)
		return;
	if (fgets(to, (int)n, f))
		to[strcspn(to, "\n")] = '\0';
	fclose(f);
}

static void read_cpu(char *to, size_t n)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	to[0] = '\0';
	while (f && !to[0] && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (value && !strncmp(line, "model name", 10))
			snprintf(to, n, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
	}
	if (f)
		fclose(f);
}

void measure_host_read(struct measure_host *h)
{
	struct sysinfo si = { .mem_unit = 1 };
	struct utsname u;
	double load[1];

	memset(h, 0, sizeof(*h));
	if (!uname(&u)) {
		snprintf(h->kernel, sizeof(h->kernel), "%.64s", u.release);
		snprintf(h->machine, sizeof(h->machine), "%.64s", u.machine);
	}
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", h->governor, sizeof(h->governor));
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", h->clock, sizeof(h->clock));
	read_cpu(h->cpu, sizeof(h->cpu));
	h->cpus = machine_cpus();
	if (!sysinfo(&si)) {
		h->memory = (uint64_t)si.totalram * si.mem_unit;
		h->swap_used = (uint64_t)(si.totalswap - si.freeswap) * si.mem_unit;
	}
	h->load = getloadavg(load, 1) == 1 ? load[0] : 0;
	h->lost = session_all_lost();
	h->others = -1;
}

void measure_host_text(const struct measure_report *r, char *text, size_t n)
{
	const struct measure_host *h = r->host;

	snprintf(text, n, "kernel=%s machine=%s cpus=%u memory=%llu swap_used=%llu load=%.2f governor=%s clock=%s resolution=%lluns cost=%lluns cpu=%s",
		 h->kernel, h->machine, h->cpus, (unsigned long long)h->memory, (unsigned long long)h->swap_used, h->load,
		 h->governor, h->clock, (unsigned long long)r->resolution, (unsigned long long)r->cost, h->cpu);
}

void measure_host_warn(const struct measure_host *h)
{
	static const char *const steady[] = { "tsc", "arch_sys_counter", "kvm-clock" };
	bool is_steady = !h->clock[0];
	char size[32];

	if (h->load > 0.5 * h->cpus)
		say_warning("the machine is busy (load %.2f on %u CPUs): wait until it is quiet, or compare interleaved with --compare",
			    h->load, h->cpus);
	if (h->governor[0] && strcmp(h->governor, "performance"))
		say_warning("the frequency governor is %s: durations change with the clock rate; type: cpupower frequency-set -g performance",
			    h->governor);
	if (h->swap_used)
		say_warning("%s of swap are in use: pages may come from there during a run", say_size(size, h->swap_used));
	if (h->lost)
		say_warning("recorders that are open have lost %s records, so this measurement may lose some, too: see ktally status, and raise --buffer",
			    say_count(size, h->lost));
	for (size_t i = 0; i < sizeof(steady) / sizeof(steady[0]); i++)
		is_steady |= !strcmp(h->clock, steady[i]);
	if (!is_steady)
		say_warning("the clock is %s, which is slow to read or coarse: short runs are less certain", h->clock);
}

static uint64_t used_by(int who)
{
	struct rusage u;

	if (getrusage(who, &u))
		return 0;
	return ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000;
}

void measure_load_read(struct measure_load *l)
{
	struct machine m = { .user_ns = 0 };

	l->time = session_now();
	l->own = used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
	l->idle = machine_read(&m) ? m.idle_ns : 0;
}

double measure_load_of_others(const struct measure_load *since)
{
	struct measure_load now;
	double all, used;

	measure_load_read(&now);
	/* The machine's is told in hundredths of a second. */
	if (!since->idle || !now.idle || now.time - since->time < OTHERS_NS)
		return -1;
	all = (double)(now.time - since->time) * machine_cpus();
	used = (double)now.idle - (double)since->idle + (double)(now.own - since->own);
	return fmax(0, 1 - used / all);
}

void measure_host_warn_of_others(const struct measure_host *h)
{
	if (h->others > OTHERS_PART)
		say_warning("others used %.0f %% of the CPUs meanwhile: wait until the machine is quiet, or compare interleaved with --compare",
			    100 * h->others);
}

void measure_clock(uint64_t *resolution, uint64_t *cost)
{
	enum { READINGS = 1000 };
	struct timespec res;
	uint64_t begin = session_now(), now = begin;

	clock_getres(CLOCK_BOOTTIME, &res);
	*resolution = (uint64_t)res.tv_nsec;
	for (int i = 0; i < READINGS; i++)
		now = session_now();
	*cost = (now - begin) / READINGS;
}
