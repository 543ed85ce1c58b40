/* The sequence of a program: kernels applied to ranges, swaps, changes of boundary rules, values
 * put and got. Only what the library must accept: every read lands in the grid or is covered by a
 * rule, and no point reads what another one writes. */
#include "random.h"

/* ---- coverage ---------------------------------------------------------------------------------
 */

bool is_covered(const kata_rule rule[2], int64_t size, int64_t index)
{
    for (int turns = 0; index < 0 || index >= size; turns++) {
        bool high = index >= size, node = false;
        int64_t mirror = high ? 2 * size - 1 - index : -1 - index;
        switch (rule[high]) {
        case KATA_NONE: return false;
        case KATA_CONSTANT:
        case KATA_CLAMP: return true;
        case KATA_PERIODIC: return rule[!high] == KATA_PERIODIC;
        case KATA_REFLECT_NODE:
        case KATA_ANTISYMMETRIC_NODE: node = true; break;
        default: break;
        }
        if (node && size == 1) return false;
        index = !node ? mirror : high ? mirror - 1 : mirror + 1;
    }
    return true;
}

/* What the rules of a field are by now. */
typedef struct world {
    chance *chance;
    program *p;
    kata_rule rule[MAX_FIELDS][6];
} world;

static bool is_range_empty(const range *r)
{
    return r->lo[0] >= r->hi[0] || r->lo[1] >= r->hi[1] || r->lo[2] >= r->hi[2];
}

/* Takes away the points of a range at which a parameter reads what no rule covers. */
static void restrict_range(const world *w, const param *p, int f, range *r)
{
    for (int d = 0; d < w->p->rank; d++) {
        int64_t n = w->p->size[d];
        const kata_rule *rule = &w->rule[f][2 * d];
        int64_t lo = r->lo[d], hi = r->hi[d];
        if (lo >= hi) continue;
        if (!is_covered(rule, n, lo + p->use.lo[d]) && lo < -p->use.lo[d]) r->lo[d] = -p->use.lo[d];
        if (!is_covered(rule, n, hi - 1 + p->use.hi[d]) && hi > n - p->use.hi[d])
            r->hi[d] = n - p->use.hi[d];
        if (r->lo[d] != lo || r->hi[d] != hi) r->kind = RANGE_BOX;
        if (r->lo[d] > r->hi[d]) r->lo[d] = r->hi[d] = 0;
    }
}

/* ---- ranges -----------------------------------------------------------------------------------
 */

static void set_all(const program *p, range *r)
{
    *r = (range){.kind = RANGE_ALL};
    for (int d = 0; d < 3; d++) r->hi[d] = p->size[d];
}

static void set_inner(chance *c, const program *p, range *r)
{
    r->kind = RANGE_INNER;
    r->depth = chance_from(c, 0, 3);
    for (int d = 0; d < p->rank; d++) {
        r->lo[d] = r->depth < p->size[d] ? r->depth : p->size[d];
        r->hi[d] = p->size[d] - r->lo[d];
    }
}

static void set_face(chance *c, const program *p, range *r)
{
    r->kind = RANGE_FACE;
    r->side = chance_from(c, 0, 2 * p->rank - 1);
    int d = r->side / 2;
    r->depth = chance_from(c, 0, p->size[d] < 3 ? (int)p->size[d] : 3);
    if (r->side % 2)
        r->lo[d] = p->size[d] - r->depth;
    else
        r->hi[d] = r->depth;
}

static void set_box(chance *c, const program *p, range *r)
{
    r->kind = RANGE_BOX;
    for (int d = 0; d < p->rank; d++) {
        r->lo[d] = chance_from(c, 0, (int)p->size[d]);
        r->hi[d] = chance_from(c, chance_of(c, 8) ? 0 : (int)r->lo[d], (int)p->size[d]);
        if (chance_of(c, 30)) r->lo[d] = 0;
        if (chance_of(c, 30)) r->hi[d] = p->size[d];
    }
}

static range generate_range(chance *c, const program *p)
{
    range r;
    set_all(p, &r);
    int kind = chance_from(c, 0, 99);
    if (p->shiftable || kind < 50) return r;
    if (kind < 65) set_inner(c, p, &r);
    if (kind >= 65 && kind < 78) set_face(c, p, &r);
    if (kind >= 78) set_box(c, p, &r);
    return r;
}

/* ---- arguments --------------------------------------------------------------------------------
 */

static bool is_written(const param *p) { return p->kind == OUT || p->kind == INOUT; }

static bool suits_field(const program *p, const param *param, int f)
{
    value_type type = type_of_storage(p->fields[f].type);
    bool alike = type == param->type || (is_floating(type) && is_floating(param->type));
    return alike && p->fields[f].components == param->count;
}

/* Whether parameters i and j may be given one field. */
static bool may_share(const param *a, const param *b)
{
    if (is_written(a) && is_written(b)) return false;
    return !(a->written & b->use.shifted) && !(b->written & a->use.shifted);
}

static bool is_legal(const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count; i++)
        for (int j = 0; j < i; j++)
            if (k->params[i].kind <= INOUT && k->params[j].kind <= INOUT &&
                s->args[i].index == s->args[j].index && !may_share(&k->params[i], &k->params[j]))
                return false;
    return true;
}

static void bind_fields(world *w, const kernel *k, step *s)
{
    for (int tries = 0; tries < 4; tries++) {
        for (int i = 0; i < k->param_count; i++) {
            const param *param = &k->params[i];
            if (param->kind > INOUT) continue;
            int f = chance_from(w->chance, 0, w->p->field_count - 1);
            bool taken = tries < 3 && suits_field(w->p, param, f);
            s->args[i].index = taken ? f : param->sample;
        }
        if (is_legal(k, s)) return;
    }
}

static void bind_table(chance *c, const param *param, argument *a)
{
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
    for (int i = 0; i < w->p->scalar_count; i++)
        if (type_of_storage(w->p->scalars[i].type) == param->type && chance_of(c, 35)) a->index = i;
    if (is_floating(param->type) && chance_of(c, 85))
        a->number = kata_arg_floating(generate_double(c), 0);
    else if (is_floating(param->type) && chance_of(c, 10))
        a->number = kata_arg_unsigned(UINT64_MAX - chance_bits(c) % 5000, 0);
    else
        a->number = kata_arg_integer(generate_integer(c, param->type == LONG), 0);
    if (param->type == BOOL) a->number = kata_arg_integer(chance_from(c, 0, 2), 0);
}

static void bind(world *w, const kernel *k, step *s)
{
    bind_fields(w, k, s);
    for (int i = 0; i < k->param_count; i++) {
        const param *param = &k->params[i];
        if (param->kind == TABLE) bind_table(w->chance, param, &s->args[i]);
        if (param->kind == NUMBER) bind_number(w, param, &s->args[i]);
        if (param->kind >= SUM) s->args[i].index = param->sample;
    }
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static void generate_apply(world *w, step *s)
{
    s->kind = STEP_APPLY;
    s->kernel = chance_from(w->chance, 0, w->p->kernel_count - 1);
    const kernel *k = &w->p->kernels[s->kernel];
    bind(w, k, s);
    s->range = generate_range(w->chance, w->p);
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].kind <= INOUT && !is_range_empty(&s->range))
            restrict_range(w, &k->params[i], s->args[i].index, &s->range);
}

static void generate_swap(world *w, step *s)
{
    s->kind = STEP_SWAP;
    s->index = chance_from(w->chance, 0, w->p->field_count - 1);
    s->second = s->index;
    const field *a = &w->p->fields[s->index];
    for (int f = 0; f < w->p->field_count; f++) {
        const field *b = &w->p->fields[f];
        bool alike = f != s->index && a->type == b->type && a->components == b->components;
        if (alike && chance_of(w->chance, 60)) s->second = f;
    }
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
    s->range = generate_range(w->chance, w->p);
    s->seed = chance_bits(w->chance) | 1;
    s->value[0] = chance_from(w->chance, -4, 9);
    s->other_type = chance_of(w->chance, 15);
}

static void generate_step(world *w, step *s, bool chatty)
{
    static const step_kind host[] = {STEP_GET,        STEP_GET, STEP_GET,
                                     STEP_GET_SCALAR, STEP_PUT, STEP_SET_SCALAR};
    int kind = chance_from(w->chance, 0, 99);
    if (kind < 10)
        generate_swap(w, s);
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
    int64_t points = p->size[0] * p->size[1] * p->size[2];
    for (int f = 0; f < p->field_count; f++)
        for (int side = 0; side < 6; side++) w.rule[f][side] = p->fields[f].rule[side];
    p->step_count = chance_of(c, 20) ? chance_from(c, 1, 30) : chance_from(c, 2, 12);
    if (points > 3000 && p->step_count > 5) p->step_count = 5;
    for (int i = 0; i < p->step_count; i++) generate_step(&w, &p->steps[i], chatty);
}
