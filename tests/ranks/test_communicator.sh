#!/usr/bin/env bash
# Programs that use MPI themselves give Katagami a communicator: its ranks run the contexts.
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

program=$KATA_BUILD/tests/own_communicator
for ranks in 3 4; do
    for part in halves alone early; do
        timeout -k 5 60 mpirun -n "$ranks" "$program" "$part" >out 2>err </dev/null ||
            { fail "$part on $ranks ranks" && cat out err; }
        if [ -s err ]; then fail "$part on $ranks ranks prints something" && cat err; fi
    done
done
if KATA_MPI=nowhere.so timeout 60 "$program" alone >out 2>err; then fail "the plugin is not needed"; fi
expect_in err "this program gives a communicator, which needs katagami-mpi.so"
finish
