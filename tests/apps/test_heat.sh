#!/usr/bin/env bash
# Heat in two and three dimensions converges with second order, on every executor with the same bits,
# and leaves a picture.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Complains unless the table in `out` ends with a grid of this size and an order near `order`.
expect_order() # size order
{
    if ! awk -v size="$1" -v order="$2" '
        NF == 5 && $1 == size { seen = $4 > order - 0.1 && $4 < order + 0.1 }
        END { exit !seen }' out; then
        fail "no order of $2 at size $1"
        cat out
    fi
}

expect_png() # file
{
    if [ "$(head -c 8 "$1" | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then
        fail "$1 is no PNG image"
    fi
}

expect 0 run heat --size 64 --quiet
expect_order 64 2
if [ -s err ]; then fail "--quiet is not quiet"; fi
expect_png heat.png
expect 0 run heat --dimensions=3 --size=32 --output cube.png
expect_order 32 2
expect_png cube.png

# 150 steps of 1/3 on the coarsest grid, where the errors of space and time cancel.
expect 0 run heat --size 64 --courant 0.33334 --time 0.1953125
expect_order 64 4

expect 0 run heat --size 32
mv out cpu
KATA_EXECUTOR=reference expect 0 run heat --size 32
if ! diff cpu out; then fail "the executors differ"; fi

expect 1 run heat --size 32 --output nowhere/heat.png
expect_text err "kata run heat: nowhere/heat.png cannot be written: No such file or directory"
if [ -s out ]; then fail "the file is looked at too late"; fi
expect 2 run heat --size 32 --output heat.gif
expect_text err "kata run heat: --output takes the name of a file that ends in .png, not 'heat.gif'"
finish
