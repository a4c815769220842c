// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setup.c - enable and disable. What they do to a system is running its own
 * programs and writing small files: a script does it, which is installed with the
 * hooks of the initramfs.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "boot.h"
#include "cmd.h"

#define SETUP	"/usr/lib/ktally/boot-setup"

enum { WORDS = 2 * OPT_LIST_MAX + 16 };

static int run_setup(const char *verb, const struct boot_args *args)
{
	const char *words[WORDS] = { SETUP, verb };
	size_t n = 2;

	if (args->once && !strcmp(verb, "enable"))
		words[n++] = "--once";
	if (args->root) {
		words[n++] = "--root";
		words[n++] = args->root;
	}
	if (args->end) {
		words[n++] = "--end";
		words[n++] = args->end;
	}
	for (size_t i = 0; i < args->parameters.n; i++) {
		words[n++] = "--parameter";
		words[n++] = args->parameters.at[i];
	}
	execv(SETUP, (char *const *)words);
	return say_error(errno == ENOENT ? NO_MODULE : FAILED, "boot %s: %s: %s; it comes with the hooks: make install, or the package ktally",
			 verb, SETUP, strerror(errno));
}

static int check_parameters(const struct boot_args *args)
{
	for (size_t i = 0; i < args->parameters.n; i++) {
		const char *p = args->parameters.at[i];

		if (!strchr(p, '=') || strpbrk(p, " \t\n#"))
			return say_error(WRONG_USE, "boot enable: '%s': a parameter is NAME=VALUE; all of them: modinfo ktally", p);
	}
	return OPT_GO_ON;
}

int boot_enable(const struct boot_args *args)
{
	int status = check_parameters(args);

	if (status != OPT_GO_ON)
		return status;
	if (!args->root && geteuid())
		return say_error(NO_PERMISSION, "boot enable: changes the initramfs and the services, which needs root: sudo ktally boot enable");
	return run_setup("enable", args);
}

int boot_disable(const struct boot_args *args)
{
	if (!args->root && geteuid())
		return say_error(NO_PERMISSION, "boot disable: needs root: sudo ktally boot disable");
	return run_setup("disable", args);
}
