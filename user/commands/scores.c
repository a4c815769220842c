// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands/scores.c - lines and files of the ash profiler's folder. The profiler cuts lines at
 * each '!', also at those of a command; here they are read from the right, where there
 * are only numbers.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "scores.h"

#define LATEST	(INT64_MAX / 2000)	/* us; beyond, no ns could be told */

/* ---- lines ---- */

/* A number that ends at `end`, behind a '!'; moves *end in front of that. */
static bool number_before(const char *line, size_t *end, int64_t *value)
{
	size_t at = *end;
	bool minus;

	while (at && isdigit((unsigned char)line[at - 1]))
		at--;
	if (at == *end || *end - at > 18)
		return false;
	*value = strtoll(line + at, NULL, 10);
	minus = at && line[at - 1] == '-';
	if (minus)
		*value = -*value;
	at -= minus;
	if (!at || line[at - 1] != '!')
		return false;
	*end = at - 1;
	return true;
}

bool scores_parse(const char *line, size_t len, struct score *s)
{
	int64_t first, last;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	if (!number_before(line, &len, &last) || !number_before(line, &len, &first))
		return false;
	s->end = len == 1 && line[0] == '!';
	s->command = line;
	s->len = s->end ? 0 : len;
	s->time = s->end ? last : first;
	first = s->end ? first : last;
	s->pid = (uint32_t)first;
	return first > 0 && first <= INT32_MAX && s->time <= LATEST;
}

/* ---- files ---- */

FILE *scores_open(const char *dir, const char *name, const char *mode)
{
	char path[4096];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path)) {
		say_error(FAILED, "%s: %s", dir, strerror(ENAMETOOLONG));
		return NULL;
	}
	f = fopen(path, mode);
	if (!f)
		say_error(FAILED, "%s: %s", path, strerror(errno));
	return f;
}

int scores_close(FILE *f, const char *dir, const char *name)
{
	bool bad = ferror(f);

	if (!fclose(f) && !bad)
		return OPT_GO_ON;
	return say_error(FAILED, "%s/%s: %s", dir, name, strerror(errno ? errno : EIO));
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The PID that a file of scores is named after; 0: it is no such file. */
static uint32_t pid_of(const char *name)
{
	size_t prefix = strlen(SCORES_PREFIX);
	unsigned long pid;
	char *end;

	if (strncmp(name, SCORES_PREFIX, prefix) || !isdigit((unsigned char)name[prefix]))
		return 0;
	pid = strtoul(name + prefix, &end, 10);
	return *end || pid > INT32_MAX ? 0 : (uint32_t)pid;
}

static int add_pid(struct scores_folder *f, uint32_t pid)
{
	uint32_t *pids = realloc(f->pids, (f->n + 1) * sizeof(*pids));

	if (!pids)
		return say_error(FAILED, "out of memory");
	f->pids = pids;
	f->pids[f->n++] = pid;
	return OPT_GO_ON;
}

int scores_list(struct scores_folder *f, const char *dir)
{
	int status = OPT_GO_ON;
	struct dirent *e;
	DIR *d = opendir(dir);

	*f = (struct scores_folder){ NULL, 0 };
	if (!d)
		return say_error(FAILED, "%s: %s", dir, strerror(errno));
	while (status == OPT_GO_ON && (e = readdir(d)))
		if (pid_of(e->d_name))
			status = add_pid(f, pid_of(e->d_name));
	closedir(d);
	if (f->n)
		qsort(f->pids, f->n, sizeof(*f->pids), by_number);
	return status;
}

void scores_list_free(struct scores_folder *f)
{
	free(f->pids);
}
