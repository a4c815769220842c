// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * redact.c - overwrites secrets in the arguments of a sub-buffer, before anybody keeps
 * it: lengths stay, so that every record is what it was but for these bytes.
 *
 * A secret is what stands behind a name that matches: in the same word behind = or :,
 * or the next word if the name begins with -. Names within a word count too, since
 * `sh -c` has a whole script in one and an address its parameters. Long arguments come
 * in pieces, so this reads byte by byte and remembers where it was, by CPU; a piece
 * whose beginning was not seen is overwritten whole.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "wire.h"

#define NAME_MAX_BYTES	64

/* Where in an argument list it is. */
struct scan {
	enum { NAME, SECRET } in;
	bool next_is_secret;
	bool option;			/* the name began with - */
	uint8_t n;
	char name[NAME_MAX_BYTES + 1];
};

/* Arguments that are not at their end yet. */
struct unfinished {
	uint64_t start;
	uint32_t tgid, image, offset;
	bool seen;
	struct scan scan;
};

struct ktally_redact {
	char **patterns;
	size_t n;
	struct unfinished *cpus;
	size_t n_cpus;
};

/* ---- names ---- */

static bool is_secret(const struct ktally_redact *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!fnmatch(r->patterns[i], name, FNM_CASEFOLD))
			return true;
	return false;
}

/* The name ends here; true: it is one that is meant. */
static bool end_name(const struct ktally_redact *r, struct scan *s)
{
	bool secret;

	s->name[s->n < NAME_MAX_BYTES ? s->n : NAME_MAX_BYTES] = '\0';
	secret = s->n && s->n <= NAME_MAX_BYTES && is_secret(r, s->name);
	s->n = 0;
	return secret;
}

static void begin_word(struct scan *s)
{
	s->in = s->next_is_secret ? SECRET : NAME;
	s->next_is_secret = s->option = false;
	s->n = 0;
}

static bool is_of_name(unsigned char c)
{
	return isalnum(c) || c == '_' || c == '-' || c == '.' || c >= 0x80;
}

static void add_to_name(struct scan *s, char c)
{
	if (!s->n && c == '-') {
		s->option = true;
		return;
	}
	if (s->n < NAME_MAX_BYTES)
		s->name[s->n] = c;
	if (s->n <= NAME_MAX_BYTES)
		s->n++;
}

/* A byte behind a name within a word: does a secret begin? */
static bool begins_secret(const struct ktally_redact *r, struct scan *s, unsigned char c)
{
	bool option = s->option, secret = end_name(r, s);

	s->option = false;
	return secret && (c == '=' || c == ':' || (option && isspace(c)));
}

static void scan(const struct ktally_redact *r, struct scan *s, char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (!c) {
			if (s->in == NAME) {
				bool option = s->option;

				s->next_is_secret = end_name(r, s) && option;
			}
			begin_word(s);
		} else if (s->in == SECRET) {
			p[i] = '*';
		} else if (is_of_name(c)) {
			add_to_name(s, p[i]);
		} else if (begins_secret(r, s, c)) {
			s->in = SECRET;
		}
	}
}

/* ---- records ---- */

static void overwrite(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = p[i] ? '*' : '\0';
}

static struct unfinished *at_cpu(struct ktally_redact *r, uint32_t cpu)
{
	size_t n = (size_t)cpu + 1;
	struct unfinished *p;

	if (cpu < r->n_cpus)
		return &r->cpus[cpu];
	p = cpu < CONTAINER_CPUS ? realloc(r->cpus, n * sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	memset(p + r->n_cpus, 0, (n - r->n_cpus) * sizeof(*p));
	r->cpus = p;
	r->n_cpus = n;
	return &p[cpu];
}

static void begin_list(struct ktally_redact *r, const struct ktally_event *ev, char *p, size_t n)
{
	const struct ktally_exec *e = ev->payload;
	struct unfinished *u = at_cpu(r, ev->cpu);
	struct scan first = { .in = NAME };

	scan(r, &first, p, n);
	if (u)
		*u = (struct unfinished){ e->start, e->tgid, e->image, n, true, first };
}

static void go_on(struct ktally_redact *r, const struct ktally_event *ev, char *p, size_t n)
{
	const struct ktally_args *a = ev->payload;
	struct unfinished *u = at_cpu(r, ev->cpu);

	if (!u || !u->seen || u->start != a->start || u->tgid != a->tgid || u->image != a->image ||
	    u->offset != a->offset) {
		overwrite(p, n);
		return;
	}
	scan(r, &u->scan, p, n);
	u->offset += n;
}

/*
 * Where a record has its arguments. Fields keep their places in all versions of the
 * stream's one version, so this does not wait for descriptions: a CPU's sub-buffer may be
 * read before that of the CPU where they lie.
 */
static bool find_words(const struct ktally_event *ev, char **p, size_t *n)
{
	static const uint16_t at[KTALLY_KINDS] = {
		[KTALLY_EXEC] = offsetof(struct ktally_exec, argv),
		[KTALLY_ARGS] = offsetof(struct ktally_args, data),
		[KTALLY_TASK] = offsetof(struct ktally_task, argv),
		[KTALLY_EXIT] = offsetof(struct ktally_exit, argv),
	};
	uint32_t loc;

	*n = 0;
	if (ev->kind >= KTALLY_KINDS || !at[ev->kind])
		return true;
	if (ev->payload_len < at[ev->kind] + sizeof(loc))
		return false;
	memcpy(&loc, (const char *)ev->payload + at[ev->kind], sizeof(loc));
	*n = loc >> 16;
	*p = (char *)ev->payload + (loc & 0xffff);	/* into the caller's sub-buffer */
	return (loc & 0xffff) + (loc >> 16) <= ev->payload_len;
}

static void redact_words(struct ktally_redact *r, const struct ktally_event *ev, char *p, size_t n)
{
	if (ev->kind == KTALLY_EXEC)
		begin_list(r, ev, p, n);
	else if (ev->kind == KTALLY_ARGS)
		go_on(r, ev, p, n);
	else
		scan(r, &(struct scan){ .in = NAME }, p, n);
}

int ktally_redact_subbuf(struct ktally_redact *r, void *subbuf, size_t n)
{
	struct ktally_cursor c;
	struct ktally_event ev;
	size_t len;
	char *p;
	int ret;

	ktally_cursor_init(&c, subbuf, n);
	while ((ret = wire_frame(&c, &ev)) == 1) {
		if (!find_words(&ev, &p, &len))
			return -EBADMSG;	/* what can't be read can't be kept from others */
		if (len)
			redact_words(r, &ev, p, len);
	}
	return ret;
}

void ktally_redact_words(const struct ktally_redact *r, char *words, size_t n)
{
	struct scan s = { .in = NAME };

	scan(r, &s, words, n);
}

/* ---- patterns ---- */

struct ktally_redact *ktally_redact_open(const char *const *patterns, size_t n)
{
	struct ktally_redact *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->patterns = calloc(n + 1, sizeof(*r->patterns));
	for (; r->patterns && r->n < n; r->n++) {
		r->patterns[r->n] = strdup(patterns[r->n] + strspn(patterns[r->n], "-"));
		if (!r->patterns[r->n])
			break;
	}
	if (r->patterns && r->n == n)
		return r;
	ktally_redact_close(r);
	return NULL;
}

void ktally_redact_close(struct ktally_redact *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		free(r->patterns[i]);
	free(r->patterns);
	free(r->cpus);
	free(r);
}
