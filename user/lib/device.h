/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* device.h - the module's device, opened; see device.c. */
#ifndef KTALLY_DEVICE_H
#define KTALLY_DEVICE_H

#include "error.h"

#define DEVICE_PATH	"/dev/ktally"

/* A descriptor, or -errno with words for whoever asked. */
int device_open(const char *device, struct error *e);

#endif
