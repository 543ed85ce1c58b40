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

/* The element that a read at an index of the grid finds: poison where nothing is, for a guard may
 * keep the read from mattering. */
static void read_element(const oracle_part *p, int param, int component, const int64_t at[3],
                         ir_value *element)
{
    const chain_binding *b = &p->loop->bindings[param];
    const plan_place *innermost = plan_innermost(p->walk, b->slot->number);
    grid_source source[3] = {{0}};
    int64_t index[3];
    int constant_at = 3, known = 3;
    for (int d = 0; d < known; d++) {
        grid_axis axis = chain_slot_axis(b->slot, d);
        int64_t moved = innermost->wraps[d] ? p->run->shift[d] : 0;
        if (innermost->wraps[d] && grid_boundary_is_periodic(b->boundary, d)) {
            index[d] = at[d] + moved;
            continue;
        }
        if (!grid_boundary_map(b->boundary, d, &axis, at[d], &source[d]))
            source[d] = (grid_source){.is_constant = true};
        index[d] = source[d].index + moved;
        if (source[d].is_constant) constant_at = known = d;
    }
    if (constant_at < 3) {
        *element = constant(b->slot->type, source[constant_at].constant);
    } else {
        const plan_place *place = place_at(p, b->slot->number, index);
        if (!place || !oracle_cells_get(place, b->slot, component, index, element))
            store_fill_unset(b->slot->type, element, sizeof *element);
    }
    for (int d = constant_at < 2 ? constant_at : 2; d >= 0; d--)
        grid_undo_steps(&source[d], b->slot->type, element, 1);
}

static ir_value load(const oracle_part *p, const ir_node *n)
{
    const ir_param *param = &p->loop->kernel->params[n->param];
    const chain_slot *slot = p->loop->bindings[n->param].slot;
    ir_value element;
    int64_t at[3];
    for (int d = 0; d < 3; d++) at[d] = ir_param_index(param, d, p->point[d]) + n->offset[d];
    if (slot->is_scalar)
        element = store_scalar(slot, n->element);
    else
        read_element(p, n->param, n->element, at, &element);
    return ir_storage_read(slot->type, (ir_type)n->type, &element);
}

static bool find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value)
{
    const oracle_part *p = data;
    if (chain_node_value(p->loop, p->point, n, operand, value)) return true;
    *value =
        n->op == IR_LOAD ? load(p, n) : store_scalar(p->loop->bindings[n->param].slot, n->element);
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_field(const oracle_part *p, const ir_store *s)
{
    const ir_param *param = &p->loop->kernel->params[s->param];
    const chain_binding *b = &p->loop->bindings[s->param];
    ir_value element = {0};
    int64_t index[3];
    ir_storage_write(b->slot->type, param->type, p->e->nodes[s->value], &element);
    if (b->slot->is_scalar) return store_scalar_set(b->slot, s->component, element);
    const plan_place *innermost = plan_innermost(p->walk, b->slot->number);
    for (int d = 0; d < 3; d++) {
        int64_t size = chain_slot_axis(b->slot, d).cells;
        index[d] = ir_param_index(param, d, p->point[d]) + s->offset[d];
        bool periodic = grid_boundary_is_periodic(b->boundary, d);
        if (innermost->wraps[d])
            index[d] += p->run->shift[d];
        else if (periodic && (index[d] < 0 || index[d] >= size))
            index[d] = (index[d] % size + size) % size;
    }
    const plan_place *place = place_at(p, b->slot->number, index);
    return (place && oracle_cells_put(place, b->slot, s->component, index, element)) ||
           oracle_plan_fail(p->e, "a write to nowhere", p->run->loop);
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

bool oracle_run_point(const oracle_part *p)
{
    const ir_kernel *kernel = p->loop->kernel;
    int64_t sum = p->point[0] + p->point[1] + p->point[2];
    if (p->loop->colors > 1 &&
        (sum % p->loop->colors + p->loop->colors) % p->loop->colors != p->loop->color)
        return true;
    ir_evaluate_graph(&kernel->graph, find_value, p, p->e->nodes, NULL);
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
