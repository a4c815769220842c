// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes.c - attaches callbacks to tracepoints. None of those used is exported,
 * so they are found by name; that the callbacks fit is checked by the compiler
 * where they are listed. All or none; detached means that no callback runs any
 * more. Process context, at load, at unload, and when timing begins and ends.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "main.h"
#include "probes.h"
#include "timing.h"

/* Called by priority: between ours and those around it there is nobody's. */
#define PRIORITY	(TRACEPOINT_DEFAULT_PRIO + 2)

/* Protects what is attached; taken inside the ladder's, and inside timing's. */
static DEFINE_MUTEX(probes_lock);

struct search {
	struct kt_probe *probes;
	unsigned int n;
};

/* What is open: those of processes and those of the network. */
static struct search tables[2];
static unsigned int n_tables;

static void __init match(struct tracepoint *tp, void *data)
{
	struct search *search = data;
	unsigned int i;

	for (i = 0; i < search->n; i++)
		if (search->probes[i].name && !strcmp(tp->name, search->probes[i].name))
			search->probes[i].found = tp;
}

static int __init attach(struct kt_probe *p)
{
	int err;

	if (!p->found) {
		if (!p->required)
			return 0;
		pr_err("ktally: this kernel has no tracepoint %s: not loaded\n", p->name);
		return -ENOENT;
	}
	err = tracepoint_probe_register_prio(p->found, p->callback, NULL, PRIORITY);
	if (err) {
		pr_err("ktally: tracepoint %s cannot be used: error %d\n", p->name, err);
		return err;
	}
	p->attached = true;
	p->hook = kt_timing_hook(p->name);
	/* Ends that are seen already ask for it. */
	WRITE_ONCE(kt_features, kt_features | p->feature);
	return 0;
}

/* --- timing; the lock is held --- */

/* The one behind comes first and goes last: whoever began finds it. */
static int time_probe(struct kt_probe *p)
{
	int err;

	if (!p->attached || p->timed || !p->begins || !p->hook)
		return 0;
	err = tracepoint_probe_register_prio(p->found, p->ended, (void *)p->hook, PRIORITY - 1);
	if (err)
		return err;
	err = tracepoint_probe_register_prio(p->found, p->begins, (void *)p->hook, PRIORITY + 1);
	if (err)
		tracepoint_probe_unregister(p->found, p->ended, (void *)p->hook);
	p->timed = !err;
	return err;
}

static void untime(struct kt_probe *probes, unsigned int n)
{
	struct kt_probe *p;
	bool any = false;

	for (p = probes; p < probes + n; p++) {
		if (p->timed)
			tracepoint_probe_unregister(p->found, p->begins, (void *)p->hook);
		any |= p->timed;
	}
	if (!any)
		return;
	tracepoint_synchronize_unregister();
	for (p = probes; p < probes + n; p++) {
		if (p->timed)
			tracepoint_probe_unregister(p->found, p->ended, (void *)p->hook);
		p->timed = false;
	}
}

static int time_tables(void)
{
	struct kt_probe *p;
	unsigned int i;
	int err = 0;

	for (i = 0; i < n_tables; i++)
		for (p = tables[i].probes; p < tables[i].probes + tables[i].n && !err; p++)
			err = time_probe(p);
	return err;
}

int kt_probes_time(bool on)
{
	unsigned int i;
	int err = 0;

	mutex_lock(&probes_lock);
	if (on)
		err = time_tables();
	for (i = 0; i < n_tables && (!on || err); i++)
		untime(tables[i].probes, tables[i].n);
	mutex_unlock(&probes_lock);
	return err;
}

/* --- on and off --- */

int __init kt_probes_open(struct kt_probe *probes, unsigned int n)
{
	struct search search = { .probes = probes, .n = n };
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(match, &search);
	tables[n_tables++] = search;
	for (i = 0; i < n; i++) {
		err = attach(&probes[i]);
		if (err) {
			kt_probes_close(probes, n);
			return err;
		}
	}
	return 0;
}

/* At any time, and again. */
void kt_probes_close(struct kt_probe *probes, unsigned int n)
{
	mutex_lock(&probes_lock);
	untime(probes, n);
	while (n--) {
		if (!probes[n].attached)
			continue;
		tracepoint_probe_unregister(probes[n].found, probes[n].callback, NULL);
		probes[n].attached = false;
	}
	mutex_unlock(&probes_lock);
	tracepoint_synchronize_unregister();
}
