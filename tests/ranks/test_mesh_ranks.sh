#!/usr/bin/env bash
# On several ranks each computes all of a mesh: the bits are those of one rank.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

if ! timeout -k 5 200 mpirun -n 3 "$KATA_BUILD/tests/test_mesh" brief >out 2>&1 </dev/null; then
    fail "the test of meshes on 3 ranks"
    cat out
fi
finish
