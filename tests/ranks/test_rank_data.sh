#!/usr/bin/env bash
# What programs on several ranks do with values: they get boxes, write files that are the same byte
# for byte on any number of ranks, and need little memory for it.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

# Runs parts of the program on so many ranks, in a folder of its own.
run() # ranks part...
{
    local ranks=$1
    shift
    rm -rf "ranks$ranks"
    mkdir "ranks$ranks"
    if ! (cd "ranks$ranks" &&
        timeout -k 5 200 mpirun -n "$ranks" "$KATA_BUILD/tests/rank_data" "$@" >../out 2>../err </dev/null)
    then
        fail "$* on $ranks ranks"
        cat out err
    fi
}

for n in 1 2 3 4 7; do
    run "$n" save local wrap get record copy
    cp -r "ranks$n" "saved$n"
    diff -r saved1 "saved$n" || fail "files of $n ranks differ from those of one"
done
# The same where ranks have rectangles of a partition.
for n in 3 5 7; do
    KATA_RANKS='halves small' run "$n" save local wrap get record copy
    diff -r saved1 "ranks$n" || fail "files of $n ranks differ from those of one, where the grid is halved"
done
KATA_RANKS='halves small' KATA_DEVICE=cuda run 7 save local wrap get record
diff -r saved1 ranks7 || fail "files of 7 ranks with devices differ, where the grid is halved"
# The same where ranks have several boxes each.
for n in 2 3 5 7; do
    KATA_RANKS='morton small' run "$n" save get record copy lists
    diff -r saved1 "ranks$n" || fail "files of $n ranks differ from those of one, where ranks have several boxes"
done
KATA_RANKS='morton small' KATA_DEVICE=cuda run 3 save get record copy lists
diff -r saved1 ranks3 || fail "files of 3 ranks with devices differ, where ranks have several boxes"
# The same where ranks compute on a device.
for n in 1 3 4; do
    KATA_DEVICE=cuda run "$n" save local wrap get record
    diff -r saved1 "ranks$n" || fail "files of $n ranks with devices differ from those of one"
done
KATA_EXPLAIN=text KATA_DEVICE=cuda run 3 record
grep -q 'on the device .*on the CPU: 0$' err || { fail "points ran on the CPU" && cat err; }
# Some ranks have a device, and others have none.
program=$KATA_BUILD/tests/rank_data
for first in none cuda; do
    other=$([ $first = none ] && echo cuda || echo none)
    timeout -k 5 200 mpirun -n 1 env KATA_DEVICE=$first "$program" checked local record : \
        -n 2 env KATA_DEVICE=$other "$program" checked local record >out 2>err </dev/null ||
        { fail "the first rank has the device $first, others $other" && cat out err; }
done
# Files are read before ranks are laid out, and after it.
for n in 1 3 4; do
    mkdir -p "loaded$n"
    cp saved1/* "loaded$n"
    (cd "loaded$n" && timeout -k 5 200 mpirun -n "$n" "$KATA_BUILD/tests/rank_data" load >../out 2>../err </dev/null) ||
        { fail "load on $n ranks" && cat out err; }
    diff -r loaded1 "loaded$n" || fail "what $n ranks have loaded differs"
done

KATA_RANKS='' run 3 undealt
run 2 alone
run 2 swapped
run 2 apart
run 3 apart mapped
KATA_RANKS='' run 4 memory
rm -r ranks4
cat err
finish
