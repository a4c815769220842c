// SPDX-License-Identifier: GPL-2.0-or-later
/* Touches exactly 1, 64 and 256 MiB; a peak in the wrong unit shows at once. */
#include "truth.h"

static void child(int mb)
{
	char name[16];

	snprintf(name, sizeof name, "touch-%d", mb);
	set_name(name);
	touch_mb((size_t)mb);
	truth("role=%s pid=%d touched_mb=%d hwm_kb=%ld", name, getpid(), mb, hwm_kb());
	_exit(0);
}

int main(void)
{
	static const int mb[] = { 1, 64, 256 };
	int i;

	for (i = 0; i < 3; i++) {
		pid_t p = begin();

		if (p == 0)
			child(mb[i]);
		need(code_of(reap(p, "ended")) == 0, "child");
	}
	return 0;
}
