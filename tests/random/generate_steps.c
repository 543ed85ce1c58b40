/* The sequence of a program: kernels applied to ranges, swaps, changes of boundary rules, values
 * put and got. Only what the library must accept: every read lands in the grid or is covered by a
 * rule, and no point reads what another one writes. */
#include "generate.h"

/* What the rules of a field are by now. */
typedef struct world {
    chance *chance;
    program *p;
    kata_rule rule[MAX_FIELDS][6];
} world;

/* ---- arguments ------------------------------------------------------------------------------- */

static bool is_written(const param *p)
{
    return p->kind == OUT || p->kind == INOUT || p->kind >= SUM;
}

static bool suits_field(const program *p, const kernel *k, const param *param, int f)
{
    if (p->fields[f].level != k->level + param->up) return false;
    value_type type = type_of_storage(p->fields[f].type);
    bool alike = is_floating(type) == is_floating(param->type);
    if (param->byte && p->fields[f].type != KATA_U8) return false;
    return alike && p->fields[f].components == param->count;
}

static bool suits_scalar(const program *p, const param *param, int s)
{
    const scalar *scalar = &p->scalars[s];
    return type_of_storage(scalar->type) == param->type && scalar->count == param->count;
}

/* Whether parameters i and j may be given one field. */
static bool may_share(const param *a, const param *b)
{
    if (is_written(a) && is_written(b)) return false;
    return !(a->written & b->use.shifted) && !(b->written & a->use.shifted);
}

static bool takes_values(const kernel *k, int p)
{
    return k->params[p].kind <= INOUT || (k->once && k->params[p].kind >= SUM);
}

static bool is_legal(const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count; i++)
        for (int j = 0; j < i; j++)
            if (takes_values(k, i) && takes_values(k, j) && s->args[i].index == s->args[j].index &&
                !may_share(&k->params[i], &k->params[j]))
                return false;
    return true;
}

static void bind_fields(world *w, const kernel *k, step *s)
{
    for (int tries = 0; tries < 4; tries++) {
        for (int i = 0; i < k->param_count; i++) {
            const param *param = &k->params[i];
            if (param->kind >= SUM) s->args[i].index = param->sample;
            if (param->kind > INOUT) continue;
            int count = k->once ? w->p->scalar_count : w->p->field_count;
            int f = chance_from(w->chance, 0, count - 1);
            bool suits = k->once ? suits_scalar(w->p, param, f) : suits_field(w->p, k, param, f);
            bool taken = tries < 3 && suits;
            s->args[i].index = taken ? f : param->sample;
        }
        if (is_legal(k, s)) return;
    }
}

static void bind_table(world *w, const param *param, argument *a)
{
    chance *c = w->chance;
    a->index = -1;
    for (int i = 0; i < w->p->scalar_count; i++)
        if (suits_scalar(w->p, param, i) && chance_of(c, 50)) a->index = i;
    for (int i = 0; i < param->count; i++) {
        a->reals[i] = generate_double(c);
        a->integers[i] = generate_integer(c, param->type == LONG);
    }
    bool reals = is_floating(param->type) && chance_of(c, 80);
    a->number = kata_table_of(reals ? KATA_F64 : KATA_I64, NULL, param->count);
}

static void bind_number(world *w, const param *param, argument *a)
{
    chance *c = w->chance;
    a->index = -1;
    for (int i = 0; i < w->p->scalar_count && !param->splits; i++)
        if (suits_scalar(w->p, param, i) && chance_of(c, 35)) a->index = i;
    if (is_floating(param->type) && chance_of(c, 85))
        a->number = kata_arg_floating(generate_double(c), 0);
    else if (is_floating(param->type) && chance_of(c, 10))
        a->number = kata_arg_unsigned(UINT64_MAX - chance_bits(c) % 5000, 0);
    else
        a->number = kata_arg_integer(generate_integer(c, param->type == LONG), 0);
    if (param->splits) a->number = kata_arg_integer(chance_from(c, -2, 12), 0);
    if (param->type == BOOL) a->number = kata_arg_integer(chance_from(c, 0, 2), 0);
}

static void bind(world *w, const kernel *k, step *s)
{
    bind_fields(w, k, s);
    for (int i = 0; i < k->param_count; i++) {
        const param *param = &k->params[i];
        if (param->kind == TABLE) bind_table(w, param, &s->args[i]);
        if (param->kind == NUMBER) bind_number(w, param, &s->args[i]);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void generate_apply(world *w, step *s)
{
    s->kind = STEP_APPLY;
    s->kernel = chance_from(w->chance, 0, w->p->kernel_count - 1);
    const kernel *k = &w->p->kernels[s->kernel];
    bind(w, k, s);
    s->range = generate_range(w->chance, w->p, k->level);
    for (int i = 0; i < k->param_count; i++)
        if (!k->once && k->params[i].kind <= INOUT && !is_range_empty(&s->range))
            restrict_range(w->p, &k->params[i], w->rule[s->args[i].index], &s->range);
}

static bool is_alike(const field *a, const field *b)
{
    return a->type == b->type && a->components == b->components && a->level == b->level;
}

static void generate_swap(world *w, step *s)
{
    s->kind = STEP_SWAP;
    s->index = chance_from(w->chance, 0, w->p->field_count - 1);
    s->second = s->index;
    const field *a = &w->p->fields[s->index];
    for (int f = 0; f < w->p->field_count; f++) {
        const field *b = &w->p->fields[f];
        bool alike = f != s->index && is_alike(a, b);
        if (alike && chance_of(w->chance, 60)) s->second = f;
    }
}

/* Three levels where there are as many fields alike. */
static void generate_rotate(world *w, step *s)
{
    int alike[MAX_FIELDS], count = 0;
    s->index = chance_from(w->chance, 0, w->p->field_count - 1);
    const field *a = &w->p->fields[s->index];
    for (int f = 0; f < w->p->field_count; f++) {
        const field *b = &w->p->fields[f];
        if (f != s->index && is_alike(a, b)) alike[count++] = f;
    }
    s->kind = count < 2 ? STEP_END : STEP_ROTATE;
    if (count < 2) return;
    int first = chance_from(w->chance, 0, count - 1);
    s->second = alike[first];
    s->third = alike[(first + chance_from(w->chance, 1, count - 1)) % count];
}

static void generate_boundary(world *w, step *s)
{
    chance *c = w->chance;
    s->kind = STEP_BOUNDARY;
    s->index = chance_from(c, 0, w->p->field_count - 1);
    s->side = 2 * chance_from(c, 0, w->p->rank - 1);
    bool periodic = chance_of(c, 20);
    for (int i = 0; i < 2; i++) {
        int rule = chance_from(c, KATA_NONE, KATA_ANTISYMMETRIC_NODE);
        s->rule[i] = periodic ? KATA_PERIODIC : (kata_rule)rule;
        s->value[i] = chance_from(c, -6, 6) * 0.5;
        w->rule[s->index][s->side + i] = s->rule[i];
    }
}

static void generate_host_step(world *w, step *s, step_kind kind)
{
    bool scalar = kind == STEP_GET_SCALAR || kind == STEP_SET_SCALAR;
    int count = scalar ? w->p->scalar_count : w->p->field_count;
    s->kind = kind;
    s->index = chance_from(w->chance, 0, count - 1);
    s->range = generate_range(w->chance, w->p, scalar ? 0 : w->p->fields[s->index].level);
    s->seed = chance_bits(w->chance) | 1;
    s->value[0] = chance_from(w->chance, -4, 9);
    s->other_type = chance_of(w->chance, 15);
}

static void generate_step(world *w, step *s, bool chatty)
{
    static const step_kind host[] = {STEP_GET,        STEP_GET, STEP_GET,
                                     STEP_GET_SCALAR, STEP_PUT, STEP_SET_SCALAR};
    int kind = chance_from(w->chance, 0, 99);
    if (kind < 7)
        generate_swap(w, s);
    else if (kind < 11)
        generate_rotate(w, s);
    else if (kind < 17 && !w->p->shiftable)
        generate_boundary(w, s);
    else if (kind < 25 && chatty)
        generate_host_step(w, s, CHANCE_PICK(w->chance, host));
    else
        generate_apply(w, s);
}

void generate_steps(chance *c, program *p, bool chatty)
{
    world w = {.chance = c, .p = p};
    int64_t points = program_size(p, 1, 0) * program_size(p, 1, 1) * program_size(p, 1, 2);
    for (int f = 0; f < p->field_count; f++)
        for (int side = 0; side < 6; side++) w.rule[f][side] = p->fields[f].rule[side];
    p->step_count = chance_of(c, 20) ? chance_from(c, 1, 30) : chance_from(c, 2, 12);
    if (points > 3000 && p->step_count > 5) p->step_count = 5;
    for (int i = 0; i < p->step_count; i++) generate_step(&w, &p->steps[i], chatty);
}
