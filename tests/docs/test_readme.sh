#!/usr/bin/env bash
# The commands of the README that begin with kata succeed and say something, beside its programs.
set -euo pipefail
cp "$KATA_SOURCE"/tests/install/heat.{c,kata} .
PATH=$KATA_BUILD:$PATH

grep -E '^    kata [a-z]' "$KATA_SOURCE/README.md" >commands
while read -r command; do
    command=${command%%#*}
    if ! $command >out </dev/null || [ ! -s out ]; then
        echo "the README's command fails: $command"
        exit 1
    fi
done <commands
if [ "$(wc -l <commands)" -lt 3 ]; then
    echo "commands are missing"
    exit 1
fi
