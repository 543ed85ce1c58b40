/* Loops over points between those of a grid on a device. Where these are, and their weights, stays
 * there from loop to loop. What a loop adds moves there; of what it sums, one number for each point
 * comes back, when it is asked for. Of loops of which others run some points, all products do. */
#include "exec/device_points.h"

#include <stdlib.h>
#include <string.h>

/* ---- points on the device -------------------------------------------------------------------- */

/* Of points on the device. */
enum { TARGETS, WEIGHTS, SLOTS, ORDER, VALUES, PRODUCTS, TABLES };
_Static_assert((int)TABLES == (int)DEVICE_POINT_TABLES, "there is room for all tables");

static int64_t count_targets(const grid_sparse *s) { return s->rows[s->row_count].first; }

static size_t bytes_of_table(const grid_sparse *s, int table)
{
    const size_t weights = (size_t)s->slots[s->count], points = (size_t)s->count;
    switch (table) {
    case TARGETS: return ((size_t)count_targets(s) + 1) * sizeof(abi_target);
    case WEIGHTS: return weights * sizeof(abi_weight);
    case SLOTS: return (points + 1) * sizeof *s->slots;
    case ORDER: return weights * sizeof(int64_t);
    case VALUES: return points * sizeof(double);
    default: return weights * sizeof(double);
    }
}

bool device_points_add(device_points_list *list, const chain_loop *loop)
{
    void *of = list->of;
    if (!loop->sparse) return true;
    for (size_t i = 0; i < list->count; i++)
        if (list->of[i] == loop->sparse->points) return true;
    if (!vector_reserve(&of, &list->room, list->count + 1, sizeof *list->of)) return false;
    list->of = of;
    list->of[list->count++] = loop->sparse->points;
    for (int t = 0; t < TABLES; t++)
        list->bytes += (int64_t)bytes_of_table(loop->sparse->points, t);
    return true;
}

int64_t device_sums_bytes(const chain_loop *loop)
{
    const int table = loop->parted ? PRODUCTS : VALUES;
    return loop->sparse->products ? (int64_t)bytes_of_table(loop->sparse->points, table) : 0;
}

int64_t device_plane_products(const grid_sparse *s, bool plane)
{
    const int64_t count = plane ? s->box.hi[2] - s->box.lo[2] : s->row_count;
    int64_t most = 0;
    for (int64_t i = 0; i < count; i++) {
        const grid_sparse_row *from = &s->rows[plane ? s->planes[i] : i];
        const grid_sparse_row *to = &s->rows[plane ? s->planes[i + 1] : i + 1];
        most = larger(most, s->targets[to->first].first - s->targets[from->first].first);
    }
    return most * (int64_t)sizeof(double);
}

static void list_targets(const grid_sparse *s, abi_target *target)
{
    for (int64_t r = 0; r < s->row_count; r++)
        for (int64_t t = s->rows[r].first; t < s->rows[r + 1].first; t++)
            target[t] =
                (abi_target){{s->targets[t].x, s->rows[r].y, s->rows[r].z}, s->targets[t].first};
    target[count_targets(s)] = (abi_target){.first = s->slots[s->count]};
}

static void fill_table(const grid_sparse *s, int table, void *to)
{
    if (table == TARGETS) list_targets(s, to);
    if (table == SLOTS) memcpy(to, s->slots, bytes_of_table(s, SLOTS));
    for (int64_t i = 0; i < s->slots[s->count]; i++) {
        const grid_sparse_weight *w = &s->weights[i];
        if (table == WEIGHTS) ((abi_weight *)to)[i] = (abi_weight){w->weight, w->point};
        if (table == ORDER) ((int64_t *)to)[w->slot] = i;
    }
}

static bool make_table(struct exec_device *d, const grid_sparse *s, int table, device_memory **made)
{
    const size_t bytes = bytes_of_table(s, table);
    const device_box box = {.row = bytes, .rows = 1, .planes = 1};
    *made = device_take(d, bytes);
    if (!*made || table == VALUES || table == PRODUCTS) return *made;
    void *entries = malloc(bytes);
    if (entries) fill_table(s, table, entries);
    const bool put = entries && device_put(d->device, *made, entries, &box);
    free(entries);
    return put;
}

/* NULL, reported, when memory is out. */
static struct device_points *points_of(const device_loop *l)
{
    struct exec_device *d = l->d;
    const grid_sparse *s = l->loop->sparse->points;
    struct device_points *p = d->points;
    while (p && p->of != s) p = p->next;
    if (p) p->used = d->clock;
    if (p) return p;
    p = calloc(1, sizeof *p);
    bool made = p;
    for (int t = 0; t < TABLES && made; t++) made = make_table(d, s, t, &p->table[t]);
    if (!made) {
        if (p) device_points_free(d, p);
        device_failed(l, "has no memory for the points of");
        return NULL;
    }
    p->of = s;
    p->used = d->clock;
    p->next = d->points;
    return d->points = p;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static codegen_sparse kernel_of(const chain_loop *loop)
{
    const chain_sparse *s = loop->sparse;
    const kata_type storage = loop->bindings[CHAIN_SPARSE_FIELD].slot->type;
    return (codegen_sparse){.storage = storage,
                            .scale =
                                s->scaled ? loop->bindings[CHAIN_SPARSE_SCALE].slot->type : storage,
                            .scaled = s->scaled,
                            .records = s->products};
}

void device_begin_sparse(const device_loop *l, bool sums, device_making *out)
{
    const codegen_sparse of = kernel_of(l->loop);
    const int64_t key[] = {(int64_t)of.storage, (int64_t)of.scale, of.scaled};
    *out = (device_making){.key = 0};
    snprintf(out->name, sizeof out->name, "%s",
             sums         ? CODEGEN_SUMS_NAME
             : of.records ? CODEGEN_RECORD_NAME
                          : CODEGEN_INJECT_NAME);
    out->key = hash_bytes(key, sums ? 0 : sizeof key, hash_bytes(out->name, strlen(out->name), 1));
    if (device_find_loaded(l->d, out->key)) return;
    if (sums)
        codegen_sums_text(&out->source, l->d->language);
    else
        codegen_sparse_text(&out->source, &of, l->d->language);
}

/* A thread for each of `count`. */
static kata_status run(const device_loop *l, bool sums, const device_argument *arguments,
                       int argument_count, int64_t count)
{
    device_making made;
    device_begin_sparse(l, sums, &made);
    device_kernel *kernel = device_make(l, &made, true);
    if (!kernel) return l->m->status;
    device_launch launch = {.groups = {-floor_divide(-count, CODEGEN_SPARSE_THREADS), 1, 1},
                            .threads = {CODEGEN_SPARSE_THREADS, 1, 1},
                            .arguments = arguments,
                            .argument_count = argument_count};
    return device_run(l->d->device, kernel, &launch) ? KATA_OK : device_failed(l, "failed in");
}

/* ---- targets --------------------------------------------------------------------------------- */

static void find_place(const chain_binding *b, const ir_param *param, int component, int64_t *at,
                       int64_t step[3])
{
    const abi_place *place = &b->slot->on_device->place;
    const int64_t steps[3] = {1, place->y, place->z};
    *at = place->at + component * place->component;
    for (int d = 0; d < 3; d++) step[d] = param->absent_axis[d] ? 0 : steps[d];
}

static abi_sparse given_to(const chain_loop *loop)
{
    const chain_sparse *s = loop->sparse;
    const ir_param *params = loop->kernel->params;
    abi_sparse to = {.count = 0};
    to.count = device_targets_near(loop, &to.first);
    to.base = s->points->targets[to.first].first;
    memcpy(to.lo, loop->box.lo, sizeof to.lo);
    memcpy(to.hi, loop->box.hi, sizeof to.hi);
    find_place(&loop->bindings[CHAIN_SPARSE_FIELD], &params[CHAIN_SPARSE_FIELD], s->component,
               &to.field, to.field_step);
    if (s->scaled)
        find_place(&loop->bindings[CHAIN_SPARSE_SCALE], &params[CHAIN_SPARSE_SCALE], 0, &to.scale,
                   to.scale_step);
    return to;
}

static kata_status run_targets(const device_loop *l, const struct device_points *p,
                               const abi_sparse *to, device_memory *numbers)
{
    const bool scaled = l->loop->sparse->scaled;
    const int scale = scaled ? CHAIN_SPARSE_SCALE : CHAIN_SPARSE_FIELD;
    const device_argument arguments[] = {
        {NULL, to, sizeof *to},
        {l->loop->bindings[CHAIN_SPARSE_FIELD].slot->on_device->memory, NULL, 0},
        {l->loop->bindings[scale].slot->on_device->memory, NULL, 0},
        {p->table[TARGETS], NULL, 0},
        {p->table[WEIGHTS], NULL, 0},
        {numbers, NULL, 0}};
    return run(l, false, arguments, 6, to->count);
}

/* ---- injecting ------------------------------------------------------------------------------- */

/* The program's numbers stay where they are until the chain has run. */
static bool put_values(const device_loop *l, device_memory *to)
{
    const chain_sparse *s = l->loop->sparse;
    const size_t bytes = bytes_of_table(s->points, VALUES);
    const device_box box = {.row = bytes, .rows = 1, .planes = 1};
    if (s->values) return device_put_later(l->d->device, DEVICE_WORK, to, s->values, &box);
    const chain_slot *scalar = l->loop->bindings[l->loop->kernel->param_count - 1].slot;
    double *values = malloc(bytes);
    for (int64_t p = 0; p < s->points->count && values; p++)
        values[p] =
            ir_convert(IR_F64, ir_type_of_storage(scalar->type), store_scalar(scalar, (int)p)).f64;
    const bool done = values && device_put(l->d->device, to, values, &box);
    free(values);
    return done;
}

static kata_status inject(const device_loop *l, const struct device_points *p)
{
    const abi_sparse to = given_to(l->loop);
    if (!put_values(l, p->table[VALUES])) return device_failed(l, "did not take the numbers of");
    kata_status status = run_targets(l, p, &to, p->table[VALUES]);
    store_device_changed(l->loop->bindings[CHAIN_SPARSE_FIELD].slot);
    return status;
}

/* ---- recording ------------------------------------------------------------------------------- */

static kata_status add_products(const device_loop *l, const struct device_points *p,
                                device_memory *sums)
{
    const int64_t count = p->of->count;
    const device_argument arguments[] = {{NULL, &count, sizeof count},
                                         {p->table[SLOTS], NULL, 0},
                                         {p->table[ORDER], NULL, 0},
                                         {p->table[PRODUCTS], NULL, 0},
                                         {sums, NULL, 0}};
    return run(l, true, arguments, 5, count);
}

/* The sums wait, as reductions do; or the products, where others have some, too. */
static kata_status record(const device_loop *l, const struct device_points *p)
{
    const abi_sparse to = given_to(l->loop);
    const bool parted = l->loop->parted;
    const int64_t products = p->of->targets[to.first + to.count].first - to.base;
    const grid_box kept = {{0, 0, 0}, {parted ? products : p->of->count, 1, 1}};
    device_memory *memory = NULL;
    kata_status status = device_begin_reduction(l, 0, &kept, &memory);
    if (status || !products) return status;
    l->d->waiting[l->d->waiting_count - 1].count = (size_t)kept.hi[0];
    l->d->waiting[l->d->waiting_count - 1].step = 1;
    status = run_targets(l, p, &to, parted ? memory : p->table[PRODUCTS]);
    return status || parted ? status : add_products(l, p, memory);
}

kata_status device_run_sparse(const device_loop *l)
{
    const struct device_points *p = points_of(l);
    if (!p) return l->m->status;
    return l->loop->sparse->products ? record(l, p) : inject(l, p);
}
