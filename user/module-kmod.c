// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module-kmod.c - loads and unloads ktally.ko by libkmod, which knows compressed
 * modules, dependencies and the options of modprobe.d.
 */
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <stdarg.h>

#include "module.h"

/* Errors come back as numbers; libkmod's own lines would stand beside our one. */
static void keep_silent(void *data, int priority, const char *file, int line, const char *fn,
			const char *format, va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)fn, (void)format, (void)args;
}

static struct kmod_ctx *open_kmod(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);

	if (ctx)
		kmod_set_log_fn(ctx, keep_silent, NULL);
	return ctx;
}

int module_load(const char *parameters)
{
	struct kmod_ctx *ctx = open_kmod();
	struct kmod_list *list = NULL;
	struct kmod_module *mod;
	int err;

	if (!ctx)
		return -ENOMEM;
	err = kmod_module_new_from_lookup(ctx, MODULE_NAME, &list);
	if (!err && !list)
		err = -ENOENT;
	if (!err) {
		mod = kmod_module_get_module(list);
		err = kmod_module_probe_insert_module(mod, KMOD_PROBE_FAIL_ON_LOADED, parameters, NULL,
						      NULL, NULL);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	kmod_unref(ctx);
	return err;
}

int module_unload(void)
{
	struct kmod_ctx *ctx = open_kmod();
	struct kmod_module *mod;
	int err;

	if (!ctx)
		return -ENOMEM;
	err = kmod_module_new_from_name(ctx, MODULE_NAME, &mod);
	if (!err) {
		err = kmod_module_remove_module(mod, O_NONBLOCK);
		kmod_module_unref(mod);
	}
	kmod_unref(ctx);
	/* The kernel's word for a module that is in use. */
	return err == -EWOULDBLOCK ? -EBUSY : err;
}
