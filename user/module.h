/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h - loading and unloading ktally.ko, by libkmod or by modprobe.
 *
 * One of module-kmod.c and module-modprobe.c implements it, chosen by the build.
 */
#ifndef KTALLY_MODULE_H
#define KTALLY_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_NAME "ktally"

/* parameters: "name=value name=value". 0 or -errno; -EEXIST: it is loaded already. */
int module_load(const char *parameters);
/* 0 or -errno; -EBUSY: it is in use, -ENOENT: it is not loaded. */
int module_unload(void);

/* False if the module is known not to have this parameter: the kernel itself only warns. */
bool module_has_parameter(const char *name, size_t len);

bool module_loaded(void);
/* A file of /sys/module/ktally without its last newline; false if there is none. */
bool module_read(const char *name, char *buf, size_t n);
/* Path of ktally.ko* in /lib/modules/RELEASE according to its modules.dep. */
bool module_file(const char *release, char *path, size_t n);

#endif
