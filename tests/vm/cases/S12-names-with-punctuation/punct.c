// SPDX-License-Identifier: GPL-2.0-or-later
/* punct FOLDER: command names and arguments with the punctuation people really use. */
#include "truth.h"

static const char *const names[] = {
	"two words", "paren (x)", "close)", "q\"uote", "com,ma", "semi;colon", "tab\there",
	"back\\slash", "it's", "a|b", "<b>&amp;", "exactly15chars_", "sixteen_chars_xx",
	"sixteen_chars_xy", "line\nfeed", "esc\033[31m", "b\303\274cher", "bad\377utf", "$(reboot)",
	"=1+1",
};

static int show(const char *number, char **argv)
{
	char name[80], args[800];

	comm_hex(name, sizeof name);
	argv_hex(argv, args, sizeof args);
	truth("role=name number=%s pid=%d comm_hex=%s argv_hex=%s", number, getpid(), name, args);
	return 20 + atoi(number);
}

static pid_t run(size_t i)
{
	char path[80], number[24];
	pid_t p;

	snprintf(path, sizeof path, "./%s", names[i]);
	snprintf(number, sizeof number, "%zu", i);
	need(link("punct", path) == 0, "link");
	p = begin();
	if (p == 0) {
		execl(path, names[i], "show", number, "an argument, with \"both\"", "", "=2+5",
		      (char *)NULL);
		_exit(EXEC_FAILED);
	}
	return p;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 2 && !strcmp(argv[1], "show"))
		return show(argv[2], argv);
	need(argc > 1 && chdir(argv[1]) == 0, "chdir");
	for (i = 0; i < sizeof names / sizeof *names; i++)
		need(code_of(reap(run(i), "ended")) == 20 + (int)i, "name");
	return 0;
}
