/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * place.h - what the path of a cgroup says: systemd's unit, a container's name.
 */
#ifndef KTALLY_PLACE_H
#define KTALLY_PLACE_H

#include "ktally.h"

/* Parts of path; len 0 = in none. */
struct ktally_str place_unit(const char *path);
struct ktally_str place_container(const char *path);
/* The whole id behind the digits that place_container() gave; false: it is a name. */
#define PLACE_ID_LEN	64
bool place_id(struct ktally_str container, char id[PLACE_ID_LEN + 1]);

#endif
