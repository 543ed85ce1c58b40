#!/usr/bin/env bash
# Every block marked kata in the documents is a kernel file that compiles, on its own or with those
# that it imports: a block marked `kata NAME.kata` is a file of that name. What docs/ir.md shows of its
# example is what the command prints. The example programs are C11.
set -euo pipefail
kata=$KATA_BUILD/kata

blocks=0
for document in "$KATA_SOURCE"/docs/*.md; do
    rm -f ./*.kata
    awk -v document="$(basename "$document" .md)" '
        /^```kata( .*)?$/ { file = NF > 1 ? $2 : sprintf("block_%s_%d.kata", document, NR); next }
        /^```$/ { file = "" }
        file { print > file }' "$document"
    for block in *.kata; do
        if [ ! -e "$block" ]; then continue; fi
        blocks=$((blocks + 1))
        "$kata" check "$block" >/dev/null
    done
done
if [ "$blocks" -lt 5 ]; then
    echo "only $blocks examples were found"
    exit 1
fi

awk '/^```kata$/ { show = 1; next } /^```$/ { show = 0 } show' "$KATA_SOURCE/docs/ir.md" >ir.kata
"$kata" check --ir ir.kata >printed
# blocks without a word after the fence show what is printed
awk '/^```/ { inside = !inside; show = inside && $0 == "```"; next } show' \
    "$KATA_SOURCE/docs/ir.md" >shown
diff <(grep -v '^$' printed) shown

# The programs are C11, without extensions of a C library.
for program in "$KATA_SOURCE"/examples/*.c; do
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$KATA_SOURCE/include" -fsyntax-only "$program"
done
