/* Addresses of elements: apart from one another in every layout, and what is said about strides of
 * the program's memory is true of every element, one by one. */
/* Labels: hostile */
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 1 << 16 };

static int from(int low, int high) { return low + rand() % (high - low + 1); }

/* Calls visit for each element. */
static bool for_elements(const store_array *a,
                         bool (*visit)(const store_array *a, char *element, unsigned char *seen),
                         unsigned char *seen)
{
    int64_t at[3];
    for (int c = 0; c < a->components; c++)
        for (at[2] = 0; at[2] < a->box.hi[2]; at[2]++)
            for (at[1] = 0; at[1] < a->box.hi[1]; at[1]++)
                for (at[0] = 0; at[0] < a->box.hi[0]; at[0]++)
                    if (!visit(a, store_address(a, c, at), seen)) return false;
    return true;
}

static char memory[ROOM];

/* Marks the bytes of an element; false when one is marked already. */
static bool mark(const store_array *a, char *element, unsigned char *seen)
{
    const char *base = a->bytes ? a->data : memory;
    for (int b = 0; b < store_type_bytes(a->type); b++)
        if (seen[element - base + b]++) return false;
    return true;
}

static bool is_unmarked(const store_array *a, char *element, unsigned char *seen)
{
    for (int b = 0; b < store_type_bytes(a->type); b++)
        if (seen[element - memory + b]) return false;
    return true;
}

static void elements_of_a_layout_are_apart(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 300; round++) {
        grid_shape shape = {3, {from(1, 70), from(1, 5), from(1, 4)}};
        kata_type type = (kata_type)from(0, IR_STORAGE_COUNT - 1);
        grid_box box = grid_shape_box(&shape);
        store_array *a = store_array_new(&box, type, from(1, 9), (kata_layout)from(0, 2));
        assert_non_null(a);
        unsigned char *seen = calloc(a->bytes, 1);
        assert_non_null(seen);
        assert_true(for_elements(a, mark, seen));
        const int64_t row[3] = {0, shape.size[1] - 1, shape.size[2] - 1};
        assert_int_equal((uintptr_t)store_address(a, 0, row) % 64, 0);
        free(seen);
        store_array_free(a);
    }
}

/* Elements before the first one of a row are where blocks would put them. */
static void blocks_go_on_below_zero(void **state)
{
    (void)state;
    store_array a = {.components = 3};
    store_lay_row(&a, KATA_BLOCKS, 40);
    assert_int_equal(store_along_x(&a, 0), 0);
    assert_int_equal(store_along_x(&a, 17), 49);
    assert_int_equal(store_along_x(&a, -1), -33);
    assert_int_equal(store_along_x(&a, -16), -48);
}

static store_array random_wrap(void)
{
    static const int64_t strides[] = {0, 1, 2, 3, 4, 5, 6, 8, 12, 15, 24, 40, 60};
    store_array a = {
        .type = rand() % 2 ? KATA_F64 : KATA_F32, .components = from(1, 3), .block = 1};
    a.box = (grid_box){.hi = {from(1, 4), from(1, 4), from(1, 3)}};
    int64_t *const pitch[] = {&a.pitch_x, &a.pitch_y, &a.pitch_z, &a.pitch_component};
    for (int d = 0; d < 4; d++)
        *pitch[d] = strides[(size_t)rand() % COUNT_OF(strides)] * (rand() % 4 ? 1 : -1);
    a.data = memory + ROOM / 2 + 4 * from(0, 40);
    assert_true(store_wrap_complete(&a));
    return a;
}

static void accepted_strides_keep_elements_apart(void **state)
{
    (void)state;
    static unsigned char seen[ROOM];
    int accepted = 0;
    srand(2);
    for (int round = 0; round < 20000; round++) {
        store_array a = random_wrap();
        int64_t within;
        if (store_wrap_overlap(&a, &within) >= 0) continue;
        memset(seen, 0, sizeof seen);
        accepted++;
        assert_true(for_elements(&a, mark, seen));
        uintptr_t low, high;
        assert_true(store_wrap_span(&a, &low, &high));
        for (int b = 0; b < ROOM; b++)
            if (seen[b]) assert_true((uintptr_t)&memory[b] >= low && (uintptr_t)&memory[b] < high);
        assert_true(seen[low - (uintptr_t)memory] && seen[high - 1 - (uintptr_t)memory]);
    }
    assert_true(accepted > 1000);
}

/* Of equal strides: exactly where elements meet; of others at least there. */
static void shared_memory_is_found(void **state)
{
    (void)state;
    static unsigned char seen[ROOM];
    int meet = 0, apart = 0;
    srand(3);
    for (int round = 0; round < 20000; round++) {
        int64_t within;
        store_array a = random_wrap(), b = random_wrap();
        bool alike = rand() % 2;
        if (alike) {
            void *data = b.data;
            b = a;
            b.data = data;
        }
        if (store_wrap_overlap(&a, &within) >= 0 || store_wrap_overlap(&b, &within) >= 0) continue;
        memset(seen, 0, sizeof seen);
        for_elements(&a, mark, seen);
        bool disjoint = for_elements(&b, is_unmarked, seen);
        bool shared = store_wrap_shared(&a, &b);
        if (alike)
            assert_int_equal(shared, !disjoint);
        else if (!disjoint)
            assert_true(shared);
        assert_int_equal(shared, store_wrap_shared(&b, &a));
        *(disjoint ? &apart : &meet) += alike;
    }
    assert_true(meet > 300 && apart > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_a_layout_are_apart),
        cmocka_unit_test(blocks_go_on_below_zero),
        cmocka_unit_test(accepted_strides_keep_elements_apart),
        cmocka_unit_test(shared_memory_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
