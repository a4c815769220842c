// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http.c - /metrics for scrapers, by libmicrohttpd, which is opened only when it
 * is needed: it brings a library for TLS into the start of every program linked with it.
 *
 * Nobody's input goes further than the path and the Accept header. Few connections at
 * once, each for a short time: it listens on loopback unless told otherwise.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "http.h"

enum { CONNECTIONS = 16, SECONDS = 10, AT_ONCE = 1000 };

#define LIBRARY	"libmicrohttpd.so.12"

/* What is used of it, by its own names without MHD_. */
#define FUNCTIONS(F)							\
	F(start_daemon) F(stop_daemon) F(run) F(get_timeout) F(get_daemon_info) F(lookup_connection_value) \
	F(create_response_from_buffer) F(create_response_from_fd) F(add_response_header) \
	F(queue_response) F(destroy_response)
#define POINTER(name)	__typeof__(&MHD_##name) name;
struct library {
	void *handle;
	FUNCTIONS(POINTER)
};

struct metrics_http {
	struct library lib;
	struct MHD_Daemon *daemon;
	int (*page)(void *arg, bool open);
	void *arg;
	int seen;			/* its address marks a request whose head was read */
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* ---- the library ---- */

static int take_library(struct library *lib)
{
	lib->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!lib->handle)
		return say_error(FAILED, "--listen needs " LIBRARY ", which is not here; on Debian: apt install libmicrohttpd12");
#define TAKE(name)							\
	lib->name = (__typeof__(lib->name))dlsym(lib->handle, "MHD_" #name); \
	if (!lib->name)							\
		return say_error(FAILED, LIBRARY " lacks MHD_" #name "; it is of another version");
	FUNCTIONS(TAKE)
	return OPT_GO_ON;
}

/* ---- answers ---- */

static enum MHD_Result answer(const struct library *lib, struct MHD_Connection *c, unsigned int code,
			      struct MHD_Response *r, const char *type)
{
	enum MHD_Result ok;

	if (!r)
		return MHD_NO;
	lib->add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	ok = lib->queue_response(c, code, r);
	lib->destroy_response(r);
	return ok;
}

static enum MHD_Result answer_text(const struct library *lib, struct MHD_Connection *c, unsigned int code, const char *text)
{
	return answer(lib, c, code, lib->create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT),
		      "text/plain; charset=utf-8");
}

static enum MHD_Result answer_metrics(struct metrics_http *h, struct MHD_Connection *c)
{
	const char *accept = h->lib.lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool open = accept && strstr(accept, "application/openmetrics-text");
	int fd = h->page(h->arg, open);
	struct stat st;

	if (fd < 0)
		return answer_text(&h->lib, c, MHD_HTTP_SERVICE_UNAVAILABLE, "the module does not answer; its host's log says why\n");
	if (fstat(fd, &st)) {
		close(fd);
		return MHD_NO;
	}
	return answer(&h->lib, c, MHD_HTTP_OK, h->lib.create_response_from_fd((uint64_t)st.st_size, fd),
		      open ? "application/openmetrics-text; version=1.0.0; charset=utf-8" :
			     "text/plain; version=0.0.4; charset=utf-8");
}

static enum MHD_Result request(void *arg, struct MHD_Connection *c, const char *url, const char *method,
			       const char *version, const char *data, size_t *n, void **state)
{
	struct metrics_http *h = arg;

	(void)version;
	(void)data;
	if (!*state) {
		*state = &h->seen;
		return MHD_YES;
	}
	if (*n) {
		*n = 0;			/* a body is of no interest */
		return MHD_YES;
	}
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return answer_text(&h->lib, c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
	if (!strcmp(url, "/metrics"))
		return answer_metrics(h, c);
	return answer_text(&h->lib, c, strcmp(url, "/") ? MHD_HTTP_NOT_FOUND : MHD_HTTP_OK, "ktally: see /metrics\n");
}

/* ---- where ---- */

static bool take_port(const char *text, in_port_t *port)
{
	uint64_t n;

	if (opt_parse_u64(text, &n) || !n || n > 65535)
		return false;
	*port = htons((uint16_t)n);
	return true;
}

/* 9435, 0.0.0.0:9435, [::1]:9435 */
static int take_address(const char *where, union address *a)
{
	const char *colon = strrchr(where, ':');
	char host[INET6_ADDRSTRLEN] = "127.0.0.1";
	size_t n = colon ? (size_t)(colon - where) : 0;
	const char *from = where;

	memset(a, 0, sizeof(*a));
	if (n > 2 && where[0] == '[' && where[n - 1] == ']') {
		from++;
		n -= 2;
		a->any.sa_family = AF_INET6;
	} else {
		a->any.sa_family = AF_INET;
	}
	if (n >= sizeof(host))
		return -EINVAL;
	if (n) {
		memcpy(host, from, n);
		host[n] = '\0';
	}
	if (a->any.sa_family == AF_INET6)
		return inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1 && take_port(colon + 1, &a->v6.sin6_port) ? 0 : -EINVAL;
	return inet_pton(AF_INET, host, &a->v4.sin_addr) == 1 && take_port(colon ? colon + 1 : where, &a->v4.sin_port) ?
	       0 : -EINVAL;
}

int metrics_http_open(struct metrics_http **out, const char *where, int (*page)(void *arg, bool open), void *arg)
{
	struct metrics_http *h;
	union address a;
	int status;

	*out = NULL;
	if (take_address(where, &a))
		return say_error(WRONG_USE, "--listen '%s': a port, or ADDRESS:PORT; for example: 9435, 0.0.0.0:9435, [::1]:9435",
				 where);
	h = calloc(1, sizeof(*h));
	if (!h)
		return say_error(FAILED, "out of memory");
	h->page = page;
	h->arg = arg;
	status = take_library(&h->lib);
	if (status != OPT_GO_ON) {
		metrics_http_close(h);
		return status;
	}
	errno = 0;
	h->daemon = h->lib.start_daemon(MHD_USE_EPOLL | (a.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL,
				     request, h, MHD_OPTION_SOCK_ADDR, &a.any,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)SECONDS, MHD_OPTION_END);
	if (!h->daemon) {
		status = say_error(FAILED, "--listen %s: %s", where, errno ? strerror(errno) : "cannot listen there");
		metrics_http_close(h);
		return status;
	}
	*out = h;
	return OPT_GO_ON;
}

int metrics_http_fd(const struct metrics_http *h)
{
	return h->lib.get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* What it has taken from its descriptor and not finished does not make that readable again. */
void metrics_http_run(struct metrics_http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int n = 0;

	do {
		h->lib.run(h->daemon);
	} while (h->lib.get_timeout(h->daemon, &ms) == MHD_YES && !ms && ++n < AT_ONCE);
}

void metrics_http_close(struct metrics_http *h)
{
	if (!h)
		return;
	if (h->daemon)
		h->lib.stop_daemon(h->daemon);
	if (h->lib.handle)
		dlclose(h->lib.handle);
	free(h);
}
