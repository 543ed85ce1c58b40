#!/usr/bin/env bash
# examples/wave.c finds the exact pressure of a source between grid points within 0.5 % at order 8, and
# not at order 2; its seismogram has the same bits on any number of threads and in little memory.
# Labels: optimised
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # programs are built as users build theirs
export LD_LIBRARY_PATH=$KATA_BUILD
cp "$KATA_SOURCE"/examples/wave.{c,kata} .
cc -Wall -Wextra -Wpedantic -Werror -I"$KATA_SOURCE/include" wave.c -o wave -L"$KATA_BUILD" -lkatagami -lm

KATA_THREADS=1 ./wave 8 >one
cp seismogram.npy one.npy
awk '/^distance/ { n++; if (!($5 > 0 && $5 < 0.5)) exit 1 } END { exit n != 4 }' one || { cat one; exit 1; }
KATA_THREADS=3 KATA_MEMORY=8M ./wave 8 >three
diff one three
cmp seismogram.npy one.npy

./wave 2 >low
awk '/^distance/ && $5 < 2 { exit 1 }' low || { cat low; exit 1; }
if cmp -s seismogram.npy one.npy; then echo "order 2 gives what order 8 gives"; exit 1; fi
if ./wave 7 2>refused; then exit 1; fi
grep -q "usage: wave" refused
