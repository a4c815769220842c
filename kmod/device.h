/* SPDX-License-Identifier: GPL-2.0-only */
/* device.h - /dev/ktally; see device.c. */
#ifndef KTALLY_DEVICE_H
#define KTALLY_DEVICE_H

int kt_device_open(void);
void kt_device_close(void);

#endif
