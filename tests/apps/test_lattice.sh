#!/usr/bin/env bash
# Flows of the lattice D3Q19 agree with exact solutions, with any collision, in any scheme of
# streaming, along any dimension.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# ---- exact solutions -----------------------------------------------------------------------------

for collision in trt bgk mrt; do
    for scheme in pull aa esoteric; do
        expect 0 run lattice --case poiseuille --collision $collision --scheme $scheme
        expect_in out "slip are within 1e-10 of the largest velocity"
    done
    expect 0 run lattice --case couette --collision $collision --scheme aa
    expect_in out "exact line are within 1e-10"
done
expect 0 run lattice --case vortex
if [ "$(grep -c 'as it should be; error equal' out)" != 3 ]; then fail "vortices: $(cat out)"; fi

finish
