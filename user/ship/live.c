// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.c - records as they happen. What the module gives has to be taken: rows go to
 * the spool whether the server is there or not.
 */
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "machine.h"
#include "ship.h"

#define PUMP_NS		1000000000ULL
#define LOOK_NS		(60 * PUMP_NS)

static uint64_t sample_ns(const struct ship *s)
{
	return s->options->sample.set ? s->options->sample.ns : LOOK_NS;
}

/* Rows speak of whole lives, whenever those began. */
static int live_open(struct ship *s)
{
	struct ktally_watch_options options = {
		.key = KTALLY_BY_ALL, .want = sel_want, .arg = s->match, .tree = s->options->sel.tree,
		.most_ended = SIZE_MAX, .older_ends = true,
	};
	const struct ktally_live_options live = { .kinds = WATCHING_KINDS };
	struct ship_origin *from = &s->rows.origin;
	int status;

	if (!machine_boot_id(from->boot_id, sizeof(from->boot_id)))
		return say_error(FAILED, "/proc/sys/kernel/random/boot_id: cannot read it; is /proc mounted?");
	gethostname(from->host, sizeof(from->host) - 1);
	from->real = watching_real();
	s->rows.ctx = &s->live.ctx;
	s->live.ctx.since_birth = true;
	s->live.see = ship_rows_see;
	s->live.see_arg = &s->rows;
	sel_bind_live(s->match, &s->live.ctx, session_now());
	s->next_look = s->losses.looked = session_now();
	s->next_look += sample_ns(s);
	status = watching_open(&s->live, &options, &live);
	return status == OPT_GO_ON ? sel_check_live(s->match) : status;
}

static int look(struct ship *s, uint64_t now)
{
	while (s->next_look <= now)
		s->next_look += sample_ns(s);
	return watching_refresh(&s->live);
}

static int live_take(struct ship *s, uint64_t now)
{
	bool tasks = s->rows.kinds >> KTALLY_TASK & 1;
	int status;

	if (now < s->next_take)
		return session_drain(&s->live.session);
	s->next_take = now + PUMP_NS;
	s->rows.origin.real = watching_real();
	s->rows.origin.lost = session_lost(&s->live.session);
	service_say_losses(&s->losses, &s->live.session);
	if (tasks && now >= s->next_look)
		return look(s, now);
	status = watching_pump(&s->live);
	return status == OPT_GO_ON ? watching_forget(&s->live) : status;
}

static int live_fd(const struct ship *s)
{
	return ktally_live_fd(s->live.session.live);
}

static void live_close(struct ship *s)
{
	watching_close(&s->live);
}

const struct ship_source ship_live = {
	.open = live_open, .take = live_take, .fd = live_fd, .close = live_close, .endless = true,
};
