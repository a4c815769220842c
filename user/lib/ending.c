// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ending.c - fields of a life that say how it ended and how good its figures are.
 */
#include <stdio.h>
#include <string.h>

#include "getter.h"

/* ---- how it ended ---- */

static bool has_status(const struct ktally_life *l)
{
	if (l->state == KTALLY_ENDED)
		return has(l, KTALLY_HAS_status);
	return l->state == KTALLY_END_UNSEEN && l->run_state == 'Z';
}

/* arg: which part */
GETTER(get_status)
{
	uint32_t signal = l->status & 0x7f;

	(void)c;
	if (!has_status(l))
		return unknown;
	switch (f->arg) {
	case EXIT_CODE:		return signal ? unknown : number(l->status >> 8 & 0xff);
	case EXIT_SIGNAL:	return signal ? number(signal) : unknown;
	case CORE_DUMPED:	return number(l->status >> 7 & 1);
	case FAILED:		return number(l->status != 0);
	}
	return number(l->status);
}

GETTER(get_state)
{
	static const char *const names[] = {
		[KTALLY_RUNNING] = "running", [KTALLY_ENDED] = "ended",
		[KTALLY_END_UNSEEN] = "end unseen", [KTALLY_END_LOST] = "end lost",
		[KTALLY_END_UNKNOWN] = "end unknown",
	};

	(void)f, (void)c;
	return text(names[l->state], strlen(names[l->state]));
}

GETTER(get_threads)
{
	(void)f, (void)c;
	return l->threads && l->state == KTALLY_RUNNING ? number(l->threads) : unknown;
}

GETTER(get_threads_ended)
{
	value v = number(l->threads_ended);

	(void)f;
	v.lower = l->older || (c->info && c->info->lost[KTALLY_THREAD_EXIT]);
	return v;
}

GETTER(get_count)
{
	(void)f, (void)l, (void)c;
	return number(1);
}

GETTER(get_kthread)
{
	(void)f, (void)c;
	return number(l->kthread);
}

/* Began before the recording, or something of it is lost. */
GETTER(get_partial)
{
	bool partial = l->older || may_be_more(l) || l->state == KTALLY_END_UNSEEN;

	(void)f, (void)c;
	for (uint32_t i = 0; i < l->n_images; i++)
		partial |= l->images[i].unknown;
	return number(partial);
}

/* What the figures are worth; words, comma-separated. Of the living only `shared` is known. */
GETTER(get_flags)
{
	static const struct { uint32_t bit; const char *word; } words[] = {
		{ KTALLY_EXIT_OOM, "oom" }, { KTALLY_EXIT_FALLBACK, "fallback" },
		{ KTALLY_EXIT_UNSTABLE, "unstable" }, { KTALLY_EXIT_MANY, "many-threads" },
		{ KTALLY_EXIT_MAYBE_DUP, "maybe-dup" },
	};
	bool shared = l->traffic && l->traffic->net_flags & KTALLY_NET_SHARED;
	size_t n = 0;

	(void)f;
	if (l->state != KTALLY_ENDED)
		return shared ? text("shared", strlen("shared")) : unknown;
	c->scratch[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (l->exit_flags & words[i].bit)
			n += snprintf(c->scratch + n, sizeof(c->scratch) - n, "%s%s",
				      n ? "," : "", words[i].word);
	if (shared)
		n += snprintf(c->scratch + n, sizeof(c->scratch) - n, "%sshared", n ? "," : "");
	return text(c->scratch, n);
}
