#!/usr/bin/env bash
# Full multigrid computes what the original of the benchmark HPGMG-FV computes, whatever operator,
# smoother, cycle and boundary; bits are the same on any executor and number of threads.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Complains unless the residuals (relative, of one cycle per size) and the error are, to a share, these.
expect_rows() # share row -- argument...
{
    local share=$1 row=$2
    shift 3
    expect 0 run hpgmg "$@" --solves 0
    grep -oE '(rel|error..)=[-+0-9.e]+' out | cut -d= -f2 >found
    tr ' ' '\n' <<<"$row" >wanted
    if [ "$(wc -l <found)" -ne "$(wc -l <wanted)" ] ||
        ! paste found wanted | awk -v share="$share" '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= share*$2 + 1e-15)) exit 1 }'; then
        fail "hpgmg $*: not to $share:"
        paste found wanted
    fi
}

# ---- what is printed, what is refused ---------------------------------------------------------------

expect 0 run hpgmg 3 8 --operator 7pt --solves 2
expect_in out 'HPGMG-FV 7pt, gsrb, F-cycle, Poisson: 16^3 cells, 5 levels'
if [ "$(grep -cE 'h=.* DOF=.* time=[0-9.]+  DOF/s=[0-9.e+]+$' out)" -ne 3 ]; then fail "not three rates: $(cat out)"; fi
expect 2 run hpgmg 10
expect_text err "kata run hpgmg: log2_box_dim is a whole number from 3 to 9, not '10'"
expect 2 run hpgmg 5 none
expect_text err "kata run hpgmg: target_boxes_per_rank is a whole number from 1 to 4096, not 'none'"
expect 2 run hpgmg 3 --operator fv4 --output slice.jpg
expect_in err "slice.jpg"

# ---- each kind of run, of a small problem ------------------------------------------------------------

expect 0 run hpgmg 3 --operator fv4 --fv-cycle V --solves 0
expect 0 run hpgmg 3 --operator fv4 --fv-smoother jacobi --helmholtz --solves 0
expect 0 run hpgmg 3 --operator fv2 --fv-smoother cheby --periodic --constant --solves 0
end_if_sanitized

# ---- published and printed values ------------------------------------------------------------------

# 128^3, as the original prints them (github.com/hpgmg/hpgmg, finite-volume, gcc -O3, two threads): the
# relative residuals at 128^3, 64^3 and 32^3, and the error.
expect_rows 1e-8 '8.169371906253326e-04 2.585811597304797e-03 4.314484223659442e-03 9.649246296773370e-06' \
    -- 7 --operator fv2
expect_in out 'order=1.989'
if [ "${KATA_TEST_FULL:-0}" = 1 ]; then
    while read -r order row options; do
        # shellcheck disable=SC2086 # options are words
        expect_rows 1e-8 "${row//,/ }" -- 7 $options
        expect_in out "order=$order"
    done <<'END'
3.625 7.517923682506091e-06,7.171755554776417e-05,9.623699915969414e-04,2.342436689257467e-07 --operator fv4
5.670 2.698175176127556e-05,1.993783037053169e-04,3.148900382490030e-04,5.627329270662187e-08 --operator fv4 --fv-smoother cheby
2.097 6.318670071023323e-04,1.694875537775083e-03,1.639504537908778e-03,9.088541006941481e-06 --operator fv2 --fv-smoother cheby
1.949 3.303932131972639e-03,6.414529148215027e-03,1.170974600538358e-02,5.247387897152624e-07 --operator 7pt
END
fi

# 16^3, likewise.
while read -r row options; do
    # shellcheck disable=SC2086 # options are words
    expect_rows 1e-9 "${row//,/ }" -- 4 $options
done <<'END'
4.097643940520266e-03,4.131654695219893e-03,2.289686746308025e-03,1.072332112747605e-04 --operator fv4
5.982135724947350e-04,1.853950804795625e-03,7.343456913890394e-04,1.089574003397971e-04 --operator fv4 --fv-smoother cheby
1.376353716997183e-02,8.606248089916942e-03,1.925459763988924e-03,9.271661573319643e-05 --operator fv4 --fv-smoother jacobi --helmholtz
2.327297049278095e-03,1.893858554791378e-03,5.377121499656891e-08,1.133374121626380e-05 --operator fv4 --periodic
5.750185447886360e-04,5.293913178725235e-04,1.824146016875289e-03,9.929599798443435e-05 --operator fv2 --fv-smoother cheby
9.862882443462704e-03,3.172179908493143e-03,1.768722556125372e-06,6.507738179128801e-05 --operator fv2 --fv-smoother jacobi --periodic
1.784077079728981e-03,1.796880002969646e-03,1.407531302252719e-16,6.488050660193707e-05 --operator fv2 --periodic --helmholtz --constant
1.257906009662898e-02,3.774979863083644e-03,9.801733920047677e-03,3.800661349757779e-06 --operator 7pt --fv-smoother cheby --periodic
9.237162824930324e-03,1.654000372968988e-02,1.112634587994882e-02,2.321296590653766e-05 --operator 7pt --fv-smoother jacobi --constant
END

# 48^3 in 27 boxes, whose size decides how values beyond walls are found.
expect_rows 1e-9 '2.103418030549242e-04 2.051294401716782e-03 3.892066540528301e-03 7.296474457002284e-06' \
    -- 4 27 --operator fv4

# V-cycles until the residual is 1e-10 of the right-hand side: the first residual, and how many cycles.
expect 0 run hpgmg 4 --operator fv4 --fv-cycle V --solves 0
if [ "$(grep -c '  16^3  v-cycle' out)" -ne 6 ] || [ "$(grep -c '   8^3  v-cycle' out)" -ne 5 ]; then
    fail "not six and five V-cycles: $(cat out)"
fi
expect_in out 'rel=1.5960974084'
expect_in out '||error||=1.1100389118'

# ---- the same bits ---------------------------------------------------------------------------------

# Lines with times aside.
solve() # environment... -- argument...
{
    local environment=(KATA_WARNINGS=0)
    while [ "$1" != -- ]; do
        environment+=("$1")
        shift
    done
    shift
    env "${environment[@]}" "$kata" run hpgmg "$@" >out 2>err || fail "${environment[*]}: $(cat err)"
    grep -v time= out >numbers
}
same_bits() # argument...
{
    local setting
    solve KATA_THREADS=1 -- "$@"
    mv numbers one
    mv hpgmg.png one.png
    for setting in KATA_THREADS=3 KATA_EXECUTOR=reference; do
        solve $setting -- "$@"
        if ! diff one numbers; then fail "$*: other numbers by $setting"; fi
        if ! cmp one.png hpgmg.png; then fail "$*: another picture by $setting"; fi
    done
}
same_bits 3 --operator fv4 --solves 1
same_bits 3 --operator fv2 --fv-smoother cheby --periodic --solves 0
same_bits 3 --operator 7pt --fv-cycle V --helmholtz --solves 0
if [ "$(head -c 8 hpgmg.png | od -An -tx1)" != " 89 50 4e 47 0d 0a 1a 0a" ]; then fail "hpgmg.png is no PNG image"; fi

finish
