// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * units.c - the text of `systemctl show` to units: paragraphs of KEY=VALUE. Systemd's
 * monotonic microseconds are BOOTTIME's as long as the machine never slept, which it
 * has not while it boots.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

static bool is_key(const char *line, size_t len, const char *key, const char **value)
{
	size_t n = strlen(key);

	if (len <= n || memcmp(line, key, n) || line[n] != '=')
		return false;
	*value = line + n + 1;
	return true;
}

static int take_line(struct units *u, struct arena *a, struct unit *unit, const char *line,
		     size_t len)
{
	const char *value;
	const char **text = NULL;

	if (is_key(line, len, "InactiveExitTimestampMonotonic", &value))
		unit->begin = strtoull(value, NULL, 10) * 1000;
	else if (is_key(line, len, "ActiveEnterTimestampMonotonic", &value))
		unit->active = strtoull(value, NULL, 10) * 1000;
	else if (is_key(line, len, "InactiveEnterTimestampMonotonic", &value))
		unit->over = strtoull(value, NULL, 10) * 1000;
	else if (is_key(line, len, "Id", &value))
		text = &unit->id;
	else if (is_key(line, len, "After", &value))
		text = &unit->after_text;
	else if (is_key(line, len, "DefaultTarget", &value))
		text = &u->target;
	if (!text)
		return 0;
	*text = arena_copy(a, value, len - (size_t)(value - line));
	return *text ? 0 : -ENOMEM;
}

static int compare_ids(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return strcmp(x->id, y->id);
}

/* A oneshot that leaves nothing behind is never active: what waits for it waits for its end. */
static void add_unit(struct units *u, const struct unit *unit)
{
	struct unit *to = &u->all[u->n++];

	*to = *unit;
	if (to->active < to->begin && to->over >= to->begin)
		to->active = to->over;
}

static int read_paragraphs(struct units *u, struct arena *a, const char *text)
{
	struct unit unit = { .id = NULL };
	int ret = 0;

	while (*text && !ret) {
		size_t len = strcspn(text, "\n");

		ret = take_line(u, a, &unit, text, len);
		text += len;
		text += *text == '\n';
		if (len && *text)
			continue;
		if (unit.id)
			add_unit(u, &unit);
		memset(&unit, 0, sizeof(unit));
	}
	return ret;
}

static size_t count_ids(const char *text)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, "Id=")); p++)
		n += p == text || p[-1] == '\n';
	return n;
}

static int link_after(const struct units *u, struct arena *a, struct unit *unit)
{
	const char *p = unit->after_text;
	size_t words = 1;

	if (!p)
		return 0;
	for (const char *q = p; *q; q++)
		words += *q == ' ';
	unit->after = arena_alloc(a, words * sizeof(*unit->after));
	if (!unit->after)
		return -ENOMEM;
	while (*p) {
		size_t len = strcspn(p, " ");
		const struct unit *other = units_find(u, p, len);

		if (other && other != unit)
			unit->after[unit->n_after++] = other;
		p += len;
		p += *p == ' ';
	}
	return 0;
}

int units_read(struct units *u, struct arena *a, const char *text)
{
	int ret;

	memset(u, 0, sizeof(*u));
	u->all = arena_alloc(a, (count_ids(text) + 1) * sizeof(*u->all));
	ret = u->all ? read_paragraphs(u, a, text) : -ENOMEM;
	if (ret)
		return ret;
	qsort(u->all, u->n, sizeof(*u->all), compare_ids);
	for (size_t i = 0; i < u->n && !ret; i++)
		ret = link_after(u, a, &u->all[i]);
	return ret;
}

const struct unit *units_find(const struct units *u, const char *id, size_t len)
{
	size_t low = 0, high = u->n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = strncmp(u->all[mid].id, id, len);

		if (!c && !u->all[mid].id[len])
			return &u->all[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
