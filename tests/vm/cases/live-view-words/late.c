// SPDX-License-Identifier: GPL-2.0-or-later
/* Is there for a while. */
#include "truth.h"

int main(void)
{
	msleep(600);
	return 0;
}
