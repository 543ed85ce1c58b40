#!/usr/bin/env bash
# CloverLeaf passes its official check, agrees with the mini-app on other decks to the digits that it
# prints, and has the same bits on any executor, in any tiles and on any number of threads.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

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

# ---- decks -----------------------------------------------------------------------------------------

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

cat >cuboid.in <<'EOF'
*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=cuboid xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0 zmin=0.0 zmax=2.0
 x_cells=20
 y_cells=20
 z_cells=20
 xmin=0.0
 ymin=0.0
 zmin=0.0
 xmax=10.0
 ymax=10.0
 zmax=10.0
 initial_timestep=0.04
 max_timestep=0.04
 end_step=75
 3d_tile_decomposition
*endclover
EOF

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
refuse "bad.in:17: unknown geometry 'ball'; there are rectangle, circle, cuboid, sphere and point" \
    "state 3 geometry=ball"
refuse "bad.in: each state needs a density and an energy above 0" "state 3 density=1"
refuse "bad.in: the domain is empty; xmax is more than xmin, and ymax more than ymin" "xmax=-1"
refuse "bad.in: a rectangle or circle stands beside words about z; write cuboid or sphere" "z_cells=8"
refuse "bad.in: the domain is empty; xmax is more than xmin, ymax than ymin, zmax than zmin" \
    "z_cells=8 zmax=-1"
refuse "bad.in:17: a line of more than 1000 characters:" "$(head -c 1001 /dev/zero | tr '\0' x)"
sed '/end_step/s/$/ test_problem=2/' cuboid.in >bad.in
expect 1 run cloverleaf --deck bad.in
expect_in err "bad.in: in three dimensions there is test problem 1 alone"
expect 2 run cloverleaf --deck square.in --dimensions 3
expect_in err "--dimensions 3: the deck has no word about z; write z_cells in it"
expect 2 run cloverleaf --as-published
expect_in err "--as-published is for three dimensions"
expect 2 run cloverleaf --dimensions 3 --cells 9 --plane 9
expect_in err "--plane 9: there are levels 0 to 8"
# an error ends the run, also where a number of steps is given and no time
expect 1 run cloverleaf --cells 99 --steps 3 --quiet --memory 4k --spill nowhere
expect_in err "on the disk of the folder 'nowhere': No such file or directory"
expect 1 run cloverleaf --deck nowhere.in
expect_in err "kata run cloverleaf: nowhere.in cannot be read: No such file or directory"
expect 1 run cloverleaf --deck . --quiet
expect_in err "kata run cloverleaf: . cannot be read: Is a directory"
expect 1 run cloverleaf --deck /dev/zero --quiet
expect_in err "kata run cloverleaf: /dev/zero: a deck has at most 100000 lines"
: >empty.in
expect 1 run cloverleaf --deck empty.in
expect_in err "empty.in: there is no state 1, which fills the domain, between *clover and *endclover"
sed 's/initial_timestep=0.04/initial_timestep=1e-7/; s/energy=2.5/energy=2e30/' square.in >fast.in
expect 1 run cloverleaf --deck fast.in --quiet
expect_in err "the time step is too small"

# ---- each kind of run, for a few steps ---------------------------------------------------------------

expect 0 run cloverleaf --deck square.in --steps 3 --quiet
expect 0 run cloverleaf --deck cuboid.in --steps 2 --quiet --as-published
expect 0 run cloverleaf --dimensions 3 --cells 12 --steps 2 --quiet --vorticity in_space.png
end_if_sanitized

# ---- the official check --------------------------------------------------------------------------

expect 0 run cloverleaf --quiet
expect_in out "PASSED"
if [ -s err ]; then fail "--quiet is not quiet: $(cat err)"; fi
expect_summary 87 1.000e+02 2.800e+01 2.800e-01 1.671e-01 4.179e+01 1.193e+00 4.298e+01
if [ "$(head -c 8 cloverleaf.png | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then
    fail "cloverleaf.png is no PNG image"
fi

# ---- pictures ------------------------------------------------------------------------------------

# The width that a PNG says it has.
width_of() # FILE
{
    head -c 20 "$1" | tail -c 4 | od -An -tu1 | awk '{ print 256*$3 + $4 }'
}

# Few cells have several pixels each, many have one. Gas at rest has no vorticity: one colour, which
# takes fewer bytes.
if [ "$(width_of cloverleaf.png)" != 960 ]; then fail "960 cells have another width"; fi
expect 0 run cloverleaf --cells 24 --steps 1 --quiet --vorticity rest.png
expect 0 run cloverleaf --cells 24 --steps 40 --quiet --vorticity vorticity.png
expect_in out "wrote vorticity.png"
if [ "$(width_of vorticity.png)" != 384 ]; then fail "24 cells are not 384 pixels wide"; fi
expect 0 run cloverleaf --dimensions 3 --cells 12 --steps 40 --quiet --vorticity in_space.png
if [ "$(width_of in_space.png)" != 192 ]; then fail "12 cells are not 192 pixels wide"; fi
if [ "$(wc -c <vorticity.png)" -le "$(wc -c <rest.png)" ]; then fail "nothing turns"; fi

# ---- what the mini-app prints for decks ------------------------------------------------------------

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

# ---- three dimensions ----------------------------------------------------------------------------

# One of the mini-app's decks, on fewer cells; what the mini-app prints where one velocity in its flux
# along z is put right.
expect 0 run cloverleaf --deck cuboid.in --quiet
expect_summary 75 1.000e+03 2.160e+02 2.160e-01 9.397e-02 2.349e+02 1.039e+01 2.453e+02
if [ "$(grep -E '^ +[0-9]+ ' out | awk '{ print $4 }' | uniq | wc -l)" -ne 1 ]; then
    fail "mass is not conserved: $(cat out)"
fi
expect 0 run cloverleaf --deck cuboid.in --steps 30 --quiet --as-published
expect_summary 30 1.000e+03 2.160e+02 2.160e-01 9.541e-02 2.385e+02 6.975e+00 2.455e+02

cat >sphere.in <<'EOF'
*clover
 state 1 density=0.2 energy=1.0 xvel=0.1 yvel=-0.05 zvel=0.02
 state 2 density=1.0 energy=2.5 geometry=cuboid xmin=-30.0 xmax=30.0 ymin=-30.0 ymax=30.0 zmin=-10 zmax=20
 state 3 density=2.0 energy=0.5 xvel=0.3 zvel=-0.2 geometry=sphere xmin=1.0 ymin=2.0 zmin=3.0 radius=20
 x_cells=31
 y_cells=27
 z_cells=23
 xmin=-50.0
 ymin=-50.0
 zmin=-40.0
 xmax=50.0
 ymax=50.0
 zmax=45.0
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.4
 end_time=20
*endclover
EOF
expect 0 run cloverleaf --deck sphere.in --quiet
expect_summary 54 8.500e+05 3.079e+05 3.623e-01 1.793e-01 3.811e+05 4.130e+04 4.224e+05

# ---- the same bits -------------------------------------------------------------------------------

expect_same_bits cloverleaf.png 'a step,' loops "skewed y=8 x=16" "skewed y=5" "diamond y=20 depth=10" \
    "tiled cache=4096" "shared cache=65536" "windowed cache=4096" -- cloverleaf --cells 37 --steps 15
expect_same_bits cloverleaf.png 'a step,' loops "skewed z=4 y=6" "diamond z=8 depth=4" "tiled cache=65536" \
    "windowed cache=65536" -- cloverleaf --dimensions 3 --cells 11 --steps 4 --plane 2

finish
