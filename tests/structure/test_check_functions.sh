# check_functions accepts short files and functions, and names those that are not.
set -euo pipefail
# shellcheck source=tests/structure/structure.bash
. "$KATA_SOURCE/tests/structure/structure.bash"
lists "$KATA_SOURCE/tests/structure/check_functions" long_files long_functions

function_of() # lines name
{
    printf 'static int %s(int first,\n    int second)\n{\n' "$2"
    for ((i = 4; i < $1; i++)); do echo '    first++;'; done
    printf '}\n\n'
}

fresh()
{
    rm -rf tree
    mkdir -p tree/src/ir
    {
        printf '/* A file\n * of functions. */\n#include "ir.h"\n\nstatic const int table[] = {\n    1,\n};\n\n'
        printf 'static int one(void) { return 1; }\n'
        for n in 1 2 3 4 5 6 7 8 9; do function_of 20 "function_$n"; done
    } >tree/src/ir/fold.c
    printf 'int ir_fold(int first,\n            int second);\n' >tree/src/ir/ir.h
}

fresh
expect "" tree

fresh
function_of 40 long >>tree/src/ir/fold.c
expect "" tree
fresh
function_of 41 longer >>tree/src/ir/fold.c
expect "src/ir/fold.c:199: longer has 41 lines" tree

# One function of eleven may be longer than usual, two of twelve may not.
fresh
function_of 21 exception >>tree/src/ir/fold.c
expect "" tree
function_of 21 second_exception >>tree/src/ir/fold.c
expect "src:1: nine tenths of 12 functions have up to 21 lines; at most 20" tree

fresh
seq 400 | sed 's|^|// |' >tree/src/ir/long.c
expect "" tree
echo '// 401' >>tree/src/ir/long.c
expect "src/ir/long.c:401: 401 lines" tree

# Exceptions have reasons, and go when they are none any more.
fresh
seq 401 | sed 's|^|// |' >tree/src/ir/long.c
function_of 41 longer >>tree/src/ir/fold.c
lists "$KATA_SOURCE/tests/structure/check_functions" "long_files=src/ir/long.c a table" "long_functions=longer a table"
expect "" tree
fresh
expect "src:1: longer is listed as long in check, and is not" tree
seq 400 | sed 's|^|// |' >tree/src/ir/long.c
expect "src/ir/long.c:1: is listed as long in check, and is not" tree

[ "$failures" -eq 0 ]
