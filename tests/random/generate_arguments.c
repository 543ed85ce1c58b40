/* Fields, scalars and numbers that kernels are applied to. */
#include "generate.h"

#include <float.h>
#include <math.h>

static bool is_written(const param *p)
{
    return p->kind == OUT || p->kind == INOUT || p->kind >= SUM;
}

static bool suits_field(const program *p, const kernel *k, const param *param, int f)
{
    if (p->fields[f].level != k->level + param->up) return false;
    value_type type = type_of_storage(p->fields[f].type);
    bool alike = is_floating(type) == is_floating(param->type);
    if (param->narrow && p->fields[f].type != p->fields[param->sample].type) return false;
    return alike && p->fields[f].components == param->count && p->fields[f].along == param->along;
}

static bool suits_scalar(const program *p, const param *param, int s)
{
    const scalar *scalar = &p->scalars[s];
    return type_of_storage(scalar->type) == param->type && scalar->count == param->count;
}

/* Whether parameters i and j may be given one field. Of a finer one, a point writes several values,
 * and reads may name any of them. */
static bool may_share(const param *a, const param *b)
{
    if (a->columns || b->columns) return false;
    if ((a->use.anywhere && is_written(b)) || (b->use.anywhere && is_written(a))) return false;
    if (a->up > 0 && (is_written(a) || is_written(b))) return false;
    if (is_written(a) && is_written(b)) return false;
    return !(a->written & b->use.shifted) && !(b->written & a->use.shifted);
}

static bool takes_values(const kernel *k, int p)
{
    return takes_field(&k->params[p]) || (k->once && k->params[p].kind >= SUM);
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

/* Whether a parameter may be given a temporary field: it writes all components, or reads values
 * that were written. True for other fields. */
static bool suits_temporary(const world *w, const param *param, int f)
{
    if (!w->p->fields[f].temporary) return true;
    bool whole = param->sure == (1u << param->count) - 1;
    return param->kind == OUT ? whole : w->set[f];
}

bool arguments_suit_temporaries(const world *w, const kernel *k, const step *s)
{
    for (int i = 0; i < k->param_count; i++)
        if (k->params[i].kind <= INOUT && !k->once &&
            (!suits_temporary(w, &k->params[i], s->args[i].index) ||
             (k->order && w->p->fields[s->args[i].index].temporary)))
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
            bool taken = tries < 3 && suits && !(k->stage && chance_of(w->chance, 75));
            s->args[i].index = taken ? f : param->sample;
        }
        if (is_legal(k, s) && arguments_suit_temporaries(w, k, s)) return;
    }
}

/* A number that a parameter takes: not one that a float would make infinite. */
static double draw_real(chance *c, const param *param)
{
    const double x = generate_double(c);
    const bool beyond = param->type == FLOAT && isfinite(x) && isinf((float)x);
    return beyond ? copysign(FLT_MAX, x) : x;
}

static void bind_table(world *w, const param *param, argument *a)
{
    chance *c = w->chance;
    a->index = -1;
    for (int i = 0; i < w->p->scalar_count; i++)
        if (suits_scalar(w->p, param, i) && chance_of(c, w->p->passes ? 8 : 50)) a->index = i;
    for (int i = 0; i < param->count; i++) {
        a->reals[i] = draw_real(c, param);
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
        if (suits_scalar(w->p, param, i) && chance_of(c, w->p->passes ? 8 : 35)) a->index = i;
    if (is_floating(param->type) && chance_of(c, 85))
        a->number = kata_arg_floating(draw_real(c, param), 0);
    else if (is_floating(param->type) && chance_of(c, 10))
        a->number = kata_arg_unsigned(UINT64_MAX - chance_bits(c) % 5000, 0);
    else
        a->number = kata_arg_integer(generate_integer(c, param->type == LONG), 0);
    if (param->splits) a->number = kata_arg_integer(chance_from(c, -2, 12), 0);
    if (param->type == BOOL) a->number = kata_arg_integer(chance_from(c, 0, 2), 0);
}

void arguments_bind_numbers(world *w, const kernel *k, step *s)
{
    for (int i = 0; i < k->param_count; i++) {
        const param *param = &k->params[i];
        if (param->kind == TABLE) bind_table(w, param, &s->args[i]);
        if (param->kind == NUMBER) bind_number(w, param, &s->args[i]);
    }
}

void arguments_bind(world *w, const kernel *k, step *s)
{
    bind_fields(w, k, s);
    arguments_bind_numbers(w, k, s);
}

bool arguments_suit(const world *w, const kernel *k, const step *s)
{
    return is_legal(k, s) && arguments_suit_temporaries(w, k, s);
}
