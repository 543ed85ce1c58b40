/* A program with names of its own, which functions inside the library have too. */
#include <kata/kata.h>

#include <stdio.h>

static int calls;

int arena_alloc(void) { return ++calls; }
int clock_seconds(void) { return ++calls; }
int hash_bytes(void) { return ++calls; }
int ir_simplify(void) { return ++calls; }

int main(void)
{
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_1d(k, 8);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_module *m = kata_module_from_text(k, "count", "kernel count(out double u) { u = ix; }");
    kata_apply(kata_kernel_find(m, "count"), kata_all(g), u);
    double values[8] = {0};
    kata_get(u, kata_all(g), values, 8);
    printf("%g %d\n", values[7], calls);
    return kata_close(k);
}
