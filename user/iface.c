// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iface.c - network interfaces: found by address with getifaddrs(), counters from
 * sysfs, which has all 64 bits of them.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iface.h"

/* The address as text, "" for other families. */
static void address_text(const struct sockaddr *sa, char *text, size_t n)
{
	text[0] = '\0';
	if (sa && sa->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, text, (socklen_t)n);
	else if (sa && sa->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, text,
			  (socklen_t)n);
}

/* The spelling that address_text() has: 2001:DB8::1, 10.000.0.1 and such are understood. */
static void usual_spelling(const char *word, char *text, size_t n)
{
	unsigned char raw[sizeof(struct in6_addr)];

	snprintf(text, n, "%s", word);
	if (inet_pton(AF_INET, word, raw) == 1)
		inet_ntop(AF_INET, raw, text, (socklen_t)n);
	else if (inet_pton(AF_INET6, word, raw) == 1)
		inet_ntop(AF_INET6, raw, text, (socklen_t)n);
}

static bool there_is(const char *name, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	return !access(path, F_OK);
}

static void classify(struct iface *i, unsigned int flags)
{
	if (flags & IFF_LOOPBACK)
		i->class = IFACE_LOOPBACK;
	else
		i->class = there_is(i->name, "device") ? IFACE_PHYSICAL : IFACE_VIRTUAL;
}

static void list_one(const struct ifaddrs *a, const char *text, char *why, size_t n)
{
	size_t at = strlen(why);

	if (*text && at < n)
		snprintf(why + at, n - at, "%s%s %s", at ? ", " : "", a->ifa_name, text);
}

int iface_find(struct iface *i, const char *word, char *why, size_t n)
{
	char want[80], text[80];
	struct ifaddrs *all;
	int err = -ENODEV;

	usual_spelling(word, want, sizeof(want));
	why[0] = '\0';
	if (getifaddrs(&all))
		return -errno;
	for (struct ifaddrs *a = all; a && err; a = a->ifa_next) {
		address_text(a->ifa_addr, text, sizeof(text));
		list_one(a, text, why, n);
		if ((!*text || strcmp(want, text)) && strcmp(word, a->ifa_name))
			continue;
		snprintf(i->name, sizeof(i->name), "%s", a->ifa_name);
		snprintf(i->label, sizeof(i->label), strcmp(word, a->ifa_name) ? "%s %s" : "%s", a->ifa_name, word);
		classify(i, a->ifa_flags);
		err = 0;
	}
	freeifaddrs(all);
	return err;
}

static bool read_counter(const char *name, const char *which, uint64_t *to)
{
	char path[128];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", name, which);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fscanf(f, "%" SCNu64, to) == 1;
	fclose(f);
	return ok;
}

bool iface_read(const struct iface *i, struct iface_counts *c)
{
	return read_counter(i->name, "rx_bytes", &c->rx_bytes) &&
	       read_counter(i->name, "tx_bytes", &c->tx_bytes);
}

bool iface_read_physical(struct iface_counts *c)
{
	DIR *dir = opendir("/sys/class/net");
	bool any = false;

	*c = (struct iface_counts){ 0, 0 };
	for (struct dirent *d; dir && (d = readdir(dir));) {
		struct iface i = { .class = IFACE_PHYSICAL };
		struct iface_counts one;

		snprintf(i.name, sizeof(i.name), "%.15s", d->d_name);
		if (d->d_name[0] == '.' || !there_is(i.name, "device") || !iface_read(&i, &one))
			continue;
		c->rx_bytes += one.rx_bytes;
		c->tx_bytes += one.tx_bytes;
		any = true;
	}
	if (dir)
		closedir(dir);
	return any;
}
