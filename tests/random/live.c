/* A program's grid, fields and kernels in a context, and the effect of its steps. In a context that
 * shifts, the value of point i lies at point i + shift of periodic fields. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

kata_type type_of_user(kata_type type)
{
    return type == KATA_F16 || type == KATA_BF16 || type == KATA_UNORM8 ? KATA_F32 : type;
}

size_t type_bytes(kata_type type)
{
    if (type == KATA_U8) return 1;
    if (type == KATA_U16 || type == KATA_I16) return 2;
    return type == KATA_F64 || type == KATA_I64 ? sizeof(double) : sizeof(float);
}

int64_t range_points(const range *r)
{
    int64_t points = 1;
    for (int d = 0; d < 3; d++) points *= r->hi[d] > r->lo[d] ? r->hi[d] - r->lo[d] : 0;
    return points;
}

/* ---- opening --------------------------------------------------------------------------------- */

static kata_grid *open_grid(kata *k, const program *p, int level)
{
    int64_t n[3];
    for (int d = 0; d < 3; d++) n[d] = program_size(p, level, d);
    if (p->rank == 1) return kata_grid_1d(k, n[0]);
    if (p->rank == 2) return kata_grid_2d(k, n[0], n[1]);
    return kata_grid_3d(k, n[0], n[1], n[2]);
}

/* Of any size that can occur, some of them exact. */
static double weight_of(int j, int k) { return ((5 * j + 3 * k) % 7 - 3) * (k % 2 ? 0.5 : 0.3); }

void live_set_wall(kata_field *field, int side, const wall *wall)
{
    double weights[16];
    if (wall->rule != KATA_LINEAR) {
        kata_boundary_set(field, (kata_side)side, wall->rule, wall->value);
        return;
    }
    for (int i = 0; i < wall->depth * (wall->count + 1); i++)
        weights[i] = weight_of(i / (wall->count + 1), i % (wall->count + 1));
    kata_boundary_linear(field, (kata_side)side, wall->depth, wall->count, weights,
                         .value = wall->value);
}

static kata_field *open_field(live *l, int f)
{
    const field *spec = &l->p->fields[f];
    char name[16];
    snprintf(name, sizeof name, "f%d", f);
    kata_field *made = room_field(l, f, name, KATA_NONE);
    for (int side = 0; side < 2 * l->p->rank; side++)
        if (has_dimension(spec, side / 2)) live_set_wall(made, side, &spec->walls[side]);
    return made;
}

static void open_values(live *l)
{
    for (int f = 0; f < l->p->field_count; f++) {
        range all;
        const field *spec = &l->p->fields[f];
        points_box(l->p, spec, spec->walls, true, &all);
        l->fields[f] = open_field(l, f);
        if (spec->seed && !spec->temporary) live_put(l, f, &all, spec->seed);
    }
    for (int s = 0; s < l->p->scalar_count; s++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", s);
        const scalar *spec = &l->p->scalars[s];
        l->scalars[s] = kata_scalar_array_new(l->k, name, spec->type, spec->count);
        kata_scalar_log(l->scalars[s], LOG_ENTRIES);
        if (l->p->scalars[s].start != 0) kata_scalar_set(l->scalars[s], l->p->scalars[s].start);
    }
}

void live_open(live *l, kata *k, const program *p, const setting *s)
{
    char name[32], *text = program_kernels(p);
    snprintf(name, sizeof name, "seed-%llu", (unsigned long long)p->seed);
    *l = (live){.rooms = l->rooms,
                .p = p,
                .setting = s,
                .k = k,
                .grids = {open_grid(k, p, 0), open_grid(k, p, 1)}};
    l->module = kata_module_from_text(k, name, text);
    free(text);
    for (int i = 0; i < p->kernel_count && l->module; i++)
        l->kernels[i] = kata_kernel_find(l->module, p->kernels[i].name);
    open_values(l);
}

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t shift_of(const live *l, int d)
{
    if (!l->setting->shift || !l->p->shiftable) return 0;
    return (int64_t)(l->p->seed >> (7 * d)) % l->p->size[d];
}

static int64_t wrap(int64_t i, int64_t n) { return ((i % n) + n) % n; }

static void set_value(void *values, int64_t i, kata_type type, uint64_t seed, const int64_t at[3],
                      int component)
{
    switch (type) {
    case KATA_F64: ((double *)values)[i] = value_floating(seed, type, at, component); break;
    case KATA_I64: ((int64_t *)values)[i] = value_integer(seed, type, at, component); break;
    case KATA_I32: ((int *)values)[i] = (int)value_integer(seed, type, at, component); break;
    case KATA_U8: ((uint8_t *)values)[i] = (uint8_t)value_integer(seed, type, at, component); break;
    case KATA_U16:
    case KATA_I16:
        ((uint16_t *)values)[i] = (uint16_t)value_integer(seed, type, at, component);
        break;
    default: ((float *)values)[i] = (float)value_floating(seed, type, at, component); break;
    }
}

static kata_range box(const live *l, const range *r)
{
    const int64_t *lo = r->lo, *hi = r->hi;
    if (l->p->rank == 1) return kata_box_1d(l->grids[r->level], lo[0], hi[0]);
    if (l->p->rank == 2) return kata_box_2d(l->grids[r->level], lo[0], hi[0], lo[1], hi[1]);
    return kata_box_3d(l->grids[r->level], lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]);
}

static kata_range all_colors(const live *l, const range *r)
{
    switch (r->kind) {
    case RANGE_ALL: return kata_all(l->grids[r->level]);
    case RANGE_INNER: return kata_inner(l->grids[r->level], r->depth);
    case RANGE_FACE: return kata_face(l->grids[r->level], (kata_side)r->side, r->depth);
    case RANGE_NEEDED: return kata_needed(l->grids[r->level]);
    default: return box(l, r);
    }
}

static kata_range range_of(const live *l, const range *r)
{
    return r->colors > 1 ? kata_color(all_colors(l, r), r->colors, r->color) : all_colors(l, r);
}

/* The point and component of value i of a range in plain order, without any shift. */
static int position_of(const live *l, const range *r, int64_t i, int64_t at[3])
{
    for (int d = 0; d < 3; d++) {
        int64_t extent = r->hi[d] - r->lo[d];
        at[d] = r->lo[d] + i % extent;
        if (l->p->shiftable) at[d] = wrap(at[d] - shift_of(l, d), program_size(l->p, r->level, d));
        i /= extent;
    }
    return (int)i;
}

void live_put(live *l, int f, const range *r, uint64_t seed)
{
    const field *spec = &l->p->fields[f];
    int64_t count = range_points(r) * spec->components, at[3];
    void *values = malloc((size_t)(count + 1) * type_bytes(type_of_user(spec->type)));
    if (!values) exit(99);
    for (int64_t i = 0; i < count; i++) {
        int component = position_of(l, r, i, at);
        set_value(values, i, spec->type, seed, at, component);
    }
    kata_range range = range_of(l, r);
    kata_put_values(l->fields[f], &range, type_of_user(spec->type), values, count);
    free(values);
}

/* Shifts the values of a whole field back. */
static void shift_back(const live *l, const range *r, size_t bytes, char *values, int64_t count)
{
    const int64_t *n = l->p->size;
    int64_t at[3];
    char *got = malloc((size_t)(count + 1) * bytes);
    if (!got) exit(99);
    memcpy(got, values, (size_t)count * bytes);
    for (int64_t i = 0; i < count; i++) {
        int component = position_of(l, r, i, at);
        int64_t to = at[0] + n[0] * (at[1] + n[1] * (at[2] + n[2] * component));
        memcpy(values + (size_t)to * bytes, got + (size_t)i * bytes, bytes);
    }
    free(got);
}

void live_get(live *l, int f, const range *r, kata_type type, void *values, int64_t count)
{
    kata_range range = range_of(l, r);
    kata_get_values(l->fields[f], &range, type, values, count);
    if (l->setting->shift && l->p->shiftable) shift_back(l, r, type_bytes(type), values, count);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void make_arguments(const live *l, const kernel *k, const step *s, kata_arg *args)
{
    for (int i = 0; i < k->param_count; i++) {
        const argument *a = &s->args[i];
        kata_arg number = a->number;
        if (number.kind == KATA_ARG_TABLE)
            number.as.table = number.type == KATA_F64 ? (const void *)a->reals : a->integers;
        bool is_field = takes_field(&k->params[i]) && !k->once;
        bool is_scalar = !is_field && a->index >= 0;
        args[i] = is_field    ? kata_arg_field(l->fields[a->index], 0)
                  : is_scalar ? kata_arg_scalar(l->scalars[a->index], 0)
                              : number;
    }
}

static bool reduces(const kernel *k)
{
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].kind >= SUM) return true;
    return false;
}

/* Cuts a range in two along the first dimension that is long enough. */
static bool cut(const step *s, range half[2])
{
    half[0] = half[1] = s->range;
    half[0].kind = half[1].kind = RANGE_BOX;
    for (int i = 0; i < 3; i++) {
        int d = (i + s->kernel) % 3;
        int64_t extent = s->range.hi[d] - s->range.lo[d];
        if (extent < 2) continue;
        half[0].hi[d] = half[1].lo[d] = s->range.lo[d] + 1 + s->index % (extent - 1);
        return true;
    }
    return false;
}

void live_apply(live *l, const step *s)
{
    const kernel *k = &l->p->kernels[s->kernel];
    kata_arg args[MAX_PARAMS];
    range half[2];
    make_arguments(l, k, s, args);
    bool both = l->setting->split && !reduces(k) && !k->once && !k->order && cut(s, half);
    for (int i = 0; i < 1 + both; i++) {
        kata_range range = range_of(l, both ? &half[i] : &s->range);
        if (k->once) range = kata_once(l->k);
        kata_apply_args(kata_here(l->kernels[s->kernel], "program", (int)(s - l->p->steps)), &range,
                        k->param_count, args);
        if (l->setting->eager) kata_flush(l->k);
    }
}

void live_copy(live *l, const step *s)
{
    kata_range to = range_of(l, &s->range);
    kata_copy_options options = {.size = sizeof options,
                                 .file = "program",
                                 .line = (int)(s - l->p->steps),
                                 .from_range = range_of(l, &s->source)};
    for (int d = 0; d < 3; d++) options.axes[d] = s->axes[d];
    kata_copy_with(l->fields[s->index], &to, l->fields[s->second], &options);
    if (l->setting->eager) kata_flush(l->k);
}

void live_fill(live *l, const step *s)
{
    kata_range range = range_of(l, &s->range);
    kata_arg value = kata_arg_floating(s->value, 0);
    if (!is_floating(type_of_storage(l->p->fields[s->index].type)))
        value = kata_arg_integer((int64_t)s->value, 0);
    kata_fill_with(l->fields[s->index], &range, &value, "program", (int)(s - l->p->steps));
    if (l->setting->eager) kata_flush(l->k);
}

static kata_points *points_of(live *l, const step *s)
{
    const field *f = &l->p->fields[s->index];
    kata_points **made = &l->points[s - l->p->steps];
    kata_points_options options = {.size = sizeof options, .count = s->points, .reach = s->reach};
    double at[3 * MAX_AT], *to = at;
    for (int i = 0; i < s->points; i++)
        for (int d = 0; d < l->p->rank; d++)
            *to++ = s->at[i][d] - (f->staggered >> d & 1 ? 0.5 : 0);
    options.coordinates = at;
    options.staggered = f->staggered;
    if (!*made) *made = kata_points_new_with(l->grids[f->level], "points", &options);
    return *made;
}

void live_sparse(live *l, const step *s)
{
    const kata_target_options options = {.size = sizeof options,
                                         .file = "program",
                                         .line = (int)(s - l->p->steps),
                                         .field = l->fields[s->index],
                                         .scale = s->third < 0 ? NULL : l->fields[s->third],
                                         .component = s->component};
    kata_scalar *scalar = s->second < 0 ? NULL : l->scalars[s->second];
    kata_arg values =
        scalar ? kata_arg_scalar(scalar, 0) : kata_table_of(KATA_F64, s->values, s->points);
    if (s->kind == STEP_RECORD)
        kata_record_with(points_of(l, s), scalar, &options);
    else
        kata_inject_with(points_of(l, s), &values, &options);
    if (l->setting->eager) kata_flush(l->k);
}

void live_until(live *l, const step *s)
{
    const kata_until_options options = {.size = sizeof options,
                                        .above = s->above,
                                        .limit = s->value,
                                        .most = s->most,
                                        .every = s->every,
                                        .file = "program",
                                        .line = (int)(s - l->p->steps)};
    kata_until u = kata_until_with(l->scalars[s->index], &options);
    while (!s[-1].dropped && kata_until_next(&u)) live_apply(l, s - 1);
}

/* ---- warming --------------------------------------------------------------------------------- */

/* Whether a step gives two parameters one field. */
static bool gives_twice(const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count && !k->once; i++)
        for (int j = 0; j < i; j++)
            if (takes_field(&k->params[i]) && takes_field(&k->params[j]) &&
                s->args[i].index == s->args[j].index)
                return true;
    return false;
}

/* Whether two steps apply one kernel to the same storage types, both to all points or both to those
 * of a colour, and to fields that are all different, or not. */
static bool is_same_code(const program *p, const step *a, const step *b)
{
    const kernel *k = &p->kernels[a->kernel];
    if (b->kind != STEP_APPLY || b->dropped || a->kernel != b->kernel) return false;
    if ((a->range.colors > 1) != (b->range.colors > 1) || gives_twice(k, a) != gives_twice(k, b))
        return false;
    for (int i = 0; i < k->param_count; i++)
        if (!k->once && k->params[i].kind <= INOUT &&
            p->fields[a->args[i].index].type != p->fields[b->args[i].index].type)
            return false;
    return true;
}

static void warm_step(live *l, const step *s)
{
    for (const step *before = l->p->steps; before < s; before++)
        if (is_same_code(l->p, s, before)) return;
    step once = *s;
    once.range = program_all(l->p, l->p->kernels[s->kernel].level);
    for (int i = 0; i < l->p->kernels[s->kernel].param_count; i++) {
        const param *param = &l->p->kernels[s->kernel].params[i];
        for (int d = 0; d < l->p->rank; d++)
            if (param->along && !(param->along >> d & 1) && param->written) once.range.hi[d] = 1;
    }
    if (once.range.hi[0] * once.range.hi[1] * once.range.hi[2] > 0) once.range.kind = RANGE_BOX;
    once.range.colors = s->range.colors;
    once.range.color = s->range.color;
    live_apply(l, &once);
}

void live_warm(live *l)
{
    const setting quiet = {.at_home = l->setting->at_home};
    live warm = *l;
    warm.setting = &quiet;
    for (int f = 0; f < l->p->field_count; f++)
        warm.fields[f] = room_field(&warm, f, "warm", KATA_CONSTANT);
    for (int s = 0; s < l->p->scalar_count; s++)
        warm.scalars[s] =
            kata_scalar_array_new(l->k, "warm", l->p->scalars[s].type, l->p->scalars[s].count);
    for (int i = 0; i < l->p->step_count; i++) {
        const step *s = &l->p->steps[i];
        if (s->kind == STEP_APPLY && !s->dropped) warm_step(&warm, s);
    }
}
