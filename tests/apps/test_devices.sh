#!/usr/bin/env bash
# Applications on a device give the values that they give on the CPU; also where its memory is too
# small for their fields, and then they stay within the limit. The device is the CUDA shim; PoCL's runs
# some, where it is there.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Clocks, rates and names of machines differ from run to run.
values() # file
{
    sed -E '/second|rate| s$|GB|million|measured|DOF/d' "$1"
}

device=cuda

# Complains unless an application prints and draws the same on a device of so much memory.
expect_same() # exit code, bytes, argument...
{
    local code=$1 limit=$2
    shift 2
    rm -f explained ./*.png
    expect "$code" run "$@"
    values out >cpu
    local picture
    for picture in *.png; do [ ! -e "$picture" ] || mv "$picture" "$picture.cpu"; done
    KATA_DEVICE=$device KATA_DEVICE_MEMORY=$limit KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 \
        KATA_EXPLAIN_FILE=explained expect "$code" run "$@"
    values out >device
    if ! diff cpu device; then fail "kata run $* differs on a device of $limit bytes (>)"; fi
    for picture in *.png; do
        [ ! -e "$picture" ] || cmp "$picture" "$picture.cpu" || fail "kata run $* draws something else on a device"
    done
    rm -f ./*.cpu
    grep -q "on the device '" explained || fail "kata run $* has run nothing on the device"
}

# The same, and it has streamed chains within the limit.
expect_streamed() # bytes argument...
{
    local limit=$1
    shift
    expect_same 0 "$limit" "$@"
    if ! grep -q "chains streamed" explained; then fail "kata run $* has streamed nothing"; fi
    if ! awk -v limit="$limit" '
        /MB at most/ { seen = 1; if ($(NF - 3) * 1e6 > limit * 1.01) over = 1 }
        END { exit !seen || over }' explained; then
        fail "kata run $* has taken more than $limit bytes"
        grep "at most" explained
    fi
}

# Two processes with an empty cache need the same kernels at once: each text is compiled by one of them.
mkdir paths
echo 'kernel start(out double u) { u = ix*iy; }' >start.kata
cat >paths/g++ <<EOF
#!/bin/sh
case "\$*" in *-E*) echo compiled >>$PWD/compiled; sleep 0.3 ;; esac
exec $(command -v g++) "\$@"
EOF
chmod +x paths/g++
compiled_by() # processes
{
    local processes=() id
    rm -rf compiled cache
    for ((i = 0; i < $1; i++)); do
        PATH=$PWD/paths:$PATH KATA_CACHE_DIR=$PWD/cache KATA_DEVICE=cuda \
            "$kata" apply start.kata start u=u$i.npy --size 8x8 --quiet >out$i 2>&1 &
        processes+=($!)
    done
    for id in "${processes[@]}"; do wait "$id" || fail "$1 processes on one device: $(cat out*)"; done
    wc -l <compiled
}
one=$(compiled_by 1)
two=$(compiled_by 2)
[ "$one" = "$two" ] || fail "one process compiles $one texts for a device, two at once $two"
cmp u0.npy u1.npy || fail "two processes on one device differ"

expect_streamed 70000 heat --size 64 --time 0.01
expect_same 1 1G lattice --case cavity --size 8 --scheme aa --most-steps 10 --quiet
end_if_sanitized

expect_streamed 400000 heat --dimensions 3 --size 32 --time 0.01
expect_streamed 600000 cloverleaf --cells 64 --steps 3
expect_streamed 400000 weather --nx 32 --ny 32 --nz 24 --steps 6
expect_streamed 1000000 vortex --size 16 --until 0.1
expect_streamed 500000 cavity --re 1 --size 32 --tolerance 0.1
expect_streamed 500000 blur --width 256 --height 192 --no-check

for scheme in pull esoteric; do
    expect_same 1 1G lattice --case cavity --size 13 --scheme $scheme --most-steps 20 --quiet
done
expect_same 1 1G lattice --case cavity --size 13 --scheme aa --type f16 --collision mrt --most-steps 20 --quiet
expect_same 1 1G lattice --case spheres --size 8 --scheme aa --type f32 --most-steps 20 --quiet
expect_same 0 1G hpgmg 3 8 --solves 1

device=opencl
if KATA_DEVICE=opencl "$kata" run heat --size 32 --time 0.001 --quiet >out 2>err; then
    expect_same 0 1G heat --size 64 --time 0.01
    expect_streamed 400000 weather --nx 32 --ny 32 --nz 24 --steps 3
    if [ "${KATA_TEST_FULL:-0}" = 1 ]; then expect_streamed 600000 cloverleaf --cells 64 --steps 2; fi
    expect_same 1 1G lattice --case cavity --size 8 --scheme aa --most-steps 10 --quiet
elif grep -q 'device "opencl" cannot be used' err; then
    echo "nothing is tested on OpenCL: $(cat err)"
else
    fail "kata run heat on OpenCL: $(cat err)"
fi

finish
