/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl.h - the ioctls of /dev/ktally that ask and are answered; see ioctl.c. Those
 * that make and change a session are in device.c.
 */
#ifndef KTALLY_IOCTL_H
#define KTALLY_IOCTL_H

#include "session.h"

/* Arguments that begin with their size: refused when too short, or with unknown ends. */
int kt_take(void *to, size_t size, void __user *from);
int kt_give(void __user *to, const void *from, size_t size);

long kt_ioctl_walk(struct kt_session *s, unsigned long arg);
long kt_ioctl_snapshot(struct kt_session *s, unsigned long arg);
long kt_ioctl_counts(struct kt_session *s, unsigned long arg);

long kt_ioctl_mark(const struct kt_opener *opener, unsigned long arg);
long kt_ioctl_status(const struct kt_opener *opener, unsigned long arg);
long kt_ioctl_work(const struct kt_opener *opener, unsigned long arg);
long kt_ioctl_totals(const struct kt_opener *opener, unsigned long arg);
long kt_ioctl_totals_reset(const struct kt_opener *opener, unsigned long arg);

#endif
