#!/usr/bin/env bash
# The pairs of docs/loops.md: each loop and the application of its kernel give the same values. The
# blocks are taken out of the document; loops.h holds what they share.
# Labels: slow
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # the program is built as users build theirs

awk '
    /^```/ && block { block = ""; next }
    /^```c loop$/ { pair++; block = "loop"; file = "loop_" pair ".c"; next }
    /^```kata$/ { block = "kata"; file = "pair_" pair ".kata"; next }
    /^```c apply$/ { block = "apply"; file = "apply_" pair ".c"; next }
    block { print > file }' "$KATA_SOURCE/docs/loops.md"

pairs=$(find . -name 'loop_*.c' | wc -l)
if [ "$pairs" -lt 12 ]; then
    echo "only $pairs pairs were found"
    exit 1
fi

{
    echo "#include \"$KATA_SOURCE/tests/docs/loops.h\""
    for ((i = 1; i <= pairs; i++)); do
        printf 'static void loop_%d(void)\n{\n%s\n}\n' "$i" "$(cat "loop_$i.c")"
        printf 'static int pair_%d(void)\n{\n    world x;\n    begin(&x);\n' "$i"
        printf '    x.m = kata_module_load(x.k, "pair_%d.kata");\n' "$i"
        for field in u v w a b f g c d; do printf '    kata_field *%s = x.%s;\n' $field $field; done
        echo '    kata *k = x.k;'
        echo '    kata_grid *grid = x.grid, *grid_3d = x.grid_3d, *coarse = x.coarse, *fine = x.fine;'
        echo '    (void)u, (void)v, (void)w, (void)a, (void)b, (void)f, (void)g, (void)c, (void)d;'
        echo '    (void)k, (void)grid, (void)grid_3d, (void)coarse, (void)fine;'
        sed -nE 's/^kernel ([a-z_]+)\(.*/    kata_kernel *\1 = kata_kernel_find(x.m, "\1");/p' "pair_$i.kata"
        printf '%s\n    loop_%d();\n    return end(&x, "pair %d");\n}\n' "$(cat "apply_$i.c")" "$i" "$i"
    done
    echo 'int main(void)'
    echo '{'
    echo '    int wrong = 0;'
    for ((i = 1; i <= pairs; i++)); do echo "    wrong |= pair_$i();"; done
    echo '    return wrong;'
    echo '}'
} >loops.c

cc -std=c17 -O1 -Wall -Wextra -Werror -I"$KATA_SOURCE/include" loops.c -o loops \
    -L"$KATA_BUILD" -Wl,-rpath,"$KATA_BUILD" -lkatagami -lm
./loops 2>warnings
if [ -s warnings ]; then
    cat warnings
    exit 1
fi
for kernels in pair_*.kata; do "$KATA_BUILD/kata" check --werror --quiet "$kernels"; done
