# SPDX-License-Identifier: GPL-2.0-or-later
#
# names.awk - what peers.awk and native.awk call that with which both compare ktally.

BEGIN {
	what["nothing"] = "nothing"
	what["floor"] = "five empty callbacks"
	what["ftrace"] = "ftrace, five events, nobody reading"
}
