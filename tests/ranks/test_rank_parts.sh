#!/usr/bin/env bash
# Ranks that own the parts of a partition compute the bits of one process: over edges and corners,
# where rows are cut, too, and on devices. Where there are bricks enough rows are cut, also for sums.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
# shellcheck source=tests/ranks/ranks_helpers.bash
. "$KATA_SOURCE/tests/ranks/ranks_helpers.bash"
export OMPI_MCA_rmaps_base_oversubscribe=1

cat >edges.kata <<'END'
kernel edges(in double u, out double v) { v = 0.3*u[0,1,1] + 0.4*u[0,-1,-1] + 0.2*u[0,1,-1]; }
END
cat >parts.kata <<'END'
kernel fill(out double u) { u = sin(ix + 7.0*iy + 31.0*iz); }
kernel parts(in double u, out double v, sum double s, max double m) {
    v = 0.3*u[2,1] + 0.4*u[-1,-1] + 0.2*u[1,-1] + 0.01*u;
    s += v;
    m = max(m, v);
}
END
"$kata" apply parts.kata fill --size 1300x37 u=wide.npy --quiet
"$kata" apply parts.kata fill --size 6x20x23 u=box.npy --quiet
# Runs a kernel with a rule at the sides on so many ranks; d: on devices.
run_parts() # ranks words kernel input rule
{
    local n=${1%d} on=none
    if [[ $1 == *d ]]; then on=cuda; fi
    if ! KATA_EXPLAIN=text KATA_DEVICE=$on KATA_RANKS="$2 every=3 small" on_ranks "$n" "$kata" apply \
        "../$3.kata" "$3" u="../$4.npy" v=v.npy --steps 8 --boundary "$5"; then
        fail "$3, $5, on $1 ranks, $2"
        cat "ranks$n/err"
    fi
    mv "ranks$n/err" "err$n"
}
# On one number of ranks sides are clamped, on the next periodic; in full both on each.
expect_parts() # "ranks..." words kernel input
{
    local n rule rules=(clamp periodic) turn=0
    for rule in "${rules[@]}"; do
        run_parts 1 "${@:2}" "$rule"
        rm -rf "$rule"
        mv ranks1 "$rule"
    done
    for n in $1; do
        for rule in "${rules[@]}"; do
            turn=$((turn + 1))
            if [ "${KATA_TEST_FULL:-0}" != 1 ] && [ $((turn % 4)) -gt 1 ]; then continue; fi
            run_parts "$n" "${@:2}" "$rule"
            diff -r "$rule" "ranks${n%d}" || fail "$3 differs where sides are $rule on $n ranks, $2"
        done
    done
}
expect_parts "3 5 7 4d" halves edges box
expect_in err7 "# on 7 ranks, halves"
expect_in err7 "part loop 7 y 0 0 z 0 0 # edges"
expect_parts "2 5 3d 7" halves parts wide
expect_in err7 "exchange field 0 x -1 2 y -1 1"
expect_in err7 "part loop 7 x 0 0 y 0 0 # parts"
expect_parts "6" rectangles=3,2 edges box
expect_in err6 "# on 6 ranks, rectangles"
expect_parts "4" tensor parts wide
# Parts along the Morton curve are several boxes: in planes of y and z, or where rows have bricks
# enough, of x and y.
expect_parts "2 3 5 7d" morton edges box
expect_in err7 "# on 7 ranks, morton, "
"$kata" apply parts.kata fill --size 2700x37 u=bricks.npy --quiet
expect_parts "2 3 5d 7" morton parts bricks
expect_in err7 "part loop 7 x 0 0 y 0 0 # parts"
# Where loops run in order along y, a partition does not cut it: levels along z are cut.
cat >levels.kata <<'END'
kernel levels(in double u, out double v) forward(y) { v = u + 0.5*(iy > 0 ? v[0,-1,0] : 0); }
END
expect_parts "3" halves levels box
expect_in err3 "part loop 7 z 0 0 # levels"
finish
