// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text.c - bytes of processes made safe to show, and numbers made readable.
 *
 * No I/O and no state. The locale is asked only whether letters beyond ASCII can be
 * shown; numbers never depend on it.
 */
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "text.h"

static bool continues(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return false;
	return true;
}

size_t text_char(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (!n)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		return n >= 2 && continues(p + 1, 1) ? 2 : 0;
	if ((u[0] & 0xf0) == 0xe0) {
		if (n < 3 || !continues(p + 1, 2))
			return 0;
		if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] >= 0xa0))
			return 0;	/* overlong, surrogate */
		return 3;
	}
	if (u[0] >= 0xf0 && u[0] <= 0xf4) {
		if (n < 4 || !continues(p + 1, 3))
			return 0;
		if ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] >= 0x90))
			return 0;	/* overlong, beyond U+10FFFF */
		return 4;
	}
	return 0;
}

bool text_valid(const char *p, size_t n)
{
	while (n) {
		size_t len = text_char(p, n);

		if (!len)
			return false;
		p += len;
		n -= len;
	}
	return true;
}

bool text_control(const char *p, size_t len)
{
	unsigned char c = (unsigned char)*p;

	if (len == 1)
		return c < 0x20 || c == 0x7f;
	return len == 2 && c == 0xc2 && (unsigned char)p[1] < 0xa0;
}

static uint32_t code_point(const char *p, size_t len)
{
	static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)p[0] & mask[len];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)p[i] & 0x3f);
	return c;
}

/* For systems without locales, whose wcwidth() knows only ASCII. */
static size_t usual_width(uint32_t c)
{
	static const struct {
		uint32_t from, to;
		size_t width;
	} range[] = {
		{ 0x300, 0x36f, 0 }, { 0x1100, 0x115f, 2 }, { 0x200b, 0x200f, 0 },
		{ 0x2e80, 0xa4cf, 2 }, { 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 },
		{ 0xfe30, 0xfe6f, 2 }, { 0xff00, 0xff60, 2 }, { 0xffe0, 0xffe6, 2 },
		{ 0x1f300, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	for (size_t i = 0; i < sizeof(range) / sizeof(range[0]); i++)
		if (c >= range[i].from && c <= range[i].to)
			return range[i].width;
	return 1;
}

static size_t char_width(const char *p, size_t len)
{
	uint32_t c;
	int w;

	if (len <= 1)
		return 1;
	c = code_point(p, len);
	w = wcwidth((wchar_t)c);
	return w < 0 ? usual_width(c) : (size_t)w;
}

size_t text_fit(const char *p, size_t n, size_t columns)
{
	size_t at = 0;

	while (at < n) {
		size_t len = text_char(p + at, n - at);
		size_t w = char_width(p + at, len);

		if (w > columns)
			break;
		columns -= w;
		at += len ? len : 1;
	}
	return at;
}

size_t text_width(const char *p, size_t n)
{
	size_t w = 0;

	for (size_t at = 0; at < n;) {
		size_t len = text_char(p + at, n - at);

		w += char_width(p + at, len);
		at += len ? len : 1;
	}
	return w;
}

static size_t put(char *dst, size_t n, size_t at, const char *src, size_t len)
{
	if (at + len < n)
		memcpy(dst + at, src, len);
	return at + len;
}

void text_hex(char dst[4], unsigned char c)
{
	static const char digit[] = "0123456789abcdef";

	dst[0] = '\\';
	dst[1] = 'x';
	dst[2] = digit[c >> 4];
	dst[3] = digit[c & 15];
}

static size_t put_hex(char *dst, size_t n, size_t at, unsigned char c)
{
	char x[4];

	text_hex(x, c);
	return put(dst, n, at, x, sizeof(x));
}

/* Ends dst where the last whole piece fits. */
static size_t finish(char *dst, size_t n, size_t fitted)
{
	if (n)
		dst[fitted < n ? fitted : n - 1] = '\0';
	return fitted;
}

size_t text_escape(char *dst, size_t n, const char *src, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < len;) {
		size_t c = text_char(src + i, len - i);
		size_t next = at;

		if (!c || text_control(src + i, c)) {
			for (size_t k = 0; k < (c ? c : 1); k++)
				next = put_hex(dst, n, next, (unsigned char)src[i + k]);
		} else {
			next = put(dst, n, at, src + i, c);
		}
		if (next >= n)
			break;
		at = next;
		i += c ? c : 1;
	}
	return finish(dst, n, at);
}

/* Means nothing to a shell: letters and digits of ASCII, and some signs. */
static const bool is_safe[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true, ['@'] = true,
	['%'] = true, ['+'] = true, ['='] = true, [':'] = true, [','] = true, ['.'] = true,
	['/'] = true, ['-'] = true,
};

static bool bare(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_safe[(unsigned char)p[i]])
			return false;
	return len > 0;
}

/* No blank, quote or backslash: read by a person it is one word. */
static bool one_word(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr(" '\"\\", p[i]))
			return false;
	return len > 0;
}

static bool printable(const char *p, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t c = text_char(p + i, len - i);

		if (!c || text_control(p + i, c))
			return false;
		i += c;
	}
	return true;
}

static size_t quote_plain(char *dst, size_t n, const char *p, size_t len)
{
	size_t at = put(dst, n, 0, "'", 1);

	for (size_t i = 0; i < len; i++)
		at = p[i] == '\'' ? put(dst, n, at, "'\\''", 4) : put(dst, n, at, p + i, 1);
	return put(dst, n, at, "'", 1);
}

static size_t quote_escaped(char *dst, size_t n, const char *p, size_t len)
{
	size_t at = put(dst, n, 0, "$'", 2);

	for (size_t i = 0; i < len;) {
		size_t c = text_char(p + i, len - i);

		if (p[i] == '\n' || p[i] == '\t' || p[i] == '\r') {
			at = put(dst, n, at, p[i] == '\n' ? "\\n" : p[i] == '\t' ? "\\t" : "\\r", 2);
		} else if (!c || text_control(p + i, c)) {
			for (size_t k = 0; k < (c ? c : 1); k++)
				at = put_hex(dst, n, at, (unsigned char)p[i + k]);
		} else if (p[i] == '\\' || p[i] == '\'') {
			at = put(dst, n, put(dst, n, at, "\\", 1), p + i, 1);
		} else {
			at = put(dst, n, at, p + i, c);
		}
		i += c ? c : 1;
	}
	return put(dst, n, at, "'", 1);
}

size_t text_quote(char *dst, size_t n, const char *arg, size_t len, enum text_quoting how)
{
	size_t at;

	if (bare(arg, len) ||
	    (how == TEXT_FOR_PEOPLE && one_word(arg, len) && printable(arg, len)))
		at = put(dst, n, 0, arg, len);
	else if (printable(arg, len))
		at = quote_plain(dst, n, arg, len);
	else
		at = quote_escaped(dst, n, arg, len);
	return finish(dst, n, at < n ? at : 0);
}

int text_next_arg(const char *argv, size_t len, size_t *pos, const char **arg, size_t *arg_len)
{
	const char *end;

	if (*pos >= len)
		return 0;
	*arg = argv + *pos;
	end = memchr(*arg, '\0', len - *pos);
	*arg_len = end ? (size_t)(end - *arg) : len - *pos;
	*pos += *arg_len + 1;
	return 1;
}

size_t text_quote_room(size_t len)
{
	return 4 * len + 4 * len + 8;	/* each byte \xNN; each byte an argument: '' and a blank */
}

size_t text_quote_argv(char *dst, size_t n, const char *argv, size_t len, enum text_quoting how)
{
	size_t at = 0, pos = 0, arg_len;
	const char *arg;

	while (text_next_arg(argv, len, &pos, &arg, &arg_len)) {
		if (at)
			at = put(dst, n, at, " ", 1);
		if (at >= n)
			break;
		at += text_quote(dst + at, n - at, arg, arg_len, how);
	}
	return finish(dst, n, at);
}

/* Adds by snprintf, never beyond n. */
#define PRINT(dst, n, ...)							\
	({									\
		int printed = snprintf((dst), (n), __VA_ARGS__);		\
		printed < 0 ? 0 : (size_t)printed < (n) ? (size_t)printed : (n) - 1; \
	})

static size_t long_span(char *dst, size_t n, uint64_t s)
{
	if (s < 3600)
		return PRINT(dst, n, "%llum%02llus", (unsigned long long)s / 60,
			     (unsigned long long)s % 60);
	if (s < 86400)
		return PRINT(dst, n, "%lluh%02llum", (unsigned long long)s / 3600,
			     (unsigned long long)s / 60 % 60);
	return PRINT(dst, n, "%llud%02lluh", (unsigned long long)s / 86400,
		     (unsigned long long)s / 3600 % 24);
}

/* Limits lie where rounding would add a digit, so that no value is wider than its neighbours. */
size_t text_span(char *dst, size_t n, uint64_t ns)
{
	if (!ns)
		return PRINT(dst, n, "0");
	if (ns < 1000)
		return PRINT(dst, n, "%llu ns", (unsigned long long)ns);
	if (ns < 999950)
		return PRINT(dst, n, "%.1f %ss", ns / 1e3, text_glyphs()->micro);
	if (ns < 9995000)
		return PRINT(dst, n, "%.2f ms", ns / 1e6);
	if (ns < 999950000)
		return PRINT(dst, n, "%.1f ms", ns / 1e6);
	if (ns < 9999500000)
		return PRINT(dst, n, "%.3f s", ns / 1e9);
	if (ns < 99995000000)
		return PRINT(dst, n, "%.2f s", ns / 1e9);
	if (ns < 999950000000)
		return PRINT(dst, n, "%.1f s", ns / 1e9);
	return long_span(dst, n, ns / 1000000000);
}

size_t text_seconds(char *dst, size_t n, uint64_t ns, int decimals)
{
	uint64_t step = 1, per_second = 1;

	for (int i = 0; i < 9; i++) {
		if (i < decimals)
			per_second *= 10;
		else
			step *= 10;
	}
	ns = ns / step + (step > 1 && ns % step >= step / 2);
	if (!decimals)
		return PRINT(dst, n, "%llu", (unsigned long long)ns);
	return PRINT(dst, n, "%llu.%0*llu", (unsigned long long)(ns / per_second), decimals,
		     (unsigned long long)(ns % per_second));
}

size_t text_bytes(char *dst, size_t n, uint64_t bytes)
{
	static const char unit[] = "KMGTPE";
	double v = (double)bytes;
	int u = -1;

	if (bytes < 1000)
		return PRINT(dst, n, "%llu", (unsigned long long)bytes);
	do {
		v /= 1024;
		u++;
	} while (v >= 999.95 && unit[u + 1]);
	return PRINT(dst, n, "%.1f%c", v, unit[u]);
}

size_t text_signal(char *dst, size_t n, int sig)
{
	static const char *const name[] = {
		[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
		[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS", [SIGFPE] = "FPE",
		[SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGCHLD] = "CHLD",
		[SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN",
		[SIGTTOU] = "TTOU", [SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "IO",
		[SIGPWR] = "PWR", [SIGSYS] = "SYS",
	};

	if (sig > 0 && (size_t)sig < sizeof(name) / sizeof(name[0]) && name[sig])
		return PRINT(dst, n, "%s", name[sig]);
	if (sig >= SIGRTMIN && sig <= SIGRTMAX)
		return PRINT(dst, n, sig == SIGRTMIN ? "RTMIN" : "RTMIN+%d", sig - SIGRTMIN);
	return PRINT(dst, n, "SIG%d", sig);
}

size_t text_ascii(char *p, size_t n, size_t room)
{
	size_t more = 0, to;

	for (size_t i = 0; i < n; i++)
		more += (unsigned char)p[i] >= 0x80 ? 3 : 0;
	if (!more || n + more >= room)
		return n;
	p[n + more] = '\0';
	to = n + more;
	for (size_t i = n; i--;) {
		if ((unsigned char)p[i] >= 0x80)
			text_hex(p + (to -= 4), (unsigned char)p[i]);
		else
			p[--to] = p[i];
	}
	return n + more;
}

/* Small systems have no locales, but their users say what the terminal is. */
static bool environment_says_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
	}
	return false;
}

bool text_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8") || environment_says_utf8();
}

const struct text_glyphs *text_glyphs(void)
{
	static const struct text_glyphs utf8 = {
		"…", "≤", "≥", "·", "├─ ", "└─ ", "│  ", "   ", "µ",
	};
	static const struct text_glyphs ascii = {
		"...", "<=", ">=", "-", "|- ", "`- ", "|  ", "   ", "u",
	};

	return text_utf8() ? &utf8 : &ascii;
}
