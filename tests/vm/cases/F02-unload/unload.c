// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unload MODULE STRIDE PARAMETERS - let each allocation and user copy of an unload
 * fail, or each STRIDE-th, one per unload. Each must end with the module gone, or
 * refused and then repeatable.
 */
#include "fault.h"
#include "module.h"

static struct module_image image;
static const char *parameters;

static void load(void)
{
	int err = module_load(&image, parameters);

	if (err)
		fault_die("does not load: %s", strerror(-err));
}

static void after(int result)
{
	const char *trace;

	if (result)
		result = module_unload();
	if (result)
		fault_die("cannot be unloaded any more: %s", strerror(-result));
	trace = module_trace();
	if (trace)
		fault_die("unloaded, but there is %s", trace);
}

int main(int argc, char **argv)
{
	struct fault_walk walk = {
		.name = "unload", .before = load, .work = module_unload, .after = after,
		.at_least = 2,
	};

	if (argc != 4)
		return 2;
	image = module_read(argv[1]);
	walk.stride = atoi(argv[2]);
	parameters = argv[3];
	fault_walk(fault_open(), &walk);
	return 0;
}
