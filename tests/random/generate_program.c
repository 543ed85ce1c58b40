/* A program's grid, fields, scalars and kernel text. */
#include "generate.h"

#include <math.h>
#include <stdlib.h>

/* ---- grid ------------------------------------------------------------------------------------ */

static void generate_sizes(chance *c, program *p)
{
    static const int long_x[] = {1, 2, 3, 5, 7, 13, 31, 64, 67, 70, 509, 513, 600, 1030};
    static const int plane_x[] = {1, 2, 3, 5, 8, 17, 33, 64, 70}, plane_y[] = {1, 2, 3, 5, 7, 11};
    static const int space_x[] = {1, 2, 3, 7, 16, 37}, space_yz[] = {1, 2, 3, 4, 5};
    p->rank = chance_from(c, 1, 3);
    for (int d = 0; d < 3; d++) p->size[d] = 1;
    if (p->rank == 1) p->size[0] = CHANCE_PICK(c, long_x);
    if (p->rank == 2) p->size[0] = CHANCE_PICK(c, plane_x);
    if (p->rank == 2) p->size[1] = CHANCE_PICK(c, plane_y);
    if (p->rank == 3) p->size[0] = CHANCE_PICK(c, space_x);
    for (int d = 1; p->rank == 3 && d < 3; d++) p->size[d] = CHANCE_PICK(c, space_yz);
}

/* A grid large enough to be cut into blocks for several threads. */
static void generate_large_sizes(chance *c, program *p)
{
    static const int64_t sizes[][3] = {{9001, 1, 1}, {24000, 1, 1}, {70, 131, 1},
                                       {530, 33, 1}, {1100, 17, 1}, {37, 23, 13},
                                       {19, 17, 59}, {520, 5, 7},   {8, 40, 40}};
    int which = chance_from(c, 0, (int)COUNT_OF(sizes) - 1);
    p->rank = 1;
    for (int d = 0; d < 3; d++) {
        p->size[d] = sizes[which][d];
        if (p->size[d] > 1) p->rank = d + 1;
    }
}

/* A grid of which several ranks may have parts; of a few also of rows, which are cut at point 512.
 */
static void generate_dealt_sizes(chance *c, program *p)
{
    static const int row[] = {1, 3, 7, 17, 40, 530}, x[] = {1, 3, 7, 17, 40},
                     y[] = {8, 9, 14, 16, 23, 37}, z[] = {8, 11, 14, 17};
    p->rank = chance_of(c, 55) ? 2 : 3;
    p->size[0] = p->rank == 2 ? CHANCE_PICK(c, row) : CHANCE_PICK(c, x);
    p->size[1] = CHANCE_PICK(c, y);
    p->size[2] = p->rank == 3 ? CHANCE_PICK(c, z) : 1;
}

enum { MOST_CHILDREN = 12, MOST_POINTS = 30000 }; /* of a finer grid */

/* A finer grid beside it; not where values are shifted. */
static void generate_ratio_of_grids(chance *c, program *p)
{
    int64_t points = 1, children = 1;
    bool finer = !p->shiftable && chance_of(c, 40);
    for (int d = 0; d < 3; d++) {
        p->ratio[d] = finer && d < p->rank ? chance_from(c, 1, 4) : 1;
        if (children * p->ratio[d] > MOST_CHILDREN) p->ratio[d] = 1;
        children *= p->ratio[d];
        points *= program_size(p, 1, d);
    }
    for (int d = 0; points > MOST_POINTS && d < 3; d++) p->ratio[d] = 1;
}

bool has_levels(const program *p) { return p->ratio[0] > 1 || p->ratio[1] > 1 || p->ratio[2] > 1; }

/* ---- fields ---------------------------------------------------------------------------------- */

/* A value that stays finite in a field. */
static double generate_rule_value(chance *c, kata_type type)
{
    static const double values[] = {0, 1, -1, 0.5, 1.5, -0.0, 3, -2.25}, half_most = 65504;
    const double x = chance_of(c, 10) ? generate_double(c) : CHANCE_PICK(c, values);
    const bool beyond = type != KATA_F64 && isfinite(x) && fabs(x) > half_most;
    return beyond ? copysign(half_most, x) : x;
}

wall generate_wall(chance *c, kata_rule lowest, double value)
{
    wall made = {(kata_rule)chance_from(c, (int)lowest, KATA_PERIODIC), value, 0, 0};
    if (made.rule != KATA_PERIODIC) return made;
    return (wall){KATA_LINEAR, value, chance_from(c, 1, 3), chance_from(c, 1, 4)};
}

static void generate_rules(chance *c, field *f, bool periodic)
{
    for (int d = 0; d < 3; d++) {
        bool both = periodic || chance_of(c, 25);
        for (int side = 2 * d; side < 2 * d + 2; side++) {
            bool none = chance_of(c, 12);
            f->walls[side] = generate_wall(c, KATA_CONSTANT, generate_rule_value(c, f->type));
            if (none) f->walls[side].rule = KATA_NONE;
            if (both) f->walls[side].rule = KATA_PERIODIC;
        }
    }
}

static int generate_dimensions(chance *c, const program *p)
{
    return chance_from(c, 1, (1 << p->rank) - 1);
}

/* The points of a field: those of another field, or mostly those of the grid. */
static void generate_points(chance *c, const program *p, field *f, const field *other)
{
    const int temporaries = p->seed % 3 ? 10 : 45; /* many in some programs */
    if (other) {
        f->staggered = other->staggered;
        f->along = other->along;
        f->ghosts = other->ghosts;
        f->temporary = other->temporary;
        return;
    }
    if (chance_of(c, 12) && p->rank > 1) f->along = generate_dimensions(c, p);
    if (chance_of(c, 25)) f->staggered = generate_dimensions(c, p);
    if (f->along) f->staggered &= f->along;
    f->temporary = chance_of(c, temporaries);
    if (chance_of(c, 20) && !f->temporary) f->ghosts = chance_from(c, 1, 3);
}

static void generate_fields(chance *c, program *p)
{
    static const kata_type types[] = {KATA_F64,  KATA_F64,    KATA_F64, KATA_F32, KATA_F32,
                                      KATA_F32,  KATA_I64,    KATA_I32, KATA_U8,  KATA_F16,
                                      KATA_BF16, KATA_UNORM8, KATA_U16, KATA_I16};
    p->field_count = chance_from(c, 1, MAX_FIELDS - 1);
    for (int i = 0; i < p->field_count; i++) {
        field *f = &p->fields[i];
        bool alike = i > 0 && chance_of(c, 55);
        const field *other = &p->fields[chance_from(c, 0, i > 0 ? i - 1 : 0)];
        f->type = alike ? other->type : CHANCE_PICK(c, types);
        f->components = alike              ? other->components
                        : chance_of(c, 60) ? 1
                                           : chance_from(c, 2, MAX_COMPONENTS);
        f->level = has_levels(p) && chance_of(c, 45);
        if (!p->shiftable && !has_levels(p)) generate_points(c, p, f, alike ? other : NULL);
        generate_rules(c, f, p->shiftable);
        f->seed = chance_of(c, 88) ? chance_bits(c) | 1 : 0;
    }
}

/* One home for all fields of a kind, since swapped fields are of one kind: so each kernel is
 * compiled for few. */
static void generate_homes(program *p)
{
    for (int i = 0; i < p->field_count; i++) {
        field *f = &p->fields[i];
        chance c = {
            chance_hash(p->seed, (uint64_t)(1000 * f->level + 100 * f->type + f->components))};
        bool usual = chance_of(&c, f->components > 1 ? 25 : 60);
        f->home = usual ? HOME_ARRAYS : (home)chance_from(&c, HOME_STRUCTURES, HOMES - 1);
    }
}

static void generate_scalars(chance *c, program *p)
{
    p->scalar_count = chance_from(c, 1, 4);
    for (int i = 0; i < p->scalar_count; i++) {
        static const kata_type types[] = {KATA_F64, KATA_F64, KATA_F32, KATA_I64, KATA_I32};
        p->scalars[i].type = CHANCE_PICK(c, types);
        p->scalars[i].count = chance_of(c, 70) ? 1 : chance_from(c, 2, 3);
        if (i && i + 1 == p->scalar_count && chance_of(c, 25)) { /* room for an index */
            p->scalars[i].type = chance_of(c, 50) ? KATA_I64 : KATA_I32;
            p->scalars[i].count = 3;
        }
        p->scalars[i].start = chance_of(c, 50) ? 0 : chance_from(c, -3, 9);
    }
}

/* ---- temporaries that pass values on ----------------------------------------------------------
 */

static void pass_points(chance *c, const program *p, field *f)
{
    f->staggered = chance_of(c, 12) ? generate_dimensions(c, p) : 0;
    f->ghosts = chance_of(c, 60) ? chance_from(c, 1, 3) : 0;
}

static void pass_rules(chance *c, field *f)
{
    bool none = chance_of(c, f->ghosts ? 70 : 15);
    generate_rules(c, f, false);
    for (int side = 0; side < 6 && none; side++) f->walls[side].rule = KATA_NONE;
}

/* Half of them temporaries. The first two can be exchanged. */
static void generate_passing_fields(chance *c, program *p)
{
    static const kata_type types[] = {KATA_F64, KATA_F64, KATA_F64, KATA_F32, KATA_F32,   KATA_F32,
                                      KATA_I64, KATA_I32, KATA_U8,  KATA_F16, KATA_UNORM8};
    enum { REAL_TYPES = 6 };
    p->field_count = MAX_FIELDS;
    for (int i = 0; i < p->field_count; i++) {
        field *f = &p->fields[i], *other = &p->fields[i < MAX_FIELDS / 2 ? 0 : MAX_FIELDS / 2];
        bool alike = i == 1 || (other != f && chance_of(c, 50));
        if (alike) *f = *other;
        if (!alike) {
            f->type = chance_of(c, i ? 50 : 0) ? p->fields[0].type : CHANCE_PICK(c, types);
            if (chance_of(c, i < MAX_FIELDS / 2 ? 40 : 80))
                f->type = types[chance_from(c, 0, REAL_TYPES - 1)];
            f->components = chance_of(c, 65) ? 1 : chance_from(c, 2, 3);
            pass_points(c, p, f);
        }
        pass_rules(c, f);
        f->temporary = i >= MAX_FIELDS / 2;
        f->seed = chance_bits(c) | 1;
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void generate_text(chance *c, program *p)
{
    static const char *const names[MAX_KERNELS] = {"k0", "k1", "k2", "k3"};
    static const stage stages[MAX_KERNELS] = {STAGE_MAKES, STAGE_PASSES, STAGE_TAKES, STAGE_TAKES};
    builder b = {.chance = c, .program = p};
    line_list list = {0};
    generate_definitions(&b, &list);
    p->kernel_count = p->passes ? MAX_KERNELS : chance_from(c, 1, MAX_KERNELS);
    for (int i = 0; i < p->kernel_count; i++) {
        for (int n = 0; n < 3; n++) p->kernels[i].name[n] = names[i][n];
        p->kernels[i].once = !p->passes && chance_of(c, 15);
        p->kernels[i].stage = p->passes ? stages[i] : STAGE_ANY;
        p->kernels[i].level = has_levels(p) && chance_of(c, 50);
        generate_kernel(&b, &list, &p->kernels[i]);
    }
    p->text = list.first;
}

char *program_kernels(const program *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) exit(99);
    code_print(out, p->text, 0);
    fclose(out);
    return text;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void generate_usual_sizes(chance *c, program *p)
{
    if (chance_of(c, 8))
        generate_large_sizes(c, p);
    else
        generate_sizes(c, p);
    generate_ratio_of_grids(c, p);
}

static program *generate_program(uint64_t seed, bool dealt)
{
    chance c = {chance_hash(seed, 1)};
    program *p = calloc(1, sizeof *p);
    if (!p) exit(99);
    p->seed = seed;
    p->shiftable = chance_of(&c, 12);
    if (dealt)
        generate_dealt_sizes(&c, p);
    else
        generate_usual_sizes(&c, p);
    for (int d = 0; d < 3 && dealt; d++) p->ratio[d] = 1;
    generate_fields(&c, p);
    generate_homes(p);
    generate_scalars(&c, p);
    generate_text(&c, p);
    generate_steps(&c, p, chance_hash(seed >> 6, 7) % 2);
    return p;
}

program *program_generate(uint64_t seed) { return generate_program(seed, false); }
program *program_generate_dealt(uint64_t seed) { return generate_program(seed, true); }

static program *generate_passing(uint64_t seed, bool dealt)
{
    chance c = {chance_hash(seed, 2)};
    program *p = calloc(1, sizeof *p);
    if (!p) exit(99);
    p->seed = seed;
    p->passes = true;
    for (int d = 0; d < 3; d++) p->ratio[d] = 1;
    if (dealt)
        generate_dealt_sizes(&c, p);
    else if (chance_of(&c, 15))
        generate_large_sizes(&c, p);
    else
        generate_sizes(&c, p);
    generate_passing_fields(&c, p);
    generate_homes(p);
    generate_scalars(&c, p);
    generate_text(&c, p);
    generate_stages(&c, p, chance_hash(seed >> 6, 7) % 2);
    return p;
}

program *program_generate_passing(uint64_t seed) { return generate_passing(seed, false); }
program *program_generate_dealt_passing(uint64_t seed) { return generate_passing(seed, true); }

void program_free(program *p)
{
    if (!p) return;
    pool_free(&p->memory);
    free(p);
}
