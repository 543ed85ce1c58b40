#!/usr/bin/env bash
# docs/tutorial.md as a new user follows it: its files are C without warnings, its commands print what
# stands there, or succeed where what they print depends on the machine (blocks marked sh).
# Labels: optimised
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # programs are built as users build theirs
# shellcheck source=tests/docs/console.bash
. "$KATA_SOURCE/tests/docs/console.bash"
# shellcheck source=tests/docs/installed.bash
. "$KATA_SOURCE/tests/docs/installed.bash"

page=$KATA_SOURCE/docs/tutorial.md
cp "$KATA_SOURCE"/tests/docs/{first.c,transport.c,transport.kata} .
check_kernels "$page" transport.kata
check_console "$page"
awk '/^```sh$/ { show = 1; next } /^```$/ { show = 0 } show' "$page" >commands
test "$(wc -l <commands)" -ge 4
bash -e commands >/dev/null 2>printed || { cat printed; exit 1; }
test -s transport.png
