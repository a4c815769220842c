// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xfer ROLE send|recv PROTOCOL ADDRESS PORT COUNT SIZE [READY] - one end of a
 * transfer as lib/xfer.h says it; the receiver makes the file READY when it is
 * bound, and tells in it how much has arrived. Prints what it cost.
 */
#include "xfer.h"

int main(int argc, char **argv)
{
	struct xfer_cost cost;
	struct xfer x;

	need(argc >= 8, "arguments");
	set_name(argv[1]);
	xfer_init(&x, argv[1], argv[3], argv[4], atoi(argv[5]), atol(argv[6]), atol(argv[7]));
	if (!strcmp(argv[2], "recv")) {
		int s = xfer_ready(&x);

		if (argc > 8)
			xfer_share(&x, argv[8]);
		cost = xfer_receive(&x, s);
	} else {
		if (argc > 8)
			xfer_share(&x, argv[8]);
		cost = xfer_send(&x);
	}
	xfer_truth(&x, &cost, getpid());
	return 0;
}
