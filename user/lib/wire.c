// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * wire.c - bytes of a sub-buffer to records. Descriptions are parsed once by
 * libtraceevent; what is kept of each is a plan of copies, so that a record costs
 * a few memcpy. Everything read here may be damaged or hostile: every length and
 * offset is checked before use, with arithmetic that can't wrap. No I/O.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "description.h"
#include "error.h"
#include "layout.h"
#include "wire.h"

#define COPIES_MAX	64		/* as many as fields: `present` has 64 bits */

/* Bytes that go from the payload to the host struct as they are. */
struct copy {
	uint16_t from, to, size;
};

/* A number whose size differs between stream and host. */
struct convert {
	uint16_t from, to;
	uint8_t from_size, to_size;
	bool is_signed;
};

struct plan {
	bool usable;
	uint8_t n_copies, n_converts, n_strings;
	uint16_t need;			/* bytes the fixed part spans in the payload */
	uint16_t size;			/* of the host struct */
	uint64_t present;
	uint64_t measured;		/* usage fields that the stream has: mask for known */
	int known_at, upper_at;		/* offsets of known and upper in the host struct, -1: none */
	struct copy copies[COPIES_MAX];
	struct convert converts[COPIES_MAX];
	struct {
		uint16_t from;
		uint8_t index;
		bool bytes;		/* a final NUL belongs to it */
	} strings[KTALLY_STRINGS];
};

struct description {
	char *text;
	uint32_t len, total;		/* collected, expected */
	bool whole;
};

struct ktally_wire {
	struct error error;
	struct tep_handle *tep;
	struct plan *plans[KTALLY_KINDS];
	struct description descriptions[KTALLY_KINDS];
};

/* ---- frames ---- */

void ktally_cursor_init(struct ktally_cursor *c, const void *buf, size_t n)
{
	memset(c, 0, sizeof(*c));
	c->buf = buf;
	c->n = n;
}

static bool frame_fits(const struct ktally_record *r, size_t left)
{
	return r->len >= sizeof(*r) + sizeof(struct ktally_common) && r->len % 8 == 0 &&
	       r->len <= left && r->len <= KTALLY_RECORD_MAX;
}

/* The header is frozen, so it is read without a description. */
static int take_header(struct ktally_cursor *c, struct ktally_event *ev)
{
	const struct ktally_header *h = ev->payload;

	if (ev->payload_len < sizeof(*h) || h->magic != KTALLY_MAGIC ||
	    h->version != KTALLY_STREAM_VERSION)
		return -EBADMSG;
	c->cpu = h->cpu;
	c->session = h->session;
	c->load_id = h->load_id;
	c->first_seq = h->first_seq;
	c->headed = true;
	return 0;
}

int wire_frame(struct ktally_cursor *c, struct ktally_event *ev)
{
	const struct ktally_record *r;
	const struct ktally_common *common;
	size_t left = c->n - c->pos;

	if (!left)
		return 0;
	r = (const void *)(c->buf + c->pos);
	common = (const void *)(r + 1);
	if (left < sizeof(*r) + sizeof(*common) || (uintptr_t)r % 8 || !frame_fits(r, left))
		return -EBADMSG;
	ev->record = r;
	ev->payload = common;
	ev->payload_len = r->len - sizeof(*r);
	ev->kind = common->type;
	ev->time = r->time;
	if (ev->kind == KTALLY_HEADER ? take_header(c, ev) : !c->headed)
		return -EBADMSG;
	ev->cpu = c->cpu;
	ev->session = c->session;
	ev->load_id = c->load_id;
	ev->boot = 0;
	/* A sub-buffer spans far less than 2^32 attempts, so 32 bits tell the distance. */
	ev->seq = ev->kind == KTALLY_HEADER ? c->first_seq :
		  c->first_seq + (uint32_t)(r->seq - (uint32_t)c->first_seq);
	c->pos += r->len;
	return 1;
}

/* ---- descriptions ---- */

struct ktally_wire *ktally_wire_open(void)
{
	struct ktally_wire *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->tep = tep_alloc();
	if (!w->tep) {
		free(w);
		return NULL;
	}
	/* A library does not print; what is refused is told by our own line. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(w->tep, sizeof(long));
	tep_set_file_bigendian(w->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	return w;
}

void ktally_wire_close(struct ktally_wire *w)
{
	if (!w)
		return;
	for (int i = 0; i < KTALLY_KINDS; i++) {
		free(w->plans[i]);
		free(w->descriptions[i].text);
	}
	tep_free(w->tep);
	free(w);
}

const char *ktally_wire_error(const struct ktally_wire *w)
{
	return error_text(w ? &w->error : NULL);
}

const char *ktally_wire_description(const struct ktally_wire *w, uint32_t kind, size_t *len)
{
	if (kind >= KTALLY_KINDS || !w->descriptions[kind].whole)
		return NULL;
	if (len)
		*len = w->descriptions[kind].len;
	return w->descriptions[kind].text;
}

/* Widens the last copy when this one follows it on both sides: most plans end as one. */
static void add_copy(struct plan *p, uint16_t from, uint16_t to, uint16_t size)
{
	struct copy *last = p->n_copies ? &p->copies[p->n_copies - 1] : NULL;

	if (last && last->from + last->size == from && last->to + last->size == to)
		last->size += size;
	else
		p->copies[p->n_copies++] = (struct copy){ from, to, size };
}

static bool is_number_size(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool plan_number(struct plan *p, const struct tep_format_field *f,
			const struct layout_field *own)
{
	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		return false;
	if ((unsigned int)f->size == own->size) {
		add_copy(p, f->offset, own->offset, own->size);
		return true;
	}
	/* Arrays may have grown: what both sides have is at the front. */
	if (own->element != own->size && f->elementsize == own->element && f->size > own->size) {
		add_copy(p, f->offset, own->offset, own->size);
		return true;
	}
	if (own->element != own->size || f->flags & TEP_FIELD_IS_ARRAY || !is_number_size(f->size))
		return false;
	p->converts[p->n_converts++] = (struct convert){
		.from = f->offset, .to = own->offset,
		.from_size = f->size, .to_size = own->size,
		.is_signed = f->flags & TEP_FIELD_IS_SIGNED,
	};
	return true;
}

static bool plan_string(struct plan *p, const struct tep_format_field *f,
			const struct layout_field *own, unsigned int index)
{
	if (!(f->flags & TEP_FIELD_IS_DYNAMIC) || f->flags & TEP_FIELD_IS_RELATIVE ||
	    f->size != 4 || index >= KTALLY_STRINGS)
		return false;
	p->strings[p->n_strings].from = f->offset;
	p->strings[p->n_strings].index = index;
	p->strings[p->n_strings].bytes = !strcmp(own->name, "argv") || !strcmp(own->name, "data");
	p->n_strings++;
	return true;
}

static const struct tep_format_field *find_field(const struct tep_event *e, const char *name)
{
	for (const struct tep_format_field *f = e->format.fields; f; f = f->next)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static bool field_in_reach(const struct tep_format_field *f)
{
	return f->offset >= (int)sizeof(struct ktally_common) && f->size > 0 &&
	       f->offset <= KTALLY_RECORD_MAX && f->size <= KTALLY_RECORD_MAX;
}

static bool has_field(const struct plan *p, const struct layout *l, const char *name)
{
	for (unsigned int i = 0; i < l->n_fields; i++)
		if (!strcmp(l->fields[i].name, name))
			return p->present >> i & 1;
	return false;
}

/* known and upper speak of the fields behind them, in order, and of groups by one field of each. */
static void plan_measured(struct plan *p, const struct layout *l)
{
	static const struct { unsigned int bit; const char *field; } groups[] = {
		{ KTALLY_U_NET, "net_phys" }, { KTALLY_U_TCP_PAYLOAD, "tcp_rx" },
		{ KTALLY_U_UDP_PAYLOAD, "udp_rx" },
	};
	unsigned int first = 0;

	p->known_at = p->upper_at = -1;
	for (unsigned int i = 0; i < l->n_fields; i++) {
		if (!strcmp(l->fields[i].name, "known"))
			p->known_at = l->fields[i].offset;
		if (!strcmp(l->fields[i].name, "upper")) {
			p->upper_at = l->fields[i].offset;
			first = i + 1;
		}
	}
	p->measured = ~0ULL;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!has_field(p, l, groups[i].field))
			p->measured &= ~(1ULL << groups[i].bit);
	for (unsigned int bit = 0; first && bit <= KTALLY_U_MAXRSS; bit++)
		if (!(p->present >> (first + bit) & 1))
			p->measured &= ~(1ULL << bit);
}

/* Without knowing which life it is about a record is of no use. */
static bool names_its_life(const struct plan *p, const struct layout *l)
{
	if (l->n_fields < 3 || strcmp(l->fields[0].name, "tgid") || strcmp(l->fields[2].name, "start"))
		return true;
	return (p->present & 5) == 5;
}

static void make_plan(struct plan *p, const struct tep_event *e, const struct layout *l)
{
	unsigned int n_strings = 0;
	unsigned int need = 0;

	p->size = l->size;
	for (unsigned int i = 0; i < l->n_fields; i++) {
		const struct layout_field *own = &l->fields[i];
		const struct tep_format_field *f = find_field(e, own->name);
		unsigned int index = own->element ? 0 : n_strings++;
		bool ok = f && field_in_reach(f) &&
			  (own->element ? plan_number(p, f, own) : plan_string(p, f, own, index));

		if (!ok)
			continue;
		p->present |= 1ULL << i;
		if ((unsigned int)(f->offset + f->size) > need)
			need = f->offset + f->size;
	}
	p->need = need;
	plan_measured(p, l);
	p->usable = names_its_life(p, l);
}

static struct tep_event *parse(struct tep_handle *tep, int id, const char *text, size_t len)
{
	struct tep_event *e;

	/* tep_parse_event() may return 0 for what it did not understand: ask the event. */
	if (tep_parse_event(tep, text, len, "ktally") != TEP_ERRNO__SUCCESS)
		return NULL;
	e = tep_find_event(tep, id);
	return e && !(e->flags & TEP_EVENT_FL_FAILED) ? e : NULL;
}

/* The fields as they are described, and words in place of a print format of another form. */
static struct tep_event *parse_fields(struct tep_handle *tep, const struct description_facts *d,
				      const char *text)
{
	static const char words[] = "print fmt: \"(printed by a newer ktally)\"\n";
	char *copy = malloc(d->print_at + sizeof(words));
	struct tep_event *e;

	if (!copy)
		return NULL;
	memcpy(copy, text, d->print_at);
	memcpy(copy + d->print_at, words, sizeof(words));
	e = parse(tep, d->id, copy, d->print_at + sizeof(words) - 1);
	free(copy);
	return e;
}

static int take_in(struct ktally_wire *w, const struct description_facts *d, const char *text,
		   size_t len)
{
	const struct layout *l = layout_of(d->id);
	struct tep_event *e = d->printable ? parse(w->tep, d->id, text, len) :
					     parse_fields(w->tep, d, text);

	if (!e)
		return error_set(&w->error, -EBADMSG, "the description of kind %d was not understood", d->id);
	if (!l)
		return 0;
	w->plans[d->id] = calloc(1, sizeof(struct plan));
	if (!w->plans[d->id])
		return error_set(&w->error, -ENOMEM, "out of memory");
	make_plan(w->plans[d->id], e, l);
	return 0;
}

static int keep_text(struct ktally_wire *w, struct description *d, const char *text, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return error_set(&w->error, -ENOMEM, "out of memory");
	memcpy(copy, text, len);
	copy[len] = '\0';
	free(d->text);
	d->text = copy;
	d->len = d->total = len;
	d->whole = true;
	return 0;
}

int ktally_wire_describe(struct ktally_wire *w, const char *text, size_t len)
{
	struct description_facts facts;
	struct description *d;
	int ret;

	while (len && text[len - 1] == '\0')
		len--;
	if (!description_check(text, len, &facts) || !facts.id || facts.id >= KTALLY_KINDS)
		return error_set(&w->error, -EBADMSG, "a description is damaged");
	d = &w->descriptions[facts.id];
	if (d->whole)
		return d->len == len && !memcmp(d->text, text, len) ? 0 :
		       error_set(&w->error, -EEXIST, "kind %d is described twice, differently", facts.id);
	ret = take_in(w, &facts, text, len);
	return ret ? ret : keep_text(w, d, text, len);
}

/* Descriptions longer than a record come in pieces, in order. */
static int take_piece(struct ktally_wire *w, uint32_t id, const struct ktally_event *ev)
{
	const struct ktally_format *f = &ev->u.format;
	struct description *d = &w->descriptions[id];
	uint32_t len = ev->str[0].len;
	char *whole;
	int ret;

	if (f->offset == 0)
		d->len = 0;
	if (f->offset != d->len || len > f->total - f->offset || (f->offset && f->total != d->total))
		return 0;		/* a piece was lost: the kind stays undescribed */
	if (f->offset == 0) {
		free(d->text);
		d->total = f->total;
		d->text = malloc(f->total + 1);
		if (!d->text)
			return -ENOMEM;
	}
	memcpy(d->text + d->len, ev->str[0].p, len);
	d->len += len;
	if (d->len < d->total)
		return 0;
	whole = d->text;
	d->text = NULL;
	ret = ktally_wire_describe(w, whole, d->total);
	free(whole);
	return ret;
}

static int take_format(struct ktally_wire *w, const struct ktally_event *ev)
{
	const struct ktally_format *f = &ev->u.format;

	if (!ev->str[0].p || f->total > DESCRIPTION_MAX || f->offset >= f->total)
		return -EBADMSG;
	if (f->id >= KTALLY_KINDS)
		return 0;
	if (!w->descriptions[f->id].whole)
		return take_piece(w, f->id, ev);
	if (f->total == ev->str[0].len)
		return ktally_wire_describe(w, ev->str[0].p, f->total);
	return 0;
}

/* ---- decoding ---- */

static uint64_t load_number(const unsigned char *p, unsigned int size, bool is_signed)
{
	union { uint8_t u1; uint16_t u2; uint32_t u4; uint64_t u8; } v;

	memcpy(&v, p, size);
	switch (size) {
	case 1: return is_signed ? (uint64_t)(int8_t)v.u1 : v.u1;
	case 2: return is_signed ? (uint64_t)(int16_t)v.u2 : v.u2;
	case 4: return is_signed ? (uint64_t)(int32_t)v.u4 : v.u4;
	}
	return v.u8;
}

static void store_number(unsigned char *p, unsigned int size, uint64_t v)
{
	union { uint8_t u1; uint16_t u2; uint32_t u4; uint64_t u8; } n;

	switch (size) {
	case 1: n.u1 = v; break;
	case 2: n.u2 = v; break;
	case 4: n.u4 = v; break;
	default: n.u8 = v;
	}
	memcpy(p, &n, size);
}

static bool take_string(const struct ktally_event *ev, uint16_t from, bool bytes,
			struct ktally_str *s)
{
	uint32_t loc, offset, len;

	memcpy(&loc, (const char *)ev->payload + from, sizeof(loc));
	offset = loc & 0xffff;
	len = loc >> 16;
	if (offset + len > ev->payload_len)
		return false;
	if (!len)
		return true;
	s->p = (const char *)ev->payload + offset;
	s->len = len - (!bytes && s->p[len - 1] == '\0');
	return true;
}

static int run_plan(const struct plan *p, struct ktally_event *ev)
{
	unsigned char *to = (unsigned char *)&ev->u;
	const unsigned char *from = ev->payload;

	if (ev->payload_len < p->need)
		return -EBADMSG;
	memcpy(to, from, sizeof(struct ktally_common));
	if (p->n_copies != 1 || p->n_converts || p->copies[0].size + sizeof(struct ktally_common) != p->size)
		memset(to + sizeof(struct ktally_common), 0, p->size - sizeof(struct ktally_common));
	for (unsigned int i = 0; i < p->n_copies; i++)
		memcpy(to + p->copies[i].to, from + p->copies[i].from, p->copies[i].size);
	for (unsigned int i = 0; i < p->n_converts; i++) {
		const struct convert *c = &p->converts[i];

		store_number(to + c->to, c->to_size,
			     load_number(from + c->from, c->from_size, c->is_signed));
	}
	for (unsigned int i = 0; i < p->n_strings; i++)
		if (!take_string(ev, p->strings[i].from, p->strings[i].bytes,
				 &ev->str[p->strings[i].index]))
			return -EBADMSG;
	return 0;
}

static void mask_known(const struct plan *p, struct ktally_event *ev)
{
	unsigned char *u = (unsigned char *)&ev->u;
	uint64_t known;

	if (p->known_at < 0 || p->measured == ~0ULL)
		return;
	memcpy(&known, u + p->known_at, sizeof(known));
	known &= p->measured;
	memcpy(u + p->known_at, &known, sizeof(known));
}

static int decode_frozen(struct ktally_event *ev)
{
	bool header = ev->kind == KTALLY_HEADER;
	size_t size = header ? sizeof(ev->u.header) : sizeof(ev->u.format);

	if (ev->payload_len < size)
		return -EBADMSG;
	memcpy(&ev->u, ev->payload, size);
	ev->present = ~0ULL;
	ev->decoded = true;
	if (!header && !take_string(ev, offsetof(struct ktally_format, text), true, &ev->str[0]))
		return -EBADMSG;
	return 0;
}

int wire_decode(struct ktally_wire *w, struct ktally_event *ev)
{
	const struct plan *p;
	int ret;

	ev->decoded = false;
	ev->present = 0;
	memset(ev->str, 0, sizeof(ev->str));
	if (ev->kind == KTALLY_HEADER)
		return decode_frozen(ev);
	if (ev->kind == KTALLY_FORMAT) {
		ret = decode_frozen(ev);
		return ret ? ret : take_format(w, ev);
	}
	p = ev->kind < KTALLY_KINDS ? w->plans[ev->kind] : NULL;
	if (!p || !p->usable)
		return 0;
	ret = run_plan(p, ev);
	if (ret)
		return ret;
	mask_known(p, ev);
	ev->present = p->present;
	ev->decoded = true;
	return 0;
}

int ktally_wire_next(struct ktally_wire *w, struct ktally_cursor *c, struct ktally_event *ev)
{
	size_t at = c->pos;
	int ret = wire_frame(c, ev);

	if (ret <= 0)
		return ret < 0 ? error_set(&w->error, ret, "damaged at byte %zu of its block", at) : 0;
	ret = wire_decode(w, ev);
	if (ret)
		c->pos = at;
	return ret ? ret : 1;
}

/*
 * libtraceevent trusts a record: it reads every field that is described, and a string
 * up to its NUL. So it gets a copy with zeroes behind, as long as a record can be.
 */
static int print_described(struct ktally_wire *w, const struct ktally_event *ev, char *buf, size_t n)
{
	char copy[KTALLY_RECORD_MAX + 8] = { 0 };
	struct tep_record record = {
		.ts = ev->time, .size = ev->payload_len, .data = copy, .cpu = ev->cpu,
	};
	struct trace_seq seq;
	int len;

	memcpy(copy, ev->payload, ev->payload_len);
	trace_seq_init(&seq);
	tep_print_event(w->tep, &seq, &record, "%s: %s", TEP_PRINT_NAME, TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	len = snprintf(buf, n, "%s", seq.buffer);
	trace_seq_destroy(&seq);
	return len;
}

int ktally_wire_print(struct ktally_wire *w, const struct ktally_event *ev, char *buf, size_t n)
{
	const char *name = ktally_kind_name(ev->kind);

	if (ev->kind < KTALLY_KINDS && w->descriptions[ev->kind].whole)
		return print_described(w, ev, buf, n);
	return snprintf(buf, n, "%s: %u bytes without a description", name ? name : "unknown kind",
			ev->payload_len);
}
