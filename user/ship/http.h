/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - a body to a server by POST, by libcurl where ktally is built with it. One
 * thread: the caller waits for its own descriptors and for the network at once.
 */
#ifndef KTALLY_SHIP_HTTP_H
#define KTALLY_SHIP_HTTP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct ship_http;

enum ship_answer {
	SHIP_BUSY,			/* none yet, or nothing was asked */
	SHIP_TAKEN,
	SHIP_REFUSED,			/* the server wants this batch never, or not yet */
	SHIP_FAILED,			/* no answer, or one that says that the server is unwell */
};

/* auth: "USER:PASSWORD" or NULL. ms: how long an answer may take. */
int ship_http_open(struct ship_http **h, const char *url, const char *auth, unsigned int ms);
/* Begins to send a packed body, which stays until it is answered. */
void ship_http_post(struct ship_http *h, const void *body, size_t n);
/* Until one of the descriptors, the network, or the time. */
void ship_http_wait(struct ship_http *h, struct pollfd *fds, unsigned int n, int ms);
/* Once per body; *why is a line, until the next post. */
enum ship_answer ship_http_answer(struct ship_http *h, const char **why);
void ship_http_close(struct ship_http *h);

/* gzip. NULL: no memory. The caller's to free. */
unsigned char *ship_http_pack(const struct ship_http *h, const void *from, size_t n, size_t *packed);

#endif
