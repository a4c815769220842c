// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proxy ADDRESS PORT TO-ADDRESS TO-PORT READY - takes one connection and hands on what
 * comes to another one. Prints what it moved and what both took on the wire.
 */
#include "xfer.h"

int main(int argc, char **argv)
{
	struct xfer_cost outside = { 0 }, inside = { 0 };
	struct xfer from, to;
	int listening, in, out;
	ssize_t k;

	need(argc > 5, "arguments");
	set_name("proxy");
	xfer_init(&from, "proxy", "tcp", argv[1], atoi(argv[2]), 0, 0);
	xfer_init(&to, "proxy", "tcp", argv[3], atoi(argv[4]), 0, 0);
	listening = xfer_ready(&from);
	need(close(open(argv[5], O_CREAT | O_WRONLY, 0600)) == 0, "ready");
	in = accept(listening, NULL, NULL);
	need(in >= 0, "accept");
	close(listening);
	out = xfer_socket(&to);
	need(connect(out, (const void *)&to.to, to.to_len) == 0, "connect");
	while ((k = recv(in, xfer_bytes, sizeof(xfer_bytes), 0)) > 0) {
		outside.rx += k;
		inside.tx += send_all(out, xfer_bytes, (size_t)k, 0);
	}
	xfer_end(&to, out, &inside);
	xfer_add_request(&inside);
	xfer_end(&from, in, &outside);
	xfer_add_answer(&from, &outside);
	truth("role=proxy pid=%d rx_bytes=%lld tx_bytes=%lld outside_wire_tx=%lld inside_wire_tx=%lld",
	      getpid(), outside.rx, inside.tx, outside.wire_tx, inside.wire_tx);
	return 0;
}
