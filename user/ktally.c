// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ktally.c - the program: a table of commands and the way to one of them.
 *
 * What a command does is in its own file. Names are exact: an abbreviation that
 * works today would change its meaning with a later command.
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/ktally.h"
#include "stat/pp.h"

const struct cmd *const cmd_table[] = {
	&cmd_record,
	&cmd_report,
	&cmd_run,
	&cmd_stat,
	&cmd_top,
	&cmd_events,
	&cmd_measure,
	&cmd_commands,
	&cmd_import,
	&cmd_export,
	&cmd_metrics,
	&cmd_ship,
	&cmd_boot,
	&cmd_tree,
	&cmd_diff,
	&cmd_dump,
	&cmd_totals,
	&cmd_mark,
	&cmd_status,
	&cmd_doctor,
	&cmd_load,
	&cmd_unload,
	&cmd_schema,
	&cmd_help,
	NULL
};

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; cmd_table[i]; i++)
		if (!strcmp(cmd_table[i]->name, name))
			return cmd_table[i];
	return NULL;
}

static const char *row_name(const void *of, size_t i)
{
	(void)of;
	return cmd_table[i]->name;
}

int cmd_unknown(const char *name)
{
	size_t rows = sizeof(cmd_table) / sizeof(cmd_table[0]) - 1;
	const char *nearest = opt_nearest(name, rows, row_name, NULL);

	if (nearest)
		return say_error(WRONG_USE, "'%s' is not a command; did you mean: ktally %s", name, nearest);
	return say_error(WRONG_USE, "'%s' is not a command; see: ktally help", name);
}

static int print_version(void)
{
	struct ktally_status st;
	char why[256];

	printf("ktally %s\nlibktally %s\n", KTALLY_VERSION, ktally_version());
	if (ktally_status_read(&st, NULL, why, sizeof(why)) < 0)
		printf("module unknown: %s\n", why);
	else
		printf("module %.*s\n", (int)strnlen(st.version, sizeof(st.version)), st.version);
	if (fflush(stdout) || ferror(stdout))
		return say_error(FAILED, "standard output: cannot write the version");
	return DONE;
}

/*
 * A closed standard descriptor would be given to the next file that is opened,
 * and a report would be written into a recording. Opened the wrong way round, it
 * still fails at the first write.
 */
static void keep_standard_fds(void)
{
	static const int mode[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) != fd)
			return;
}

static void go_on(int signal)
{
	(void)signal;
}

/*
 * A file that grows beyond ulimit -f is a failed write, with words, and no death that
 * leaves a recording without its end. CMD has its own handling again: exec takes a handler away.
 */
static void outlive_file_limits(void)
{
	struct sigaction was, handle = { .sa_handler = go_on, .sa_flags = SA_RESTART };

	if (!sigaction(SIGXFSZ, NULL, &was) && was.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &handle, NULL);
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;

	keep_standard_fds();
	outlive_file_limits();
	/* Letters only: numbers look the same everywhere. */
	setlocale(LC_CTYPE, "");
	if (pp_is_name(argv[0]))
		return pp_run(argc, argv);
	if (argc < 2) {
		cmd_usage(STDERR_FILENO);
		return WRONG_USE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print_version();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		cmd_usage(STDOUT_FILENO);
		return DONE;
	}
	cmd = cmd_find(argv[1]);
	if (!cmd)
		return cmd_unknown(argv[1]);
	return cmd->run(argc - 1, argv + 1);
}
