/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stat/pp.h - the spelling, lines and meaning of ProcessPerformance, for scripts and people
 * that know that tool: `ktally stat --style=pp ...`, or called by its name.
 */
#ifndef KTALLY_PP_H
#define KTALLY_PP_H

#include <stdbool.h>

/* The program was called by that tool's name. */
bool pp_is_name(const char *argv0);
/* --style=pp is among the words. */
bool pp_is_meant(int argc, char **argv);
/* argv[0] and --style=pp are passed over. Returns the exit status. */
int pp_run(int argc, char **argv);

#endif
