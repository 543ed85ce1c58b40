#!/usr/bin/env bash
# The programs of docs/fields.md are C and C++ without warnings, and print what stands below them.
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # programs are built as users build theirs

awk '
    /^```/ && block { block = ""; next }
    /^```c program$/ { program++; block = "program_" program ".c"; next }
    /^```text$/ { block = "expected_" program; next }
    block { print > block }' "$KATA_SOURCE/docs/fields.md"

programs=$(find . -name 'program_*.c' | wc -l)
if [ "$programs" -lt 2 ]; then
    echo "only $programs programs were found"
    exit 1
fi

flags=(-O1 -Wall -Wextra -Wpedantic -Werror "-I$KATA_SOURCE/include")
library=("-L$KATA_BUILD" "-Wl,-rpath,$KATA_BUILD" -lkatagami -lm)
for ((i = 1; i <= programs; i++)); do
    cc -std=c17 "${flags[@]}" "program_$i.c" -o as_c "${library[@]}"
    c++ -std=c++17 "${flags[@]}" -x c++ "program_$i.c" -x none -o as_cpp "${library[@]}"
    for program in ./as_c ./as_cpp; do
        "$program" >printed 2>warnings
        diff "expected_$i" printed
        diff /dev/null warnings
    done
done
