// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - any bytes as what a container's runtime left on disk. The first byte says
 * which runtime; a name that is found fits, and is all there.
 */
#include <errno.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "names.h"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { PATH = 256 };

static const char *const places[] = {
	"/var/lib/docker/containers/" ID "/config.v2.json",
	"/var/lib/containers/storage/overlay-containers/containers.json",
	"/home/ann/.local/share/containers/storage/vfs-containers/volatile-containers.json",
	"/var/lib/nerdctl/1935db59/names/default/proxy",
};

static char root[64];

static void make_folders(const char *path)
{
	char folder[PATH];

	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		snprintf(folder, sizeof(folder), "%s%.*s", root, (int)(p - path), path);
		if (mkdir(folder, 0700) && errno != EEXIST)
			abort();
	}
}

/* $root is left behind by an engine that is killed; a few folders in memory. */
static void make_root(void)
{
	snprintf(root, sizeof(root), "/dev/shm/ktally-fuzz-names-XXXXXX");
	if (!mkdtemp(root))
		abort();
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		make_folders(places[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char path[PATH], name[NAMES_CONTAINER];
	FILE *f;

	if (!n)
		return 0;
	if (!*root)
		make_root();
	snprintf(path, sizeof(path), "%s%s", root, places[*data % (sizeof(places) / sizeof(places[0]))]);
	f = fopen(path, "we");
	if (!f || fwrite(data + 1, 1, n - 1, f) != n - 1 || fclose(f))
		abort();
	if (!names_find_container(root, ID, name, sizeof(name)) && (!*name || strlen(name) >= sizeof(name)))
		abort();
	unlink(path);
	return 0;
}
