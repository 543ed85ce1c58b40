/* Memory of fields: made once, with the room that chains need, and used again after it was freed.
 */
/* Labels: hostile */
#include "api/api.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 700 };

static const char kernels[] =
    "kernel one(out double u) { u = 1; }\n"
    "kernel some(out double u) { if (ix < 3) u = 2; }\n"
    "kernel next(in double u, out double v) { v = u + 1; }\n"
    "kernel step(in double u, out double v)\n"
    "{ v = 0.25*(u[2,0] + u[-2,0] + u[0,2] + u[0,-2]); }\n"
    "kernel wide(in double u, out double v) { v = u[40,0] + u[-40,30]; }\n";

typedef struct world {
    kata *k;
    kata_range all;
    kata_module *m;
    kata_field *u, *v;
} world;

static world open_world(kata_rule rule)
{
    world w = {.k = kata_open(&(kata_options){.wait = true, .no_warnings = true})};
    kata_grid *g = kata_grid_2d(w.k, SIZE, SIZE);
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.all = kata_all(g);
    w.u = kata_field_new(g, "u", KATA_F64, .boundary = rule);
    w.v = kata_field_like(w.u, "v");
    return w;
}

static kata_kernel *kernel(const world *w, const char *name)
{
    return kata_kernel_find(w->m, name);
}

static const void *memory_of(const kata_field *f)
{
    assert_non_null(f->slot->array);
    return f->slot->array->memory;
}

static void assert_all(const world *w, kata_field *field, double expected, int64_t first)
{
    double *values = calloc(SIZE * SIZE, sizeof *values);
    assert_non_null(values);
    assert_int_equal(kata_get(field, w->all, values, SIZE * SIZE), KATA_OK);
    for (int64_t i = 0; i < SIZE * SIZE; i++)
        if (i % SIZE >= first) assert_true(values[i] == expected);
    free(values);
}

/* Each chain has one kernel, so no chain but the second shows how far u is read. */
static void values_do_not_move_when_they_are_read_beyond_their_sides(void **state)
{
    (void)state;
    world w = open_world(KATA_PERIODIC);
    kata_apply(kernel(&w, "one"), w.all, w.u);
    kata_flush(w.k);
    const void *first = memory_of(w.u), *second = NULL;
    for (int i = 0; i < 4; i++) {
        kata_apply(kernel(&w, "step"), w.all, w.u, w.v);
        kata_flush(w.k);
        if (!second) second = memory_of(w.v);
        kata_swap(w.u, w.v);
    }
    assert_ptr_equal(memory_of(w.u), first);
    assert_ptr_equal(memory_of(w.v), second);
    assert_all(&w, w.u, 1, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* Without a rule nothing is read beyond a side: rows are as short as their values allow. */
static void fields_without_rules_have_no_room(void **state)
{
    (void)state;
    world w = open_world(KATA_NONE);
    kata_apply(kernel(&w, "one"), w.all, w.u);
    kata_flush(w.k);
    assert_memory_equal(&w.u->slot->array->room, &w.u->slot->array->box, sizeof(grid_box));
    assert_int_equal(kata_boundary_set(w.v, KATA_X_LOW, KATA_CLAMP, 0), KATA_OK);
    kata_apply(kernel(&w, "one"), w.all, w.v);
    kata_flush(w.k);
    assert_int_equal(w.v->slot->array->room.lo[0], -2);
    assert_int_equal(w.v->slot->array->room.hi[0], SIZE);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* Reads so far that no field is expected to need the room: it is what the chain shows. */
static void fields_of_a_chain_have_the_room_that_it_needs(void **state)
{
    (void)state;
    world w = open_world(KATA_CLAMP);
    kata_apply(kernel(&w, "one"), w.all, w.u);
    kata_apply(kernel(&w, "wide"), w.all, w.u, w.v);
    kata_flush(w.k);
    grid_box around = {{-40, 0, 0}, {SIZE + 40, SIZE + 30, 1}};
    assert_true(grid_box_contains(&w.u->slot->array->room, &around));
    assert_true(grid_box_contains(&w.v->slot->array->room, &around)); /* it may be swapped */
    assert_all(&w, w.v, 2, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void discarded_memory_serves_the_next_chain(void **state)
{
    (void)state;
    world w = open_world(KATA_NONE);
    const void *first = NULL;
    for (int i = 0; i < 4; i++) {
        kata_apply(kernel(&w, "one"), w.all, w.u);
        kata_apply(kernel(&w, "next"), w.all, w.u, w.v);
        kata_discard(w.v);
        kata_flush(w.k);
        assert_null(w.v->slot->array);
        kata_apply(kernel(&w, "next"), w.all, w.u, w.v);
        kata_flush(w.k);
        if (!first) first = memory_of(w.v);
        assert_ptr_equal(memory_of(w.v), first);
        assert_all(&w, w.v, 2, 0);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void values_that_were_never_set_are_zero_in_used_memory(void **state)
{
    (void)state;
    world w = open_world(KATA_NONE);
    kata_apply(kernel(&w, "one"), w.all, w.u);
    kata_apply(kernel(&w, "next"), w.all, w.u, w.v);
    kata_discard(w.u);
    kata_flush(w.k);
    kata_field *late = kata_field_like(w.v, "late");
    kata_apply(kernel(&w, "some"), w.all, late);
    assert_all(&w, late, 0, 3);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* A loop behind a failed one has not run: what it should have written is not what was there. */
static void a_chain_that_fails_shows_no_used_memory(void **state)
{
    (void)state;
    world w = open_world(KATA_NONE);
    kata_module *m = kata_module_from_text(
        w.k, "fails.kata", "kernel fails(in double u) { assert(u > 1, \"small\"); }\n");
    kata_apply(kernel(&w, "one"), w.all, w.u);
    kata_apply(kernel(&w, "next"), w.all, w.u, w.v);
    kata_discard(w.v);
    kata_flush(w.k);
    kata_apply(kata_kernel_find(m, "fails"), w.all, w.u);
    kata_apply(kernel(&w, "next"), w.all, w.u, w.v);
    assert_int_not_equal(kata_flush(w.k), KATA_OK);
    kata_error_clear(w.k);
    double value = 0;
    kata_get(w.v, kata_box_2d(w.u->grid, 0, 1, 0, 1), &value, 1);
    assert_true(value != value);
    kata_close(w.k);
}

/* ---- the pool -------------------------------------------------------------------------------- */

static store_array *array_new(struct store_pool *pool, int64_t size, bool zero)
{
    grid_box box = {{0, 0, 0}, {size, size, 1}};
    store_array like = {.type = KATA_F64, .components = 1, .box = box, .room = box, .pool = pool};
    store_array *a = store_array_make(&like, KATA_ARRAYS, zero);
    assert_non_null(a);
    return a;
}

static bool is_mapped(void *memory) { return !(msync(memory, 1, MS_ASYNC) && errno == ENOMEM); }

static void memory_that_nobody_takes_is_given_back(void **state)
{
    (void)state;
    struct store_pool *pool = store_pool_new();
    store_array *a = array_new(pool, SIZE, true);
    void *memory = a->memory;
    memset(memory, 1, a->bytes);
    store_array_free(a);
    a = array_new(pool, SIZE - 2, true); /* nearly as large */
    assert_ptr_equal(a->memory, memory);
    for (int64_t x = 0; x < SIZE - 2; x++)
        assert_true(store_get_element(a, 0, (int64_t[]){x, x, 0}).f64 == 0);
    store_array_free(a);
    assert_true(is_mapped(memory));
    for (int i = 0; i < 8; i++) store_pool_end_chain(pool);
    assert_false(is_mapped(memory));
    store_pool_free(pool);
}

/* Bytes of addresses that the process uses. */
static rlim_t used_addresses(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void memory_that_waits_is_given_back_when_there_is_no_more(void **state)
{
    (void)state;
    const char *sanitized = getenv("KATA_SANITIZED");
    if (sanitized && *sanitized == '1') skip(); /* it uses most addresses itself */
    struct rlimit before, limit;
    struct store_pool *pool = store_pool_new();
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    store_array_free(array_new(pool, 5000, true)); /* 200 MB wait */
    limit = before;
    limit.rlim_cur = used_addresses() + ((rlim_t)100 << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    store_array *a = array_new(pool, 5600, true); /* 251 MB */
    setrlimit(RLIMIT_AS, &before);
    store_array_free(a);
    store_pool_free(pool);
}

static void memory_that_waits_goes_with_its_pool(void **state)
{
    (void)state;
    struct store_pool *pool = store_pool_new();
    store_array *a = array_new(pool, SIZE, false);
    void *memory = a->memory;
    store_array_free(a);
    assert_true(is_mapped(memory));
    store_pool_free(pool);
    assert_false(is_mapped(memory));
}

/* What can be read around a plane lies in that plane of the file: the next one may come in later,
 * over it. Sizes at which rows fill their plane. */
static void planes_of_files_share_nothing(void **state)
{
    (void)state;
    static const grid_box rooms[] = {{{-1, 0, 0}, {65, 64, 3}}, {{-1, 0, 0}, {511, 5, 1}}};
    struct store_pool *pool = store_pool_new();
    assert_true(store_pool_limit(pool, 4096, "/var/tmp"));
    store_pool_declare(pool, 1 << 30);
    for (size_t i = 0; i < COUNT_OF(rooms); i++) {
        const grid_box *room = &rooms[i];
        store_array like = {.type = KATA_F64, .components = 1, .room = *room, .pool = pool};
        for (int d = 0; d < 3; d++) like.box.hi[d] = room->hi[d] - (d == 0);
        store_array *a = store_array_make(&like, KATA_ARRAYS, true);
        assert_non_null(a);
        assert_non_null(a->file);
        bool flat = room->hi[2] == 1;
        int64_t plane = (flat ? a->pitch_y : a->pitch_z) * 8;
        for (int64_t n = 0; n < (flat ? room->hi[1] : room->hi[2]); n++) {
            int64_t first[3] = {room->lo[0], flat ? n : 0, flat ? 0 : n};
            int64_t last[3] = {room->hi[0] - 1, flat ? n : room->hi[1] - 1, flat ? 0 : n};
            assert_true((char *)store_address(a, 0, first) - (char *)a->memory >= n * plane);
            assert_true((char *)store_address(a, 0, last) + 8 - (char *)a->memory <=
                        (n + 1) * plane);
        }
        store_array_free(a);
    }
    store_pool_free(pool);
}

/* Of one plane, unless kernels read planes around it. */
static void rows_of_files_lie_in_rings(void **state)
{
    (void)state;
    static const grid_box box = {{0, 0, 0}, {40, 60, 1}};
    struct store_pool *pool = store_pool_new();
    assert_true(store_pool_limit(pool, 4096, "/var/tmp"));
    store_pool_declare(pool, 1 << 30);
    for (int around = 0; around < 2; around++) {
        store_array like = {.type = KATA_F64, .components = 1, .box = box, .room = box};
        chain_slot slot = {.shape = {.rank = 3, .size = {40, 60, 1}}, .type = KATA_F64};
        slot.components = 1;
        like.room.hi[2] += around;
        assert_non_null(slot.array = store_array_make(&like, KATA_ARRAYS, true));
        assert_false(store_ring_suits(&slot)); /* in memory */
        store_array_free(slot.array);
        like.pool = pool;
        assert_non_null(slot.array = store_array_make(&like, KATA_ARRAYS, true));
        assert_int_equal(store_ring_suits(&slot), !around);
        store_array_free(slot.array);
    }
    store_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_do_not_move_when_they_are_read_beyond_their_sides),
        cmocka_unit_test(fields_without_rules_have_no_room),
        cmocka_unit_test(fields_of_a_chain_have_the_room_that_it_needs),
        cmocka_unit_test(discarded_memory_serves_the_next_chain),
        cmocka_unit_test(values_that_were_never_set_are_zero_in_used_memory),
        cmocka_unit_test(a_chain_that_fails_shows_no_used_memory),
        cmocka_unit_test(memory_that_nobody_takes_is_given_back),
        cmocka_unit_test(memory_that_waits_is_given_back_when_there_is_no_more),
        cmocka_unit_test(memory_that_waits_goes_with_its_pool),
        cmocka_unit_test(planes_of_files_share_nothing),
        cmocka_unit_test(rows_of_files_lie_in_rings),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
