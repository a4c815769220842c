// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replay.c - runs targets on the files of a corpus, without an engine; or writes what
 * the files stand for into a folder, for an engine to begin with.
 *
 *   replay TARGET FILE|FOLDER... [-- TARGET FILE|FOLDER...]...
 *   replay --bytes TO FILE|FOLDER...
 *
 * A file NAME.rec is the text of a recording (mkrec --help). After it is made, its
 * lines that begin with "#!" change the bytes, in order:
 *   #! poke OFFSET HEX    overwrite; an OFFSET below 0 counts from the end
 *   #! cut N              keep N bytes
 *   #! from N             leave out the first N bytes
 *   #! front HEX          put bytes in front
 *   #! back HEX           put bytes behind
 *   #! turn OLD NEW       the first place of a word becomes another one; ~ is a NUL
 *   #! before FILE        put the bytes of FILE of the same folder in front
 *   #! subbuf N           keep the bytes of the N-th sub-buffer alone, from 0
 *   #! next               what follows is another recording, behind "\n--\n"
 * Any other file stands for its own bytes.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "mkrec.h"

typedef int target(const uint8_t *data, size_t n);

target fuzz_wire, fuzz_merge, fuzz_model, fuzz_outputs, fuzz_words, fuzz_settings, fuzz_scores,
	fuzz_totals, fuzz_results, fuzz_names;

static const struct {
	const char *name;
	target *run;
} targets[] = {
	{ "wire", fuzz_wire }, { "merge", fuzz_merge }, { "model", fuzz_model },
	{ "outputs", fuzz_outputs }, { "words", fuzz_words }, { "settings", fuzz_settings },
	{ "scores", fuzz_scores }, { "totals", fuzz_totals }, { "results", fuzz_results },
	{ "names", fuzz_names },
};

struct bytes {
	unsigned char *p;
	size_t n;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "replay: %s: %s\n", what, why);
	exit(2);
}

static struct bytes load(const char *path)
{
	struct bytes b = { NULL, 0 };
	FILE *f = fopen(path, "re");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		die(path, "can't read");
	b.p = malloc((size_t)st.st_size + 1);
	b.n = fread(b.p, 1, (size_t)st.st_size, f);
	b.p[b.n] = '\0';
	fclose(f);
	return b;
}

static void add(struct bytes *b, size_t at, const void *p, size_t n)
{
	b->p = realloc(b->p, b->n + n + 1);
	memmove(b->p + at + n, b->p + at, b->n - at);
	memcpy(b->p + at, p, n);
	b->n += n;
}

/* ---- recordings from text ---- */

static struct bytes make(const char *name, const char *text)
{
	char dir[] = "/tmp/ktally-replay-XXXXXX", path[64], error[400];
	struct bytes b;

	if (!mkdtemp(dir))
		die(dir, "can't make a folder");
	snprintf(path, sizeof(path), "%s/r.ktl", dir);
	if (mkrec(text, path, error, sizeof(error)))
		die(name, error);
	b = load(path);
	unlink(path);
	rmdir(dir);
	return b;
}

static size_t hex(const char *text, unsigned char *to, size_t room)
{
	unsigned int byte;
	size_t n = 0;
	int used;

	while (n < room && sscanf(text, " %2x%n", &byte, &used) == 1) {
		to[n++] = (unsigned char)byte;
		text += used;
	}
	return n;
}

static bool keep_subbuf(struct bytes *b, long number)
{
	size_t at = sizeof(struct container_head);
	struct block_head h;

	for (; b->n - at >= sizeof(h); at += block_span(&h)) {
		memcpy(&h, b->p + at, sizeof(h));
		if (h.type != BLOCK_RECORDS || number--)
			continue;
		b->n = h.length;
		memmove(b->p, b->p + at + sizeof(h), b->n);
		return true;
	}
	return false;
}

static bool turn(struct bytes *b, const char *line)
{
	char old[300], new[300];
	unsigned char *at;
	size_t n;

	if (sscanf(line, "#! turn %299s %299s", old, new) != 2 || strlen(old) != strlen(new))
		return false;
	n = strlen(old);
	at = memmem(b->p, b->n, old, n);
	for (size_t i = 0; at && i < n; i++)
		at[i] = new[i] == '~' ? '\0' : (unsigned char)new[i];
	return at;
}

static void add_file(struct bytes *b, const char *beside, const char *name)
{
	const char *slash = strrchr(beside, '/');
	struct bytes text;
	char path[4096];

	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - beside) : 0, beside, name);
	text = load(path);
	add(b, 0, text.p, text.n);
	free(text.p);
}

static void change(struct bytes *b, const char *name, const char *line)
{
	unsigned char raw[256];
	long at = 0;
	int used = 0;
	size_t n;

	if (sscanf(line, "#! poke %ld%n", &at, &used) == 1 && used) {
		n = hex(line + used, raw, sizeof(raw));
		at += at < 0 ? (long)b->n : 0;
		if (at < 0 || (size_t)at + n > b->n)
			die(name, line);
		memcpy(b->p + at, raw, n);
	} else if (sscanf(line, "#! cut %ld", &at) == 1 && at >= 0 && (size_t)at <= b->n) {
		b->n = (size_t)at;
	} else if (sscanf(line, "#! from %ld", &at) == 1 && at >= 0 && (size_t)at <= b->n) {
		b->n -= (size_t)at;
		memmove(b->p, b->p + at, b->n);
	} else if (sscanf(line, "#! subbuf %ld", &at) == 1 && keep_subbuf(b, at)) {
		return;
	} else if (!strncmp(line, "#! turn ", 8) && turn(b, line)) {
		return;
	} else if (!strncmp(line, "#! before ", 10)) {
		add_file(b, name, line + 10);
	} else if (!strncmp(line, "#! front ", 9)) {
		add(b, 0, raw, hex(line + 9, raw, sizeof(raw)));
	} else if (!strncmp(line, "#! back ", 8)) {
		add(b, b->n, raw, hex(line + 8, raw, sizeof(raw)));
	} else {
		die(name, line);
	}
}

static struct bytes one_recording(const char *name, const char *text)
{
	struct bytes b = make(name, text);

	for (const char *at = text; (at = strstr(at, "#! ")); at += 3) {
		char line[600];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
		change(&b, name, line);
	}
	return b;
}

static struct bytes recordings(const char *name, char *text)
{
	struct bytes all = { malloc(1), 0 };

	while (text) {
		char *next = strstr(text, "#! next\n");
		struct bytes b;

		if (next)
			*next = '\0';
		b = one_recording(name, text);
		if (all.n)
			add(&all, all.n, "\n--\n", 4);
		add(&all, all.n, b.p, b.n);
		free(b.p);
		text = next ? next + 8 : NULL;
	}
	return all;
}

/* ---- files and folders ---- */

static struct bytes input(const char *path)
{
	struct bytes b = load(path), made;
	size_t n = strlen(path);

	if (n < 4 || strcmp(path + n - 4, ".rec"))
		return b;
	made = recordings(path, (char *)b.p);
	free(b.p);
	return made;
}

static void write_bytes(const char *folder, const char *path, const struct bytes *b)
{
	const char *slash = strrchr(path, '/');
	char to[4096];
	FILE *f;

	snprintf(to, sizeof(to), "%s/%s", folder, slash ? slash + 1 : path);
	f = fopen(to, "we");
	if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f))
		die(to, "can't write");
}

/* With `to` the bytes are written there; what was done with how many. */
static size_t each(const char *path, const char *to, target *run)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);
	struct bytes b;
	size_t done = 0;

	if (n < 0) {
		b = input(path);
		if (to)
			write_bytes(to, path, &b);
		else
			run(b.p, b.n);
		free(b.p);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		char inner[4096];

		snprintf(inner, sizeof(inner), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			done += each(inner, to, run);
		free(names[i]);
	}
	free(names);
	return done;
}

static target *find(const char *name)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i].name, name))
			return targets[i].run;
	die(name, "no such target");
	return NULL;
}

int main(int argc, char **argv)
{
	FILE *said = fdopen(dup(STDOUT_FILENO), "w");
	bool bytes = argc > 2 && !strcmp(argv[1], "--bytes");

	for (int i = 1; i < argc; i++) {
		const char *name = argv[i];
		const char *to = bytes ? argv[++i] : NULL;
		target *run = bytes ? NULL : find(name);
		size_t done = 0;

		while (++i < argc && strcmp(argv[i], "--"))
			done += each(argv[i], to, run);
		fprintf(said, "%s: %zu inputs\n", name, done);
		if (!done)
			die(name, "nothing to run on");
	}
	fclose(said);
	return 0;
}
