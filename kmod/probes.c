// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes.c - attaches callbacks to tracepoints. None of those used is exported,
 * so they are found by name; that the callbacks fit is checked by the compiler
 * where they are listed. All or none; detached means that no callback runs any
 * more. Process context, at load and unload only.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "main.h"
#include "probes.h"

struct search {
	struct kt_probe *probes;
	unsigned int n;
};

static void match(struct tracepoint *tp, void *data)
{
	struct search *search = data;
	unsigned int i;

	for (i = 0; i < search->n; i++)
		if (search->probes[i].name && !strcmp(tp->name, search->probes[i].name))
			search->probes[i].found = tp;
}

static int attach(struct kt_probe *p)
{
	int err;

	if (!p->found) {
		if (!p->required)
			return 0;
		pr_err("ktally: this kernel has no tracepoint %s: not loaded\n", p->name);
		return -ENOENT;
	}
	err = tracepoint_probe_register(p->found, p->callback, NULL);
	if (err) {
		pr_err("ktally: tracepoint %s cannot be used: error %d\n", p->name, err);
		return err;
	}
	p->attached = true;
	kt_features |= p->feature;
	return 0;
}

int kt_probes_open(struct kt_probe *probes, unsigned int n)
{
	struct search search = { .probes = probes, .n = n };
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(match, &search);
	for (i = 0; i < n; i++) {
		err = attach(&probes[i]);
		if (err) {
			kt_probes_close(probes, n);
			return err;
		}
	}
	return 0;
}

void kt_probes_close(struct kt_probe *probes, unsigned int n)
{
	while (n--) {
		if (!probes[n].attached)
			continue;
		tracepoint_probe_unregister(probes[n].found, probes[n].callback, NULL);
		probes[n].attached = false;
	}
	tracepoint_synchronize_unregister();
}
