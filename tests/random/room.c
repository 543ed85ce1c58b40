/* Memory of the fields: in layouts of the library, or in memory of the program with strides of many
 * kinds. Nothing may change the bytes between its values. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { CANARY = 0xc5, MARGIN = 9 /* elements at both ends */ };

typedef struct room {
    unsigned char *bytes;
    int64_t elements, origin, size[3];
    kata_wrap_options options; /* all strides set */
    struct room *next;
} room;

struct room_list {
    room *first;
};

static size_t stored_bytes(kata_type type)
{
    return type == KATA_F16 || type == KATA_BF16 ? 2 : type == KATA_UNORM8 ? 1 : type_bytes(type);
}

/* ---- strides --------------------------------------------------------------------------------- */

/* The points that a field keeps along each dimension, with ghosts. */
static void memory_size(const program *p, const field *spec, int64_t n[3])
{
    for (int d = 0; d < 3; d++)
        n[d] =
            d >= p->rank || !has_dimension(spec, d)
                ? 1
                : program_size(p, spec->level, d) + (spec->staggered >> d & 1) + 2 * spec->ghosts;
}

/* Makes the stride of a dimension (3: components) at least `gap` elements longer than the extent of
 * all shorter strides, perhaps negative. */
static void set_stride(kata_wrap_options *o, int64_t *within, int d, const int64_t n[3], int gap,
                       bool backwards)
{
    int64_t stride = *within + gap, count = d < 3 ? n[d] : o->components;
    *within += (count - 1) * stride;
    *(d < 3 ? &o->stride[d] : &o->component_stride) = backwards ? -stride : stride;
}

void room_strides(const program *p, int f, kata_wrap_options *o)
{
    static const int orders[][4] = {
        {0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 1, 0}, {3, 1, 0, 2}, {3, 0, 1, 2}};
    const field *spec = &p->fields[f];
    chance c = {chance_hash(p->seed, 77 + (uint64_t)f)};
    int which = spec->home == HOME_WRAPPED ? 0 : chance_from(&c, 0, 3);
    if (spec->home == HOME_WRAPPED_TOGETHER) which = 4;
    int64_t within = 1, n[3];
    memory_size(p, spec, n);
    for (int i = 0; i < 4; i++) {
        int d = orders[which][i];
        bool tight = spec->home != HOME_WRAPPED_SPREAD && (i == 0 || (which == 4 && i == 1));
        int gap = tight ? 0 : chance_from(&c, i == 0, 5);
        set_stride(o, &within, d, n, gap, !tight && chance_of(&c, 30));
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool *values_of(const room *r)
{
    const kata_wrap_options *o = &r->options;
    bool *is_value = calloc((size_t)r->elements, sizeof *is_value);
    if (!is_value) exit(99);
    for (int c = 0; c < o->components; c++)
        for (int64_t z = 0; z < r->size[2]; z++)
            for (int64_t y = 0; y < r->size[1]; y++)
                for (int64_t x = 0; x < r->size[0]; x++)
                    is_value[r->origin + x * o->stride[0] + y * o->stride[1] + z * o->stride[2] +
                             c * o->component_stride] = true;
    return is_value;
}

static room *room_new(room_list *list, const int64_t n[3], const kata_wrap_options *o)
{
    room *r = calloc(1, sizeof *r);
    if (!r) exit(99);
    int64_t low = 0, high = 0;
    for (int d = 0; d < 4; d++) {
        int64_t far = d < 3 ? (n[d] - 1) * o->stride[d] : (o->components - 1) * o->component_stride;
        *(far < 0 ? &low : &high) += far;
    }
    r->options = *o;
    memcpy(r->size, n, sizeof r->size);
    r->origin = MARGIN - low;
    r->elements = high - low + 1 + 2 * MARGIN;
    size_t bytes = stored_bytes(o->type);
    r->bytes = malloc((size_t)r->elements * bytes);
    if (!r->bytes) exit(99);
    bool *is_value = values_of(r);
    for (int64_t i = 0; i < r->elements; i++)
        memset(r->bytes + (size_t)i * bytes, is_value[i] ? 0 : CANARY, bytes);
    free(is_value);
    r->next = list->first;
    list->first = r;
    return r;
}

static bool is_intact(const room *r)
{
    size_t bytes = stored_bytes(r->options.type);
    bool *is_value = values_of(r), intact = true;
    for (int64_t i = 0; i < r->elements; i++)
        for (size_t b = 0; b < bytes && !is_value[i]; b++)
            intact = intact && r->bytes[(size_t)i * bytes + b] == CANARY;
    free(is_value);
    return intact;
}

room_list *rooms_new(void)
{
    room_list *list = calloc(1, sizeof *list);
    if (!list) exit(99);
    return list;
}

bool rooms_close(room_list *list)
{
    bool intact = true;
    while (list->first) {
        room *r = list->first;
        intact = is_intact(r) && intact;
        list->first = r->next;
        free(r->bytes);
        free(r);
    }
    free(list);
    return intact;
}

/* ---- fields ---------------------------------------------------------------------------------- */

kata_field *room_field(const live *l, int f, const char *name, kata_rule rule)
{
    const field *spec = &l->p->fields[f];
    home where = l->setting->at_home ? spec->home : HOME_ARRAYS;
    if (where > HOME_BLOCKS && spec->temporary) where = HOME_ARRAYS;
    if (where <= HOME_BLOCKS)
        return kata_field_new(l->grids[spec->level], name, spec->type,
                              .components = spec->components, .boundary = rule,
                              .layout = (kata_layout)where, .staggered = spec->staggered,
                              .along = spec->along, .ghosts = spec->ghosts,
                              .temporary = spec->temporary && rule == KATA_NONE);
    kata_wrap_options o = {.size = sizeof o,
                           .type = spec->type,
                           .components = spec->components,
                           .boundary = rule,
                           .staggered = spec->staggered,
                           .along = spec->along,
                           .ghosts = spec->ghosts};
    room_strides(l->p, f, &o);
    int64_t n[3], origin = 0;
    memory_size(l->p, spec, n);
    room *r = room_new(l->rooms, n, &o);
    for (int d = 0; d < l->p->rank; d++) /* from the first ghost to point 0 */
        if (has_dimension(spec, d)) origin += spec->ghosts * o.stride[d];
    o.memory = r->bytes + (size_t)(r->origin + origin) * stored_bytes(spec->type);
    return kata_field_wrap_with(l->grids[spec->level], name, -1, &o);
}
