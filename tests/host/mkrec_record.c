// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkrec_record.c - the fields of a line to a record: values with their units, and what
 * the line leaves out filled in from what was said of the process before.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "mkrec_maker.h"

/* One record while its fields are read. */
struct draft {
	uint32_t kind;
	const struct layout *layout;
	union {
		unsigned char bytes[2048];
		struct ktally_common common;
		struct ktally_fork fork;
		struct ktally_exec exec;
		struct ktally_exit exit;
		struct ktally_task task;
		struct ktally_header header;
	} u;
	uint64_t given;			/* bit per field of the layout */
	char *strings[KT_STRINGS];
	size_t lens[KT_STRINGS];
};

/* ---- values ---- */

int maker_number(struct maker *m, const char *s, uint64_t unitless, uint64_t *out)
{
	static const struct { const char *suffix; double factor; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "K", 1024 }, { "M", 1024 * 1024 }, { "G", 1024.0 * 1024 * 1024 },
	};
	char *end;
	uint64_t whole = strtoull(s, &end, 0);
	long double v;

	if (*s && !*end && unitless == 1) {
		*out = whole;
		return 0;
	}
	v = strtold(s, &end);
	if (end == s)
		return maker_fail(m, "'%s' is no number", s);
	if (!*end) {
		*out = v * unitless + 0.5L;
		return 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].suffix)) {
			*out = v * units[i].factor + 0.5L;
			return 0;
		}
	return maker_fail(m, "'%s': unknown unit", s);
}

static const struct named_bit {
	uint32_t kind;
	const char *field, *name;
	uint64_t bit;
} named_bits[] = {
	{ KTALLY_FORK, "flags", "vm", KTALLY_FORK_VM },
	{ KTALLY_FORK, "flags", "kthread", KTALLY_FORK_KTHREAD },
	{ KTALLY_EXEC, "flags", "cut", KTALLY_EXEC_ARGV_CUT },
	{ KTALLY_EXEC, "flags", "hidden", KTALLY_EXEC_ARGV_HIDDEN },
	{ KTALLY_EXEC, "flags", "name_cut", KTALLY_EXEC_NAME_CUT },
	{ KTALLY_ARGS, "flags", "cut", KTALLY_EXEC_ARGV_CUT },
	{ KTALLY_EXIT, "flags", "maybe_dup", KTALLY_EXIT_MAYBE_DUP },
	{ KTALLY_EXIT, "flags", "oom", KTALLY_EXIT_OOM },
	{ KTALLY_EXIT, "flags", "fallback", KTALLY_EXIT_FALLBACK },
	{ KTALLY_EXIT, "flags", "unstable", KTALLY_EXIT_UNSTABLE },
	{ KTALLY_EXIT, "flags", "many", KTALLY_EXIT_MANY },
	{ KTALLY_EXIT, "flags", "kthread", KTALLY_EXIT_KTHREAD },
	{ KTALLY_EXIT, "flags", "noexec", KTALLY_EXIT_NOEXEC },
	{ KTALLY_TASK, "flags", "kthread", KTALLY_TASK_KTHREAD },
	{ KTALLY_TASK, "flags", "zombie", KTALLY_TASK_ZOMBIE },
	{ KTALLY_TASK, "flags", "hidden", KTALLY_TASK_ARGV_HIDDEN },
	{ KTALLY_TASK, "flags", "cut", KTALLY_TASK_ARGV_CUT },
	{ KTALLY_TASK, "flags", "unstable", KTALLY_TASK_UNSTABLE },
	{ KTALLY_TASK, "flags", "noexec", KTALLY_TASK_NOEXEC },
	{ 0, "purpose", "opening", KTALLY_WALK_OPENING },
	{ 0, "purpose", "closing", KTALLY_WALK_CLOSING },
	{ 0, "purpose", "snapshot", KTALLY_WALK_SNAPSHOT },
};

static const struct layout_field *find_field(const struct layout *l, const char *name, unsigned int *at)
{
	for (unsigned int i = 0; i < l->n_fields; i++)
		if (!strcmp(l->fields[i].name, name)) {
			*at = i;
			return &l->fields[i];
		}
	return NULL;
}

/* Bit of a usage field, by its distance from `upper`. 64: it has none. */
static unsigned int usage_bit(const struct layout *l, const char *name)
{
	unsigned int upper, at;

	if (!find_field(l, "upper", &upper))
		return 64;
	if (!strncmp(name, "net_", 4) && strcmp(name, "net_flags") && strcmp(name, "net_sockets"))
		return KTALLY_U_NET;
	if (!strncmp(name, "tcp_", 4))
		return KTALLY_U_TCP_PAYLOAD;
	if (!strncmp(name, "udp_", 4))
		return KTALLY_U_UDP_PAYLOAD;
	if (!find_field(l, name, &at) || at <= upper || at - upper - 1 > KTALLY_U_MAXRSS)
		return 64;
	return at - upper - 1;
}

static int named_value(const struct draft *d, const char *field, const char *name, uint64_t *bit)
{
	for (size_t i = 0; i < sizeof(named_bits) / sizeof(named_bits[0]); i++) {
		const struct named_bit *b = &named_bits[i];

		if ((!b->kind || b->kind == d->kind) && !strcmp(b->field, field) &&
		    !strcmp(b->name, name)) {
			*bit = b->bit;
			return 1;
		}
	}
	if ((!strcmp(field, "known") || !strcmp(field, "upper")) && usage_bit(d->layout, name) < 64) {
		*bit = 1ULL << usage_bit(d->layout, name);
		return 1;
	}
	return 0;
}

static int read_bits(struct maker *m, struct draft *d, const char *field, char *value, uint64_t *out)
{
	char *rest, *word;

	*out = 0;
	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t bit;

		if (!named_value(d, field, word, &bit) && maker_number(m, word, 1, &bit))
			return -1;
		*out |= bit;
	}
	return 0;
}

static void store(unsigned char *to, unsigned int size, uint64_t v)
{
	memcpy(to, &v, size);		/* little endian: the low bytes come first */
}

static int is_given(const struct draft *d, const char *name)
{
	unsigned int at;

	return find_field(d->layout, name, &at) && d->given >> at & 1;
}

/* A value for a field that the line left out. */
static void fill_in(struct draft *d, const char *name, uint64_t v)
{
	unsigned int at;
	const struct layout_field *f = find_field(d->layout, name, &at);

	if (!f || d->given >> at & 1)
		return;
	store(d->u.bytes + f->offset, f->size, v);
	d->given |= 1ULL << at;
}

static unsigned int string_index(const struct layout *l, unsigned int field)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < field; i++)
		n += !l->fields[i].element;
	return n;
}

static void set_string(struct draft *d, unsigned int at, const char *s, size_t n)
{
	unsigned int i = string_index(d->layout, at);

	free(d->strings[i]);
	d->strings[i] = malloc(n + 1);
	memcpy(d->strings[i], s, n);
	d->strings[i][n] = '\0';
	d->lens[i] = n;
	d->given |= 1ULL << at;
}

static int hex(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* In place; if words, an unescaped blank becomes the NUL that parts two words. */
static size_t unescape(char *s, int words)
{
	char *to = s;

	for (char *p = s; *p; p++) {
		if (words && *p == ' ') {
			*to++ = '\0';
		} else if (*p != '\\' || !p[1]) {
			*to++ = *p;
		} else if (p[1] == 'x' && hex(p[2]) >= 0 && hex(p[3]) >= 0) {
			*to++ = hex(p[2]) << 4 | hex(p[3]);
			p += 3;
		} else {
			p++;
			*to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == '0' ? '\0' : *p;
		}
	}
	*to = '\0';	/* escapes are shorter than what they stand for */
	return to - s;
}

static int set_array(struct maker *m, struct draft *d, const struct layout_field *f, char *value)
{
	char *rest, *word;
	unsigned int at = 0;

	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint64_t v;

		if (at >= f->size)
			return maker_fail(m, "%s: more than %u numbers", f->name, f->size / f->element);
		if (maker_number(m, word, 1, &v))
			return -1;
		store(d->u.bytes + f->offset + at, f->element, v);
		at += f->element;
	}
	return 0;
}

static int set_text(struct maker *m, struct draft *d, const struct layout_field *f, char *value)
{
	size_t n = unescape(value, 0);

	if (n >= f->size)
		return maker_fail(m, "%s: longer than %u bytes", f->name, f->size - 1);
	memset(d->u.bytes + f->offset, 0, f->size);
	memcpy(d->u.bytes + f->offset, value, n);
	return 0;
}

static int set_value(struct maker *m, struct draft *d, const char *name, char *value)
{
	unsigned int at, bit;
	const struct layout_field *f = find_field(d->layout, name, &at);
	uint64_t v;

	if (!f)
		return maker_fail(m, "%s has no field '%s'", d->layout->name, name);
	d->given |= 1ULL << at;
	bit = usage_bit(d->layout, name);
	if (bit < 64 && !is_given(d, "known"))
		d->u.exit.known |= 1ULL << bit;
	if (!f->element) {
		int words = !strcmp(name, "argv") || !strcmp(name, "data");
		size_t n = unescape(value, words);

		/* The NUL behind the last word is there already. */
		set_string(d, at, value, words ? n + 1 : n);
		return 0;
	}
	if (f->element == 1)
		return set_text(m, d, f, value);
	if (f->element != f->size)
		return set_array(m, d, f, value);
	if (!strcmp(name, "state") && isalpha((unsigned char)value[0])) {
		store(d->u.bytes + f->offset, f->size, value[0]);
		return 0;
	}
	if (!strcmp(name, "flags") || !strcmp(name, "known") || !strcmp(name, "upper") ||
	    !strcmp(name, "purpose")) {
		if (read_bits(m, d, name, value, &v))
			return -1;
	} else if (maker_number(m, value, !strcmp(name, "start") || !strcmp(name, "parent_start") ||
			       !strcmp(name, "thread_start") || !strcmp(name, "sampled") ?
			       1000000000ULL : 1, &v)) {
		return -1;
	}
	store(d->u.bytes + f->offset, f->size, v);
	return 0;
}

/* known sits at the same place in exec, exit and task: set_value() relies on it. */
_Static_assert(offsetof(struct ktally_exit, known) == offsetof(struct ktally_exec, known), "same");
_Static_assert(offsetof(struct ktally_exit, known) == offsetof(struct ktally_task, known), "same");

static int set_status(struct maker *m, struct draft *d, const char *value, int shift)
{
	uint64_t v;

	if (maker_number(m, value, 1, &v))
		return -1;
	fill_in(d, "status", v << shift);
	return 0;
}

static int set_field(struct maker *m, struct draft *d, char *word)
{
	char *value = strchr(word, '=');

	if (!strcmp(word, "core") && d->kind == KTALLY_EXIT) {
		d->u.exit.status |= 0x80;
		return 0;
	}
	if (!value)
		return maker_fail(m, "'%s': expected FIELD=VALUE", word);
	*value++ = '\0';
	if (!strcmp(word, "pid"))
		return set_value(m, d, "tgid", value);
	if (!strcmp(word, "code"))
		return set_status(m, d, value, 8);
	if (!strcmp(word, "signal"))
		return set_status(m, d, value, 0);
	return set_value(m, d, word, value);
}

/* ---- filling in ---- */

static struct memory *recall(struct maker *m, uint64_t tgid)
{
	return &m->memory[tgid % TGIDS];
}

static void fill_owner(struct draft *d, const struct kt_owner *o)
{
	fill_in(d, "ppid", o->ppid);
	fill_in(d, "parent_start", o->parent_start);
	fill_in(d, "cgroup", o->cgroup);
	fill_in(d, "pidns", o->pidns);
	fill_in(d, "netns", o->netns);
	fill_in(d, "uid", o->uid);
	fill_in(d, "gid", o->gid);
	fill_in(d, "sid", o->sid);
	fill_in(d, "pgrp", o->pgrp);
	if (is_given(d, "comm"))
		return;
	memcpy(d->u.fork.comm, o->comm, sizeof(o->comm));
	if (o->comm[0])
		d->given |= 1ULL << KTALLY_HAS_comm;
}

static void fill_fork(struct maker *m, struct draft *d)
{
	const struct memory *parent = recall(m, d->u.fork.ppid);

	fill_in(d, "start", m->time);
	fill_in(d, "parent_start", parent->start);
	fill_in(d, "image", parent->image);
	fill_in(d, "parent_image", parent->image);
	fill_owner(d, &parent->owner);
}

static void fill_exec(struct draft *d)
{
	const char *argv = d->strings[2] ? d->strings[2] : "";
	size_t n = d->lens[2];
	uint64_t words = 0;

	for (size_t i = 0; i < n; i++)
		words += !argv[i];
	fill_in(d, "argc", words);
	fill_in(d, "argv_len", n);
	fill_in(d, "argv_kept", n);
}

/* Names that an exec line may leave out; places are those of exec's list. */
static void fill_exec_names(struct draft *d)
{
	unsigned int filename, interp;
	const char *base;

	find_field(d->layout, "filename", &filename);
	find_field(d->layout, "interp", &interp);
	if (!d->strings[0] && d->strings[2])
		set_string(d, filename, d->strings[2], strlen(d->strings[2]));
	if (!d->strings[0])
		return;
	if (!d->strings[1])
		set_string(d, interp, d->strings[0], d->lens[0]);
	if (is_given(d, "comm"))
		return;
	base = strrchr(d->strings[0], '/') ? strrchr(d->strings[0], '/') + 1 : d->strings[0];
	memset(d->u.exec.comm, 0, sizeof(d->u.exec.comm));
	memcpy(d->u.exec.comm, base, strnlen(base, KTALLY_COMM_LEN - 1));
	d->given |= 1ULL << KTALLY_HAS_comm;
}

static void fill_draft(struct maker *m, struct draft *d)
{
	struct memory *mem;
	unsigned int at;

	if (strcmp(d->layout->fields[0].name, "tgid"))
		return;
	mem = recall(m, d->u.fork.tgid);
	if (d->kind == KTALLY_FORK)
		fill_fork(m, d);
	if (d->kind == KTALLY_EXEC) {
		fill_exec_names(d);
		fill_exec(d);
		fill_in(d, "image", mem->image + 1);
	}
	if (d->kind == KTALLY_TASK && d->strings[0])
		fill_in(d, "argv_len", d->lens[0]);
	if (d->kind == KTALLY_TASK) {
		fill_in(d, "sampled", m->time);
		fill_in(d, "state", 'S');
		fill_in(d, "threads", 1);
		fill_in(d, "live", 1);
	}
	fill_in(d, "start", mem->start);
	fill_in(d, "image", mem->image);
	if (!find_field(d->layout, "ppid", &at))
		return;
	if (is_given(d, "ppid") && d->u.fork.ppid != mem->owner.ppid)
		fill_in(d, "parent_start", recall(m, d->u.fork.ppid)->start);
	fill_owner(d, &mem->owner);
	fill_in(d, "nspid", d->u.fork.tgid);
	mem->start = d->u.fork.start;
	mem->image = d->u.fork.image;
	memcpy(&mem->owner, KT_OWNER(&d->u.fork), sizeof(mem->owner));
}

/* ---- records ---- */

static int put_args(struct maker *m, const struct draft *d, const char *argv, size_t total)
{
	for (size_t at = KTALLY_ARGV_INLINE; at < total;) {
		size_t n = total - at > 1024 ? 1024 : total - at;
		struct ktally_args a = {
			.tgid = d->u.exec.tgid, .image = d->u.exec.image, .start = d->u.exec.start,
			.offset = at, .total = total,
		};
		struct kt_record r = KT_RECORD(KTALLY_ARGS, &a);

		r.strings = 1;
		r.string[0] = (struct kt_bytes){ argv + at, n, offsetof(struct ktally_args, data), 0 };
		if (maker_put(m, &r, m->time, d->u.exec.tgid))
			return -1;
		at += n;
	}
	return 0;
}

static int put_draft(struct maker *m, struct draft *d)
{
	struct kt_record r = { .fixed = d->u.bytes, .size = d->layout->size, .kind = d->kind };
	int32_t pid = strcmp(d->layout->fields[0].name, "tgid") ? 1 : (int32_t)d->u.fork.tgid;
	size_t whole = 0;

	for (unsigned int i = 0, s = 0; i < d->layout->n_fields; i++) {
		const struct layout_field *f = &d->layout->fields[i];
		int bytes = !strcmp(f->name, "argv") || !strcmp(f->name, "data");
		size_t n;

		if (f->element)
			continue;
		n = d->lens[s];
		if (d->kind == KTALLY_EXEC && bytes && n > KTALLY_ARGV_INLINE) {
			whole = n;
			n = KTALLY_ARGV_INLINE;
		}
		r.string[r.strings++] = (struct kt_bytes){
			d->strings[s] ? d->strings[s] : "", n, f->offset, d->strings[s] && !bytes,
		};
		s++;
	}
	if (maker_put(m, &r, m->time, pid))
		return -1;
	return whole ? put_args(m, d, d->strings[2], whole) : 0;
}

int maker_kind(struct maker *m, const char *name, uint32_t *kind)
{
	for (*kind = 1; *kind < KTALLY_KINDS; ++*kind)
		if (ktally_kind_name(*kind) && !strcmp(ktally_kind_name(*kind), name))
			return 0;
	return maker_fail(m, "'%s' is no kind of record", name);
}

int maker_record(struct maker *m, char *kind, char *rest)
{
	struct draft d = { .kind = 0 };
	int ret;
	char *word;

	if (!kind)
		return maker_fail(m, "expected TIME KIND");
	if (maker_kind(m, kind, &d.kind))
		return -1;
	d.layout = layout_of(d.kind);
	ret = maker_begin(m, m->time);
	while (!ret && (word = maker_word(&rest)))
		ret = set_field(m, &d, word);
	if (!ret) {
		fill_draft(m, &d);
		ret = put_draft(m, &d);
	}
	for (int i = 0; i < KT_STRINGS; i++)
		free(d.strings[i]);
	return ret;
}
