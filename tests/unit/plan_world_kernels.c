/* The kernels of random chains: texts of which the offsets, factors and shapes are drawn. Worlds
 * that share kernels have one module for each seed and number of dimensions. */
#include "plan_world.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- texts ----------------------------------------------------------------------------------- */

/* "[1,0,-2]" */
static void add_offset(world *w, text *out, int reach)
{
    text_add(out, "[");
    for (int d = 0; d < w->rank; d++)
        text_add(out, "%s%d", d ? "," : "", (int)world_from(w, -reach, reach));
    text_add(out, "]");
}

static int reach(world *w) { return world_chance(w, 80) ? 1 : 2; }

static void add_star(world *w, text *out, const char *field, int terms)
{
    for (int i = 0; i < terms; i++) {
        text_add(out, "%s0.%d*%s", i ? " + " : "", (int)world_from(w, 1, 4), field);
        add_offset(w, out, reach(w));
    }
}

static void add_gauss_seidel(world *w, text *out)
{
    text_add(out, "kernel color(inout double u) { u = 0.3*u");
    for (int d = 0; d < w->rank; d++)
        for (int side = -1; side <= 1; side += 2) {
            text_add(out, " + 0.1*u[");
            for (int e = 0; e < w->rank; e++)
                text_add(out, "%s%d", e ? "," : "", e == d ? side : 0);
            text_add(out, "]");
        }
    text_add(out, "; }\n");
}

/* Each component read and written at one offset. */
static void add_in_place(world *w, text *out)
{
    text offsets[2] = {{0}, {0}};
    for (int q = 0; q < 2; q++) add_offset(w, &offsets[q], 1);
    text_add(out, "kernel inplace(inout double f[2]) { double a = f[0]%s, b = f[1]%s; ",
             text_get(&offsets[0]), text_get(&offsets[1]));
    text_add(out, "f[0]%s = 0.5*(a + b); f[1]%s = 0.5*(a - b); }\n", text_get(&offsets[0]),
             text_get(&offsets[1]));
    for (int q = 0; q < 2; q++) text_free(&offsets[q]);
}

static void add_level(world *w, text *out, const char *field, int d, int by)
{
    text_add(out, "%s[", field);
    for (int e = 0; e < w->rank; e++) text_add(out, "%s%d", e ? "," : "", e == d ? by : 0);
    text_add(out, "]");
}

/* Levels in order: columns alone, and with neighbours. */
static void add_ordered(world *w, text *out)
{
    int d = (int)world_from(w, 0, w->rank - 1);
    char n[3] = {'n', "xyz"[d], 0};
    text_add(out,
             "kernel forth(in double u, out double v) forward(%c) { interval [0, 1) { v = u; } "
             "interval [1, %s) { v = 0.5*u + 0.4*",
             "xyz"[d], n);
    add_level(w, out, "v", d, -1);
    text_add(out, "; } }\nkernel back(inout double v) backward(%c) { v = 0.4*v + 0.3*", "xyz"[d]);
    add_level(w, out, "v", d, 1);
    text_add(out, " + 0.1*");
    add_level(w, out, "v", d, -1);
    text_add(out, "; }\n");
    if (w->rank > 1 && d > 0) {
        text_add(out, "kernel lean(inout double v) forward(%c) { v = 0.4*v + 0.3*v[", "xyz"[d]);
        for (int e = 0; e < w->rank; e++) text_add(out, "%s%d", e ? "," : "", e == d ? -1 : e == 0);
        text_add(out, "]; }\n");
    }
}

/* " finer(2,1,3)" */
static void add_ratio(const world *w, text *out, const char *word)
{
    text_add(out, " %s(", word);
    for (int d = 0; d < w->rank; d++) text_add(out, "%s%d", d ? "," : "", w->ratio[d]);
    text_add(out, ")");
}

/* A statement for each child of a point of the finer field f, or for some of them. */
static void add_children(world *w, text *out, const char *sign, int percent)
{
    for (int z = 0; z < w->ratio[2]; z++)
        for (int y = 0; y < w->ratio[1]; y++)
            for (int x = 0; x < w->ratio[0]; x++) {
                int at[3] = {x, y, z};
                if (x + y + z && !world_chance(w, percent)) continue;
                text_add(out, " f[");
                for (int d = 0; d < w->rank; d++) text_add(out, "%s%d", d ? "," : "", at[d]);
                text_add(out, "] %s ", sign);
                add_star(w, out, "u", 2);
                text_add(out, ";");
            }
}

/* Transfers between the grids. Of the kernels of a coarse grid, one reads children only. */
static void add_transfers(world *w, text *out)
{
    text_add(out, "kernel mean(in double f");
    add_ratio(w, out, "finer");
    text_add(out, ", out double u) { u = 0.4*f + 0.5*f[");
    for (int d = 0; d < w->rank; d++) text_add(out, "%s%d", d ? "," : "", w->ratio[d] - 1);
    text_add(out, "]; }\nkernel gather(in double f");
    add_ratio(w, out, "finer");
    text_add(out, ", inout double u) { u = 0.3*u + ");
    add_star(w, out, "f", 3);
    text_add(out, "; }\nkernel tally(in double f");
    add_ratio(w, out, "finer");
    text_add(out, ", out double u, inout sum double s, max double t)"
                  " { u = 0.6*f; s += u; t = max(t, f); }\nkernel gathered(in double f");
    add_ratio(w, out, "finer");
    text_add(out, ", in double u, out double v) { v = 0.3*u + ");
    add_star(w, out, "f", 1);
    text_add(out, "; }\nkernel prolong(in double u, out double f");
    add_ratio(w, out, "finer");
    text_add(out, ") {");
    add_children(w, out, "=", 100);
    text_add(out, " }\nkernel child(in double u, inout double f");
    add_ratio(w, out, "finer");
    text_add(out, ") {");
    add_children(w, out, "+=", 40);
    text_add(out, " }\nkernel fetch(in double u");
    add_ratio(w, out, "coarser");
    text_add(out, ", inout double f) { f = 0.4*f + ");
    add_star(w, out, "u", 2);
    text_add(out, "; }\nkernel blend(in double u");
    add_ratio(w, out, "coarser");
    text_add(out, ", in double f, out double g) { g = ");
    add_star(w, out, "u", 2);
    text_add(out, " + ");
    add_star(w, out, "f", 2);
    text_add(out, "; }\n");
}

static void add_kernels(world *w, text *out)
{
    for (int i = 0; i < 3; i++) {
        text_add(out, "kernel star%d(in double u, out double v) { v = ", i);
        add_star(w, out, "u", (int)world_from(w, 1, 4));
        text_add(out, "; }\n");
    }
    text_add(out, "kernel two(in double u, in double v, out double w) { w = ");
    add_star(w, out, "u", 2);
    text_add(out, " - ");
    add_star(w, out, "v", 2);
    text_add(out, "; }\nkernel both(in double u, out double v, out double w) { v = ");
    add_star(w, out, "u", 2);
    text_add(out, "; w = 0.5*v + ix; }\nkernel onto(in double u, inout double v) { v = 0.5*v + ");
    add_star(w, out, "u", 2);
    text_add(out, "; }\nkernel some(in double u, out double v) { if (u > 0.4) v = ");
    add_star(w, out, "u", 2);
    text_add(out,
             "; }\nkernel guarded(in double u, out double v) { v = ix > 0 ? u[-1%s] : 0.5*u; }\n",
             w->rank == 1   ? ""
             : w->rank == 2 ? ",0"
                            : ",0,0");
    text_add(out, "kernel parts(in double f[2], out double g[2]) { g[0] = f[1]");
    add_offset(w, out, 1);
    text_add(out, "; g[1] = 0.5*f[0] + 0.3*f[1]");
    add_offset(w, out, 1);
    text_add(out, "; }\nkernel half(in double u, out double f[2]) { f[%d] = u; }\n",
             (int)world_from(w, 0, 1));
    add_gauss_seidel(w, out);
    add_in_place(w, out);
    add_ordered(w, out);
    if (w->rank > 1) {
        const char *along = w->rank == 2 ? "y" : "yz";
        text_add(out, "kernel profiled(in double u, in double p along %s, out double v) { v = p*u",
                 along);
        add_offset(w, out, 1);
        text_add(out, "; }\nkernel profile(in double u, out double p along %s) { p = 0.5*u", along);
        add_offset(w, out, 1);
        text_add(out, "; }\n");
    }
    text_add(out, "kernel total(in double u, sum double s) { s += u; }\n");
    text_add(out, "kernel more(in double u, inout sum double s, min double t)"
                  " { s += u; t = min(t, u); }\n");
    text_add(out, "kernel least(in double u, out double v, min double s) { v = ");
    add_star(w, out, "u", 2);
    text_add(out, "; s = min(s, v); }\n");
    text_add(out, "kernel use(inout double u, double s) { u = 0.9*u + 0.001*sin(s); }\n");
    text_add(out, "kernel spread(in double u, out double v, double s) { v = ");
    add_star(w, out, "u", 3);
    text_add(out, " + 0.001*sin(s); }\n");
    if (w->has_ratios) add_transfers(w, out);
    text_add(out, "kernel alone(in double s, inout double t) { t = 0.5*t + 0.1*sin(s); }\n");
}

/* ---- modules --------------------------------------------------------------------------------- */

enum { MOST_SHARED = 64 };

static struct shared {
    uint64_t seed;
    int rank;
    lang_module *module;
} shared[MOST_SHARED];
static int shared_count;

static lang_module *compile_kernels(world *w, bool checks)
{
    text kernels = {0};
    lang_module *module;
    add_kernels(w, &kernels);
    if (checks)
        text_add(&kernels, "kernel checked(in double u, out double v)"
                           " { assert(u < 0.97); v = 0.5*u; }\n");
    if (lang_compile("world.kata", text_get(&kernels), kernels.length, NULL, &w->m, &module)) {
        fprintf(stderr, "%s\n%s\n", text_get(&w->m.body), text_get(&kernels));
        abort();
    }
    text_free(&kernels);
    return module;
}

static lang_module *shared_kernels(world *w, uint64_t seed)
{
    uint64_t state = w->state;
    for (int i = 0; i < shared_count; i++)
        if (shared[i].seed == seed && shared[i].rank == w->rank) return shared[i].module;
    if (shared_count == MOST_SHARED) abort();
    w->state = seed * 0x9e3779b97f4a7c15u + (uint64_t)w->rank;
    bool has_ratios = w->has_ratios;
    w->has_ratios = true; /* other worlds have */
    lang_module *module = compile_kernels(w, true);
    w->has_ratios = has_ratios;
    shared[shared_count++] = (struct shared){seed, w->rank, module};
    w->state = state;
    return module;
}

lang_module *world_kernels(world *w, uint64_t seed)
{
    return seed ? shared_kernels(w, seed) : compile_kernels(w, false);
}

void world_free_kernels(void)
{
    while (shared_count) lang_module_free(shared[--shared_count].module);
}
