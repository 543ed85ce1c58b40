#include "plan_world.h"

#include "legality/legality.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t world_random(world *w)
{
    uint64_t x = w->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int64_t world_from(world *w, int64_t low, int64_t high)
{
    return low + (int64_t)(world_random(w) % (uint64_t)(high - low + 1));
}

bool world_chance(world *w, int percent) { return world_from(w, 1, 100) <= percent; }

/* ---- fields ---------------------------------------------------------------------------------- */

/* KATA_PERIODIC stands for KATA_LINEAR. */
static kata_rule random_rule(world *w, int64_t size)
{
    kata_rule rule = (kata_rule)world_from(w, KATA_NONE, KATA_PERIODIC);
    if (rule == KATA_PERIODIC) return KATA_LINEAR;
    return grid_rule_lacks_points(rule, size) ? KATA_CLAMP : rule;
}

/* Of any depth that kernels reach, and of 1 to 4 points. */
static const grid_weights *random_weights(world *w, int64_t size)
{
    static const grid_weights weights[] = {
        {8, 1, {{-1, 2}, {-3, 4}, {0.5, 1}, {1, 0}, {-1, 2}, {-1, 2}, {0, 1}, {0.25, 0.75}}},
        {8, 2, {{-2, 0.25, 2.5}, {1, -1, 1}, {0, 1, 0}, {0.5, 0.5, 0}, {3, -2, 0}, {0, 0, 1}}},
        {8, 3, {{0.5, -0.75, 0.25, 1}, {3, -3, 1, 0}, {0.5, 0.25, 0.125, 0}, {-1, 1, -1, 2}}},
        {8, 4, {{-2.5, 1.5, -0.5, 0.125, 2}, {4, -6, 4, -1, 0}, {0.25, 0.25, 0.25, 0.25, 0.5}}}};
    return &weights[world_from(w, 1, size < 4 ? size : 4) - 1];
}

/* Mostly alike in what is periodic, as in programs. */
static grid_boundary random_boundary(world *w, const grid_shape *shape, unsigned periodic)
{
    grid_boundary b = {0};
    for (int d = 0; d < 3; d++) {
        bool wraps = world_chance(w, 85) ? periodic >> d & 1 : world_chance(w, 50);
        for (int side = 2 * d; side < 2 * d + 2; side++) {
            b.side[side] = (grid_side_rule){wraps ? KATA_PERIODIC : random_rule(w, shape->size[d]),
                                            0.25 * (double)world_from(w, -2, 2)};
            b.weights[side] = random_weights(w, shape->size[d]);
        }
    }
    return b;
}

static void fill(world *w, chain_slot *slot)
{
    grid_box all = chain_slot_memory(slot);
    size_t count = (size_t)(grid_box_points(&all) * slot->components);
    double *values = malloc(count * sizeof *values);
    slot->array = store_array_new(&all, slot->type, slot->components, KATA_ARRAYS);
    if (!values || !slot->array) abort();
    for (size_t i = 0; i < count; i++) values[i] = (double)world_from(w, -1000, 1000) / 1000;
    store_write(slot->array, &all, KATA_F64, values);
    free(values);
}

static store_array *copy_of(const store_array *a)
{
    store_array *copy = store_array_copy(a);
    if (!copy) abort();
    return copy;
}

/* Some fields have faces, ghosts, or lack a dimension. */
static void make_place(world *w, int f, chain_slot *slot)
{
    if (f == 0 && w->rank > 1) {
        slot->absent_axis[0] = w->shape.size[0];
        slot->shape.size[0] = 1;
        return;
    }
    int64_t ghosts = world_chance(w, 25) ? world_from(w, 1, 2) : 0;
    for (int d = 0; d < w->rank; d++) slot->ghosts[d] = (f + d) % 3 ? ghosts : 0;
    for (int d = 0; d < w->rank; d++)
        if (world_chance(w, 12)) {
            slot->staggered[d] = true;
            slot->shape.size[d]++;
        }
}

/* A field on the finer grid. */
static void make_fine(world *w, int f, unsigned periodic)
{
    chain_slot *slot = &w->slots[WORLD_FIELDS + WORLD_SCALARS + f];
    *slot = (chain_slot){.shape = w->fine_shape, .type = KATA_F64, .components = 1};
    if (world_chance(w, 20)) make_place(w, f + 1, slot);
    fill(w, slot);
    w->fine[f].slot = slot;
    w->fine[f].boundary = random_boundary(w, &w->fine_shape, periodic);
    snprintf(w->fine[f].name, sizeof w->fine[f].name, "g%d", f);
}

static void make_slots(world *w)
{
    unsigned periodic = (unsigned)(world_random(w) & world_random(w) & 7);
    w->field_count = (int)world_from(w, 4, WORLD_FIELDS);
    bool some_far = w->state >> 11 & 1;
    for (int f = 0; f < w->field_count; f++) {
        chain_slot *slot = &w->slots[f];
        *slot = (chain_slot){.shape = w->shape, .type = world_chance(w, 85) ? KATA_F64 : KATA_F32};
        slot->components = f >= w->field_count - 2 ? 2 : 1;
        make_place(w, f, slot);
        slot->far = some_far && f % 3 == 0;
        fill(w, slot);
        w->fields[f].slot = slot;
        w->fields[f].boundary = random_boundary(w, &w->shape, periodic);
        snprintf(w->fields[f].name, sizeof w->fields[f].name, "f%d", f);
    }
    for (int s = 0; s < WORLD_SCALARS; s++) {
        chain_slot *slot = &w->slots[WORLD_FIELDS + s];
        *slot = (chain_slot){
            .shape = {1, {1, 1, 1}}, .type = KATA_F64, .components = 1, .is_scalar = true};
        fill(w, slot);
        w->logs[s] = (chain_log){.room = WORLD_LOG};
        w->logs[s].values = calloc(WORLD_LOG, sizeof(ir_value));
        if (!w->logs[s].values) abort();
        slot->log = &w->logs[s];
        w->scalars[s].slot = slot;
        snprintf(w->scalars[s].name, sizeof w->scalars[s].name, "s%d", s);
    }
    for (int f = 0; f < WORLD_FINE && w->has_ratios; f++) make_fine(w, f, periodic);
    for (int i = 0; i < WORLD_SLOTS; i++)
        if (w->slots[i].array) w->first[i] = copy_of(w->slots[i].array);
}

static void make_shape(world *w, const world_kind *kind)
{
    static const int64_t rows[] = {511, 513, 1030, 1700};
    static const int64_t line[] = {1, 2, 3, 5, 8, 13, 17, 31}, plane[] = {1, 2, 3, 4, 5, 7, 9, 11},
                         space[] = {1, 2, 3, 4, 5, 6};
    w->rank = (int)world_from(w, 1, 3);
    w->shape = (grid_shape){w->rank, {1, 1, 1}};
    for (int d = 0; d < w->rank; d++)
        w->shape.size[d] = w->rank == 1   ? line[world_from(w, 0, COUNT_OF(line) - 1)]
                           : w->rank == 2 ? plane[world_from(w, 0, COUNT_OF(plane) - 1)]
                                          : space[world_from(w, 0, COUNT_OF(space) - 1)];
    if (kind->long_rows) w->shape.size[0] = rows[world_from(w, 0, COUNT_OF(rows) - 1)];
    if (kind->large)
        w->shape = (grid_shape){2, {world_from(w, 250, 400), world_from(w, 200, 300), 1}};
    if (kind->large) w->rank = 2;
    if (kind->planes && w->rank > 1) w->shape.size[w->rank - 1] = world_from(w, 20, 60);
}

/* Ratios along each dimension, of which those of shared kernels are always the same. */
static void make_ratios(world *w, const world_kind *kind)
{
    uint64_t state = w->state;
    if (kind->kernels) w->state = kind->kernels * 77 + (uint64_t)w->rank;
    bool finer = world_chance(w, kind->kernels ? 100 : 60) && !kind->large;
    w->fine_shape = w->shape;
    for (int d = 0; d < 3; d++) {
        int64_t drawn = world_from(w, 1, 3);
        w->ratio[d] = d < w->rank ? (int)(drawn == 1 && d == w->rank - 1 ? 2 : drawn) : 1;
        w->fine_shape.size[d] *= w->ratio[d];
    }
    w->has_ratios = finer;
    if (kind->kernels) w->state = state;
    w->cycles = finer && world_chance(w, 50);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static grid_box random_box(world *w, const grid_shape *shape)
{
    grid_box box = grid_shape_box(shape);
    int64_t kind = world_from(w, 0, 9);
    for (int d = 0; d < w->rank; d++) {
        int64_t n = shape->size[d], inner = kind == 6 ? 2 : 1;
        if (kind == 5 || kind == 6) {
            box.lo[d] = inner;
            box.hi[d] = n - inner < inner ? inner : n - inner;
        } else if (kind == 7) {
            bool beyond = world_chance(w, 40);
            box.lo[d] = beyond ? world_from(w, -2, 0) : world_from(w, 0, n - 1);
            box.hi[d] = beyond ? world_from(w, n, n + 2) : world_from(w, box.lo[d] + 1, n);
        }
    }
    int d = (int)world_from(w, 0, w->rank - 1);
    if (kind == 8) box.hi[d] = 1;
    if (kind == 9) box.lo[d] = shape->size[d] - 1;
    return box;
}

static bool is_coarser(const ir_param *param)
{
    return param->coarser[0] || param->coarser[1] || param->coarser[2];
}

static bool has_ratio(const ir_kernel *kernel)
{
    bool ratio = false;
    for (int p = 0; p < kernel->param_count; p++)
        ratio = ratio || ir_param_has_ratio(&kernel->params[p]);
    return ratio;
}

/* Whether a kernel runs on the finer grid: it must where it reads coarser fields. */
static bool runs_fine(world *w, const ir_kernel *kernel)
{
    bool may = w->has_ratios && strcmp(kernel->name, "alone") != 0, must = false;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        bool field = ir_param_is_field(param);
        must = must || is_coarser(param);
        may = may && (param->count == 1 || !field) && !ir_param_lacks_dimensions(param) &&
              (!ir_param_has_ratio(param) || is_coarser(param));
    }
    return must || (may && world_chance(w, w->cycles ? 85 : 40));
}

/* Mostly another kernel if it is not for the finer grid. */
static const ir_kernel *pick_transfer(world *w, const ir_kernel *kernel)
{
    for (int tries = 0; tries < 5 && world_chance(w, has_ratio(kernel) ? 0 : 70); tries++)
        if (tries % 2 == 0 || !runs_fine(w, kernel))
            kernel = w->module->kernels[world_from(w, 0, w->module->count - 1)];
    return kernel;
}

/* `fine`: the loop runs on the finer grid. */
static const world_field *pick_field(world *w, int components, const ir_param *param, bool fine)
{
    if (ir_param_lacks_dimensions(param)) return &w->fields[0];
    if (fine ? !is_coarser(param) : ir_param_has_ratio(param))
        return &w->fine[world_from(w, 0, WORLD_FINE - 1)];
    int f = components == 1 ? (int)world_from(w, 0, w->field_count - 3)
                            : (int)world_from(w, w->field_count - 2, w->field_count - 1);
    return &w->fields[f];
}

/* Queues a kernel on random fields and points; nothing when that is not legal. */
static void try_loop(world *w)
{
    const ir_kernel *kernel = w->module->kernels[world_from(w, 0, w->module->count - 1)];
    if (w->cycles) kernel = pick_transfer(w, kernel);
    if (w->checks && world_chance(w, 15)) kernel = w->module->kernels[w->module->count - 1];
    if ((kernel->check_count && !w->checks) || (has_ratio(kernel) && !w->has_ratios)) return;
    chain_binding bindings[8] = {{0}};
    bool fine = runs_fine(w, kernel);
    chain_loop loop = {
        .kernel = kernel, .shape = fine ? w->fine_shape : w->shape, .bindings = bindings};
    loop.box = random_box(w, &loop.shape);
    if (!strcmp(kernel->name, "alone")) {
        loop.once = true;
        loop.shape = (grid_shape){1, {1, 1, 1}};
        loop.box = grid_shape_box(&loop.shape);
    }
    if (!strcmp(kernel->name, "color")) {
        loop.colors = (int)world_from(w, 2, 3);
        loop.color = (int)world_from(w, 0, loop.colors - 1);
    }
    for (int p = 0; p < kernel->param_count; p++) {
        bool field = ir_param_is_field(&kernel->params[p]) && !loop.once;
        const world_field *f =
            field ? pick_field(w, kernel->params[p].count, &kernel->params[p], fine)
                  : &w->scalars[world_from(w, 0, WORLD_SCALARS - 1)];
        bindings[p].slot = f->slot;
        bindings[p].name = f->name;
        bindings[p].boundary = &f->boundary;
    }
    message_clear(&w->m);
    if (legality_check(&loop, &w->m) != KATA_OK) return;
    if (chain_append(&w->chain, &loop, &w->m) != KATA_OK) abort();
    for (int p = 0; p < kernel->param_count; p++)
        if (analysis_writes_all(&loop, p)) bindings[p].slot->discarded = false;
}

/* Of fields with faces or ghosts, parts live on. */
static void discard(chain_slot *slot)
{
    bool plain = true;
    for (int d = 0; d < 3; d++)
        plain = plain && !slot->ghosts[d] && !slot->staggered[d] && !slot->absent_axis[d];
    if (plain) slot->discarded = true;
}

static void swap(world *w)
{
    world_field *a = &w->fields[world_from(w, 0, w->field_count - 1)];
    world_field *b = &w->fields[world_from(w, 0, w->field_count - 1)];
    if (a->slot->type != b->slot->type || a->slot->components != b->slot->components ||
        !chain_slot_same_points(a->slot, b->slot))
        return;
    chain_slot *slot = a->slot;
    a->slot = b->slot;
    b->slot = slot;
}

/* Time steps of a few loops, as in programs. */
static void repeat(world *w)
{
    const ir_kernel *kernel = w->module->kernels[world_from(w, 0, 2)];
    world_field *a = &w->fields[1], *b = &w->fields[2];
    if (a->slot->type != b->slot->type || w->field_count < 5 ||
        !chain_slot_same_points(a->slot, b->slot))
        return;
    chain_binding bindings[2] = {{.slot = a->slot, .name = a->name, .boundary = &a->boundary},
                                 {.slot = b->slot, .name = b->name, .boundary = &b->boundary}};
    chain_loop loop = {.kernel = kernel, .shape = w->shape, .bindings = bindings};
    loop.box = grid_shape_box(&w->shape);
    message_clear(&w->m);
    if (legality_check(&loop, &w->m) != KATA_OK) return;
    if (chain_append(&w->chain, &loop, &w->m) != KATA_OK) abort();
    if (analysis_writes_all(&loop, 1)) b->slot->discarded = false;
    chain_slot *slot = a->slot;
    a->slot = b->slot;
    b->slot = slot;
    if (world_chance(w, 70)) discard(b->slot);
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

/* ---- worlds ---------------------------------------------------------------------------------- */

void world_make(world *w, uint64_t seed, const world_kind *kind)
{
    int most_loops = kind->most_loops;
    *w = (world){.state = seed * 0x2545f4914f6cdd1du + 1, .shares_module = kind->kernels != 0};
    w->m.handler = ignore;
    make_shape(w, kind);
    make_ratios(w, kind);
    make_slots(w);
    w->checks = kind->checks;
    w->module = world_kernels(w, kind->kernels);
    w->steady = world_chance(w, 30);
    int64_t tries = world_from(w, 1, most_loops * 2);
    for (int64_t i = 0; i < tries && (int)w->chain.count < most_loops; i++) {
        if (w->steady && world_chance(w, 80))
            repeat(w);
        else if (world_chance(w, 12))
            swap(w);
        else if (world_chance(w, 6))
            world_try_copy(w);
        else if (world_chance(w, 4))
            discard(w->fields[world_from(w, 0, w->field_count - 1)].slot);
        else
            try_loop(w);
    }
    message_clear(&w->m);
}

void world_reset(world *w)
{
    for (int i = 0; i < WORLD_SLOTS; i++) {
        store_array_free(w->slots[i].array);
        w->slots[i].array = w->first[i] ? copy_of(w->first[i]) : NULL;
    }
    for (int s = 0; s < WORLD_SCALARS; s++)
        memset(w->logs[s].values, 0, WORLD_LOG * sizeof(ir_value));
}

uint64_t *world_values(const world *w, size_t *count)
{
    size_t room = 0;
    void *values = NULL;
    *count = 0;
    for (int i = 0; i < WORLD_SLOTS; i++) {
        const chain_slot *slot = &w->slots[i];
        grid_box all = chain_slot_memory(slot);
        size_t own = (size_t)(grid_box_points(&all) * slot->components);
        if (!slot->array || slot->discarded) continue;
        double *wide = malloc(own * sizeof *wide);
        if (!wide || !vector_reserve(&values, &room, *count + own, sizeof(uint64_t))) abort();
        store_read(slot->array, &all, slot->components, KATA_F64, wide);
        for (size_t k = 0; k < own; k++) {
            double x = isnan(wide[k]) ? NAN : wide[k];
            memcpy((uint64_t *)values + (*count)++, &x, sizeof x);
        }
        free(wide);
    }
    for (int s = 0; s < WORLD_SCALARS; s++) {
        if (!vector_reserve(&values, &room, *count + WORLD_LOG, sizeof(uint64_t))) abort();
        for (int i = 0; i < WORLD_LOG; i++)
            ((uint64_t *)values)[(*count)++] = w->logs[s].values[i].bits;
    }
    return values;
}

void world_free(world *w)
{
    for (int i = 0; i < WORLD_SLOTS; i++) {
        store_array_free(w->slots[i].array);
        store_array_free(w->first[i]);
    }
    for (int s = 0; s < WORLD_SCALARS; s++) free(w->logs[s].values);
    chain_free(&w->chain);
    if (!w->shares_module) lang_module_free(w->module);
    message_free(&w->m);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static const char *random_method(world *w)
{
    int methods = 0;
    while (plan_method_name(methods)) methods++;
    return plan_method_name((int)world_from(w, 0, methods - 1));
}

static plan_request random_sizes(world *w)
{
    plan_request r = {0};
    for (int d = 0; d < 3; d++) {
        r.tile[d] = world_from(w, 0, 2) ? world_from(w, 1, 6) : 0;
        r.inner[d] = r.tile[d] && world_from(w, 0, 2) == 0 ? world_from(w, 1, 3) : 0;
        r.parts[d] = world_from(w, 1, 3);
    }
    if (world_from(w, 0, 3) == 0) r.tile[w->rank - 1] = world_from(w, 8, 40);
    r.every = world_from(w, 0, 4);
    r.prefetch = world_from(w, 0, 1);
    r.depth = world_from(w, 0, 1) ? world_from(w, 1, 6) : 0;
    r.cache = world_from(w, 1, 4) << world_from(w, 4, 12);
    r.threads = world_from(w, 1, 3);
    r.siblings = world_from(w, 0, 5);
    r.memory = world_from(w, 0, 1) ? world_from(w, 1, 64) << world_from(w, 6, 10) : 0;
    r.slots = world_from(w, 0, 5);
    r.last = world_from(w, 0, 1);
    r.ahead = world_from(w, 0, larger(r.slots, 1) - 1 + r.last);
    r.in_place = world_from(w, 0, 1);
    r.columns = world_chance(w, 30);
    r.rims = r.in_place ? larger(r.slots, 1) : 0;
    return r;
}

/* A method that may lie in the tiles of another; NULL: none may. */
static const char *random_below(world *w, const char *method)
{
    static const char *const outer[] = {"skewed", "diamond",  "tiled",
                                        "shared", "streamed", "blocked"};
    static const char *const inner[] = {"loops", "skewed", "diamond", "tiled", "shared"};
    for (size_t i = 0; i < COUNT_OF(outer); i++)
        if (!strcmp(method, outer[i])) return inner[world_from(w, 0, COUNT_OF(inner) - 1)];
    return NULL;
}

plan_request world_request(world *w)
{
    plan_request r = random_sizes(w);
    r.method = random_method(w);
    if (w->steady && world_from(w, 0, 2) == 0) r.method = "single";
    plan_request *above = &r;
    for (int i = 0; i < PLAN_MOST_METHODS - 1 && world_chance(w, 40); i++) {
        const char *method = random_below(w, above->method);
        if (!method) break;
        w->below[i] = random_sizes(w);
        w->below[i].method = method;
        above->below = &w->below[i];
        above = &w->below[i];
    }
    return r;
}

void world_say_request(uint64_t seed, const plan_request *r)
{
    text words = {0};
    plan_request_print(&words, r);
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, text_get(&words));
    text_free(&words);
}
