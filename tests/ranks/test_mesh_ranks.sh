#!/usr/bin/env bash
# Each rank computes its elements of a mesh, or all where neighbours are far: the bits are those of
# one rank.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

# What a test prints goes to `out`.
test_on() # ranks test [argument]
{
    local ranks=$1 test=$2
    shift 2
    if ! timeout -k 5 200 mpirun -n "$ranks" "$KATA_BUILD/tests/test_$test" "$@" >out 2>&1 </dev/null; then
        fail "$test on $ranks ranks"
        cat out
    fi
}

test_on 3 mesh brief
export KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1
for ranks in 2 3; do
    test_on "$ranks" mesh_parts values
    for kernel in to_cells to_edges to_vertices smooth measure; do
        if ! grep -q "^part .*# $kernel" out; then fail "$kernel runs whole on $ranks ranks"; fi
    done
    test_on "$ranks" mesh_random ranks
    if ! grep -q '^exchange' out; then fail "mesh_random exchanges nothing on $ranks ranks"; fi
done
# What is read where there is no neighbour lies in the memory of a rank, which ends with its part.
export KATA_MEMORY=1M
test_on 2 mesh_parts values
finish
