// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * name.c - what people call a command: the script behind an interpreter, and texts in
 * which numbers and temporary names are folded, so that runs of the same thing meet.
 *
 * Pure: memory to memory. Arguments are arbitrary bytes and may have been cut.
 */
#include <ctype.h>
#include <string.h>

#include "ktally.h"

/* Letters of options, as they bear on which word is the script. */
struct interpreter {
	const char *name;	/* without a version behind it */
	const char *text;	/* the program itself is in the arguments: no script */
	const char *takes;	/* the next word belongs to the option */
	char module;		/* the next word names what runs */
	bool text_first;	/* the first word is the program, not a file */
	bool shell;
};

/* Of shells the options with a program and those that take a word are the same. */
#define SHELL(name)	{ name, "c", "oO", 0, false, true }
#define OTHER(name, text, takes, module) { name, text, takes, module, false, false }
#define AWK(name)	{ name, "e", "Fv", 'f', true, false }

static const struct interpreter interpreters[] = {
	SHELL("sh"), SHELL("ash"), SHELL("dash"), SHELL("bash"), SHELL("ksh"), SHELL("mksh"),
	SHELL("zsh"), AWK("awk"), AWK("gawk"), AWK("mawk"),
	OTHER("python", "c", "WX", 'm'), OTHER("perl", "eE", "", 0), OTHER("ruby", "e", "", 0),
	OTHER("lua", "e", "l", 0), OTHER("node", "ep", "r", 0), OTHER("php", "r", "dc", 'f'),
	OTHER("tclsh", "", "", 0), OTHER("guile", "c", "", 0), OTHER("Rscript", "e", "", 0),
	OTHER("openrc-run", "", "", 0),
};

static struct ktally_str base_name(struct ktally_str path)
{
	const char *slash = path.len ? memrchr(path.p, '/', path.len) : NULL;

	/* "dir/" and "/" are their own names. */
	if (!slash || slash + 1 == path.p + path.len)
		return path;
	return (struct ktally_str){ slash + 1, (uint32_t)(path.p + path.len - slash - 1) };
}

/* The next of NUL-separated words; false behind the last. */
static bool next_word(const struct ktally_image *im, uint32_t *at, struct ktally_str *word)
{
	if (!im->argv || *at >= im->argv_len)
		return false;
	word->p = im->argv + *at;
	word->len = (uint32_t)strnlen(word->p, im->argv_len - *at);
	*at += word->len + 1;
	return true;
}

static bool is(struct ktally_str s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.p, text, s.len);
}

/* "-bash" of a login, "python3.11" */
static const struct interpreter *interpreter_of(struct ktally_str name)
{
	if (name.len && name.p[0] == '-') {
		name.p++;
		name.len--;
	}
	while (name.len && strchr("0123456789.", name.p[name.len - 1]) && name.p[name.len - 1])
		name.len--;
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (is(name, interpreters[i].name))
			return &interpreters[i];
	return NULL;
}

enum option { NO_OPTION, ALONE, TAKES_NEXT, NAMES_NEXT, HAS_TEXT, LAST };

static enum option option_of(const struct interpreter *in, struct ktally_str word)
{
	if (word.len < 2 || (word.p[0] != '-' && word.p[0] != '+'))
		return NO_OPTION;
	if (word.p[1] == '-')
		return word.len == 2 ? LAST : ALONE;
	for (uint32_t i = 1; i < word.len; i++) {
		bool last = i + 1 == word.len;

		if (strchr(in->text, word.p[i]))
			return HAS_TEXT;
		if (in->module && word.p[i] == in->module)
			return last ? NAMES_NEXT : ALONE;
		if (strchr(in->takes, word.p[i]))
			return last ? TAKES_NEXT : ALONE;
	}
	return ALONE;
}

/* The word behind the options that names what runs; p NULL: there is none. */
static struct ktally_str script_word(const struct interpreter *in, const struct ktally_image *im,
				     uint32_t at)
{
	static const struct ktally_str none = { NULL, 0 };
	struct ktally_str word;

	while (next_word(im, &at, &word)) {
		switch (option_of(in, word)) {
		case NO_OPTION:
			return in->text_first || !word.len || is(word, "-") ? none : word;
		case HAS_TEXT:
			return none;
		case NAMES_NEXT:
			return next_word(im, &at, &word) ? word : none;
		case TAKES_NEXT:
			if (!next_word(im, &at, &word))
				return none;
			break;
		case LAST:
			return !in->text_first && next_word(im, &at, &word) ? word : none;
		case ALONE:
			break;
		}
	}
	return none;
}

struct ktally_str ktally_image_called(const struct ktally_image *im)
{
	struct ktally_str word = { NULL, 0 };
	uint32_t at = 0;

	if (!next_word(im, &at, &word) || !word.len)
		return ktally_image_program(im);
	return base_name(word);
}

/* Of programs with many names, run by their own file, only the first word tells which. */
static bool by_own_file(const struct ktally_image *im)
{
	return im->filename && !strcmp(im->filename, "/proc/self/exe");
}

/* What was run, below the file of a program with many names, and where its words go on. */
static struct ktally_str applet(const struct ktally_image *im, uint32_t *at)
{
	struct ktally_str word, name = { NULL, 0 };

	if (!im->argv_len)
		return ktally_image_program(im);
	if (!next_word(im, at, &word) || !word.len)
		return name;
	name = base_name(word);
	if (is(name, "busybox") && next_word(im, at, &word) && word.len)
		name = base_name(word);
	return name;
}

static bool from_first_line(const struct ktally_image *im)
{
	return im->filename && im->interp && strcmp(im->filename, im->interp);
}

struct ktally_str ktally_image_script(const struct ktally_image *im)
{
	struct ktally_str program = ktally_image_program(im), name, word;
	const struct interpreter *in;
	uint32_t at = 0;

	if (from_first_line(im))
		return program;
	name = applet(im, &at);
	if (!name.p)
		return program;
	if (by_own_file(im) || is(program, "busybox"))
		program = name;
	in = interpreter_of(name);
	if (!in)
		return program;
	word = script_word(in, im, at);
	return word.p ? base_name(word) : program;
}

bool ktally_image_is_shell(const struct ktally_image *im)
{
	const struct interpreter *in;
	struct ktally_str name;
	uint32_t at = 0;

	if (from_first_line(im))
		name = base_name((struct ktally_str){ im->interp, (uint32_t)strlen(im->interp) });
	else
		name = applet(im, &at);
	in = interpreter_of(name);
	return in && in->shell;
}

bool ktally_image_is_script(const struct ktally_image *im)
{
	const struct interpreter *in;
	struct ktally_str name;
	uint32_t at = 0;

	if (from_first_line(im))
		return true;
	name = applet(im, &at);
	in = interpreter_of(name);
	return in && (in->shell || script_word(in, im, at).p);
}

/* ---- folding ---- */

static const char *const temporary[] = { "/tmp/", "/var/tmp/", "/dev/shm/", "/run/user/" };

/* Length of a folder for temporary files that p begins with; 0 = none. */
static size_t temporary_at(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof(temporary) / sizeof(temporary[0]); i++) {
		size_t len = strlen(temporary[i]);

		if (n >= len && !memcmp(p, temporary[i], len))
			return len;
	}
	return 0;
}

/* A name within a path ends here. */
static bool ends_name(char c)
{
	return !c || memchr("/:,;|&<>()'\" \t\n=", c, 16);
}

static size_t name_len(const char *p, size_t n)
{
	size_t len = 0;

	while (len < n && !ends_name(p[len]))
		len++;
	return len;
}

/* Length of a number at p, hexadecimal if it is long and mixed; 0 = none. */
static size_t number_at(const char *p, size_t n)
{
	size_t digits = 0, hex = 0, letters = 0;

	while (digits < n && isdigit((unsigned char)p[digits]))
		digits++;
	while (hex < n && isxdigit((unsigned char)p[hex]))
		letters += isalpha((unsigned char)p[hex++]) != 0;
	if (hex >= 8 && letters && letters < hex)
		return hex;
	return digits;
}

/* "XXXXXX" of mktemp behind a dot: six letters and digits and more, with both cases or a digit. */
static size_t random_at(const char *p, size_t n)
{
	size_t len = 0, upper = 0, lower = 0, digits = 0;

	while (len < n && isalnum((unsigned char)p[len])) {
		upper += isupper((unsigned char)p[len]) != 0;
		lower += islower((unsigned char)p[len]) != 0;
		digits += isdigit((unsigned char)p[len]) != 0;
		len++;
	}
	if (len < 6 || (len < n && !ends_name(p[len])))
		return 0;
	return (upper && lower) || (digits && (upper || lower)) ? len : 0;
}

struct folding {
	const char *src;
	size_t n, at;
	char *dst;
	size_t len;
};

static void keep(struct folding *f, size_t n)
{
	memmove(f->dst + f->len, f->src + f->at, n);
	f->len += n;
	f->at += n;
}

static void replace(struct folding *f, size_t n, char by)
{
	f->dst[f->len++] = by;
	f->at += n;
}

static void fold_here(struct folding *f)
{
	const char *p = f->src + f->at;
	size_t left = f->n - f->at, len = *p == '/' ? temporary_at(p, left) : 0, name;

	if (len) {
		name = name_len(p + len, left - len);
		keep(f, len);
		if (name)
			replace(f, name, '*');
		return;
	}
	len = *p == '.' ? random_at(p + 1, left - 1) : 0;
	if (len) {
		keep(f, 1);
		replace(f, len, '*');
		return;
	}
	len = number_at(p, left);
	if (len)
		replace(f, len, 'N');
	else
		keep(f, 1);
}

size_t ktally_fold(char *dst, const char *src, size_t n)
{
	struct folding f = { .src = src, .n = n, .dst = dst };

	while (f.at < n)
		fold_here(&f);
	return f.len;
}
