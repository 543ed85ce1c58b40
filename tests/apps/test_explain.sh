#!/usr/bin/env bash
# kata explain shows the plan of a program's loops as text, JSON and a picture; what runs by a plan
# gives what the reference executor gives; words that mean nothing are named.
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

cat >k.kata <<'END_OF_KERNELS'
kernel start(out double u) { u = sin(0.3*ix) + 0.1*iy; }
kernel heat(in double u, out double v, double c) { v = u + c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }
END_OF_KERNELS
expect 0 apply k.kata start --size 24x16 u=u.npy
steps=(apply k.kata heat u=u.npy v=v.npy c=0.1 --steps 6 --boundary clamp)

expect 0 explain --plan 'skewed y=4' --to plan.txt -- "$KATA_BUILD/kata" "${steps[@]}"
grep -q '^  tile dimension 1 size 4 overlap 0 parallel 0 period 0 0 0$' plan.txt || fail "no tile: $(cat plan.txt)"
[ "$(grep -c 'loop number' plan.txt)" = 6 ] || fail "not six loops"
grep -q 'loop number 5 spans -5 -5  # heat' plan.txt || fail "the last loop is not five rows behind"

expect 0 explain --plan 'streamed y=4' --json --to plan.json -- "$KATA_BUILD/kata" "${steps[@]}"
python3 -m json.tool plan.json >/dev/null || fail "no JSON"
expect 0 explain --plan 'diamond y=16' --svg y --to plan.svg -- "$KATA_BUILD/kata" "${steps[@]}"
grep -q '</svg>' plan.svg || fail "no picture"
[ "$(grep -c '<rect' plan.svg)" -gt 8 ] || fail "no tiles in the picture"

KATA_EXECUTOR=reference expect 0 "${steps[@]}"
mv v.npy expected.npy
for plan in 'loops' 'skewed x=5 y=3' 'diamond y=14' 'streamed y=2 prefetch' 'single y=3' \
    'overlapped x=8 y=8' 'blocked parts.x=2 parts.y=3 every=2' 'fused y=2'; do
    KATA_EXECUTOR=plan KATA_PLAN="$plan" expect 0 "${steps[@]}"
    cmp v.npy expected.npy || fail "$plan gives something else"
done

KATA_PLAN='skewed y=4 q=3' expect 1 "${steps[@]}"
expect_in err "the environment variable KATA_PLAN is 'skewed y=4 q=3', in which 'q=3' means nothing"
KATA_EXPLAIN=loud expect 1 "${steps[@]}"
expect_in err "the environment variable KATA_EXPLAIN is 'loud', not text, json, x, y or z"
expect 2 explain --plan 'skewed y=4'
expect 2 explain --svg w -- true
finish
