#!/usr/bin/env bash
# kata diff and kata trace: fields of several dimensions, components and types; runs that go
# different ways; records that are none; points that nothing writes.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

cat >k.kata <<'END'
kernel pair(inout float f[2], int at, float c)
{
    f[0] = ix + 10*iy;
    f[0] = f[0] + 0.5;
    if (ix == 1 && iy == at) f[1] = f[0] + c;
}
kernel next(inout int n, sum long s) { n += 1; s += n; }
kernel undefined(inout double u) { u = u/u; }
kernel push(in double u, out double v) { v[1,0] = 3*u + u[0,1]; }
kernel start(out double u, double table[2]) { u = ix == 2 ? table[1] : 0; }
END

record() # file argument...
{
    local file=$1
    shift
    KATA_RECORD=$file expect 0 apply k.kata "$@"
}

# ---- diff --------------------------------------------------------------------------------------

export KATA_RECORD_FULL=1
record a pair f=, at=2 c=1 --size 3x4
record b pair f=, at=2 c=1.5 --size 3x4
expect 1 diff a b
expect_text out "loop 1: kernel 'pair' to [0, 3) x [0, 4)" \
    "  c is 1 (3f800000) in a, 1.5 (3fc00000) in b" \
    "  field 'f', component 1 differs first at [1, 2]: 22.5 (41b40000) in a, 23 (41b80000) in b; 1 of 24 values differ"
record b pair f=, at=2 c=1 --size 3x4 --inner 0
expect 0 diff a b
expect_text out "1 loops give the same"
KATA_EXECUTOR=reference record b pair f=, at=2 c=1 --size 3x4
expect 0 diff a b

record a next n=,n.npy --size 5 --steps 2
record b next n=,n.npy --size 5 --steps 3
expect 1 diff a b
expect_text out "the runs go different ways" "  a: the end" "  b: loop 3: kernel 'next' to [0, 5)"
KATA_RECORD=b expect 0 apply k.kata next n=n.npy
record a next n=,zero.npy --size 5 --inner 5
KATA_RECORD=a expect 0 apply k.kata next n=zero.npy
expect 1 diff a b
expect_text out "kata_put to 'n'" \
    "  field 'n' differs first at [0]: 0 (00000000) in a, 3 (00000003) in b; 5 of 5 values differ"
record a start u=u.npy table=1,2 --size 4
record b start u=u.npy table=1,3 --size 4
expect 1 diff a b
expect_text out "loop 1: kernel 'start' to [0, 4)" \
    "  table[1] is 2 (4000000000000000) in a, 3 (4008000000000000) in b" \
    "  field 'u' differs first at [2]: 2 (4000000000000000) in a, 3 (4008000000000000) in b; 1 of 4 values differ"

# Records of a field with ghosts say where its values begin.
ghosts() # file value
{
    printf 'katagami record 2\nloop 1 fill\nrange [-1, 0)\nfield u@1 f64 1 4 1 1 %s from -1 0 0\nvalues %s 0000000000000000 0000000000000000 0000000000000000\n' \
        "$2" "$2" >"$1"
}
ghosts a 3ff0000000000000
ghosts b 4000000000000000
expect 1 diff a b
expect_text out "loop 1: kernel 'fill' to [-1, 0)" \
    "  field 'u' differs first at [-1]: 1 (3ff0000000000000) in a, 2 (4000000000000000) in b; 1 of 4 values differ"
# A pipe cannot be read twice: which field differs is said, not where.
{ "$kata" diff <(cat a) b || true; } >out
sed -i 's|/dev/fd/[0-9]*|PIPE|' out
expect_text out "loop 1: kernel 'fill' to [-1, 0)" \
    "  field 'u' differs; records in files, not in pipes, tell where"

# Records that are damaged, or made to do harm: memory stays small, and no size misleads.
limit_memory()
{
    [ "$KATA_SANITIZED" = 1 ] || ulimit -v 400000 # sanitizers need more addresses
}
refused() # message
{
    (limit_memory; exec "$kata" diff a strange) >out 2>err && fail "kata diff takes $(head -c 60 strange)"
    expect_text err "kata diff: strange: $1"
}
printf 'katagami record 1\n' >strange
expect 2 diff a strange
expect_text err "kata diff: strange was recorded by another version of Katagami: record the run again"
{ printf 'katagami record 2\nloop 1 '; head -c 70000 /dev/zero | tr '\0' x; } >strange
refused "line 2 does not belong in a record"
{ printf 'katagami record 2\nloop 1 fill\n'; for i in {1..5000}; do echo "number c f64 0"; done; } >strange
refused "line 4099 does not belong in a record"
printf 'katagami record 2\nvalues 0\n' >strange
refused "line 2 does not belong in a record"
if [ "$KATA_SANITIZED" = 0 ]; then # whose programs need more addresses
    cp a strange && truncate -s 600M strange
    refused "line 6 does not belong in a record"
    { sed '$d' a; printf 'values '; } >strange && truncate -s 600M strange
    (ulimit -v 400000; exec "$kata" diff a strange) >out 2>err || fail "$(cat err)"
fi
for sizes in "4294967296 4294967296 1" "9223372036854775807 1 1" "0 1 1" "-4 1 1"; do
    sed "s/ 4 1 1 / $sizes /" a >strange
    sed "s/ 4 1 1 / $sizes /" b >strange_too
    expect 1 diff strange strange_too
    expect_text out "loop 1: kernel 'fill' to [-1, 0)" \
        "  field 'u' differs; records made with KATA_RECORD_FULL=1 tell where"
done
unset KATA_RECORD_FULL

# NaN is the same, whichever executor made it
record a undefined u=, --size 9
KATA_EXECUTOR=reference record b undefined u=, --size 9
expect 0 diff a b

expect 2 diff a
expect_text err "kata diff: name the records of two runs; KATA_RECORD=FILE makes them"
expect 2 diff a none
expect_text err "kata diff: cannot read none: No such file or directory"
expect 2 diff a k.kata
expect_text err "kata diff: k.kata is not the record of a run"
sed 's/^range/rage/' a >damaged
expect 2 diff a damaged
expect_text err "kata diff: damaged: line 3 does not belong in a record"
KATA_RECORD=no/folder expect 1 info
expect_text err "error: cannot write no/folder: No such file or directory"
KATA_RECORD=/dev/full expect 1 apply k.kata next n=n.npy
expect_text err "error: the record of the run could not be written whole to /dev/full: No space left on device"
{ (ulimit -f 1; KATA_RECORD_FULL=1 KATA_RECORD=cut "$kata" apply k.kata next n=, --size 1000) 2>&1 >/dev/null ||
    echo "exit code $?"; } | cat >err
expect_text err "error: the record of the run could not be written whole to cut: File too large" "exit code 1"
KATA_TRACE=n@1 KATA_TRACE_FILE=/dev/full expect 1 apply k.kata next n=n.npy
expect_text err "error: the trace could not be written whole to /dev/full: No space left on device"

# ---- trace -------------------------------------------------------------------------------------

expect 0 trace f@1,2 -- "$KATA_BUILD/kata" apply k.kata pair f=, at=2 c=1 --size 3x4
expect_text err "loop 1: f[0] at [1, 2]: 0 -> 21" "  kernel 'pair' stores at k.kata:3" \
    "loop 1: f[0] at [1, 2]: 21 -> 21.5" "  kernel 'pair' stores at k.kata:4" "  f[0] = 21" \
    "loop 1: f[1] at [1, 2]: 0 -> 22.5" "  kernel 'pair' stores at k.kata:5" "  at = 2" \
    "  f[0] = 21.5" "  c = 1"
expect 0 trace n@1 --to to.txt -- "$KATA_BUILD/kata" apply k.kata next n=n.npy --steps 2
expect_text out "s = 25"
expect_text to.txt "kata_put: n at [1]: 0 -> 3" \
    "loop 1: n at [1]: 3 -> 4" "  kernel 'next' stores at k.kata:7" "  n = 3" \
    "loop 2: n at [1]: 4 -> 5" "  kernel 'next' stores at k.kata:7" "  n = 4"
# a value written from another point, around the periodic side
expect 0 apply k.kata start u=u.npy table=1,2 --size 3x2
expect 0 trace v@0,1 -- "$KATA_BUILD/kata" apply k.kata push u=u.npy v=v.npy --boundary periodic
expect_text err "loop 1: v at [0, 1]: 0 -> 8" "  kernel 'push' stores at k.kata:9" "  u = 2" \
    "  u[0,1] = 2"
expect 0 trace m@1 -- "$KATA_BUILD/kata" apply k.kata next n=n.npy
expect_text err "nothing wrote to m at the point that is traced"
for wrong in n@ n@1,2,3,4 n@x "n@1,"; do
    KATA_TRACE=$wrong expect 1 info
    expect_text err "error: the environment variable KATA_TRACE is '$wrong', not of the form FIELD@X,Y or FIELD,FIELD@X,Y"
done
expect 2 trace n -- "$KATA_BUILD/kata"
expect_text err "kata trace: 'n' is not a field's point, as in u@12,7"
expect 2 trace n@1
expect_text err "kata trace: name a point and the program to run: kata trace u@12,7 -- PROGRAM"
expect 127 trace n@1 -- ./no_such_program
expect_text err "kata trace: cannot run ./no_such_program: No such file or directory"
finish
