#!/usr/bin/env bash
# The commands of the README that begin with kata succeed, and say something or write a file, beside
# its programs.
# Labels: slow
set -euo pipefail
cp "$KATA_SOURCE"/tests/install/heat.{c,kata} .
PATH=$KATA_BUILD:$PATH

grep -E '^    kata [a-z]' "$KATA_SOURCE/README.md" >commands
: >out
while read -r command; do
    command=${command%%#*}
    before=$(ls)
    if ! $command >out </dev/null || { [ ! -s out ] && [ "$before" = "$(ls)" ]; }; then
        echo "the README's command fails: $command"
        exit 1
    fi
done <commands
if [ "$(wc -l <commands)" -lt 3 ]; then
    echo "commands are missing"
    exit 1
fi
