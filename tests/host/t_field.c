// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_field.c - the table of fields and how values add up: by every key, with parts
 * that are unknown, bounds and text.
 */
#include <ctype.h>

#include "test.h"

#define THREE \
	"0.5 walk_begin walk=1 purpose=opening\n0.5 walk_end walk=1 purpose=opening\n" \
	"1.0 fork pid=100 ppid=1 uid=5 cgroup=7 netns=11\n" \
	"1.1 exec pid=100 filename=/bin/cc1 argv=\"cc1 a.c\"\n" \
	"1.2 fork pid=101 ppid=1 uid=5 cgroup=8 netns=11\n" \
	"1.3 exec pid=101 filename=/bin/cc1 argv=\"cc1 b.c\"\n" \
	"1.4 fork pid=102 ppid=100 uid=0 cgroup=0 netns=0\n" \
	"1.5 cgroup id=7 op=1 path=/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope\n" \
	"2.0 exit pid=100 code=0 runtime=10ms utime=1 stime=0 peak_rss=4M rss=1M minflt=5\n" \
	"2.1 exit pid=101 code=1 runtime=30ms utime=1 stime=0 peak_rss=9M rss=2M\n" \
	"2.2 exit pid=102 code=0 peak_rss=1M upper=peak_rss runtime=1ms\n" \
	"3.0 walk_begin walk=2 purpose=closing\n3.0 walk_end walk=2 purpose=closing\n"

FIXTURE(three) {
	struct bytes b;
	struct reading r;
	struct ktally_groups *g;
};

FIXTURE_SETUP(three)
{
	self->b = record(THREE);
	read_bytes(&self->r, self->b.p, self->b.n);
	self->g = NULL;
}

FIXTURE_TEARDOWN(three)
{
	ktally_groups_free(self->g);
	read_done(&self->r);
	free(self->b.p);
	if (__lsan_do_recoverable_leak_check())
		abort();
}

static struct ktally_value of(struct ktally_groups *g, size_t i, const char *field, struct reading *r)
{
	return ktally_group_value(ktally_groups_at(g, i), ktally_field_find(field), &r->ctx);
}

static const char *name_of(struct ktally_groups *g, size_t i)
{
	struct ktally_str s = ktally_group_name(ktally_groups_at(g, i));
	struct ktally_value v = { .type = s.p ? KTALLY_V_TEXT : KTALLY_V_UNKNOWN, .t = s };

	return text_of(v);
}

TEST_F(three, by_program)
{
	struct ktally_groups *g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_PROGRAM, NULL, NULL);

	/* 102 has executed nothing: it is its parent's program. */
	ASSERT_EQ(1, ktally_groups_count(g));
	EXPECT_STREQ("cc1", name_of(g, 0));
	EXPECT_EQ(3, of(g, 0, "count", &self->r).u);
	EXPECT_EQ(41 * MS, of(g, 0, "cpu_ns", &self->r).u);
	EXPECT_FALSE(of(g, 0, "cpu_ns", &self->r).lower);
	EXPECT_EQ(9 << 20, of(g, 0, "peak_rss_bytes", &self->r).u);
	EXPECT_TRUE(of(g, 0, "peak_rss_bytes", &self->r).upper);	/* one of them is */
	EXPECT_EQ(3 << 20, of(g, 0, "rss_bytes", &self->r).u);
	EXPECT_TRUE(of(g, 0, "rss_bytes", &self->r).upper);		/* shared pages count twice */
	EXPECT_TRUE(of(g, 0, "rss_bytes", &self->r).lower);		/* 102's is unknown */
	EXPECT_EQ(5, of(g, 0, "minflt", &self->r).u);
	EXPECT_TRUE(of(g, 0, "minflt", &self->r).lower);
	EXPECT_EQ(KTALLY_V_UNKNOWN, of(g, 0, "majflt", &self->r).type);
	EXPECT_EQ(1 * SEC, of(g, 0, "start_ns", &self->r).u);
	EXPECT_EQ(2200 * MS, of(g, 0, "end_ns", &self->r).u);
	EXPECT_EQ(KTALLY_V_UNKNOWN, of(g, 0, "pid", &self->r).type);
	EXPECT_EQ(KTALLY_V_UNKNOWN, of(g, 0, "status", &self->r).type);
	EXPECT_EQ(1, of(g, 0, "failed", &self->r).u);
	EXPECT_STREQ("cc1", text_of(of(g, 0, "program", &self->r)));
	EXPECT_STREQ("?", text_of(of(g, 0, "argv", &self->r)));
	EXPECT_STREQ("?", text_of(of(g, 0, "user", &self->r)));
}

TEST_F(three, by_command)
{
	struct ktally_groups *g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_COMMAND, NULL, NULL);

	ASSERT_EQ(2, ktally_groups_count(g));
	EXPECT_STREQ("cc1|a.c|", name_of(g, 0));
	EXPECT_EQ(2, of(g, 0, "count", &self->r).u);
	EXPECT_STREQ("cc1|b.c|", text_of(of(g, 1, "argv", &self->r)));
}

TEST_F(three, by_process)
{
	struct ktally_groups *g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_PROCESS, NULL, NULL);
	const struct ktally_life *const *lives;

	ASSERT_EQ(3, ktally_groups_count(g));
	EXPECT_STREQ("100", name_of(g, 0));
	EXPECT_EQ(100, of(g, 0, "pid", &self->r).u);
	ASSERT_EQ(1, ktally_group_lives(ktally_groups_at(g, 2), &lives));
	EXPECT_EQ(102, lives[0]->tgid);
}

/* 100 forked 102; 101 is nobody's parent. */
TEST_F(three, a_tree)
{
	const struct ktally_life *root = ktally_model_find(self->r.model, 100, 0);
	const struct ktally_life *const *lives;
	struct ktally_groups *g = self->g = ktally_groups_of_tree(&self->r.ctx, root);

	ASSERT_EQ(1, ktally_groups_count(g));
	ASSERT_EQ(2, ktally_group_lives(ktally_groups_at(g, 0), &lives));
	EXPECT_EQ(100, lives[0]->tgid);
	EXPECT_EQ(102, lives[1]->tgid);
	EXPECT_EQ(11 * MS, of(g, 0, "cpu_ns", &self->r).u);
	root = lives[1];
	ktally_groups_free(g);
	g = self->g = ktally_groups_of_tree(&self->r.ctx, root);
	ASSERT_EQ(1, ktally_groups_count(g));
	EXPECT_EQ(1 * MS, of(g, 0, "cpu_ns", &self->r).u);
}

static const char *name_of_5(uint32_t uid, void *arg)
{
	return uid == 5 ? arg : NULL;
}

TEST_F(three, by_user)
{
	struct ktally_groups *g;

	self->r.ctx.user_name = name_of_5;
	self->r.ctx.arg = "five";
	g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_USER, NULL, NULL);
	ASSERT_EQ(2, ktally_groups_count(g));
	EXPECT_STREQ("five", name_of(g, 0));
	EXPECT_STREQ("0", name_of(g, 1));
	EXPECT_STREQ("five", text_of(of(g, 0, "user", &self->r)));
	EXPECT_STREQ("0", text_of(of(g, 1, "user", &self->r)));
}

TEST_F(three, by_place)
{
	struct ktally_groups *g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_CGROUP, NULL, NULL);

	ASSERT_EQ(3, ktally_groups_count(g));
	EXPECT_EQ(0, strncmp("/system.slice/docker-", name_of(g, 0), 21));
	EXPECT_STREQ("8", name_of(g, 1));		/* no path: its number */
	EXPECT_STREQ("?", name_of(g, 2));
	ktally_groups_free(g);
	g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_CONTAINER, NULL, NULL);
	ASSERT_EQ(2, ktally_groups_count(g));
	EXPECT_STREQ("0123456789ab", name_of(g, 0));
	EXPECT_STREQ("?", name_of(g, 1));
	ktally_groups_free(g);
	g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_NETNS, NULL, NULL);
	ASSERT_EQ(2, ktally_groups_count(g));
	EXPECT_STREQ("11", name_of(g, 0));
	ktally_groups_free(g);
	g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_PARENT, NULL, NULL);
	ASSERT_EQ(2, ktally_groups_count(g));
	EXPECT_STREQ("1", name_of(g, 0));		/* not in the stream */
	EXPECT_STREQ("cc1", name_of(g, 1));
}

static bool not_101(const struct ktally_life *l, void *arg)
{
	++*(int *)arg;
	return l->tgid != 101;
}

TEST_F(three, all_that_is_wanted)
{
	int asked = 0;
	struct ktally_groups *g = self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_ALL, not_101, &asked);

	ASSERT_EQ(1, ktally_groups_count(g));
	EXPECT_EQ(3, asked);
	EXPECT_EQ(11 * MS, of(g, 0, "cpu_ns", &self->r).u);
}

static bool nobody(const struct ktally_life *l, void *arg)
{
	return l == arg;
}

TEST_F(three, none_wanted_no_groups)
{
	self->g = ktally_groups_make(&self->r.ctx, KTALLY_BY_ALL, nobody, NULL);
	ASSERT_NE(NULL, self->g);
	EXPECT_EQ(0, ktally_groups_count(self->g));
}

TEST(keys_by_name)
{
	for (int i = 0; i < KTALLY_KEYS; i++)
		EXPECT_EQ(i, ktally_key_find(ktally_key_name(i)));
	EXPECT_EQ(-ENOENT, ktally_key_find("prog"));
}

/* What schema and CSV promise of every name. */
TEST(names_are_names)
{
	const struct ktally_field *f;
	size_t n = ktally_fields(&f);

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(f[i].name);

		EXPECT_EQ(&f[i], ktally_field_find(f[i].name));	/* each only once */
		for (size_t k = 0; k < len; k++)
			EXPECT_TRUE(islower(f[i].name[k]) || isdigit(f[i].name[k]) || f[i].name[k] == '_');
		EXPECT_GT(strlen(f[i].help), 3);
		EXPECT_GT(strlen(f[i].title), 0);
		if (f[i].unit == KTALLY_NS || f[i].unit == KTALLY_TIME)
			EXPECT_STREQ("_ns", f[i].name + len - 3);
		if (f[i].unit == KTALLY_BYTES && strcmp(f[i].name, "cancelled_write_bytes"))
			EXPECT_STREQ("_bytes", f[i].name + len - 6);
		EXPECT_NE(NULL, ktally_unit_name(f[i].unit));
		EXPECT_NE(NULL, ktally_sum_name(f[i].sum));
	}
	EXPECT_EQ(NULL, ktally_field_find("nothing"));
}

/* A reader of today's list keeps its place when columns are added. */
TEST(columns_are_only_appended)
{
	static const char *const published[] = {
		"pid", "ppid", "uid", "user", "gid", "start_ns", "end_ns", "life_ns", "cpu_ns",
		"cpu_user_ns", "cpu_sys_ns", "run_delay_ns", "rss_bytes", "peak_rss_bytes", "vm_bytes",
		"peak_vm_bytes", "swap_bytes", "maxrss_bytes", "minflt", "majflt", "nvcsw", "nivcsw",
		"read_bytes", "write_bytes", "cancelled_write_bytes", "rchar_bytes", "wchar_bytes",
		"read_calls", "write_calls", "rx_packets", "rx_wire_bytes", "tx_packets", "tx_wire_bytes",
		"loop_rx_packets", "loop_rx_wire_bytes", "loop_tx_packets", "loop_tx_wire_bytes",
		"virt_rx_packets", "virt_rx_wire_bytes", "virt_tx_packets", "virt_tx_wire_bytes",
		"tcp_rx_bytes", "tcp_tx_bytes", "udp_rx_bytes", "udp_tx_bytes", "rx_dropped",
		"status", "exit_code", "exit_signal", "core_dumped", "failed", "state", "comm",
		"program", "exe", "filename", "argv", "cgroup", "cgroup_id", "unit", "container",
		"netns", "pidns", "nspid", "sid", "pgrp", "image", "execs", "count", "threads",
		"threads_ended", "kthread", "partial", "flags", "argc", "argv_bytes", "argv_cut",
		"parent_start_ns",
	};
	const struct ktally_field *f;

	ASSERT_GE(ktally_fields(&f), sizeof(published) / sizeof(published[0]));
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		EXPECT_STREQ(published[i], f[i].name);
}

/* No field may say 0 of a life of which nothing was measured. */
TEST(unknown_is_never_zero)
{
	static const char *const may_be_zero[] = {
		"life_ns", "execs", "threads_ended", "kthread", "partial", "ppid", "image", "uid", "gid",
		"sid", "pgrp", "nspid", "pid", "start_ns", "count",
	};
	struct bytes b = record("1.0 fork pid=100 ppid=1\nno-end\n");
	const struct ktally_field *f;
	size_t n = ktally_fields(&f);
	struct reading r;

	read_bytes(&r, b.p, b.n);
	for (size_t i = 0; i < n; i++) {
		struct ktally_value v = ktally_field_value(&f[i], life(&r, 100), &r.ctx);
		bool may = false;

		for (size_t k = 0; k < sizeof(may_be_zero) / sizeof(may_be_zero[0]); k++)
			may |= !strcmp(may_be_zero[k], f[i].name);
		if (!may && v.type != KTALLY_V_TEXT)
			EXPECT_EQ(KTALLY_V_UNKNOWN, v.type) TH_LOG("%s", f[i].name);
	}
	read_done(&r);
	free(b.p);
}

TEST(traffic_by_class)
{
	struct bytes b = record("1.0 fork pid=100 ppid=1\n1.0 fork pid=101 ppid=1\n"
				"2.0 exit pid=101 net_phys=1,2,3,4,5,6\n"
				"2.0 exit pid=100 net_phys=1,2,3,4,5,6 net_loop=7,8,9,10,11,12 tcp_rx=20 udp_tx=1 rx_dropped=3 upper=udp_tx\n"
				"3.0 net_late pid=100 net_phys=1,2,3,40,50,60 udp_tx=9\n");
	struct reading r;

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(2, number(&r, life(&r, 100), "rx_wire_bytes"));
	EXPECT_EQ(40, number(&r, life(&r, 100), "tx_packets"));
	EXPECT_EQ(50, number(&r, life(&r, 100), "tx_wire_bytes"));
	EXPECT_EQ(9, number(&r, life(&r, 100), "udp_tx_bytes"));
	EXPECT_TRUE(value(&r, life(&r, 100), "udp_tx_bytes").upper);
	EXPECT_FALSE(value(&r, life(&r, 100), "tx_wire_bytes").upper);
	EXPECT_EQ(0, number(&r, life(&r, 101), "loop_rx_packets"));
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 101), "udp_tx_bytes"));
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 101), "tcp_rx_bytes"));
	EXPECT_EQ(0, number(&r, life(&r, 100), "loop_rx_packets"));
	EXPECT_EQ(60, number(&r, life(&r, 100), "tx_device_bytes"));
	EXPECT_EQ(0, number(&r, life(&r, 100), "virt_rx_device_bytes"));
	read_done(&r);
	free(b.p);
}

TEST(payload_of_tcp_and_udp)
{
	struct bytes b = record("1.0 fork pid=100 ppid=1\n1.0 fork pid=101 ppid=1\n1.0 fork pid=102 ppid=1\n"
				"2.0 exit pid=100 net_phys=1 tcp_rx=20 tcp_tx=30 udp_rx=4 udp_tx=5 upper=udp_rx\n"
				"2.0 exit pid=101 net_phys=1 tcp_rx=20 net_flags=1\n"
				"2.0 exit pid=102 net_phys=1 tcp_rx=20 udp_rx=0 upper=udp_rx flags=oom net_flags=1\n");
	struct reading r;

	read_bytes(&r, b.p, b.n);
	EXPECT_EQ(24, number(&r, life(&r, 100), "rx_payload_bytes"));
	EXPECT_TRUE(value(&r, life(&r, 100), "rx_payload_bytes").upper);
	EXPECT_EQ(35, number(&r, life(&r, 100), "tx_payload_bytes"));
	/* Half of a sum is no sum. */
	EXPECT_EQ(UINT64_MAX, number(&r, life(&r, 101), "rx_payload_bytes"));
	EXPECT_FALSE(value(&r, life(&r, 102), "rx_payload_bytes").upper);
	EXPECT_STREQ("", text(&r, life(&r, 100), "flags"));
	EXPECT_STREQ("shared", text(&r, life(&r, 101), "flags"));
	EXPECT_STREQ("oom,shared", text(&r, life(&r, 102), "flags"));
	read_done(&r);
	free(b.p);
}

TEST(places_by_path)
{
	static const struct { const char *path, *unit, *container; } cases[] = {
		{ "/", "", "" },
		{ "/system.slice/nginx.service", "nginx.service", "" },
		{ "/user.slice/user-1000.slice/session-3.scope", "session-3.scope", "" },
		{ "/user.slice", "user.slice", "" },
		{ "/lxc.payload.web1/system.slice/ssh.service", "ssh.service", "web1" },
		{ "/machine.slice/machine-deb.scope/payload", "machine-deb.scope", "deb" },
		{ "/kubepods/burstable/pod1/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "", "0123456789ab" },
		{ "/.slice/.service", "", "" },
		{ "//a//b.service//", "b.service", "" },
		{ "", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b;
		struct reading r;
		char *rec;

		ASSERT_LT(0, asprintf(&rec, "1.0 cgroup id=7 op=1 path=%s\n1.0 fork pid=100 ppid=1 cgroup=7\n", cases[i].path));
		b = record(rec);
		free(rec);
		read_bytes(&r, b.p, b.n);
		EXPECT_STREQ(cases[i].unit, text(&r, life(&r, 100), "unit"));
		EXPECT_STREQ(cases[i].container, text(&r, life(&r, 100), "container"));
		read_done(&r);
		free(b.p);
	}
}

TEST_HARNESS_MAIN
