// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nettables.c - state of the module's network tables (nettables.h), counted since it
 * was loaded. It reads the newest record and judges nothing.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "nettables.h"

enum kind { IN_USE, TROUBLE, WORK };

/* One row per place of enum ktally_net_table. */
static const struct place {
	const char *name;		/* as a fact */
	enum kind kind;
	const char *words;		/* behind a number */
	const char *raise;		/* parameter of the module that helps */
} places[KTALLY_T_KINDS] = {
	[KTALLY_T_SOCKETS] = { "sockets", IN_USE, "sockets", NULL },
	[KTALLY_T_SOCKETS_FULL] = { "sockets_full", TROUBLE, "times a socket found no room", "net_sockets" },
	[KTALLY_T_SOCKETS_EVICTED] = { "sockets_evicted", TROUBLE, "sockets were put out too early", "net_sockets" },
	[KTALLY_T_LEARNED] = { "learned", WORK, "owners learned", NULL },
	[KTALLY_T_ACCOUNTS] = { "accounts", IN_USE, "accounts", NULL },
	[KTALLY_T_ACCOUNTS_FULL] = { "accounts_full", TROUBLE, "times a process found no account", "net_accounts" },
	[KTALLY_T_LATE] = { "late_records", WORK, "records of late bytes", NULL },
	[KTALLY_T_FLOWS] = { "flows", IN_USE, "flows", NULL },
	[KTALLY_T_FLOWS_FULL] = { "flows_full", TROUBLE, "times a flow found no room", "net_sockets" },
	[KTALLY_T_UDP_LOOKUPS] = { "udp_lookups", WORK, "look-ups of UDP sockets", NULL },
	[KTALLY_T_UDP_KPROBES] = { "udp_kprobes", WORK, "1: UDP ports are watched", NULL },
	[KTALLY_T_DEVICES] = { "devices", IN_USE, "devices", NULL },
	[KTALLY_T_DEVICES_FULL] = { "devices_full", TROUBLE, "devices found no room", "net_devices" },
	[KTALLY_T_NO_DEVICE] = { "no_device_packets", TROUBLE, "packets were on devices without a place", "net_devices" },
	[KTALLY_T_DROPPED] = { "dropped_packets", WORK, "packets dropped by drivers and taken back", NULL },
	[KTALLY_T_BUSY] = { "busy_packets", WORK, "packets drivers were too busy for, taken back", NULL },
	[KTALLY_T_NOT_TAKEN_BACK] = { "not_taken_back_packets", TROUBLE, "packets that drivers refused stay counted", NULL },
	[KTALLY_T_TAKEN_UP] = { "taken_up", WORK, "connection requests credited in hindsight", NULL },
	[KTALLY_T_SCANS] = { "scans", WORK, "looks into open files", NULL },
};

static void put_facts(struct out *o, const __u64 *tables)
{
	struct out_fact facts[KTALLY_T_KINDS];

	for (int i = 0; i < KTALLY_T_KINDS; i++)
		facts[i] = (struct out_fact){ places[i].name, KTALLY_COUNT, out_u64(tables[i]) };
	out_facts(o, "tables", facts, KTALLY_T_KINDS);
}

static void put_in_use(struct out *o, const __u64 *tables)
{
	char line[200] = "tables in use:", count[32];
	size_t at = strlen(line);

	for (int i = 0; i < KTALLY_T_KINDS; i++)
		if (places[i].kind == IN_USE)
			at += (size_t)snprintf(line + at, sizeof(line) - at, " %s %s,",
					       say_count(count, tables[i]), places[i].words);
	line[at - 1] = '\0';
	out_line(o, line);
}

static void put_troubles(struct out *o, const __u64 *tables)
{
	char line[200], count[32];

	for (int i = 0; i < KTALLY_T_KINDS; i++) {
		if (places[i].kind != TROUBLE || !tables[i])
			continue;
		snprintf(line, sizeof(line), "%s %s%s%s", say_count(count, tables[i]), places[i].words,
			 places[i].raise ? "; raise the module's " : "",
			 places[i].raise ? places[i].raise : "");
		out_line(o, line);
	}
}

void nettables_put(struct out *o, const struct ktally_model *m)
{
	const __u64 *tables = ktally_model_net_tables(m);

	if (!tables)
		return;
	put_facts(o, tables);
	put_in_use(o, tables);
	put_troubles(o, tables);
}
