// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_fuzz.c - replays the fuzzer's input as a test: whole recordings, then the same
 * with bytes changed, moved and taken out by a generator that always does the same.
 */
#include "../fuzz/model.c"
#include "test.h"

#define ROUNDS 400

static const char *const seeds[] = {
	"1.0 fork pid=100 ppid=1\n1.1 exec pid=100 argv=\"a b\"\n2.0 exit pid=100 code=3\n",
	"subbuf 8K\n0.5 walk_begin walk=1 purpose=opening\n0.5 task pid=1 start=0.1 argv=init walk=1\n"
	"0.5 walk_end walk=1 purpose=opening tasks=1\ncpu 1\n1.0 cgroup id=7 op=1 path=/x.service\n"
	"lost exit 2\n1.5 thread_exit pid=1 tid=5 run_delay=5\n2.0 net_late pid=1 net_phys=1,2,3\n"
	"2.1 mark text=hello\n2.2 device ifindex=1 name=lo\n",
};

static uint64_t state = 88172645463325252ULL;

static uint64_t roll(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static size_t change(unsigned char *p, size_t n)
{
	static const uint32_t odd[] = { 0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff0000 };
	size_t at = roll(n - 8), len = roll(40);

	switch (roll(5)) {
	case 0:
		p[at] ^= 1 << roll(8);
		return n;
	case 1:
		memcpy(p + at, &odd[roll(8)], 4);
		return n;
	case 2:
		memmove(p + at, p + at + len % (n - at), n - at - len % (n - at));
		return n - len % (n - at);
	case 3:
		memmove(p + at, p + roll(n - 48), len < n - at ? len : n - at);
		return n;
	}
	return n - roll(n / 8);
}

static void replay(const char *seed, unsigned int changes)
{
	struct bytes b = record(seed);

	for (int i = 0; i < ROUNDS; i++) {
		unsigned char *p = malloc(b.n);
		size_t n = b.n;

		memcpy(p, b.p, n);
		for (unsigned int k = 0; k < changes && n > 100; k++)
			n = change(p, n);
		LLVMFuzzerTestOneInput(p, n);
		free(p);
		if (!changes)
			break;
	}
	free(b.p);
}

TEST(whole_recordings)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		replay(seeds[i], 0);
	NO_LEAKS();
}

TEST(one_change)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		replay(seeds[i], 1);
	NO_LEAKS();
}

TEST(many_changes)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		replay(seeds[i], 30);
	NO_LEAKS();
}

TEST_HARNESS_MAIN
