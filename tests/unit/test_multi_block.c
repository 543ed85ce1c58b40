/* Halos of several blocks, filled by copies: in a ring of blocks of different widths, corners
 * included; and between blocks of which each lies turned or mirrored against the next. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "kernel populate(out int u, int number) { u = number + (int)(100*iy + ix); }\n"
    "kernel around(in int u, inout int total)\n"
    "{\n"
    "    for (int j = -2; j <= 2; j++)\n"
    "        for (int i = -2; i <= 2; i++) total += (3*i + 5*j)*u[i,j];\n"
    "}\n";

enum { BLOCKS = 3, DEEP = 2, HIGH = 9, WIDTH = 6 + 11 + 4 };
static const int64_t widths[BLOCKS] = {6, 11, 4};

static const kata_options ways[] = {{.executor = "cpu", .threads = 1, .wait = true},
                                    {.executor = "cpu", .threads = 3, .wait = true},
                                    {.executor = "reference"}};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- a ring ---------------------------------------------------------------------------------- */

typedef struct ring {
    kata *k;
    kata_module *m;
    kata_grid *g[BLOCKS];
    kata_field *u[BLOCKS], *total[BLOCKS];
} ring;

static void open_ring(ring *r, const kata_options *options)
{
    *r = (ring){.k = kata_open(options)};
    r->m = kata_module_from_text(r->k, "blocks", text);
    for (int b = 0; b < BLOCKS; b++) {
        r->g[b] = kata_grid_2d(r->k, widths[b], HIGH);
        r->u[b] = kata_field_new(r->g[b], "u", KATA_I32, .ghosts = DEEP);
        r->total[b] = kata_field_new(r->g[b], "total", KATA_I32);
        kata_apply(kata_kernel_find(r->m, "populate"), kata_all(r->g[b]), r->u[b], 10000 * b);
    }
}

/* Columns [first, last) of a block, with `deep` ghosts below and above. */
static kata_range columns(const ring *r, int b, int64_t first, int64_t last, int64_t deep)
{
    return kata_box_2d(r->g[b], first, last, -deep, HIGH + deep);
}

/* x first; then y, over the ghosts of x, which makes the corners. */
static void exchange(ring *r)
{
    for (int b = 0; b < BLOCKS; b++) {
        int low = (b + BLOCKS - 1) % BLOCKS, high = (b + 1) % BLOCKS;
        int64_t n = widths[b];
        kata_copy(r->u[b], columns(r, b, -DEEP, 0, 0), r->u[low],
                  columns(r, low, widths[low] - DEEP, widths[low], 0));
        kata_copy(r->u[b], columns(r, b, n, n + DEEP, 0), r->u[high], columns(r, high, 0, DEEP, 0));
    }
    for (int b = 0; b < BLOCKS; b++) {
        int64_t low = -DEEP, high = widths[b] + DEEP;
        kata_grid *g = r->g[b];
        kata_copy(r->u[b], kata_box_2d(g, low, high, -DEEP, 0), r->u[b],
                  kata_box_2d(g, low, high, HIGH - DEEP, HIGH));
        kata_copy(r->u[b], kata_box_2d(g, low, high, HIGH, HIGH + DEEP), r->u[b],
                  kata_box_2d(g, low, high, 0, DEEP));
    }
}

/* The ring as one periodic plane. */
static int32_t value(int64_t x, int64_t y)
{
    int b = 0;
    x = (x + WIDTH) % WIDTH;
    y = (y + HIGH) % HIGH;
    for (; x >= widths[b]; b++) x -= widths[b];
    return (int32_t)(10000 * b + 100 * y + x);
}

static int32_t around(int64_t x, int64_t y)
{
    int32_t total = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) total += (3 * i + 5 * j) * value(x + i, y + j);
    return total;
}

static void check_ring(ring *r)
{
    enum { MOST = (11 + 2 * DEEP) * (HIGH + 2 * DEEP) };
    int64_t first = 0;
    for (int b = 0; b < BLOCKS; first += widths[b++]) {
        int32_t u[MOST], total[MOST];
        int64_t wide = widths[b] + 2 * DEEP;
        kata_get(r->u[b], columns(r, b, -DEEP, widths[b] + DEEP, DEEP), u,
                 wide * (HIGH + 2 * DEEP));
        kata_get(r->total[b], kata_all(r->g[b]), total, widths[b] * HIGH);
        assert_true(kata_ok(r->k));
        for (int64_t y = -DEEP; y < HIGH + DEEP; y++)
            for (int64_t x = -DEEP; x < widths[b] + DEEP; x++)
                assert_int_equal(u[(y + DEEP) * wide + x + DEEP], value(first + x, y));
        for (int64_t y = 0; y < HIGH; y++)
            for (int64_t x = 0; x < widths[b]; x++)
                assert_int_equal(total[y * widths[b] + x], 2 * around(first + x, y));
    }
}

static void test_a_ring_of_blocks(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        ring r;
        open_ring(&r, &ways[w]);
        for (int t = 0; t < 2; t++) {
            exchange(&r);
            for (int b = 0; b < BLOCKS; b++)
                kata_apply(kata_kernel_find(r.m, "around"), kata_all(r.g[b]), r.u[b], r.total[b]);
        }
        check_ring(&r);
        assert_int_equal(kata_close(r.k), KATA_OK);
    }
}

/* ---- turned blocks --------------------------------------------------------------------------- */

/* Where the ghosts beyond the high side of x of one square lie in the other, for each way to turn
 * and to mirror it: the first point inwards along x, and the first one along y. */
typedef struct turn {
    int axes[2];
    int64_t lo[2], hi[2]; /* in the other block */
} turn;

enum { SIDE = 8 };

static const turn turns[] = {
    {{1, 2}, {0, 0}, {DEEP, SIDE}},
    {{1, -2}, {0, 0}, {DEEP, SIDE}},
    {{-1, 2}, {SIDE - DEEP, 0}, {SIDE, SIDE}},
    {{-1, -2}, {SIDE - DEEP, 0}, {SIDE, SIDE}},
    {{2, 1}, {0, 0}, {SIDE, DEEP}},
    {{2, -1}, {0, 0}, {SIDE, DEEP}},
    {{-2, 1}, {0, SIDE - DEEP}, {SIDE, SIDE}},
    {{-2, -1}, {0, SIDE - DEEP}, {SIDE, SIDE}},
};

/* The value that the ghost `i` points beyond the side, `j` along it, is to have. */
static int32_t turned(const turn *t, int64_t i, int64_t j)
{
    int64_t at[2] = {0, 0}, step[2] = {i, j};
    for (int d = 0; d < 2; d++) {
        int e = t->axes[d] == 1 || t->axes[d] == -1 ? 0 : 1;
        at[e] = t->axes[d] > 0 ? t->lo[e] + step[d] : t->hi[e] - 1 - step[d];
    }
    return (int32_t)(20000 + 100 * at[1] + at[0]);
}

static void check_turn(const kata_options *options, const turn *t)
{
    int32_t got[SIDE][DEEP];
    kata *k = kata_open(options);
    kata_module *m = kata_module_from_text(k, "blocks", text);
    kata_kernel *populate = kata_kernel_find(m, "populate");
    kata_grid *ga = kata_grid_2d(k, SIDE, SIDE), *gb = kata_grid_2d(k, SIDE, SIDE);
    kata_field *a = kata_field_new(ga, "a", KATA_I32, .ghosts = DEEP);
    kata_field *b = kata_field_new(gb, "b", KATA_I32, .ghosts = DEEP);
    kata_apply(populate, kata_all(ga), a, 10000);
    kata_apply(populate, kata_all(gb), b, 20000);
    kata_copy(a, kata_ghost(a, KATA_X_HIGH, DEEP), b,
              kata_box_2d(gb, t->lo[0], t->hi[0], t->lo[1], t->hi[1]),
              .axes = {t->axes[0], t->axes[1]});
    kata_get(a, kata_ghost(a, KATA_X_HIGH, DEEP), &got[0][0], DEEP * SIDE);
    assert_int_equal(kata_close(k), KATA_OK);
    for (int64_t j = 0; j < SIDE; j++)
        for (int64_t i = 0; i < DEEP; i++) assert_int_equal(got[j][i], turned(t, i, j));
}

static void test_turned_blocks(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++)
        for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) check_turn(&ways[w], &turns[t]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ring_of_blocks),
        cmocka_unit_test(test_turned_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
