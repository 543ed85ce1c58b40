#include <kata/kata.h>

int main(void)
{
    kata *k = kata_open(NULL);                       /* threads and caches: found by itself */
    kata_grid *g = kata_grid_2d(k, 4096, 2048);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");

    kata_module *m = kata_module_load(k, "heat.kata");
    kata_kernel *start = kata_kernel_find(m, "start"), *heat = kata_kernel_find(m, "heat");

    kata_apply(start, kata_all(g), u);
    for (int t = 0; t < 1000; t++) {
        kata_apply(heat, kata_all(g), u, v, 0.1);     /* queued, not run */
        kata_swap(u, v);
    }
    kata_save(u, "heat.vtkhdf");                      /* forces the chain, then writes */
    return kata_close(k);                             /* 0, or the first error's code */
}
