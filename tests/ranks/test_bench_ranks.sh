#!/usr/bin/env bash
# What ranks send is what their plans predict, as bench_ranks counts it: sections of four steps send
# a fourth of the messages, and the same bytes. Asserts no times.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

bench=$KATA_BUILD/bench/bench_ranks
if [ ! -e "$bench" ]; then exit 77; fi

timeout -k 5 200 "$bench" --quick exchanges >out 2>err </dev/null ||
    { fail "exchanges are not as planned" && cat out err; }
# program, side, depth, messages and bytes per step, as planned
awk '/\^/ {print $1, $2, $3, $4, $5, $6}' out >sent
cat >expected <<'END'
square 512^2 1 1.000 4096 yes
square 2048^2 1 1.000 16384 yes
square 2048^2 4 0.250 16384 yes
square 2048^2 16 0.062 16384 yes
cube 64^3 1 1.000 32768 yes
END
diff expected sent || fail "other messages than expected"

# Steps by turns, of both kinds of process.
timeout -k 5 200 "$bench" --quick scaling cube 64 >out 2>err </dev/null ||
    { fail "two ranks beside two threads" && cat out err; }
grep -Eq '^cube +64\^3 +[0-9.]+ +[0-9.]+ +[0-9.]+$' out || { fail "no line for 64^3" && cat out; }

if "$bench" scaling sphere >out 2>err; then fail "an unknown program"; fi
expect_in err "no such program"
if "$bench" exchange >out 2>err; then fail "an unknown word"; fi
expect_in err "usage: bench_ranks"
finish
