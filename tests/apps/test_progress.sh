#!/usr/bin/env bash
# Progress is a line redrawn and at last erased on a terminal, and not drawn anywhere else.
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

# What is still to do is estimated anew several times; what is done does not become less.
TERM=xterm script -qec "'$kata' run cavity --re 400 --size 80" /dev/null >screen </dev/null
grep -oE ' [0-9]+%' screen | tr -d ' %' >shares
[ "$(wc -l <shares)" -ge 3 ] || fail "no shares"
sort -nC shares || fail "the progress goes backwards: $(tr '\n' ' ' <shares)"

KATA_EXECUTOR=reference expect 0 run heat --size 48
if grep -qF $'\e' err out; then fail "a file gets what only terminals understand"; fi
finish
