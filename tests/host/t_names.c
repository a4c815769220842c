// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_names.c - a container's name from what runtimes leave on disk, in their own layouts.
 */
#include "test.h"

#include "../../user/names.c"

#define ID	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_ID "aa23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER	"fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

static void put(const char *root, const char *path, const char *content)
{
	char command[512], full[512];

	snprintf(command, sizeof(command), "mkdir -p $(dirname '%s%s')", root, path);
	if (system(command))
		abort();
	snprintf(full, sizeof(full), "%s%s", root, path);
	save(full, content, strlen(content));
}

static const struct {
	const char *path, *content, *name;
} layouts[] = {
	{ "/var/lib/docker/containers/" ID "/config.v2.json",
	  "{\"StreamConfig\":{},\"State\":{\"Running\":true},\"ID\":\"" ID "\",\"Name\":\"/web-1\",\"Driver\":\"overlay2\"}", "web-1" },
	{ "/var/lib/containers/storage/overlay-containers/containers.json",
	  "[{\"id\":\"" OTHER "\",\"names\":[\"other\"],\"image\":\"x\"},{\"id\":\"" ID "\",\"names\":[\"pod-db\"],\"image\":\"y\"}]", "pod-db" },
	{ "/var/lib/containers/storage/overlay-containers/volatile-containers.json",
	  "[{\"id\":\"" ID "\",\"names\":[\"gone-soon\"],\"image\":\"y\"}]", "gone-soon" },
	{ "/home/ann/.local/share/containers/storage/vfs-containers/containers.json",
	  "[{\"id\":\"" ID "\",\"names\":[\"anns\"]}]", "anns" },
	{ "/var/lib/nerdctl/1935db59/names/default/proxy", ID, "proxy" },
	{ "/var/log/containers/api-7d9_prod_server-" ID ".log", "", "api-7d9_prod_server" },
};

TEST(each_layout)
{
	char name[NAMES_CONTAINER];

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		char root[64];

		snprintf(root, sizeof(root), "%s", scratch());
		put(root, layouts[i].path, layouts[i].content);
		ASSERT_EQ(0, names_find_container(root, ID, name, sizeof(name)));
		EXPECT_STREQ(layouts[i].name, name);
		/* Another one's files say nothing of this one. */
		EXPECT_EQ(-ENOENT, names_find_container(root, OTHER_ID, name, sizeof(name)));
		remove_scratch(root);
	}
	NO_LEAKS();
}

TEST(damaged_files)
{
	static const char *const bad[] = {
		"", "{", "[{\"id\":\"" ID "\"", "[{\"id\":\"" ID "\",\"names\":[]}]", "[{\"id\":\"" ID "\",\"names\":[\"",
		"[{\"id\":\"" ID "\",\"names\":[\"a-name-that-is-longer-than-anything-that-a-table-would-want-to-show-in-a-column\"]}]",
	};
	char name[NAMES_CONTAINER], root[64];

	snprintf(root, sizeof(root), "%s", scratch());
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put(root, layouts[1].path, bad[i]);
		EXPECT_EQ(-ENOENT, names_find_container(root, ID, name, sizeof(name)));
	}
	remove_scratch(root);
	NO_LEAKS();
}

/* Homes belong to people: what lies there may keep whoever opens it waiting. */
TEST(what_is_no_file)
{
	static const char *const made[] = { "mkfifo", "mkdir", "ln -s /dev/zero", "ln -s /dev/ptmx", "ln -s /proc/kmsg" };
	const char *place = "/home/ann/.local/share/containers/storage/vfs-containers/containers.json";
	char name[NAMES_CONTAINER], root[64], command[512];

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		snprintf(root, sizeof(root), "%s", scratch());
		snprintf(command, sizeof(command), "mkdir -p $(dirname '%s%s') && %s '%s%s'", root, place, made[i], root, place);
		ASSERT_EQ(0, system(command));
		EXPECT_EQ(-ENOENT, names_find_container(root, ID, name, sizeof(name)));
		remove_scratch(root);
	}
	NO_LEAKS();
}

/* Asked once and kept: the files of a container that is removed go with it. */
TEST(kept_when_it_is_gone)
{
	static struct names names;

	snprintf(names.containers[0].id, sizeof(names.containers[0].id), "%s", ID);
	snprintf(names.containers[0].name, sizeof(names.containers[0].name), "once");
	names.n_containers = 1;
	EXPECT_STREQ("once", names_container(ID, &names));
	EXPECT_EQ(NULL, names_container(OTHER, &names));
	EXPECT_EQ(2, names.n_containers);
	EXPECT_EQ(NULL, names_container(OTHER, &names));
	EXPECT_EQ(2, names.n_containers);
}

TEST_HARNESS_MAIN
