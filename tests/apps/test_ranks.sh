#!/usr/bin/env bash
# Programs on several ranks: simulations print and write what they do on one, byte for byte; random
# programs give what the reference executor gives; ranks that do different things are told so. Also
# where ranks compute on a device, which is the CUDA shim.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

# Rates and times differ.
without_times() # file
{
    sed -i -E 's/[0-9.]+ (million|s\b|ms\b|MLUPS)//g' "$1"
}

# Kernels that another test compiles as well need not be compiled again.
cache_of() # test
{
    echo "$(dirname "$KATA_CACHE_DIR")/$1"
}

# Complains unless a simulation prints, writes and exits the same on one rank and on others: on so
# many, or, with a d behind the number, as many with devices.
expect_same() # "ranks..." application [options]
{
    local counts=$1 n
    shift
    for n in 1 $counts; do
        local code=0 on=none
        if [[ $n == *d ]]; then on=cuda; fi
        n=${n%d}
        KATA_DEVICE=$on on_ranks "$n" "$kata" run "$@" || code=$?
        echo "$code" >"ranks$n/code"
        mv "ranks$n/err" "err$n" # what mpirun says of an exit code
        without_times "ranks$n/out"
        if ! diff -r ranks1 "ranks$n"; then
            fail "kata run $* differs on $n ranks, device '$on'"
            cat "err$n"
        fi
    done
}

expect_same "3 2d" blur --width 128 --height 96
expect_same "2 3d" weather --nx 48 --ny 40 --steps 3
expect_same "3 4d" cloverleaf --cells 96 --steps 3 --quiet
expect_same "3 2d" cavity --re 100 --size 16 --tolerance 0.5 --quiet --data cavity.vtkhdf
expect_same "2d" lattice --case cavity --size 8 --scheme aa --most-steps 20 --quiet
expect_same "4" vortex --size 16 --until 0.25 --quiet
expect_same "7 3d" heat --size 64
KATA_RANKS='halves small' expect_same "7 3d" weather --nx 48 --ny 40 --steps 2
KATA_RANKS='morton small' expect_same "2 5d" weather --nx 48 --ny 40 --steps 2
KATA_RANKS='morton small' expect_same "3" vortex --size 16 --until 0.25 --quiet
KATA_RANKS='morton small' expect_same "5" lattice --case cavity --size 8 --scheme aa --most-steps 20 --quiet

for limit in "3 1" "4 7" "2 13 4k"; do # ranks, the first program, and the memory of each rank
    read -r n seed memory <<<"$limit"
    if ! KATA_CACHE_DIR=$(cache_of random) KATA_MEMORY=$memory on_ranks "$n" "$KATA_BUILD/tests/test_random" \
        --ranks --count 5 --seed "$seed"; then
        fail "random programs differ on $n ranks, memory '$memory'"
        cat "ranks$n/out"
    fi
done

if ! KATA_CACHE_DIR=$(cache_of random) KATA_MEMORY=64k on_ranks 2 "$KATA_BUILD/tests/test_random" --ranks \
    --watched --count 8 --seed 121; then
    fail "programs that look for NaN report something else on 2 ranks"
    cat ranks2/out
fi

for limit in "3 22 400000" "4 23"; do # with devices of that much memory
    read -r n seed memory <<<"$limit"
    if ! KATA_CACHE_DIR=$(cache_of random_cuda) KATA_DEVICE_MEMORY=$memory on_ranks "$n" \
        "$KATA_BUILD/tests/test_random" --ranks --device cuda --count 6 --seed "$seed"; then
        fail "random programs differ on $n ranks with devices, memory '$memory'"
        cat "ranks$n/out"
    fi
done

if ! KATA_CACHE_DIR=$(cache_of random) on_ranks 3 "$KATA_BUILD/tests/test_random" --ranks --resumed \
    --count 6 --seed 31; then
    fail "random programs do not go on from checkpoints on 3 ranks"
    cat ranks3/out
fi

# Parts of fields that do not fit a rank's limit stream.
KATA_MEMORY=400k KATA_TUNE=$PWD/tuned on_ranks 2 "$kata" run heat --quiet --time 0.0005 || fail "no limit on ranks"
expect_in tuned "chains streamed"
if grep -q " 0 chains streamed" tuned; then fail "nothing streams on ranks"; fi

# A field of which one rank has other values, and a chain with another number.
cat >disagree.kata <<'END'
kernel scale(in double u, out double v, double c) { v = c*u; }
END
python3 - <<'END' || fail "no input"
import struct
header = "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 8), }"
header += " " * (63 - (len(header) + 10) % 64) + "\n"
with open("u.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    f.write(struct.pack("<64d", *range(64)))
END
# Complains unless two different commands end as one program, with an error.
expect_refused() # mpirun's arguments...
{
    local code=0
    timeout 200 mpirun "$@" >out 2>err </dev/null || code=$?
    if [ "$code" -eq 0 ] || [ "$code" -eq 124 ]; then fail "mpirun $* exits with $code"; fi
}
run=("$kata" apply disagree.kata scale u=u.npy v=v.npy)
expect_refused -n 1 "${run[@]}" c=2 : -n 1 "${run[@]}" c=3
expect_in err "ranks disagree: rank 0 and rank 1 both run a chain of 1 loops"
expect_refused -n 1 "${run[@]}" c=2 : -n 1 env KATA_CC=/bin/false KATA_CACHE_DIR="$PWD/other" "${run[@]}" c=2
expect_in err "error: rank 1: the C compiler failed: /bin/false"

# Where checks fail, all ranks give the message of one: of the first point of the first loop. In
# "grow", values of the second rank fail at step 3, of the first one at step 4 or, faster, at 2.
cat >check.kata <<'END'
kernel check(in double u, out double v, const int first, const int last, sum double s) {
    v = u[0,1] + u[0,-1];
    assert(iy*8 + ix < first || iy*8 + ix > last);
    s += u;
}
kernel grow(in double u, out double v, double fast, sum double s) {
    assert(u[0,1] < 66);
    v = iy < 4 ? u + fast : u + 1;
    s += v;
}
END
expect_checked() # arguments...
{
    for n in 1 3 2d; do # d: on devices
        local on=none
        if [[ $n == *d ]]; then on=cuda; fi
        if KATA_DEVICE=$on on_ranks "${n%d}" "$kata" apply ../check.kata "$@" u=../u.npy v=v.npy --boundary clamp; then
            fail "kata apply $* succeeds on $n ranks"
        fi
        sed '/^---/,$d' "ranks${n%d}/err" >"checked$n" # less what mpirun says
        cmp checked1 "checked$n" || fail "kata apply $*: another message on $n ranks"
    done
    expect_in checked1 "this assert fails at point"
}
expect_checked check first=20 last=50
expect_checked check first=50 last=51
expect_checked check first=63 last=63
expect_checked grow fast=10 --steps 9
expect_checked grow fast=20 --steps 9

# Ranks differ in whether they have a device, and in what its memory holds.
cat >mean.kata <<'END'
kernel fill(out double u) { u = sin(ix + 7.0*iy); }
kernel mean(in double u, out double v, sum double s) { v = 0.25*(u[0,1] + u[0,-1] + 2*u[1,0]); s += v; }
END
"$kata" apply mean.kata fill --size 100x90 u=large.npy --quiet
mean=("$kata" apply mean.kata mean u=large.npy --boundary periodic --steps 5 --quiet)
"${mean[@]}" v=one.npy >one
for other in KATA_DEVICE=none KATA_DEVICE_MEMORY=66000; do
    timeout 200 mpirun -n 1 env KATA_DEVICE=cuda "${mean[@]}" v=two.npy : \
        -n 1 env KATA_DEVICE=cuda $other "${mean[@]}" v=two.npy >two || fail "one of two ranks has $other"
    cmp one.npy two.npy && cmp one two || fail "other values where one of two ranks has $other"
done
# The device of one rank is not there, or it is lost: all end.
expect_refused -n 1 env KATA_DEVICE=cuda "${mean[@]}" v=two.npy : -n 1 env KATA_DEVICE=cuda:5 "${mean[@]}" v=two.npy
expect_in err 'error: rank 1: device "cuda:5" cannot be used'
expect_refused -n 1 env KATA_DEVICE=cuda "${mean[@]}" v=two.npy : \
    -n 1 env KATA_DEVICE=cuda KATA_SHIM_LOSE=3 "${mean[@]}" v=two.npy
expect_in err "error: rank 1: "

# Fields are dealt out, and exchanged.
cat >heat.kata <<'END'
kernel heat(in double u, out double v) { v = u + 0.1*(u[0,-1] + u[0,1] - 2*u); }
END
KATA_EXPLAIN=text KATA_RANKS='every=2 small' timeout 200 mpirun -n 2 "$kata" apply heat.kata heat u=u.npy v=w.npy \
    --steps 3 --boundary clamp 2>err
expect_in err "# on 2 ranks, 2 along y and 1 along z"
expect_in err "part loop 1 y 0 0 # heat"
expect_in err "exchange field 0 y -1 1"

# Ranks along y and z need values over the edges between them, too.
cat >edges.kata <<'END'
kernel fill(out double u) { u = sin(ix + 7.0*iy + 31.0*iz); }
kernel edges(in double u, out double v) { v = 0.3*u[0,1,1] + 0.4*u[0,-1,-1] + 0.2*u[0,1,-1]; }
END
"$kata" apply edges.kata fill --size 6x20x20 u=box.npy --quiet
for rule in clamp periodic; do
    for n in 1 4; do
        KATA_RANKS='y=2 z=2 every=3 small' on_ranks "$n" "$kata" apply ../edges.kata edges u=../box.npy \
            v=v.npy --steps 8 --boundary $rule --quiet || fail "edges, $rule, on $n ranks"
    done
    cmp ranks1/v.npy ranks4/v.npy || fail "values over edges differ where sides are $rule"
done

# What cannot be.
if on_ranks 2 "$kata" apply ../heat.kata heat u=- v=v.npy; then fail "ranks share standard input"; fi
expect_in ranks2/err "kata apply: u=- is standard input, which the first of several ranks has: name a file"
if on_ranks 2 "$kata" tune -- "$kata" run heat; then fail "each rank tunes"; fi
expect_in ranks2/err "kata tune: runs on one rank: kata tune -- mpirun -n 2 PROGRAM"
if KATA_RANKS="y=3" on_ranks 2 "$kata" run heat; then fail "y=3 suits 2 ranks"; fi
expect_in ranks2/err "KATA_RANKS is 'y=3', which is for 3 ranks, and there are 2"
if KATA_RANKS="x=2" on_ranks 2 "$kata" run heat; then fail "x=2 is accepted"; fi
expect_in ranks2/err "not words such as 'y=2 z=4 every=8 small'"
if KATA_RANKS="rectangles=2,3" on_ranks 2 "$kata" run heat; then fail "rectangles=2,3 suits 2 ranks"; fi
expect_in ranks2/err "KATA_RANKS is 'rectangles=2,3', which is for 6 ranks, and there are 2"
if KATA_RANKS="mortons" on_ranks 2 "$kata" run heat; then fail "mortons is accepted"; fi
expect_in ranks2/err "or a partition of the grid ('halves', 'rectangles', 'rectangles=2,3', 'tensor' or 'morton')"
if KATA_MPI=nowhere.so PATH=$PATH on_ranks 2 "$KATA_BUILD/tests/test_random" --ranks --count 1; then
    fail "programs run on ranks without MPI"
fi
if KATA_TRACE=u@1,1 on_ranks 2 "$kata" run heat; then fail "ranks are traced"; fi
expect_in ranks2/err "KATA_TRACE is for programs on one rank, and there are 2"

# A disk that is full is named as what it is.
cat >grow.kata <<'END'
kernel grow(inout double u) { u = u + 1; }
END
# shellcheck disable=SC2016 # the ranks' own shell reads $0
if KATA_MEMORY=1M KATA_SPILL=. on_ranks 2 bash -c "trap '' XFSZ; ulimit -f 20000; exec \"\$0\" \"\$@\"" \
    "$kata" apply ../grow.kata grow --size 2000x3000 u=, --quiet; then
    fail "parts of 24 MB fit a disk of 20 MB"
fi
expect_in ranks2/err "a part of a field needs room on the disk of the folder '.': File too large"
if grep -q "out of memory" ranks2/err; then fail "a full disk is called memory"; fi
finish
