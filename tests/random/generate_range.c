/* Ranges, reduced to points at which every read ends in the grid or has a rule. */
#include "generate.h"

/* ---- coverage -------------------------------------------------------------------------------- */

/* Along a dimension of a field, of which `inside` needs no rule and n are points. */
static bool is_covered(const wall wall[2], const range *inside, int d, int64_t n, int64_t index)
{
    while (index < inside->lo[d] || index >= inside->hi[d]) {
        bool high = index >= inside->hi[d], node = false;
        int64_t mirror = high ? 2 * n - 1 - index : -1 - index;
        switch (wall[high].rule) {
        case KATA_NONE: return false;
        case KATA_CONSTANT:
        case KATA_CLAMP: return true;
        case KATA_PERIODIC: return wall[!high].rule == KATA_PERIODIC;
        case KATA_LINEAR:
            return n >= wall[high].count && (high ? index - n : -1 - index) < wall[high].depth;
        case KATA_REFLECT_NODE:
        case KATA_ANTISYMMETRIC_NODE: node = true; break;
        case KATA_REFLECT_FACE:
        case KATA_ANTISYMMETRIC_FACE: break;
        }
        if (node && n == 1) return false;
        index = !node ? mirror : high ? mirror - 1 : mirror + 1;
    }
    return true;
}

bool is_range_empty(const range *r)
{
    return r->lo[0] >= r->hi[0] || r->lo[1] >= r->hi[1] || r->lo[2] >= r->hi[2];
}

bool is_same_box(const range *a, const range *b)
{
    for (int d = 0; d < 3; d++)
        if (a->lo[d] != b->lo[d] || a->hi[d] != b->hi[d]) return false;
    return true;
}

int64_t program_size(const program *p, int level, int d)
{
    return p->size[d] * (level ? p->ratio[d] : 1);
}

range program_all(const program *p, int level)
{
    range r = {.kind = RANGE_ALL, .level = level};
    for (int d = 0; d < 3; d++) r.hi[d] = program_size(p, level, d);
    return r;
}

/* The index of a parameter's field at a point of the kernel's grid. */
static int64_t index_at(const program *p, const param *param, int d, int64_t point)
{
    return param->up > 0 ? point * p->ratio[d] : param->up < 0 ? point / p->ratio[d] : point;
}

void clip_range(range *r, const range *to)
{
    for (int d = 0; d < 3; d++) {
        if (r->lo[d] >= to->lo[d] && r->hi[d] <= to->hi[d]) continue;
        r->kind = RANGE_BOX;
        r->lo[d] = r->lo[d] < to->lo[d] ? to->lo[d] : r->lo[d];
        r->hi[d] = r->hi[d] > to->hi[d] ? to->hi[d] : r->hi[d];
        if (r->lo[d] > r->hi[d]) r->lo[d] = r->hi[d] = 0;
    }
}

/* Keeps writes inside the field, at one index along dimensions that it lacks: but not where all
 * points count, or levels hand values on. */
static void restrict_write(const program *p, const param *param, const field *f, const wall *walls,
                           range *r)
{
    range inside;
    points_box(p, f, walls, true, &inside);
    for (int d = 0; d < 3; d++)
        if (d >= p->rank || !has_dimension(f, d)) {
            if (d < p->rank && (param->columns || param->handed_on >> d & 1)) {
                inside.lo[d] = 0;
                inside.hi[d] = p->size[d];
                continue;
            }
            inside.lo[d] = r->lo[d] < 0 ? 0 : r->lo[d] < p->size[d] ? r->lo[d] : p->size[d] - 1;
            inside.hi[d] = inside.lo[d] + 1;
        }
    clip_range(r, &inside);
}

void restrict_range(const program *p, const param *param, const field *f, const wall *walls,
                    range *r)
{
    range inside;
    points_box(p, f, walls, true, &inside);
    for (int d = 0; d < p->rank; d++) {
        int64_t n = program_size(p, f->level, d) + (f->staggered >> d & 1);
        const wall *wall = &walls[2 * d];
        int64_t lo = r->lo[d], hi = r->hi[d];
        int low = param->use.lo[d], high = param->use.hi[d];
        if (lo >= hi || !has_dimension(f, d)) continue;
        if (!is_covered(wall, &inside, d, n, index_at(p, param, d, lo) + low))
            while (r->lo[d] < hi && index_at(p, param, d, r->lo[d]) + low < inside.lo[d])
                r->lo[d]++;
        if (!is_covered(wall, &inside, d, n, index_at(p, param, d, hi - 1) + high))
            while (r->hi[d] > lo && index_at(p, param, d, r->hi[d] - 1) + high >= inside.hi[d])
                r->hi[d]--;
        if (r->lo[d] != lo || r->hi[d] != hi) r->kind = RANGE_BOX;
        if (r->lo[d] > r->hi[d]) r->lo[d] = r->hi[d] = 0;
    }
    range all = program_all(p, f->level);
    if (param->use.anywhere) clip_range(r, &all);
    bool written = param->kind == OUT || param->kind == INOUT || param->columns;
    if (written && !has_levels(p)) restrict_write(p, param, f, walls, r);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void set_inner(chance *c, const program *p, range *r)
{
    r->kind = RANGE_INNER;
    r->depth = chance_from(c, 0, 3);
    for (int d = 0; d < p->rank; d++) {
        r->lo[d] =
            r->depth < program_size(p, r->level, d) ? r->depth : program_size(p, r->level, d);
        r->hi[d] = program_size(p, r->level, d) - r->lo[d];
        if (r->hi[d] < r->lo[d]) r->hi[d] = r->lo[d];
    }
}

static void set_face(chance *c, const program *p, range *r)
{
    r->kind = RANGE_FACE;
    r->side = chance_from(c, 0, 2 * p->rank - 1);
    int d = r->side / 2;
    r->depth =
        chance_from(c, 0, program_size(p, r->level, d) < 3 ? (int)program_size(p, r->level, d) : 3);
    if (r->side % 2)
        r->lo[d] = program_size(p, r->level, d) - r->depth;
    else
        r->hi[d] = r->depth;
}

static void set_box(chance *c, const program *p, range *r)
{
    r->kind = RANGE_BOX;
    for (int d = 0; d < p->rank; d++) {
        r->lo[d] = chance_from(c, 0, (int)program_size(p, r->level, d));
        r->hi[d] = chance_from(c, (int)r->lo[d], (int)program_size(p, r->level, d));
        if (chance_of(c, 30)) r->lo[d] = 0;
        if (chance_of(c, 30)) r->hi[d] = program_size(p, r->level, d);
    }
}

/* A box that may reach where some field has faces or ghosts. */
static void set_beyond(chance *c, const program *p, range *r)
{
    r->kind = RANGE_BOX;
    for (int d = 0; d < p->rank; d++) {
        r->lo[d] = chance_from(c, -3, 1);
        r->hi[d] = p->size[d] + chance_from(c, 0, 3);
        if (chance_of(c, 15)) r->hi[d] = 0;
        if (r->hi[d] < r->lo[d]) r->hi[d] = r->lo[d];
    }
}

range generate_range(chance *c, const program *p, int level)
{
    range r = program_all(p, level);
    int kind = chance_from(c, 0, 99);
    if (p->shiftable || kind < 50) return r;
    if (kind < 62) set_inner(c, p, &r);
    if (kind >= 62 && kind < 72) set_face(c, p, &r);
    if (kind >= 72 && kind < 86) set_box(c, p, &r);
    if (kind >= 86 && !has_levels(p)) set_beyond(c, p, &r);
    return r;
}
