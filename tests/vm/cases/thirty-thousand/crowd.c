// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd N - N processes live at once. One set of books is kept while they are
 * forked, another while they end; both must balance, and have all N.
 */
#include "truth.h"

#include "audit.h"

static struct audit books;
static pid_t *crowd;

static double seconds_since(ull ns)
{
	return (boot_ns() - ns) / 1e9;
}

static void must_have(uint64_t records, int n, const char *what)
{
	printf("%s: %llu\n", what, (ull)records);
	need(records >= (uint64_t)n, what);
}

static void gather(int n)
{
	ull begun = boot_ns();

	for (int i = 0; i < n; i++) {
		crowd[i] = fork();
		need(crowd[i] >= 0, "fork");
		if (!crowd[i])
			for (;;)
				pause();
		if (i % 256 == 0)
			audit_drain(&books);
	}
	printf("%d forks in %.1f s\n", n, seconds_since(begun));
}

static void disperse(int n)
{
	ull begun = boot_ns();

	for (int i = 0; i < n; i++)
		kill(crowd[i], SIGKILL);
	for (int i = 0; i < n; i++) {
		waitpid(crowd[i], NULL, 0);
		if (i % 256 == 0)
			audit_drain(&books);
	}
	printf("%d ends in %.1f s\n", n, seconds_since(begun));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	unsigned int wrong;
	ull begun;

	crowd = calloc(n, sizeof(*crowd));
	need(n > 0 && crowd, "crowd N");
	audit_begin(&books, 65536);
	gather(n);
	begun = boot_ns();
	wrong = audit_close(&books);
	printf("closing walk: %.2f s\n", seconds_since(begun));
	must_have(books.s.seen[KTALLY_FORK], n, "fork records");
	session_close(&books.s);

	begun = boot_ns();
	audit_begin(&books, 65536);
	printf("opening walk: %.2f s\n", seconds_since(begun));
	must_have(books.s.seen[KTALLY_TASK], n, "task records");
	disperse(n);
	wrong += audit_close(&books);
	must_have(books.s.seen[KTALLY_EXIT], n, "exit records");
	return wrong ? 1 : 0;
}
