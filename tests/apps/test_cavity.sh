#!/usr/bin/env bash
# The flow in a small cavity agrees with the literature as closely as its cells allow, with either
# collision and either storage, and with the same bits on any number of threads; what cannot succeed is
# said so, before the computation where that is possible.
# Labels: compiler slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# The output but for the line that says how long it took.
without_times() { grep -v 'cell updates per second' out; }

# ---- what cannot succeed ---------------------------------------------------------------------------

expect 1 run cavity --re 100 --size 16 --tolerance 0 --most-steps 500
expect_in err "kata run cavity: not steady after 500 steps: the change is"
expect 1 run cavity --re 10000 --size 8 --lid 0.5 --collision bgk
expect_in err "kata run cavity: the flow diverged before step"

expect 1 run cavity --output nowhere/cavity.png
expect_text err "kata run cavity: nowhere/cavity.png cannot be written: No such file or directory"
mkdir folder.vtkhdf
expect 1 run cavity --data folder.vtkhdf
expect_text err "kata run cavity: folder.vtkhdf cannot be written: Is a directory"
expect 2 run cavity --output cavity.jpg
expect_text err "kata run cavity: --output takes the name of a file that ends in .png, not 'cavity.jpg'"
expect 2 run cavity --size 7
expect_text err "kata run cavity: --size takes a whole number from 8 to 8192, not '7'"
expect 2 run cavity --collision tr
expect_text err "kata run cavity: --collision has no choice 'tr'; did you mean trt?"
expect 2 run cavity --sise 64
expect_text err "kata run cavity: there is no option --sise; did you mean --size?"

# ---- each kind of run, for a few steps ---------------------------------------------------------------

expect 0 run cavity --re 50 --size 9
expect_in out "no table for Re 50"
expect 0 run cavity --re 100 --size 12 --tolerance 0.01 --type f32 --data cavity.vtkhdf
expect_in out "Ghia, Ghia & Shin (1982), Re 100"
end_if_sanitized

# ---- agreement -----------------------------------------------------------------------------------

for collision in trt bgk; do
    for type in f64 f32; do
        rm -f cavity.png
        expect 0 run cavity --re 100 --size 48 --collision $collision --type $type --quiet
        expect_in out "steady after 5760 steps, 24 convective times"
        expect_in out "Ghia, Ghia & Shin (1982), Re 100"
        if [ "$(grep -c 'within the limit' out)" != 2 ]; then fail "$collision $type: $(cat out)"; fi
        if [ -s err ]; then fail "--quiet is not quiet"; fi
        if [ "$(head -c 8 cavity.png | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then
            fail "cavity.png is no PNG image"
        fi
    done
done

# Every limit that is passed is one that can be failed.
expect 1 run cavity --re 100 --size 48 --tolerance 0.01
expect_in out "BEYOND the limit"

# Odd sizes have cells on the centrelines.
expect 0 run cavity --re 100 --size 49

# ---- the same on any number of threads -----------------------------------------------------------

KATA_THREADS=1 expect 0 run cavity --re 100 --size 80 --tolerance 0.001 --data one.vtkhdf
without_times >one
mv cavity.png one.png
for threads in 2 3; do
    KATA_THREADS=$threads expect 0 run cavity --re 100 --size 80 --tolerance 0.001 --data many.vtkhdf
    without_times | sed 's/many/one/' >many
    if ! diff one many; then fail "$threads threads change the output"; fi
    if ! cmp one.png cavity.png; then fail "$threads threads change the picture"; fi
    if ! cmp one.vtkhdf many.vtkhdf; then fail "$threads threads change the velocity"; fi
done

finish
