// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opt.c - parses a command's words by its tables.
 *
 * getopt_long does the work; here its tables are made from ours, abbreviations
 * of long names are refused (a later option would break a script that uses one),
 * and every refusal says what would be right. Nothing here knows a command.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "config.h"
#include "lib/container.h"
#include "opt.h"

enum { MAX_OPTS = OPT_GIVEN_MAX, LONG_ONLY = 256 };

/* A command's rows, flattened; every command has --help and --quiet besides its own. */
struct flat {
	const struct opt *opt[MAX_OPTS];
	size_t base[MAX_OPTS];
	bool given[MAX_OPTS];		/* on the command line, or another that sets the same */
	int from[MAX_OPTS];		/* number of the file that set it last; 0 = none */
	size_t n;
	struct option longs[MAX_OPTS + 1];
	char shorts[2 * MAX_OPTS + 2];
	bool help, quiet;
};

static const struct opt common[] = {
	{ 'h', "help", NULL, "show this", opt_flag, offsetof(struct flat, help), 0, NULL },
	{ 'q', "quiet", NULL, "no words on standard error but errors and warnings", opt_flag,
	  offsetof(struct flat, quiet), 0, NULL },
};

char opt_letter(const struct cmd *cmd, const struct opt *o)
{
	for (size_t g = 0; o->letter && g < cmd->n_groups; g++)
		for (size_t i = 0; i < cmd->groups[g].n; i++)
			if (cmd->groups[g].opts[i].letter == o->letter)
				return &cmd->groups[g].opts[i] == o ? o->letter : 0;
	return o->letter;
}

static void flatten_one(struct flat *f, const struct opt *o, size_t base, char letter, char **shorts)
{
	struct option *l = &f->longs[f->n];

	if (f->n == MAX_OPTS)
		abort();	/* a table grew: raise MAX_OPTS */
	f->opt[f->n] = o;
	f->base[f->n] = base;
	l->name = o->name;
	l->has_arg = o->arg ? required_argument : no_argument;
	l->val = letter ? letter : LONG_ONLY + (int)f->n;
	f->n++;
	if (letter)
		*(*shorts)++ = letter;
	if (letter && o->arg)
		*(*shorts)++ = ':';
}

static void flatten(struct flat *f, const struct cmd *cmd)
{
	char *shorts = f->shorts;

	memset(f, 0, sizeof(*f));
	if (cmd->bits & CMD_STOPS)
		*shorts++ = '+';
	*shorts++ = ':';
	for (size_t g = 0; g < cmd->n_groups; g++)
		for (size_t i = 0; i < cmd->groups[g].n; i++) {
			const struct opt *o = &cmd->groups[g].opts[i];

			flatten_one(f, o, cmd->groups[g].offset, opt_letter(cmd, o), &shorts);
		}
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		flatten_one(f, &common[i], 0, opt_letter(cmd, &common[i]), &shorts);
}

static const char *flat_name(const void *of, size_t i)
{
	const struct flat *f = of;

	return f->opt[i]->name;
}

static int refuse_unknown(const struct cmd *cmd, const struct flat *f, const char *word)
{
	const char *nearest = NULL;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	if (!strncmp(name, "--", 2))
		nearest = opt_nearest(name + 2, f->n, flat_name, f);
	if (nearest)
		return say_error(WRONG_USE, "%s: unknown option '%s'; did you mean --%s? see: ktally %s --help",
				 cmd->name, name, nearest, cmd->name);
	return say_error(WRONG_USE, "%s: unknown option '%s'; see: ktally %s --help", cmd->name, name,
			 cmd->name);
}

/* The row that getopt_long answered with, or NULL. */
static const struct opt *find_row(const struct flat *f, int answer, size_t *at)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->longs[i].val != answer)
			continue;
		*at = i;
		return f->opt[i];
	}
	return NULL;
}

static bool abbreviated(const struct opt *o, const char *word)
{
	size_t len = strlen(o->name);

	if (strncmp(word, "--", 2))
		return false;
	return strncmp(word + 2, o->name, len) || (word[2 + len] && word[2 + len] != '=');
}

/* --csv and --json are two names of one setting. */
static bool same_place(const struct flat *f, size_t a, size_t b)
{
	return f->base[a] + f->opt[a]->offset == f->base[b] + f->opt[b]->offset;
}

static void note_given(struct opt_rest *rest, const char *name)
{
	for (size_t i = 0; i < rest->n_given; i++)
		if (!strcmp(rest->given[i], name))
			return;
	rest->given[rest->n_given++] = name;
}

static int check_groups(const struct cmd *cmd, const void *args, const struct opt_rest *rest)
{
	int rc = OPT_GO_ON;

	for (size_t g = 0; g < cmd->n_groups && rc == OPT_GO_ON; g++)
		if (cmd->groups[g].check)
			rc = cmd->groups[g].check(cmd, (const char *)args + cmd->groups[g].offset, rest);
	return rc;
}

static int take(const struct cmd *cmd, struct flat *f, struct opt_rest *rest, int answer, const char *word, void *args)
{
	char why[160] = "";
	const struct opt *o;
	size_t at = 0;
	char *to;

	o = find_row(f, answer, &at);
	if (!o || abbreviated(o, word))
		return refuse_unknown(cmd, f, word);
	note_given(rest, o->name);
	for (size_t i = 0; i < f->n; i++)
		f->given[i] |= same_place(f, i, at);
	to = (char *)(at >= f->n - sizeof(common) / sizeof(common[0]) ? (void *)f : args);
	if (o->set(o, to + f->base[at] + o->offset, optarg, why, sizeof(why)))
		return say_error(WRONG_USE, "%s: --%s '%s': %s", cmd->name, o->name, optarg ? optarg : "",
				 why);
	return OPT_GO_ON;
}

static int refuse(const struct cmd *cmd, const struct flat *f, int answer, const char *word)
{
	char shown[3] = { '-', (char)optopt, '\0' };
	size_t at;

	if (answer == ':')
		return say_error(WRONG_USE, "%s: option '%s' wants a value; see: ktally %s --help", cmd->name,
				 word, cmd->name);
	/* Of a long option optopt is its val if it was given a value it does not take. */
	if (optopt && find_row(f, optopt, &at) && !strncmp(word, "--", 2))
		return say_error(WRONG_USE, "%s: option '--%s' takes no value", cmd->name,
				 f->opt[at]->name);
	return refuse_unknown(cmd, f, optopt && optopt < LONG_ONLY ? shown : word);
}

/* Cuts argv at the first "--": what follows belongs to CMD or is never an option. */
static int split(int argc, char **argv, struct opt_rest *rest)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		rest->command = argv + i + 1;
		rest->n_command = argc - i - 1;
		return i;
	}
	return argc;
}

static int check_rest(const struct cmd *cmd, struct opt_rest *rest, bool dashes)
{
	if ((cmd->bits & CMD_STOPS) && rest->n_words && !dashes) {
		rest->command = rest->words;
		rest->n_command = rest->n_words;
		rest->n_words = 0;
	}
	if (!dashes || (cmd->bits & (CMD_RUNS | CMD_STOPS))) {
		if (dashes && !rest->n_command)
			return say_error(WRONG_USE, "%s: no command behind '--'; for example: ktally %s -- make",
					 cmd->name, cmd->name);
		return OPT_GO_ON;
	}
	if (rest->n_words && rest->n_command)
		return say_error(WRONG_USE, "%s: words on both sides of '--'", cmd->name);
	if (rest->n_command) {
		rest->words = rest->command;
		rest->n_words = rest->n_command;
	}
	rest->n_command = 0;
	return OPT_GO_ON;
}

/* ---- settings from files ---- */

struct settings {
	const struct cmd *cmd;
	struct flat *flat;
	void *args;
};

/* Some command has it: then it may stand before all sections. */
static bool is_an_option(const char *name)
{
	for (size_t i = 0; cmd_table[i]; i++)
		for (size_t g = 0; g < cmd_table[i]->n_groups; g++)
			for (size_t k = 0; k < cmd_table[i]->groups[g].n; k++)
				if (!strcmp(cmd_table[i]->groups[g].opts[k].name, name))
					return true;
	return false;
}

static int refuse_setting(const struct settings *all, const struct config_setting *s)
{
	const char *nearest = opt_nearest(s->key, all->flat->n, flat_name, all->flat);

	if (!*s->section)
		return config_error(s, "no command has an option '%s'", s->key);
	if (nearest)
		return config_error(s, "%s has no option '%s'; did you mean %s? see: ktally %s --help",
				    s->section, s->key, nearest, s->section);
	return config_error(s, "%s has no option '%s'; see: ktally %s --help", s->section, s->key,
			    s->section);
}

/* Of options without a value: whether they are on; -1: it is neither. */
static int yes_or_no(const char *value)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };

	for (size_t i = 0; value && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(value, words[i]))
			return i & 1;
	return value ? -1 : 1;
}

static int apply(const struct settings *all, const struct config_setting *s, size_t at)
{
	const struct opt *o = all->flat->opt[at];
	void *to = (char *)all->args + all->flat->base[at] + o->offset;
	char why[160] = "";

	if (o->arg && !s->value)
		return config_error(s, "%s wants a value", s->key);
	if (!o->arg && yes_or_no(s->value) < 0)
		return config_error(s, "%s '%s': yes or no", s->key, s->value);
	if (all->flat->given[at] || (!o->arg && !yes_or_no(s->value)))
		return OPT_GO_ON;
	/* A later file's list takes the place of an earlier one's. */
	if (o->set == opt_list && all->flat->from[at] != s->n_file)
		*(struct opt_list *)to = (struct opt_list){ .by_default = true };
	all->flat->from[at] = s->n_file;
	if (o->set(o, to, s->value, why, sizeof(why)))
		return config_error(s, "%s '%s': %s", s->key, s->value, why);
	return OPT_GO_ON;
}

static int take_setting(void *arg, const struct config_setting *s)
{
	const struct settings *all = arg;
	size_t own = all->flat->n - sizeof(common) / sizeof(common[0]);

	for (size_t i = 0; i < own; i++)
		if (!strcmp(all->flat->opt[i]->name, s->key))
			return apply(all, s, i);
	return !*s->section && is_an_option(s->key) ? OPT_GO_ON : refuse_setting(all, s);
}

/* ---- files that would be lost ---- */

static bool is_recording(const char *path)
{
	struct container_head head;
	struct stat st;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	bool is = f && fread(&head, sizeof(head), 1, f) == 1 && container_head_ours(&head);

	if (f)
		fclose(f);
	return is;
}

/* Nobody can make a recording again, and -o for -i is soon typed. */
int opt_check_output(const struct cmd *cmd, const char *path)
{
	if (!path || !is_recording(path))
		return OPT_GO_ON;
	return say_error(WRONG_USE, "%s: --output '%s': is a recording and would be lost; name another file",
			 cmd->name, path);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && S_ISREG(x.st_mode) && !stat(b, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What a row of text was set to; NULL: it was not. */
static const char *text_of(const struct flat *f, const void *args, size_t at)
{
	return *(const char *const *)((const char *)args + f->base[at] + f->opt[at]->offset);
}

static bool names_input(const struct opt *o)
{
	return o->set == opt_string && o->words && !strcmp(o->words, "@file");
}

/* As a word, or by another option that names a file. */
static bool is_read(const struct flat *f, const void *args, const struct opt_rest *rest, const char *path)
{
	for (int i = 0; i < rest->n_words; i++)
		if (same_file(path, rest->words[i]))
			return true;
	for (size_t i = 0; i < f->n; i++) {
		const char *value = names_input(f->opt[i]) ? text_of(f, args, i) : NULL;

		if (value && same_file(path, value))
			return true;
	}
	return false;
}

static int check_outputs(const struct cmd *cmd, const struct flat *f, const void *args,
			 const struct opt_rest *rest)
{
	int rc = OPT_GO_ON;

	for (size_t i = 0; i < f->n && rc == OPT_GO_ON; i++) {
		const char *path = f->opt[i]->set == opt_output ? text_of(f, args, i) : NULL;

		if (!(cmd->bits & CMD_SAVES))
			rc = opt_check_output(cmd, path);
		if (rc == OPT_GO_ON && path && is_read(f, args, rest, path))
			rc = say_error(WRONG_USE, "%s: --output '%s': is read here and would be lost; name another file",
				       cmd->name, path);
	}
	return rc;
}

int opt_parse(const struct cmd *cmd, int argc, char **argv, void *args, struct opt_rest *rest)
{
	struct flat f;
	int options, rc = OPT_GO_ON;

	memset(rest, 0, sizeof(*rest));
	flatten(&f, cmd);
	options = split(argc, argv, rest);
	optind = 0;	/* glibc: start afresh, also after another table */
	opterr = 0;
	while (rc == OPT_GO_ON) {
		int answer = getopt_long(options, argv, f.shorts, f.longs, NULL);
		const char *word = optind > 0 ? argv[optind - 1] : "";

		if (answer < 0)
			break;
		if (optarg && word == optarg && optind > 1)
			word = argv[optind - 2];
		if (answer == '?' || answer == ':')
			rc = refuse(cmd, &f, answer, word);
		else
			rc = take(cmd, &f, rest, answer, word, args);
	}
	if (rc != OPT_GO_ON)
		return rc;
	if (f.help)
		return cmd_help_for(cmd);
	say_quiet(f.quiet);
	rc = config_each(cmd->name, take_setting, &(struct settings){ cmd, &f, args });
	if (rc != OPT_GO_ON)
		return rc;
	rest->words = argv + optind;
	rest->n_words = options - optind;
	rc = check_rest(cmd, rest, options < argc);
	if (rc == OPT_GO_ON)
		rc = check_groups(cmd, args, rest);
	return rc == OPT_GO_ON ? check_outputs(cmd, &f, args, rest) : rc;
}
