// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blocks.c - a plugin of QEMU: how often each block of a guest's code ran. Into the
 * file $BLOCKS, a line a block: address, instructions in it, times run.
 *
 * QEMU's header for plugins is in none of Debian's packages; these are the few
 * declarations of its version 1 (QEMU 4.2 to 8.2) that are needed.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;

#define INLINE_ADD	0

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

int qemu_plugin_version = 1;
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

struct block {
	uint64_t vaddr, insns, runs;
	struct block *next;
};

static struct block *blocks;
static FILE *to;

/* The same code may be translated again; each translation counts for itself. */
static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	struct block *b = calloc(1, sizeof(*b));

	(void)id;
	if (!b)
		abort();
	b->vaddr = qemu_plugin_tb_vaddr(tb);
	b->insns = qemu_plugin_tb_n_insns(tb);
	b->next = blocks;
	blocks = b;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, INLINE_ADD, &b->runs, 1);
}

static void ended(plugin_id id, void *unused)
{
	(void)id;
	(void)unused;
	for (const struct block *b = blocks; b; b = b->next)
		if (b->runs)
			fprintf(to, "%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", b->vaddr, b->insns, b->runs);
	fclose(to);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	const char *name = getenv("BLOCKS");

	(void)info;
	(void)argc;
	(void)argv;
	to = name ? fopen(name, "w") : NULL;
	if (!to)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
