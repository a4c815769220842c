# SPDX-License-Identifier: GPL-2.0-or-later
#
# growth.gp - gnuplot -e "points='FOLDER'": how cost grows, a panel for each thing that
# grows. Points are measured, lines are models fitted to them: a packet's, a task's and a
# life's cost is a, whatever their number; sessions cost a + b x from the first on; rows of
# processes take memory of a + b x. Points of a curve lie in FOLDER/PANEL.CURVE.
set terminal svg size 900,1040 background "#ffffff" font "sans-serif,12"
set multiplot layout 3,2 margins 0.08,0.98,0.06,0.96 spacing 0.1,0.11
set key top left samplen 1.5 reverse Left
set samples 20
set grid lc rgb "#dddddd"
set border 3
set tics nomirror
set fit quiet
set fit logfile "/dev/null"
set style line 1 lc rgb "#1f77b4" pt 7 ps 0.7
set style line 2 lc rgb "#d62728" pt 5 ps 0.7
set style line 3 lc rgb "#2ca02c" pt 9 ps 0.8
set style line 4 lc rgb "#9467bd" pt 13 ps 0.9
at(curve) = points . "/" . curve
a = 1; b = 1
level(x) = a
line(x) = a + b * x

set title "Packet hook by flows, instructions"
set xlabel "flows, each used in turn"
set logscale x
set xrange [0.7:200000]
set yrange [0:250]
fit level(x) at("flows.udp4") using 1:2 via a; udp = a
fit level(x) at("flows.tcp4") using 1:2 via a; tcp = a
plot at("flows.udp4") ls 1 title "UDP, IPv4", udp ls 1 notitle, \
	at("flows.udp6") ls 3 title "UDP, IPv6", \
	at("flows.tcp4") ls 2 title "TCP, IPv4", tcp ls 2 notitle, \
	at("flows.tcp6") ls 4 title "TCP, IPv6"

set key bottom left
set title "A walk by processes, instructions a task"
set xlabel "living processes"
set xrange [70:60000]
set yrange [0:*]
fit level(x) at("processes.walk") using 1:2 via a
plot at("processes.walk") ls 1 title "a task", a ls 1 title sprintf("%.0f", a)

set title "Fork and exit by processes, instructions"
set yrange [0:*]
a = 1
fit level(x) at("processes.life") using 1:2 via a
plot at("processes.life") ls 2 title "fork and exit, one session", a ls 2 title sprintf("%.0f", a)

unset logscale x
set title "Hooks of a spawn by sessions, instructions"
set xlabel "open sessions"
set xrange [-0.3:8.5]
set key top left
a = 1; b = 1
fit [1:8] line(x) at("sessions.fork") using 1:2 via a, b; fa = a; fb = b
fit [1:8] line(x) at("sessions.exec") using 1:2 via a, b; ea = a; eb = b
fit [1:8] line(x) at("sessions.exit") using 1:2 via a, b; xa = a; xb = b
plot at("sessions.exec") ls 1 notitle, ea + eb * x ls 1 title sprintf("exec %.0f + %.0f x", ea, eb), \
	at("sessions.exit") ls 2 notitle, xa + xb * x ls 2 title sprintf("exit %.0f + %.0f x", xa, xb), \
	at("sessions.fork") ls 3 notitle, fa + fb * x ls 3 title sprintf("fork %.0f + %.0f x", fa, fb)

set title "Throughput with ktally, of that without"
set xlabel "CPUs, each emulated by a thread"
set key bottom left
set xrange [0.7:4.3]
set xtics 1
set yrange [0:1.2]
plot at("cpus.udp4") ls 1 title "UDP", at("cpus.tcp4") ls 2 title "TCP", 1 lc rgb "#888888" notitle

set title "Memory of a reader by records, MiB resident"
set xlabel "records"
set key top left
set logscale xy
set xrange [5000:5e6]
set xtics ("10,000" 1e4, "100,000" 1e5, "1,000,000" 1e6)
set yrange [5:2000]
a = 10; b = 1e-5
fit line(x) at("records.keeping") using 1:2 via a, b; ka = a; kb = b
plot at("records.keeping") ls 2 title "rows of processes", ka + kb * x ls 2 title sprintf("%.0f + %.0f bytes x", ka, kb * 1048576), \
	at("records.forgetting") ls 1 title "summary by program"
