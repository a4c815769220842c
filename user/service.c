// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service.c - a recorder as a service. The manager's protocol is one datagram, so no
 * library is asked for it; standard error is the journal.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cmd.h"
#include "service.h"

#define LOOK_NS	10000000000ULL

void service_ready(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		say_warning("the service manager was not told that recording has begun");
	close(fd);
}

void service_say_losses(struct service_losses *l, const struct session *s)
{
	struct ktally_counts counts;
	uint64_t now = session_now(), all = 0;
	char text[512], count[32];
	size_t at = 0;

	if (now - l->looked < LOOK_NS || ktally_live_counts(s->live, &counts))
		return;
	for (uint32_t kind = 0; kind < KTALLY_KINDS; kind++) {
		uint64_t n = counts.lost[kind] - l->said[kind];

		if (n && at < sizeof(text))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %s", at ? ", " : "",
					       say_count(count, n), ktally_kind_name(kind) ? ktally_kind_name(kind) : "?");
		l->said[kind] = counts.lost[kind];
		all += n;
	}
	if (all)
		say_warning("%s records lost (buffer full) in the last %.0f s: %s; raise --buffer", say_count(count, all),
			    (double)(now - l->looked) / 1e9, text);
	l->looked = now;
}
