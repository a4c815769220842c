/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat/statrow.h - the columns of `ktally stat`, and rows out of tallies, the machine and
 * an interface. Memory only.
 */
#ifndef KTALLY_STATROW_H
#define KTALLY_STATROW_H

#include "iface.h"
#include "lib/ktally.h"
#include "machine.h"

enum statrow_column {
	STAT_TIME, STAT_INTERVAL, STAT_ROW, STAT_PERIOD, STAT_KEY, STAT_PID,
	STAT_ALIVE, STAT_BEGUN, STAT_ENDED, STAT_USER, STAT_SYS, STAT_CPU,
	STAT_USER_NS, STAT_SYS_NS, STAT_CPU_NS, STAT_CPU_TOTAL_NS,
	STAT_RSS, STAT_PEAK, STAT_PEAK_SEEN, STAT_SWAP,
	STAT_RX, STAT_RX_S, STAT_TX, STAT_TX_S,
	STAT_LOOP_RX, STAT_LOOP_RX_S, STAT_LOOP_TX, STAT_LOOP_TX_S,
	STAT_VIRT_RX, STAT_VIRT_RX_S, STAT_VIRT_TX, STAT_VIRT_TX_S,
	STAT_TCP_RX, STAT_TCP_RX_S, STAT_TCP_TX, STAT_TCP_TX_S,
	STAT_UDP_RX, STAT_UDP_RX_S, STAT_UDP_TX, STAT_UDP_TX_S,
	STAT_READ, STAT_READ_S, STAT_WRITE, STAT_WRITE_S,
	STAT_MINFLT, STAT_MAJFLT, STAT_NVCSW, STAT_NIVCSW,
	STAT_BOUNDS,
	/* For tables only: of the first class of devices that carried something. */
	STAT_ANY_RX, STAT_ANY_RX_S, STAT_ANY_TX, STAT_ANY_TX_S, STAT_COLUMNS
};

struct statrow {
	struct ktally_value v[STAT_COLUMNS];
	char key[64];
	char bounds[320];		/* which of the values are only bounds */
};

/* The interval that a row is about, or for averages all of the time. */
struct statrow_span {
	uint64_t begin, end;		/* CLOCK_BOOTTIME */
	bool average;
	bool for_people;		/* a table: "Average:" in place of the time */
};

/* fields: STAT_COLUMNS of them, with the key's name as heading. */
void statrow_fields(struct ktally_field fields[STAT_COLUMNS], enum ktally_key key);
/* Of them, for formats that machines read. */
enum { STAT_MACHINE_COLUMNS = STAT_BOUNDS + 1 };
/* The usual columns of a table; class -1: of any; narrow: for 80 columns. */
const char *statrow_usual(int class, enum ktally_key key, bool narrow);

/* kind: "group" or "total"; name NULL: the tally's own. */
void statrow_tally(struct statrow *r, const struct statrow_span *s, const struct ktally_tally *t,
		   const char *kind, const char *name);
/* A program that is waited for. */
void statrow_nothing(struct statrow *r, const struct statrow_span *s, const char *name);
/* from: at the span's beginning, base: at the beginning of everything. */
void statrow_machine(struct statrow *r, const struct statrow_span *s, const struct machine *from,
		     const struct machine *now, uint64_t most_used);
void statrow_traffic(struct statrow *r, const struct statrow_span *s, enum iface_class class,
		     const struct iface_counts *base, const struct iface_counts *from,
		     const struct iface_counts *now);
/* Texts of its own are where the row is now: rows move when there are more of them. */
struct ktally_value statrow_value(const struct statrow *r, enum statrow_column column);
void statrow_interface(struct statrow *r, const struct statrow_span *s, const struct iface *i);

#endif
