// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands/scores-write.c - scores.csv.PID of each shell, as the profiler inside a patched shell
 * would have written it: per job and round of waiting a line for each member,
 * COMMAND!START!PID, then one for each, !!PID!END, in wall-clock us.
 *
 * A round ends when a member has ended. In later rounds a member that is gone has -1 as
 * its start, and one that is still there the time at which the shell began to wait
 * again; in earlier ones it has -1 as its end. What the profiler measures from waiting
 * to reaping is from fork to exit here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "scores.h"

struct job {
	const struct ktally_step *step;
	int64_t real;			/* wall clock - BOOTTIME, ns */
	uint64_t last_fork;
	uint64_t *ends;			/* of the members that ended, in order */
	size_t n_ends;
};

static long long us(const struct job *j, uint64_t ns)
{
	return ((int64_t)ns + j->real) / 1000;
}

static const struct ktally_image *image_of(const struct ktally_life *l)
{
	for (uint32_t i = 0; i < l->n_images; i++)
		if (l->images[i].has_exec || l->images[i].unknown)
			return &l->images[i];
	return NULL;
}

/* argv joined by blanks, on one line. */
static void put_command(FILE *f, const struct ktally_life *l)
{
	const struct ktally_image *im = image_of(l);
	struct ktally_str s = { "(subshell)", 10 };

	if (im && im->argv && im->argv_len)
		s = (struct ktally_str){ im->argv, im->argv_len - !im->argv[im->argv_len - 1] };
	else if (im)
		s = ktally_image_program(im);
	for (uint32_t i = 0; i < s.len; i++)
		putc(s.p[i] && s.p[i] != '\n' && s.p[i] != '\r' ? s.p[i] : ' ', f);
}

static bool gone_before(const struct job *j, const struct ktally_life *l, size_t round)
{
	return round && l->end && l->end <= j->ends[round - 1];
}

/* Later than the fork of any member, even if the end was before: the line must differ. */
static uint64_t waits_from(const struct job *j, const struct ktally_life *l, size_t round)
{
	uint64_t from;

	if (!round)
		return l->start;
	from = j->ends[round - 1] > j->last_fork ? j->ends[round - 1] : j->last_fork;
	return from + 1000;
}

static void put_round(FILE *f, const struct job *j, size_t round)
{
	const struct ktally_step *step = j->step;

	for (size_t i = 0; i < step->n_parts; i++) {
		const struct ktally_life *l = step->parts[i];

		put_command(f, l);
		fprintf(f, "!%lld!%u\n",
			gone_before(j, l, round) ? -1 : us(j, waits_from(j, l, round)), l->tgid);
	}
	for (size_t i = 0; i < step->n_parts; i++) {
		const struct ktally_life *l = step->parts[i];
		bool ended = l->end && j->n_ends && l->end <= j->ends[round];

		fprintf(f, "!!%u!%lld\n", l->tgid, ended ? us(j, l->end) : -1);
	}
}

/* A round per member that ended; one if none did. */
static int put_job(FILE *f, const struct ktally_step *step, int64_t real)
{
	struct job j = {
		.step = step, .real = real, .ends = calloc(step->n_parts, sizeof(*j.ends)),
	};

	if (!j.ends)
		return say_error(FAILED, "out of memory");
	for (size_t i = 0; i < step->n_parts; i++) {
		const struct ktally_life *l = step->parts[i];

		if (l->end)
			j.ends[j.n_ends++] = l->end;
		j.last_fork = l->start > j.last_fork ? l->start : j.last_fork;
	}
	ktally_sort(j.ends, j.n_ends);
	for (size_t round = 0; round < (j.n_ends ? j.n_ends : 1); round++)
		put_round(f, &j, round);
	free(j.ends);
	return OPT_GO_ON;
}

/* ---- a shell ---- */

static bool by_shell(const struct ktally_life *l, const struct ktally_step *step)
{
	return step->kind != KTALLY_STEP_SELF && step->image < l->n_images &&
	       ktally_image_is_shell(&l->images[step->image]);
}

static int put_steps(FILE *f, const struct ktally_life *l, const struct ktally_steps *steps,
		     int64_t real)
{
	const struct ktally_step *at;
	size_t n = ktally_steps_at(steps, &at);
	int status = OPT_GO_ON;

	for (size_t i = 0; status == OPT_GO_ON && i < n; i++)
		if (by_shell(l, &at[i]))
			status = put_job(f, &at[i], real);
	return status;
}

/* The file of an earlier shell of the same number goes on. */
static int put_shell(const char *dir, const struct ktally_life *l, const struct ktally_steps *steps,
		     int64_t real, bool again)
{
	char name[32];
	FILE *f;
	int status, closed;

	snprintf(name, sizeof(name), SCORES_PREFIX "%u", l->tgid);
	f = scores_open(dir, name, again ? "a" : "w");
	if (!f)
		return FAILED;
	if (!again)
		fputs(SCORES_HEADER, f);
	status = put_steps(f, l, steps, real);
	closed = scores_close(f, dir, name);
	return status == OPT_GO_ON ? closed : status;
}

/* One that went on as a shell to its end, or did something as one. */
static bool is_shell(const struct ktally_life *l, const struct ktally_steps *steps)
{
	const struct ktally_image *im = ktally_life_image(l);
	const struct ktally_step *at;
	size_t n = ktally_steps_at(steps, &at);

	for (size_t i = 0; i < n; i++)
		if (by_shell(l, &at[i]))
			return true;
	return im && im->has_exec && ktally_image_is_shell(im);
}

/* Whether an earlier life of this number has a file: the ones before are in order of start. */
static bool written(struct ktally_life *const *lives, size_t n, uint32_t tgid)
{
	for (size_t i = 0; i < n; i++)
		if (lives[i]->tgid == tgid && lives[i]->user)
			return true;
	return false;
}

static int put_life(const char *dir, struct ktally_life *const *lives, size_t place,
		    struct reading *r, size_t *shells)
{
	struct ktally_life *l = lives[place];
	struct ktally_steps *steps = ktally_steps_make(l, r->info);
	int status = OPT_GO_ON;

	if (!steps)
		return say_error(FAILED, "out of memory");
	if (is_shell(l, steps)) {
		status = put_shell(dir, l, steps, (int64_t)(r->info->realtime - r->info->boottime),
				   written(lives, place, l->tgid));
		l->user = l;
		++*shells;
	}
	ktally_steps_free(steps);
	return status;
}

int scores_write(const char *dir, struct reading *r, struct sel_match *match)
{
	struct ktally_life *const *lives;
	size_t n = ktally_model_lives(r->model, &lives), shells = 0;
	int status = OPT_GO_ON;
	char count[32];

	if (mkdir(dir, 0777) && errno != EEXIST)
		return say_error(FAILED, "%s: %s", dir, strerror(errno));
	for (size_t i = 0; i < n; i++)
		lives[i]->user = NULL;
	for (size_t i = 0; status == OPT_GO_ON && i < n; i++)
		if (sel_want(lives[i], match) && !lives[i]->kthread)
			status = put_life(dir, lives, i, r, &shells);
	if (status == OPT_GO_ON)
		status = scores_merge(dir);
	if (status == OPT_GO_ON)
		say("scores of %s shell%s in %s: all, sortedAll and " SCORES_PREFIX "PID",
		    say_count(count, shells), shells == 1 ? "" : "s", dir);
	return status;
}
