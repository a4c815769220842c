// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nohttp.c - in place of metrics/http.c where ktally is built without libmicrohttpd.
 */
#include "cmd.h"
#include "http.h"

int metrics_http_open(struct metrics_http **h, const char *where, int (*page)(void *arg, bool open), void *arg)
{
	(void)where;
	(void)page;
	(void)arg;
	*h = NULL;
	return say_error(FAILED, "--listen: built without libmicrohttpd, so without an endpoint; for node_exporter: ktally metrics -o /var/lib/prometheus/node-exporter/ktally.prom --every 15s");
}

int metrics_http_fd(const struct metrics_http *h)
{
	(void)h;
	return -1;
}

void metrics_http_run(struct metrics_http *h)
{
	(void)h;
}

void metrics_http_close(struct metrics_http *h)
{
	(void)h;
}
