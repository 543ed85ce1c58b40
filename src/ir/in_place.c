/* Kernels that change a field in place and read it at other points. No two points of an application
 * may touch one value that one of them writes; so a kernel whose accesses differ by an offset suits
 * points of one colour only, or a range that the offset leaves. */
#include "ir/in_place.h"

#include <stdlib.h>

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

static void compare(found *f, const ir_kernel *k, const ir_store *s, const int32_t offset[3])
{
    int sum;
    if (!differ(offset, s->offset, &sum)) return;
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

void ir_print_in_place(text *out, const ir_kernel *k)
{
    found f = {0};
    int colors = 2;
    if (k->direction || k->guarded) return; /* levels in order and guards may keep points apart */
    find(&f, k);
    if (!f.param) return;
    while (colors <= MOST_COLORS && f.meets[colors]) colors++;
    text_add(out, "    note: points write '%s', and others read or write it at [%d", f.param->name,
             (int)f.offset[0]);
    for (int d = 1; d < k->rank; d++) text_add(out, ",%d", (int)f.offset[d]);
    text_add(out, "]: ");
    if (colors <= MOST_COLORS)
        text_add(out, "apply it to one of %d colors (kata_color), or to a range that this leaves\n",
                 colors);
    else
        text_add(out, "apply it to a range that this leaves\n");
}
