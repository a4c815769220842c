/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * getter.h - the functions behind the table of fields (field.c), each a value out of
 * one life: who.c, cost.c and ending.c. Memory only; what was not measured is unknown.
 */
#ifndef KTALLY_GETTER_H
#define KTALLY_GETTER_H

#include "ktally.h"

typedef struct ktally_value value;

static const value unknown;

static inline value number(uint64_t v)
{
	return (value){ .type = KTALLY_V_U64, .u = v };
}

static inline value text(const char *p, size_t n)
{
	return p ? (value){ .type = KTALLY_V_TEXT, .t = { p, n } } : unknown;
}

/* v in decimal, in the last of the n bytes at p. */
static inline struct ktally_str decimal(char *p, size_t n, uint64_t v)
{
	char *end = p + n, *at = end;

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	return (struct ktally_str){ at, (uint32_t)(end - at) };
}

static inline bool has(const struct ktally_life *l, unsigned int field)
{
	return l->present >> field & 1;
}

/* What was seen of a life whose end was not: it may have used more. */
static inline bool may_be_more(const struct ktally_life *l)
{
	return l->state == KTALLY_END_LOST || l->state == KTALLY_END_UNKNOWN;
}

/* The field's arg says which of several things a getter gives. */
enum { ARGV_WORDS, ARGV_TRUE_BYTES, ARGV_IS_CUT };
enum { PLACE_PATH, PLACE_UNIT, PLACE_CONTAINER };
enum { PAYLOAD_RX, PAYLOAD_TX };
enum { WHOLE_STATUS, EXIT_CODE, EXIT_SIGNAL, CORE_DUMPED, FAILED };

#define GETTER(name)							\
	value name(const struct ktally_field *f, const struct ktally_life *l,	\
		   struct ktally_field_ctx *c)

GETTER(get_pid);
GETTER(get_ppid);
GETTER(get_parent_start);
GETTER(get_owner);
GETTER(get_user);
GETTER(get_comm);
GETTER(get_program);
GETTER(get_exe);
GETTER(get_filename);
GETTER(get_argv);
GETTER(get_argv_facts);
GETTER(get_image);
GETTER(get_execs);
GETTER(get_place);
GETTER(get_start);
GETTER(get_end);
GETTER(get_life);
GETTER(get_use);
GETTER(get_cpu);
GETTER(get_cpu_part);
GETTER(get_run_delay);
GETTER(get_traffic);
GETTER(get_payload);
GETTER(get_status);
GETTER(get_state);
GETTER(get_threads);
GETTER(get_threads_ended);
GETTER(get_count);
GETTER(get_kthread);
GETTER(get_partial);
GETTER(get_flags);

#endif
