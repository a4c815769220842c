/* SPDX-License-Identifier: GPL-2.0-only */
/* shape.h - sizes of a session's buffers; see shape.c. */
#ifndef KTALLY_SHAPE_H
#define KTALLY_SHAPE_H

#include "channel.h"

/* 0: the module's default. */
struct kt_channel_shape kt_shape_of(u32 buffer_kb, u32 subbuf_kb);
/* Of all CPUs that are online. */
u32 kt_shape_kb(const struct kt_channel_shape *shape);
/* What buffers of buffer_kb come to, and a sub-buffer of the default session. */
u32 kt_shape_fitted_kb(u32 buffer_kb);
u32 kt_shape_default_subbuf_kb(void);

#endif
