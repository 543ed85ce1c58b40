#!/usr/bin/env bash
# Flows of the lattice D3Q19 agree with exact solutions, with any collision, in any scheme of
# streaming, along any dimension.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# ---- what is refused -----------------------------------------------------------------------------

expect 2 run lattice --size 20
expect_text err "kata run lattice: --size means nothing to --case poiseuille with --collision trt"
expect 2 run lattice --collision bgk --magic 0.25
expect_text err "kata run lattice: --magic means nothing to --case poiseuille with --collision bgk"
expect 0 apply "$KATA_SOURCE/apps/lattice/lattice.kata" ball --size 24x12x12 --type solid=u8 \
    solid=mask.npy x0=6 y0=6 z0=6 radius=2
expect 2 run lattice --case channel --mask mask.npy --size 20
expect_text err "kata run lattice: --size means nothing to --case channel with --collision trt and --mask"
expect 0 apply "$KATA_SOURCE/apps/lattice/lattice.kata" ball --size 8x8x8 --type solid=u8 solid=none.npy \
    x0=0 y0=0 z0=0 radius=0
expect 1 run lattice --case channel --mask none.npy
expect_in err "kata run lattice: no cells of the mask none.npy are solid"
expect 1 run lattice --case channel --mask nowhere.npy
expect_in err "nowhere.npy"
expect 1 run lattice --case cavity --output nowhere/lattice.png
expect_text err "kata run lattice: nowhere/lattice.png cannot be written: No such file or directory"

# ---- each kind of run, for a few steps ---------------------------------------------------------------

expect 1 run lattice --case cavity --size 8 --tolerance 1e-9 --re 20 --most-steps 100
expect_in err "not steady after 100 steps"
expect 1 run lattice --case cavity --size 8 --lid 0.5 --re 10000 --collision bgk
expect_in err "the flow diverged before step"
expect 1 run lattice --case channel --mask mask.npy --viscosity 0.1 --most-steps 5 --scheme esoteric --quiet
expect 1 run lattice --case spheres --size 8 --scheme aa --most-steps 10 --quiet
expect 1 run lattice --case cavity --size 9 --collision mrt --type f16 --scheme aa --most-steps 10 --quiet --data cavity.vtkhdf
end_if_sanitized

# ---- exact solutions -----------------------------------------------------------------------------

flows=("--scheme aa" "--scheme pull --magic 0.1875" "--collision bgk --scheme aa"
    "--collision mrt --scheme pull --magic 1")
for options in "${flows[@]}"; do
    # shellcheck disable=SC2086
    KATA_THREADS=1 expect 0 run lattice $options
    expect_in out "slip are within 1e-10 of the largest velocity"
done
KATA_THREADS=1 expect 0 run lattice --case couette --scheme aa
expect_in out "exact line are within 1e-10"
KATA_THREADS=1 expect 0 run lattice --case vortex
if [ "$(grep -c 'as it should be; error equal' out)" != 3 ]; then fail "vortices: $(cat out)"; fi

# ---- the box with a lid --------------------------------------------------------------------------

expect 0 run lattice --case cavity --size 36 --tolerance 2e-2 --scheme aa --quiet
expect_in out "Albensoeder & Kuhlmann (2005), Re 1000"
if [ "$(grep -c 'within the limit' out)" != 2 ]; then fail "the box: $(cat out)"; fi
if [ -s err ]; then fail "--quiet is not quiet: $(cat err)"; fi
if [ "$(head -c 8 lattice.png | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then
    fail "lattice.png is no PNG image"
fi
# Every limit that is passed is one that can be failed.
expect 1 run lattice --case cavity --size 36 --tolerance 0.5 --scheme aa --quiet
expect_in out "BEYOND the limit"

# ---- obstacles -----------------------------------------------------------------------------------

# In steady flow the drag is the force on the fluid; K is that of the literature as far as steps allow.
KATA_THREADS=1 expect 0 run lattice --case spheres --size 12 --scheme aa --quiet
expect_in out "the drag is as in the literature and the force"

# A mask from a file, mask.npy, does what the same ball does. The walls take the rest of the force.
KATA_THREADS=1 expect 0 run lattice --case channel --size 12 --viscosity 0.1 --tolerance 0.01 --scheme aa --quiet
expect_in out "24 x 12 x 12 cells"
grep drag out >ball.txt
KATA_THREADS=3 expect 0 run lattice --case channel --mask mask.npy --viscosity 0.1 --tolerance 0.01 --quiet
if ! grep drag out | diff ball.txt -; then fail "the mask of a ball has another drag"; fi
KATA_EXECUTOR=reference expect 1 run lattice --case channel --mask mask.npy --viscosity 0.1 --most-steps 5 \
    --scheme esoteric --quiet
grep drag out >reference.txt
expect 1 run lattice --case channel --mask mask.npy --viscosity 0.1 --most-steps 5 --scheme aa --quiet
if ! grep drag out | diff reference.txt -; then fail "the drag differs from the reference"; fi
# An obstacle on the walls and across the seams of the periodic sides.
expect 0 apply "$KATA_SOURCE/apps/lattice/lattice.kata" ball --size 24x12x12 --type solid=u8 \
    solid=corner.npy x0=0 y0=0 z0=0 radius=3
for scheme in pull aa; do
    expect 1 run lattice --case channel --mask corner.npy --most-steps 40 --scheme $scheme --quiet
    grep drag out >$scheme.txt
    if ! cmp pull.txt $scheme.txt; then fail "$scheme: another drag"; fi
done

# ---- the same bits: any scheme, any number of threads, any executor and plan -----------------------

bits() # file environment... -- option...
{
    local file=$1
    shift
    local environment=()
    while [ "$1" != -- ]; do
        environment+=("$1")
        shift
    done
    shift
    env KATA_WAIT=1 KATA_WARNINGS=0 "${environment[@]}" "$kata" run lattice --case cavity --size 9 --re 50 \
        --most-steps 25 --quiet --data "$file" "$@" >out 2>err || true
    if [ ! -s "$file" ]; then fail "$* writes nothing: $(cat out err)"; fi
}
same() # options variant...
{
    local options=$1
    shift
    # shellcheck disable=SC2086
    bits one.vtkhdf KATA_EXECUTOR=reference -- $options --scheme pull
    for variant in "$@"; do
        rm -f many.vtkhdf
        # shellcheck disable=SC2086
        bits many.vtkhdf $variant $options
        if ! cmp one.vtkhdf many.vtkhdf; then fail "$options, $variant: other bits"; fi
    done
}
same "--collision trt --type f64" "KATA_THREADS=3 -- --scheme pull" "KATA_THREADS=1 -- --scheme aa" \
    "KATA_THREADS=2 -- --scheme esoteric" "KATA_EXECUTOR=reference -- --scheme esoteric" \
    "KATA_PLAN=skewed KATA_THREADS=2 -- --scheme aa" "KATA_PLAN=loops KATA_THREADS=2 -- --scheme aa"
same "--collision mrt --type f32" "KATA_THREADS=2 -- --scheme esoteric"
same "--collision bgk --type f16" "KATA_THREADS=2 -- --scheme aa"

finish
