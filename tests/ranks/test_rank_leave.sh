#!/usr/bin/env bash
# A rank that leaves, or dies, ends the others within 10 s, with a message that names it; one that is
# busy or stopped is waited for, and named in a note.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"

# Runs a part of the program. What it prints, its exit code and its seconds go to files NAME.*.
run() # name part mpirun's arguments...
{
    local name=$1 part=$2 code=0 start=$SECONDS
    shift 2
    timeout -k 5 40 mpirun "$@" "$KATA_BUILD/tests/rank_data" "$part" >"$name.out" 2>"$name.err" </dev/null ||
        code=$?
    echo "$code" >"$name.code"
    echo "$((SECONDS - start))" >"$name.seconds"
}

# Within 10 s, and what mpirun takes on a busy machine.
expect_ended() # name
{
    if [ "$(cat "$1.code")" -eq 0 ]; then fail "$1 succeeds"; fi
    if [ "$(cat "$1.seconds")" -gt 20 ]; then fail "$1 takes $(cat "$1.seconds") s, code $(cat "$1.code")"; fi
}

next="and is waited for: this rank is to run a chain of 1 loops, the last 'set'; all ranks make the same calls"
here=(--oversubscribe)
run warm get "${here[@]}" -n 1 # kernels are in the cache

# Two machines, which are this one twice: rank 2 leaves the second one, and rank 0, on the
# first, learns it.
cat >start_here <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
shift
exec sh -c "$*"
END
chmod +x start_here
twice=(--mca plm_rsh_agent "$PWD/start_here" --mca plm_rsh_no_tree_spawn 1 --mca btl "tcp,self"
    --host "first:2,second:2" -x KATA_MPI -x KATA_RANKS -x KATA_THREADS -x KATA_CACHE_DIR)
# Most of what they do is to wait: all at once.
for part in busy stop leave vanish die abort; do
    run "$part" "$part" "${here[@]}" -n 3 &
done
# A launcher that does not end the others by itself.
for part in vanish die abort; do
    run "alone_$part" "$part" "${here[@]}" --enable-recovery -n 3 &
done
run machines get "${twice[@]}" -n 4 &
run left leave "${twice[@]}" -n 3 &
wait

for part in leave vanish die abort left; do
    expect_ended "$part"
done
for rank in 0 1; do
    expect_in leave.err "error: rank $rank: rank 2 has left the program, $next"
    for part in vanish die abort; do
        expect_in "alone_$part.err" "error: rank $rank: rank 2 has died, $next"
    done
done
if [ "$(cat machines.code)" -ne 0 ]; then fail "two machines" && cat machines.err; fi
expect_in left.err "error: rank 0: rank 2 has left the program, $next"
for part in busy stop; do
    if [ "$(cat $part.code)" -ne 0 ]; then fail "$part exits with $(cat $part.code)"; fi
    sed -i 's/ for 1[0-9] s;/ for 10 s;/' "$part.err" # on a busy machine
    echo "note: rank 0 has waited for rank 2 for 10 s; it is to run a chain of 1 loops, the last 'set'" |
        diff - "$part.err" || fail "$part prints something else"
done
finish
