// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * http.c - batches to a server, by libcurl, which is opened only when it is needed: it
 * brings TLS and much else into the start of every program linked with it. So is zlib,
 * which every libcurl comes with.
 *
 * A batch is taken when the server answers 2xx and says nothing: the engines that rows
 * go to have nothing to say then, a proxy that caught the request has.
 */
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cmd.h"
#include "http.h"

enum { CONNECT_MS = 5000, WORDS = 200, LEVEL = 6, GZIP = 16 };

/* What is used of it, by its own names without curl_. */
#define FUNCTIONS(F)							\
	F(global_init) F(easy_init) F(easy_setopt) F(easy_getinfo) F(easy_strerror) F(easy_cleanup) \
	F(multi_init) F(multi_add_handle) F(multi_remove_handle) F(multi_perform) F(multi_poll) \
	F(multi_info_read) F(multi_cleanup) F(slist_append) F(slist_free_all) F(url) F(url_set) F(url_cleanup)
#define PACKING(F)	F(deflateInit2_) F(deflateBound) F(deflate) F(deflateEnd)
#undef curl_easy_setopt
#undef curl_easy_getinfo
#define POINTER(name)	__typeof__(&curl_##name) name;
#define PACKER(name)	__typeof__(&name) name;
struct library {
	void *curl, *zlib;
	FUNCTIONS(POINTER)
	PACKING(PACKER)
};

struct ship_http {
	struct library lib;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *headers;
	bool busy;
	enum ship_answer answer;
	size_t n_words;
	char words[WORDS + 1];		/* what the server says */
	char why[WORDS + 64];
};

/* ---- the library ---- */

static int take_library(struct library *lib)
{
	lib->zlib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	lib->curl = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!lib->curl)
		lib->curl = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!lib->curl || !lib->zlib)
		return say_error(FAILED, "ship needs libcurl.so.4 and libz.so.1, which are not here; on Debian: apt install libcurl4");
#define TAKE(from, name, symbol)					\
	lib->name = (__typeof__(lib->name))dlsym(from, symbol);		\
	if (!lib->name)							\
		return say_error(FAILED, "libcurl or libz lacks " symbol "; it is too old");
#define TAKE_CURL(name)	TAKE(lib->curl, name, "curl_" #name)
#define TAKE_ZLIB(name)	TAKE(lib->zlib, name, #name)
	FUNCTIONS(TAKE_CURL)
	PACKING(TAKE_ZLIB)
	lib->global_init(CURL_GLOBAL_DEFAULT);
	return OPT_GO_ON;
}

/* ---- an answer ---- */

static size_t take_words(char *p, size_t size, size_t n, void *arg)
{
	struct ship_http *h = arg;
	size_t more = size * n < WORDS - h->n_words ? size * n : WORDS - h->n_words;

	memcpy(h->words + h->n_words, p, more);
	h->n_words += more;
	h->words[h->n_words] = '\0';
	return size * n;
}

/* A refusal is about this batch: others may be taken. */
static enum ship_answer judge(long code, size_t n_words)
{
	if (code / 100 == 2 && !n_words)
		return SHIP_TAKEN;
	return code / 100 == 4 && code != 408 && code != 429 ? SHIP_REFUSED : SHIP_FAILED;
}

static void take_answer(struct ship_http *h, CURLcode result)
{
	long code = 0, err = 0;

	h->busy = false;
	h->lib.multi_remove_handle(h->multi, h->easy);
	if (result != CURLE_OK) {
		h->answer = SHIP_FAILED;
		h->lib.easy_getinfo(h->easy, CURLINFO_OS_ERRNO, &err);
		/* Its own message has milliseconds in it, and so is new each time. */
		snprintf(h->why, sizeof(h->why), "%s",
			 result == CURLE_COULDNT_CONNECT && err ? strerror((int)err) : h->lib.easy_strerror(result));
		return;
	}
	h->lib.easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &code);
	h->words[strcspn(h->words, "\r\n")] = '\0';
	h->answer = judge(code, h->n_words);
	snprintf(h->why, sizeof(h->why), "it answers %ld%s%s", code, *h->words ? ": " : "", h->words);
}

enum ship_answer ship_http_answer(struct ship_http *h, const char **why)
{
	enum ship_answer answer = h->answer;

	*why = h->why;
	h->answer = SHIP_BUSY;
	return answer;
}

/* ---- a request ---- */

void ship_http_post(struct ship_http *h, const void *body, size_t n)
{
	h->busy = true;
	h->answer = SHIP_BUSY;
	h->n_words = 0;
	h->words[0] = '\0';
	h->lib.easy_setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n);
	h->lib.easy_setopt(h->easy, CURLOPT_POSTFIELDS, body);
	h->lib.multi_add_handle(h->multi, h->easy);
}

void ship_http_wait(struct ship_http *h, struct pollfd *fds, unsigned int n, int ms)
{
	struct curl_waitfd extra[4];
	CURLMsg *m;
	int running, left;

	for (unsigned int i = 0; i < n; i++)
		extra[i] = (struct curl_waitfd){ .fd = fds[i].fd, .events = CURL_WAIT_POLLIN };
	if (h->busy)
		h->lib.multi_perform(h->multi, &running);
	h->lib.multi_poll(h->multi, extra, n, ms, NULL);
	h->lib.multi_perform(h->multi, &running);
	while ((m = h->lib.multi_info_read(h->multi, &left)))
		if (m->msg == CURLMSG_DONE)
			take_answer(h, m->data.result);
}

static void set_options(struct ship_http *h, const char *url, const char *auth, unsigned int ms)
{
	const struct library *lib = &h->lib;

	h->headers = lib->slist_append(NULL, "Content-Encoding: gzip");
	h->headers = lib->slist_append(h->headers, "Content-Type: text/plain; charset=utf-8");
	h->headers = lib->slist_append(h->headers, "Expect:");
	lib->easy_setopt(h->easy, CURLOPT_URL, url);
	lib->easy_setopt(h->easy, CURLOPT_HTTPHEADER, h->headers);
	lib->easy_setopt(h->easy, CURLOPT_USERAGENT, "ktally/" KTALLY_VERSION);
	lib->easy_setopt(h->easy, CURLOPT_POST, 1L);
	lib->easy_setopt(h->easy, CURLOPT_NOSIGNAL, 1L);
	lib->easy_setopt(h->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	lib->easy_setopt(h->easy, CURLOPT_TIMEOUT_MS, (long)ms);
	lib->easy_setopt(h->easy, CURLOPT_WRITEFUNCTION, take_words);
	lib->easy_setopt(h->easy, CURLOPT_WRITEDATA, h);
	if (auth) {
		lib->easy_setopt(h->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		lib->easy_setopt(h->easy, CURLOPT_USERPWD, auth);
	}
}

/* What is none would be asked for ever: it fails as a server that is away does. */
static bool is_url(const struct library *lib, const char *text)
{
	CURLU *url = lib->url();
	bool is = url && !lib->url_set(url, CURLUPART_URL, text, 0);

	lib->url_cleanup(url);
	return is;
}

int ship_http_open(struct ship_http **out, const char *url, const char *auth, unsigned int ms)
{
	struct ship_http *h = calloc(1, sizeof(*h));
	int status;

	*out = h;
	if (!h)
		return say_error(FAILED, "out of memory");
	status = take_library(&h->lib);
	if (status != OPT_GO_ON)
		return status;
	if (!is_url(&h->lib, url))
		return say_error(WRONG_USE, "ship: --to: host or port of the URL are none; for example: http://127.0.0.1:8123/");
	h->easy = h->lib.easy_init();
	h->multi = h->lib.multi_init();
	if (!h->easy || !h->multi)
		return say_error(FAILED, "out of memory");
	set_options(h, url, auth, ms);
	return OPT_GO_ON;
}

/* The library itself stays: its threads that look up names may still end. */
void ship_http_close(struct ship_http *h)
{
	if (!h)
		return;
	if (h->busy)
		h->lib.multi_remove_handle(h->multi, h->easy);
	if (h->easy)
		h->lib.easy_cleanup(h->easy);
	if (h->multi)
		h->lib.multi_cleanup(h->multi);
	if (h->headers)
		h->lib.slist_free_all(h->headers);
	free(h);
}

/* ---- packing ---- */

unsigned char *ship_http_pack(const struct ship_http *h, const void *from, size_t n, size_t *packed)
{
	const struct library *lib = &h->lib;
	z_stream z = { .next_in = (unsigned char *)from, .avail_in = (uInt)n };
	unsigned char *to = NULL;

	if (lib->deflateInit2_(&z, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY,
			       ZLIB_VERSION, (int)sizeof(z)) != Z_OK)
		return NULL;
	z.avail_out = (uInt)lib->deflateBound(&z, (uLong)n);
	to = malloc(z.avail_out);
	z.next_out = to;
	if (to && lib->deflate(&z, Z_FINISH) != Z_STREAM_END) {
		free(to);
		to = NULL;
	}
	*packed = z.total_out;
	lib->deflateEnd(&z);
	return to;
}
