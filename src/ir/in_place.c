/* Kernels that change a field in place and read it at other points. No two points of an application
 * may touch one value that one of them writes; so a kernel whose accesses differ by an offset suits
 * points of one colour only, or a range that the offset leaves. */
#include "ir/in_place.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLORS = 64 };

/* The difference of two accesses, as a sum over the dimensions, and whether there is one. */
static bool differ(const int32_t a[3], const int32_t b[3], int *sum)
{
    *sum = a[0] - b[0] + a[1] - b[1] + a[2] - b[2];
    return a[0] != b[0] || a[1] != b[1] || a[2] != b[2];
}

typedef struct found {
    const ir_param *param;
    const int32_t *offset;       /* of an access that meets a write of another point */
    bool meets[MOST_COLORS + 1]; /* per number of colours: an access ends at the own colour */
} found;

/* Whether an offset leads to a level that runs before or after, where points cannot meet. */
static bool leaves_level(const ir_kernel *k, const int32_t offset[3])
{
    bool along = false, beside = false;
    for (int d = 0; d < 3; d++) {
        along = along || (k->order[d] && offset[d]);
        beside = beside || (!k->order[d] && offset[d]);
    }
    return along && !(beside && ir_orders_several(k));
}

static void compare(found *f, const ir_kernel *k, const ir_store *s, const int32_t offset[3])
{
    int sum;
    if (!differ(offset, s->offset, &sum) || leaves_level(k, offset)) return;
    f->param = &k->params[s->param];
    f->offset = offset;
    for (int c = 2; c <= MOST_COLORS; c++) f->meets[c] = f->meets[c] || sum % c == 0;
}

static void find(found *f, const ir_kernel *k)
{
    for (int i = 0; i < k->store_count; i++) {
        const ir_store *s = &k->stores[i];
        const ir_param *param = &k->params[s->param];
        bool plain = ir_param_is_field(param) && ir_param_children(param) == 1 &&
                     !ir_param_lacks_dimensions(param);
        for (int j = 0; plain && j < k->store_count; j++)
            if (k->stores[j].param == s->param && k->stores[j].component == s->component)
                compare(f, k, s, k->stores[j].offset);
        for (int j = 0; plain && j < k->access_count; j++)
            if (k->accesses[j].param == s->param && k->accesses[j].component == s->component)
                compare(f, k, s, k->accesses[j].offset);
    }
}

/* 0: none is known. */
static int least_colors(const found *f)
{
    int colors = 2;
    while (colors <= MOST_COLORS && f->meets[colors]) colors++;
    return f->param && colors <= MOST_COLORS ? colors : 0;
}

int ir_in_place_colors(const ir_kernel *kernel)
{
    found f = {0};
    find(&f, kernel);
    return least_colors(&f);
}

bool ir_print_order_in_place(text *out, const ir_kernel *kernel, int param)
{
    static const int32_t here[3];
    int32_t offsets[3] = {0};
    for (int i = 0; i < kernel->store_count; i++)
        if (memcmp(kernel->stores[i].offset, here, sizeof here) != 0) return false;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_has_ratio(&kernel->params[p])) return false;
    for (int i = 0; i < kernel->access_count; i++)
        for (int d = 0; d < 3 && kernel->accesses[i].param == param; d++)
            offsets[d] |= kernel->accesses[i].offset[d];
    if (!memcmp(offsets, here, sizeof here)) return false;
    ir_print_order_with(out, kernel, offsets);
    return true;
}

/* ---- the note -------------------------------------------------------------------------------- */

static void print_offset(text *out, const ir_kernel *k, const int32_t offset[3])
{
    text_add(out, "[%d", (int)offset[0]);
    for (int d = 1; d < k->rank; d++) text_add(out, ",%d", (int)offset[d]);
    text_add(out, "]");
}

static void advise_level(text *out, const ir_kernel *k, const found *f)
{
    text_add(out, "name all dimensions of the read in the order, as in ");
    ir_print_order_with(out, k, f->offset);
    text_add(out, ", or write to a second field\n");
}

static void advise(text *out, const ir_kernel *k, const found *f)
{
    text order = {0};
    int colors = least_colors(f);
    text_add(out, "write to a second field, ");
    if (ir_print_order_in_place(&order, k, (int)(f->param - k->params)))
        text_add(out, "order the points (%s), ", text_get(&order));
    if (colors) text_add(out, "apply it to one of %d colours (kata_color), ", colors);
    text_add(out, "or apply it to a range so thin that the point at ");
    print_offset(out, k, f->offset);
    text_add(out, " lies outside\n");
    text_free(&order);
}

void ir_print_in_place(text *out, const ir_kernel *k)
{
    found f = {0};
    if (k->guarded) return; /* guards may keep points apart */
    find(&f, k);
    if (!f.param) return;
    text_add(out, "    note: points write '%s', and others %sread or write it at ", f.param->name,
             k->direction ? "of the same level " : "");
    print_offset(out, k, f.offset);
    text_add(out, ": ");
    if (k->direction)
        advise_level(out, k, &f);
    else
        advise(out, k, &f);
}
