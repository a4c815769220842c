// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nohttp.c - in place of ship/http.c where ktally is built without libcurl and zlib.
 */
#include "cmd.h"
#include "http.h"

int ship_http_open(struct ship_http **h, const char *url, const char *auth, unsigned int ms)
{
	(void)url;
	(void)auth;
	(void)ms;
	*h = NULL;
	return say_error(FAILED, "ship: built without libcurl and zlib, so without a way to a server; rows for another sender: ktally events -e exit --jsonl --columns -argv");
}

void ship_http_post(struct ship_http *h, const void *body, size_t n)
{
	(void)h;
	(void)body;
	(void)n;
}

void ship_http_wait(struct ship_http *h, struct pollfd *fds, unsigned int n, int ms)
{
	(void)h;
	(void)fds;
	(void)n;
	(void)ms;
}

enum ship_answer ship_http_answer(struct ship_http *h, const char **why)
{
	(void)h;
	*why = "";
	return SHIP_FAILED;
}

void ship_http_close(struct ship_http *h)
{
	(void)h;
}

unsigned char *ship_http_pack(const struct ship_http *h, const void *from, size_t n, size_t *packed)
{
	(void)h;
	(void)from;
	(void)n;
	*packed = 0;
	return NULL;
}
