// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * screen.c - the terminal, by ncurses: opened, drawn on, asked for keys, given
 * back. Knows nothing of processes; lines come as text.
 */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "out/text.h"
#include "top.h"

enum { HEAD = 2, FOOT = 1, LINE = 4096 };

static bool colors;
static int real_stderr = -1;		/* while messages wait for the end of the screen */

/* ---- messages: kept while the screen is up, said when it is gone ---- */

static void hold_messages(void)
{
	int held = memfd_create("messages", MFD_CLOEXEC);

	real_stderr = held < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (real_stderr >= 0)
		dup2(held, STDERR_FILENO);
	if (held >= 0)
		close(held);
}

static void say_messages(void)
{
	char text[4096];
	ssize_t n;
	int held;

	if (real_stderr < 0)
		return;
	held = dup(STDERR_FILENO);
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	real_stderr = -1;
	lseek(held, 0, SEEK_SET);
	while ((n = read(held, text, sizeof(text))) > 0)
		if (write(STDERR_FILENO, text, (size_t)n) < 0)
			break;
	close(held);
}

/* ---- the terminal ---- */

int top_screen_open(bool color)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	/* initscr() would end the program where TERM is unknown. */
	if (!newterm(NULL, stdout, stdin))
		return -ENOTTY;
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	colors = color && has_colors() && start_color() == OK && use_default_colors() == OK;
	if (colors) {
		init_pair(1, COLOR_GREEN, -1);
		init_pair(2, COLOR_YELLOW, -1);
		init_pair(3, COLOR_CYAN, -1);
	}
	hold_messages();
	return 0;
}

void top_screen_close(void)
{
	if (stdscr && !isendwin())
		endwin();
	say_messages();
}

size_t top_screen_rows(void)
{
	return LINES > HEAD + FOOT ? (size_t)(LINES - HEAD - FOOT) : 1;
}

size_t top_screen_width(void)
{
	return COLS > 0 ? (size_t)COLS : 80;
}

int top_screen_key(void)
{
	static const struct {
		int curses, key;
	} named[] = {
		{ ERR, 0 }, { KEY_UP, TOP_KEY_UP }, { KEY_DOWN, TOP_KEY_DOWN },
		{ KEY_PPAGE, TOP_KEY_PAGE_UP }, { KEY_NPAGE, TOP_KEY_PAGE_DOWN },
		{ KEY_HOME, TOP_KEY_HOME }, { KEY_END, TOP_KEY_END }, { KEY_LEFT, '<' }, { KEY_RIGHT, '>' },
		{ KEY_BACKSPACE, TOP_KEY_BACKSPACE }, { 127, TOP_KEY_BACKSPACE }, { '\b', TOP_KEY_BACKSPACE },
		{ KEY_RESIZE, TOP_KEY_RESIZE }, { 27, TOP_KEY_ESCAPE },
		{ KEY_ENTER, TOP_KEY_ENTER }, { '\r', TOP_KEY_ENTER }, { '\n', TOP_KEY_ENTER },
		/* As in htop. */
		{ KEY_F(1), 'h' }, { KEY_F(4), '/' }, { KEY_F(5), 't' }, { KEY_F(10), 'q' },
	};
	int c = getch();

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (named[i].curses == c)
			return named[i].key;
	return c;
}

static void put_line(int y, const char *text, attr_t how)
{
	size_t fit = text_fit(text, strlen(text), top_screen_width());

	attrset(how);
	mvaddnstr(y, 0, text, (int)fit);
	clrtoeol();
	attrset(A_NORMAL);
}

static attr_t row_style(const struct top_row *r)
{
	bool ended = r->process ? r->process->ended : !r->tally->alive;
	double cpu = r->process ? r->process->rate.cpu : r->tally->rate.cpu;

	if (ended)
		return A_DIM;
	if (cpu >= 0.5)
		return A_BOLD | (colors ? COLOR_PAIR(2) : 0);
	return cpu >= 0.05 && colors ? COLOR_PAIR(1) : A_NORMAL;
}

/* The line's whole width is reversed; the column that sorts stands out. */
static void put_heading(int y, const struct top_view *view, const enum top_column *list, size_t n)
{
	char line[LINE];
	int x = 0;

	top_heading(line, sizeof(line), view, list, n);
	put_line(y, line, A_REVERSE);
	mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
	for (size_t i = 0; i < n; i++) {
		int width = top_columns[list[i]].width ? top_columns[list[i]].width : 7;

		if (list[i] == view->sort)
			mvchgat(y, x, width, A_REVERSE | A_BOLD | A_UNDERLINE, colors ? 3 : 0, NULL);
		x += width + 1;
	}
}

static void put_help(void)
{
	int y = HEAD;

	for (size_t i = 0; top_help[i] && y < LINES - FOOT; i++)
		put_line(y++, top_help[i], A_NORMAL);
	for (; y < LINES - FOOT; y++)
		put_line(y, "", A_NORMAL);
}

static void put_rows(const struct top_frame *f, const enum top_column *list, size_t n)
{
	char line[LINE];

	for (size_t i = 0; i < top_screen_rows(); i++) {
		const struct top_row *r = f->first + i < f->rows->n ? f->rows->order[f->first + i] : NULL;

		line[0] = '\0';
		if (r)
			top_line(line, sizeof(line), f->rows, r, f->view, list, n, top_screen_width());
		put_line(HEAD + (int)i, line, r ? row_style(r) : A_NORMAL);
	}
}

void top_screen_draw(const struct top_frame *f)
{
	enum top_column list[TOP_COLUMNS];
	size_t n = top_choose(f->view, top_screen_width(), list);
	char line[LINE];

	top_summary_line(line, sizeof(line), f->summary, f->view->cpus);
	put_line(0, line, A_BOLD);
	put_heading(1, f->view, list, n);
	if (f->help)
		put_help();
	else
		put_rows(f, list, n);
	put_line(LINES - 1, f->foot, f->typing ? A_BOLD : A_NORMAL);
	curs_set(f->typing);
	if (f->typing)
		move(LINES - 1, (int)text_width(f->foot, strlen(f->foot)));
	refresh();
}
