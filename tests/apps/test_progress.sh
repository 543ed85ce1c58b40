#!/usr/bin/env bash
# Progress is a line redrawn and at last erased on a terminal, and not drawn anywhere else.
# Labels: optimised slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"
if ! command -v script >/dev/null; then exit 77; fi

# A run of some tenths of a second, as if typed at a terminal; what it shows goes to `screen`.
at_terminal() # argument...
{
    TERM=xterm KATA_EXECUTOR=reference \
        script -qec "'$kata' run heat --size 48 $*" /dev/null >screen </dev/null
}

at_terminal
erase=$'\r\e[K'
line=$'\rheat \[[#.]{24}\] +[0-9]+%  [0-9]+ Mpoints/s(  [0-9:]+ left)?\e\[K'
if ! grep -qE "$line" screen; then fail "a terminal shows no progress"; fi
if ! grep -qF "$erase" screen; then fail "the progress is not erased"; fi
if ! tail -n 1 screen | grep -qF "wrote heat.png"; then fail "the result does not stand last"; fi

at_terminal --quiet
if grep -qF "$erase" screen; then fail "--quiet shows progress"; fi

end_if_sanitized # what follows are the same lines on other terminals, and kata apply

# What is still to do is estimated anew several times; what is done does not become less. A fast
# machine needs a larger cavity until a run is long enough for three lines.
for size in 32 64 96 128 192 256; do
    TERM=xterm script -qec "'$kata' run cavity --re 400 --size $size" /dev/null >screen </dev/null || true # not the literature's grid
    grep -oE ' [0-9]+%' screen | tr -d ' %' >shares || true
    if [ "$(wc -l <shares)" -ge 3 ]; then break; fi
done
[ "$(wc -l <shares)" -ge 3 ] || fail "no shares"
sort -nC shares || fail "the progress goes backwards: $(tr '\n' ' ' <shares)"

KATA_EXECUTOR=reference expect 0 run heat --size 48
if grep -qF $'\e' err out; then fail "a file gets what only terminals understand"; fi

# The line fits the terminal, whose last column stays free: the bar shrinks, then the note goes.
# A terminal of no known width has COLUMNS, or 80.
longest() # the longest line drawn on `screen`
{
    tr '\r' '\n' <screen | sed 's/\x1b\[K//g' | grep -E '%|so far' | awk '{ if (length > n) n = length } END { print n + 0 }'
}
short="--re 400 --size $((size * 5 / 4)) --most-steps 20000" # not steady, which does not matter
for width in 20 40 60 100; do
    TERM=xterm script -qec "stty cols $width; '$kata' run cavity $short" /dev/null >screen </dev/null || true
    length=$(longest)
    [ "$length" -lt "$width" ] || fail "a line of $length characters on a terminal of $width"
    [ "$length" -gt 10 ] || fail "no line on a terminal of $width"
done
COLUMNS=30 TERM=xterm script -qec "stty cols 0; '$kata' run cavity $short" /dev/null >screen </dev/null || true
length=$(longest)
if [ "$length" -ge 30 ] || [ "$length" -le 10 ]; then fail "COLUMNS is ignored"; fi
TERM=xterm script -qec "stty cols 0; unset COLUMNS; '$kata' run cavity $short" /dev/null >screen </dev/null || true
length=$(longest)
if [ "$length" -ge 80 ] || [ "$length" -le 40 ]; then fail "a terminal of unknown width has not 80 columns"; fi

# kata apply shows its steps on a terminal, and nothing elsewhere.
cat >k.kata <<'END'
kernel start(out double u) { u = ix; }
kernel heat(in double u, out double v) { v = u + 0.1*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }
END
export KATA_EXECUTOR=reference # slow enough to show something
expect 0 apply k.kata start --size 300x200 u=u.npy
steps="apply k.kata heat u=u.npy v=v.npy --boundary clamp --steps 60"
TERM=xterm script -qec "'$kata' $steps" /dev/null >screen </dev/null
line=$'\rheat \[[#.]{24}\] +[0-9]+%  [0-9]+ Mpoints/s(  [0-9:]+ left)?\e\[K'
grep -qE "$line" screen || fail "kata apply shows no progress: $(cat -v screen)"
tail -c 5 screen | grep -qF "$erase" || fail "the progress of kata apply is not erased"
TERM=xterm script -qec "'$kata' $steps --quiet" /dev/null >screen </dev/null
[ ! -s screen ] || fail "--quiet shows $(cat -v screen)"
# shellcheck disable=SC2086
expect 0 $steps
[ ! -s err ] || fail "kata apply shows progress in a file"
finish
