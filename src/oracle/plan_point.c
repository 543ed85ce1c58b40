/* A point of a loop of a plan: its reads from the places that the plan has, its graph, and its
 * writes. */
#include "oracle/cells.h"
#include "oracle/planned.h"
#include "store/store.h"

/* ---- reading --------------------------------------------------------------------------------- */

static const plan_place *place_at(const oracle_part *p, int slot, const int64_t index[3])
{
    plan_piece piece[PLAN_PIECES];
    grid_box one;
    for (int d = 0; d < 3; d++) {
        one.lo[d] = index[d];
        one.hi[d] = index[d] + 1;
    }
    return plan_pieces(p->walk, slot, &one, piece) == 1 ? piece[0].place : NULL;
}

static ir_value constant(kata_type type, double x)
{
    ir_value element = {0};
    ir_storage_write(type, IR_F64, ir_value_of_double(IR_F64, x), &element);
    return element;
}

/* A read of a component: where each dimension of its index ends. */
typedef struct mapped_read {
    const oracle_part *p;
    const chain_binding *b;
    int component;
    bool outside[3]; /* the index is mapped */
    grid_source source[3];
    int64_t index[3]; /* where the value lies */
} mapped_read;

static void map_dimension(mapped_read *r, const plan_place *innermost, int d, int64_t at)
{
    grid_axis axis = chain_slot_axis(r->b->slot, d);
    grid_box inside = chain_binding_inside(r->b);
    int64_t moved = innermost->wraps[d] ? r->p->run->shift[d] : 0;
    r->source[d] = (grid_source){.index = at};
    r->outside[d] = (at < inside.lo[d] || at >= inside.hi[d]) &&
                    !(innermost->wraps[d] && grid_boundary_is_periodic(r->b->boundary, d));
    if (r->outside[d] && !grid_boundary_map(r->b->boundary, d, &axis, at, &r->source[d]))
        r->source[d] = (grid_source){.is_constant = true};
    r->index[d] = r->source[d].index + moved;
}

/* The last dimension that is mapped decides where a sum is made: of elements at other indices. */
static void read_sum(const mapped_read *r, int param, const int64_t at[3], int d, ir_value *element)
{
    const grid_source *source = &r->source[d];
    kata_type type = r->b->slot->type;
    int64_t index[3] = {at[0], at[1], at[2]};
    grid_sums sums;
    index[d] = source->index;
    if (source->is_constant)
        *element = constant(type, source->constant);
    else if (!source->weights)
        oracle_plan_read(r->p, param, r->component, index, element);
    else
        grid_sums_begin(source, type, &sums, 1);
    for (int k = 0; source->weights && k < source->count; k++) {
        index[d] = source->index + (int64_t)k * source->step;
        oracle_plan_read(r->p, param, r->component, index, element);
        grid_sums_add(source, k, type, element, &sums, 1);
    }
    if (source->weights) grid_sums_store(type, &sums, element, 1);
    grid_undo_steps(source, type, element, 1);
}

static void read_mapped(const mapped_read *r, ir_value *element)
{
    int last = 0;
    kata_type type = r->b->slot->type;
    while (last < 2 && !r->source[last].is_constant) last++;
    if (r->source[last].is_constant) {
        *element = constant(type, r->source[last].constant);
    } else {
        const plan_place *place = place_at(r->p, r->b->slot->number, r->index);
        if (!place || !oracle_cells_get(place, r->b->slot, r->component, r->index, element))
            store_fill_unset(type, element, sizeof *element);
    }
    for (int d = last; d >= 0; d--) grid_undo_steps(&r->source[d], type, element, 1);
}

/* The element that a read at an index of the grid finds: poison where nothing is, for a guard may
 * keep the read from mattering. */
void oracle_plan_read(const oracle_part *p, int param, int component, const int64_t at[3],
                      ir_value *element)
{
    mapped_read r = {.p = p, .b = &p->loop->bindings[param], .component = component};
    const plan_place *innermost = plan_innermost(p->walk, r.b->slot->number);
    int last = -1;
    bool sums = false;
    for (int d = 0; d < 3; d++) {
        map_dimension(&r, innermost, d, at[d]);
        if (r.outside[d]) last = d;
        sums = sums || r.source[d].weights;
    }
    if (sums)
        read_sum(&r, param, at, last, element);
    else
        read_mapped(&r, element);
}

static ir_value load(const oracle_part *p, const ir_node *n)
{
    const ir_param *param = &p->loop->kernel->params[n->param];
    const chain_slot *slot = p->loop->bindings[n->param].slot;
    ir_value element;
    int64_t at[3];
    bool copied = p->loop->copy && n->param == CHAIN_COPY_FROM;
    for (int d = 0; d < 3; d++)
        at[d] = copied ? chain_copy_index(p->loop->copy, d, p->point)
                       : ir_param_index(param, d, p->point[d]) + n->offset[d];
    if (slot->is_scalar)
        element = store_scalar(slot, n->element);
    else
        oracle_plan_read(p, n->param, n->element, at, &element);
    return ir_storage_read(slot->type, (ir_type)n->type, &element);
}

/* At the index nearest to `level` that is inside: where that is another one, the point fails. */
static ir_value load_level(const oracle_part *p, const ir_node *n, int64_t level)
{
    const ir_param *param = &p->loop->kernel->params[n->param];
    const chain_slot *slot = p->loop->bindings[n->param].slot;
    int d = n->value.i32;
    int64_t at[3], last = chain_slot_grid(slot).size[d] - 1;
    ir_value element;
    for (int k = 0; k < 3; k++) at[k] = ir_param_index(param, k, p->point[k]) + n->offset[k];
    at[d] = smaller(larger(level, 0), last);
    oracle_plan_read(p, n->param, n->element, at, &element);
    return ir_storage_read(slot->type, (ir_type)n->type, &element);
}

/* The element of a NUMBER, or of a table in memory, that a scalar array is given for. */
static int element_of(const ir_node *n, ir_value operand)
{
    return n->op == IR_ELEMENT ? (int)chain_element_number(n, operand) : n->element;
}

static bool find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value)
{
    const oracle_part *p = data;
    if (chain_node_value(p->loop, p->point, n, operand, value)) return true;
    if (n->op == IR_LEVEL)
        *value = load_level(p, n, operand.i64);
    else if (n->op == IR_LOAD)
        *value = load(p, n);
    else
        *value = store_scalar(p->loop->bindings[n->param].slot, element_of(n, operand));
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

bool oracle_plan_write(const oracle_part *p, int param, int component, const int64_t at[3],
                       ir_value element)
{
    const chain_binding *b = &p->loop->bindings[param];
    const plan_place *innermost = plan_innermost(p->walk, b->slot->number);
    int64_t index[3];
    for (int d = 0; d < 3; d++) {
        int64_t size = chain_slot_axis(b->slot, d).cells;
        index[d] = at[d];
        bool periodic = grid_boundary_is_periodic(b->boundary, d);
        if (innermost->wraps[d])
            index[d] += p->run->shift[d];
        else if (periodic && (index[d] < 0 || index[d] >= size))
            index[d] = (index[d] % size + size) % size;
    }
    const plan_place *place = place_at(p, b->slot->number, index);
    return (place && oracle_cells_put(place, b->slot, component, index, element)) ||
           oracle_plan_fail(p->e, "a write to nowhere", p->run->loop);
}

static bool write_field(const oracle_part *p, const ir_store *s)
{
    const ir_param *param = &p->loop->kernel->params[s->param];
    const chain_binding *b = &p->loop->bindings[s->param];
    ir_value element = {0};
    int64_t at[3];
    ir_storage_write(b->slot->type, param->type, p->e->nodes[s->value], &element);
    if (b->slot->is_scalar) return store_scalar_set(b->slot, s->component, element);
    for (int d = 0; d < 3; d++) at[d] = ir_param_index(param, d, p->point[d]) + s->offset[d];
    return oracle_plan_write(p, s->param, s->component, at, element);
}

int oracle_first_element(const ir_kernel *kernel, int param)
{
    int first = 0;
    for (int p = 0; p < param; p++)
        if (ir_param_is_reduction(&kernel->params[p])) first += kernel->params[p].count;
    return first;
}

static bool is_own(const oracle_part *p)
{
    for (int d = 0; d < 3; d++)
        if (p->point[d] < p->run->core.lo[d] || p->point[d] >= p->run->core.hi[d]) return false;
    return true;
}

static void contribute(const oracle_part *p, const ir_store *s)
{
    const grid_box *box = &p->loop->box;
    int64_t at = 0, points = grid_box_points(box);
    if (!is_own(p)) return;
    for (int d = 2; d >= 0; d--) at = at * (box->hi[d] - box->lo[d]) + p->point[d] - box->lo[d];
    int64_t element = oracle_first_element(p->loop->kernel, s->param) + s->component;
    p->e->contributions[p->run->loop][element * points + at] = p->e->nodes[s->value];
}

/* Adds what this point contributes to an element known only at run time. Plans are not checked here
 * for indices outside: those contribute nothing. */
static void contribute_to_bin(const oracle_part *p, const ir_addition *a)
{
    const ir_kernel *kernel = p->loop->kernel;
    const ir_param *param = &kernel->params[a->param];
    ir_type type = (ir_type)kernel->graph.nodes[a->index].type;
    int64_t points = grid_box_points(&p->loop->box);
    if (param->kind == IR_PARAM_WHERE) return; /* found at the end, among all contributions */
    if (!is_own(p) || (a->condition && !p->e->nodes[a->condition].i32)) return;
    int64_t index = ir_convert(IR_I64, type, p->e->nodes[a->index]).i64;
    if (index < 0 || index >= param->count) return;
    int64_t element = oracle_first_element(kernel, a->param) + index;
    ir_value *sum = &p->e->contributions[p->run->loop][element * points];
    *sum = ir_reduce(param, *sum, p->e->nodes[a->value]);
}

bool oracle_has_color(const chain_loop *loop, const int64_t point[3])
{
    int64_t sum = point[0] + point[1] + point[2], n = loop->colors;
    return n <= 1 || (sum % n + n) % n == loop->color;
}

bool oracle_run_point(const oracle_part *p)
{
    const ir_kernel *kernel = p->loop->kernel;
    if (!oracle_has_color(p->loop, p->point)) return true;
    ir_evaluate_graph(&kernel->graph, find_value, p, p->e->nodes, NULL);
    for (int i = 0; i < kernel->addition_count; i++) contribute_to_bin(p, &kernel->additions[i]);
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (s->condition && !p->e->nodes[s->condition].i32) continue;
        if (ir_param_is_reduction(&kernel->params[s->param]))
            contribute(p, s);
        else if (!write_field(p, s))
            return false;
    }
    return true;
}
