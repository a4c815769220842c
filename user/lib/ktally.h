/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ktally.h - libktally: from bytes of a ktally stream to named values of
 * processes, in five levels that can be used alone, and more beside them, a noun a
 * file below ktally/:
 *
 *   wire    bytes of one sub-buffer -> records           (no I/O)
 *   stream  live module, files, memory -> one order      (all I/O is here)
 *   model   records -> lives, images, balance            (memory only)
 *   watch   records of a live session -> sums, by interval (memory only)
 *   field   a life -> named values with unit, known?     (memory only)
 *
 * The library never prints, never exits, keeps no globals and installs no signal
 * handlers. Functions return 0 or a count on success and -errno on failure. An
 * *_open that fails still gives a handle, unless memory ran out: it answers
 * *_error() with one line that says what, why and what to do, and wants closing;
 * *_error(NULL) speaks of memory. The caller owns what it passes in; what a
 * handle returns is valid until the handle is closed unless said otherwise. One
 * handle belongs to one thread.
 */
#ifndef KTALLY_LIB_H
#define KTALLY_LIB_H

#include "ktally/wire.h"
#include "ktally/stream.h"
#include "ktally/live.h"
#include "ktally/device.h"
#include "ktally/file.h"
#include "ktally/redact.h"
#include "ktally/compose.h"
#include "ktally/model.h"
#include "ktally/watch.h"
#include "ktally/steps.h"
#include "ktally/field.h"
#include "ktally/stats.h"
#include "ktally/runs.h"

const char *ktally_version(void);

#endif
