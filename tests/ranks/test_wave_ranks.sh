#!/usr/bin/env bash
# Points between grid points on several ranks: each adds at its own targets, and all get what all have
# recorded. What examples/wave.c prints and saves is the same.
# Labels: optimised
set -euo pipefail
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export LD_LIBRARY_PATH=$KATA_BUILD OMPI_MCA_rmaps_base_oversubscribe=1
cp "$KATA_SOURCE"/examples/wave.{c,kata} .
cc -I"$KATA_SOURCE/include" wave.c -o wave -L"$KATA_BUILD" -lkatagami -lm
./wave 2 >alone
cp seismogram.npy alone.npy
mpirun -n 3 ./wave 2 >together
diff <(sort -u alone) <(sort -u together) # each rank prints
cmp seismogram.npy alone.npy
