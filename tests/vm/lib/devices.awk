# SPDX-License-Identifier: GPL-2.0-or-later
#
# devices.awk - what `ktally dump -e device,walk_begin,walk_end` prints, as two tables
# of the difference between the first walk and the last record: one row a device, with the
# terms of both equations and their remainders, and one row a class; with kinds=FILE also
# one row for what of a class no process has, by kind of packet.
#   awk -v devices=FILE -v classes=FILE -v kinds=FILE -f devices.awk
# The names of buckets and shares are those of include/uapi/linux/ktally.h.

BEGIN {
	buckets = split("socket carried forwarded multicast ambiguous unparsed fragment syn tcp udp icmp other local looped", bucket)
	shares = split("process kernel pending unowned full", share)
	names = split("physical loopback virtual", class_name)
	hooks = split("rx_packets rx_wire rx_device tx_packets tx_wire tx_device", hook)
	owns = split("own_rx_packets own_rx_bytes own_tx_packets own_tx_bytes", own)
	terms = split("rx_segments tx_segments tx_refused rx_looped_packets", term)
	aparts = split("kernel unowned local unparsed", apart)
	packets = split("syn rst time_wait tcp udp icmp other arp", packet)
	counts = split("rx_packets rx_wire tx_packets tx_wire", count)
}

$4 == "walk_begin:" { walk++; opening = walk == 1 }
$4 == "walk_end:" { opening = 0 }

# bit FLAGS VALUE
function bit(flags, value) { return int(flags / value) % 2 }

# numbers NAME WHERE: the N words from "NAME=" on, into v[PREFIX 0..]
function numbers(name, prefix,    i, n) {
	for (i = 1; i <= NF; i++)
		if (index($i, name "=") == 1) {
			v[prefix n++] = substr($i, length(name) + 2)
			while (++i <= NF && $i !~ /=/)
				v[prefix n++] = $i
			return
		}
}

function word(name,    i) {
	for (i = 1; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
}

$4 == "device:" {
	flags = word("flags")
	if (bit(flags, 8))
		next
	key = bit(flags, 4) ? "class " word("class") : "device " word("netns") " " word("ifindex")
	if (bit(flags, 32))
		key = "kinds " word("class") " " word("ifindex")
	numbers("hook", "hook")
	numbers("dev", "dev")
	numbers("bucket", "bucket")
	for (i in v) {
		if (opening)
			first[key, i] = v[i]
		last[key, i] = v[i] - first[key, i]
	}
	if (!(key in seen) && !bit(flags, 32)) {
		seen[key] = ++rows
		row[rows] = key
	}
	name_of[key] = word("name")
	netns_of[key] = word("netns")
	class_of[key] = class_name[word("class") + 1]
	credited[key] = bit(flags, 1)
	gone[key] = bit(flags, 2)
	no_rx[key] = bit(flags, 16)
}

function add(name, value) {
	head = head (head == "" ? "" : ",") name
	line = line (line == "" ? "" : ",") value
}

# of the bucket array: the sum of N places from FROM, every STEP-th
function sum(key, from, n, step,    i, s) {
	for (i = 0; i < n; i++)
		s += last[key, "bucket" from + i * step]
	return s + 0
}

function abs(v) { return v < 0 ? -v : v }

function device(key,    i, rest, segments, by_segments) {
	add("name", name_of[key])
	add("netns", netns_of[key])
	add("class", class_of[key])
	add("credited", credited[key])
	add("gone", gone[key])
	add("no_rx", no_rx[key])
	for (i = 1; i <= hooks; i++)
		add(hook[i], last[key, "hook" i - 1] + 0)
	for (i = 1; i <= owns; i++)
		add(own[i], last[key, "dev" i - 1] + 0)
	for (i = 1; i <= buckets; i++) {
		add("rx_" bucket[i], last[key, "bucket" i - 1] + 0)
		add("tx_" bucket[i], last[key, "bucket" buckets + i - 1] + 0)
	}
	for (i = 1; i <= terms; i++)
		add(term[i], last[key, "bucket" 2 * buckets + i - 1] + 0)
	# equation 1: each packet in one bucket; hooks and the device's own counters
	add("rx_bucket_rest", last[key, "hook1"] - sum(key, 0, buckets, 1))
	add("tx_bucket_rest", last[key, "hook4"] - sum(key, buckets, buckets, 1))
	add("rx_packet_rest", last[key, "hook0"] - last[key, "bucket" 2 * buckets] - last[key, "bucket" 2 * buckets + 3] - last[key, "dev0"])
	# some drivers count what they make of a packet of many segments
	rest = last[key, "hook3"] - last[key, "dev2"]
	segments = last[key, "bucket" 2 * buckets + 1]
	by_segments = abs(rest) < abs(rest - segments)
	add("tx_by_segments", by_segments)
	add("tx_packet_rest", by_segments ? rest : rest - segments)
	add("rx_byte_rest", last[key, "hook2"] - last[key, "dev1"])
	add("tx_byte_rest", last[key, by_segments ? "hook4" : "hook5"] - last[key, "dev3"])
}

function class(key,    i, k) {
	add("class", class_of[key])
	add("rx_packets", last[key, "hook0"] + 0)
	add("rx_wire", last[key, "hook1"] + 0)
	add("tx_packets", last[key, "hook3"] + 0)
	add("tx_wire", last[key, "hook4"] + 0)
	for (k = 1; k <= shares; k++)
		for (i = 1; i <= counts; i++)
			add(share[k] "_" count[i], last[key, "bucket" 4 * (k - 1) + i - 1] + 0)
	# equation 2: the shares add up to what sockets had
	add("rx_packet_rest", last[key, "hook0"] - sum(key, 0, shares, 4))
	add("rx_rest", last[key, "hook1"] - sum(key, 1, shares, 4))
	add("tx_packet_rest", last[key, "hook3"] - sum(key, 2, shares, 4))
	add("tx_rest", last[key, "hook4"] - sum(key, 3, shares, 4))
}

# Of a class, what no process has: kernel and unowned are shares of its sockets.
function kind(number, of,    key, share_at, i, k) {
	key = "kinds " number " " of - 1
	add("class", class_name[number + 1])
	add("of", apart[of])
	for (i = 1; i <= counts; i++)
		add(count[i], last[key, "hook" (i < 3 ? i - 1 : i)] + 0)
	for (k = 1; k <= packets; k++)
		for (i = 1; i <= counts; i++)
			add(packet[k] "_" count[i], last[key, "bucket" 4 * (k - 1) + i - 1] + 0)
	share_at = of == 1 ? 4 : 12
	for (i = 1; i <= counts; i++)
		add(count[i] "_rest", of > 2 ? "" : last["class " number, "bucket" share_at + i - 1] - sum(key, i - 1, packets, 4))
}

function put(file) {
	if (!(file in begun))
		print head > file
	begun[file] = 1
	print line > file
	head = line = ""
}

END {
	if (walk < 2) {
		print "devices.awk: " walk + 0 " walks, wanted two or more" > "/dev/stderr"
		exit 1
	}
	for (r = 1; r <= rows; r++) {
		if (row[r] ~ /^class/)
			class(row[r])
		else
			device(row[r])
		put(row[r] ~ /^class/ ? classes : devices)
	}
	for (r = 0; kinds && r < 3 * aparts; r++) {
		kind(int(r / aparts), r % aparts + 1)
		put(kinds)
	}
}
