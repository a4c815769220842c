# SPDX-License-Identifier: GPL-2.0-or-later
#
# lives.awk -v lives=N -v cpus=N [-v mark=N] - text for tests/host/mkrec: so many lives of
# a fork, an exec and an exit, as a build makes them, on so many CPUs in turn; a mark
# behind each N of them.

BEGIN {
	for (i = 0; i < lives; i++) {
		t = 2 + i / 10000
		pid = 1000 + i % 30000
		if (cpus > 1)
			print "cpu " i % cpus
		printf "%.6f fork pid=%d ppid=1 uid=1000\n", t, pid
		printf "%.6f exec pid=%d filename=/usr/bin/tool%d argv=\"tool%d -c file%d.c -o file%d.o\" runtime=1ms peak_rss=1M\n", \
			t + .00001, pid, i % 40, i % 40, i % 977, i % 977
		printf "%.6f exit pid=%d code=%d runtime=%dus utime=1ms stime=1ms peak_rss=%dK nvcsw=12 nivcsw=3 minflt=900 majflt=1 read_bytes=4096 write_bytes=65536\n", \
			t + .00005, pid, i % 50 == 0, 1000 + i % 5000, 900 + i % 3000
		if (mark && i % mark == mark - 1)
			print "mark-all"
	}
}
