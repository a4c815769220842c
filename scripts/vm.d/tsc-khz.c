// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsc-khz - how fast this machine's time stamp counter runs, in kHz. An emulated
 * x86 guest reads the same counter, and a kernel without ACPI has only the PIT to
 * measure it by, which fails on a busy host. For x86 only.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
	uint64_t ns, ticks;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Of many readings the one that took least: nobody came between its halves. */
static struct moment moment(void)
{
	struct moment best = { 0 };
	uint64_t least = ~0ULL;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = __rdtsc(), ns = now(), after = __rdtsc();

		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct moment){ ns, before + least / 2 };
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	struct moment a = moment(), b;

	nanosleep(&pause, NULL);
	b = moment();
	printf("%.0f\n", (b.ticks - a.ticks) * 1e6 / (b.ns - a.ns));
	return 0;
}
