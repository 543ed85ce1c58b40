#!/usr/bin/env bash
# docs/refusals.md has a row for every message that the fixtures expect of the language and of
# applications, with a remedy, and no row for one that cannot be had. In a row, … stands for any text.
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # the same in every build, of which nothing is run
cd "$KATA_SOURCE"

# Errors and warnings in a kernel text, without their locations.
for kind in error warning; do
    cat tests/language/*."$kind" tests/misuse/*.txt |
        sed -nE "s/^(error: )?[^ :]+:[0-9]+:[0-9]+: $kind: //p"
done | sort -u >"$OLDPWD/messages"

sed -nE 's/^\| `([^`]*)` \| .+ \|$/\1/p' docs/refusals.md >"$OLDPWD/rows"
cd "$OLDPWD"
sed -E 's/[][\\.*^$+?(){}|]/\\&/g; s/…/.*/g' rows >patterns

if grep -vxEf patterns messages >missing; then
    sed 's/^/docs\/refusals.md has no row for: /' missing
    exit 1
fi
paste -d '\t' patterns rows | while IFS=$'\t' read -r pattern row; do
    if ! grep -qxE -- "$pattern" messages; then echo "no fixture gives: $row"; fi
done >stale
if [ -s stale ]; then
    cat stale
    exit 1
fi
