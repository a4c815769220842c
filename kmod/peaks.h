/* SPDX-License-Identifier: GPL-2.0-only */
/* peaks.h - peaks of the image that an exec is about to end; see peaks.c. */
#ifndef KTALLY_PEAKS_H
#define KTALLY_PEAKS_H

#include "pack.h"

void kt_peaks_keep(void);
void kt_peaks_take(struct kt_usage *u);
void kt_peaks_bound(struct kt_usage *u);

#endif
