#!/usr/bin/env bash
# Programs that use MPI themselves give Katagami a communicator: its ranks run the contexts.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

program=$KATA_BUILD/tests/own_communicator
for ranks in 3 4; do
    for part in halves alone early; do
        timeout -k 5 200 mpirun -n "$ranks" "$program" "$part" >out 2>err </dev/null ||
            { fail "$part on $ranks ranks" && cat out err; }
        if [ -s err ]; then fail "$part on $ranks ranks prints something" && cat err; fi
    done
done
if KATA_MPI=nowhere.so timeout 200 "$program" alone >out 2>err; then fail "the plugin is not needed"; fi
expect_in err "this program gives a communicator, which needs katagami-mpi.so"
finish
