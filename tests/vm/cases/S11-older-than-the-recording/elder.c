// SPDX-License-Identifier: GPL-2.0-or-later
/* Started before the recording, works and ends during it. */
#include "truth.h"

int main(void)
{
	char b;

	burn_ms(80);
	truth("role=elder_ready pid=%d boot_ns=%llu", getpid(), boot_ns());
	need(read(STDIN_FILENO, &b, 1) >= 0, "stdin");
	touch_mb(20);
	burn_ms(120);
	truth("role=elder pid=%d cpu_ns=%llu boot_ns=%llu hwm_kb=%ld", getpid(), cpu_ns(), boot_ns(),
	      hwm_kb());
	return 6;
}
