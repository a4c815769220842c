/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - /metrics for scrapers, by libmicrohttpd where ktally is built with it.
 * One thread: the caller waits for the descriptor and lets it work.
 */
#ifndef KTALLY_METRICS_HTTP_H
#define KTALLY_METRICS_HTTP_H

#include <stdbool.h>

struct metrics_http;

/* where: "[ADDRESS:]PORT", by default on 127.0.0.1. page() gives a descriptor of the text, or -1. */
int metrics_http_open(struct metrics_http **h, const char *where, int (*page)(void *arg, bool open), void *arg);
int metrics_http_fd(const struct metrics_http *h);
void metrics_http_run(struct metrics_http *h);
void metrics_http_close(struct metrics_http *h);

#endif
