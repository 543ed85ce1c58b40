#include "api/api.h"

#include <ctype.h>
#include <string.h>

bool api_type_is_valid(kata_type type) { return (unsigned)type < IR_STORAGE_COUNT; }

const char *api_name(kata *k, const char *call, const char *name)
{
    enum { LONGEST = 64 };
    size_t length = name ? strnlen(name, LONGEST + 1) : 0;
    bool good = length > 0 && length <= LONGEST && !isdigit((unsigned char)name[0]);
    for (size_t i = 0; i < length && good; i++)
        good = isalnum((unsigned char)name[i]) || name[i] == '_';
    if (!good) {
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "%s: the name is %s%.*s%s; it must be a C identifier of at most %d letters", call,
                 name ? "'" : "", name ? LONGEST : 4, name ? name : "NULL", name ? "'" : "",
                 LONGEST);
        return NULL;
    }
    const char *copy = arena_copy_text(&k->memory, name, length);
    if (!copy) api_no_memory(k);
    return copy;
}

chain_slot *api_slot_new(kata *k, const chain_slot *like)
{
    struct api_slot *s = arena_alloc(&k->memory, sizeof *s);
    if (!s) {
        api_no_memory(k);
        return NULL;
    }
    s->slot = *like;
    s->next = k->slots;
    k->slots = s;
    return &s->slot;
}

/* ---- grids ----------------------------------------------------------------------------------- */

static kata_grid *grid_new(kata *k, const char *call, int rank, int64_t nx, int64_t ny, int64_t nz)
{
    if (!k) {
        api_null(call, "the context");
        return NULL;
    }
    if (k->messages.status) return NULL;
    int64_t size[3] = {nx, ny, nz}, points = 1;
    for (int d = 0; d < rank; d++) {
        if (size[d] < 1) {
            api_fail(k, KATA_ERROR_ARGUMENT, "%s: n%c is %lld; a size is at least 1", call,
                     "xyz"[d], (long long)size[d]);
            return NULL;
        }
        if (__builtin_mul_overflow(points, size[d], &points) || points >= (int64_t)1 << 48) {
            api_fail(k, KATA_ERROR_ARGUMENT, "%s: the grid has 2^48 points or more", call);
            return NULL;
        }
    }
    kata_grid *g = arena_alloc(&k->memory, sizeof *g);
    if (!g) {
        api_no_memory(k);
        return NULL;
    }
    *g = (kata_grid){k, {rank, {nx, ny, nz}}};
    return g;
}

kata_grid *kata_grid_1d(kata *k, int64_t nx) { return grid_new(k, "kata_grid_1d", 1, nx, 1, 1); }

kata_grid *kata_grid_2d(kata *k, int64_t nx, int64_t ny)
{
    return grid_new(k, "kata_grid_2d", 2, nx, ny, 1);
}

kata_grid *kata_grid_3d(kata *k, int64_t nx, int64_t ny, int64_t nz)
{
    return grid_new(k, "kata_grid_3d", 3, nx, ny, nz);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool poison(kata *k, chain_slot *slot)
{
    store_array *array = store_slot_array(slot);
    if (!array) return !api_no_memory(k);
    store_fill_unset(array->type, array->memory, array->bytes);
    return true;
}

kata_field *api_field_new(kata_grid *grid, const char *name, chain_slot *slot,
                          const grid_boundary *boundary)
{
    kata_field *f = slot ? arena_alloc(&grid->k->memory, sizeof *f) : NULL;
    if (f)
        *f = (kata_field){.k = grid->k,
                          .grid = grid,
                          .name = name,
                          .slot = slot,
                          .boundary = *boundary,
                          .rules = grid_boundary_rules(boundary)};
    else
        api_no_memory(grid->k);
    return f;
}

static kata_field *field_new(kata_grid *grid, const char *call, const char *name,
                             const chain_slot *like, const grid_boundary *boundary)
{
    kata *k = grid->k;
    name = api_name(k, call, name);
    if (!name) return NULL;
    chain_slot *slot = api_slot_new(k, like);
    kata_field *f = api_field_new(grid, name, slot, boundary);
    return f && k->exec.poison && !poison(k, slot) ? NULL : f;
}

kata_status api_check_field(kata *k, const char *call, kata_type type, int components,
                            kata_rule boundary)
{
    if (!api_type_is_valid(type))
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: there is no type %d", call, (int)type);
    if (components < 0 || components > IR_MAX_LENGTH)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: components is %d, not 1 to %d", call,
                        components, IR_MAX_LENGTH);
    if ((unsigned)boundary > KATA_PERIODIC)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: there is no boundary rule %d", call,
                        (int)boundary);
    return KATA_OK;
}

static kata_status check_options(kata *k, const kata_field_options *options)
{
    kata_status status =
        api_check_field(k, "kata_field_new", options->type, options->components, options->boundary);
    if (!status && (unsigned)options->layout > KATA_BLOCKS)
        status = api_fail(k, KATA_ERROR_ARGUMENT, "kata_field_new: there is no layout %d",
                          (int)options->layout);
    return status;
}

kata_field *kata_field_new_with(kata_grid *grid, const char *name, const kata_field_options *given)
{
    static const api_options kind =
        API_OPTIONS("kata_field_new", kata_field_options,
                    "kata_field_new(grid, \"u\", KATA_F64, .boundary = KATA_CLAMP)");
    kata_field_options copy;
    const kata_field_options *options = &copy;
    if (!grid) {
        api_null("kata_field_new", "the grid");
        return NULL;
    }
    if (!given) {
        api_fail(grid->k, KATA_ERROR_ARGUMENT, "kata_field_new: the options are NULL");
        return NULL;
    }
    kata *k = grid->k;
    if (api_options_read(k, &kind, given, &copy) || check_options(k, options)) return NULL;
    grid_boundary boundary;
    for (int side = 0; side < 6; side++)
        boundary.side[side] = (grid_side_rule){options->boundary, options->boundary_value};
    chain_slot slot = {.type = options->type,
                       .components = options->components ? options->components : 1,
                       .layout = options->layout};
    if (api_field_points(grid, "kata_field_new", options, &slot)) return NULL;
    return field_new(grid, "kata_field_new", name, &slot, &boundary);
}

kata_field *kata_field_like(kata_field *field, const char *name)
{
    if (!field) {
        api_null("kata_field_like", "the field");
        return NULL;
    }
    if (field->k->messages.status) return NULL;
    const chain_slot *other = field->slot;
    chain_slot slot = {.shape = other->shape,
                       .temporary = other->temporary,
                       .tracked = other->temporary,
                       .type = other->type,
                       .components = other->components,
                       .layout = other->layout};
    for (int d = 0; d < 3; d++) {
        slot.ghosts[d] = other->ghosts[d];
        slot.staggered[d] = other->staggered[d];
        slot.absent_axis[d] = other->absent_axis[d];
    }
    return field_new(field->grid, "kata_field_like", name, &slot, &field->boundary);
}

kata_status kata_boundary_set(kata_field *field, kata_side side, kata_rule rule, double value)
{
    if (!field) return api_null("kata_boundary_set", "the field");
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    if ((unsigned)side > KATA_Z_HIGH || (int)side / 2 >= field->grid->shape.rank)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_boundary_set: field '%s' has %d dimension%s, and so no side %s",
                        field->name, field->grid->shape.rank,
                        field->grid->shape.rank > 1 ? "s" : "",
                        (unsigned)side > KATA_Z_HIGH ? "of that number" : grid_side_name(side));
    if (field->slot->absent_axis[side / 2])
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_boundary_set: field '%s' does not extend along %c, and so has no "
                        "side %s",
                        field->name, "xyz"[side / 2], grid_side_name(side));
    if ((unsigned)rule > KATA_PERIODIC)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_boundary_set: there is no boundary rule %d",
                        (int)rule);
    field->boundary.side[side] = (grid_side_rule){rule, value};
    field->rules = grid_boundary_rules(&field->boundary);
    field->kept = NULL;
    return KATA_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Whether two fields can exchange their values. */
static inline bool are_alike(const kata_field *a, const kata_field *b)
{
    const chain_slot *x = a->slot, *y = b->slot;
    return a->k == b->k && !a->mapped && !b->mapped && chain_slot_same_points(x, y) &&
           x->temporary == y->temporary && x->type == y->type && x->components == y->components;
}

/* What the values of two fields that are not alike differ in. */
static const char *difference(const chain_slot *x, const chain_slot *y)
{
    grid_shape x_grid = chain_slot_grid(x), y_grid = chain_slot_grid(y);
    if (!grid_shape_equal(&x_grid, &y_grid)) return "grid size";
    if (x->temporary != y->temporary) return "whether they are temporary";
    if (memcmp(x->ghosts, y->ghosts, sizeof x->ghosts) != 0) return "ghosts";
    for (int d = 0; d < 3; d++)
        if (x->absent_axis[d] != y->absent_axis[d]) return "the dimensions that they extend along";
    if (!chain_slot_same_points(x, y)) return "the dimensions that they are staggered in";
    return x->type != y->type ? "type" : "number of components";
}

static kata_status not_alike(const char *call, const kata_field *a, const kata_field *b)
{
    kata *k = a->k;
    if (api_check_unmapped(a, call) || api_check_unmapped(b, call)) return k->messages.status;
    if (b->k != k)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' and '%s' are of two contexts", call,
                        a->name, b->name);
    return api_fail(k, KATA_ERROR_ARGUMENT, "%s: '%s' and '%s' differ in %s", call, a->name,
                    b->name, difference(a->slot, b->slot));
}

static void exchange(kata_field *a, kata_field *b)
{
    chain_slot *slot = a->slot;
    a->slot = b->slot;
    b->slot = slot;
}

static kata_status exchange_traced(kata_field *a, kata_field *b)
{
    kata_status status = api_flush(a->k, "kata_swap");
    if (status) return status;
    ir_value *a_before = api_trace_before(a), *b_before = api_trace_before(b);
    exchange(a, b);
    api_trace_after(a, "kata_swap", a_before);
    api_trace_after(b, "kata_swap", b_before);
    return KATA_OK;
}

kata_status kata_swap(kata_field *a, kata_field *b)
{
    if (!a && !b) return api_null("kata_swap", "the first field");
    if (!a || !b)
        return api_fail(a ? a->k : b->k, KATA_ERROR_ARGUMENT, "kata_swap: %s field is NULL",
                        a ? "the second" : "the first");
    if (a->k->messages.status) return a->k->messages.status;
    if (!are_alike(a, b)) return not_alike("kata_swap", a, b);
    if (a->k->exec.trace) return exchange_traced(a, b);
    exchange(a, b);
    return KATA_OK;
}

kata_status kata_rotate(kata_field *a, kata_field *b, kata_field *c)
{
    const kata_field *given = a ? a : b ? b : c;
    if (!given) return api_null("kata_rotate", "the first field");
    if (!a || !b || !c)
        return api_fail(given->k, KATA_ERROR_ARGUMENT, "kata_rotate: %s field is NULL",
                        !a   ? "the first"
                        : !b ? "the second"
                             : "the third");
    if (a->k->messages.status) return a->k->messages.status;
    if (!are_alike(a, b)) return not_alike("kata_rotate", a, b);
    if (!are_alike(a, c)) return not_alike("kata_rotate", a, c);
    if (a == b || b == c || c == a)
        return api_fail(a->k, KATA_ERROR_ARGUMENT, "kata_rotate: field '%s' is given twice",
                        a == b || c == a ? a->name : b->name);
    if (a->k->exec.trace && api_flush(a->k, "kata_rotate")) return a->k->messages.status;
    kata_field *const fields[3] = {a, b, c};
    ir_value *before[3];
    for (int i = 0; i < 3; i++) before[i] = api_trace_before(fields[i]);
    chain_slot *slot = a->slot;
    a->slot = b->slot;
    b->slot = c->slot;
    c->slot = slot;
    for (int i = 0; i < 3; i++) api_trace_after(fields[i], "kata_rotate", before[i]);
    return KATA_OK;
}

/* Whether rules may hide some of its values. */
static bool has_hidden(const chain_slot *slot)
{
    for (int d = 0; d < 3; d++)
        if (slot->ghosts[d] || slot->staggered[d]) return true;
    return false;
}

kata_status kata_discard(kata_field *field)
{
    if (!field) return api_null("kata_discard", "the field");
    kata *k = field->k;
    kata_status status = k->messages.status;
    if (!status) status = api_check_unmapped(field, "kata_discard");
    if (status) return status;
    chain_slot *slot = field->slot;
    grid_region_clear(&slot->set);
    slot->tracked = slot->tracked || has_hidden(slot);
    if (slot->tracked) return KATA_OK;
    slot->discarded = k->discarded = true;
    if (!k->chain.count) api_release_discarded(k);
    return KATA_OK;
}

kata_status api_check_unmapped(const kata_field *field, const char *call)
{
    if (!field->mapped) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' is mapped; call kata_unmap(%s) first", call, field->name,
                    field->name);
}

void api_release_discarded(kata *k)
{
    if (!k->discarded) return; /* a program may have many fields, and end many chains */
    k->discarded = false;
    for (struct api_slot *s = k->slots; s; s = s->next) {
        store_array *array = s->slot.array;
        if (!s->slot.discarded || !array || !array->bytes) continue; /* or of the program */
        if (k->exec.poison) {
            store_fill_unset(array->type, array->memory, array->bytes);
        } else {
            store_array_free(array);
            s->slot.array = NULL;
        }
    }
}

kata_status api_check_host(const kata_field *field, const char *call)
{
    if (!field->slot->temporary) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' is temporary: its values are for kernels of the time step that "
                    "writes them",
                    call, field->name);
}

kata_status api_check_value(const kata_field *field, const char *call, const grid_box *box)
{
    grid_box missing;
    const chain_slot *slot = field->slot;
    if (api_check_unmapped(field, call)) return field->k->messages.status;
    if (api_check_host(field, call)) return field->k->messages.status;
    bool set = !slot->tracked || grid_region_holds(&slot->set, box, &missing);
    if (set && !slot->discarded) return KATA_OK;
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: the value of field '%s' was discarded; it cannot be read before all of it "
                    "is written again",
                    call, field->name);
}
