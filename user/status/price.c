// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * status/price.c - what the module's work costs by the figures of the bench, in instructions.
 * They are counted in an emulated machine and are no time: that differs by processor.
 */
#include "price.h"

/*
 * From tests/bench/base/, tests/host/cli-man.sh compares. Of packets the dearest kind. Left
 * out are records of other kinds, some per session, and ends that no session records.
 */
#define COUNTED_ON	"6.1.0-57-cloud-amd64"
#define PACKET		152

static const uint32_t each[KTALLY_KINDS] = {
	[KTALLY_FORK] = 469,
	[KTALLY_EXEC] = 1553,
	[KTALLY_EXIT] = 1522,
	[KTALLY_TASK] = 2844,
};

void price_of(const struct ktally_work *w, struct price *p)
{
	*p = (struct price){ .packets = w->received + w->sent, .kernel = COUNTED_ON };
	for (unsigned int kind = 0; kind < KTALLY_KINDS; kind++) {
		p->records += w->attempts[kind];
		p->instructions += w->attempts[kind] * each[kind];
	}
	p->instructions += p->packets * PACKET;
}
