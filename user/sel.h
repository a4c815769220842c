/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sel.h - SEL: which processes are meant, the same words in every command.
 *
 * Options fill struct sel; sel_compile() checks the words and gives a matcher;
 * sel_bind() resolves what depends on a model (PIDs that must exist);
 * sel_want() answers for one life. Nothing here reads files.
 */
#ifndef KTALLY_SEL_H
#define KTALLY_SEL_H

#include "lib/ktally.h"
#include "opt.h"

struct sel {
	struct opt_list names, pids, users, cgroups;
	const char *netns, *since, *until;
	struct opt_time min_duration;
	bool tree, failed, all;
};

extern const struct opt sel_opts[];

#define SEL_GROUP(type, member)						\
	{ .title = "SELECTING PROCESSES", .opts = sel_opts, .n = SEL_OPTS,	\
	  .offset = offsetof(type, member) }
enum { SEL_OPTS = 11 };

struct sel_match;

/* words: names beside the options. NULL after a message, with *status set. */
struct sel_match *sel_compile(const struct sel *sel, char *const *words, int n, int *status);
/* Ties it to a model: OPT_GO_ON, or the exit status after a message. */
int sel_bind(struct sel_match *m, const struct ktally_model *model);
/* Ties it to a live view: PIDs are those that live now (CLOCK_BOOTTIME), not who gets them later. */
void sel_bind_live(struct sel_match *m, const struct ktally_field_ctx *ctx, uint64_t now);
/* Once that has a watch: OPT_GO_ON, or the exit status after a message that one of the PIDs is not there. */
int sel_check_live(const struct sel_match *m);
/* Name i as it was typed if nothing has borne it so far; NULL if something has, *end set behind the last. */
const char *sel_unseen(const struct sel_match *m, size_t i, bool *end);
/* What only recordings can answer, by the name of its option; NULL: nothing of it was asked for. */
const char *sel_past(const struct sel *sel);
/* For ktally_groups_make(): arg is a bound struct sel_match. */
bool sel_want(const struct ktally_life *l, void *arg);
/* True if nothing was asked for: then everything of interest is shown. */
bool sel_empty(const struct sel_match *m);
/* PIDs that were named. */
size_t sel_pids(const struct sel_match *m, const uint32_t **pids);
/* The users and the network namespace that were named, if any. */
size_t sel_users(const struct sel_match *m, const uint32_t **uids);
bool sel_netns(const struct sel_match *m, uint32_t *netns);
void sel_free(struct sel_match *m);

#endif
