#!/usr/bin/env bash
# Applications on a device whose memory is too small for their fields give the values that they give
# on the CPU, and stay within the limit. The device is PoCL's; without it there is nothing to test.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Clocks, rates and names of machines differ from run to run.
values() # file
{
    sed -E '/second|rate| s$|GB|million|measured/d' "$1"
}

# Complains unless an application prints the same, and has streamed chains within the limit.
expect_same() # bytes argument...
{
    local limit=$1
    shift
    expect 0 run "$@"
    values out >cpu
    rm -f explained
    KATA_DEVICE=opencl KATA_DEVICE_MEMORY=$limit KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 \
        KATA_EXPLAIN_FILE=explained expect 0 run "$@"
    values out >device
    if ! diff cpu device; then fail "kata run $* differs on a device of $limit bytes (>)"; fi
    if ! grep -q "chains streamed" explained; then fail "kata run $* has streamed nothing"; fi
    if ! awk -v limit="$limit" '
        /MB at most/ { seen = 1; if ($(NF - 3) * 1e6 > limit * 1.01) over = 1 }
        END { exit !seen || over }' explained; then
        fail "kata run $* has taken more than $limit bytes"
        grep "at most" explained
    fi
}

if ! KATA_DEVICE=opencl "$kata" run heat --size 32 --time 0.001 --quiet >out 2>err &&
    grep -q 'device "opencl" cannot be used' err; then
    echo "nothing is tested: $(cat err)"
    exit 0
fi

expect_same 70000 heat --size 64 --time 0.01
expect_same 400000 heat --dimensions 3 --size 32 --time 0.01
expect_same 600000 cloverleaf --cells 64 --steps 5
expect_same 400000 weather --nx 32 --ny 32 --nz 24 --steps 6
expect_same 1000000 vortex --size 16 --until 0.2
expect_same 500000 cavity --re 1 --size 32 --tolerance 0.1
expect_same 500000 blur --width 256 --height 192 --no-check

finish
