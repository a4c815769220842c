// SPDX-License-Identifier: GPL-2.0-only
/*
 * format.c - describes every kind of record in the grammar of ftrace's format
 * files, so that libtraceevent reads the stream without knowing this version.
 * Made from the same field lists as the structs. Pure: memory to memory, called
 * in process context at the start of a session, and compiled for the host by
 * the tests.
 */
#include "format.h"
#include "pack.h"

/* How a field is described and printed. */
enum form { NUMBER, TEXT, ARRAY, STRING };

struct field {
	const char *type;
	const char *name;
	__u16 size;	/* of one element */
	__u16 count;
	__u16 form;
};

struct kind {
	const char *name;
	const struct field *fields;
	unsigned int n;
};

/* Is it a char array? sizeof tells, for no list has another one-byte type. */
#define ARRAY_FORM(type)	(sizeof(type) == 1 ? TEXT : ARRAY)

#define FIELD_F(type, name)	{ #type, #name, sizeof(type), 1, NUMBER },
#define FIELD_A(type, name, n)	{ #type, #name, sizeof(type), n, ARRAY_FORM(type) },
#define FIELD_S(name)		{ "char", #name, sizeof(__u32), 1, STRING },

#define FIELDS_OF(number, kind, FIELDS) \
	static const struct field kind##_fields[] = { FIELDS(FIELD_F, FIELD_A, FIELD_S) };
KTALLY_KIND_LIST(FIELDS_OF)

#define KIND(number, kind, FIELDS) \
	[number] = { #kind, kind##_fields, sizeof(kind##_fields) / sizeof(struct field) },
static const struct kind kinds[KTALLY_KINDS] = { KTALLY_KIND_LIST(KIND) };

/* Text that grows; len goes on counting when the room is used up. */
struct text {
	char *buf;
	size_t size;
	size_t len;
};

static void put_char(struct text *t, char c)
{
	if (t->len < t->size)
		t->buf[t->len] = c;
	t->len++;
}

static void put(struct text *t, const char *s)
{
	while (*s)
		put_char(t, *s++);
}

static void put_number(struct text *t, unsigned int n)
{
	if (n >= 10)
		put_number(t, n / 10);
	put_char(t, '0' + n % 10);
}

static void put_place(struct text *t, unsigned int offset, unsigned int size, int is_signed)
{
	put(t, ";\toffset:");
	put_number(t, offset);
	put(t, ";\tsize:");
	put_number(t, size);
	put(t, is_signed ? ";\tsigned:1;\n" : ";\tsigned:0;\n");
}

static void put_common(struct text *t)
{
	put(t, "\tfield:unsigned short common_type");
	put_place(t, 0, 2, 0);
	put(t, "\tfield:unsigned char common_flags");
	put_place(t, 2, 1, 0);
	put(t, "\tfield:unsigned char common_preempt_count");
	put_place(t, 3, 1, 0);
	put(t, "\tfield:int common_pid");
	put_place(t, 4, 4, 1);
}

/* Describes a field at `offset` and returns where the next one begins. */
static unsigned int put_field(struct text *t, const struct field *f, unsigned int offset)
{
	unsigned int size = f->size * f->count;

	put(t, f->form == STRING ? "\tfield:__data_loc char[] " : "\tfield:");
	if (f->form != STRING) {
		put(t, f->type);
		put_char(t, ' ');
	}
	put(t, f->name);
	if (f->form == TEXT || f->form == ARRAY) {
		put_char(t, '[');
		put_number(t, f->count);
		put_char(t, ']');
	}
	put_place(t, offset, size, 0);
	return offset + size;
}

static void put_conversion(struct text *t, const struct field *f, const char *before)
{
	put(t, before);
	put(t, f->name);
	if (f->form != NUMBER)
		put(t, "=%s");
	else
		put(t, f->size == 8 ? "=%llu" : "=%u");
}

static void put_argument(struct text *t, const struct field *f)
{
	static const char *const before[] = {
		[NUMBER] = ", REC->", [TEXT] = ", REC->",
		[ARRAY] = ", __print_array(REC->", [STRING] = ", __get_str(",
	};

	put(t, before[f->form]);
	put(t, f->name);
	if (f->form == ARRAY) {
		put(t, ", ");
		put_number(t, f->count);
		put(t, ", ");
		put_number(t, f->size);
	}
	if (f->form == ARRAY || f->form == STRING)
		put_char(t, ')');
}

size_t kt_format(unsigned int kind, char *buf, size_t size)
{
	struct text t = { .buf = buf, .size = size };
	unsigned int offset = sizeof(struct ktally_common);
	const struct kind *k;
	unsigned int i;

	if (kind >= KTALLY_KINDS || !kinds[kind].name)
		return 0;
	k = &kinds[kind];
	put(&t, "name: ");
	put(&t, k->name);
	put(&t, "\nID: ");
	put_number(&t, kind);
	put(&t, "\nformat:\n");
	put_common(&t);
	put_char(&t, '\n');
	for (i = 0; i < k->n; i++)
		offset = put_field(&t, &k->fields[i], offset);	/* there are no holes */
	put(&t, "\nprint fmt: \"");
	for (i = 0; i < k->n; i++)
		put_conversion(&t, &k->fields[i], i ? " " : "");
	put_char(&t, '"');
	for (i = 0; i < k->n; i++)
		put_argument(&t, &k->fields[i]);
	put_char(&t, '\n');
	return t.len;
}
