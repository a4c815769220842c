/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h - ktally.ko: what can be read about it, loading and unloading it.
 */
#ifndef KTALLY_MODULE_H
#define KTALLY_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define MODULE_NAME "ktally"

/*
 * By modprobe, with parameters "name=value", n of them. 0 or -errno as far as its
 * words tell it; why receives them. -EEXIST: it is loaded already.
 */
int module_load(char *const *parameters, int n, char *why, size_t room);
/* -EBUSY: it is in use, -ENOENT: it is not loaded. */
int module_unload(char *why, size_t room);

bool module_loaded(void);
/* First line of any file. */
bool module_read_line(const char *path, char *buf, size_t n);
/* The same of a file of /sys/module/ktally. */
bool module_read(const char *name, char *buf, size_t n);
/* Path of ktally.ko* in /lib/modules/RELEASE according to its modules.dep. */
bool module_file(const char *release, char *path, size_t n);

enum module_signature { MODULE_SIGNED, MODULE_UNSIGNED, MODULE_PACKED };
/* By whomever: only the kernel knows whose signatures it takes. Packed: can't be told. */
enum module_signature module_signature(const char *path);

#endif
