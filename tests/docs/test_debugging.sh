#!/usr/bin/env bash
# The commands of docs/debugging.md print what stands there. A block marked console holds commands
# behind "$ ", each followed by its output. With KATA_FIXTURES_UPDATE=1 the document is rewritten.
set -euo pipefail
document=$KATA_SOURCE/docs/debugging.md
export PATH=$KATA_BUILD:$PATH

sanitizers=()
if [ "$KATA_SANITIZED" = 1 ]; then sanitizers=(-fsanitize=address -fsanitize=undefined); fi
cp "$KATA_SOURCE"/tests/docs/probe.* .
cc "${sanitizers[@]}" probe.c -o probe -I"$KATA_SOURCE/include" -L"$KATA_BUILD" -lkatagami \
    "-Wl,-rpath,$KATA_BUILD"

# the kernels shown are those of the program
awk '/^```kata$/ { show = 1; next } /^```$/ { show = 0 } show' "$document" | diff - probe.kata

console=0
while IFS= read -r line; do
    if [ "$line" = '```' ]; then console=0; fi
    if [ "$console" = 0 ] || [[ $line == '$ '* ]]; then printf '%s\n' "$line"; fi
    if [ "$line" = '```console' ]; then console=1; fi
    if [ "$console" = 1 ] && [[ $line == '$ '* ]]; then bash -c "${line#??}" </dev/null 2>&1 || true; fi
done <"$document" >found.md

if [ "${KATA_FIXTURES_UPDATE:-0}" = 1 ]; then cp found.md "$document"; fi
diff "$document" found.md
