#!/usr/bin/env bash
# A rank that leaves, or dies, ends the others, with a message that names it; one that is busy or
# stopped is waited for, and named in a note.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"

most=200 # seconds, for what ends by itself in a few

# Runs a part of the program. What it prints, and its exit code, go to files NAME.*. The last rank
# does what is special about it when there is the file NAME.until.
run() # name part mpirun's arguments...
{
    local name=$1 part=$2 code=0 start=$SECONDS
    shift 2
    RANK_DATA_UNTIL=$PWD/$name.until timeout -k 5 $most mpirun "$@" \
        "$KATA_BUILD/tests/rank_data" "$part" >"$name.out" 2>"$name.err" </dev/null || code=$?
    if [ $((SECONDS - start)) -ge $most ]; then code="none: it does not end"; fi
    echo "$code" >"$name.code"
}

# By themselves, with one of these exit codes: otherwise they wait until `timeout` ends them.
expect_ended() # name codes
{
    if ! grep -qx "$2" "$1.code"; then fail "$1 exits with $(cat "$1.code"): $(cat "$1.err")"; fi
}

# Lets the last rank of a part go on as soon as the first has said that it waits for this one alone;
# or the part has ended, or takes too long.
let_go_on() # name
{
    for ((i = 0; i < 500; i++)); do
        if grep -qs "^note: rank 0 has waited for rank 2 .*'set'$" "$1.err" || [ -e "$1.code" ]; then break; fi
        sleep 0.2
    done
    touch "$1.until"
}

# A note of rank 0 after so many seconds at the earliest, perhaps more notes, and nothing else. On a
# busy machine the first may name rank 1 as well, and rank 1 says something if it has not seen rank
# 0 wait for a while.
expect_notes() # name seconds
{
    local next="it is to run a chain of 1 loops, the last 'set'" after
    if [ "$(cat "$1.code")" != 0 ]; then fail "$1 exits with $(cat "$1.code")"; fi
    after=$(sed -nE "s/^note: rank 0 has waited for rank 2 for ([0-9]+) s; $next\$/\\1/p" "$1.err" | head -n 1)
    if [ "${after:-0}" -lt "$2" ]; then fail "$1: no note after $2 s: $(cat "$1.err")"; fi
    if grep -vE "^note: rank (0 has waited for (rank|ranks 1,) 2|1 has waited for ranks 0, 2) for [0-9]+ s; $next$" "$1.err"; then
        fail "$1 prints something else"
    fi
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
    --host "first:2,second:2" -x KATA_MPI -x KATA_RANKS -x KATA_THREADS -x KATA_CACHE_DIR
    -x RANK_DATA_UNTIL -x KATA_RANKS_NOTE)

# With two daemons on one machine, mpirun of Open MPI 4.1 now and then waits on when neither a daemon nor
# a rank is there any more, and has passed on nothing. A rank that waits says so after a second: where
# nothing at all was printed and mpirun has not ended, that is tried again.
run_on_two() # name part ranks
{
    local most=40
    for try in 1 2 3; do
        run "$1" "$2" "${twice[@]}" -n "$3"
        if grep -qx '[0-9]*' "$1.code" || [ -s "$1.err" ] || [ "$try" = 3 ]; then return; fi
    done
}

export KATA_RANKS_NOTE=1
touch left.until
run_on_two machines get 4
run_on_two left leave 3

# Most of what they do is to wait: all at once. Ranks go before others wait for them, or after.
for part in leave vanish die abort; do
    touch "early_$part.until"
    run "early_$part" "$part" "${here[@]}" -n 3 &
done
run leave leave "${here[@]}" -n 3 &
# A launcher that does not end the others by itself.
for part in vanish die abort; do
    run "$part" "$part" "${here[@]}" --enable-recovery -n 3 &
done
run busy busy "${here[@]}" -n 3 &
KATA_RANKS_NOTE="" run stop stop "${here[@]}" -n 3 &
for part in leave vanish die abort busy stop; do let_go_on "$part"; done
wait

for part in early_leave early_vanish early_die early_abort left leave; do
    expect_ended "$part" '[1-9][0-9]*'
done
for part in vanish die abort; do
    expect_ended "$part" '[0-9]*' # whatever that launcher makes of it
done
for rank in 0 1; do
    expect_in leave.err "error: rank $rank: rank 2 has left the program, $next"
    for part in vanish die abort; do
        expect_in "$part.err" "error: rank $rank: rank 2 has died, $next"
    done
done
expect_in early_leave.err "rank 2 has left the program, $next"
expect_in left.err "error: rank 0: rank 2 has left the program, $next"
if [ "$(cat machines.code)" != 0 ]; then fail "two machines: $(cat machines.code) $(cat machines.err)"; fi
expect_notes busy 1
expect_notes stop 10

code=0
KATA_RANKS_NOTE=0 timeout $most mpirun "${here[@]}" -n 2 "$kata" run heat --quiet >wrong.out 2>wrong.err </dev/null ||
    code=$?
if [ "$code" -eq 0 ] || [ "$code" -eq 124 ]; then fail "KATA_RANKS_NOTE=0 exits with $code"; fi
expect_in wrong.err "the environment variable KATA_RANKS_NOTE is '0', not whole seconds from 1 to 86400"
finish
