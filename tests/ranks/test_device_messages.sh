#!/usr/bin/env bash
# What ranks with devices exchange: in memory of the devices, which MPI is given, and in that of the
# machine. Programs save the same either way, also where some ranks have no device.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1 KATA_SHIM_OPEN=1 KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1
# Shapes that are tried would be waited for.
export KATA_RANKS="small every=2" KATA_DEVICE_SHAPE="x=32 y=4 z=1"
kata=$KATA_BUILD/kata
failures=0
fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Values from one side alone: the last ranks send nothing. And of all sides, in three dimensions.
cat >flow.kata <<'END'
kernel begin(out double u) { u = ix + 0.125*iy; }
kernel begin_two(out float a[2]) { a[0] = ix + iy*iz; a[1] = iy - 2*iz; }
kernel upwind(in double u, out double v) { v = 0.5*u + 0.5*u[0,-1]; }
kernel around(in float a[2], out float b[2])
{
    b[0] = 0.3f*a[0] + 0.2f*a[1][1,-2,0] + 0.5f*a[0][0,1,1];
    b[1] = 0.5f*a[1] + 0.25f*a[0][0,0,-1] + 0.25f*a[1][0,2,1];
}
END
upwind=(apply ../flow.kata upwind --steps 30 --boundary constant:1 u=../u.npy v=v.npy)
around=(apply ../flow.kata around --steps 9 --boundary periodic a=../a.vtkhdf b=b.vtkhdf)
clover=(run cloverleaf --cells 48 --steps 5 --quiet)

start() # folder command...
{
    local folder=$1
    shift
    mkdir -p "$folder"
    (cd "$folder" && timeout -k 5 200 "$@" >out 2>err </dev/null) || { fail "$folder: $*" && cat "$folder/err"; }
}
compare() # folder name
{
    for file in "$2"/*.{npy,png,vtkhdf}; do
        if [ -e "$file" ]; then cmp "$file" "$1/${file##*/}" || fail "$1: ${file##*/} differs"; fi
    done
}
# How many messages lay in memory of a device, or of the machine, on the first rank.
count() { sed -n "s/^#   messages of ranks: \([0-9]*\) in memory of the device, \([0-9]*\) in this .*/\\$2/p" "$1/err"; }

"$kata" apply flow.kata begin --size 24x40 u=u.npy
"$kata" apply flow.kata begin_two --size 12x24x20 a=a.vtkhdf
for run in upwind2 upwind3 around2 around4 clover3; do
    name=${run%?} n=${run: -1}
    declare -n arguments=$name
    start "$name" "$kata" "${arguments[@]}"
    for way in on off; do
        KATA_DEVICE_MPI=$way start "$run$way" mpirun -n "$n" "$kata" "${arguments[@]}" --device cuda
        compare "$run$way" "$name"
    done
    [ "$(count "${run}on" 1)" -gt 3 ] || fail "$name: few messages lie on the device of $n ranks"
    [ "$(count "${run}off" 1)" = 0 ] || fail "$name: messages lie on devices, though that is off"
    [ "$(count "${run}off" 2)" -gt 3 ] || fail "$name: few messages on $n ranks"
done

# Ranks with a device beside ranks without one, and one whose device has little memory.
for first in none cuda; do
    other=$([ $first = none ] && echo cuda || echo none)
    KATA_DEVICE_MPI=on start "beside$first" mpirun -n 1 env KATA_DEVICE=$first "$kata" "${around[@]}" : \
        -n 2 env KATA_DEVICE=$other "$kata" "${around[@]}"
    compare "beside$first" around
done
KATA_DEVICE_MPI=on KATA_DEVICE_MEMORY=100k start little mpirun -n 3 "$kata" "${around[@]}" --device cuda
compare little around

# Why, and what cannot be.
start unasked mpirun -n 2 "$kata" "${upwind[@]}" --device cuda
grep -q "messages of ranks: .*: the MPI library " unasked/err || fail "it is not said what the MPI library says"
grep -q "messages of ranks: .*: KATA_DEVICE_MPI is 'off'" upwind2off/err || fail "it is not said that it is off"
if KATA_DEVICE_MPI=yes "$kata" run heat --size 32 --device cuda >out 2>err; then fail "KATA_DEVICE_MPI=yes"; fi
grep -q "the environment variable KATA_DEVICE_MPI is 'yes', not on or off" err || fail "no word about yes"
if "$kata" run heat --size 32 --device opencl >out 2>err; then
    if KATA_DEVICE_MPI=on "$kata" run heat --size 32 --device opencl >out 2>err; then fail "on, by OpenCL"; fi
    grep -q "KATA_DEVICE_MPI is 'on', which is for devices by CUDA" err || fail "no word about OpenCL"
fi
[ $failures -eq 0 ]
