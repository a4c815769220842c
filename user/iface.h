/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iface.h - one network interface, named by an address it has or by its name, and
 * what it counted itself.
 */
#ifndef KTALLY_IFACE_H
#define KTALLY_IFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iface_class { IFACE_PHYSICAL, IFACE_LOOPBACK, IFACE_VIRTUAL };

struct iface {
	char name[16];
	char label[80];			/* "eth0 10.0.0.1": name and what was asked for */
	int class;			/* enum iface_class */
};

struct iface_counts {
	uint64_t rx_bytes, tx_bytes;
};

/* 0, or -ENODEV with the interfaces that are there in `why`. */
int iface_find(struct iface *i, const char *address_or_name, char *why, size_t n);
/* False: it is gone. */
bool iface_read(const struct iface *i, struct iface_counts *c);
/* The sum of all physical ones; false: there is none. */
bool iface_read_physical(struct iface_counts *c);

#endif
