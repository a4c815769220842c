// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * layout.c - tables of the fields this library knows, made from the lists of
 * linux/ktally.h at compile time. Holds no knowledge of its own.
 */
#include <linux/ktally.h>

#include "ktally.h"
#include "layout.h"

/* `self` is the struct of the kind whose function these expand in. */
#define FIELD(type, name)	{ #name, offsetof(self, name), sizeof(type), sizeof(type) },
#define ARRAY(type, name, n)	{ #name, offsetof(self, name), (n) * sizeof(type), sizeof(type) },
#define STRING(name)		{ #name, offsetof(self, name), 4, 0 },

#define KIND(number, kind, FIELDS)						\
static const struct layout *layout_##kind(void)					\
{										\
	typedef struct ktally_##kind self;					\
	static const struct layout_field fields[] = { FIELDS(FIELD, ARRAY, STRING) }; \
	static const struct layout layout = {					\
		#kind, fields, sizeof(fields) / sizeof(fields[0]), sizeof(self) \
	};									\
										\
	_Static_assert(sizeof(fields) / sizeof(fields[0]) <= 64, "present has 64 bits"); \
	return &layout;								\
}
KTALLY_KIND_LIST(KIND)

const struct layout *layout_of(uint32_t kind)
{
	switch (kind) {
#define CASE(number, name, FIELDS) case number: return layout_##name();
	KTALLY_KIND_LIST(CASE)
	}
	return NULL;
}

const char *ktally_kind_name(uint32_t kind)
{
	const struct layout *l = layout_of(kind);

	return l ? l->name : NULL;
}
