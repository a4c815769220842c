/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reading.h - FILE or the module, read to the end into a model: what report,
 * commands, tree and run look at.
 *
 * Functions say what went wrong themselves and return OPT_GO_ON or an exit
 * status.
 */
#ifndef KTALLY_READING_H
#define KTALLY_READING_H

#include "lib/ktally.h"
#include "names.h"
#include "opt.h"

#define READING_DEFAULT "ktally.ktl"

struct reading;
struct session;

/* Options that say where records come from. */
struct reading_options {
	struct opt_list files;
	const char *made_by;		/* what makes such a recording; NULL: ktally record */
	bool live, since_birth;
	const char *since, *until;	/* only this time is meant; NULL = all */
	bool whole_lives;		/* what lived in it counts whole */
	/* Looks at each record beside the model; 0, or -ENOMEM ends the reading. NULL: nobody does. */
	int (*see)(void *arg, const struct ktally_event *ev);
	void *arg;
	/* Of files: before the first record; OPT_GO_ON or an exit status. NULL: nothing is to be done. */
	int (*begin)(void *arg, struct reading *r);
	void *begin_arg;
};
enum { READING_OPTS = 3 };
extern const struct opt reading_opts[];
#define READING_GROUP(type, member)					\
	{ .title = "WHERE RECORDS COME FROM", .opts = reading_opts, .n = READING_OPTS, \
	  .offset = offsetof(type, member) }

struct reading {
	struct ktally_stream *stream;
	struct ktally_model *model;
	const struct ktally_stream_info *info;
	struct ktally_field_ctx ctx;
	struct ktally_window *windows;	/* of since and until, by boot */
	struct names names;		/* already asked for */
	const struct ktally_groups *folded;	/* the wanted lives, of which some are gone; NULL: all are there */
	int (*see)(void *arg, const struct ktally_event *ev);	/* the options' */
	void *see_arg;
};

/* Moves the words that are files from rest to options: "-", *.ktl, and what exists. */
int reading_take_words(struct reading_options *options, struct opt_rest *rest);

/* Opens and reads everything. */
int reading_open(struct reading *r, const struct reading_options *options);
/* For sub-buffers as they come: begin, then push, then pump as often as wanted, then end. */
int reading_begin_push(struct reading *r);
int reading_push(struct reading *r, const void *subbuf, size_t n);
int reading_pump(struct reading *r);
/* Flushes the session that pushes: what it had written need not be kept as bytes then. */
int reading_settle(struct reading *r, struct session *s);
int reading_end_push(struct reading *r);
/* Everything the module has on the living processes: a session of one walk. kinds: 0 = all. */
int reading_open_live(struct reading *r, uint64_t kinds);

/* Says what is missing: damage and losses. */
void reading_warn(struct reading *r);
/* The same without a model, of rows that stand alone: how many records were lost. path: of many; NULL: the only one. */
uint64_t reading_say_missing(struct ktally_stream *s, const char *path);
uint64_t reading_lost(const struct ktally_stream_info *info);
bool reading_is_damaged(const struct ktally_stream_info *info);
/* DONE, FAILED when damaged, INCOMPLETE when strict and something is missing. */
int reading_status(const struct reading *r, bool strict);
void reading_close(struct reading *r);

/* Names for what info is about: this machine's, if it is of it. They stay the caller's. */
void reading_names(struct ktally_field_ctx *ctx, struct names *names, const struct ktally_stream_info *info);
/* Opens the files of the options as a stream; for dump, which needs no model. */
int reading_open_stream(struct ktally_stream **s, const struct reading_options *options);

#endif
