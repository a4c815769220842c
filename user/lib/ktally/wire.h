/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wire.h - records of one sub-buffer, by the descriptions that the stream carries; no I/O. Part of <ktally.h>. */
#ifndef KTALLY_LIB_WIRE_H
#define KTALLY_LIB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/ktally.h>

/*
 * ktally_wire: knows the descriptions (through libtraceevent, once per kind) and
 * turns payloads into host structs: `u` receives the fields this reader knows at
 * the offsets of its own struct ktally_<kind>; fields that the stream lacks are 0
 * and clear in `present` (in `known` too, for what that speaks of); fields this
 * reader does not know are ignored. A kind whose description lacks the life's
 * tgid or start counts as unknown. Strings are checked against the record.
 */
struct ktally_wire;

struct ktally_str {
	const char *p;		/* not NUL-terminated; NULL if absent */
	uint32_t len;		/* bytes; a text's final NUL is not counted, argv and data have all of theirs */
};

#define KTALLY_STRINGS 3	/* at most this many strings per kind, in list order */

/*
 * Bits of `present`: the place of a field in its kind's list. These are exit's;
 * the parts that kinds share have the same places in fork, exec and task.
 */
#define KTALLY__HAS_F(type, name)	KTALLY_HAS_##name,
#define KTALLY__HAS_A(type, name, n)	KTALLY_HAS_##name,
#define KTALLY__HAS_S(name)		KTALLY_HAS_##name,
enum ktally_has { KTALLY_EXIT_FIELDS(KTALLY__HAS_F, KTALLY__HAS_A, KTALLY__HAS_S) };

struct ktally_event {
	const struct ktally_record *record;	/* frame, in the caller's or the stream's memory */
	const void *payload;			/* behind the frame */
	uint32_t payload_len;
	uint32_t kind;				/* enum ktally_kind, or a kind unknown here */
	uint32_t cpu;
	uint32_t session;
	uint32_t boot;				/* which boot of a stream's files, from 0 */
	bool decoded;				/* u, str and present hold the record */
	uint64_t seq;				/* 64-bit sequence */
	uint64_t load_id;
	uint64_t time;				/* CLOCK_BOOTTIME, ns */
	uint64_t present;			/* bit per field that the stream has */
	struct ktally_str str[KTALLY_STRINGS];
	union {					/* decoded fixed part, own layout */
		struct ktally_header header;
		struct ktally_format format;
		struct ktally_info info;
		struct ktally_fork fork;
		struct ktally_exec exec;
		struct ktally_args args;
		struct ktally_thread_exit thread_exit;
		struct ktally_exit exit;
		struct ktally_task task;
		struct ktally_net_late net_late;
		struct ktally_device device;
		struct ktally_cgroup cgroup;
		struct ktally_mark mark;
		struct ktally_walk_begin walk_begin;
		struct ktally_walk_end walk_end;
		struct ktally_end end;
		struct ktally_selection selection;
	} u;
};

/* Place within one sub-buffer. */
struct ktally_cursor {
	const unsigned char *buf;
	size_t n, pos;
	uint32_t cpu, session;
	uint64_t load_id;
	uint64_t first_seq;		/* of the header */
	bool headed;
};

struct ktally_wire *ktally_wire_open(void);	/* NULL: no memory */
void ktally_wire_close(struct ktally_wire *w);

void ktally_cursor_init(struct ktally_cursor *c, const void *buf, size_t n);

/*
 * The next record of a sub-buffer, header first. 1: a record, 0: the end,
 * -EBADMSG: damaged at c->pos. A description is taken in before it is returned.
 */
int ktally_wire_next(struct ktally_wire *w, struct ktally_cursor *c, struct ktally_event *ev);

/* Takes in one whole description; -EBADMSG if it can't be used, -EEXIST if it contradicts an earlier one. */
int ktally_wire_describe(struct ktally_wire *w, const char *text, size_t len);
/* The description of a kind as it came, NULL if none did. */
const char *ktally_wire_description(const struct ktally_wire *w, uint32_t kind, size_t *len);

/* One record as libtraceevent prints it; returns its length as snprintf does. */
int ktally_wire_print(struct ktally_wire *w, const struct ktally_event *ev, char *buf, size_t n);
const char *ktally_wire_error(const struct ktally_wire *w);

const char *ktally_kind_name(uint32_t kind);	/* "exit"; NULL if unknown */

#endif
