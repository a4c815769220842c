/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics/metrics-module.h - metrics of the module itself: its state and sessions, and network
 * devices with what became of their bytes.
 */
#ifndef KTALLY_METRICS_MODULE_H
#define KTALLY_METRICS_MODULE_H

#include "metrics.h"
#include "totals.h"

/* OPT_GO_ON, or the exit status after a message. */
int metrics_module_put(const struct metrics_out *o, const struct ktally_totals *t);
/* At most so many devices. */
int metrics_devices_put(const struct metrics_out *o, size_t most);

#endif
