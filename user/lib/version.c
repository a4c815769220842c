// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * version.c - the version, which the build takes from one place.
 */
#include "ktally.h"

const char *ktally_version(void)
{
	return KTALLY_VERSION;
}
