// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results.c - any bytes as a result of measure: shown, drawn and compared with itself.
 * What show writes of it must be a result, of which show writes the same.
 */
#include "cmd.h"
#include "fuzz.h"
#include <dirent.h>

static bool same(const char *a, const char *b)
{
	FILE *f = fopen(a, "re"), *g = fopen(b, "re");
	int c, d;

	if (!f || !g)
		abort();
	do {
		c = getc(f);
		d = getc(g);
	} while (c == d && c != EOF);
	fclose(f);
	fclose(g);
	return c == d;
}

static int show(const char *in, const char *out, const char *pictures)
{
	char *words[] = { "measure", "show", "--json", "-o", (char *)out, (char *)in,
			  (char *)(pictures ? "--pictures" : NULL), (char *)pictures, NULL };

	return cmd_measure.run(pictures ? 8 : 6, words);
}

static void clear(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			clear(path);
		else if (e->d_name[0] != '.' || e->d_type != DT_DIR)
			unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char dir[] = "/dev/shm/ktally-fuzz-XXXXXX", path[4][64];
	char *compare[] = { "measure", "compare", "--csv", "-o", path[1], path[0], path[0], NULL };
	static const char *const names[] = { "in", "out", "again", "pictures" };
	FILE *f;

	fuzz_quiet();
	setenv("KTALLY_CONFIG", "", 1);
	if (!mkdtemp(dir))
		abort();
	for (int i = 0; i < 4; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%s", dir, names[i]);
	f = fopen(path[0], "we");
	if (!f || fwrite(data, 1, n, f) != n || fclose(f))
		abort();
	if (!show(path[0], path[1], path[3]) && (show(path[1], path[2], NULL) || !same(path[1], path[2])))
		abort();
	cmd_measure.run(7, compare);
	clear(dir);
	return 0;
}
