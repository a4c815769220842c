// SPDX-License-Identifier: GPL-2.0-only
/*
 * shape.c - how big a session's buffers are: what was asked for, fitted to the CPUs
 * that are there and to what a stream needs. Only computes.
 */
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sizes.h>

#include "main.h"
#include "shape.h"

#define SUBBUF_MIN	SZ_8K		/* holds a header and the longest record */
#define SUBBUF_MAX	SZ_1M
#define SUBBUF_DEFAULT	SZ_64K		/* at most, unless asked otherwise */
#define PER_CPU_MIN	SZ_64K		/* holds all descriptions */
#define SUBBUFS		8		/* per CPU, at least, unless asked otherwise */
#define SUBBUFS_MIN	4

/* Sub-buffers are a power of two; as many of them as go into the CPU's share. */
struct kt_channel_shape kt_shape_of(u32 buffer_kb, u32 subbuf_kb)
{
	u64 each = (u64)(buffer_kb ?: kt_buffer_kb) << 10;
	u32 subbuf = subbuf_kb ?: kt_subbuf_kb;

	do_div(each, num_online_cpus());
	each = clamp_t(u64, each, PER_CPU_MIN, SZ_1G);
	if (subbuf)
		subbuf = roundup_pow_of_two(min_t(u32, subbuf, SUBBUF_MAX >> 10) << 10);
	else
		subbuf = min_t(u32, rounddown_pow_of_two((u32)each / SUBBUFS), SUBBUF_DEFAULT);
	subbuf = clamp_t(u32, subbuf, SUBBUF_MIN, rounddown_pow_of_two((u32)each / SUBBUFS_MIN));
	return (struct kt_channel_shape){
		.subbuf_size = subbuf, .subbufs = (u32)each / subbuf,
	};
}

u32 kt_shape_kb(const struct kt_channel_shape *shape)
{
	u64 kb = (u64)(shape->subbuf_size >> 10) * shape->subbufs * num_online_cpus();

	return min_t(u64, kb, U32_MAX);
}

u32 __init kt_shape_default_subbuf_kb(void)
{
	return kt_shape_of(0, 0).subbuf_size >> 10;
}

u32 __init kt_shape_fitted_kb(u32 buffer_kb)
{
	struct kt_channel_shape shape = kt_shape_of(buffer_kb, 0);

	return kt_shape_kb(&shape);
}
