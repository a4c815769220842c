// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * measure/method-print.c - a method written down: every number it will go by, whether it was
 * asked for or comes from a preset, as a file of options that does the same again.
 */
#include <stdio.h>
#include <string.h>

#include "method.h"
#include "out/text.h"
#include "say.h"

#define SECOND	1e9

static void put_text(const char *key, const char *text)
{
	/* Quotes keep those of its own ends, which are the shell's. */
	if (text)
		printf(text[0] == '"' ? "%s = \"%s\"\n" : "%s = %s\n", key, text);
}

static void put_count(const char *key, uint64_t n)
{
	printf("%s = %llu\n", key, (unsigned long long)n);
}

static void put_time(const char *key, uint64_t ns)
{
	printf("%s = %.12g\n", key, (double)ns / SECOND);
}

static void put_warm_up(const struct method_warm_up *w)
{
	if (w->stable)
		put_text("warm-up", "stable");
	else if (w->from == w->to)
		put_time("warm-up", w->to);
	else
		printf("warm-up = %.12g..%.12g\n", (double)w->from / SECOND, (double)w->to / SECOND);
}

static void put_command(char *const *argv)
{
	char word[4096];

	printf("command =");
	for (; *argv; argv++) {
		text_quote(word, sizeof(word), *argv, strlen(*argv), TEXT_FOR_SHELLS);
		printf(" %s", word);
	}
	printf("\n");
}

static void put_workers(const struct method_plan *p)
{
	static const char *const kinds[] = { "runs", "numbers", "marks" };

	put_command(p->command);
	put_count("workers", p->workers);
	put_text("worker", kinds[p->action]);
	if (p->action == METHOD_NUMBERS)
		put_text("unit", p->unit_name);
	put_count("solo", p->solo);
	put_time("shared", p->shared);
}

int method_plan_print(const struct method_plan *p)
{
	for (size_t i = 0; i < p->roles->n; i++)
		put_text("role", p->roles->at[i]);
	put_text("start-server", p->start_server);
	put_text("ready", p->ready);
	put_text("prepare", p->prepare);
	put_text("conclude", p->conclude);
	put_warm_up(&p->warm_up);
	put_count("samples", p->samples);
	put_time("every", p->every);
	if (p->together)
		printf("together\n");
	if (p->command)
		put_workers(p);
	put_count("repeats", p->repeats);
	put_count("seed", p->seed);
	if (p->buffer_kb)
		put_count("buffer", p->buffer_kb);
	return fflush(stdout) ? say_error(FAILED, "measure: cannot write the method") : DONE;
}
