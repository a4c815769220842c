// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_name.c - what a command is called: the script behind an interpreter, and folded
 * texts. An image is written as its file, its interpreter and its words, '|' for NUL.
 */
#include "test.h"

static char *words(const char *text, uint32_t *len)
{
	char *p = strdup(text);

	*len = (uint32_t)strlen(p);
	for (uint32_t i = 0; i < *len; i++)
		if (p[i] == '|')
			p[i] = '\0';
	return p;
}

static const char *named(struct ktally_str (*name)(const struct ktally_image *im),
			 const char *filename, const char *interp, const char *argv)
{
	struct ktally_image im = { .filename = filename, .interp = interp, .has_exec = true };
	const char *base = strrchr(filename, '/') ? strrchr(filename, '/') + 1 : filename;
	static char said[128];
	struct ktally_str s;
	char *p = words(argv, &im.argv_len);

	strncpy(im.comm, base, sizeof(im.comm) - 1);
	im.argv = p;
	s = name(&im);
	snprintf(said, sizeof(said), "%.*s", (int)s.len, s.p ? s.p : "?");
	free(p);
	return said;
}

#define SCRIPT(want, file, argv) EXPECT_STREQ(want, named(ktally_image_script, file, file, argv))

TEST(scripts_of_shells)
{
	SCRIPT("S40network", "/bin/sh", "sh|/etc/init.d/S40network|start|");
	SCRIPT("x.sh", "/bin/bash", "-bash|-x|+B|--norc|./x.sh|");
	SCRIPT("x.sh", "/bin/bash", "bash|-e|-o|pipefail|x.sh|");
	SCRIPT("x.sh", "/bin/bash", "bash|-eo|pipefail|--|x.sh|");
	SCRIPT("sh", "/bin/sh", "sh|-c|echo x.sh|");
	SCRIPT("sh", "/bin/sh", "sh|-ec|echo x.sh|x|");
	SCRIPT("sh", "/bin/sh", "sh|");
	SCRIPT("sh", "/bin/sh", "sh|-|");
	SCRIPT("dash", "/bin/dash", "sh|-s|");
}

TEST(scripts_of_others)
{
	SCRIPT("tool.py", "/usr/bin/python3.11", "python3.11|-u|-W|ignore|/opt/tool.py|-m|");
	SCRIPT("http.server", "/usr/bin/python3", "python3|-m|http.server|80|");
	SCRIPT("python3", "/usr/bin/python3", "python3|-c|print(1)|");
	SCRIPT("run.pl", "/usr/bin/perl", "perl|-w|run.pl|");
	SCRIPT("perl", "/usr/bin/perl", "perl|-ne|print|file|");
	SCRIPT("x.awk", "/usr/bin/awk", "awk|-F|:|-f|x.awk|/etc/passwd|");
	SCRIPT("awk", "/usr/bin/awk", "awk|-v|a=1|{ print }|/etc/passwd|");
	SCRIPT("udev", "/sbin/openrc-run", "/sbin/openrc-run|/etc/init.d/udev|--lockfd|3|start|");
	SCRIPT("cc1", "/usr/lib/gcc/cc1", "cc1|-quiet|a.c|");
	/* Words that were cut, or that the process did not have. */
	SCRIPT("sh", "/bin/sh", "sh|-o|");
	SCRIPT("sh", "/bin/sh", "");
	SCRIPT("sh", "/bin/sh", "|x|");
}

TEST(first_line_of_a_script)
{
	EXPECT_STREQ("rcS", named(ktally_image_script, "/etc/init.d/rcS", "/bin/sh",
				  "/bin/sh|-e|/etc/init.d/rcS|"));
}

TEST(one_file_with_many_names)
{
	SCRIPT("x.sh", "/bin/busybox", "busybox|ash|x.sh|");
	SCRIPT("ls", "/bin/busybox", "busybox|ls|-l|");
	SCRIPT("busybox", "/bin/busybox", "busybox|");
	SCRIPT("ls", "/proc/self/exe", "ls|-l|");
	SCRIPT("x.sh", "/proc/self/exe", "sh|x.sh|");
}

#define PROGRAM(want, file, argv) EXPECT_STREQ(want, named(ktally_image_program, file, file, argv))

/* What busybox shells, runc and others start by their own file has a name of its own. */
TEST(programs_by_their_own_file)
{
	struct ktally_image met = { .comm = "exe", .argv = "sleep\0001", .argv_len = 8 };
	struct ktally_str s = ktally_image_program(&met);

	PROGRAM("sleep", "/proc/self/exe", "sleep|1|");
	PROGRAM("sh", "/proc/self/exe", "-sh|");
	PROGRAM("runc", "/proc/17/exe", "/usr/bin/runc|init|");
	PROGRAM("exe", "/proc/self/exe", "");
	PROGRAM("exe", "/proc/self/exe", "|");
	PROGRAM("exe", "/proc/self/exe", "/proc/self/exe|");
	PROGRAM("exe", "/opt/bin/exe", "other|");
	PROGRAM("cat", "/bin/cat", "sleep|1|");
	/* Met by a walk: its file is not known. */
	EXPECT_EQ(5, s.len);
	EXPECT_TRUE(s.p && !memcmp(s.p, "sleep", 5));
	strcpy(met.comm, "renamed");
	EXPECT_EQ(7, ktally_image_program(&met).len);
}

static bool asked(bool (*what)(const struct ktally_image *im), const char *filename,
		  const char *interp, const char *argv)
{
	struct ktally_image im = { .filename = filename, .interp = interp };
	char *p = words(argv, &im.argv_len);
	bool is;

	im.argv = p;
	is = what(&im);
	free(p);
	return is;
}

static bool shell(const char *filename, const char *interp, const char *argv)
{
	return asked(ktally_image_is_shell, filename, interp, argv);
}

static bool script(const char *filename, const char *interp, const char *argv)
{
	return asked(ktally_image_is_script, filename, interp, argv);
}

TEST(scripts)
{
	EXPECT_TRUE(script("/opt/tool", "/usr/bin/python3", "/usr/bin/python3|/opt/tool|"));
	EXPECT_TRUE(script("/usr/bin/python3", "/usr/bin/python3", "python3|/opt/tool|"));
	EXPECT_TRUE(script("/bin/sh", "/bin/sh", "-sh|"));
	EXPECT_TRUE(script("/proc/self/exe", "/proc/self/exe", "sh|x.sh|"));
	EXPECT_FALSE(script("/usr/bin/python3", "/usr/bin/python3", "python3|"));
	/* What a busybox shell starts by its own file is no script of its. */
	EXPECT_FALSE(script("/proc/self/exe", "/proc/self/exe", "mount|-t|sysfs|sysfs|/sys|"));
	EXPECT_FALSE(script("/bin/busybox", "/bin/busybox", "busybox|ls|"));
	EXPECT_FALSE(script("/bin/cat", "/bin/cat", "cat|sh|"));
}

TEST(shells)
{
	EXPECT_TRUE(shell("/bin/sh", "/bin/sh", "-sh|"));
	EXPECT_TRUE(shell("/bin/busybox", "/bin/busybox", "busybox|ash|x|"));
	EXPECT_TRUE(shell("/etc/init.d/rcS", "/bin/sh", "/bin/sh|/etc/init.d/rcS|"));
	EXPECT_FALSE(shell("/opt/tool", "/usr/bin/python3", "/usr/bin/python3|/opt/tool|"));
	EXPECT_FALSE(shell("/bin/cat", "/bin/cat", "cat|sh|"));
	EXPECT_FALSE(shell(NULL, NULL, ""));
}

TEST(called)
{
	EXPECT_STREQ("vi", named(ktally_image_called, "/usr/bin/vim.basic", "/usr/bin/vim.basic", "/usr/bin/vi|x|"));
	EXPECT_STREQ("vim.basic", named(ktally_image_called, "/usr/bin/vim.basic", "/usr/bin/vim.basic", ""));
}

static const char *folded(const char *text)
{
	static char said[256];
	uint32_t len;
	char *p = words(text, &len), *to = malloc(len + 1);
	size_t n = ktally_fold(to, p, len);

	for (size_t i = 0; i < n; i++)
		said[i] = to[i] ? to[i] : '|';
	said[n] = '\0';
	free(p);
	free(to);
	return said;
}

TEST(folding)
{
	EXPECT_STREQ("sleep|N.N|", folded("sleep|0.25|"));
	EXPECT_STREQ("ip|link|set|ethN|up", folded("ip|link|set|eth12|up"));
	EXPECT_STREQ("ccN|-o|/tmp/*|a.c", folded("cc1|-o|/tmp/ccXyZ12a.s|a.c"));
	EXPECT_STREQ("/tmp/*/x|/var/tmp/*", folded("/tmp/build.Ab3/x|/var/tmp/q"));
	EXPECT_STREQ("of=/dev/shm/*,x", folded("of=/dev/shm/seg,x"));
	EXPECT_STREQ("x.*|y.conf|z.SHOUTS", folded("x.aB3dE5fG7h|y.conf|z.SHOUTS"));
	EXPECT_STREQ("vN|facade", folded("v3f786850e387550fdab836ed7e6dc881de23001b|facade"));
	EXPECT_STREQ("/tmp/|", folded("/tmp/|"));
	EXPECT_STREQ("", folded(""));
}

/* Every length of a text, in a block of just that size: nothing beyond it is read or written. */
TEST(folding_stays_within)
{
	const char *text = "/tmp/a /run/user/0/b .Ab12cd 0123456789abcdef|/dev/shm/";

	for (size_t n = 0; n <= strlen(text); n++) {
		char *from = malloc(n), *to = malloc(n);

		memcpy(from, text, n);
		EXPECT_LE(ktally_fold(to, from, n), n);
		free(from);
		free(to);
	}
}

TEST_HARNESS_MAIN
