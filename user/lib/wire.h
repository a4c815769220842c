/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wire.h - the halves of ktally_wire_next() for the stream, which orders records by
 * their frames and decodes each only when its turn comes.
 */
#ifndef KTALLY_WIRE_H
#define KTALLY_WIRE_H

#include "ktally.h"

/* Frame of the record at c->pos: fills in all but u, str, present and decoded. As ktally_wire_next(). */
int wire_frame(struct ktally_cursor *c, struct ktally_event *ev);
/* The rest; takes in a description. 0 or -EBADMSG, -EEXIST, -ENOMEM. */
int wire_decode(struct ktally_wire *w, struct ktally_event *ev);

#endif
