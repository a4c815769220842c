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

/*
 * A kind's fields, one text after the other: a letter for the type, the name and
 * of an array "[n]", each ended by NUL. Tables of pointers would take three times
 * the room in a loaded module. A part that kinds share is a letter as well.
 */
#define TYPE___u32	"4"
#define TYPE___u64	"8"
#define TYPE_char	"c"
#define TYPE_STRING	"s"

#define TEXT__(x)	#x
#define TEXT_(x)	TEXT__(x)
#define FIELD_F(type, name)	TYPE_##type #name "\0"
#define FIELD_A(type, name, n)	TYPE_##type #name "[" TEXT_(n) "]\0"
#define FIELD_S(name)		TYPE_STRING #name "\0"

static const struct part {
	char letter;
	const char *fields;
} shared[] = {
	{ 'L', KTALLY_LIFE_FIELDS(FIELD_F, FIELD_A, FIELD_S) },
	{ 'O', KTALLY_OWNER_FIELDS(FIELD_F, FIELD_A, FIELD_S) },
	{ 'U', KTALLY_USAGE_FIELDS(FIELD_F, FIELD_A, FIELD_S) },
	{ 'N', KTALLY_NET_FIELDS(FIELD_F, FIELD_A, FIELD_S) },
	{ 0, NULL },
};

#undef KTALLY_LIFE_FIELDS
#undef KTALLY_OWNER_FIELDS
#undef KTALLY_USAGE_FIELDS
#undef KTALLY_NET_FIELDS
#define KTALLY_LIFE_FIELDS(F, A, S)	"L"
#define KTALLY_OWNER_FIELDS(F, A, S)	"O"
#define KTALLY_USAGE_FIELDS(F, A, S)	"U"
#define KTALLY_NET_FIELDS(F, A, S)	"N"

#define KIND(number, kind, FIELDS) \
	[number] = #kind "\0" FIELDS(FIELD_F, FIELD_A, FIELD_S),
static const char *const kinds[KTALLY_KINDS] = { KTALLY_KIND_LIST(KIND) };

struct field {
	char type;
	unsigned int name_len;	/* without what follows in an array */
	unsigned int count;
	const char *name;	/* not ended there */
	const char *next;
	const char *behind;	/* inside a part: where the kind goes on */
};

static int is_number(const struct field *f)
{
	return f->type != 's' && f->count == 1;
}

static int is_array(const struct field *f)
{
	return f->type != 'c' && f->count > 1;
}

static unsigned int size_of(const struct field *f)
{
	return f->type == '8' ? 8 : f->type == 'c' ? 1 : 4;
}

static const char *type_of(const struct field *f)
{
	return f->type == '8' ? "__u64" : f->type == '4' ? "__u32" : "char";
}

/* Into the part that stands here, or back out of one that is over. */
static const char *in_or_out(struct field *f, const char *at)
{
	const struct part *p = shared;

	if (!*at && f->behind) {
		at = f->behind;
		f->behind = NULL;
	}
	while (p->letter && p->letter != *at)
		p++;
	if (!p->letter)
		return at;
	f->behind = at + 1;
	return p->fields;
}

/* The kind's first field, or the one behind f; 0: there is none. */
static int next_field(struct field *f)
{
	const char *at = in_or_out(f, f->next);

	if (!*at)
		return 0;
	f->type = *at++;
	f->name = at;
	while (*at && *at != '[')
		at++;
	f->name_len = at - f->name;
	f->count = *at ? 0 : 1;
	for (; *at; at++)
		if (*at >= '0' && *at <= '9')
			f->count = f->count * 10 + (*at - '0');
	f->next = at + 1;
	return 1;
}

static struct field before_first(unsigned int kind)
{
	return (struct field){ .next = kinds[kind] + strlen(kinds[kind]) + 1 };
}

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

static void put_name(struct text *t, const struct field *f)
{
	unsigned int i;

	for (i = 0; i < f->name_len; i++)
		put_char(t, f->name[i]);
}

/* Describes a field at `offset` and returns where the next one begins. */
static unsigned int put_field(struct text *t, const struct field *f, unsigned int offset)
{
	unsigned int size = size_of(f) * f->count;

	put(t, f->type == 's' ? "\tfield:__data_loc char[" : "\tfield:");
	put(t, f->type == 's' ? "]" : type_of(f));
	put_char(t, ' ');
	put_name(t, f);
	if (f->count > 1) {
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
	put_name(t, f);
	if (!is_number(f))
		put(t, "=%s");
	else
		put(t, f->type == '8' ? "=%llu" : "=%u");
}

static void put_argument(struct text *t, const struct field *f)
{
	put(t, is_array(f) ? ", __print_array(REC->" :
	       f->type == 's' ? ", __get_str(" : ", REC->");
	put_name(t, f);
	if (is_array(f)) {
		put(t, ", ");
		put_number(t, f->count);
		put(t, ", ");
		put_number(t, size_of(f));
	}
	if (is_array(f) || f->type == 's')
		put_char(t, ')');
}

size_t kt_format(unsigned int kind, char *buf, size_t size)
{
	struct text t = { .buf = buf, .size = size };
	unsigned int offset = sizeof(struct ktally_common);
	const char *before = "";
	struct field f;

	if (kind >= KTALLY_KINDS || !kinds[kind])
		return 0;
	put(&t, "name: ");
	put(&t, kinds[kind]);
	put(&t, "\nID: ");
	put_number(&t, kind);
	put(&t, "\nformat:\n");
	put_common(&t);
	put_char(&t, '\n');
	for (f = before_first(kind); next_field(&f); )
		offset = put_field(&t, &f, offset);	/* there are no holes */
	put(&t, "\nprint fmt: \"");
	for (f = before_first(kind); next_field(&f); before = " ")
		put_conversion(&t, &f, before);
	put_char(&t, '"');
	for (f = before_first(kind); next_field(&f); )
		put_argument(&t, &f);
	put_char(&t, '\n');
	return t.len;
}
