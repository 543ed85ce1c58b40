#!/usr/bin/env bash
# examples/poisson.c solves random problems with manufactured solutions, of any even sizes, walls and
# coefficients: to second order, in few steps, with the same numbers on any number of threads. What it
# cannot solve it refuses with a message.
# Labels: slow
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # programs are built as users build theirs
export LD_LIBRARY_PATH=$KATA_BUILD
cp "$KATA_SOURCE"/examples/poisson.{c,kata} .
cc -Wall -Wextra -Wpedantic -Werror -I"$KATA_SOURCE/include" poisson.c -o poisson -L"$KATA_BUILD" -lkatagami -lm

failures=0
fail() # message
{
    echo "FAILED: $1"
    failures=$((failures + 1))
}
# A number from 0 below a limit.
draw() # limit
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}
seed=20 problems=6
if [ "${KATA_TEST_FULL:-0}" = 1 ]; then problems=20; fi
for ((problem = 1; problem <= problems; problem++)); do
    walls="" sizes=() twice=() numbers=()
    for _ in {1..6}; do
        draw 2
        walls+=$([ "$drawn" -eq 1 ] && echo h || echo i)
    done
    if [ "$walls" = iiiiii ]; then walls=iiiihi; fi
    for d in 0 1 2; do
        draw 4
        sizes[d]=$((2 * drawn + 12)) twice[d]=$((4 * drawn + 24))
        draw 400
        numbers[d]=$(awk "BEGIN { print ($drawn - 200)/100 }")
    done
    KATA_THREADS=1 ./poisson "${sizes[@]}" "$walls" "${numbers[@]}" >coarse || fail "problem $problem, coarse"
    KATA_THREADS=2 ./poisson "${twice[@]}" "$walls" "${numbers[@]}" >fine || fail "problem $problem, fine"
    if ! awk '{ e[NR] = $4; if ($1 > 40) exit 1 } END { ratio = e[1]/e[2]; exit !(ratio > 3.2 && ratio < 5) }' coarse fine; then
        fail "problem $problem (${sizes[*]} $walls ${numbers[*]}): $(cat coarse fine)"
    fi
done
KATA_THREADS=1 ./poisson 24 20 12 hihhii >one
KATA_THREADS=3 ./poisson 24 20 12 hihhii >three
if ! diff one three; then fail "other numbers on three threads"; fi

# What is refused.
refuse() # code text argument...
{
    local wanted=$1 text=$2 code=0
    shift 2
    ./poisson "$@" >out 2>err || code=$?
    if [ "$code" -ne "$wanted" ] || ! grep -qF -- "$text" err; then fail "poisson $*: $code, $(cat err)"; fi
}
refuse 2 "poisson: 15 cells cannot be halved: give an even number" 16 15 16 hhhhhh
refuse 2 "at least one held" 16 16 16 iiiiii
refuse 1 "poisson: 200 steps have not been enough: make cells less flat" 1024 2 2 iihhhi 0 0 0
refuse 1 "the limit for 'norm' is NaN" 16 16 16 hhhhhh 2000 0 0
[ "$failures" -eq 0 ]
