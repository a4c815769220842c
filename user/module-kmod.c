// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module-kmod.c - loads and unloads ktally.ko by libkmod, which knows compressed
 * modules, dependencies and the options of modprobe.d.
 */
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <stdarg.h>
#include <string.h>

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

/* "parm: name:what it is" among what modinfo shows. */
static bool info_has(struct kmod_list *info, const char *name, size_t len)
{
	struct kmod_list *item;

	kmod_list_foreach(item, info) {
		const char *value = kmod_module_info_get_value(item);

		if (!strcmp(kmod_module_info_get_key(item), "parm") &&
		    !strncmp(value, name, len) && value[len] == ':')
			return true;
	}
	return false;
}

bool module_has_parameter(const char *name, size_t len)
{
	struct kmod_ctx *ctx = open_kmod();
	struct kmod_list *list = NULL, *info = NULL;
	bool has = true;

	if (ctx && !kmod_module_new_from_lookup(ctx, MODULE_NAME, &list) && list) {
		struct kmod_module *mod = kmod_module_get_module(list);

		if (kmod_module_get_info(mod, &info) >= 0) {
			has = info_has(info, name, len);
			kmod_module_info_free_list(info);
		}
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	kmod_unref(ctx);
	return has;
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
