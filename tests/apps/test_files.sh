#!/usr/bin/env bash
# Fields in files: simulations print and write the same with a limit of memory as without one, byte
# for byte; what cannot be is said.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

unset KATA_MEMORY KATA_SPILL
mkdir -p spill

# Runs a command in a folder of its own, where its exit code is kept.
in_folder() # folder command...
{
    local folder=$1
    shift
    rm -rf "$folder"
    mkdir "$folder"
    local code=0
    (cd "$folder" && "$@" >out 2>err) || code=$?
    echo "$code" >"$folder/code"
    sed -i -E 's/[0-9.]+ (million|s\b|ms\b|MLUPS)//g' "$folder/out" # rates and times differ
}

# Complains unless a simulation gives the same with so much memory.
expect_same() # memory application [options]
{
    local memory=$1
    shift
    in_folder free "$kata" run "$@"
    KATA_MEMORY=$memory KATA_SPILL=$PWD/spill in_folder limited "$kata" run "$@"
    if ! diff -r free limited; then fail "kata run $* differs with a limit of $memory"; fi
    if [ -n "$(ls -A spill)" ]; then fail "files are left in the spill folder"; fi
}

expect_same 200k cloverleaf --cells 32 --steps 3 --quiet
expect_same 64k cavity --re 100 --size 24 --tolerance 0.5 --quiet --data cavity.vtkhdf

# Writes a file of doubles that are unlike their neighbours.
write_values() # file size...
{
    python3 - "$@" <<'END' || fail "no input"
import math
import struct
import sys

shape = tuple(int(word) for word in sys.argv[2:])
header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
header += " " * (63 - (len(header) + 10) % 64) + "\n"
values = ((i * 7919 % 1000) / 1000 for i in range(math.prod(shape)))
with open(sys.argv[1], "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    f.write(b"".join(struct.pack("<d", value) for value in values))
END
}

# Steps of one kernel, in sections. Explain says how.
cat >heat.kata <<'END'
kernel heat(in double u, out double v, max double largest) {
    v = u + 0.1*(u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u);
    largest = max(largest, v);
}
END
write_values u.npy 300 200
apply=("$kata" apply ../heat.kata heat u=../u.npy v=v.npy --steps 40 --boundary clamp)
in_folder free "${apply[@]}"
KATA_MEMORY=500k KATA_SPILL=$PWD/spill KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=$PWD/explained \
    in_folder limited "${apply[@]}"
diff -r free limited || fail "kata apply differs with a limit of memory"
expect_in explained "chains streamed, the longest in tiles of"
expect_in explained "waiting for the disk"
if [ -n "$(ls -A spill)" ]; then fail "files are left in the spill folder"; fi

KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=$PWD/asked in_folder limited "${apply[@]}" \
    --memory 500k --spill ../spill
diff -r free limited || fail "kata apply differs with --memory"
expect_in asked "chains streamed, the longest in tiles of"
in_folder wrong "${apply[@]}" --memory 500k --spill /nowhere
expect_in wrong/err "on the disk of the folder '/nowhere': No such file or directory"
in_folder wrong "$kata" run heat --quiet --memory 64k --spill /nowhere
expect_in wrong/err "on the disk of the folder '/nowhere': No such file or directory"

# With room for one field and some planes, nothing goes to the disk.
KATA_MEMORY=700k KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=$PWD/beside \
    in_folder limited "${apply[@]}"
diff -r free limited || fail "kata apply differs with memory for one field"
expect_in beside "in 1 chains all other fields were in memory"
expect_in beside "moved in 0 GB, out 0 GB"

KATA_MEMORY=500k KATA_SPILL_RATE=3M KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=$PWD/slow \
    in_folder limited "${apply[@]}"
diff -r free limited || fail "kata apply differs on a slow disk"
expect_in slow "GB/s: it decides how long this takes"

# Loops that run on mapped files are named, with the reason.
cat >rise.kata <<'END'
kernel rise(in double u, out double v) forward(y)
{
    interval [0, 1) { v = u; }
    interval [1, ny) { v = 0.5*v[0,-1] + u; }
}
END
rise=("$kata" apply ../rise.kata rise u=../u.npy v=v.npy)
in_folder free "${rise[@]}"
KATA_MEMORY=500k KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=$PWD/mapped \
    in_folder limited "${rise[@]}"
diff -r free limited || fail "a sweep on mapped files differs"
expect_in mapped "  on mapped files: 'rise': not along y: levels run in order along it"

# The process has little memory beside the limit: here 8 MB of two fields of 32 MB. The first run
# compiles.
python3 - <<'END' || fail "no large input"
import array
with open("large.npy", "wb") as f:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4000, 1000), }"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    f.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    row = array.array("d", (i * 7919 % 1000 / 1000 for i in range(1000)))
    for _ in range(4000):
        f.write(row.tobytes())
END
peak() # memory: the most that the process had, in MB
{
    python3 - "$@" <<'END'
import resource
import subprocess
import sys

command = sys.argv[2:] + ([f"--memory={sys.argv[1]}"] if sys.argv[1] else [])
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000)
END
}
if [ "$KATA_SANITIZED" = 0 ]; then
    large=("$kata" apply heat.kata heat u=large.npy v=out.npy --steps 20 --boundary clamp --quiet)
    peak 8M "${large[@]}" >first.peak
    most=$(peak 8M "${large[@]}")
    if [ "$most" -gt 72 ]; then fail "the process had $most MB with a limit of 8 MB"; fi
fi

# Rows whose last points would lie in the plane behind theirs, if planes had no room for them.
cat >rows.kata <<'END'
kernel rows(in double u, out double v) { v = 0.5*u[0,0,1] + 0.2*(u[-1,0,0] + u[1,0,0]); }
END
write_values w.npy 20 64 390
rows=("$kata" apply ../rows.kata rows u=../w.npy v=v.npy --steps 5 --boundary clamp)
in_folder free "${rows[@]}"
KATA_MEMORY=3M in_folder limited "${rows[@]}"
diff -r free limited || fail "rows of planes in files differ"

# Reads that are needed at some points, or nowhere: planes outside are filled for all.
cat >guarded.kata <<'END'
kernel partly(in double u, out double v) { v = 0.5*u + (iy >= 6 ? 0.25*u[0,-6] : 0.25*u[0,5]); }
kernel nowhere(in double u, out double v) { v = 0.5*u + (ix < 0 ? u[1,9] + u[1,-9] : 0.1); }
END
for way in "partly periodic" "nowhere clamp"; do
    apply=("$kata" apply ../guarded.kata "${way% *}" u=../u.npy v=v.npy --steps 40 --boundary "${way#* }")
    in_folder free "${apply[@]}"
    KATA_MEMORY=500k in_folder limited "${apply[@]}"
    diff -r free limited || fail "the kernel '${way% *}' differs with a limit of memory"
done

# A program that is ended in the middle leaves nothing behind: its files have no names.
cat >spin.kata <<'END'
kernel spin(in double u, out double v) { v = 0.5*u + 0.25*(u[0,-1] + u[0,1]); }
END
KATA_MEMORY=500k KATA_SPILL=$PWD/spill "$kata" apply spin.kata spin u=u.npy v=lost.npy \
    --steps 100000000 --boundary clamp >spin.out 2>&1 &
spinning=$!
files_of() # process
{
    local link
    for link in /proc/"$1"/fd/*; do readlink "$link" || true; done | grep -c "^$PWD/spill/" || true
}
for _ in $(seq 2000); do
    if [ "$(files_of $spinning)" -ge 2 ] || ! kill -0 $spinning 2>/dev/null; then break; fi
    sleep 0.05
done
[ "$(files_of $spinning)" -ge 2 ] || fail "no files in the spill folder: $(cat spin.out)"
kill -9 $spinning
wait $spinning 2>/dev/null || true
if [ -n "$(ls -A spill)" ]; then fail "a program that was killed leaves files"; fi
if [ -e lost.npy ]; then fail "a program that was killed has written its result"; fi

# What cannot be.
KATA_MEMORY=much in_folder wrong "$kata" run heat
expect_in wrong/code 1
expect_in wrong/err "KATA_MEMORY is 'much', not bytes from 4k on, such as 8G"
KATA_MEMORY=64k KATA_SPILL=/nowhere in_folder wrong "$kata" run heat --quiet
expect_in wrong/code 1
expect_in wrong/err "on the disk of the folder '/nowhere': No such file or directory"
KATA_MEMORY=500k TMPDIR=/nowhere in_folder limited "${apply[@]}" # not named for it: /var/tmp serves
expect_in limited/code 0
KATA_MEMORY=64k KATA_SPILL_RATE=fast in_folder wrong "$kata" run heat --quiet
expect_in wrong/err "KATA_SPILL_RATE is 'fast', not bytes per second from 1k on, such as 500M"
finish
