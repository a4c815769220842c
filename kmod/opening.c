// SPDX-License-Identifier: GPL-2.0-only
/*
 * opening.c - the first records of a stream: the description of every kind, and what
 * machine and module this is. Process context, before anybody else writes.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/utsname.h>

#include "channel.h"
#include "format.h"
#include "main.h"
#include "opening.h"

#define FORMAT_PIECE	1200	/* bytes per record: six fill a small sub-buffer */

static int write_description(struct kt_channel *ch, unsigned int kind, char *text)
{
	size_t offset, total = kt_format(kind, text, KT_FORMAT_MAX);
	struct ktally_format f = { .id = kind, .total = total };
	struct kt_record r = KT_RECORD(KTALLY_FORMAT, &f);

	if (WARN_ON_ONCE(total > KT_FORMAT_MAX))
		return -EOVERFLOW;
	r.strings = 1;
	for (offset = 0; offset < total; offset += FORMAT_PIECE) {
		f.offset = offset;
		r.string[0] = (struct kt_bytes){
			.from = text + offset,
			.len = min_t(size_t, FORMAT_PIECE, total - offset),
			.at = offsetof(struct ktally_format, text),
		};
		if (!kt_channel_write(ch, &r))
			return -ENOBUFS;
	}
	return 0;
}

static int write_descriptions(struct kt_channel *ch)
{
	char *text = kmalloc(KT_FORMAT_MAX, GFP_KERNEL);
	unsigned int kind;
	int err = 0;

	if (!text)
		return -ENOMEM;
	for (kind = 0; kind < KTALLY_KINDS && !err; kind++)
		err = write_description(ch, kind, text);
	kfree(text);
	return err;
}

static struct kt_bytes text_at(const char *from, size_t size, size_t at)
{
	return (struct kt_bytes){
		.from = from, .len = strnlen(from, size), .at = at, .text = 1,
	};
}

static int write_info(struct kt_channel *ch)
{
	struct ktally_info i = {
		.load_id = kt_load_id,
		.features = READ_ONCE(kt_features),
		.mem_bytes = (u64)totalram_pages() << PAGE_SHIFT,
		.page_size = PAGE_SIZE,
		.cpus = num_possible_cpus(),
		.hz = HZ,
		.kinds = KTALLY_SELECTION + 1,
		.arg_bytes = kt_arg_bytes,
	};
	struct kt_record r = KT_RECORD(KTALLY_INFO, &i);
	const struct new_utsname *u = init_utsname();

	r.strings = 3;
	r.string[0] = text_at(u->release, sizeof(u->release),
			      offsetof(struct ktally_info, release));
	r.string[1] = text_at(u->machine, sizeof(u->machine),
			      offsetof(struct ktally_info, machine));
	r.string[2] = text_at(KTALLY_VERSION, sizeof(KTALLY_VERSION),
			      offsetof(struct ktally_info, module));
	return kt_channel_write(ch, &r) ? 0 : -ENOBUFS;
}

int kt_opening_write(struct kt_channel *ch)
{
	return write_descriptions(ch) ?: write_info(ch);
}
