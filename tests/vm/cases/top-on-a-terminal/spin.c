// SPDX-License-Identifier: GPL-2.0-or-later
/* spin MIB: touches that much memory, then uses one CPU until it is killed. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	size_t n = (argc > 1 ? (size_t)atoi(argv[1]) : 1) << 20;
	volatile char *p = malloc(n);

	if (!p)
		return 1;
	memset((char *)p, 1, n);
	for (;;)
		p[0]++;
}
