// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * file_head.c - what stands in a recording beside records: its machine, the root of its
 * tree, the descriptions, notes. Asks the system for names and clocks; puts blocks by
 * file.c alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "file.h"

#define MACHINE_MAX	8192		/* bytes of the machine block's strings */

struct strings {
	char text[MACHINE_MAX];
	size_t n;
};

/* Left out when it does not fit: a head without it is better than none. */
static void add_string(struct strings *s, const char *key, const char *value)
{
	size_t left = sizeof(s->text) - s->n;
	int n = snprintf(s->text + s->n, left, "%s=%s", key, value);

	if (n >= 0 && (size_t)n < left)
		s->n += n + 1;
}

static void add_number(struct strings *s, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	add_string(s, key, text);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void read_boot_id(char *id, size_t n)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	id[0] = '\0';
	if (!f)
		return;
	if (fgets(id, n, f))
		id[strcspn(id, "\n")] = '\0';
	fclose(f);
}

static void add_base(struct strings *s, const struct ktally_file *f)
{
	char key[16];

	add_number(s, "continues", 1);
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		if (!f->base[kind])
			continue;
		snprintf(key, sizeof(key), "base%d", kind);
		add_number(s, key, f->base[kind]);
	}
}

static void add_root(struct strings *s, uint32_t tgid, uint64_t start)
{
	add_number(s, "root_tgid", tgid);
	add_number(s, "root_start", start);
}

static int put_machine(struct ktally_file *f, const struct ktally_file_options *o)
{
	struct block_head h = { .type = BLOCK_MACHINE };
	struct strings s = { .n = 0 };
	struct utsname u = { 0 };
	char boot_id[40];

	uname(&u);
	read_boot_id(boot_id, sizeof(boot_id));
	add_string(&s, "boot_id", o->boot_id ? o->boot_id : boot_id);
	add_string(&s, "host", o->host ? o->host : u.nodename);
	add_string(&s, "release", o->release ? o->release : u.release);
	add_string(&s, "machine", o->machine ? o->machine : u.machine);
	add_number(&s, "boottime", o->boottime ? o->boottime : clock_ns(CLOCK_BOOTTIME));
	add_number(&s, "realtime", o->realtime ? o->realtime : clock_ns(CLOCK_REALTIME));
	add_string(&s, "program", ktally_version());
	if (o->root_tgid)
		add_root(&s, o->root_tgid, o->root_start);
	if (o->flight)
		add_number(&s, "flight", 1);
	if (o->continues)
		add_base(&s, f);
	if (o->command)
		add_string(&s, "command", o->command);
	return file_put_block(f, &h, s.text, s.n);
}

int file_put_descriptions(struct ktally_file *f)
{
	struct block_head h = { .type = BLOCK_DESCRIPTIONS };
	size_t len, total = 0;
	char *all, *p;
	int ret;

	for (int kind = 0; kind < KTALLY_KINDS; kind++)
		if (ktally_wire_description(f->wire, kind, &len))
			total += len + 1;
	if (!total)
		return 0;
	p = all = malloc(total);
	if (!all)
		return file_no_memory(f);
	for (int kind = 0; kind < KTALLY_KINDS; kind++) {
		const char *text = ktally_wire_description(f->wire, kind, &len);

		if (text)
			p = mempcpy(p, text, len + 1);
	}
	ret = file_put_block(f, &h, all, total);
	free(all);
	f->described = !ret;
	return ret;
}

int file_put_head(struct ktally_file *f, const struct ktally_file_options *o)
{
	struct container_head head;
	int ret;

	container_head_make(&head, &f->crc, f->file_id);
	ret = file_put(f, &head, sizeof(head));
	if (!ret)
		ret = put_machine(f, o);
	if (!ret && o->continues)
		ret = file_put_descriptions(f);
	return ret;
}

int ktally_file_set_root(struct ktally_file *f, uint32_t tgid, uint64_t start)
{
	struct block_head h = { .type = BLOCK_MACHINE };
	struct strings s = { .n = 0 };

	add_root(&s, tgid, start);
	return file_put_block(f, &h, s.text, s.n);
}

int ktally_file_note(struct ktally_file *f, const char *name, const char *text, size_t n)
{
	struct block_head h = { .type = BLOCK_NOTE };
	size_t head = strlen(name) + 1;
	char *all;
	int ret;

	if (n > CONTAINER_TEXT_MAX - head)
		return error_set(&f->error, -E2BIG, "%s: the note '%s' is too long", f->path, name);
	all = malloc(head + n);
	if (!all)
		return file_no_memory(f);
	memcpy(all, name, head);
	memcpy(all + head, text, n);
	ret = file_put_block(f, &h, all, (uint32_t)(head + n));
	free(all);
	return ret;
}
