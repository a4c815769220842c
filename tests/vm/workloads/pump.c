// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pump recv PORT | pump send IP PORT BYTES MORE STEP: between BYTES and MORE it
 * makes the file STEP.sent and waits for STEP.go.
 */
#include <fcntl.h>
#include "net.h"
static char b[65536];
int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "recv")) {
		int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[2])) };
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		need(bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0, "listen");
		int c = accept(s, NULL, NULL);
		long long n = 0;
		ssize_t k;
		while ((k = recv(c, b, sizeof b, 0)) > 0)
			n += k;
		net_truth("pump-recv", 0, n, 0, 0);
		return 0;
	}
	need(argc > 4, "arguments");
	int s = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[3])) };
	need(inet_pton(AF_INET, argv[2], &a.sin_addr) == 1, "address");
	for (int i = 0; connect(s, (struct sockaddr *)&a, sizeof a) != 0; i++) {
		need(i < 50, "connect");
		msleep(50);
		close(s);
		s = socket(AF_INET, SOCK_STREAM, 0);
	}
	long long want[2] = { atoll(argv[4]), argc > 5 ? atoll(argv[5]) : 0 }, t[2] = { 0, 0 };
	for (int i = 0; i < 2; i++) {
		if (i == 1 && want[1]) {
			char step[256];

			msleep(300);
			snprintf(step, sizeof(step), "%s.sent", argv[6]);
			close(open(step, O_CREAT | O_WRONLY, 0600));
			snprintf(step, sizeof(step), "%s.go", argv[6]);
			for (int n = 0; access(step, F_OK) != 0; n++) {
				need(n < 1200, "nobody says go");
				msleep(50);
			}
		}
		while (t[i] < want[i])
			t[i] += send_all(s, b, (size_t)(want[i] - t[i] < (long long)sizeof b ? want[i] - t[i] : (long long)sizeof b), 0);
	}
	close(s);
	truth("role=pump_send pid=%d tx_before=%lld tx_during=%lld", getpid(), want[1] ? t[0] : 0ll, want[1] ? t[1] : t[0]);
	return 0;
}
