#!/usr/bin/env bash
# kata tune finds the fastest plans of a program's chains, which changes no result, and the next
# start uses them; kata wisdom lists, carries and forgets them, and says what is wrong with a file.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
if [ "$KATA_HOSTILE" = 1 ]; then exit 77; fi # its queue is too short
export KATA_CACHE_DIR=$PWD/cache KATA_L2=16384 KATA_THREADS=2

cat >k.kata <<'END_OF_KERNELS'
kernel start(out double u) { u = 0.1*ix + 0.01*iy; }
kernel heat(in double u, out double v) { v = 0.25*(u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]); }
END_OF_KERNELS
expect 0 apply k.kata start --size 32x32x32 u=u.npy
steps=(apply k.kata heat u=u.npy v=v.npy --boundary clamp)
KATA_WISDOM=0 expect 0 "${steps[@]}" --steps 40000
mv v.npy expected.npy
expect 0 wisdom
[ "$(wc -l <out)" = 1 ] || fail "something is kept before anything was tuned: $(cat out)"

expect 0 tune --runs 12 --to tried.txt -- "$KATA_BUILD/kata" "${steps[@]}" --steps 40000
cmp v.npy expected.npy || fail "tuning changes results"
for way in loops 'cache=[0-9]+'; do
    grep -qE "^  heat, .*; tried, seconds per loop: .*\\b$way " tried.txt || fail "$way not tried: $(cat tried.txt)"
done
if grep -q 'searching' tried.txt; then fail "the search has not ended: $(cat tried.txt)"; fi
expect 0 wisdom list
grep -qE '^heat +32x32x32 +2 +[0-9]+ +[0-9.]+  (tiled|shared|loops)' out || fail "nothing is kept: $(cat out)"

# The next start tries nothing.
KATA_EXPLAIN=text KATA_EXPLAIN_QUICK=1 KATA_EXPLAIN_FILE=next.txt expect 0 "${steps[@]}" --steps 100
[ "$(grep -c '  heat, 100 loops' next.txt)" = 1 ] || fail "chains: $(cat next.txt)"
if grep -q '  heat, .*,.*,.*seconds per loop:.*,' next.txt; then fail "something was tried: $(cat next.txt)"; fi

KATA_TUNE=none/x expect 1 "${steps[@]}" --steps 100
expect_text err "error: the environment variable KATA_TUNE names none/x, which cannot be written: No such file or directory"

# From one folder to another.
expect 0 wisdom export kept.txt
expect_in kept.txt "katagami wisdom 2"
expect 0 wisdom forget wave
expect_text out "nothing is forgotten: no chain that is kept begins with the kernel 'wave'"
expect 0 wisdom forget heat
expect_text out "1 chain is forgotten"
expect 0 wisdom forget
expect_text out "nothing is forgotten: no chains are kept"
expect 0 wisdom merge kept.txt kept.txt
expect 0 wisdom export -
cmp out kept.txt || fail "something else comes back"
expect 0 wisdom import kept.txt --cache other
[ -s other/wisdom ] || fail "another folder takes nothing"

printf 'katagami wisdom 2\nchain 5\n' >wrong.txt
mkdir -m 700 damaged
cp wrong.txt damaged/wisdom
expect 0 wisdom --cache damaged
expect_in err "line 2 of $PWD/damaged/wisdom is no wisdom of this version of Katagami"
expect 0 wisdom merge kept.txt --cache damaged
cmp damaged/wisdom.before wrong.txt || fail "a damaged file of wisdom is lost where another takes its place"
cmp damaged/wisdom kept.txt || fail "wisdom is not kept beside a damaged file"
cp wrong.txt damaged/wisdom
rm damaged/wisdom.before
KATA_CACHE_DIR=damaged expect 0 tune -- "$kata" "${steps[@]}" --steps 500
cmp damaged/wisdom.before wrong.txt || fail "a program loses a damaged file of wisdom"
expect 1 wisdom merge wrong.txt
expect_in err "line 2 is none of kata_wisdom_export"
mkfifo pipe
for file in /dev/null pipe .; do
    expect 1 wisdom import $file
    expect_text err "kata wisdom: cannot read $file: it is not an ordinary file; - reads standard input"
done
"$kata" wisdom merge - <kept.txt || fail "standard input is not read"
expect 1 wisdom --cache /dev/null
expect_text err "kata wisdom: --cache /dev/null cannot be the cache folder; docs/compiling.md says why"
expect 1 wisdom import none.txt
expect_text err "kata wisdom: cannot read none.txt: No such file or directory"
expect 1 wisdom export none/at/all
expect_text err "kata wisdom: cannot write none/at/all: No such file or directory"
head -c 3000000 /dev/zero >large.txt
expect 1 wisdom import large.txt
expect_text err "kata wisdom: cannot read large.txt: it is too large"
expect 0 wisdom export -
cmp out kept.txt || fail "a wrong file has changed something"
expect 2 wisdom export
expect_text err "kata wisdom: name a file: kata wisdom export FILE"
expect 2 wisdom merg kept.txt
expect_text err "kata wisdom: there is no action 'merg'; did you mean 'merge'?"
expect 2 wisdom list kept.txt
expect_text err "kata wisdom: list takes no words; there is 'kept.txt', too"

expect 2 tune
expect_text err "kata tune: name the program to run: kata tune -- PROGRAM"
expect 1 tune -- true
expect_text err "kata tune: the program has run no chain of kernels"
expect 3 tune -- sh -c 'exit 3'
expect_text err "kata tune: 'sh' has ended with exit code 3: the search ends"
expect 0 tune -- "$KATA_BUILD/kata" "${steps[@]}" --steps 9
expect_in err "nothing was compared: no chain of loops ran often enough in a run: take more time steps"

# Who ends kata tune ends the program, too.
gone() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"; }
"$KATA_BUILD/kata" tune -- sh -c 'echo $$ >pid; exec sleep 60' >/dev/null 2>&1 &
tune=$!
for ((i = 0; i < 100; i++)); do [ -s pid ] && break || sleep 0.1; done
program=$(cat pid)
kill -TERM "$tune"
wait "$tune" || true
for ((i = 0; i < 50; i++)); do gone "$program" && break || sleep 0.1; done
gone "$program" || { fail "the program goes on when kata tune is ended" && kill "$program"; }

# It leaves no file: what a killed one has left, the next removes, but not what another one uses.
mkdir temporary
export TMPDIR=$PWD/temporary
files_after() # signal
{
    rm -f pid
    "$KATA_BUILD/kata" tune -- sh -c 'echo $$ >pid; exec sleep 60' >/dev/null 2>&1 &
    tune=$!
    for ((i = 0; i < 100; i++)); do [ -s pid ] && break || sleep 0.1; done
    kill "-$1" "$tune"
    wait "$tune" || true
    files=$(find temporary -type f | wc -l)
}
for signal in HUP TERM; do # a shell lets its background ignore SIGINT
    files_after $signal
    [ "$files" = 0 ] || fail "kata tune leaves a file when it gets SIG$signal"
done
files_after KILL
[ "$files" = 1 ] || fail "kata tune has $files temporary files"
expect 3 tune -- sh -c '[ "$(find temporary -type f)" = temporary/"${KATA_TUNE##*/}" ] && exit 3'
expect 3 tune -- "$KATA_BUILD/kata" tune -- sh -c '[ "$(find temporary -type f | wc -l)" = 2 ] && exit 3'
[ -z "$(find temporary -type f)" ] || fail "kata tune leaves files"
TMPDIR=$PWD/none expect 1 tune -- true
expect_text err "kata tune: cannot make a temporary file: No such file or directory"
unset TMPDIR

KATA_L2=12 expect 1 "${steps[@]}" --steps 2
expect_in err "the environment variable KATA_L2 is '12', not bytes from 1024 to 1099511627776"
finish
