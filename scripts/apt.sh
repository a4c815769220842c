# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# apt.sh - apt for a suite that is not this machine's: own lists and cache
# under build/ (KTALLY_CACHE), mirrors taken from this machine's own sources. After
# lib.sh; sourced, never run.

ARCH=${ARCH:-$(dpkg --print-architecture)}
APT_DIR=$CACHE/apt

base_of() { echo "${1%-backports}"; }

# mirror RELEASE: the address from which this machine itself gets RELEASE.
mirror()
{
	# shellcheck disable=SC2016 # apt expands these itself
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
		awk -v r="$1" '$2 == r { print $1; exit }'
}

keyring()
{
	local k
	for k in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ -e "$k" ] && { echo "$k"; return; }
	done
	die 2 "no Debian archive keys here; type: apt-get install debian-archive-keyring"
}

# MAIN_ONLY=1 leaves security's out: a mirror may have it of some architectures only.
sources_for() # SUITE
{
	local suite=$1 base own main security key
	base=$(base_of "$suite")
	own=$(own_suite)
	main=$(mirror "$own")
	security=$(mirror "$own-security")
	key=$(keyring)
	[ -n "$main" ] || die 4 "apt has no source for $own; is this Debian 12 or 13?"
	echo "deb [signed-by=$key] $main $base main"
	[ "$suite" = "$base" ] || echo "deb [signed-by=$key] $main $suite main"
	case $base in
	forky | sid) ;;	# security updates go straight into these
	*) [ -z "$security" ] || [ -n "${MAIN_ONLY:-}" ] || echo "deb [signed-by=$key] $security $base-security main" ;;
	esac
}

suite_apt() # SUITE get|cache ARG...
{
	local suite=$1 tool=$2 dir=$APT_DIR/$1-$ARCH release=()
	shift 2
	# Only backports need a push; elsewhere it would hide security updates.
	[ "$suite" = "$(base_of "$suite")" ] || release=(-o APT::Default-Release="$suite")
	apt-"$tool" -o Dir::Etc::sourcelist="$dir/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State::lists="$dir/lists" -o Dir::State::status="$dir/status" \
		-o Dir::Cache="$dir/cache" -o APT::Architecture="$ARCH" -o APT::Architectures="$ARCH" \
		"${release[@]}" -o Acquire::Check-Valid-Until=false \
		-o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 \
		-o APT::Update::Post-Invoke-Success::= -o APT::Update::Error-Mode=any "$@"
}

update_lists() # SUITE
{
	local dir=$APT_DIR/$1-$ARCH
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	sources_for "$1" >"$dir/sources.list"
	suite_apt "$1" get -qq update >"$dir/update.log" 2>&1 ||
		die 4 "$1: not served by this machine's mirror (see ${dir#"$ROOT"/}/update.log); skipped"
}

# depends_of SUITE PACKAGE...: they and all that they need, by name
depends_of()
{
	suite_apt "$1" cache depends --recurse --no-recommends --no-suggests --no-enhances --no-conflicts \
		--no-breaks --no-replaces "${@:2}" | grep -E '^[a-z0-9]' | sort -u
}

# What apt must know here to reach its mirrors, for a new root's apt.
own_apt_options()
{
	apt-config dump | grep -E '^Acquire::https?::[Pp]roxy' || true
	echo 'Acquire::Check-Valid-Until "false";'
}

# not_served LOG: what a mirror has no more, though its lists may name it: the files it
# answers 404 for, else what apt found in no list. Fails if it was something else.
not_served()
{
	sed -n 's/^E: Failed to fetch \([^ ]*\)  *404 .*/\1/p; s/^E: \(Unable to locate package .*\)/\1/p;
		s/^E: \(Package .* has no installation candidate\)$/\1/p' "$1" | grep .
}

# bootstrap SUITE DIR MMDEBSTRAP-OPTION...: a root file system in DIR. Ends with 4 where
# the suite or a package of it is not served.
bootstrap()
{
	local suite=$1 dir=$2 gone
	shift 2
	need mmdebstrap
	[ -e "$APT_DIR/$suite-$ARCH/sources.list" ] || update_lists "$suite"
	as_root rm -rf "$dir"
	mkdir -p "${dir%/*}"
	own_apt_options >"$dir.apt.conf"
	# Not --quiet: that keeps apt's words out of the log.
	as_root mmdebstrap --mode=root --aptopt="$dir.apt.conf" \
		--keyring="$(keyring)" "$@" "$suite" "$dir" \
		"$APT_DIR/$suite-$ARCH/sources.list" >"$dir.log" 2>&1 && return
	gone=$(not_served "$dir.log") ||
		die 1 "$suite: mmdebstrap failed; see ${dir#"$ROOT"/}.log"
	die 4 "$suite: not served: ${gone//$'\n'/, }"
}
