/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * service.h - what a recorder that runs as a service owes its manager and the journal:
 * that it is ready, and what was lost while it ran.
 */
#ifndef KTALLY_SERVICE_H
#define KTALLY_SERVICE_H

#include "session.h"

/* READY=1 to the service manager; nothing where none asked for it. */
void service_ready(void);

struct service_losses {
	uint64_t said[KTALLY_KINDS];
	uint64_t looked;	/* CLOCK_BOOTTIME of the last look */
};

/* A line of warning for what was lost since the last one; looks at most every ten seconds. */
void service_say_losses(struct service_losses *l, const struct session *s);

#endif
