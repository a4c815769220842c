// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd-load.c - loads and unloads the module.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/ktally.h"
#include "module.h"

static int load_failed(int err, const char *why)
{
	struct utsname u;

	uname(&u);
	switch (-err) {
	case ENOENT:
		return say_error(NO_MODULE, "no module " MODULE_NAME " for kernel %s; what to do: ktally doctor", u.release);
	case ENOTSUP:
		return say_error(WRONG_USE, "load: the module has no parameter '%s'; all of them: modinfo ktally", why);
	case E2BIG:
		return say_error(WRONG_USE, "load: too many parameters");
	case EPERM:
	case EACCES:
		return say_error(NO_PERMISSION, geteuid() ? "loading a module needs root: sudo ktally load" :
				 "the kernel is locked down and takes signed modules only, or this is a container; what to do: ktally doctor");
	case ENOKEY:
	case EKEYREJECTED:
		return say_error(NO_PERMISSION, "the kernel wants modules signed by a key it knows (Secure Boot); what to do: ktally doctor");
	case ENOEXEC:
		return say_error(NO_MODULE, "module " MODULE_NAME " was built for another kernel than %s; what to do: ktally doctor", u.release);
	case EINVAL:
		return say_error(NO_MODULE, "the module refuses to load, perhaps because of a parameter; why: dmesg | grep ktally");
	default:
		return say_error(NO_MODULE, "%s; more: dmesg | grep ktally", *why ? why : strerror(-err));
	}
}

static int run_load(int argc, char **argv)
{
	struct opt_rest rest;
	char args[1], why[512];
	int status = opt_parse(&cmd_load, argc, argv, args, &rest), err;

	if (status != OPT_GO_ON)
		return status;
	for (int i = 0; i < rest.n_words; i++)
		if (!strchr(rest.words[i], '='))
			return say_error(WRONG_USE, "load: '%s': a parameter is NAME=VALUE; all of them: modinfo ktally",
					 rest.words[i]);
	err = module_load(rest.words, rest.n_words, why, sizeof(why));
	if (err == -EEXIST && rest.n_words)
		return say_error(FAILED, "the module is loaded already and keeps its parameters; first: ktally unload");
	if (err == -EEXIST)
		say("the module is loaded already");
	return err && err != -EEXIST ? load_failed(err, why) : DONE;
}

static const char *const load_examples[] = { "load", "load buffer_kb=16384 argv=0", NULL };

const struct cmd cmd_load = {
	.name = "load",
	.words = "[PARAMETER=VALUE...]",
	.help = "load the module",
	.about = "Loads ktally.ko with the given parameters and those of modprobe.d.",
	.run = run_load,
	.examples = load_examples,
};

/* Whose sessions keep it from going. */
static int in_use(void)
{
	struct ktally_status st;
	char why[256], pids[128] = "";
	size_t at = 0;

	if (ktally_status_read(&st, NULL, why, sizeof(why)))
		return say_error(FAILED, "the module is in use");
	for (size_t i = 0; i < KTALLY_SESSIONS && at + 12 < sizeof(pids); i++)
		if (st.sessions[i].session && st.sessions[i].tgid)
			at += (size_t)snprintf(pids + at, sizeof(pids) - at, " %u", st.sessions[i].tgid);
	return say_error(FAILED, "the module is in use by a recording%s%s; stop it first", at ? ": PID" : "",
			 pids);
}

static int run_unload(int argc, char **argv)
{
	struct opt_rest rest;
	char args[1], why[512];
	int status = opt_parse(&cmd_unload, argc, argv, args, &rest), err;

	if (status != OPT_GO_ON)
		return status;
	if (rest.n_words)
		return say_error(WRONG_USE, "unload: '%s'? it takes no words", rest.words[0]);
	err = module_unload(why, sizeof(why));
	switch (-err) {
	case 0:
		return DONE;
	case ENOENT:
		say("the module is not loaded");
		return DONE;
	case EBUSY:
		return in_use();
	case EPERM:
		return say_error(NO_PERMISSION, "unloading a module needs root: sudo ktally unload");
	default:
		return say_error(FAILED, "module " MODULE_NAME ": %s", *why ? why : strerror(-err));
	}
}

static const char *const unload_examples[] = { "unload", NULL };

const struct cmd cmd_unload = {
	.name = "unload",
	.words = "",
	.help = "unload the module",
	.about = "Unloads ktally.ko; refused while a recording is under way.",
	.run = run_unload,
	.examples = unload_examples,
};
