// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_network.c - devices and the two equations: what of a device's counters is the
 * recording's, which terms they are told in, and that a byte too much in any of them
 * shows as the remainder.
 */
#include "test.h"

#define OPEN	"0.5 walk_begin walk=1 purpose=opening\n"
#define OPENED	"0.5 walk_end walk=1 purpose=opening tasks=0\n"
#define CLOSE	"9.0 walk_begin walk=2 purpose=closing\n"
#define CLOSED	"9.0 walk_end walk=2 purpose=closing tasks=0\n"
#define ETH	"device ifindex=2 netns=1 class=0 flags=1 name=eth0 "
#define LO	"device ifindex=1 netns=1 class=1 flags=1 name=lo "
/* received: socket, carried, forwarded, 10 more; looped; sent: socket, ... */
#define ZEROES	",0,0,0,0,0,0,0,0,0,0,0"

static void recorded(struct reading *r, const char *text)
{
	struct bytes b = record(text);

	read_bytes(r, b.p, b.n);
	free(b.p);
}

static const struct ktally_netdev *device(const struct reading *r, const char *name)
{
	struct ktally_netdev *const *d;
	size_t n = ktally_model_netdevs(r->model, &d);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(d[i]->last.name, name) && !(d[i]->last.flags & KTALLY_DEVICE_CLASS))
			return d[i];
	return NULL;
}

static const struct ktally_netdev *class(const struct reading *r, unsigned int number)
{
	struct ktally_netdev *const *d;
	size_t n = ktally_model_netdevs(r->model, &d);

	for (size_t i = 0; i < n; i++)
		if (d[i]->last.flags & KTALLY_DEVICE_CLASS && d[i]->last.class == number)
			return d[i];
	return NULL;
}

static struct ktally_term term(const struct ktally_netdev *d, enum ktally_equation equation, bool tx,
			       const char *name)
{
	struct ktally_term terms[KTALLY_TERMS_MAX];
	size_t n = ktally_netdev_terms(d, false, terms);

	for (size_t i = 0; i < n; i++)
		if (terms[i].equation == equation && terms[i].tx == tx && !strcmp(terms[i].name, name))
			return terms[i];
	return (struct ktally_term){ .name = "?", .bytes = INT64_MIN };
}

#define BYTES(d, eq, tx, name)		term(d, KTALLY_EQ_##eq, tx, name).bytes
#define PACKETS(d, eq, tx, name)	term(d, KTALLY_EQ_##eq, tx, name).packets

/* In each equation the parts and the rest make the whole, whatever the figures. */
static void adds_up(struct __test_metadata *_metadata, const struct ktally_netdev *d)
{
	struct ktally_term terms[KTALLY_TERMS_MAX];
	size_t n = ktally_netdev_terms(d, false, terms);

	for (size_t i = 0; i < n; i++) {
		int64_t bytes = terms[i].bytes;

		if (terms[i].role != KTALLY_WHOLE)
			continue;
		while (++i < n && terms[i].role == KTALLY_PART)
			bytes -= terms[i].bytes;
		ASSERT_LT(i, n);
		EXPECT_EQ(KTALLY_REST, terms[i].role);
		EXPECT_EQ(terms[i].bytes, bytes);
	}
}

TEST(figures_are_those_of_the_recording)
{
	struct reading r;
	const struct ktally_netdev *d;

	recorded(&r, OPEN
		"0.5 " ETH "hook=10,1000,1000,20,2000,2000 dev=10,1000,20,2000 bucket=900,0,100" ZEROES ",2000\n"
		OPENED
		"5.0 device ifindex=3 netns=1 class=2 flags=1 name=made hook=1,60,60,0,0,0 dev=1,60,0,0 bucket=60\n"
		CLOSE
		"9.0 " ETH "hook=17,1700,1700,25,2500,2500 dev=17,1700,25,2500 bucket=1500,0,200" ZEROES ",2500\n"
		"9.0 device ifindex=3 netns=1 class=2 flags=1 name=made hook=2,120,120,0,0,0 dev=2,120,0,0 bucket=120\n"
		CLOSED);
	d = device(&r, "eth0");
	ASSERT_NE(NULL, d);
	EXPECT_TRUE(d->met);
	EXPECT_EQ(700, BYTES(d, BUCKETS, 0, "hooks"));
	EXPECT_EQ(7, PACKETS(d, BUCKETS, 0, "hooks"));
	EXPECT_EQ(600, BYTES(d, BUCKETS, 0, "socket"));
	EXPECT_EQ(100, BYTES(d, BUCKETS, 0, "forwarded"));
	EXPECT_EQ(0, BYTES(d, BUCKETS, 0, "remainder"));
	EXPECT_EQ(500, BYTES(d, BUCKETS, 1, "socket"));
	EXPECT_EQ(700, BYTES(d, DEVICE, 0, "device"));
	EXPECT_EQ(0, BYTES(d, DEVICE, 0, "remainder"));
	EXPECT_EQ(0, PACKETS(d, DEVICE, 1, "remainder"));
	adds_up(_metadata, d);
	/* Made while recording: all of it is the recording's. */
	d = device(&r, "made");
	EXPECT_TRUE(d->met);
	EXPECT_EQ(120, BYTES(d, BUCKETS, 0, "hooks"));
	read_done(&r);
}

TEST(offsets_are_terms)
{
	struct reading r;
	const struct ktally_netdev *d;

	recorded(&r, OPEN OPENED CLOSE
		/* lo counts behind the MAC header, and an skb of 3 segments once */
		"9.0 " LO "hook=12,1320,1188,12,1320,1188 dev=10,1048,10,1048"
		" bucket=1320,0,0" ZEROES ",1320,0,0" ZEROES ",2,2\n"
		/* a card that counts what is on the wire; one of its copies of a multicast is looped */
		"9.0 " ETH "hook=13,1420,1288,0,0,0 dev=12,1320,0,0"
		" bucket=1320,0,0,0,0,0,0,0,0,0,0,0,0,100,0,0,0" ZEROES ",2,0,0,1\n"
		/* one whose frames are counted with their check sums */
		"9.0 device ifindex=5 netns=1 class=0 flags=1 name=fcs hook=10,1000,1000,0,0,0 dev=10,1040,0,0 bucket=1000\n"
		CLOSED);
	d = device(&r, "lo");
	EXPECT_EQ(-2, PACKETS(d, DEVICE, 0, "segments"));
	EXPECT_EQ(-140, BYTES(d, DEVICE, 0, "mac-header"));
	EXPECT_EQ(0, BYTES(d, DEVICE, 0, "remainder"));
	EXPECT_EQ(0, PACKETS(d, DEVICE, 0, "remainder"));
	EXPECT_EQ(0, BYTES(d, DEVICE, 1, "remainder"));
	adds_up(_metadata, d);
	d = device(&r, "eth0");
	EXPECT_EQ(0, PACKETS(d, DEVICE, 0, "segments"));
	EXPECT_EQ(132, BYTES(d, DEVICE, 0, "segments"));
	EXPECT_EQ(-1, PACKETS(d, DEVICE, 0, "looped"));
	EXPECT_EQ(0, BYTES(d, DEVICE, 0, "mac-header"));
	EXPECT_EQ(0, BYTES(d, DEVICE, 0, "remainder"));
	EXPECT_EQ(0, PACKETS(d, DEVICE, 0, "remainder"));
	adds_up(_metadata, d);
	d = device(&r, "fcs");
	EXPECT_EQ(40, BYTES(d, DEVICE, 0, "frame-check"));
	EXPECT_EQ(0, BYTES(d, DEVICE, 0, "remainder"));
	read_done(&r);
}

/* Nothing is made to fit: what no term explains is the remainder. */
TEST(the_remainder_is_not_hidden)
{
	struct reading r;
	const struct ktally_netdev *d;
	struct ktally_network n;

	recorded(&r, OPEN OPENED CLOSE
		"9.0 " ETH "hook=10,1000,1000,5,500,500 dev=11,1060,5,500 bucket=900,0,50" ZEROES ",500\n"
		"9.0 device class=0 flags=4 hook=10,900,900,5,500,500"
		" bucket=8,700,4,400,1,50,0,0,1,100,1,100,0,20\n"
		CLOSED);
	d = device(&r, "eth0");
	EXPECT_EQ(50, BYTES(d, BUCKETS, 0, "remainder"));
	EXPECT_EQ(0, BYTES(d, BUCKETS, 1, "remainder"));
	EXPECT_EQ(1, PACKETS(d, DEVICE, 0, "remainder"));
	EXPECT_EQ(16, BYTES(d, DEVICE, 0, "remainder"));	/* 4 bytes a packet fit better than none */
	adds_up(_metadata, d);
	d = class(&r, 0);
	ASSERT_NE(NULL, d);
	EXPECT_EQ(700, BYTES(d, CLASS, 0, "processes"));
	EXPECT_EQ(50, BYTES(d, CLASS, 0, "kernel"));
	EXPECT_EQ(100, BYTES(d, CLASS, 0, "pending"));
	EXPECT_EQ(30, BYTES(d, CLASS, 0, "remainder"));
	EXPECT_EQ(0, PACKETS(d, CLASS, 0, "remainder"));
	EXPECT_EQ(0, BYTES(d, CLASS, 1, "remainder"));
	adds_up(_metadata, d);
	ktally_model_network(r.model, false, &n);
	EXPECT_TRUE(n.counted);
	EXPECT_EQ(50 + 16 + 30, n.rest_bytes);
	EXPECT_EQ(1, n.rest_packets);
	EXPECT_EQ(1500, n.wire_bytes);
	read_done(&r);
}

/* Killed before its closing walk, a recording does not know what passed. */
TEST(no_end_no_figures)
{
	struct reading r;
	struct ktally_network n;

	recorded(&r, OPEN "0.5 " ETH "hook=3,300,300,0,0,0 dev=3,300,0,0 bucket=300\n" OPENED
		"1.0 fork pid=100 ppid=1\nno-end\n");
	EXPECT_FALSE(term(device(&r, "eth0"), KTALLY_EQ_BUCKETS, false, "hooks").known);
	EXPECT_FALSE(term(device(&r, "eth0"), KTALLY_EQ_DEVICE, false, "remainder").known);
	ktally_model_network(r.model, false, &n);
	EXPECT_FALSE(n.counted);
	ktally_model_network(r.model, true, &n);
	EXPECT_TRUE(n.counted);
	EXPECT_EQ(300, n.wire_bytes);
	read_done(&r);
}

/* A device that was not traced: 4 bytes a packet would leave less, and explain nothing. */
TEST(missed_packets_are_no_habit)
{
	struct reading r;

	recorded(&r, OPEN OPENED CLOSE
		"9.0 " ETH "hook=0,0,0,0,0,0 dev=9,900,2,120\n" CLOSED);
	EXPECT_EQ(0, BYTES(device(&r, "eth0"), DEVICE, 0, "frame-check"));
	EXPECT_EQ(900, BYTES(device(&r, "eth0"), DEVICE, 0, "remainder"));
	EXPECT_EQ(9, PACKETS(device(&r, "eth0"), DEVICE, 0, "remainder"));
	EXPECT_EQ(120, BYTES(device(&r, "eth0"), DEVICE, 1, "remainder"));
	read_done(&r);
}

/* Bytes that were pending at the beginning and found their owner since: a share may shrink. */
TEST(shares_may_shrink)
{
	struct reading r;
	const struct ktally_netdev *d;
	struct ktally_network n;

	recorded(&r, OPEN
		"0.5 device class=0 flags=4 hook=10,1000,1000,0,0,0 bucket=0,0,0,0,0,0,0,0,10,1000\n"
		OPENED CLOSE
		"9.0 device class=0 flags=4 hook=11,1100,1100,0,0,0 bucket=11,1100\n"
		CLOSED);
	d = class(&r, 0);
	EXPECT_EQ(100, BYTES(d, CLASS, 0, "sockets"));
	EXPECT_EQ(1100, BYTES(d, CLASS, 0, "processes"));
	EXPECT_EQ(-1000, BYTES(d, CLASS, 0, "pending"));
	EXPECT_EQ(0, BYTES(d, CLASS, 0, "remainder"));
	ktally_model_network(r.model, false, &n);
	EXPECT_EQ(0, n.rest_bytes);
	EXPECT_EQ(-1000, n.share[0][KTALLY_S_PENDING][0]);
	read_done(&r);
}

/* What no process has, by kind of packet: first met while recording, or told before. */
TEST(kinds_of_packets)
{
	struct reading r;
	struct ktally_netdev *const *all;
	size_t n;

	recorded(&r, OPEN
		"0.5 " LO "hook=9,900,900,9,900,900\n"
		"0.5 device class=1 flags=4 hook=9,900,900,9,900,900\n"
		"0.5 device class=1 flags=32 ifindex=0 hook=0,0,0,2,80,80 bucket=0,0,0,0,0,0,2,80\n"
		OPENED CLOSE
		"9.0 " LO "hook=19,1900,1900,19,1900,1900\n"
		"9.0 device class=1 flags=4 hook=19,1900,1900,19,1900,1900\n"
		"9.0 device class=1 flags=32 ifindex=0 hook=0,0,0,7,290,290 bucket=0,0,0,0,0,0,5,200,0,0,2,90\n"
		"9.0 device class=1 flags=32 ifindex=1 hook=3,120,120,0,0,0 bucket=0,0,0,0,0,0,0,0,3,110\n"
		"9.0 device flags=8\n"
		CLOSED);
	n = ktally_model_netdevs(r.model, &all);
	EXPECT_EQ(4, n);
	EXPECT_EQ(210, BYTES(all[2], KINDS, 1, "kernel"));
	EXPECT_EQ(3, term(all[2], KTALLY_EQ_KINDS, true, "rst").packets);
	EXPECT_EQ(120, BYTES(all[2], KINDS, 1, "rst"));
	EXPECT_EQ(90, BYTES(all[2], KINDS, 1, "time-wait"));
	EXPECT_EQ(0, BYTES(all[2], KINDS, 1, "remainder"));
	EXPECT_EQ(120, BYTES(all[3], KINDS, 0, "unowned"));
	EXPECT_EQ(3, term(all[3], KTALLY_EQ_KINDS, false, "time-wait").packets);
	EXPECT_EQ(10, BYTES(all[3], KINDS, 0, "remainder"));
	read_done(&r);
}

/* A walk tells of a device that went a moment ago, and its last record follows. */
TEST(one_device_that_went_before)
{
	struct reading r;
	struct ktally_netdev *const *all;
	const struct ktally_netdev *d;

	recorded(&r, OPEN
		"0.2 device ifindex=7 netns=1 class=2 flags=3 name=went hook=5,500,500,0,0,0 dev=5,500,0,0 bucket=500\n"
		OPENED
		"1.0 device ifindex=7 netns=1 class=2 flags=3 name=went hook=5,500,500,0,0,0 dev=5,500,0,0 bucket=500\n"
		CLOSE CLOSED);
	EXPECT_EQ(1, ktally_model_netdevs(r.model, &all));
	d = device(&r, "went");
	EXPECT_EQ(0, BYTES(d, BUCKETS, 0, "hooks"));
	read_done(&r);
}

TEST(what_is_not_traced_is_unknown)
{
	struct reading r;
	const struct ktally_netdev *d;
	struct ktally_network n;

	recorded(&r, OPEN OPENED
		"5.0 device ifindex=7 netns=1 class=2 flags=3 name=gone hook=5,500,500,0,0,0 dev=3,300,0,0 bucket=500\n"
		"6.0 device ifindex=7 netns=1 class=2 flags=1 name=again hook=1,100,100,0,0,0 dev=1,100,0,0 bucket=100\n"
		CLOSE
		"9.0 device ifindex=7 netns=1 class=2 flags=1 name=again hook=2,200,200,0,0,0 dev=2,200,0,0 bucket=200\n"
		"9.0 device ifindex=4 netns=1 class=2 flags=16 name=eth0.5 hook=0,0,0,3,300,300 dev=9,900,3,300 bucket=0,0,0" ZEROES ",300\n"
		CLOSED);
	d = device(&r, "eth0.5");
	EXPECT_FALSE(term(d, KTALLY_EQ_BUCKETS, false, "hooks").known);
	EXPECT_FALSE(term(d, KTALLY_EQ_DEVICE, false, "hooks").known);
	EXPECT_FALSE(term(d, KTALLY_EQ_DEVICE, false, "remainder").known);
	EXPECT_EQ(900, BYTES(d, DEVICE, 0, "device"));
	EXPECT_TRUE(term(d, KTALLY_EQ_DEVICE, true, "remainder").known);
	/* The last record of a device that went: its driver has forgotten some. */
	d = device(&r, "gone");
	EXPECT_TRUE(d->gone);
	EXPECT_FALSE(term(d, KTALLY_EQ_DEVICE, false, "remainder").known);
	EXPECT_TRUE(term(d, KTALLY_EQ_DEVICE, false, "device").lower);
	EXPECT_EQ(0, BYTES(d, BUCKETS, 0, "remainder"));
	EXPECT_EQ(200, BYTES(device(&r, "again"), BUCKETS, 0, "hooks"));
	ktally_model_network(r.model, false, &n);
	EXPECT_EQ(3, n.unchecked);
	EXPECT_EQ(0, n.rest_bytes);
	read_done(&r);
}

/* Two recordings of one load: packets between them are in neither. */
TEST(between_two_recordings)
{
	static const char *const texts[] = {
		"session 1\n" OPEN "0.5 " ETH "hook=1,100,100,0,0,0 bucket=100\n" OPENED CLOSE
		"9.0 " ETH "hook=3,300,300,0,0,0 bucket=300\n" CLOSED,
		"session 2\n10.0 walk_begin walk=1 purpose=opening\n"
		"10.0 " ETH "hook=7,700,700,0,0,0 bucket=700\n10.1 walk_end walk=1 purpose=opening tasks=0\n"
		"11.0 walk_begin walk=2 purpose=closing\n11.0 " ETH "hook=8,800,800,0,0,0 bucket=800\n"
		"11.0 walk_end walk=2 purpose=closing tasks=0\n",
	};
	const char *const paths[] = { strdup(scratch()) };
	struct reading r;

	for (int i = 0; i < 2; i++) {
		struct bytes b = record(texts[i]);
		char path[128];

		snprintf(path, sizeof(path), "%s/%d.ktl", paths[0], i);
		save(path, b.p, b.n);
		free(b.p);
	}
	read_files(&r, paths, 1);
	EXPECT_EQ(300, BYTES(device(&r, "eth0"), BUCKETS, 0, "hooks"));
	read_done(&r);
	remove_scratch(paths[0]);
	free((void *)paths[0]);
}

/* Rows of processes and the module's own share are summed from different counters. */
TEST(lives_and_the_share_of_processes)
{
	struct reading r;
	struct ktally_network n;

	recorded(&r, OPEN
		"0.5 device class=0 flags=4 hook=10,1000,1000,0,0,0 bucket=10,1000\n"
		"0.5 task pid=50 start=0.1 comm=old walk=1 net_phys=10,1000,900,0,0,0\n"
		OPENED
		"1.0 fork pid=60 ppid=50\n"
		"2.0 exit pid=60 code=0 net_phys=2,150,120,1,70,70\n"
		"3.0 net_late pid=60 net_phys=2,150,120,2,130,130\n"
		CLOSE
		"9.0 device class=0 flags=4 hook=15,1350,1350,2,130,130 bucket=15,1350,2,130\n"
		"9.0 task pid=50 start=0.1 comm=old walk=2 net_phys=13,1200,1100,0,0,0\n"
		CLOSED);
	ktally_model_network(r.model, false, &n);
	EXPECT_EQ(350, n.share[0][KTALLY_S_PROCESS][0]);
	EXPECT_EQ(350, n.lives[0][0]);
	EXPECT_EQ(130, n.share[0][KTALLY_S_PROCESS][1]);
	EXPECT_EQ(130, n.lives[0][1]);
	EXPECT_EQ(0, n.rest_bytes);
	read_done(&r);
}

TEST_HARNESS_MAIN
