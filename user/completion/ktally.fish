# fish completion for ktally; made by: ktally help fish
set -g __ktally_columns 'pid ppid uid user gid start_ns end_ns life_ns cpu_ns cpu_user_ns cpu_sys_ns run_delay_ns rss_bytes peak_rss_bytes vm_bytes peak_vm_bytes swap_bytes maxrss_bytes minflt majflt nvcsw nivcsw read_bytes write_bytes cancelled_write_bytes rchar_bytes wchar_bytes read_calls write_calls rx_packets rx_wire_bytes tx_packets tx_wire_bytes loop_rx_packets loop_rx_wire_bytes loop_tx_packets loop_tx_wire_bytes virt_rx_packets virt_rx_wire_bytes virt_tx_packets virt_tx_wire_bytes tcp_rx_bytes tcp_tx_bytes udp_rx_bytes udp_tx_bytes rx_dropped status exit_code exit_signal core_dumped failed state comm program exe filename argv cgroup cgroup_id unit container netns pidns nspid sid pgrp image execs count threads threads_ended kthread partial flags argc argv_bytes argv_cut parent_start_ns rx_device_bytes tx_device_bytes loop_rx_device_bytes loop_tx_device_bytes virt_rx_device_bytes virt_tx_device_bytes rx_payload_bytes tx_payload_bytes'
complete -c ktally -n __fish_use_subcommand -f -a record -d 'save what happens to a file'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a record
complete -c ktally -n '__fish_seen_subcommand_from record' -l output -s o -d 'the recording (default: ktally.ktl); - is standard output; one that exists is kept as FILE.old' -r -F
complete -c ktally -n '__fish_seen_subcommand_from record' -l force -d 'overwrite FILE instead'
complete -c ktally -n '__fish_seen_subcommand_from record' -l duration -s D -d 'stop after TIME: 10, 500ms, 2m' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l timeout -d 'end CMD by SIGTERM after TIME, and exit with 124' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l rotate -d 'begin a new file at SIZE, and keep FILES finished ones: 24x64M' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l rotate-after -d 'begin a new file after TIME, however small: 1h' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l keep -d 'remove finished files once they are older than TIME: 7d' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l sample -d 'put figures of the processes that ran into the recording every TIME: then report --since and --until tell who used what in between' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l daemon -d 'as a service: into /var/lib/ktally/ktally.ktl, --rotate 24x64M and --sample 10s unless said otherwise; the service manager is told when it records, and losses are said as they happen'
complete -c ktally -n '__fish_seen_subcommand_from record' -l flight -d 'keep the newest in the kernel\'s buffers (--buffer) and write only at the end, on SIGUSR2 (then go on), or when a --trigger says so'
complete -c ktally -n '__fish_seen_subcommand_from record' -l trigger -d 'with --flight: end and save when a process failed (failed), ended by exit status N (status=N) or signal N (signal=N), a session lost records (loss), or a file was written (file=PATH); more than one may be given; if none comes, nothing is saved' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l boot -d 'take over what the module has recorded since it was loaded'
complete -c ktally -n '__fish_seen_subcommand_from record' -l exits -d 'only the ends of processes, with their arguments: a tenth of the records'
complete -c ktally -n '__fish_seen_subcommand_from record' -l redact -d 'before anything is written, overwrite what stands behind NAME= or NAME:, or is the word after an option NAME, in all arguments; NAME may be a pattern: \'*pass*\'' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l compress -d 'pack what is written by zstd of this level, 1 to 19; 0: not (default: 1, where ktally is built with libzstd)' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l buffer -d 'size of the kernel\'s buffers, all CPUs together (default: the module\'s)' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from record' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from record' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from record' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from record' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from record' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n __fish_use_subcommand -f -a report -d 'table of processes or of groups of them'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a report
complete -c ktally -n '__fish_seen_subcommand_from report' -l by -s b -d 'a row per process, program, command, user, cgroup, unit, container, netns, parent, or one for all' -x -a 'process program command user cgroup unit container netns parent all'
complete -c ktally -n '__fish_seen_subcommand_from report' -l devices -d 'network devices instead of processes: what passed each while recording, and whether it adds up; see status'
complete -c ktally -n '__fish_seen_subcommand_from report' -l input -s i -d 'read this recording, or the recordings of this folder (default: ktally.ktl); - is standard input; FILE as a plain word too' -r -F
complete -c ktally -n '__fish_seen_subcommand_from report' -l live -d 'ask the module about the processes that live now, instead of a file'
complete -c ktally -n '__fish_seen_subcommand_from report' -l since-birth -d 'of processes older than the recording all they used, not only what they used while recording; with --live always'
complete -c ktally -n '__fish_seen_subcommand_from report' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from report' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from report' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from report' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from report' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n '__fish_seen_subcommand_from report' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from report' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from report' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from report' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from report' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from report' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from report' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from report' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from report' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from report' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from report' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from report' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from report' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from report' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from report' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from report' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from report' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from report' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from report' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from report' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a run -d 'one command: its whole tree\'s cost'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a run
complete -c ktally -n '__fish_seen_subcommand_from run' -l by -s b -d 'a table with a row per process, program, command, user or parent instead of the summary' -x -a 'process program command user'
complete -c ktally -n '__fish_seen_subcommand_from run' -l timeout -d 'end the command by SIGTERM after TIME, and exit with 124' -x
complete -c ktally -n '__fish_seen_subcommand_from run' -l buffer -d 'size of the kernel\'s buffers, all CPUs together (default: the module\'s)' -x
complete -c ktally -n '__fish_seen_subcommand_from run' -l steps -s S -d 'what each script did, in order: commands, pipelines and their parts, and self: nothing but itself ran'
complete -c ktally -n '__fish_seen_subcommand_from run' -l depth -d 'with --steps: at most N levels below a script; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from run' -l gaps -d 'with --steps: a row for self time of TIME and more (1ms)' -x
complete -c ktally -n '__fish_seen_subcommand_from run' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from run' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from run' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from run' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from run' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from run' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from run' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from run' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from run' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from run' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from run' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from run' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from run' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from run' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from run' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from run' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from run' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from run' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from run' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from run' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a stat -d 'what running programs cost, a row per program and interval'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a stat
complete -c ktally -n '__fish_seen_subcommand_from stat' -l by -s b -d 'a row per process, program, command, user, cgroup, unit, container, netns or parent (default: program)' -x -a 'process program command user cgroup unit container netns parent'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l network -d 'beside it the traffic of the interface that has this address or name; columns RX and TX are those of its class' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l since-load -d 'count bytes since the module was loaded instead of since stat began'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l since-birth -d 'count CPU time and bytes since each process began'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l no-wait -d 'fail when nothing bears a name, instead of waiting for it'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l style -d 'pp: options and lines of ProcessPerformance; see: ktally stat --style=pp -help' -x -a 'pp'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from stat' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from stat' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from stat' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from stat' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from stat' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a top -d 'the same on the full screen, a row per process; -b for logs'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a top
complete -c ktally -n '__fish_seen_subcommand_from top' -l batch -s b -d 'no screen: each refresh as lines on standard output, for logs'
complete -c ktally -n '__fish_seen_subcommand_from top' -l sort -s o -d 'sort by pid, user, state, cpu, time, rss, peak, tx, rx, read, write, age or command (default: cpu)' -x -a 'pid user state cpu time rss peak tx rx read write age command'
complete -c ktally -n '__fish_seen_subcommand_from top' -l forest -s t -d 'start as a tree'
complete -c ktally -n '__fish_seen_subcommand_from top' -l groups -s g -d 'start with a row per program, or what --by says'
complete -c ktally -n '__fish_seen_subcommand_from top' -l by -d 'what rows of groups are: program, command, user, cgroup, unit, container, netns or parent' -x -a 'program command user cgroup unit container netns parent'
complete -c ktally -n '__fish_seen_subcommand_from top' -l per-machine -s I -d '100 % = all CPUs'
complete -c ktally -n '__fish_seen_subcommand_from top' -l io -d 'show I/O in place of network bytes where there is no room for both'
complete -c ktally -n '__fish_seen_subcommand_from top' -l net -d 'whose bytes TX/s and RX/s are: physical, loopback or virtual devices (default: physical)' -x -a 'physical loopback virtual'
complete -c ktally -n '__fish_seen_subcommand_from top' -l limit -d 'with -b at most N rows a refresh; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l color -d 'auto, always or never' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from top' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from top' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from top' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from top' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from top' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from top' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n __fish_use_subcommand -f -a events -d 'who starts, executes and ends, a line each, as it happens'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a events
complete -c ktally -n '__fish_seen_subcommand_from events' -l events -s e -d 'of fork, exec, exit only these (default: all)' -x -a 'fork exec exit'
complete -c ktally -n '__fish_seen_subcommand_from events' -l count -d 'end after N of them; 0: never' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l duration -s D -d 'end after TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l delay -d 'show them at most so much later (default: 100ms)' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from events' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from events' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from events' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from events' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n '__fish_seen_subcommand_from events' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from events' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from events' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from events' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from events' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from events' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from events' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from events' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from events' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from events' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from events' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from events' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from events' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from events' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from events' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from events' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from events' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from events' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from events' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from events' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a measure -d 'run commands again and again: distribution of what they cost'
complete -c ktally -n '__fish_seen_subcommand_from measure' -a 'show compare'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a measure
complete -c ktally -n '__fish_seen_subcommand_from measure' -l runs -s r -d 'so many runs of each command (default: at least ten, and for --for)' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l for -d 'without --runs: go on for so long (default: 3)' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l warm-up -s w -d 'runs before those that count (default: 1); of a method a time (10), bounds of one drawn by --seed (5..20), or stable' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l compare -d 'behind -- several commands, parted by ---; they run in turn, and each is compared with the first'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l scan -d 'one command per value, put in place of {NAME}; they are compared as with --compare; repeatable' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l prepare -d 'have a shell carry out LINE before each run, of a method before each repeat; it is no part of it' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l conclude -d 'and this afterwards' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l each -d 'a row per run instead of per measure: the values themselves'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l pictures -d 'a picture per measure into it: box plots and histograms, SVG' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l show-output -d 'leave the command its standard input and output'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l seed -d 'of the resampling behind intervals, and of what a method draws (default: 1)' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l buffer -d 'size of the kernel\'s buffers, all CPUs together (default: the module\'s)' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l role -d 'processes that are watched: server=name:nginx (or nginx), pid:12, cgroup:/x, unit:nginx.service; the workers are role client unless one is named so; repeatable' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l preset -d 'numbers of a method: quick (default) for every day, or broker' -x -a 'quick broker'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l workers -d 'so many carry out CMD at the same time, from the warm-up to the last stage (default: 1)' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l worker -d 'what a single measurement is: one of its runs, a number it prints in a line, or the time between its marks (ktally mark begin, ktally mark end)' -x -a 'runs numbers marks'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l unit -d 'of printed numbers (default: none)' -x -a 'none ns us ms s bytes count'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l start-server -d 'have a shell start the server before each repeat; it is ended behind it' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l ready -d 'and wait until this succeeds, a minute at most' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l samples -d 'of resources, for clients and for servers; 0 is none' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l every -d 'from one sample to the next' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l together -d 'resources of clients and servers in one stage'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l solo -d 'single measurements of one worker, drawn by --seed' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l shared -d 'then those of all workers for so long' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l repeats -d 'all of it so often' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l method -d 'read options from FILE, as files of settings have them; command = LINE is CMD' -r -F
complete -c ktally -n '__fish_seen_subcommand_from measure' -l command -d 'CMD as one line, for such a file' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l plan -d 'write the whole method down as such a file, and measure nothing'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from measure' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from measure' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from measure' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from measure' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l wide -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from measure' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a commands -d 'how often and how long each command ran; what a script did, in order'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a commands
complete -c ktally -n '__fish_seen_subcommand_from commands' -l by -s b -d 'put together by script (its name behind an interpreter, else program), program (name of the file), basename (of the first argument), path (the file as it was called), command (all arguments), comm (the kernel\'s name), or user' -x -a 'script program basename path command comm user'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l fold -s f -d 'put together what differs in numbers (N) and temporary names (*) alone'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l forks -d 'also processes that executed nothing, as their parent\'s command'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l runs -s r -d 'a row per run instead of per command'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l steps -s S -d 'what each script did, in order: commands, pipelines and their parts, and self: nothing but itself ran'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l depth -d 'with --steps: at most N levels below a script; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l gaps -d 'with --steps: a row for self time of TIME and more (1ms)' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l scores -d 'also write the ash profiler\'s files into DIR: scores.csv.PID of each shell, all and sortedAll; ASH_SCORES names DIR as well' -r -F
complete -c ktally -n '__fish_seen_subcommand_from commands' -l input -s i -d 'read this recording, or the recordings of this folder (default: ktally.ktl); - is standard input; FILE as a plain word too' -r -F
complete -c ktally -n '__fish_seen_subcommand_from commands' -l live -d 'ask the module about the processes that live now, instead of a file'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l since-birth -d 'of processes older than the recording all they used, not only what they used while recording; with --live always'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from commands' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from commands' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from commands' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from commands' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from commands' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a import -d 'make a recording of another tool\'s files'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a import
complete -c ktally -n '__fish_seen_subcommand_from import' -l from -d 'what SOURCE is: ash-scores, the folder that ASH_SCORES named while a patched ash ran' -x -a 'ash-scores'
complete -c ktally -n '__fish_seen_subcommand_from import' -l output -s o -d 'the recording to write (default: ktally.ktl); one that is there is moved to FILE.old' -r -F
complete -c ktally -n '__fish_seen_subcommand_from import' -l force -d 'overwrite FILE instead'
complete -c ktally -n __fish_use_subcommand -f -a export -d 'a recording in other tools\' formats'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a export
complete -c ktally -n '__fish_seen_subcommand_from export' -l to -d 'folded (stacks of the process tree, for flame graphs), chrome (JSON for ui.perfetto.dev and speedscope), perfetto (protobuf for ui.perfetto.dev), sqlite (a database with views, into -o FILE), trace.dat (for trace-cmd and KernelShark, into -o FILE), ctf (for babeltrace2, into the folder -o FILE), csv or jsonl (a row per process), or openmetrics (series over time, for promtool to back-fill)' -x -a 'folded chrome sqlite trace.dat ctf perfetto csv jsonl openmetrics'
complete -c ktally -n '__fish_seen_subcommand_from export' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from export' -l weight -d 'of folded: time (of each life, ns), cpu (ns), or bytes (read from and written to storage, sent and received over physical devices); default: cpu' -x -a 'time cpu bytes'
complete -c ktally -n '__fish_seen_subcommand_from export' -l by -s b -d 'of openmetrics: series by program, user, cgroup, unit or container; default: program' -x -a 'program user cgroup unit container'
complete -c ktally -n '__fish_seen_subcommand_from export' -l step -d 'of openmetrics: a sample so often; default: 15s' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l groups -d 'of openmetrics: series of the N groups that used most CPU, and of all others as (others); default: 200' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l args -d 'with command lines, which may hold secrets; names of programs and users are always there'
complete -c ktally -n '__fish_seen_subcommand_from export' -l stream -d 'each process as soon as it has ended, and at the end those that live: of what happens now, or of one recording; as chrome, perfetto, csv or jsonl'
complete -c ktally -n '__fish_seen_subcommand_from export' -l duration -s D -d 'of a stream of what happens now: end after TIME; default: with Ctrl-C' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l strict -d 'exit 6 if something was lost'
complete -c ktally -n '__fish_seen_subcommand_from export' -l input -s i -d 'read this recording, or the recordings of this folder (default: ktally.ktl); - is standard input; FILE as a plain word too' -r -F
complete -c ktally -n '__fish_seen_subcommand_from export' -l live -d 'ask the module about the processes that live now, instead of a file'
complete -c ktally -n '__fish_seen_subcommand_from export' -l since-birth -d 'of processes older than the recording all they used, not only what they used while recording; with --live always'
complete -c ktally -n '__fish_seen_subcommand_from export' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from export' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from export' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from export' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from export' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from export' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n __fish_use_subcommand -f -a metrics -d 'sums for Prometheus: a file or an endpoint'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a metrics
complete -c ktally -n '__fish_seen_subcommand_from metrics' -l by -s b -d 'sums by program, user, cgroup, unit or container; repeatable; default: program, user and unit' -x -a 'program user cgroup unit container'
complete -c ktally -n '__fish_seen_subcommand_from metrics' -l output -s o -d 'write to FILE, which is replaced when the new one is whole; for node_exporter: NAME.prom in its folder' -r -F
complete -c ktally -n '__fish_seen_subcommand_from metrics' -l every -d 'go on and write so often, until Ctrl-C' -x
complete -c ktally -n '__fish_seen_subcommand_from metrics' -l listen -d 'answer at http://ADDR:PORT/metrics (default: on 127.0.0.1), until Ctrl-C' -x
complete -c ktally -n '__fish_seen_subcommand_from metrics' -l groups -d 'series for N groups of a key, those that used most CPU first; all others are one; default: 200' -x
complete -c ktally -n '__fish_seen_subcommand_from metrics' -l names -d 'ktally, or process-exporter (namedprocess_namegroup_..., by program, for dashboards that are there)' -x -a 'ktally process-exporter'
complete -c ktally -n __fish_use_subcommand -f -a ship -d 'a row per ended process to ClickHouse, VictoriaMetrics, InfluxDB'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a ship
complete -c ktally -n '__fish_seen_subcommand_from ship' -l to -d 'the server: http://HOST:8123/ for ClickHouse; with --format influx all of it: http://HOST:8428/write, http://HOST:8086/write?db=NAME' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l format -d 'clickhouse (INSERT of JSONEachRow) or influx (line protocol: VictoriaMetrics, InfluxDB); default: clickhouse' -x -a 'clickhouse influx'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l table -d 'of ClickHouse; default: ktally' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l print-table -d 'print the CREATE TABLE for ClickHouse, and do nothing else'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l auth -d 'who we are there: a line USER:PASSWORD' -r -F
complete -c ktally -n '__fish_seen_subcommand_from ship' -l events -s e -d 'rows of exit, exec and task (figures of the living, every --sample); default: exit' -x -a 'exit exec task'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l sample -d 'with -e task: look at the living so often; default: 60s' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l columns -s c -d 'these columns beside the key; default: all, for influx a few' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from ship' -l args -d 'with command lines, which may hold secrets; names of programs and users are always there'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l every -d 'send what there is so often; default: 5s' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l rows -d 'or when there are so many rows; default: 10000' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l spool -d 'where rows wait for the server; default: /var/lib/ktally/ship, and memory for recordings that can be read again' -r -F
complete -c ktally -n '__fish_seen_subcommand_from ship' -l spool-size -d 'bound of the spool, beyond which the oldest rows go; default: 256' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l follow -d 'go on with what a recorder finishes in the folders that are named, and remember what was taken'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l timeout -d 'how long the server may take to answer; default: 30s' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l duration -s D -d 'end after TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l strict -d 'exit with 6 when rows or records are missing'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from ship' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from ship' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n __fish_use_subcommand -f -a boot -d 'where the time of a boot went'
complete -c ktally -n '__fish_seen_subcommand_from boot' -a 'time blame chain plot diff enable disable save'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a boot
complete -c ktally -n '__fish_seen_subcommand_from boot' -l end -s e -d 'where the boot is over: a mark, a unit or a program, or mark:X unit:X process:X exit:X, saved, last (default: the default target, else the last mark, else when it was saved)' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l least -d 'leave out what is shorter; gaps: 50ms' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l every -d 'time: a row per slice of this length, with CPU, waiting and disk' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l gaps -d 'time: the stretches in which nothing happened'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l units -d 'blame: systemd\'s units instead of commands'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l by -s b -d 'blame: a row per command, put together as in ktally commands: script, program, basename, path, command, comm or user' -x -a 'script program basename path command comm user'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l fold -s f -d 'blame --by: also what differs in numbers (N) and temporary names (*) alone'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l all -s a -d 'blame: what was still running at the end as well'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l threshold -d 'diff: exit with 1 when the boot took longer by more than this (5%)' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l once -d 'enable, save: undo it when one boot has been saved'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l root -d 'enable, disable: in the system below DIR' -r -F
complete -c ktally -n '__fish_seen_subcommand_from boot' -l parameter -s P -d 'enable: a parameter of the module, such as boot_kb=32768' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l redact -d 'before anything is written, overwrite what stands behind NAME= or NAME:, or is the word after an option NAME, in all arguments; NAME may be a pattern: \'*pass*\'' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l input -s i -d 'read this recording, or the recordings of this folder (default: ktally.ktl); - is standard input; FILE as a plain word too' -r -F
complete -c ktally -n '__fish_seen_subcommand_from boot' -l live -d 'ask the module about the processes that live now, instead of a file'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l since-birth -d 'of processes older than the recording all they used, not only what they used while recording; with --live always'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from boot' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from boot' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from boot' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from boot' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from boot' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a tree -d 'who started whom'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a tree
complete -c ktally -n '__fish_seen_subcommand_from tree' -l input -s i -d 'read this recording, or the recordings of this folder (default: ktally.ktl); - is standard input; FILE as a plain word too' -r -F
complete -c ktally -n '__fish_seen_subcommand_from tree' -l live -d 'ask the module about the processes that live now, instead of a file'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l since-birth -d 'of processes older than the recording all they used, not only what they used while recording; with --live always'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from tree' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from tree' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from tree' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from tree' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from tree' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a diff -d 'two recordings compared; exit 1 if something became slower'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a diff
complete -c ktally -n '__fish_seen_subcommand_from diff' -l threshold -s t -d 'a median that moved by no more than this is the same (5%)' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l metric -s m -d 'compare time (how long runs took), self (with no child running), cpu, or peak (memory)' -x -a 'time self cpu peak'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l test -d 'rank: differences that may be chance are no verdict; none: the threshold alone decides' -x -a 'rank none'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l by -s b -d 'commands are those of one script (its name behind an interpreter, else program), program, basename (of the first argument), path, command (all arguments), comm or user' -x -a 'script program basename path command comm user'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l fold -s f -d 'put together what differs in numbers (N) and temporary names (*) alone'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l forks -d 'also processes that executed nothing, as their parent\'s command'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l name -s n -d 'processes of this name: exact, a pattern (cc*), or /regex/; as a plain word too' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l pid -s p -d 'these processes; one that is not there is an error' -x -a '(__fish_complete_pids)'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l tree -d 'also everything they started, directly or not'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l user -s u -d 'of this user, by name or number' -x -a '(__fish_complete_users)'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l cgroup -s G -d 'in this control group or below it' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l netns -d 'in the network namespace with this inode number' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l since -d 'from TIME on: after the beginning (2.5, 3m), before the end (-10), or a clock (14:05:30, the last one there was; Z behind it: UTC); costs are those of this time' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l until -d 'up to TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l min-duration -d 'that lived at least so long' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l failed -d 'that ended with a status other than 0'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l all -s a -d 'also kernel threads, and processes outside the tree that was recorded'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from diff' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from diff' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from diff' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from diff' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from diff' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a dump -d 'every record, as libtraceevent prints it'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a dump
complete -c ktally -n '__fish_seen_subcommand_from dump' -l events -s e -d 'only records of these kinds (default: all but format, the descriptions)' -x -a 'info fork exec args exit thread_exit task mark cgroup walk_begin walk_end end format'
complete -c ktally -n '__fish_seen_subcommand_from dump' -l limit -s l -d 'at most N records; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from dump' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from dump' -l input -s i -d 'read this recording, or the recordings of this folder (default: ktally.ktl); - is standard input; FILE as a plain word too' -r -F
complete -c ktally -n '__fish_seen_subcommand_from dump' -l live -d 'ask the module about the processes that live now, instead of a file'
complete -c ktally -n '__fish_seen_subcommand_from dump' -l since-birth -d 'of processes older than the recording all they used, not only what they used while recording; with --live always'
complete -c ktally -n __fish_use_subcommand -f -a totals -d 'what all processes cost since load, as the kernel sums it up'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a totals
complete -c ktally -n '__fish_seen_subcommand_from totals' -l by -s b -d 'a row per program, user, cgroup, or all three (each); default: program' -x -a 'program user cgroup each'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l add -d 'add the sums of earlier loads that FILE has' -r -F
complete -c ktally -n '__fish_seen_subcommand_from totals' -l save -d 'keep the sums in FILE for later loads; what it has of earlier ones stays' -r -F
complete -c ktally -n '__fish_seen_subcommand_from totals' -l reset -d 'let the kernel begin anew, after showing and saving; root only'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l quiet -s q -d 'show nothing'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from totals' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from totals' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from totals' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from totals' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from totals' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a mark -d 'a named point in the recordings under way'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a mark
complete -c ktally -n __fish_use_subcommand -f -a status -d 'state of the module and its sessions'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a status
complete -c ktally -n '__fish_seen_subcommand_from status' -l devices -d 'network devices instead of sessions: what the hooks saw on each since the module was loaded, and whether it adds up'
complete -c ktally -n '__fish_seen_subcommand_from status' -l cost -d 'how long each hook of the module takes, timed until Ctrl-C or --duration; root only'
complete -c ktally -n '__fish_seen_subcommand_from status' -l duration -s D -d 'with --cost: end after TIME' -x
complete -c ktally -n '__fish_seen_subcommand_from status' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from status' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from status' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from status' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from status' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from status' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from status' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from status' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from status' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from status' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from status' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from status' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from status' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from status' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from status' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from status' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from status' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from status' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from status' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from status' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a doctor -d 'what is missing here and how to get it'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a doctor
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from doctor' -l strict -d 'exit with 6 when records are missing'
complete -c ktally -n __fish_use_subcommand -f -a load -d 'load the module'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a load
complete -c ktally -n __fish_use_subcommand -f -a unload -d 'unload the module'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a unload
complete -c ktally -n __fish_use_subcommand -f -a schema -d 'the list of columns: name, unit, how they add up'
complete -c ktally -n '__fish_seen_subcommand_from help' -f -a schema
complete -c ktally -n '__fish_seen_subcommand_from schema' -l columns -s c -d 'these columns: a,b; or the usual ones with +c and without -d; help lists all' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from schema' -l sort -s s -d 'in order of this column, smallest first; -COLUMN: largest first' -x -a "$__ktally_columns"
complete -c ktally -n '__fish_seen_subcommand_from schema' -l limit -s l -d 'at most N rows; 0: all' -x
complete -c ktally -n '__fish_seen_subcommand_from schema' -l csv -d 'comma-separated values: all columns, times in ns, sizes in bytes'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l json -d 'one JSON document'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l jsonl -d 'one JSON object per line'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l raw -d 'columns divided by one blank, with none inside'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l output -s o -d 'write to FILE instead of standard output' -r -F
complete -c ktally -n '__fish_seen_subcommand_from schema' -l no-header -d 'without the line of headings'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l wide -s w -d 'do not cut the last column to the terminal\'s width'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l human -d 'units (1.2 ms, 3.4M) in pipes too; on a terminal they are usual'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l ns -d 'times as whole nanoseconds'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l bytes -d 'sizes as whole bytes'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l normalize -s I -d 'divide percentages by the number of CPUs; else 100 is one CPU'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l time -d 'points in time since the first record (rel), since boot (boot), or by the clock (wall)' -x -a 'rel boot wall'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l utc -d 'with --time wall: UTC instead of local time'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l csv-safe -d 'with --csv: put \' before text that a spreadsheet would compute'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l color -d 'colour: auto, always, never; NO_COLOR is heeded' -x -a 'auto always never'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l no-pager -d 'write straight to the terminal'
complete -c ktally -n '__fish_seen_subcommand_from schema' -l strict -d 'exit with 6 when records are missing'
