/* What loops that run at once find beyond the sides of the fields that take turns. */
#include "exec/device_tune.h"

static const int64_t NOWHERE = -((int64_t)1 << 30); /* no plane */

bool device_section_wraps(const chain_loop *loop, int from, int d)
{
    const chain_binding *b = &loop->bindings[from];
    return grid_boundary_is_periodic(b->boundary, d) && !b->slot->staggered[d] &&
           !b->slot->ghosts[d] && b->slot->shape.size[d] == loop->shape.size[d] &&
           loop->box.lo[d] == 0 && loop->box.hi[d] == loop->shape.size[d];
}

/* ---- sides ----------------------------------------------------------------------------------- */

/* A side of a field, and the indices beyond it that a loop reads. */
typedef struct side {
    const chain_binding *b;
    int dimension, high;
    int64_t lo, hi;
} side;

static side side_of(const chain_loop *loop, int from, int d, int high, const grid_box *touched)
{
    const chain_binding *b = &loop->bindings[from];
    const grid_box inside = chain_binding_inside(b);
    return (side){.b = b,
                  .dimension = d,
                  .high = high,
                  .lo = high ? inside.hi[d] : touched->lo[d],
                  .hi = high ? touched->hi[d] : inside.lo[d]};
}

static bool find_source(const side *s, int64_t index, grid_source *out)
{
    const grid_axis axis = chain_slot_axis(s->b->slot, s->dimension);
    return grid_boundary_map(s->b->boundary, s->dimension, &axis, index, out);
}

/* Whether all that is read there is what rules always say. */
static bool is_constant(const side *s)
{
    grid_source source;
    bool constant = true;
    for (int64_t i = s->lo; i < s->hi && constant; i++)
        constant = find_source(s, i, &source) && source.is_constant;
    return constant;
}

/* The index i of a point that index j stands for: i = sum + turn * j. */
static bool find_mirror(const side *s, int64_t *sum, int64_t *turn)
{
    const kata_rule rule = s->b->boundary->side[2 * s->dimension + s->high].rule;
    const bool clamps = rule == KATA_CLAMP;
    const int64_t nearest = s->high ? s->lo : s->hi - 1;
    grid_source source;
    if (!clamps && (!grid_rule_mirrors(rule) || grid_rule_is_antisymmetric(rule))) return false;
    if (!find_source(s, nearest, &source)) return false;
    *turn = clamps ? 0 : -1;
    *sum = clamps ? source.index : source.index + nearest;
    return true;
}

/* Whether all that is read there is what a point of the field has, without the other side. */
static bool is_near(const side *s)
{
    int64_t sum, turn;
    grid_source source;
    bool near = s->lo < s->hi && find_mirror(s, &sum, &turn) &&
                (s->dimension < 2 || 2 * (s->hi - s->lo) <= ABI_MOST_MIRRORED);
    for (int64_t i = s->lo; i < s->hi && near; i++)
        near = find_source(s, i, &source) && !source.is_constant && !source.weights &&
               !source.steps && source.index == sum + turn * i;
    return near;
}

/* ---- loops ----------------------------------------------------------------------------------- */

bool device_section_closed(const chain_loop *loop, int from)
{
    grid_box touched = {{0, 0, 0}, {0, 0, 0}};
    bool closed = device_accessed(loop, from, &touched);
    for (int d = 0; d < 3; d++) {
        if (closed && device_section_wraps(loop, from, d))
            closed = DEVICE_MOST_STEPS * (loop->box.lo[d] - touched.lo[d]) <= loop->shape.size[d] &&
                     DEVICE_MOST_STEPS * (touched.hi[d] - loop->box.hi[d]) <= loop->shape.size[d];
        for (int high = 0; high < 2 && closed && !device_section_wraps(loop, from, d); high++) {
            const side s = side_of(loop, from, d, high, &touched);
            closed = is_constant(&s) || is_near(&s);
        }
    }
    return closed;
}

abi_mirror device_section_mirror(const chain_loop *loop, int from, int d)
{
    const grid_box inside = chain_binding_inside(&loop->bindings[from]);
    abi_mirror mirror = {.first = inside.lo[d], .end = inside.hi[d], .turn = {1, 1}};
    grid_box touched = {{0, 0, 0}, {0, 0, 0}};
    if (!device_accessed(loop, from, &touched)) return mirror;
    for (int high = 0; high < 2; high++) {
        const side s = side_of(loop, from, d, high, &touched);
        if (is_near(&s)) find_mirror(&s, &mirror.sum[high], &mirror.turn[high]);
    }
    return mirror;
}

abi_mirrored device_section_mirrored(const chain_loop *loop, int from)
{
    const grid_box inside = chain_binding_inside(&loop->bindings[from]);
    const abi_mirror mirror = device_section_mirror(loop, from, 2);
    grid_box touched = {{0, 0, 0}, {0, 0, 0}};
    abi_mirrored m;
    for (int i = 0; i < ABI_MOST_MIRRORED; i++) m.below[i] = m.above[i] = NOWHERE;
    if (!device_accessed(loop, from, &touched)) return m;
    for (int64_t i = touched.lo[2]; i < inside.lo[2] && mirror.turn[0] != 1; i++) {
        const int64_t at = mirror.sum[0] + mirror.turn[0] * i;
        m.below[at - i - 1] = at;
    }
    for (int64_t i = inside.hi[2]; i < touched.hi[2] && mirror.turn[1] != 1; i++)
        m.above[i - (mirror.sum[1] + mirror.turn[1] * i) - 1] = i;
    return m;
}

int device_section_mirrors(const chain_loop *loop, int from)
{
    static const int bits[] = {CODEGEN_MIRRORS_X, CODEGEN_MIRRORS_Y};
    const abi_mirrored planes = device_section_mirrored(loop, from);
    int mirrors = 0;
    for (int d = 0; d < 2; d++) {
        const abi_mirror m = device_section_mirror(loop, from, d);
        if (m.turn[0] != 1 || m.turn[1] != 1) mirrors |= bits[d];
    }
    for (int i = 0; i < ABI_MOST_MIRRORED; i++) {
        if (planes.below[i] != NOWHERE) mirrors |= CODEGEN_MIRRORS_BELOW << i;
        if (planes.above[i] != NOWHERE) mirrors |= CODEGEN_MIRRORS_ABOVE << i;
    }
    return mirrors;
}
