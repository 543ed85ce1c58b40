#!/usr/bin/env bash
# --summary and KATA_SUMMARY show at the end what kernels took: rows whose loops add up to those that
# ran, and whose times to that of kernels; once, whatever runs the program.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# The rows of kernels: name, loops, seconds, share, gigabytes.
rows()
{
    awk '/^  kernel .* share/ { on = 1; next } /^  (copy|and|work|kernels) / { on = 0 } on { print $1, $2, $3, $5, $7 }' "$1"
}

check_sums() # file
{
    local file=$1
    rows "$file" >rows
    [ -s rows ] || fail "$file has no rows"
    awk -v all="$(sed -n 's/.*of which kernels \([0-9.]*\) s.*/\1/p' "$file")" \
        '{ seconds += $3; share += $4 } END { exit !(seconds > all - 0.02 && seconds < all + 0.02 && share > 99 && share < 101) }' rows ||
        fail "the rows of $file do not add up"
}

expect 0 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet --summary
[ "$(grep -c '^summary of ' err)" = 1 ] || fail "there is no summary"
check_sums err
# Of each step: means, curvature, fluxes, and so on; the first two are known
[ "$(awk '$1 == "find_curvature" { print $2 }' rows)" = 2 ] || fail "not two loops of find_curvature"
loops=$(awk '{ loops += $2 } END { print loops }' rows)
[ "$(sed -n 's/^  work  *\([0-9]*\) loops.*/\1/p' err)" = "$loops" ] || fail "the loops do not add up: $loops"
grep -q '^  memory  *[0-9.]* GB of fields' err || fail "nothing is said of memory"
grep -q '^  compiled  *[0-9]* functions' err || fail "nothing is said of compiling"

# A plan that is asked for is not searched for; a search at once tries some
KATA_PLAN=loops expect 0 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet --summary
expect_in err "tries of plans 0.000 s"
KATA_TUNE=tuned.json expect 0 run cavity --re 100 --size 24 --tolerance 1e-3 --quiet --summary
tries=$(sed -n 's/.*tries of plans \([0-9.]*\) s.*/\1/p' err)
if ! awk "BEGIN { exit !($tries > 0) }"; then fail "a search at once tried nothing: $(head -2 err)"; fi

KATA_SUMMARY=1 expect 0 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet
grep -q '^summary of ' err || fail "KATA_SUMMARY=1 shows nothing"
KATA_SUMMARY=0 expect 0 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet
if grep -q '^summary of ' err; then fail "there is a summary that nobody asked for"; fi
KATA_SUMMARY=yes expect 1 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet
expect_in err "the environment variable KATA_SUMMARY is 'yes', not 0 or 1"

# Under a limit of memory loops run in parts, and count as such; what the disk took is said
KATA_MEMORY=64k expect 0 run weather --steps 2 --nx 32 --ny 32 --nz 8 --quiet --summary
expect_in err "fields in files"
check_sums err

finish
