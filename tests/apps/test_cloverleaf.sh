#!/usr/bin/env bash
# CloverLeaf passes its official check, agrees with the mini-app on other decks to the digits that it
# prints, and has the same bits on any executor, in any tiles and on any number of threads.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# The output but for the line that says how long it took.
without_times() { grep -v 'a step,' out; }

# Complains unless the last summary has this step and these totals: volume, mass, density, pressure,
# internal, kinetic and total energy, as the mini-app rounds them.
expect_summary() # step totals...
{
    local wanted="$*"
    local found
    found=$(grep -E '^ +[0-9]+ ' out | tail -1 | awk '{ printf "%d", $1
        for (i = 3; i <= 9; i++) printf " %.3e", $i }')
    if [ "$found" != "$wanted" ]; then fail "summary '$found', not '$wanted'"; fi
}

# ---- the official check --------------------------------------------------------------------------

expect 0 run cloverleaf --quiet
expect_in out "PASSED"
if [ -s err ]; then fail "--quiet is not quiet: $(cat err)"; fi
expect_summary 87 1.000e+02 2.800e+01 2.800e-01 1.671e-01 4.179e+01 1.193e+00 4.298e+01
if [ "$(head -c 8 cloverleaf.png | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then
    fail "cloverleaf.png is no PNG image"
fi

# ---- decks: what the mini-app prints for them ------------------------------------------------------

cat >square.in <<'EOF'
*clover
 ! a square of dense gas in a corner
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=5.0
 x_cells=10
 y_cells=10
 xmin=0.0
 ymin=0.0
 xmax=10.0
 ymax=10.0
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.04
 end_time=3.0
 profiler_on
 tiles_per_chunk 1
*endclover
EOF
expect 0 run cloverleaf --deck square.in --quiet
expect_summary 75 1.000e+02 4.000e+01 4.000e-01 2.769e-01 6.923e+01 7.731e+00 7.696e+01

cat >circle.in <<'EOF'
these words are outside
*clover
 state 1 density=0.2 energy=1.0 xvel=0.1 yvel=-0.05
 state 2 density=1.0d0, energy=2.5 geometry=rectangle xmin=-30.0 xmax=30.0 ymin=-30.0 ymax=30.0
 state 3 density=2.0 energy=0.5 xvel=0.3 geometry=circle xmin=1.0 ymin=2.0 radius=20
 x_cells=61
 y_cells=47
 xmin=-50.0
 ymin=-50.0
 xmax=50.0
 ymax=50.0
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.4
*endclover
EOF
expect 0 run cloverleaf --deck circle.in --quiet # until time 10, since nothing is said
expect_summary 29 1.000e+04 6.243e+03 6.243e-01 3.188e-01 7.970e+03 8.584e+02 8.828e+03
sed 's/max_timestep=0.4/max_timestep=0.4 end_time=30/' circle.in >longer.in
expect 0 run cloverleaf --deck longer.in --quiet
expect_summary 79 1.000e+04 6.240e+03 6.240e-01 3.316e-01 8.289e+03 5.153e+02 8.805e+03

# ---- the same bits -------------------------------------------------------------------------------

expect 0 run cloverleaf --cells 37 --steps 15 --quiet
without_times >one
mv cloverleaf.png one.png
same() # environment...
{
    env "$@" KATA_WAIT=1 KATA_WARNINGS=0 "$kata" run cloverleaf --cells 37 --steps 15 --quiet >out 2>err ||
        fail "$*: $(cat err)"
    if ! without_times | diff one -; then fail "$*: another output"; fi
    if ! cmp one.png cloverleaf.png; then fail "$*: another picture"; fi
}
same KATA_EXECUTOR=reference
for plan in loops "skewed y=8 x=16" "skewed y=5" "diamond y=20 depth=10" "tiled cache=4096" "windowed cache=4096"; do
    same KATA_PLAN="$plan" KATA_THREADS=1
    same KATA_PLAN="$plan" KATA_THREADS=3
done

# ---- what is refused -------------------------------------------------------------------------------

refuse() # words deck-line
{
    { sed '$d' square.in && printf '%s\n*endclover\n' "$2"; } >bad.in
    expect 1 run cloverleaf --deck bad.in --quiet
    expect_in err "$1"
}
refuse "bad.in:17: unknown word 'x_cell'; did you mean x_cells?" "x_cell=5"
refuse "bad.in:17: x_cells takes a whole number from 3 to 1.04858e+06, not '2.5'" "x_cells=2.5"
refuse "bad.in:17: x_cells takes a whole number from 3 to 1.04858e+06, not 'many'" "x_cells=many"
refuse "bad.in:17: no number behind 'xmax'; write one, as in x_cells=960" "xmax="
refuse "bad.in:17: state 2 is there twice; give each a number of its own" "state 2 density=1"
refuse "bad.in:17: unknown geometry 'ball'; there are rectangle, circle and point" \
    "state 3 geometry=ball"
refuse "bad.in: each state needs a density and an energy above 0" "state 3 density=1"
refuse "bad.in: the domain is empty; xmax is more than xmin, and ymax more than ymin" "xmax=-1"
refuse "bad.in:17: a line of more than 1000 characters:" "$(head -c 1001 /dev/zero | tr '\0' x)"
expect 1 run cloverleaf --deck nowhere.in
expect_in err "kata run cloverleaf: nowhere.in cannot be read: No such file or directory"
expect 1 run cloverleaf --deck . --quiet
expect_in err "kata run cloverleaf: . cannot be read: Is a directory"
: >empty.in
expect 1 run cloverleaf --deck empty.in
expect_in err "empty.in: there is no state 1, which fills the domain, between *clover and *endclover"
sed 's/initial_timestep=0.04/initial_timestep=1e-7/; s/energy=2.5/energy=2e30/' square.in >fast.in
expect 1 run cloverleaf --deck fast.in --quiet
expect_in err "the time step is too small"

finish
