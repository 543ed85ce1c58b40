# What a compiler says of calls that cannot be right: a string where a kernel is expected, a field
# where a range is, an option without its name. Each program below is refused by every compiler found,
# as C and as C++, with a word that helps; the last ones are right, and accepted without a warning.
# Labels: slow
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # the same in every build, of which nothing is run
include=$KATA_SOURCE/include

program() # statements
{
    cat <<END
#include <kata/kata.h>
void f(kata *k, kata_grid *g, kata_module *m, kata_field *u, kata_field *v, kata_kernel *heat,
       const kata_field *read, const kata_scalar *dt, const kata_kernel *heat_too, double *values);
void f(kata *k, kata_grid *g, kata_module *m, kata_field *u, kata_field *v, kata_kernel *heat,
       const kata_field *read, const kata_scalar *dt, const kata_kernel *heat_too, double *values)
{
    (void)k, (void)g, (void)m, (void)u, (void)v, (void)heat, (void)read, (void)dt, (void)heat_too;
    (void)values;
    $1
}
END
}

# gcc's own words for an option without its name differ between C and C++.
compile() # compiler...
{
    "$@" -Wall -Wextra -I "$include" -c program.c -o program.o >log 2>&1
}

compilers=()
for compiler in "gcc -std=c11" "gcc -std=c17" "clang -std=c17 -Werror=int-conversion" \
    "g++ -x c++ -std=c++17" "g++ -x c++ -std=c++20" "clang++ -x c++ -std=c++17"; do
    if command -v "${compiler%% *}" >/dev/null; then compilers+=("$compiler"); fi
done
test "${#compilers[@]}" -ge 2

refused() # word statements
{
    local compiler
    program "$2" >program.c
    for compiler in "${compilers[@]}"; do
        # shellcheck disable=SC2086 # words
        if compile $compiler; then
            echo "$compiler accepts: $2"
            exit 1
        fi
        grep -qE "$1" log || { echo "$compiler, of $2:"; cat log; exit 1; }
    done
}

accepted() # statements
{
    local compiler
    program "$1" >program.c
    for compiler in "${compilers[@]}"; do
        # shellcheck disable=SC2086 # words
        compile $compiler -Wpedantic -Werror || { echo "$compiler, of $1:"; cat log; exit 1; }
    done
}

unnamed='designated|kata_option_without_a_name'
refused "$unnamed" 'kata_field_new(g, "u", KATA_F64, KATA_PERIODIC);'
refused "$unnamed" 'kata_field_wrap(g, "u", KATA_F64, values, 3);'
refused "$unnamed" 'kata_module_load(k, "wave.kata", 8);'
refused "$unnamed" 'kata_save(u, "u.png", 0.5);'
refused "$unnamed" 'kata_module_compile(m, "heat", 1);'
refused 'kata_apply.takes.a.kernel.first.+as.kata_kernel_find' 'kata_apply("heat", kata_all(g), u, v);'
refused 'kata_apply.takes.a.kernel.first.+as.kata_kernel_find' 'kata_apply(m, kata_all(g), u, v);'
refused 'a.range.is.expected.+kata_all.+kata_on' 'kata_apply(heat, u, v);'
refused 'a.range.is.expected.+kata_all.+kata_on' 'kata_apply(heat, g, u, v);'
refused 'scalar.is.expected.+kata_scalar_new|kata_field.+kata_scalar' \
    'for (kata_until s = kata_until_below(u, 1, .most = 9, .every = 3); kata_until_next(&s);) {}'
refused 'scalar.is.expected.+kata_scalar_new|kata_field.+kata_scalar' 'kata_scalar_get(u, values);'
refused 'kata_apply.takes.fields' 'kata_apply(heat, kata_all(g), u, "v");'

accepted 'kata_apply(heat, kata_all(g), u, v, 0.1, 3, values, dt);'
accepted 'enum { N = 3 }; enum kind { A, B } b = B; kata_apply(heat, kata_all(g), u, N, A, b); kata_fill(u, kata_all(g), N);'
accepted 'kata_apply(heat_too, kata_inner(g, 1), read, v);'
accepted 'kata_apply(heat, kata_once(k));'
accepted 'kata_apply(kata_kernel_find(kata_module_from_text(k, "k", ""), "one"), kata_all(g), u);'
accepted 'const kata_range all = kata_all(g); kata_apply(heat, all, u); kata_get(u, all, values, 8);'
accepted 'kata_field_new(g, "u", KATA_F64, .components = 9, .boundary = KATA_PERIODIC);'
accepted 'kata_field_wrap(g, "u", KATA_F64, values, .stride = {1, 130}, .ghosts_x = 2);'
accepted 'kata_scalar *s = kata_scalar_new(k, "s", KATA_F64); kata_scalar_get(s, values);
    for (kata_until t = kata_until_below(s, 1, .most = 9, .every = 3); kata_until_next(&t);) {}'
accepted 'kata_module_compile(m, NULL); kata_save(u, "u.png", .low = 0, .high = 1);'
accepted 'kata_options o = {0}; o.threads = 3; kata_open(&o); kata_open(NULL);'
