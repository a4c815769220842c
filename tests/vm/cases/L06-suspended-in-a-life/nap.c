// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nap STATE SECONDS - a child that sleeps longer than the machine is suspended, and the
 * suspend in the middle of it, ended by the real time clock.
 */
#include "truth.h"

#define RTC	"/sys/class/rtc/rtc0/"
#define LIFE_MS	3000

static long long number_of(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	need(n > 0, path);
	close(fd);
	return atoll(text);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	need(fd >= 0 && write(fd, text, n) == (ssize_t)n, path);
	close(fd);
}

static ull suspended_ns(void)
{
	return boot_ns() - clock_ns(CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
	ull before = suspended_ns();
	char at[32];
	pid_t p;

	if (argc != 3)
		return 2;
	p = begin();
	if (!p) {
		set_name("sleeper");
		msleep(LIFE_MS);
		truth("role=inside pid=%d cpu_ns=%llu", getpid(), cpu_ns());
		_exit(6);
	}
	msleep(500);
	put(RTC "wakealarm", "0");
	snprintf(at, sizeof at, "%lld", number_of(RTC "since_epoch") + atoi(argv[2]));
	put(RTC "wakealarm", at);
	put("/sys/power/state", argv[1]);
	reap(p, "sleeper");
	truth("role=suspend state=%s slept_ns=%llu awake_ms=%d", argv[1], suspended_ns() - before,
	      LIFE_MS);
	return 0;
}
