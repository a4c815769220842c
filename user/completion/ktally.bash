# bash completion for ktally; made by: ktally help bash

_ktally()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} opts= verbs= i
	local columns="pid ppid uid user gid start_ns end_ns life_ns cpu_ns cpu_user_ns cpu_sys_ns run_delay_ns rss_bytes peak_rss_bytes vm_bytes peak_vm_bytes swap_bytes maxrss_bytes minflt majflt nvcsw nivcsw read_bytes write_bytes cancelled_write_bytes rchar_bytes wchar_bytes read_calls write_calls rx_packets rx_wire_bytes tx_packets tx_wire_bytes loop_rx_packets loop_rx_wire_bytes loop_tx_packets loop_tx_wire_bytes virt_rx_packets virt_rx_wire_bytes virt_tx_packets virt_tx_wire_bytes tcp_rx_bytes tcp_tx_bytes udp_rx_bytes udp_tx_bytes rx_dropped status exit_code exit_signal core_dumped failed state comm program exe filename argv cgroup cgroup_id unit container netns pidns nspid sid pgrp image execs count threads threads_ended kthread partial flags argc argv_bytes argv_cut parent_start_ns rx_device_bytes tx_device_bytes loop_rx_device_bytes loop_tx_device_bytes virt_rx_device_bytes virt_tx_device_bytes rx_payload_bytes tx_payload_bytes"

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			COMPREPLY=($(compgen -c -- "$cur"))
			return
		fi
	done
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "record report run stat top events measure commands import export metrics ship boot tree diff dump totals mark status doctor load unload schema help --help --version" -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
	help)
		COMPREPLY=($(compgen -W "record report run stat top events measure commands import export metrics ship boot tree diff dump totals mark status doctor load unload schema" -- "$cur"))
		return
		;;
	record)
		case $prev in
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--duration|-D) return ;;
		--timeout) return ;;
		--rotate) return ;;
		--rotate-after) return ;;
		--keep) return ;;
		--sample) return ;;
		--trigger) return ;;
		--redact) return ;;
		--compress) return ;;
		--buffer) return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		esac
		opts="--help --quiet --output --force --duration --timeout --rotate --rotate-after --keep --sample --daemon --flight --trigger --boot --exits --redact --compress --buffer --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all"
		;;
	report)
		case $prev in
		--by|-b) COMPREPLY=($(compgen -W "process program command user cgroup unit container netns parent all" -- "$cur")); return ;;
		--input|-i) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --by --devices --input --live --since-birth --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	run)
		case $prev in
		--by|-b) COMPREPLY=($(compgen -W "process program command user" -- "$cur")); return ;;
		--timeout) return ;;
		--buffer) return ;;
		--depth) return ;;
		--gaps) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --by --timeout --buffer --steps --depth --gaps --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	stat)
		case $prev in
		--by|-b) COMPREPLY=($(compgen -W "process program command user cgroup unit container netns parent" -- "$cur")); return ;;
		--network) return ;;
		--style) COMPREPLY=($(compgen -W "pp" -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --by --network --since-load --since-birth --no-wait --style --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	top)
		case $prev in
		--sort|-o) COMPREPLY=($(compgen -W "pid user state cpu time rss peak tx rx read write age command" -- "$cur")); return ;;
		--by) COMPREPLY=($(compgen -W "program command user cgroup unit container netns parent" -- "$cur")); return ;;
		--net) COMPREPLY=($(compgen -W "physical loopback virtual" -- "$cur")); return ;;
		--limit) return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		esac
		opts="--help --quiet --batch --sort --forest --groups --by --per-machine --io --net --limit --color --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all"
		;;
	events)
		case $prev in
		--events|-e) COMPREPLY=($(compgen -W "fork exec exit" -- "$cur")); return ;;
		--count) return ;;
		--duration|-D) return ;;
		--delay) return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --events --count --duration --delay --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	measure)
		case $prev in
		--runs|-r) return ;;
		--for) return ;;
		--warm-up|-w) return ;;
		--scan) return ;;
		--prepare) return ;;
		--conclude) return ;;
		--pictures) return ;;
		--seed) return ;;
		--buffer) return ;;
		--role) return ;;
		--preset) COMPREPLY=($(compgen -W "quick broker" -- "$cur")); return ;;
		--workers) return ;;
		--worker) COMPREPLY=($(compgen -W "runs numbers marks" -- "$cur")); return ;;
		--unit) COMPREPLY=($(compgen -W "none ns us ms s bytes count" -- "$cur")); return ;;
		--start-server) return ;;
		--ready) return ;;
		--samples) return ;;
		--every) return ;;
		--solo) return ;;
		--shared) return ;;
		--repeats) return ;;
		--method) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--command) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --runs --for --warm-up --compare --scan --prepare --conclude --each --pictures --show-output --seed --buffer --role --preset --workers --worker --unit --start-server --ready --samples --every --together --solo --shared --repeats --method --command --plan --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		((COMP_CWORD == 2)) && verbs="show compare"
		;;
	commands)
		case $prev in
		--by|-b) COMPREPLY=($(compgen -W "script program basename path command comm user" -- "$cur")); return ;;
		--depth) return ;;
		--gaps) return ;;
		--scores) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--input|-i) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --by --fold --forks --runs --steps --depth --gaps --scores --input --live --since-birth --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	import)
		case $prev in
		--from) COMPREPLY=($(compgen -W "ash-scores" -- "$cur")); return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		opts="--help --quiet --from --output --force"
		;;
	export)
		case $prev in
		--to) COMPREPLY=($(compgen -W "folded chrome sqlite trace.dat ctf perfetto csv jsonl openmetrics" -- "$cur")); return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--weight) COMPREPLY=($(compgen -W "time cpu bytes" -- "$cur")); return ;;
		--by|-b) COMPREPLY=($(compgen -W "program user cgroup unit container" -- "$cur")); return ;;
		--step) return ;;
		--groups) return ;;
		--duration|-D) return ;;
		--input|-i) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		esac
		opts="--help --quiet --to --output --weight --by --step --groups --args --stream --duration --strict --input --live --since-birth --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all"
		;;
	metrics)
		case $prev in
		--by|-b) COMPREPLY=($(compgen -W "program user cgroup unit container" -- "$cur")); return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--every) return ;;
		--listen) return ;;
		--groups) return ;;
		--names) COMPREPLY=($(compgen -W "ktally process-exporter" -- "$cur")); return ;;
		esac
		opts="--help --quiet --by --output --every --listen --groups --names"
		;;
	ship)
		case $prev in
		--to) return ;;
		--format) COMPREPLY=($(compgen -W "clickhouse influx" -- "$cur")); return ;;
		--table) return ;;
		--auth) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--events|-e) COMPREPLY=($(compgen -W "exit exec task" -- "$cur")); return ;;
		--sample) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--every) return ;;
		--rows) return ;;
		--spool) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--spool-size) return ;;
		--timeout) return ;;
		--duration|-D) return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		esac
		opts="--help --quiet --to --format --table --print-table --auth --events --sample --columns --args --every --rows --spool --spool-size --follow --timeout --duration --strict --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all"
		;;
	boot)
		case $prev in
		--end|-e) return ;;
		--least) return ;;
		--every) return ;;
		--by|-b) COMPREPLY=($(compgen -W "script program basename path command comm user" -- "$cur")); return ;;
		--threshold) return ;;
		--root) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--parameter|-P) return ;;
		--redact) return ;;
		--input|-i) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --end --least --every --gaps --units --by --fold --all --threshold --once --root --parameter --redact --input --live --since-birth --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		((COMP_CWORD == 2)) && verbs="time blame chain plot diff enable disable save"
		;;
	tree)
		case $prev in
		--input|-i) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --input --live --since-birth --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	diff)
		case $prev in
		--threshold|-t) return ;;
		--metric|-m) COMPREPLY=($(compgen -W "time self cpu peak" -- "$cur")); return ;;
		--test) COMPREPLY=($(compgen -W "rank none" -- "$cur")); return ;;
		--by|-b) COMPREPLY=($(compgen -W "script program basename path command comm user" -- "$cur")); return ;;
		--name|-n) return ;;
		--pid|-p) COMPREPLY=($(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur")); return ;;
		--user|-u) COMPREPLY=($(compgen -u -- "$cur")); return ;;
		--cgroup|-G) return ;;
		--netns) return ;;
		--since) return ;;
		--until) return ;;
		--min-duration) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --threshold --metric --test --by --fold --forks --name --pid --tree --user --cgroup --netns --since --until --min-duration --failed --all --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	dump)
		case $prev in
		--events|-e) COMPREPLY=($(compgen -W "info fork exec args exit thread_exit task mark cgroup walk_begin walk_end end format" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--input|-i) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		opts="--help --quiet --events --limit --output --input --live --since-birth"
		;;
	totals)
		case $prev in
		--by|-b) COMPREPLY=($(compgen -W "program user cgroup each" -- "$cur")); return ;;
		--add) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--save) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --by --add --save --reset --quiet --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	mark)
		case $prev in
		esac
		opts="--help --quiet"
		;;
	status)
		case $prev in
		--duration|-D) return ;;
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --devices --cost --duration --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	doctor)
		case $prev in
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	load)
		case $prev in
		esac
		opts="--help --quiet"
		;;
	unload)
		case $prev in
		esac
		opts="--help --quiet"
		;;
	schema)
		case $prev in
		--columns|-c) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--sort|-s) COMPREPLY=($(compgen -W "$columns" -- "$cur")); return ;;
		--limit|-l) return ;;
		--output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--time) COMPREPLY=($(compgen -W "rel boot wall" -- "$cur")); return ;;
		--color) COMPREPLY=($(compgen -W "auto always never" -- "$cur")); return ;;
		esac
		opts="--help --quiet --columns --sort --limit --csv --json --jsonl --raw --output --no-header --wide --human --ns --bytes --normalize --time --utc --csv-safe --color --no-pager --strict"
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$opts" -- "$cur"))
	else
		COMPREPLY=($(compgen -W "$verbs" -- "$cur") $(compgen -f -- "$cur"))
	fi
}

complete -o filenames -F _ktally ktally
