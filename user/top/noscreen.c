// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * noscreen.c - in place of top/screen.c where ncurses was not there when the
 * program was built: there is no screen, top -b works.
 */
#include <errno.h>

#include "top.h"

int top_screen_open(bool color)
{
	(void)color;
	return -ENOSYS;
}

void top_screen_close(void)
{
}

size_t top_screen_rows(void)
{
	return 0;
}

size_t top_screen_width(void)
{
	return 0;
}

int top_screen_key(void)
{
	return 0;
}

void top_screen_draw(const struct top_frame *f)
{
	(void)f;
}
