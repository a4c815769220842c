// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load MODULE FAULTS PARAMETERS - let allocations and user copies of a load fail,
 * one per load: each of those of the module itself (FAULTS is 0), or about FAULTS
 * of them, evenly spread. Each load must end with the module wholly there and at
 * work, or with an error and nothing left of it, so that the next load gets further
 * and the last works.
 */
#include "fault.h"
#include "module.h"
#include "session.h"

#define JITTER 20	/* the loader does not allocate equally often each time */

static struct module_image image;
static const char *parameters;

/* At work: a session can be had and counts. */
static void must_work(void)
{
	struct ktally_status status = { .size = sizeof(status) };
	struct session s;
	int err;

	session_init(&s);
	err = session_open(&s);
	if (!err)
		err = session_ioctl(&s, KTALLY_IOC_STATUS, &status);
	if (!err)
		err = session_start(&s, 128, 8);
	if (err)
		fault_die("loaded, but a session ends with: %s", strerror(-err));
	if (status.disarmed)
		fault_die("loaded, but disarmed");
	session_close(&s);
}

static void must_be_gone(void)
{
	const char *trace = module_trace();

	if (trace)
		fault_die("not loaded, but there is %s", trace);
}

static void unload(void)
{
	int err = module_unload();

	if (err)
		fault_die("loaded, but does not unload: %s", strerror(-err));
	must_be_gone();
}

static int load(void)
{
	return module_load(&image, parameters);
}

/* What the kernel's loader does before the module's first instruction. */
static int load_only(void)
{
	return module_load(&image, "disable=1");
}

/* Past the loader, whose faults are the kernel's own business. */
static unsigned int first_own(int fd)
{
	unsigned int n = fault_count(fd, load_only);

	return n > JITTER ? n - JITTER : 1;
}

/* From one to the next, so that FAULTS of them are tried. */
static unsigned int stride(int fd, unsigned int first, unsigned int faults)
{
	unsigned int own = fault_count(fd, load) - first;

	unload();
	printf("load %s: %u allocations and user copies\n", parameters, own);
	return faults && own > faults ? own / faults : 1;
}

static void after(int result)
{
	if (result) {
		must_be_gone();
	} else {
		must_work();
		unload();
	}
}

int main(int argc, char **argv)
{
	int fd = fault_open();
	struct fault_walk walk = {
		.name = "load", .before = must_be_gone, .work = load, .after = after,
		.at_least = 20,
	};

	if (argc != 4)
		return 2;
	image = module_read(argv[1]);
	parameters = argv[3];
	walk.first = first_own(fd);
	walk.stride = stride(fd, walk.first, atoi(argv[2]));
	fault_walk(fd, &walk);
	return 0;
}
