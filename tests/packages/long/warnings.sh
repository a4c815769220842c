# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Neither the compiler with W=1 nor sparse has a word to say of the module, on the kernel
# of any suite.
# shellcheck source=tests/packages/lib.sh
. "$(dirname "$0")/../lib.sh"

have sparse || skip 'sparse: not installed; type: scripts/deps tests'

# check_of SUITE: make's words for sparse. Headers from 7.2 on lack the script that would
# tell whether it is there; 7.3's need one that is newer than trixie's.
check_of() { [ "$1" = trixie-backports ] || echo C=1 KBUILD_CHECKSRC=1; }

# compile SUITE: sets sources and checked, their numbers
compile()
{
	local stage log status=0
	stage=$BUILD/module/$1
	log=$stage/build.log
	rm -rf "$stage"
	# shellcheck disable=SC2046 # a word each
	"$ROOT/scripts/kernels" module "$1" W=1 $(check_of "$1") >"$scratch/said" 2>&1 || status=$?
	[ $status != 4 ] || return 4
	[ $status = 0 ] || fail "$1: $(tail -n 20 "$scratch/said")"
	sources=$(grep -c '  CC \[M\] .*kmod/' "$log")
	checked=$(grep -c '  CHECK .*kmod/' "$log" || true)
	! grep -A3 -E '(^|/)(kmod|include/uapi)/[^ :]*\.[ch]:.*(warning|error):' "$log" || fail "$1: see above"
}

done=''
for suite in $("$ROOT/scripts/kernels" list | grep -vE -e '-(rt|generic)$'); do
	compile "$suite" || { [ $? = 4 ] && continue; fail "$suite: no module"; }
	[ "$sources" -gt 20 ] || fail "$suite: $sources sources compiled"
	[ -z "$(check_of "$suite")" ] || same "$suite: sources checked" "$sources" "$checked"
	done+=" $suite"
done
[ -n "$done" ] || skip 'no suite is served'
echo "clean:$done"
