/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot.h - a recording that began with the machine, as one axis of time: where the
 * kernel, the initramfs and the system had it, which points have names, when it was
 * over. Memory to memory, on top of the model; what is not in the records is unknown.
 */
#ifndef KTALLY_BOOT_H
#define KTALLY_BOOT_H

#include "arena.h"
#include "ktally.h"
#include "units.h"

#define BOOT_END_NOTE	"end"	/* what was chosen as the end when it was saved */

struct boot_mark {
	uint64_t time;
	uint32_t tgid;
	const char *text;
};

enum boot_phase_kind { BOOT_KERNEL, BOOT_INITRAMFS, BOOT_SYSTEM, BOOT_PHASES };

struct boot_phase {
	uint64_t from, to;
	bool there;
};

/* What the end is, and where the search for its causes begins. */
struct boot_end {
	char name[256];
	uint64_t time;
	const struct ktally_life *life;	/* who reached it; NULL: unknown */
	const struct unit *unit;	/* or which unit */
};

struct boot {
	struct arena arena;
	struct boot_mark *marks;
	size_t n_marks, room_marks;
	uint64_t saved;			/* last opening walk: somebody came to save it; 0 = never */
	uint32_t saver;			/* process that did */
	struct units units;
	/* from boot_settle() on */
	const struct ktally_model *model;
	const struct ktally_stream_info *info;
	struct ktally_life *const *lives;
	size_t n_lives;
	const struct ktally_life *init;	/* NULL: not in the recording */
	uint64_t load;			/* from here on every process is seen */
	struct boot_end end;
	struct boot_phase phases[BOOT_PHASES];
};

/* For each record, beside the model: marks and walks. arg is a struct boot. 0 or -ENOMEM. */
int boot_see(void *arg, const struct ktally_event *ev);
/* After the model has settled; note and end (may be NULL) are the notes of these names. 0 or -ENOMEM. */
int boot_settle(struct boot *b, const struct ktally_model *model,
		const struct ktally_stream_info *info, const char *note, const char *end);
/*
 * Chooses the end: "unit:X", "mark:X", "process:X" (its first exec), "exit:X" (its end),
 * "saved", "last"; a bare X is looked for as mark, unit and process; NULL: the default
 * target, else the last mark, else "saved". -ENOENT: there is none of that name.
 */
int boot_choose_end(struct boot *b, const char *what);
void boot_free(struct boot *b);

const char *boot_phase_name(enum boot_phase_kind kind);
/* Systemd's unit of a life, by its control group; len 0: none. */
struct ktally_str boot_unit_of(const struct boot *b, const struct ktally_life *l);
/* The image that a life ran at this time; NULL: none is known. */
const struct ktally_image *boot_image_at(const struct ktally_life *l, uint64_t time);
/* Where a life or image ends on the axis, at the latest with the recording. */
uint64_t boot_life_end(const struct boot *b, const struct ktally_life *l);
uint64_t boot_image_end(const struct boot *b, const struct ktally_life *l, size_t i);

#endif
