#!/usr/bin/env bash
# Diffusion and advection of weather models: plain C computes the same bits, a wave decays exactly,
# diffusion conserves the mean of each level, and executors, tiles and threads change nothing.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# ---- plain C -----------------------------------------------------------------------------------------

expect 0 run weather --nx 21 --ny 13 --nz 9 --steps 12 --check --quiet
expect_in out "largest difference from plain C: 0"
if [ -s err ]; then fail "--quiet is not quiet: $(cat err)"; fi
if [ "$(head -c 8 weather.png | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then
    fail "weather.png is no PNG image"
fi
expect 0 run weather --nx 4 --ny 5 --nz 3 --steps 3 --check --quiet
expect_in out "largest difference from plain C: 0"

# ---- exact values ------------------------------------------------------------------------------------

# The wave keeps (1 - 0.003 (4 (sin^2(pi/16) + sin^2(pi/12)))^2)^40 of its height.
expect 0 run weather --nx 16 --ny 12 --nz 5 --steps 40 --updraft 0 --start wave --quiet
expect_in out "the wave keeps 0.979030206617"
changed=$(grep -oE 'changed by up to .*' out | awk '{ print $5 }')
if ! awk "BEGIN { exit !($changed < 1e-15) }"; then fail "diffusion changed a mean by $changed"; fi

# ---- the same bits -----------------------------------------------------------------------------------

expect_same_bits weather.png 'steps in' loops "skewed y=4" "tiled cache=65536" "windowed cache=65536" -- \
    weather --nx 33 --ny 14 --nz 8 --steps 9

# ---- what is refused ---------------------------------------------------------------------------------

expect 2 run weather --nz 2
expect_in err "--nz takes a whole number from 3 to 1024, not '2'"
expect 2 run weather --output weather.jpg
expect_in err "weather.jpg"

finish
