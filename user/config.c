// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * config.c - finds the files of settings and reads their lines.
 *
 * INI: [command], key = value, # and ; begin a line of words. It knows no options:
 * those are the parser's. A file that is not there says nothing, unless it was named;
 * one that can't be read or understood is an error, since a setting would be missing
 * silently.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "config.h"

#define SYSTEM_FILE	"/etc/ktally.conf"
#define SYSTEM_FOLDER	"/etc/ktally.conf.d"

struct reader {
	const char *command;
	int (*set)(void *arg, const struct config_setting *s);
	void *arg;
	int n_files;
};

/* What options point to; written here only, and never given back. */
static struct kept {
	struct kept *next;
	char text[];
} *kept;

static char *keep(const char *text)
{
	struct kept *k = malloc(sizeof(*k) + strlen(text) + 1);

	if (!k)
		return NULL;
	strcpy(k->text, text);
	k->next = kept;
	kept = k;
	return k->text;
}

int config_error(const struct config_setting *s, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return say_error(WRONG_USE, "%s:%d: %s", s->file, s->line, text);
}

/* ---- lines ---- */

static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = '\0';
	return text;
}

static int begin_section(struct config_setting *s, char *name)
{
	size_t n = strlen(name);

	if (n < 3 || name[n - 1] != ']')
		return config_error(s, "'%s': a section is [COMMAND]", name);
	name[n - 1] = '\0';
	name = trim(name + 1);
	if (!cmd_find(name))
		return config_error(s, "[%s] is no command; see: ktally help", name);
	s->section = keep(name);
	return s->section ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

/* "key", "key = value", "key = "value with blanks at its ends"". */
static int take_setting(const struct reader *r, struct config_setting *s, char *line)
{
	char *value = strchr(line, '=');
	size_t n;

	if (value) {
		*value++ = '\0';
		value = trim(value);
		n = strlen(value);
		if (n > 1 && value[0] == '"' && value[n - 1] == '"') {
			value[n - 1] = '\0';
			value++;
		}
	}
	if (*s->section && strcmp(s->section, r->command))
		return OPT_GO_ON;
	line = trim(line);
	if (!*line)
		return config_error(s, "no name before '='");
	s->key = keep(line);
	s->value = value ? keep(value) : NULL;
	if (!s->key || (value && !s->value))
		return say_error(FAILED, "out of memory");
	return r->set(r->arg, s);
}

static int take_line(const struct reader *r, struct config_setting *s, char *line)
{
	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return OPT_GO_ON;
	if (*line == '[')
		return begin_section(s, line);
	return take_setting(r, s, line);
}

/* ---- files ---- */

static int read_lines(const struct reader *r, struct config_setting *s, FILE *f)
{
	int status = OPT_GO_ON;
	char *line = NULL;
	size_t room = 0;

	while (status == OPT_GO_ON && getline(&line, &room, f) >= 0) {
		s->line++;
		status = take_line(r, s, line);
	}
	free(line);
	if (status == OPT_GO_ON && ferror(f))
		return say_error(FAILED, "%s: cannot read: %s", s->file, strerror(errno));
	return status;
}

static int read_file(struct reader *r, const char *path)
{
	struct config_setting s = { .section = "", .n_file = ++r->n_files };
	FILE *f = fopen(path, "re");
	int status;

	if (!f && (errno == ENOENT || errno == ENOTDIR))
		return OPT_GO_ON;
	if (!f)
		return say_error(status_of(-errno), "%s: cannot read settings: %s; mend that, or do without settings: KTALLY_CONFIG= ktally %s",
				 path, strerror(errno), r->command);
	s.file = keep(path);
	status = s.file ? read_lines(r, &s, f) : say_error(FAILED, "out of memory");
	fclose(f);
	return status;
}

static int is_conf(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && d->d_name[0] != '.' && !strcmp(d->d_name + n - 5, ".conf");
}

/* A folder stands for what in it ends in .conf, by name. */
static int read_path(struct reader *r, const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, is_conf, alphasort), status = OPT_GO_ON;
	char *name;

	if (n < 0)
		return read_file(r, path);
	for (int i = 0; i < n; i++) {
		if (status == OPT_GO_ON && asprintf(&name, "%s/%s", path, names[i]->d_name) >= 0) {
			status = read_file(r, name);
			free(name);
		}
		free(names[i]);
	}
	free(names);
	return status;
}

/* Whoever named it meant it. */
static int read_wanted(struct reader *r, const char *path)
{
	if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR))
		return say_error(WRONG_USE, "KTALLY_CONFIG: '%s' is not there; name files or folders that are, or nothing: KTALLY_CONFIG= ktally %s",
				 path, r->command);
	return read_path(r, path);
}

static int read_named(struct reader *r, const char *paths)
{
	char *list = strdup(paths), *rest = list, *path;
	int status = list ? OPT_GO_ON : say_error(FAILED, "out of memory");

	while (status == OPT_GO_ON && (path = strsep(&rest, ":")))
		if (*path)
			status = read_wanted(r, path);
	free(list);
	return status;
}

/* Under sudo that keeps HOME, another's file would say where root writes. */
static int read_if_own(struct reader *r, const char *path)
{
	struct stat st;

	if (!stat(path, &st) && st.st_uid && st.st_uid != geteuid()) {
		say_warning("%s: settings of another user are not used", path);
		return OPT_GO_ON;
	}
	return read_file(r, path);
}

static int read_own(struct reader *r)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[4096];
	int n;

	if (base && *base == '/')
		n = snprintf(path, sizeof(path), "%s/ktally/config", base);
	else if (home && *home == '/')
		n = snprintf(path, sizeof(path), "%s/.config/ktally/config", home);
	else
		return OPT_GO_ON;
	return n < (int)sizeof(path) ? read_if_own(r, path) : OPT_GO_ON;
}

int config_each(const char *command, int (*set)(void *arg, const struct config_setting *s), void *arg)
{
	struct reader r = { .command = command, .set = set, .arg = arg };
	const char *named = getenv("KTALLY_CONFIG");
	int status;

	if (named)
		return read_named(&r, named);
	status = read_path(&r, SYSTEM_FILE);
	if (status == OPT_GO_ON)
		status = read_path(&r, SYSTEM_FOLDER);
	return status == OPT_GO_ON ? read_own(&r) : status;
}
