/* Loops over points between those of a grid (chain_sparse): of a box, only the targets inside it.
 *
 * To sum, each product goes to a place of its own, whichever thread or rank makes it, and the sums
 * are made at the end: so their order does not depend on how the box was cut. */
#include "sweep/reductions.h"

#include <stdlib.h>

/* ---- values of fields ------------------------------------------------------------------------ */

/* A row of a field: the address of its point 0, and what leads to others. */
typedef struct field_row {
    const store_array *array;
    char *zero;
    int64_t bytes; /* of an element */
} field_row;

static field_row row_of(const store_array *a, int64_t y, int64_t z)
{
    const int64_t zero[3] = {0, y, z};
    return (field_row){a, store_address(a, 0, zero), store_type_bytes(a->type)};
}

static inline void *element_of(const field_row *r, int64_t x)
{
    const store_array *a = r->array;
    return r->zero + (a->block == 1 ? x * a->pitch_x : store_along_x(a, x)) * r->bytes;
}

static inline double load(const void *element, kata_type type)
{
    if (type == KATA_F32) return (double)*(const float *)element;
    if (type == KATA_F64) return *(const double *)element;
    return ir_storage_read(type, IR_F64, element).f64;
}

static inline void store(void *element, kata_type type, double value)
{
    if (type == KATA_F32)
        *(float *)element = (float)value;
    else if (type == KATA_F64)
        *(double *)element = value;
    else
        ir_storage_write(type, IR_F64, (ir_value){.f64 = value}, element);
}

static double number_of(const chain_slot *scalar, int64_t element)
{
    ir_value value = store_scalar(scalar, (int)element);
    return ir_convert(IR_F64, ir_type_of_storage(scalar->type), value).f64;
}

/* ---- targets that were met ------------------------------------------------------------------- */

enum { BATCH = HOSTILE(64, 3) };

/* A target in the box. */
typedef struct met {
    char *element;
    const char *scale;   /* its element; NULL: 1 */
    int64_t first, last; /* its weights: up to before `last` */
} met;

typedef struct sparse_run {
    const sweep_share *share;
    const chain_sparse *of;
    store_array field, scale;
    field_row row, scale_row; /* that runs now */
    bool absent[3];           /* dimensions that the scale lacks */
    const chain_slot *scalar; /* whose elements are added; NULL: of->values are */
    met batch[BATCH];         /* those that are still to run */
    int count;
} sparse_run;

static double added(const sparse_run *r, uint32_t point)
{
    return r->scalar ? number_of(r->scalar, point) : r->of->values[point];
}

/* A product for each weight. */
static void multiply(const sparse_run *r, const met *m, double scale)
{
    const grid_sparse_weight *weights = r->of->points->weights;
    const double value = load(m->element, r->field.type);
    for (int64_t i = m->first; i < m->last; i++)
        r->of->products[weights[i].slot] = weights[i].weight * scale * value;
}

static void add(const sparse_run *r, const met *m, double scale)
{
    const grid_sparse_weight *weights = r->of->points->weights;
    double value = load(m->element, r->field.type);
    for (int64_t i = m->first; i < m->last; i++) {
        const double more = weights[i].weight * scale * added(r, weights[i].point);
        store(m->element, r->field.type, value + more);
        value = load(m->element, r->field.type);
    }
}

/* What a target adds, or where its products go: mostly far from what others do. Inlined, for gcc
 * takes a function that only prefetches for one without effect, and drops its calls. */
static inline __attribute__((always_inline)) void prefetch_points(const sparse_run *r, const met *m)
{
    const grid_sparse_weight *weights = r->of->points->weights;
    for (int64_t i = m->first; i < m->last; i++)
        if (r->of->products)
            __builtin_prefetch(&r->of->products[weights[i].slot], 1);
        else if (r->of->values)
            __builtin_prefetch(&r->of->values[weights[i].point]);
}

/* All that the targets of a batch need is on its way from memory before the first is run. */
static void run_batch(sparse_run *r)
{
    for (int i = 0; i < r->count; i++) prefetch_points(r, &r->batch[i]);
    for (int i = 0; i < r->count; i++) {
        const met *m = &r->batch[i];
        const double scale = m->scale ? load(m->scale, r->scale.type) : 1;
        if (r->of->products)
            multiply(r, m, scale);
        else
            add(r, m, scale);
    }
    r->count = 0;
}

/* ---- the targets in a box -------------------------------------------------------------------- */

static inline void meet_target(sparse_run *r, const grid_sparse_target *target)
{
    const int64_t x = target->x;
    if (r->count == BATCH) run_batch(r);
    met *m = &r->batch[r->count++];
    *m = (met){element_of(&r->row, x), NULL, target->first, target[1].first};
    if (r->of->scaled) m->scale = element_of(&r->scale_row, r->absent[0] ? 0 : x);
    __builtin_prefetch(m->element, 1);
    __builtin_prefetch(&r->of->points->weights[m->first]);
    if (m->scale) __builtin_prefetch(m->scale);
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

static void meet_row(sparse_run *r, const grid_sparse_row *row, int64_t x_lo, int64_t x_hi)
{
    const grid_sparse_target *targets = r->of->points->targets;
    const int64_t end = row[1].first;
    r->row = row_of(&r->field, row->y, row->z);
    if (r->of->scaled)
        r->scale_row = row_of(&r->scale, r->absent[1] ? 0 : row->y, r->absent[2] ? 0 : row->z);
    for (int64_t t = target_from(r->of->points, row, x_lo); t < end && targets[t].x < x_hi; t++)
        meet_target(r, &targets[t]);
}

static void meet_rows(sparse_run *r, const grid_box *box)
{
    const grid_sparse *s = r->of->points;
    for (int64_t z = box->lo[2]; z < box->hi[2]; z++) {
        int64_t i = grid_sparse_row_from(s, z, box->lo[1]);
        for (; i < s->row_count && s->rows[i].z == z && s->rows[i].y < box->hi[1]; i++)
            meet_row(r, &s->rows[i], box->lo[0], box->hi[0]);
    }
}

/* The points of a box that are there for this one: of sums, each counts once. */
static grid_box own_box(const sparse_run *r, const abi_box *box)
{
    grid_box own;
    for (int d = 0; d < 3; d++) {
        own.lo[d] = larger(box->lo[d], r->of->points->box.lo[d]);
        own.hi[d] = smaller(box->hi[d], r->of->points->box.hi[d]);
    }
    return r->of->products ? grid_box_intersect(&own, &r->share->core) : own;
}

void sweep_run_sparse(const abi_box *box, const abi_arguments *arguments)
{
    const sweep_share *share = arguments->own;
    const sweep_loop *l = share->loop;
    const ir_kernel *kernel = l->loop->kernel;
    const int last = kernel->param_count - 1;
    sparse_run r; /* its batch is empty */
    r.share = share;
    r.of = l->loop->sparse;
    r.scalar = NULL;
    r.count = 0;
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
    const grid_box own = own_box(&r, box);
    meet_rows(&r, &own);
    run_batch(&r);
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
static bool meet_ranks(const sweep_ranks *ranks, const chain_sparse *s)
{
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

bool sweep_sum_products(const chain_loop *loop, chain_slot *slot, const sweep_ranks *ranks)
{
    const chain_sparse *s = loop->sparse;
    const grid_sparse *points = s->points;
    const ir_type type = ir_type_of_storage(slot->type);
    bool done = !ranks || meet_ranks(ranks, s);
    for (int64_t p = 0; p < points->count && done; p++) {
        double sum = 0;
        for (int64_t i = points->slots[p]; i < points->slots[p + 1]; i++) sum += s->products[i];
        done = store_scalar_set(slot, (int)p, ir_convert(type, IR_F64, (ir_value){.f64 = sum}));
    }
    return done;
}

bool sweep_finish_sparse(const sweep_loop *l)
{
    return sweep_sum_products(l->loop, sweep_slot(l, l->loop->kernel->param_count - 1),
                              l->like.parted ? &l->workers->ranks : NULL);
}
