#!/usr/bin/env bash
# What programs on several ranks do with values: they get boxes, write files that are the same byte
# for byte on any number of ranks, and need little memory for it.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

plugin=$KATA_BUILD/katagami-mpi.so
if ! command -v mpirun >/dev/null || [ ! -e "$plugin" ]; then exit 77; fi
# Libraries of MPI leave memory behind, which the address sanitizer reports.
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi
export KATA_MPI=$plugin KATA_RANKS=small KATA_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

# Runs a part of the program on so many ranks, in a folder of its own.
run() # ranks part
{
    rm -rf "$2$1"
    mkdir "$2$1"
    if ! (cd "$2$1" && timeout 120 mpirun -n "$1" "$KATA_BUILD/tests/rank_data" "$2" >../out 2>../err </dev/null)
    then
        fail "$2 on $1 ranks"
        cat out err
    fi
}

for n in 1 2 3 4 7; do
    run "$n" get
    run "$n" save
    run "$n" local
    run "$n" wrap
    diff -r save1 "save$n" || fail "files of $n ranks differ from those of one"
done

KATA_RANKS='' run 3 undealt
KATA_RANKS='' run 4 memory
rm -r memory4
cat err
finish
