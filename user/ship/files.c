// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * files.c - recordings, one after the other, in the order of their names. One watch goes
 * through all of a boot, so that who was executed in one file and ended in the next has
 * its name.
 *
 * With --follow the files of a folder are taken once their recorder has finished them,
 * and the spool remembers which those were, by what a new name does not change.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "reading.h"
#include "ship.h"

#define LOOK_NS		1000000000ULL
enum { AT_ONCE = 2000, FORGET = 4096 };	/* records; ends that the watch lists */

/* What a file is, whatever its name. */
struct identity {
	uint64_t inode, size, changed;
};

struct files {
	char **paths;			/* to be taken */
	size_t n, at;
	struct ktally_stream *stream;	/* of paths[at]; NULL: not open */
	struct ktally_watch *watch;
	struct ktally_field_ctx ctx;
	struct names names;
	uint64_t ends;			/* since the watch forgot */
	uint64_t lost;			/* of the file at hand */
	bool damaged;
	struct identity *done;		/* with --follow */
	size_t n_done, n_settled;	/* of them, known to the spool */
};

/* ---- which files ---- */

static int add_path(struct files *f, const char *folder, const char *name)
{
	char **paths = realloc(f->paths, (f->n + 1) * sizeof(*paths));

	if (paths)
		f->paths = paths;
	if (!paths || asprintf(&paths[f->n], "%s%s%s", folder, *folder ? "/" : "", name) < 0)
		return say_error(FAILED, "out of memory");
	f->n++;
	return OPT_GO_ON;
}

static int is_recording(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && !strcmp(e->d_name + n - 4, ".ktl");
}

static bool identify(const char *path, struct identity *id)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	*id = (struct identity){ st.st_ino, (uint64_t)st.st_size,
		(uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec };
	return true;
}

static bool is_done(const struct files *f, const char *path)
{
	struct identity id;
	bool known = identify(path, &id), done = false;

	for (size_t i = 0; known && i < f->n_done; i++)
		done |= !memcmp(&f->done[i], &id, sizeof(id));
	return done || !known;
}

static int add_folder(struct ship *s, const char *folder)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_recording, alphasort), status = OPT_GO_ON;
	char path[4096];

	if (n < 0)
		return say_error(FAILED, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (status == OPT_GO_ON && (!s->options->follow || (!ktally_file_in_use(path) && !is_done(s->files, path))))
			status = add_path(s->files, folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return status;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int find_files(struct ship *s)
{
	const struct opt_list *given = &s->options->files;
	int status = OPT_GO_ON;

	for (size_t i = 0; i < given->n && status == OPT_GO_ON; i++)
		status = is_folder(given->at[i]) ? add_folder(s, given->at[i]) : add_path(s->files, "", given->at[i]);
	return status;
}

/* ---- what was taken before: a line per file in the spool ---- */

static void name_of_list(const struct ship *s, char *path, size_t n, const char *ending)
{
	snprintf(path, n, "%s/taken%s", s->options->spool, ending);
}

static int remember(struct files *f, const struct identity *id)
{
	struct identity *done = realloc(f->done, (f->n_done + 1) * sizeof(*done));

	if (!done)
		return say_error(FAILED, "out of memory");
	f->done = done;
	done[f->n_done++] = *id;
	return OPT_GO_ON;
}

static int read_list(struct ship *s)
{
	struct identity id;
	char path[4096];
	int status = OPT_GO_ON;
	FILE *in;

	name_of_list(s, path, sizeof(path), "");
	in = fopen(path, "re");
	while (in && status == OPT_GO_ON &&
	       fscanf(in, "%" SCNu64 " %" SCNu64 " %" SCNu64, &id.inode, &id.size, &id.changed) == 3)
		status = remember(s->files, &id);
	if (in)
		fclose(in);
	s->files->n_settled = s->files->n_done;
	return status;
}

/* Only what is still there, so that the list is as bounded as the folder. */
static bool still_there(const struct ship *s, const struct identity *id)
{
	const struct opt_list *given = &s->options->files;
	struct identity now;
	bool there = false;

	for (size_t i = 0; i < given->n; i++) {
		struct dirent **names;
		int n = scandir(given->at[i], &names, is_recording, NULL);
		char path[4096];

		for (int k = 0; k < n; k++) {
			snprintf(path, sizeof(path), "%s/%s", given->at[i], names[k]->d_name);
			there |= identify(path, &now) && !memcmp(&now, id, sizeof(now));
			free(names[k]);
		}
		if (n >= 0)
			free(names);
	}
	return there;
}

static int write_list(struct ship *s)
{
	char path[4096], part[4096];
	struct files *f = s->files;
	bool ok;
	FILE *out;

	name_of_list(s, path, sizeof(path), "");
	name_of_list(s, part, sizeof(part), ".part");
	out = fopen(part, "we");
	for (size_t i = 0; out && i < f->n_done; i++)
		if (still_there(s, &f->done[i]))
			fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", f->done[i].inode, f->done[i].size,
				f->done[i].changed);
	ok = out && !ferror(out);
	ok = out && !fclose(out) && ok;
	if (!ok || rename(part, path))
		say_warning("%s: %s; after a restart those recordings are sent again", path, strerror(errno));
	f->n_settled = f->n_done;
	return OPT_GO_ON;
}

/* ---- one file ---- */

static int new_watch(struct ship *s)
{
	struct ktally_watch_options options = {
		.key = KTALLY_BY_ALL, .want = sel_want, .arg = s->match, .tree = s->options->sel.tree,
		.ctx = &s->files->ctx, .most_ended = SIZE_MAX, .older_ends = true,
	};

	ktally_watch_close(s->files->watch);
	s->files->watch = ktally_watch_open(&options);
	return s->files->watch ? OPT_GO_ON : say_error(FAILED, "out of memory");
}

/* One that cannot be read must not keep a service from all others. */
static int pass_over(struct ship *s)
{
	struct files *f = s->files;
	struct identity id;

	say_error(FAILED, "%s", ktally_stream_error(f->stream));
	ktally_stream_close(f->stream);
	f->stream = NULL;
	f->damaged = true;
	if (!s->options->follow)
		return FAILED;
	return identify(f->paths[f->at++], &id) ? remember(f, &id) : OPT_GO_ON;
}

static int open_file(struct ship *s)
{
	struct files *f = s->files;
	const char *path = f->paths[f->at];
	struct ship_origin *from = &s->rows.origin;
	const struct ktally_stream_info *info;
	struct ktally_extent extent = { .real = 0 };
	bool other;

	if (ktally_stream_open_files(&f->stream, &path, 1))
		return pass_over(s);
	info = ktally_stream_info(f->stream);
	ktally_stream_extent(f->stream, 0, &extent);
	other = !f->watch || strcmp(from->boot_id, info->boot_id) || strcmp(from->host, info->host);
	memcpy(from->host, info->host, sizeof(from->host));
	memcpy(from->boot_id, info->boot_id, sizeof(from->boot_id));
	from->real = extent.real;
	reading_names(&f->ctx, &f->names, info);
	f->lost = 0;
	return other ? new_watch(s) : OPT_GO_ON;
}

static int close_file(struct ship *s)
{
	struct files *f = s->files;
	const char *path = f->paths[f->at];
	struct identity id;
	int status = OPT_GO_ON;

	f->lost += reading_say_missing(f->stream, path);
	f->damaged |= reading_is_damaged(ktally_stream_info(f->stream));
	s->rows.origin.lost = 0;
	ktally_stream_close(f->stream);
	f->stream = NULL;
	f->at++;
	if (s->options->follow && identify(path, &id))
		status = remember(f, &id);
	return status;
}

static int take_record(struct ship *s, const struct ktally_event *ev)
{
	struct files *f = s->files;

	if (ktally_watch_feed(f->watch, ev))
		return say_error(FAILED, "out of memory for the processes of this recording");
	if (ev->kind == KTALLY_EXIT || ev->kind == KTALLY_EXEC)
		s->rows.origin.lost = reading_lost(ktally_stream_info(f->stream));
	if (ev->kind == KTALLY_EXIT && ++f->ends % FORGET == 0) {
		int status = ship_rows_see(&s->rows, ev);

		if (status == OPT_GO_ON && ktally_watch_cut(f->watch, ev->time, false))
			status = say_error(FAILED, "out of memory for the processes of this recording");
		return status;
	}
	return ship_rows_see(&s->rows, ev);
}

/* ---- the source ---- */

static int files_open(struct ship *s)
{
	int status;

	s->files = calloc(1, sizeof(*s->files));
	if (!s->files)
		return say_error(FAILED, "out of memory");
	s->files->ctx.since_birth = true;
	s->rows.ctx = &s->files->ctx;
	sel_bind_live(s->match, &s->files->ctx, 0);
	status = s->options->follow ? read_list(s) : OPT_GO_ON;
	return status == OPT_GO_ON ? find_files(s) : status;
}

static int look_for_more(struct ship *s, uint64_t now)
{
	s->done = !s->options->follow;
	s->next_take = now + LOOK_NS;
	return s->done || s->rows.out || s->files->n_settled < s->files->n_done ? OPT_GO_ON : find_files(s);
}

static int files_take(struct ship *s, uint64_t now)
{
	struct files *f = s->files;
	struct ktally_event ev;
	int status = OPT_GO_ON, got = 1;

	if (f->at == f->n)
		return look_for_more(s, now);
	if (!f->stream)
		status = open_file(s);
	for (int i = 0; status == OPT_GO_ON && f->stream && i < AT_ONCE && s->rows.n < s->options->rows &&
	     (got = ktally_stream_next(f->stream, &ev)) == 1; i++)
		status = take_record(s, &ev);
	if (status == OPT_GO_ON && got < 0)
		return say_error(FAILED, "%s", ktally_stream_error(f->stream));
	return status == OPT_GO_ON && f->stream && !got ? close_file(s) : status;
}

static int files_settled(struct ship *s)
{
	return s->files->n_settled < s->files->n_done && !s->queue.memory ? write_list(s) : OPT_GO_ON;
}

static void files_close(struct ship *s)
{
	struct files *f = s->files;

	if (!f)
		return;
	s->status = f->damaged ? FAILED : f->lost ? INCOMPLETE : DONE;
	ktally_stream_close(f->stream);
	ktally_watch_close(f->watch);
	for (size_t i = 0; i < f->n; i++)
		free(f->paths[i]);
	free(f->paths);
	free(f->done);
	free(f);
}

const struct ship_source ship_files = {
	.open = files_open, .take = files_take, .settled = files_settled, .close = files_close,
};
