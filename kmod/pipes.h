/* SPDX-License-Identifier: GPL-2.0-only */
/* pipes.h - which pipes a process reads from and writes to; see pipes.c. */
#ifndef KTALLY_PIPES_H
#define KTALLY_PIPES_H

#include <linux/types.h>

/* Of current, which executes or ends: number of the pipe there; 0 = none. Under RCU. */
u32 kt_pipe_at(unsigned int fd);

#endif
