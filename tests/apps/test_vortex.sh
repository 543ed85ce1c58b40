#!/usr/bin/env bash
# The Taylor-Green vortex: a plane wave converges to the exact solution of the linear equations with
# fourth order, the vortex begins as published, mass is conserved, and the bits are the same on any
# executor, in any tiles and on any number of threads.
# Labels: compiler slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Complains unless an expression of numbers holds.
expect_true() # expression
{
    if ! awk "BEGIN { exit !($1) }"; then fail "not true: $1"; fi
}

# ---- what is refused -------------------------------------------------------------------------------

expect 1 run vortex --size 12 --re 1 --courant 1 --until 2 --quiet
expect_in err "the flow blew up before time"
expect 2 run vortex --size 7
expect_in err "--size takes a whole number from 8 to 2048, not '7'"
expect 2 run vortex --output vortex.jpg
expect_in err "vortex.jpg"

# ---- each kind of run, for a few steps ---------------------------------------------------------------

# With two samples the dissipation is their difference.
expect 0 run vortex --size 12 --until 0.1 --courant 0.6 --quiet
if grep -qi nan out; then fail "not a number: $(grep -i nan out)"; fi
expect 0 run vortex --flow wave --re 20 --size 8 --courant 1 --quiet
end_if_sanitized

# ---- an exact solution -----------------------------------------------------------------------------

# Friction and conduction matter at Reynolds number 20. Half of the spacing, a sixteenth of the error.
wave_error() # points
{
    expect 0 run vortex --flow wave --re 20 --size "$1" --courant 0.1
    grep -oE '[0-9.]+e[-+][0-9]+' out
}
coarse=$(wave_error 12)
fine=$(wave_error 24)
expect_true "$fine < 0.02"
expect_true "$coarse / $fine > 11 && $coarse / $fine < 20"

# ---- the vortex ------------------------------------------------------------------------------------

expect 0 run vortex --size 24 --until 2 --courant 0.6 --quiet
expect_in out "Taylor-Green vortex, Re 1600, Mach 0.1: 24^3 points"
if [ -s err ]; then fail "--quiet is not quiet: $(cat err)"; fi
# Energy and enstrophy at the start are exact: 1/8 and 3/8.
row=$(grep -E '^ +0\.0 ' out)
expect_true "$(awk '{ print $2 }' <<<"$row") == 0.125"
expect_true "$(awk '{ print $6 }' <<<"$row") > 0.000466 && $(awk '{ print $6 }' <<<"$row") <= 0.000469"
# At time 2 the published flow has lost 0.87 % of its energy.
row=$(grep -E '^ +2\.0 ' out)
expect_true "$(awk '{ print ($2 - $3)^2 }' <<<"$row") < 0.00005^2"
expect_true "$(awk '{ print ($4/$5 - 1)^2 }' <<<"$row") < 0.06^2"
expect_true "$(grep -oE 'mass changed by [0-9e.-]+' out | awk '{ print $4 }') < 1e-14"
for file in vortex.png vorticity.png; do
    if [ "$(head -c 8 $file | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then fail "$file is no PNG image"; fi
done

# ---- the same bits ---------------------------------------------------------------------------------

expect_same_bits vorticity.png 'steps in' loops "skewed z=4 y=3" "tiled cache=65536" "windowed cache=65536" -- \
    vortex --size 10 --until 0.2 --re 100 --courant 0.6

finish
