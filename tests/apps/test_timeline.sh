#!/usr/bin/env bash
# --timeline and KATA_TIMELINE write what a run did when: JSON that any parser reads, with an event for
# each loop, chain and so on, a row for each thread and a process for each rank, within the file's limit.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

command -v python3 >/dev/null || exit 77
cat >check.py <<'EOF'
import json, sys
def fail(why):
    sys.exit(sys.argv[1] + ": " + why)
events = json.load(open(sys.argv[1]))
spans = [e for e in events if e["ph"] == "X"]
rows = {(e["pid"], e["tid"]) for e in spans}
named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
if not rows <= named: fail("a row has no name")
if any(e["dur"] < 0 or e["ts"] < 0 for e in spans): fail("a time is negative")
# On a row events lie within one another or apart (rounding: a nanosecond)
for row in rows:
    open_until = []
    for e in sorted((e for e in spans if (e["pid"], e["tid"]) == row), key=lambda e: (e["ts"], -e["dur"])):
        while open_until and open_until[-1] <= e["ts"] + 0.0015: open_until.pop()
        end = e["ts"] + e["dur"]
        if open_until and end > open_until[-1] + 0.0015: fail("events overlap on row %d" % row[1])
        open_until.append(end)
for word in sys.argv[2:]:
    kind, least = word.split("=")
    found = sum(e["cat"] == kind for e in spans)
    if found < int(least): fail("%d events of kind %s, not %s" % (found, kind, least))
EOF

events() # file kind=least...
{
    python3 check.py "$@" 2>why || fail "$(cat why)"
}

# Two steps loop by loop on two threads: each loop has an event, each chain, and the second thread a row
KATA_PLAN=loops KATA_THREADS=2 expect 0 run weather --steps 2 --quiet --timeline run.json
events run.json loop=15 chain=1 thread=1
grep -q '"name": "find_curvature", "cat": "loop"' run.json || fail "a kernel is not named"
KATA_THREADS=2 KATA_PLAN='skewed z=8' KATA_TIMELINE=tiles.json expect 0 run vortex --size 16 --until 0.2
events tiles.json chain=1
# Compilers, disks, checkpoints
KATA_WAIT=1 KATA_CACHE_DIR=$PWD/empty KATA_MEMORY=64k expect 0 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet \
    --timeline disk.json
events disk.json compile=1 disk=1 loop=5
expect 0 run weather --steps 4 --nx 32 --ny 32 --nz 8 --quiet --timeline kept.json --checkpoint kept.h5 --checkpoint-steps 1
events kept.json checkpoint=4

# A file that is full ends with an event that says so, and is still JSON
KATA_TIMELINE_MOST=2k expect 0 run weather --steps 20 --nx 32 --ny 32 --nz 8 --quiet --timeline full.json
events full.json loop=1
expect_in full.json "the file is full: later events are missing"
[ "$(wc -c <full.json)" -lt 3000 ] || fail "the file is larger than asked for"
KATA_TIMELINE_MOST=2 expect 1 run weather --steps 2 --quiet --timeline run.json
expect_in err "the environment variable KATA_TIMELINE_MOST is '2', not bytes from 1k on, such as 64M"

expect 1 run weather --steps 2 --quiet --timeline nowhere/run.json
expect_in err "cannot write nowhere/run.json: No such file or directory"
if [ -e /dev/full ]; then
    expect 1 run weather --steps 2 --quiet --timeline /dev/full
    expect_in err "the timeline could not be written whole to /dev/full: No space left on device"
fi

# What a command reads is not replaced
echo 'kernel twice(in double u, out double v) { v = 2*u; }' >twice.kata
cp twice.kata kept.kata
expect 1 apply twice.kata twice u=u.npy v=v.npy --quiet --timeline twice.kata
expect_in err "the timeline is not written to twice.kata: what this file holds would be lost"
cmp twice.kata kept.kata || fail "a kernel file is replaced by a timeline"

# Ranks: a file for each, with exchanges
if [ "$KATA_SANITIZED" != 1 ] && command -v mpirun >/dev/null && [ -e "$KATA_BUILD/katagami-mpi.so" ]; then
    # shellcheck source=tests/ranks/ranks_helpers.bash
    . "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
    timeout 200 mpirun --oversubscribe -n 2 "$kata" run weather --steps 2 --nx 64 --ny 64 --nz 16 --quiet --timeline ranks.json \
        >out 2>err </dev/null || fail "two ranks: $(cat err)"
    events ranks.json ranks=1 loop=5
    events ranks.json.rank1 ranks=1 loop=5
    grep -q '"pid": 1' ranks.json.rank1 || fail "the second rank is no process of its own"
fi

finish
