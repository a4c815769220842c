// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keys.c - what the keys of `ktally top` do, a table of them, and the text that
 * tells a person. Changes only what is shown; drawing is the loop's.
 */
#include <stdio.h>
#include <string.h>

#include "state.h"

const char *const top_help[] = {
	"",
	"  q F10  quit                     P  sort by CPU in this interval",
	"  Space  refresh now              T  by CPU since its birth (CPU+)",
	"  p      pause                    M  by memory (RSS)      K  by its peak",
	"  t F5   tree                     N  by bytes sent        R  received",
	"  g      processes or groups      D  by bytes read        W  written",
	"  n      network or I/O columns   A  by age   C  command   u  user",
	"  c      devices: physical,       < >  sort by the column beside",
	"         loopback, virtual        r  turn the order round",
	"  I      100 % = all CPUs         / F4  filter as you type; Esc ends it",
	"  w      save this view           + -  refresh half, twice as often",
	"",
	"  S: R running, S sleeping, D waiting for I/O, Z zombie, T stopped, I idle,",
	"     x ended in this interval; its figures are its last and whole ones.",
	"  RSS is resident memory now, PEAK the most it ever was; K, M, G = 1,024.",
	"",
	"  any key goes back",
	NULL
};

static void sort_by(struct top *t, enum top_column c)
{
	t->shown.reverse = t->shown.sort == c ? !t->shown.reverse : false;
	t->shown.sort = c;
	t->first = 0;
	/* Its column has to be there. */
	if (c == TOP_READ || c == TOP_WRITE)
		t->shown.io = true;
	else if (c == TOP_TX || c == TOP_RX)
		t->shown.io = false;
}

static void sort_beside(struct top *t, int step)
{
	enum top_column list[TOP_COLUMNS];
	size_t n = top_choose(&t->shown, top_screen_width(), list), at = 0;

	while (at < n && list[at] != t->shown.sort)
		at++;
	at = (at + n + (size_t)step) % n;
	t->shown.reverse = false;
	t->shown.sort = list[at];
}

static void change_interval(struct top *t, bool shorter)
{
	uint64_t ns = shorter ? t->every.ns / 2 : t->every.ns * 2;

	if (ns >= TOP_SHORTEST_NS && ns <= 3600000000000ULL)
		t->every.ns = ns;
	snprintf(t->note, sizeof(t->note), "refresh every %.3g s", (double)t->every.ns / 1e9);
}

static void scroll(struct top *t, long by)
{
	if (by < 0 && (size_t)-by > t->first)
		t->first = 0;
	else
		t->first += (size_t)by;
}

static void quit(struct top *t) { t->stop = true; }
static void now(struct top *t) { t->refresh = true; }
static void pause_view(struct top *t) { t->paused = !t->paused; }
static void tree(struct top *t) { t->shown.tree = !t->shown.tree; t->shown.groups = false; }
static void groups(struct top *t) { t->shown.groups = !t->shown.groups; t->first = 0; }
static void columns(struct top *t) { t->shown.io = !t->shown.io; }
static void class(struct top *t) { t->shown.class = (t->shown.class + 1) % 3; }
static void per_machine(struct top *t) { t->shown.per_machine = !t->shown.per_machine; }
static void turn(struct top *t) { t->shown.reverse = !t->shown.reverse; }
static void left(struct top *t) { sort_beside(t, -1); }
static void right(struct top *t) { sort_beside(t, 1); }
static void faster(struct top *t) { change_interval(t, true); }
static void slower(struct top *t) { change_interval(t, false); }
static void filter(struct top *t) { t->typing = true; }
static void help(struct top *t) { t->help = true; }
static void all(struct top *t) { t->shown.filter[0] = '\0'; }
static void up(struct top *t) { scroll(t, -1); }
static void down(struct top *t) { scroll(t, 1); }
static void page_up(struct top *t) { scroll(t, -(long)top_screen_rows()); }
static void page_down(struct top *t) { scroll(t, (long)top_screen_rows()); }
static void home(struct top *t) { t->first = 0; }
static void end(struct top *t) { t->first = t->rows.n; }
static void resized(struct top *t) { (void)t; }

static const struct {
	int key;
	void (*act)(struct top *t);
} keys[] = {
	{ 'q', quit }, { ' ', now }, { 'p', pause_view }, { 't', tree }, { 'g', groups }, { 'n', columns },
	{ 'c', class }, { 'I', per_machine }, { 'r', turn }, { '<', left }, { '>', right }, { '+', faster },
	{ '-', slower }, { '/', filter }, { 'h', help }, { '?', help }, { 'w', top_save },
	{ TOP_KEY_ESCAPE, all }, { TOP_KEY_UP, up }, { 'k', up }, { TOP_KEY_DOWN, down }, { 'j', down },
	{ TOP_KEY_PAGE_UP, page_up }, { TOP_KEY_PAGE_DOWN, page_down }, { TOP_KEY_HOME, home },
	{ TOP_KEY_END, end }, { TOP_KEY_RESIZE, resized },
};

/* Takes away one character, which may be several bytes. */
static void rub_out(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
		n--;
	text[n ? n - 1 : 0] = '\0';
}

static void type(struct top *t, int key)
{
	size_t n = strlen(t->shown.filter);

	t->first = 0;
	if (key == TOP_KEY_ENTER || key == TOP_KEY_ESCAPE)
		t->typing = false;
	if (key == TOP_KEY_ESCAPE)
		t->shown.filter[0] = '\0';
	else if (key == TOP_KEY_BACKSPACE)
		rub_out(t->shown.filter);
	else if (key >= ' ' && key < 256 && n + 1 < sizeof(t->shown.filter)) {
		t->shown.filter[n] = (char)key;
		t->shown.filter[n + 1] = '\0';
	}
}

void top_press(struct top *t, int key)
{
	t->note[0] = '\0';
	if (t->help) {
		t->help = key == TOP_KEY_RESIZE;
		return;
	}
	if (t->typing && key != TOP_KEY_RESIZE) {
		type(t, key);
		return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key) {
			keys[i].act(t);
			return;
		}
	for (int c = 0; c < TOP_COLUMNS; c++)
		if (top_columns[c].key && top_columns[c].key == key)
			sort_by(t, (enum top_column)c);
}
