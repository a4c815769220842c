// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * place.c - the path of a cgroup to systemd's unit and a container's name, by the
 * names that systemd, docker, podman, containerd, CRI-O, LXC and nspawn give.
 */
#include <ctype.h>
#include <string.h>

#include "place.h"

#define ID_SHOWN	12		/* hex digits, as docker ps shows */

static bool ends_in(const char *s, size_t n, const char *suffix)
{
	size_t len = strlen(suffix);

	return n > len && !memcmp(s + n - len, suffix, len);
}

static bool begins_with(const char *s, size_t n, const char *prefix)
{
	size_t len = strlen(prefix);

	return n > len && !memcmp(s, prefix, len);
}

static bool is_unit(const char *s, size_t n)
{
	static const char *const kinds[] = { ".service", ".scope", ".socket", ".mount", ".swap" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ends_in(s, n, kinds[i]))
			return true;
	return false;
}

/* The innermost unit; a slice only where there is nothing else. */
struct ktally_str place_unit(const char *path)
{
	struct ktally_str unit = { "", 0 }, slice = { "", 0 };

	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");

		if (is_unit(p, n))
			unit = (struct ktally_str){ p, n };
		else if (ends_in(p, n, ".slice"))
			slice = (struct ktally_str){ p, n };
		p += n;
		p += *p == '/';
	}
	return unit.len ? unit : slice;
}

/* 64 hex digits anywhere in a component: what docker, podman, containerd and CRI-O use. */
static struct ktally_str find_id(const char *s, size_t n)
{
	size_t run = 0;

	for (size_t i = 0; i < n; i++) {
		run = isxdigit((unsigned char)s[i]) ? run + 1 : 0;
		if (run == PLACE_ID_LEN)
			return (struct ktally_str){ s + i + 1 - PLACE_ID_LEN, ID_SHOWN };
	}
	return (struct ktally_str){ "", 0 };
}

static struct ktally_str between(const char *s, size_t n, const char *prefix, const char *suffix)
{
	size_t before = strlen(prefix), after = strlen(suffix);

	if (n <= before + after || !begins_with(s, n, prefix) || (after && !ends_in(s, n, suffix)))
		return (struct ktally_str){ "", 0 };
	return (struct ktally_str){ s + before, n - before - after };
}

static struct ktally_str container_of(const char *s, size_t n)
{
	static const char *const named[][2] = {
		{ "lxc.payload.", "" }, { "machine-", ".scope" }, { "systemd-nspawn@", ".service" },
	};
	struct ktally_str c = find_id(s, n);

	for (size_t i = 0; !c.len && i < sizeof(named) / sizeof(named[0]); i++)
		c = between(s, n, named[i][0], named[i][1]);
	return c;
}

struct ktally_str place_container(const char *path)
{
	struct ktally_str found = { "", 0 };

	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		struct ktally_str c = container_of(p, n);

		if (c.len)
			found = c;
		p += n;
		p += *p == '/';
	}
	return found;
}

bool place_id(struct ktally_str container, char id[PLACE_ID_LEN + 1])
{
	if (container.len != ID_SHOWN)
		return false;
	for (size_t i = 0; i < PLACE_ID_LEN; i++) {
		if (!isxdigit((unsigned char)container.p[i]))
			return false;
		id[i] = container.p[i];
	}
	id[PLACE_ID_LEN] = '\0';
	return true;
}
