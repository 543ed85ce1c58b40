#!/usr/bin/env bash
# The kata command: its verbs, exit codes, and exactly what it says about wrong words.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Complains unless kata refuses the arguments with exit code 2 and this message.
expect_usage() # message argument...
{
    local message=$1
    shift
    expect 2 "$@"
    expect_text err "$message"
}

# ---- verbs -------------------------------------------------------------------------------------

expect_usage "kata: unexpected argument 'extra' behind --version" --version extra
expect_usage "kata: unexpected argument 'run' behind --help" --help run
expect 0 --version
if ! grep -qxE 'kata [0-9]+\.[0-9]+\.[0-9]+' out; then fail "--version shows $(cat out)"; fi
expect 0 help
mv out help
expect 0 --help
if ! diff help out; then fail "--help is not help"; fi
expect 2
if ! diff help err; then fail "without a verb, the verbs are not listed"; fi
expect 0 help check
expect_in out "usage: kata check [options] FILE.kata..."
expect_usage $'kata: there is no verb \'chekc\'; did you mean \'check\'?\nits verbs are run, check, apply, compile, explain, trace, diff, tune, wisdom, partition, info, help' \
    chekc
expect_usage $'kata: there is no verb \'dance\'\nits verbs are run, check, apply, compile, explain, trace, diff, tune, wisdom, partition, info, help' dance
expect_usage $'kata: there is no option \'--versoin\'; did you mean \'--version\'?\nits verbs are run, check, apply, compile, explain, trace, diff, tune, wisdom, partition, info, help' --versoin
expect 2 run
expect_in err "kata run APPLICATION --help explains its options."
expect 0 run --help
expect_in out "  heat "
columns=$(sed -nE 's/^(  [a-z]+ +)[A-Za-z].*/\1/p' out | awk '{ print length }' | sort -u | wc -l)
if [ "$columns" != 1 ]; then fail "kata run --help has ragged columns: $(cat out)"; fi
expect 2 run haet
expect_in err "kata run: there is no application 'haet'; did you mean 'heat'?"

expect 0 info
for name in version processor SIMD cores threads "L1 cache" "L2 cache" "L3 cache" memory compiler \
    "kernel cache" executor; do
    if ! grep -qE "^$name +[^ ]" out; then fail "kata info lacks $name"; fi
done
expect_in out "$KATA_CACHE_DIR"
for name in "huge pages" compilers executors; do
    if ! grep -qE "^$name +[^ ]" out; then fail "kata info lacks $name"; fi
done
if ! grep -qx "executors    cpu, reference, plan, scratchpad" out; then fail "kata info shows other executors"; fi
expect_in out "streaming stores "
for name in "copy from memory" "copy, streaming stores" "triad from memory" "triad, streaming stores" \
    "L2 copy, one core" "L2 copy, all cores" "L3 copy, one core" "L3 copy, all cores" \
    "fma f64, per core" "fma f32, per core" "division f64, per core" "division f32, per core" \
    "core clock"; do
    if ! grep -qE "^$name +([0-9.e+-]+ +[0-9.e+-]+ G(B/s|/s|Hz)|none)$" out; then fail "kata info lacks $name"; fi
done
if ! grep -qE "^measured in [0-9.e+-]+ s$" out; then fail "kata info does not say how long it took"; fi
KATA_EXECUTOR=reference expect 0 info --quick
if ! grep -qx "executor     reference" out; then fail "kata info shows another executor"; fi
if grep -q ceilings out; then fail "kata info --quick measures"; fi
if ! grep -qE '^devices +(none|[a-z]+:[0-9]+: .+, [0-9]+ units, .+ [KMGT]iB)$' out; then fail "kata info names no devices"; fi
export KATA_CUDA=$KATA_SHIM_CUDA
expect 0 info
expect_in out "devices      cuda:0: CUDA shim, CUDA 12.4, 4 units, 4 GiB"
for name in "copy on the device" "to the device" "from the device"; do
    if ! grep -qE "^$name +[0-9.e+-]+ +[0-9.e+-]+ GB/s$" out; then fail "kata info lacks $name"; fi
done
expect 0 info --json
python3 - <<'END_OF_CHECK' || fail "kata info --json is not as expected: $(cat out)"
import json
machine = json.load(open("out"))
rates = machine["ceilings"]
assert rates.pop("seconds") > 0
assert len(rates) == 13 and all(0 <= r["median"] <= r["best"] for r in rates.values())
assert rates["copy"]["best"] > 0 and rates["fma_f64"]["best"] > 0
assert machine["threads"] >= 1 and machine["memory_bytes"] > 0
assert machine["huge_pages_given"] in (True, False)
assert machine["devices"][0]["name"] == "cuda:0" and machine["devices"][0]["memory_bytes"] == 2**32
rates = machine["device_ceilings"]["cuda:0"]
assert rates.pop("seconds") > 0
assert len(rates) == 3 and all(0 < r["median"] <= r["best"] for r in rates.values())
assert machine["plain_stores_bytes"] >= 0 and machine["streaming_stores_bytes"] >= 0
END_OF_CHECK
expect 0 info --json --quick
python3 -c 'import json; assert "ceilings" not in json.load(open("out"))' || fail "--quick measures"

# ---- options -----------------------------------------------------------------------------------

expect 0 run heat --help
expect_in out "--courant X"
expect_usage "kata run heat: there is no option --sise; did you mean --size?" run heat --sise 64
expect_usage "kata run heat: there is no option --colour; kata run heat --help lists them" \
    run heat --colour=red
expect_usage "kata run heat: there is no option -n; kata run heat --help lists them" run heat -n 4
expect_usage "kata run heat: --size takes a whole number from 32 to 8192, not '0'" \
    run heat --size 0
expect_usage "kata run heat: --size takes a whole number from 32 to 8192, not '64.5'" \
    run heat --size=64.5
expect_usage "kata run heat: --size takes a whole number from 32 to 8192, not ''" run heat --size=
expect_usage "kata run heat: --size takes a whole number from 32 to 8192, not '99999999999999999999'" \
    run heat --size=99999999999999999999
expect_usage "kata run heat: --size takes a whole number from 32 to 8192, not '1e300'" run heat --size 1e300
expect_usage "kata run heat: --size takes a whole number from 32 to 8192, not '0x40'" run heat --size 0x40
expect_usage "kata run cloverleaf: --steps takes a whole number from 1 to 1000000000000, not '1e15'" \
    run cloverleaf --steps 1e15
expect_usage "kata run heat: --size takes a multiple of 8, not '100': the coarsest grid has an eighth of it" \
    run heat --size 1e2
expect_usage "kata run heat: --output and --checkpoint are both ./x.png: name another file" \
    run heat --output x.png --checkpoint ./x.png
expect_usage "kata run heat: --memory takes bytes from 4k on, such as 500M or 8G, not '8T'" run heat --memory 8T
expect_usage "kata run heat: --memory takes bytes from 4k on, such as 500M or 8G, not '3k'" run heat --memory=3k
expect_usage "kata run heat: --memory needs a value: bytes from 4k on, such as 500M or 8G" run heat --memory
expect_usage "kata run heat: --check-values is 'inf', not nan or none" run heat --check-values inf
expect_usage "kata run heat: --spill has no effect without --memory BYTES" run heat --spill /tmp
expect_usage "kata run heat: --size needs a value: a whole number from 32 to 8192" run heat --size
expect_usage "kata run heat: --size takes a multiple of 8, not '36': the coarsest grid has an eighth of it" \
    run heat --size 36
expect_usage "kata run heat: --courant takes a number from 0.01 to 1, not 'nan'" \
    run heat --courant nan
expect_usage "kata run heat: --dimensions takes 2 or 3, not '4'" run heat --dimensions 4
expect_usage "kata run blur: --boundary has no choice 'reflect-fase'; did you mean reflect-face?" \
    run blur --boundary reflect-fase
expect_usage "kata run blur: --boundary takes constant, clamp, reflect-face, reflect-node, antisymmetric-face, antisymmetric-node or periodic, not 'wall'" \
    run blur --boundary wall
expect_usage "kata run heat: --quiet takes no value, not 'no'" run heat --quiet=no
expect_usage "kata run heat: --quiet takes no value, not ''" run heat --quiet=
for program in "" check run "run heat" help; do
    # shellcheck disable=SC2086 # words
    expect_usage "kata${program:+ $program}: --help takes no value, not '1'" $program --help=1
    # shellcheck disable=SC2086
    expect_usage "kata${program:+ $program}: -h takes no value, not ''" $program -h=
done
expect_usage "kata: --version takes no value, not '1'" --version=1
expect_usage "kata run heat: --timeline needs a value, FILE.json; '' is none" run heat --timeline ''
expect_usage "kata run heat: --checkpoint needs a value, FILE.h5; '' is none" run heat --checkpoint=
expect_usage "kata apply: --type needs a value, TYPES; '' is none" apply k.kata k --type ''
expect_usage "kata explain: --to needs a value, FILE; '' is none" explain k.kata --to ''
expect_usage "kata check: an argument is empty; kata check --help shows what it takes" check ''
expect_usage "kata run blur: an argument is empty; kata run blur --help shows what it takes" run blur -- ''
expect 0 trace u@0 -- test -z ''
expect_usage "kata run heat: unexpected argument 'x'; kata run heat --help shows what it takes" \
    run heat x
expect_usage "kata run blur: unexpected argument '--c'; kata run blur --help shows what it takes" \
    run blur -- a b --c

# ---- check -------------------------------------------------------------------------------------

cat >good.kata <<'END'
kernel mean(in double u, out double v, double w[2], max double most)
{
    v = w[0]*u[-1,0] + w[1]*u[1,0];
    most = max(most, u);
}
END
cat >bad.kata <<'END'
kernel mean(in double u, out double v)
{
    v = w;
}
END
description=("kernel mean, for grids of 2 dimensions"
    "    in     double u  reads u[-1,0] u u[1,0]"
    "    out    double v  writes v"
    "    table  double w[2]"
    "    max    double most")
diagnostic=("bad.kata:3:9: error: unknown name 'w'" "        v = w;" "            ^")
expect 0 check good.kata
expect_text out "${description[@]}"
expect 1 check bad.kata
expect_text err "${diagnostic[@]}"
expect 1 check bad.kata good.kata
expect_text out "good.kata:" "${description[@]}"
expect_text err "${diagnostic[@]}"
expect 0 check --ir good.kata
expect_in out "param in double u"
# kernels that no whole range takes: a note says which ranges do
cat >place.kata <<'END'
kernel relax(inout double u) { u = 0.25*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }
kernel three(inout double f[2]) { f[1] += f[1][2,0] + f[1][0,-1]; }
kernel nine(inout double u) { u += u[1,-1]; }
kernel own(inout double u, in double v) { u += v[1,0]; }
kernel swap(inout double f[2]) { double a = f[0][1,0], b = f[1]; f[0][1,0] = b; f[1] = a; }
kernel edge(inout double u) { if (ix == 0) u = u[1,0]; }
kernel up(inout double u) forward(y) { u += u[0,-1] + u[1,-1]; }
kernel beside(inout double u) forward(x) { u += u[-1,0] + u[0,1]; }
kernel across(inout double u) backward(x) forward(y) { u += u[1,-1,0] + u[0,0,1]; }
END
expect 0 check place.kata
expect_in out "note: points write 'u', and others read or write it at [0,1]: write to a second field, order the points (forward(x, y)), apply it to one of 2 colours (kata_color), or apply it to a range so thin that the point at [0,1] lies outside"
expect_in out "note: points write 'f', and others read or write it at [2,0]: write to a second field, order the points (forward(x, y)), apply it to one of 3 colours (kata_color), or apply it to a range so thin that the point at [2,0] lies outside"
expect_in out "note: points write 'u', and others read or write it at [1,-1]: write to a second field, order the points (forward(x, y)), or apply it to a range so thin that the point at [1,-1] lies outside"
expect_in out "note: points write 'u', and others of the same level read or write it at [0,1]: name all dimensions of the read in the order, as in forward(x, y), or write to a second field"
expect_in out "note: points write 'u', and others of the same level read or write it at [0,0,1]: name all dimensions of the read in the order, as in backward(x) forward(y, z), or write to a second field"
if [ "$(grep -c note: out)" != 5 ]; then
    cat out
    exit 1
fi
expect 1 check missing.kata
expect_text err "error: missing.kata: cannot read the kernel file: No such file or directory"
cat >careless.kata <<'END'
kernel copy(in double u, out double v, double c)
{
    v = u;
}
END
warning=("careless.kata:1:47: warning: parameter 'c' is not used"
    "    kernel copy(in double u, out double v, double c)"
    "                                                  ^" "  leave it out")
expect 0 check --quiet careless.kata
expect_text err "${warning[@]}"
if [ -s out ]; then fail "check --quiet shows $(cat out)"; fi
expect 1 check --werror careless.kata
expect_text err "${warning[@]}"
KATA_WARNINGS=0 expect 0 check --werror careless.kata
if [ -s err ]; then fail "KATA_WARNINGS=0 leaves $(cat err)"; fi
expect 0 check --werror good.kata
KATA_WARNINGS=2 expect 1 check good.kata
expect_text err "error: the environment variable KATA_WARNINGS is '2', not 0 or 1"
for kernels in "$KATA_SOURCE"/apps/*/*.kata; do
    case $kernels in */blur.kata) continue ;; esac # begins with a constant of the program's
    expect 0 check --werror "$kernels"
done
: >empty.kata
echo '// nothing' >words.kata
for file in empty.kata words.kata; do
    expect 0 check "$file"
    expect_in err "$file:1:1: warning: the file has no kernel, function or constant"
    expect_text out "no kernels"
    expect 1 check --quiet --werror "$file"
    expect 1 compile "$file"
    expect_in err "kata compile: $file has no kernels"
done
echo 'const int R = 2;' >constants.kata # for others to import
expect 0 check --werror constants.kata
expect_text out "no kernels"
[ ! -s err ] || fail "a file of constants: $(cat err)"
expect_usage "kata check: no file is given; name one, or - to read standard input" check
echo 'const int R; kernel f(in double u, out double v) { v = u[R]; }' >radius.kata
expect 0 check --constants R=8 radius.kata
expect_in out "[8]"
expect 1 check radius.kata
expect_in err "constant 'R' has no value"
if ! "$kata" check - <good.kata >out; then fail "check - refuses a good text"; fi
expect_text out "${description[@]}"
if "$kata" check - <bad.kata 2>err; then fail "check - accepts a bad text"; fi
expect_text err "standard input${diagnostic[0]#bad.kata}" "${diagnostic[@]:1}"

# files that import others
mkdir parts
echo 'const int R = 2;' >parts/radius.kata
printf 'import "parts/radius.kata";\nkernel f(in double u, out double v) { v = u[R]; }\n' >several.kata
expect 0 check several.kata
expect_in out "reads u[2]"
if ! "$kata" check - <several.kata >out; then fail "check - does not import"; fi
expect_in out "reads u[2]"
expect 0 check --constants R=8 several.kata
expect_in out "reads u[8]"
expect 0 check --quiet --whole whole.kata several.kata
expect_text whole.kata "$(cat several.kata)" '#file "parts/radius.kata"' "const int R = 2;"
expect 0 check --quiet --whole - several.kata
diff out whole.kata || fail "--whole - is not standard output"
"$kata" check --quiet --whole /dev/stdout several.kata >out
diff out whole.kata || fail "--whole /dev/stdout is not standard output"
"$kata" check --quiet --whole /dev/stdout several.kata | cat >out
diff out whole.kata || fail "--whole /dev/stdout is not standard output, which is a pipe"
ln -s several.kata link.kata
for file in several.kata link.kata parts/radius.kata; do
    expect 1 check --quiet --whole $file several.kata
    expect_text err "kata check: --whole would replace $file, which is read: name another file, or - for standard output"
done
expect_usage "kata explain: --to would write to several.kata, which is read: name another file" \
    explain --to several.kata several.kata

# a file that cannot be written stays as it was
echo old >kept
for words in "check --quiet --whole kept several.kata" "partition 8x8 --levels 2 --json kept" \
    "wisdom export kept"; do
    # shellcheck disable=SC2086
    said=$(ulimit -f 0 && "$kata" $words 2>&1 >/dev/null | cat) || true
    [[ $said == *"cannot write kept: File too large"* ]] || fail "no room, kata $words: $said"
    expect_text kept old
    [ -z "$(find . -name '.kata-*')" ] || fail "kata $words leaves a draft"
done
ln -s nowhere/at/all astray
for words in "check --quiet --whole astray several.kata" "wisdom export astray"; do
    # shellcheck disable=SC2086
    expect 1 $words
    expect_in err "cannot write astray: it is a symbolic link that leads to no file"
done
ln -s nowhere/at/all astray.png
expect 1 run heat --output astray.png
expect_text err "kata run heat: astray.png cannot be written: it is a symbolic link that leads to no file"
rm -r parts
expect 0 check --werror whole.kata
expect_in out "reads u[2]"
expect 1 check --quiet --whole whole.kata several.kata
expect_text err "several.kata:1:8: error: cannot import 'parts/radius.kata': No such file or directory" \
    '    import "parts/radius.kata";' "           ^"
expect 1 check --quiet --whole none/whole.kata good.kata
expect_text err "kata check: cannot write none/whole.kata: No such file or directory"
expect_usage "kata check: --whole writes one text; name one file" \
    check --whole whole.kata good.kata whole.kata

# ---- output ------------------------------------------------------------------------------------

if "$kata" info >/dev/full 2>err; then fail "a full disk is not noticed"; fi
expect_text err "kata: cannot write to standard output"
# What is closed gives its number to no file, which would get what is printed.
printf '%s\n' 'kernel start(out double u) { u = ix; }' 'kernel all(in double u, sum double s) { s += u; }' >start.kata
expect 0 apply start.kata start u=u.npy --size 8
if "$kata" apply start.kata all u=u.npy --quiet >&- 2>err; then fail "closed output is not noticed"; fi
expect_text err "kata: cannot write to standard output"
"$kata" apply start.kata start u=u.npy --size 8 --summary --timeline closed.json --quiet 2>&- ||
    fail "kata apply fails where standard error is closed"
if grep -q summary closed.json; then fail "a file gets what goes to standard error: $(cat closed.json)"; fi
# A misspelt variable is told by the names in src/api/switch.c: all that are read
read_names() # pattern
{
    grep -rhoE "$1" "$KATA_SOURCE/src" --include='*.[ch]' | grep -oE '"KATA_[A-Z0-9_]+"' | tr -d '"' | sed 's/^KATA_//'
}
while read -r name; do
    grep -q "\"$name\"" "$KATA_SOURCE/src/api/switch.c" || fail "src/api/switch.c lacks KATA_$name"
done < <({ read_names '(environment_get|getenv|setting)\("KATA_[A-Z0-9_]+"'; read_names 'api_read_switch\(k, "KATA_[A-Z0-9_]+"'; } | sort -u)

finish
