#!/usr/bin/env bash
# kata explain shows what kernels cost and the C that is made of them; of a program, the plan of its
# loops as text, JSON and a picture, what its kernels cost and why its chains ended. What runs by a
# plan gives what the reference executor gives; words that mean nothing are named.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
if [ "$KATA_HOSTILE" = 1 ]; then exit 77; fi # its queue is too short

cat >k.kata <<'END_OF_KERNELS'
kernel start(out double u) { u = sin(0.3*ix) + 0.1*iy; }
kernel heat(in double u, out double v, double c) { v = u + c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }
END_OF_KERNELS
expect 0 apply k.kata start --size 24x16 u=u.npy
steps=(apply k.kata heat u=u.npy v=v.npy c=0.1 --steps 6 --boundary clamp)

expect 0 explain --plan 'skewed y=4' --to plan.txt -- "$KATA_BUILD/kata" "${steps[@]}"
grep -q '^  tile dimension 1 size 4 overlap 0 parallel 0 wave 1 seam 0 period 0 0 0$' plan.txt || fail "no tile: $(cat plan.txt)"
[ "$(grep -c 'loop number' plan.txt)" = 6 ] || fail "not six loops"
grep -q 'loop number 5 spans -5 -5  # heat' plan.txt || fail "the last loop is not five rows behind"

expect 0 explain --quick --plan 'blocked parts.x=2' --to blocks.txt -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in blocks.txt "  blocks parts 2 1 1 period 0 0 0 cuts 0 12 24 -far far -far far"
expect_in blocks.txt "loop number 5 spans 0 0 -far far -far far  # heat"
expect 0 explain --quick --json --plan 'blocked parts.x=2' --to blocks.json -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in blocks.json '"cuts": [0, 12, 24, "-far", "far", "-far", "far"]'

expect 0 explain --plan 'streamed y=4' --json --to plan.json -- "$KATA_BUILD/kata" "${steps[@]}"
python3 -m json.tool --json-lines plan.json >/dev/null || fail "no JSON"
expect 0 explain --plan 'diamond y=16' --svg y --to plan.svg -- "$KATA_BUILD/kata" "${steps[@]}"
cp plan.svg first.svg
expect 0 explain --plan 'diamond y=16' --svg y --to plan.svg -- "$KATA_BUILD/kata" "${steps[@]}"
cmp plan.svg first.svg || fail "a second picture does not replace the first"
expect 0 explain --plan 'skewed y=4' --svg y --to skewed.svg -- "$KATA_BUILD/kata" "${steps[@]}"
expect 0 explain --plan 'blocked parts.y=2 every=2' --svg y --to blocked.svg -- "$KATA_BUILD/kata" "${steps[@]}"
expect 0 explain --plan 'skewed y=4' --svg y --to periodic.svg -- "$KATA_BUILD/kata" "${steps[@]:0:8}" --boundary periodic
expect 0 apply k.kata start --size 4x4000 u=tall.npy
expect 0 explain --plan 'skewed y=4' --svg y --to long.svg -- "$KATA_BUILD/kata" apply k.kata heat u=tall.npy \
    v=v.npy c=0.1 --steps 1000 --boundary clamp
expect 0 explain --svg roofline --to roofline.svg -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in roofline.svg "<title>heat</title>"
expect_in roofline.svg 'stroke-dasharray="3 2"' # up to its bound
if command -v xmllint >/dev/null; then xmllint --noout ./*.svg || fail "the pictures are not well formed"; fi
python3 - <<'END_OF_CHECK' || fail "the pictures are not as expected"
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"

def read(name, measured=False):
    root = tree.parse(name).getroot()  # one root, well formed
    assert root.tag == SVG + "svg", root.tag
    width, height = int(root.get("width")), int(root.get("height"))
    assert width <= 1200 and height <= 5000, (name, width, height)
    tiles, words = [], []
    for rect in root.iter(SVG + "rect"):
        if rect.get("width") == "100%": continue
        x, y, w, h = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
        assert 0 <= x and x + w <= width and 0 <= y and y + h <= height, (name, rect.attrib)
        title = rect.find(SVG + "title")
        if title is not None: tiles.append((x, y, w, h, title.text))
    for word in root.iter(SVG + "text"):
        x, y, anchor = float(word.get("x")), float(word.get("y")), word.get("text-anchor", "start")
        w = (8 if word.get("font-size") else 5.9) * len(word.text)
        x -= {"start": 0, "middle": w / 2, "end": w}[anchor]
        assert 0 <= x and x + w <= width and y <= height, (name, word.text)
        words.append((x, y, w, word.text))
    for i, (x, y, w, text) in enumerate(words):  # lines are 11 pixels high
        for x2, y2, w2, text2 in words[:i]:
            apart = measured or abs(y - y2) >= 10 or x >= x2 + w2 or x2 >= x + w
            assert apart, (name, text, text2)
    return tiles, [text for *_, text in words]

tiles, words = read("plan.svg")  # diamonds: two waves
assert any("same number" in text for text in words), "no legend"
assert {text.split("tile ")[1] for *_, text in tiles} == {"1", "2"}, tiles
assert len(tiles) == 6 + 2 * 5, len(tiles)  # the second wave: both sides of loops 1 to 5
tiles, words = read("skewed.svg")  # every point of 6 loops once, in tiles one after another
assert sum(w for *_, w, h, text in tiles if h > 10) == 6 * 960
assert [text for text in words if text.isdigit()][:2] == ["1", "2"]  # of the legend
numbers = [int(text.split("tile ")[1]) for *_, text in tiles]
assert numbers == sorted(numbers) and set(numbers) == set(range(1, 7)), numbers
tiles, words = read("blocked.svg")  # work done twice is shown low
assert any(h < 10 for *_, h, text in tiles)
read("periodic.svg")
tiles, words = read("roofline.svg", measured=True)  # rates may be nearly equal
assert any(text.startswith("memory, ") for text in words) and any("heat" in text for text in words), words
tiles, words = read("long.svg")  # many loops and tiles: a part of them
assert len(tiles) < 28 * 45 * 6, len(tiles)
assert any("more loops" in text for text in words) and any("shown are the points" in text for text in words)
END_OF_CHECK

KATA_EXECUTOR=reference expect 0 "${steps[@]}"
mv v.npy expected.npy
for plan in 'loops' 'skewed x=5 y=3' 'diamond y=14' 'streamed y=2 prefetch' 'single y=3' \
    'overlapped x=8 y=8' 'blocked parts.x=2 parts.y=3 every=2' 'fused y=2'; do
    KATA_EXECUTOR=plan KATA_PLAN="$plan" expect 0 "${steps[@]}"
    cmp v.npy expected.npy || fail "$plan gives something else"
done

KATA_PLAN='skewed y=4 q=3' expect 1 "${steps[@]}"
expect_in err "the environment variable KATA_PLAN is 'skewed y=4 q=3', in which 'q=3' means nothing"
methods='loops, skewed, diamond, tiled, shared, overlapped, windowed, sliding, streamed, fused, single, blocked, scratchpad'
expect 2 explain --plan nonsense -- "$KATA_BUILD/kata" "${steps[@]}"
expect_text err "kata explain: the plan is 'nonsense', in which 'nonsense' means nothing" \
    "  write a method ($methods) and sizes: 'skewed y=16 z=8'"
expect 2 explain --plan ' ' -- "$KATA_BUILD/kata" "${steps[@]}"
expect_text err "kata explain: the plan is ' ': a method is missing" \
    "  write a method ($methods) and sizes: 'skewed y=16 z=8'"
KATA_EXPLAIN=loud expect 1 "${steps[@]}"
expect_in err "the environment variable KATA_EXPLAIN is 'loud', not text, json, x, y, z, roofline, scaling or pipeline"
expect 2 explain --plan 'skewed y=4'
expect_text err "kata explain: name a kernel file, or the program to run: kata explain -- PROGRAM"
expect 2 explain --svg x -- true
expect_text err "kata explain: --svg writes a file: name it, as in --to plan.svg"
expect 2 explain --svg w -- true
expect_text err "kata explain: --svg takes x, y, z, roofline, scaling or pipeline, not 'w'"
expect 2 explain --quick --svg roofline --to x.svg -- true
expect_text err "kata explain: --svg roofline needs what --quick leaves out"
expect 2 explain --quick --svg scaling --to x.svg -- true
expect_text err "kata explain: --svg scaling needs what --quick leaves out"
KATA_NETWORK='latency=2' expect 0 explain --svg scaling --to scaling.svg -- "$KATA_BUILD/kata" "${steps[@]}"
expect_in scaling.svg "latency 2 s, 1.25e+10 bytes/s, packing 6e+09 bytes/s; 1 times as long without tiles"
expect_in scaling.svg ">100000</text>"
KATA_NETWORK='latency=fast' KATA_EXPLAIN=scaling expect 1 "${steps[@]}"
expect_in err "the environment variable KATA_NETWORK has 'latency=fast', not words such as 'latency=2e-6 "
expect 2 explain --svg x --json -- true
expect_text err "kata explain: --json and --svg are two forms: choose one"

# ---- a kernel file -----------------------------------------------------------------------------

heat=("kernel heat, for grids of 2 dimensions"
    "    in     double u  reads u[0,-1] u[-1,0] u u[1,0] u[0,1]"
    "    out    double v  writes v"
    "    number double c"
    "  stored      u f64, v f64"
    "  halo        u x -1..1 y -1..1"
    "  operations  add 3, fma 2 per point"
    "  bytes       16 per point: 8 read, 8 written; 24 with write-allocate"
    "  intensity   0.4375 operations per byte")
start=("kernel start"
    "    out    double u  writes u"
    "  stored      u f64"
    "  halo        none"
    "  operations  mul 1, fma 1, function 1, other 1 per point"
    "  bytes       8 per point: 0 read, 8 written; 16 with write-allocate"
    "  intensity   0.5 operations per byte")
expect 0 explain --quick k.kata heat
expect_text out "${heat[@]}"
expect 0 explain --quick k.kata
expect_text out "${start[@]}" "" "${heat[@]}"
rm -f costs.txt
expect 0 explain --quick --to costs.txt k.kata heat
expect_text costs.txt "${heat[@]}"
expect 0 explain k.kata heat
sed '$d' out >shown
expect_text shown "${heat[@]}"
rate='[0-9.e+-]+'
grep -qE "^  bound       $rate points/s by (memory, $rate with write-allocate; arithmetic|arithmetic; memory) $rate$" out ||
    fail "no bound: $(cat out)"
expect 0 explain --json k.kata
python3 - <<'END_OF_CHECK' || fail "explain --json is not as expected: $(cat out)"
import json
start, heat = [json.loads(line) for line in open("out")]
assert start["name"] == "start" and start["kind"] == "kernel"
assert heat["halo"] == {"u": [[-1, -1, 0], [1, 1, 0]]}
assert heat["operations"] == {"add": 3, "mul": 0, "fma": 2, "compare/select": 0, "div": 0, "sqrt": 0,
                              "function": 0, "integer": 0, "other": 0}
assert (heat["bytes_read"], heat["bytes_written"], heat["bytes_allocated"]) == (8, 8, 8)
assert heat["intensity"] == 0.4375
bound = heat["bound"]
assert bound["points_per_second"] == min(bound["memory"], bound["arithmetic"]) > 0
assert 0 < bound["memory_allocating"] < bound["memory"]
END_OF_CHECK
expect 0 explain --code k.kata heat
[ "$(head -1 out)" = "/* kernel heat(in double u as f64, out double v as f64, number double c) */" ] ||
    fail "no C: $(cat out)"
for word in p0_u p1_v p2_c; do expect_in out "$word"; done
[ "$(grep -c '/\* kernel' out)" = 1 ] || fail "more than one kernel"
expect 0 explain --code k.kata
[ "$(grep -c '/\* kernel' out)" = 2 ] || fail "not both kernels"
echo 'const int R; kernel far(in double u, out double v) { v = u[R]; }' >far.kata
expect 0 explain --quick --constants R=8 far.kata
expect_in out "  halo        u x 0..8"

expect 1 explain --quick k.kata haet
expect_text err "error: k.kata has no kernel 'haet'; did you mean 'heat'?"
expect 1 explain missing.kata
expect_text err "error: missing.kata: cannot read the kernel file: No such file or directory"
expect 2 explain k.kata heat start
expect_text err "kata explain: a file and one kernel of it are enough; there is 'start', too"
expect 2 explain --plan loops k.kata
expect_text err "kata explain: --plan is for a program: k.kata is a kernel file"
expect 2 explain --svg x k.kata
expect_text err "kata explain: --svg is for a program: k.kata is a kernel file"
expect 2 explain --code --json k.kata
expect_text err "kata explain: --code shows C: there is no JSON of it"
expect 2 explain --code -- true
expect_text err "kata explain: --code is for a kernel file, whose name ends in .kata"
expect 2 explain --constants R=8 -- true
expect_text err "kata explain: --constants is for a kernel file, whose name ends in .kata"
echo 'const int R = 2;' >constants.kata
expect 1 explain constants.kata
expect_text err "kata explain: constants.kata has no kernels"
expect 1 explain --quick --to none/costs.txt k.kata
expect_text err "kata explain: cannot write none/costs.txt: No such file or directory"
KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=none/x expect 1 "${steps[@]}"
expect_text err "error: cannot write the explanation to none/x: No such file or directory"
KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=/dev/full expect 1 "${steps[@]}"
expect_text err "error: cannot write the explanation to /dev/full: No space left on device"
KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=maybe expect 1 "${steps[@]}"
expect_text err "error: the environment variable KATA_EXPLAIN_QUICK is 'maybe', not 0 or 1"

# ---- a program's kernels and chains ------------------------------------------------------------

program=("$KATA_BUILD/kata" "${steps[@]}")
expect 0 explain --quick -- "${program[@]}"
sed -n '/^kernel/,/^chains/p' err >shown
expect_text shown "${heat[@]}" chains
sed -n '/^chains/,/^work/s/on [0-9]* threads/on N threads/p' err >shown
expect_text shown "  heat, 6 loops: loop by loop on N threads: the fields fit the cache"
sed -n '/^work/,$p' err | sed '/^plans/,$d' >shown
[ "$(grep -nE '^(work|plans|seq)' err | cut -d: -f2 | tr '\n' ' ')" = "work plans seq " ] ||
    fail "plans do not follow the figures: $(cat err)"
expect_text shown work "  loops       6, 2304 points" "  steps       6" \
    "  chains      1: 0 ended by a step, 0 where the queue was long" \
    "  forced      1: kata_flush 1, first after 6 steps"
for executor in cpu reference; do
    KATA_EXECUTOR=$executor expect 0 explain -- "${program[@]}"
    sed -n '/^kernel/,/intensity/p' err >shown
    expect_text shown "${heat[@]}"
    grep -qE "^  bound       $rate points/s by (L[123] cache|memory|arithmetic)" err || fail "no bound: $(cat err)"
    grep -qE "^  measured    $rate points/s, the median of 6 runs; 2304 points in $rate s$" err ||
        fail "$executor: not measured: $(cat err)"
    grep -qE "^  share       $rate of the bound$" err || fail "no share: $(cat err)"
done
KATA_EXECUTOR=plan expect 0 explain -- "${program[@]}" # not measured, but shown
sed -n '/^kernel/,/intensity/p' err >shown
expect_text shown "${heat[@]}"
rm -f end.json
expect 0 explain --json --to end.json -- "${program[@]}"
python3 - <<'END_OF_CHECK' || fail "explain --json is not as expected: $(cat end.json)"
import json
plan, kernel, chain, work = [json.loads(line) for line in open("end.json")]
assert plan["kind"] == "seq"
assert chain.pop("threads") >= 1
assert chain == {"kind": "chain", "kernel": "heat", "loops": 6, "way": "loops",
                 "why": "the fields fit the cache", "tried": []}
measured = kernel["measured"]
assert measured["runs"] == 6 and measured["points"] == 2304
assert abs(measured["share"] * kernel["bound"]["points_per_second"] / measured["points_per_second"] - 1) < 1e-4
assert work == {"kind": "work", "loops": 6, "points": 2304, "steps": 6, "chains": 1, "forced": 1,
                "ended_by_step": 0, "long": 0,
                "forced_by": [{"call": "kata_flush", "count": 1, "first_after_steps": 6}]}
END_OF_CHECK
# chains in tiles, for which a plan was asked or not
expect 0 explain --quick --plan 'skewed y=4' -- "${program[@]}"
expect_in err "  by the plan that was asked for 1, loop by loop 0"
expect 0 explain --quick --plan 'overlapped y=4' -- "${program[@]}"
expect_in err "  by the plan that was asked for 0, loop by loop 1"
expect 0 apply k.kata start --size 3000x2000 u=large.npy
expect 0 explain --quick --to tiles.txt -- "$KATA_BUILD/kata" apply k.kata heat u=large.npy v=v.npy c=0.1 --steps 200 \
    --boundary clamp
sed -n '/^chains/,/^work/p' tiles.txt >shown
way="(windows in tiles|tiles|tiles that all threads share)( [xyz]=[0-9]+)+ depth=[0-9]+ for cache=[0-9]+|loop by loop"
tried="loops|((windows|shared) )?cache=[0-9]+( depth=[0-9]+)?"
grep -qE "^  heat, [0-9]+ loops: ($way) on [0-9]+ threads; tried, seconds per loop: ($tried) $rate" shown ||
    fail "no tries: $(cat shown)"
expect 0 explain --quick --json --to tiles.json -- "$KATA_BUILD/kata" apply k.kata heat u=large.npy v=v.npy c=0.1 \
    --steps 200 --boundary clamp
python3 - <<'END_OF_CHECK' || fail "tiles are not explained: $(grep chain tiles.json)"
import json
chains = [line for line in map(json.loads, open("tiles.json")) if line["kind"] == "chain"]
assert chains and sum(c["loops"] for c in chains) == 200, chains
tried = max((c["tried"] for c in chains), key=len)
assert tried and all(t["seconds_per_loop"] > 0 and t["cache"] >= 0 for t in tried)
END_OF_CHECK
rm -f none.txt
expect 0 explain --to none.txt -- "$KATA_BUILD/kata" info --quick
[ ! -e none.txt ] || fail "a context that ran nothing is explained"
# equal plans are shown once, and counted; of many loops in a row the first and the last
cat >long.c <<'END'
#include <kata/kata.h>

int main(int argc, char **argv)
{
    int chains = argc > 1 ? (int)argv[1][0] - '0' : 5;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, 100);
    kata_module *m = kata_module_from_text(k, "k", "kernel f(inout double u, double c) { u = u*c; }");
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    double values[100];
    for (int chain = 0; chain < chains; chain++) {
        for (int i = 0; i < 90; i++) kata_apply(kata_kernel_find(m, "f"), kata_all(g), u, 1.0 + chain % 3);
        kata_get(u, kata_all(g), values, 100);
    }
    return kata_close(k);
}
END
if [ "$KATA_SANITIZED" = 0 ]; then # a plain program does not load a library with sanitizers
    cc -I"$KATA_SOURCE/include" -o long long.c -L"$KATA_BUILD" -Wl,-rpath,"$KATA_BUILD" -lkatagami
    rm -f long.txt
    expect 0 explain --quick --to long.txt -- ./long
    [ "$(grep -c '^seq' long.txt)" = 1 ] || fail "equal plans are shown $(grep -c '^seq' long.txt) times"
    [ "$(grep -c 'loop number' long.txt)" = 14 ] || fail "90 loops in a row are shown as $(grep -c 'loop number' long.txt)"
    expect_in long.txt "  ... 76 more loops"
    expect_in long.txt "loop number 89  # f"
    expect_in long.txt "  plans       those below; 4 chains have a plan that is shown once"
    rm -f long.txt
    expect 0 explain --quick --to long.txt -- ./long 2
    expect_in long.txt "  plans       those below; 1 chain has a plan that is shown once"
    # loops on two grids are tiled together, and it is shown on which they run
    cat >grids.c <<'END'
#include <kata/kata.h>

int main(void)
{
    kata *k = kata_open(NULL);
    kata_grid *fine = kata_grid_2d(k, 64, 64), *coarse = kata_grid_2d(k, 32, 32);
    kata_module *m = kata_module_from_text(k, "k",
        "kernel residual(in double u, out double r) { r = 4*u - u[0,1] - u[0,-1] - u[1,0] - u[-1,0]; }"
        "kernel down(in double r finer(2), out double f) { f = 0.25*(r + r[1,0] + r[0,1] + r[1,1]); }");
    kata_field *u = kata_field_new(fine, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *r = kata_field_new(fine, "r", KATA_F64), *f = kata_field_new(coarse, "f", KATA_F64);
    kata_apply(kata_kernel_find(m, "residual"), kata_all(fine), u, r);
    kata_apply(kata_kernel_find(m, "down"), kata_all(coarse), r, f);
    kata_flush(k);
    return kata_close(k);
}
END
    cc -I"$KATA_SOURCE/include" -o grids grids.c -L"$KATA_BUILD" -Wl,-rpath,"$KATA_BUILD" -lkatagami
    rm -f grids.txt
    expect 0 explain --quick --plan 'skewed x=9 y=7' --to grids.txt -- ./grids
    expect_in grids.txt "loop number 0 spans 0 0 0 0  # residual"
    expect_in grids.txt "loop number 1 scale 2 2 1 spans -1 -1 -1 -1  # down"
fi
# what would make a program faster, in words
cat >advice.c <<'END'
#include <kata/kata.h>
static const char text[] =
    "kernel laplace(in double u, out double lap) { lap = u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u; }\n"
    "kernel add(in double lap, inout double u) { u = u + 0.1*lap; }\n"
    "kernel fastest(in double u, max double speed) { speed = max(speed, u); }\n"
    "kernel move(in double u, out double v, double speed) { v = u*speed; }\n"
    "kernel spread(in double u, out double v, sum double total)\n"
    "{ v = 0.25*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); total += v; }\n"
    "kernel check(in double u, out double v) { assert(u < 1e9); v = u[1,0]; }\n";

int main(int argc, char **argv)
{
    char what = argc > 1 ? argv[1][0] : 'd';
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 2048, 1024);
    kata_module *m = kata_module_from_text(k, "k", text);
    kata_rule rule = what == 's' ? KATA_PERIODIC : KATA_CLAMP;
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = rule), *v = kata_field_like(u, "v");
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    for (int step = 0; step < 12; step++) {
        if (what == 'd' || what == 'f') kata_apply(kata_kernel_find(m, "laplace"), kata_all(g), u, v);
        if (what == 'd' || what == 'f') kata_apply(kata_kernel_find(m, "add"), kata_all(g), v, u);
        if (what == 'f') kata_flush(k);
        if (what == 'd' && step % 6 == 5 && argc > 2) kata_discard(v);
        if (what == 'd' && step % 6 == 5) kata_flush(k);
        if (what == 'w') kata_apply(kata_kernel_find(m, "fastest"), kata_all(g), u, s);
        if (what == 'w') kata_apply(kata_kernel_find(m, "move"), kata_all(g), u, v, s);
        if (what == 's') kata_apply(kata_kernel_find(m, "spread"), kata_all(g), u, v, s);
        if (what == 'c') kata_apply(kata_kernel_find(m, "check"), kata_all(g), u, v);
        if (what == 'x' && step == 0) kata_apply(kata_kernel_find(m, "laplace"), kata_all(g), v, u);
        if (what == 'x') kata_apply(kata_kernel_find(m, "laplace"), kata_all(g), u, v);
        if (what == 'w' || what == 's' || what == 'c' || what == 'x') kata_swap(u, v);
        if (what == 'x') kata_flush(k);
    }
    kata_flush(k);
    return kata_close(k);
}
END
advice() {
    rm -f advice.txt
    KATA_L2=262144 expect 0 explain --quick --to advice.txt -- ./advice "$@"
}
if [ "$KATA_SANITIZED" = 0 ]; then
    cc -I"$KATA_SOURCE/include" -o advice advice.c -L"$KATA_BUILD" -Wl,-rpath,"$KATA_BUILD" -lkatagami
    spare="'v' is written and used up within a chain (2 times), and left in memory: if nothing reads it afterwards, make it a temporary field, or call kata_discard before the chain ends"
    advice d
    expect_in advice.txt "  faster      $spare"
    advice d discarded
    if grep -q "'v' is written and used up" advice.txt; then fail "a discarded field: $(cat advice.txt)"; fi
    advice x
    if grep -q "is written and used up" advice.txt; then fail "fields that are exchanged: $(cat advice.txt)"; fi
    advice f
    expect_in advice.txt "  faster      a chain has 2 loops, because kata_flush needs results so often (first after 'add', applied at advice.c:"
    advice w
    expect_in advice.txt "    faster: 'move' needs the result of 'fastest', so steps run one after another: a number that is found every few steps lets the steps between share tiles"
    advice s
    expect_in advice.txt "    faster: a kernel with a sum is not cut along x: where the sum is not needed in every step, apply a kernel without it in the others"
    expect_in advice.txt "    faster: no tiles cut the only periodic dimension: other boundary rules at these sides, or a grid with more points in another dimension, allow them"
    advice c
    expect_in advice.txt "    faster: kernels with assert run alone: assert in a kernel of its own, and apply it every few steps"
fi
finish
