#!/usr/bin/env bash
# Programs on emulated machines of many cores with small memories: their values are those of the
# reference executor, kata explain says what the clock found, and draws it.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
if [ "$KATA_HOSTILE" = 1 ]; then exit 77; fi # its queue is too short

cat >k.kata <<'END_OF_KERNELS'
kernel start(out float u) { u = sin(0.3*ix) + 0.1*iy - 0.2*iz; }
kernel heat(in float u, out float v, float c)
{
    v = u + c*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1] - 6*u);
}
END_OF_KERNELS
expect 0 apply k.kata start --size 24x20x16 u=u.npy
steps=(apply k.kata heat u=u.npy v=v.npy c=0.1 --steps 4 --boundary periodic)
KATA_EXECUTOR=reference expect 0 "${steps[@]}"
mv v.npy right.npy

for machine in mppa256 sw26010 ipu "$KATA_SOURCE/src/machine/mppa256.machine"; do
    expect 0 explain --quick --machine "$machine" --to words.txt -- "$KATA_BUILD/kata" "${steps[@]}"
    cmp v.npy right.npy || fail "other values on $machine"
done
expect_in words.txt "machine sw26010: Sunway SW26010, a core group of 64 cores"
expect_in words.txt "machine mppa256: Kalray MPPA-256 Bostan, 16 clusters of 16 cores"
expect_in words.txt "calibrated on published results, thus no evidence: get, put"
expect_in words.txt "values by local memories, each access checked"
grep -q "of 1468006 bytes" words.txt || fail "no bytes: $(cat words.txt)"
grep -q "bound by .*transfers .* %, operations .* % of the time" words.txt || fail "no bound: $(cat words.txt)"

# Compiled code makes the values, and the clock runs alone: it says the same.
KATA_EXECUTOR=cpu expect 0 explain --quick --machine sw26010 --to alone.txt -- "$KATA_BUILD/kata" "${steps[@]}"
cmp v.npy right.npy || fail "other values by cpu"
expect_in alone.txt "values by cpu"
simulated() { grep -o "simulated [^ ]* s" "$1" | sort -u; }
grep -qF "$(simulated alone.txt)" words.txt || fail "another time: $(simulated alone.txt), $(simulated words.txt)"

# Blocks that are asked for; columns; what does not fit.
expect 0 explain --quick --json --machine sw26010 --plan 'scratchpad x=12 y=5 z=4 slots=2' --to asked.json -- \
    "$KATA_BUILD/kata" "${steps[@]:0:8}" --boundary clamp
python3 -m json.tool --json-lines asked.json >/dev/null || fail "no JSON"
expect_in asked.json '"x": 12, "y": 5, "z": 4, "blocks": 32, "siblings": 32, "slots": 2'
expect 0 explain --quick --machine sw26010 --plan 'scratchpad columns x=12 y=5 slots=3' --to columns.txt -- \
    "$KATA_BUILD/kata" "${steps[@]:0:8}" --boundary clamp
expect_in columns.txt "columns   x=12 y=5, 8 of them on 8 siblings: "
expect 0 explain --quick --machine sw26010 --plan 'scratchpad x=24 y=20 z=16 slots=2' --to direct.txt -- \
    "$KATA_BUILD/kata" "${steps[@]}"
expect_in err "its tiles need"
expect_in direct.txt "direct "

# Fields that stay in the small memories.
expect 0 explain --quick --json --machine ipu --to stay.json -- "$KATA_BUILD/kata" "${steps[@]}"
python3 -m json.tool --json-lines stay.json >/dev/null || fail "no JSON"
expect_in stay.json '"resident": true, "meetings": 4, "columns": false, "x": 2, "y": 2, "z": 2, "blocks": 960'
expect 0 explain --quick --machine ipu --plan loops --to alone.txt -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in alone.txt "alone     on one sibling, which gets 6.144e+04 bytes from the others"
printf 'siblings 4\nmemory 40k\nfields local\nexchange 1e9\noperations 1e9\n' >small.machine
expect 1 explain --quick --machine ./small.machine --plan 'blocked parts.z=2' -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in err "its blocks need 57600 bytes of the 40960 of a memory"
expect_in err "error: kernel 'heat' is not dealt out, and its fields need 61440 bytes of the 40960 of a memory of the machine small, which has no global one"
printf 'siblings 1\nmemory 1M\nfields local\nexchange 1e9\noperations 1e9\n' >one.machine
expect 0 explain --quick --machine ./one.machine -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in err "'heat' and 3 more: the machine has one core, or the loops one point"
expect 1 explain --quick --machine ipu --plan 'scratchpad x=8' -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in err "the plan 'scratchpad' does not suit the machine ipu: fields stay in its local memories; 'blocked' does"

# Cores that load rows together; more cores than there are in a group.
expect 0 explain --quick --json --machine sw26010 --plan 'scratchpad x=12 y=5 z=4 slots=2 group=4' --to group.json -- \
    "$KATA_BUILD/kata" "${steps[@]:0:8}" --boundary clamp
expect_in group.json '"siblings": 16, "slots": 2'
expect_in group.json '"cores": 4'
expect 0 explain --quick --machine sw26010 --plan 'scratchpad x=16 y=5 slots=2 group=16' --to direct.txt -- \
    "$KATA_BUILD/kata" "${steps[@]}"
expect_in err "16 cores cannot share its tiles: the machine has to know such groups"

# Many ranks, each of them such a machine.
expect 0 explain --machine sw26010 --svg scaling --to ranks.svg -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in ranks.svg "on one rank, the machine sw26010"

# The picture.
expect 0 explain --machine mppa256 --svg pipeline --to turns.svg -- "$KATA_BUILD/kata" "${steps[@]}"
python3 -c 'import sys, xml.dom.minidom as m; d = m.parse("turns.svg").documentElement; sys.exit(int(d.getAttribute("width")) > 1200)' ||
    fail "no picture, or too wide"
expect_in turns.svg "heat on the machine mppa256, blocks"

# A flat grid has many tiles that run at once, which is proven for all pairs that may meet.
cat >flat.kata <<'END_OF_KERNELS'
kernel start(out double u) { u = 2*ix + iy; }
kernel side(in double u, out double v) { v = u[1,0] + u[-1,0] + u[0,1]; }
END_OF_KERNELS
expect 0 apply flat.kata start --size 400x400 u=flat.npy
expect 0 apply flat.kata side u=flat.npy v=right-flat.npy --boundary clamp
KATA_MACHINE=mppa256 expect 0 apply flat.kata side u=flat.npy v=v-flat.npy --boundary clamp
cmp v-flat.npy right-flat.npy || fail "other values of a flat grid"

# Words that mean nothing.
expect 2 explain --svg pipeline --to x.svg -- true
expect_text err "kata explain: --svg pipeline needs a machine, as in --machine sw26010"
expect 2 explain --machine pdp11 -- true
expect_in err "there is no machine 'pdp11'; it can be ipu, mppa256, sw26010, or the path of a file"
printf 'siblings 4\nmemory 64k\nget 0 fast\n' >wrong.machine
KATA_MACHINE=./wrong.machine expect 1 "${steps[@]}"
expect_in err "the machine: ./wrong.machine: line 3: 'fast' of 'get' is no number"
KATA_MACHINE=sw26010 expect 1 apply k.kata start --size 24x20x16 u=no.npy --device opencl
expect_in err "an emulated machine (kata_options.machine, KATA_MACHINE) does not go together with a device"
finish
