/* Loops over points between those of a grid (chain_sparse): of a box, only the targets inside it.
 *
 * To sum, each product goes to a place of its own, whichever thread or rank makes it, and the sums
 * are made at the end: so their order does not depend on how the box was cut. */
#include "sweep/reductions.h"

#include <stdlib.h>

/* ---- values of fields ------------------------------------------------------------------------ */

static double load(const store_array *a, const int64_t at[3])
{
    const void *element = store_address(a, 0, at);
    ir_value value;
    switch (a->type) {
    case KATA_F64: return *(const double *)element;
    case KATA_F32: return (double)*(const float *)element;
    default: value = ir_storage_read(a->type, IR_F64, element); return value.f64;
    }
}

static void store(const store_array *a, const int64_t at[3], double value)
{
    void *element = store_address(a, 0, at);
    switch (a->type) {
    case KATA_F64: *(double *)element = value; break;
    case KATA_F32: *(float *)element = (float)value; break;
    default: ir_storage_write(a->type, IR_F64, (ir_value){.f64 = value}, element); break;
    }
}

static double number_of(const chain_slot *scalar, int64_t element)
{
    ir_value value = store_scalar(scalar, (int)element);
    return ir_convert(IR_F64, ir_type_of_storage(scalar->type), value).f64;
}

/* ---- the targets in a box -------------------------------------------------------------------- */

typedef struct sparse_run {
    const sweep_share *share;
    const chain_sparse *of;
    store_array field, scale;
    bool absent[3];           /* dimensions that the scale lacks */
    const chain_slot *scalar; /* whose elements are added; NULL: of->values are */
} sparse_run;

static double added(const sparse_run *r, uint32_t point)
{
    return r->scalar ? number_of(r->scalar, point) : r->of->values[point];
}

static double scale_at(const sparse_run *r, const int64_t target[3])
{
    int64_t at[3];
    if (!r->of->scaled) return 1;
    for (int d = 0; d < 3; d++) at[d] = r->absent[d] ? 0 : target[d];
    return load(&r->scale, at);
}

static bool is_own(const grid_box *core, const int64_t at[3])
{
    bool own = true;
    for (int d = 0; d < 3; d++) own = own && at[d] >= core->lo[d] && at[d] < core->hi[d];
    return own;
}

static void run_target(const sparse_run *r, const grid_sparse_target *target, const int64_t at[3])
{
    const grid_sparse_weight *weights = r->of->points->weights;
    const double scale = scale_at(r, at);
    if (r->of->products && !is_own(&r->share->core, at)) return;
    for (int64_t i = target->first; i < target[1].first; i++) {
        const grid_sparse_weight *w = &weights[i];
        const double value = load(&r->field, at);
        if (r->of->products)
            r->of->products[w->slot] = w->weight * scale * value;
        else
            store(&r->field, at, value + w->weight * scale * added(r, w->point));
    }
}

/* The first target of a row that is not before x. */
static int64_t target_from(const grid_sparse *s, const grid_sparse_row *row, int64_t x)
{
    int64_t lo = row->first, hi = row[1].first;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (s->targets[middle].x < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static void run_row(const sparse_run *r, const grid_sparse_row *row, const abi_box *box)
{
    const grid_sparse *s = r->of->points;
    int64_t at[3] = {0, row->y, row->z};
    for (int64_t t = target_from(s, row, box->lo[0]); t < row[1].first; t++) {
        at[0] = s->targets[t].x;
        if (at[0] >= box->hi[0]) return;
        run_target(r, &s->targets[t], at);
    }
}

static void run_rows(const sparse_run *r, const abi_box *box)
{
    const grid_sparse *s = r->of->points;
    int64_t i = grid_sparse_row_from(s, box->lo[2], box->lo[1]);
    while (i < s->row_count && s->rows[i].z < box->hi[2]) {
        const grid_sparse_row *row = &s->rows[i];
        if (row->y >= box->hi[1])
            i = grid_sparse_row_from(s, row->z + 1, box->lo[1]);
        else if (row->y < box->lo[1])
            i = grid_sparse_row_from(s, row->z, box->lo[1]);
        else
            run_row(r, &s->rows[i++], box);
    }
}

void sweep_run_sparse(const abi_box *box, const abi_arguments *arguments)
{
    const sweep_share *share = arguments->own;
    const sweep_loop *l = share->loop;
    const ir_kernel *kernel = l->loop->kernel;
    const int last = kernel->param_count - 1;
    sparse_run r = {.share = share, .of = l->loop->sparse};
    int view = r.of->products ? codegen_view_index(kernel, CHAIN_SPARSE_FIELD)
                              : codegen_store_index(kernel, CHAIN_SPARSE_FIELD);
    r.field = sweep_view_array(&share->views[view + r.of->component],
                               l->fields[CHAIN_SPARSE_FIELD].array);
    if (!r.of->products && !r.of->values) r.scalar = sweep_slot(l, last);
    if (r.of->scaled) {
        view = codegen_view_index(kernel, CHAIN_SPARSE_SCALE);
        r.scale = sweep_view_array(&share->views[view], l->fields[CHAIN_SPARSE_SCALE].array);
        memcpy(r.absent, kernel->params[CHAIN_SPARSE_SCALE].absent_axis, sizeof r.absent);
    }
    run_rows(&r, box);
}

/* ---- the sums -------------------------------------------------------------------------------- */

/* A product as it is sent to other ranks. */
typedef struct sent {
    int64_t slot;
    double product;
} sent;

static bool is_made(double product)
{
    ir_value value = {.f64 = product};
    return value.bits != CHAIN_NO_PRODUCT;
}

/* Those that this rank has made, behind one that is none: for a rank sends nothing if it has
 * failed.
 */
static sent *list_made(const chain_sparse *s, size_t *count)
{
    const int64_t slots = s->points->slots[s->points->count];
    sent *list = malloc(((size_t)slots + 1) * sizeof *list);
    *count = 1;
    if (list) list[0] = (sent){-1, 0};
    for (int64_t i = 0; i < slots && list; i++)
        if (is_made(s->products[i])) list[(*count)++] = (sent){i, s->products[i]};
    return list;
}

/* Gives each rank the products of all. */
static bool meet(const sweep_loop *l, const chain_sparse *s)
{
    const sweep_ranks *ranks = &l->workers->ranks;
    const char *all;
    const size_t *starts;
    size_t count;
    sent *mine = list_made(s, &count), one;
    int met = mine ? ranks->gather(ranks->data, mine, count * sizeof *mine, &all, &starts) : 0;
    for (size_t at = 0; met && at < starts[met]; at += sizeof one) {
        memcpy(&one, all + at, sizeof one);
        if (one.slot >= 0) s->products[one.slot] = one.product;
    }
    free(mine);
    return met > 0;
}

bool sweep_finish_sparse(const sweep_loop *l)
{
    const chain_sparse *s = l->loop->sparse;
    const grid_sparse *points = s->points;
    chain_slot *slot = sweep_slot(l, l->loop->kernel->param_count - 1);
    const ir_type type = ir_type_of_storage(slot->type);
    bool done = !l->like.parted || meet(l, s);
    for (int64_t p = 0; p < points->count && done; p++) {
        double sum = 0;
        for (int64_t i = points->slots[p]; i < points->slots[p + 1]; i++) sum += s->products[i];
        done = store_scalar_set(slot, (int)p, ir_convert(type, IR_F64, (ir_value){.f64 = sum}));
    }
    return done;
}
