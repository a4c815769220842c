// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sumfile.c - totals in a file: text, a row per line, values separated by tabs. The
 * first line names the format, the load that saved and the columns; rows of earlier
 * loads begin with '-', those of that load with '+'. Names have %XX for what would
 * break a line.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sumfile.h"

#define MAGIC	"ktally-totals 1"
#define FIRST	(offsetof(struct ktally_totals_row, processes) / 8)
#define VALUES	(sizeof(struct ktally_totals_row) / 8 - FIRST)

static uint64_t *value_at(struct ktally_totals_row *row, size_t i)
{
	return (uint64_t *)row + FIRST + i;
}

/* ---- lists ---- */

int sums_add(struct sums *to, const char *cgroup, const struct ktally_totals_row *row)
{
	struct sum *at;

	if (to->n == to->room) {
		size_t room = to->room ? 2 * to->room : 256;

		at = realloc(to->at, room * sizeof(*at));
		if (!at)
			return -ENOMEM;
		to->at = at;
		to->room = room;
	}
	at = &to->at[to->n];
	at->row = *row;
	at->alive = 0;
	at->cgroup = strdup(cgroup);
	if (!at->cgroup)
		return -ENOMEM;
	to->n++;
	return 0;
}

void sums_free(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].cgroup);
	free(s->at);
	memset(s, 0, sizeof(*s));
}

/* Peaks are the largest of one process; all else adds up. */
static void add_row(struct ktally_totals_row *to, const struct ktally_totals_row *from)
{
	uint64_t peak = to->peak_rss > from->peak_rss ? to->peak_rss : from->peak_rss;

	for (size_t i = 0; i < VALUES; i++)
		*value_at(to, i) += *value_at((struct ktally_totals_row *)from, i);
	to->peak_rss = peak;
}

int sums_by_all(const void *of, const void *with)
{
	const struct sum *a = of, *b = with;
	int d = memcmp(a->row.program, b->row.program, sizeof(a->row.program));

	if (!d)
		d = strcmp(a->cgroup, b->cgroup);
	if (!d)
		d = a->row.uid < b->row.uid ? -1 : a->row.uid > b->row.uid;
	return d ? d : (int)a->row.flags - (int)b->row.flags;
}

void sums_merge(struct sums *s, int (*same)(const void *a, const void *b))
{
	size_t n = 0;

	if (!s->n)
		return;
	qsort(s->at, s->n, sizeof(*s->at), same);
	for (size_t i = 1; i < s->n; i++) {
		if (same(&s->at[n], &s->at[i])) {
			s->at[++n] = s->at[i];
			continue;
		}
		add_row(&s->at[n].row, &s->at[i].row);
		s->at[n].alive += s->at[i].alive;
		free(s->at[i].cgroup);
	}
	s->n = n + 1;
}

/* ---- reading ---- */

static int hex(char c)
{
	const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place; false: a % without its two digits. */
static bool unquote(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		if (hex(text[1]) < 0 || hex(text[2]) < 0)
			return false;
		*to++ = (char)(hex(text[1]) << 4 | hex(text[2]));
		text += 2;
	}
	*to = '\0';
	return true;
}

static bool next_number(char **rest, uint64_t *v)
{
	char *word = strsep(rest, "\t"), *end;

	if (!word || *word < '0' || *word > '9')
		return false;
	errno = 0;
	*v = strtoull(word, &end, 10);
	return !*end && !errno;
}

/* "+ program uid flags cgroup values...": 0, -EBADMSG or -ENOMEM. */
static int take_line(char *line, struct sums *to)
{
	struct ktally_totals_row row = { 0 };
	char *program = strsep(&line, "\t"), *cgroup;
	uint64_t uid, flags;

	if (!program || !unquote(program) || strlen(program) >= sizeof(row.program) ||
	    !next_number(&line, &uid) || !next_number(&line, &flags))
		return -EBADMSG;
	cgroup = strsep(&line, "\t");
	if (!cgroup || !unquote(cgroup) || uid > UINT32_MAX || flags > UINT32_MAX)
		return -EBADMSG;
	strcpy(row.program, program);
	row.uid = (uint32_t)uid;
	row.flags = (uint32_t)flags;
	for (size_t i = 0; i < VALUES; i++)
		if (!next_number(&line, value_at(&row, i)))
			return -EBADMSG;
	return line ? -EBADMSG : sums_add(to, cgroup, &row);
}

static bool is_own(const char *head, const struct sumfile_id *own)
{
	char want[128];

	snprintf(want, sizeof(want), MAGIC "\t%s\t%" PRIu64, own->boot, own->since);
	return !strcmp(head, want);
}

static int take_file(FILE *f, const struct sumfile_id *own, struct sums *to, size_t *n)
{
	char *line = NULL;
	size_t room = 0;
	bool skip = false, ended = false;
	int err = 0;
	ssize_t len;

	for (*n = 0; !err && (len = getline(&line, &room, f)) > 0; ) {
		++*n;
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (*n == 1) {
			err = strncmp(line, MAGIC "\t", sizeof(MAGIC)) ? -EBADMSG : 0;
			skip = is_own(line, own);
		} else if (ended || !strcmp(line, "end")) {
			err = ended ? -EBADMSG : 0;
			ended = true;
		} else if (len < 2 || (line[0] != '-' && line[0] != '+')) {
			err = -EBADMSG;
		} else if (line[0] == '-' || !skip) {
			err = take_line(line + 1, to);
		}
	}
	free(line);
	return err ? err : ended ? 0 : -EBADMSG;
}

int sumfile_read(const char *path, const struct sumfile_id *own, struct sums *to, size_t *line)
{
	FILE *f = fopen(path, "re");
	int err;

	*line = 0;
	if (!f)
		return -errno;
	err = take_file(f, own, to, line);
	fclose(f);
	if (err)
		return err;
	/* Nobody of an earlier load lives any more. */
	for (size_t i = 0; i < to->n; i++) {
		to->at[i].row.flags &= ~KTALLY_TOTALS_ALIVE;
		to->at[i].row.rss = 0;
	}
	sums_merge(to, sums_by_all);
	return 0;
}

/* ---- writing ---- */

static void quote(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n && text[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= ' ' || c == '%' || c == 0x7f)
			fprintf(f, "%%%02X", c);
		else
			putc(c, f);
	}
}

static void put_rows(FILE *f, char sign, const struct sums *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sum *sum = &s->at[i];

		putc(sign, f);
		quote(f, sum->row.program, sizeof(sum->row.program));
		fprintf(f, "\t%u\t%u\t", sum->row.uid, sum->row.flags);
		quote(f, sum->cgroup, SIZE_MAX);
		for (size_t v = 0; v < VALUES; v++)
			fprintf(f, "\t%" PRIu64, *value_at(&sum->row, v));
		putc('\n', f);
	}
}

int sumfile_write(const char *path, const struct sumfile_id *own, const struct sums *earlier,
		  const struct sums *now)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	int err = 0;

	if (!f) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	fprintf(f, MAGIC "\t%s\t%" PRIu64 "\n", own->boot, own->since);
	put_rows(f, '-', earlier);
	put_rows(f, '+', now);
	fputs("end\n", f);
	if (fflush(f) || ferror(f) || fsync(fd))
		err = errno ? -errno : -EIO;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}
