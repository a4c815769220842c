// SPDX-License-Identifier: GPL-2.0-or-later
/* cold FILE: the argument strings lie in a mapped file whose pages were never touched. */
#include "truth.h"

static char text[16384];

static char *cold_map(const char *path)
{
	int f = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *m;

	memset(text, 'k', sizeof text);
	memcpy(text + 8190, "END", 4);		/* the first string crosses two pages */
	memcpy(text + 12288, "second", 7);
	need(f >= 0 && write(f, text, sizeof text) == sizeof text && fsync(f) == 0, "file");
	posix_fadvise(f, 0, 0, POSIX_FADV_DONTNEED);
	m = mmap(NULL, sizeof text, PROT_READ, MAP_PRIVATE, f, 0);
	need(m != MAP_FAILED, "mmap");
	return m;
}

static int show(int argc, char **argv)
{
	truth("role=cold pid=%d argc=%d first_len=%zu second=%s", getpid(), argc, strlen(argv[1]), argv[2]);
	return 0;
}

int main(int argc, char **argv)
{
	char *m;
	pid_t p;

	need(argc > 1, "argument");
	if (argc > 2)
		return show(argc, argv);
	m = cold_map(argv[1]);
	p = begin();
	if (p == 0) {
		char *av[] = { "cold-args", m, m + 12288, NULL };

		execv("/proc/self/exe", av);
		_exit(EXEC_FAILED);
	}
	need(code_of(reap(p, "ended")) == 0, "cold");
	return 0;
}
