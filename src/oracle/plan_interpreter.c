/* Runs any plan, point by point, with real places: a buffer is memory of its capacity, in which
 * nothing is set at first, and what is read without being set is poison. Kernels run as graphs.
 * It shows what a plan does, whatever it should have done. */
#include "oracle/cells.h"
#include "oracle/oracle.h"
#include "store/store.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

typedef struct planned {
    const analysis_chain *a;
    const plan *p;
    bool late; /* moves are made when they are waited for, otherwise when they are started */
    messages *m;
    kata_status status;
    ir_value *
        *contributions; /* per loop: to its reductions, element by element, points of its box */
    ir_value *nodes;    /* of the graph being evaluated */
    size_t node_room;
    plan_copy *pending;
    plan_place (*pending_places)[2];
    size_t pending_count, pending_room;
} planned;

static bool fail(planned *e, const char *what, int loop)
{
    if (e->status == KATA_OK)
        e->status = message_fail(e->m, KATA_ERROR_INTERNAL, "plan: %s, in loop %d '%s'", what, loop,
                                 loop < 0 ? "-" : e->a->loops[loop].loop->kernel->name);
    return false;
}

static bool no_memory(planned *e)
{
    if (e->status == KATA_OK) e->status = message_no_memory(e->m);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A part of a loop as it runs. */
typedef struct part {
    planned *e;
    const plan_walk *walk;
    const plan_run *run;
    const chain_loop *loop;
    int64_t point[3];
} part;

static const plan_place *place_at(const part *p, int slot, const int64_t index[3])
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

/* 2*v - x of elements. */
static ir_value mirror(kata_type storage, double v, ir_value x)
{
    ir_type type = ir_type_of_storage(storage);
    ir_value at_side = constant(storage, v), element = {0};
    ir_value twice = ir_evaluate(
        IR_MUL, type, type,
        (ir_value[]){ir_value_of_int(type, 2), ir_storage_read(storage, type, &at_side)});
    ir_value result =
        ir_evaluate(IR_SUB, type, type, (ir_value[]){twice, ir_storage_read(storage, type, &x)});
    ir_storage_write(storage, type, result, &element);
    return element;
}

/* The element that a read at an index of the grid finds: poison where nothing is, for a guard may
 * see to it that nothing comes of it. */
static void read_element(const part *p, int param, int component, const int64_t at[3],
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
    for (int d = 2; d >= 0; d--)
        for (int64_t k = source[d].steps - 1; k >= 0 && d <= constant_at; k--)
            *element = mirror(b->slot->type, source[d].step_value[k % 2], *element);
}

static void load(const part *p, const ir_node *n, ir_value *out)
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
    *out = ir_storage_read(slot->type, (ir_type)n->type, &element);
}

static ir_value number(const part *p, const ir_node *n)
{
    const chain_binding *b = &p->loop->bindings[n->param];
    if (b->slot) return store_scalar(b->slot, n->element);
    return p->loop->kernel->params[n->param].kind == IR_PARAM_TABLE ? b->table[n->element]
                                                                    : b->number;
}

static ir_value stored(const part *p, const ir_node *n, ir_value x)
{
    kata_type storage = p->loop->bindings[n->param].slot->type;
    ir_value element = {0};
    ir_storage_write(storage, (ir_type)n->type, x, &element);
    return ir_storage_read(storage, (ir_type)n->type, &element);
}

static void evaluate(const part *p)
{
    const ir_graph *g = &p->loop->kernel->graph;
    ir_value *values = p->e->nodes, args[3];
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *n = &g->nodes[id];
        for (int i = 0; i < ir_ops[n->op].operands; i++) args[i] = values[n->arg[i]];
        switch ((ir_op)n->op) {
        case IR_CONST: values[id] = n->value; break;
        case IR_NUMBER: values[id] = number(p, n); break;
        case IR_INDEX: values[id] = (ir_value){.i64 = p->point[n->param]}; break;
        case IR_SIZE: values[id] = (ir_value){.i64 = p->loop->shape.size[n->param]}; break;
        case IR_STORED: values[id] = stored(p, n, args[0]); break;
        case IR_LOAD: load(p, n, &values[id]); break;
        default:
            values[id] = ir_evaluate((ir_op)n->op, (ir_type)n->type,
                                     (ir_type)g->nodes[n->arg[n->op == IR_SELECT]].type, args);
        }
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_field(const part *p, const ir_store *s)
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
           fail(p->e, "a write to nowhere", p->run->loop);
}

/* Where the contributions to an element of a reduction begin. */
static int first_element(const ir_kernel *kernel, int param)
{
    int first = 0;
    for (int p = 0; p < param; p++)
        if (ir_param_is_reduction(&kernel->params[p])) first += kernel->params[p].count;
    return first;
}

static bool is_own(const part *p)
{
    for (int d = 0; d < 3; d++)
        if (p->point[d] < p->run->core.lo[d] || p->point[d] >= p->run->core.hi[d]) return false;
    return true;
}

static void contribute(const part *p, const ir_store *s)
{
    const grid_box *box = &p->loop->box;
    int64_t at = 0, points = grid_box_points(box);
    if (!is_own(p)) return;
    for (int d = 2; d >= 0; d--) at = at * (box->hi[d] - box->lo[d]) + p->point[d] - box->lo[d];
    int64_t element = first_element(p->loop->kernel, s->param) + s->component;
    p->e->contributions[p->run->loop][element * points + at] = p->e->nodes[s->value];
}

static bool run_point(const part *p)
{
    const ir_kernel *kernel = p->loop->kernel;
    int64_t sum = p->point[0] + p->point[1] + p->point[2];
    if (p->loop->colors > 1 &&
        (sum % p->loop->colors + p->loop->colors) % p->loop->colors != p->loop->color)
        return true;
    evaluate(p);
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

/* Room for the graph's values, and for contributions, which are neutral at first. */
static bool prepare(planned *e, int loop)
{
    const chain_loop *l = e->a->loops[loop].loop;
    const ir_kernel *kernel = l->kernel;
    void *nodes = e->nodes;
    if (!vector_reserve(&nodes, &e->node_room, kernel->graph.count, sizeof *e->nodes))
        return no_memory(e);
    e->nodes = nodes;
    if (!e->a->loops[loop].reduces || e->contributions[loop]) return true;
    size_t points = (size_t)grid_box_points(&l->box);
    size_t elements = (size_t)first_element(kernel, kernel->param_count);
    e->contributions[loop] = calloc(elements * points + 1, sizeof(ir_value));
    if (!e->contributions[loop]) return no_memory(e);
    for (int p = 0; p < kernel->param_count; p++) {
        if (!ir_param_is_reduction(&kernel->params[p])) continue;
        ir_value *first = e->contributions[loop] + (size_t)first_element(kernel, p) * points;
        for (size_t i = 0; i < (size_t)kernel->params[p].count * points; i++)
            first[i] = ir_reduction_start(&kernel->params[p]);
    }
    return true;
}

static bool run_part(void *data, const plan_walk *walk, const plan_run *run)
{
    part p = {.e = data, .walk = walk, .run = run};
    p.loop = p.e->a->loops[run->loop].loop;
    if (!prepare(p.e, run->loop)) return false;
    int order[3] = {2, 1, 0}; /* outermost first: levels that run in order */
    const ir_kernel *kernel = p.loop->kernel;
    bool down = kernel->direction == IR_BACKWARD;
    if (kernel->direction) {
        order[2 - kernel->ordered] = 2;
        order[0] = kernel->ordered;
    }
    int64_t at[3], count[3];
    for (int k = 0; k < 3; k++) count[k] = run->box.hi[order[k]] - run->box.lo[order[k]];
    for (at[0] = 0; at[0] < count[0]; at[0]++)
        for (at[1] = 0; at[1] < count[1]; at[1]++)
            for (at[2] = 0; at[2] < count[2]; at[2]++) {
                for (int k = 0; k < 3; k++)
                    p.point[order[k]] =
                        run->box.lo[order[k]] + (k == 0 && down ? count[0] - 1 - at[0] : at[k]);
                if (!run_point(&p)) return false;
            }
    return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool open_place(void *data, plan_place *place)
{
    planned *e = data;
    return oracle_cells_open(place, e->a->slots[place->slot]) || no_memory(e);
}

static bool close_place(void *data, plan_place *place)
{
    (void)data;
    oracle_cells_close(place);
    return true;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool reduce(planned *e, int loop, int p)
{
    const chain_loop *l = e->a->loops[loop].loop;
    const ir_param *param = &l->kernel->params[p];
    chain_slot *slot = l->bindings[p].slot;
    size_t points = (size_t)grid_box_points(&l->box);
    for (int i = 0; i < param->count; i++) {
        size_t element = (size_t)first_element(l->kernel, p) + (size_t)i;
        oracle_contributions all = {param, l->box, e->contributions[loop] + element * points};
        ir_value result = oracle_reduce(&all);
        if (param->accumulates) result = ir_reduce(param, store_scalar(slot, i), result);
        if (!store_scalar_set(slot, i, result)) return no_memory(e);
    }
    return true;
}

static bool finish(void *data, int loop)
{
    planned *e = data;
    const chain_loop *l = e->a->loops[loop].loop;
    if (!prepare(e, loop)) return false;
    if (l->once) {
        plan_run run = {.loop = loop, .box = l->box, .core = l->box};
        if (!run_part(e, NULL, &run)) return false;
    }
    for (int p = 0; p < l->kernel->param_count; p++)
        if (ir_param_is_reduction(&l->kernel->params[p]) && !reduce(e, loop, p)) return false;
    store_log(l);
    return true;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static bool copy_now(planned *e, const plan_copy *copy)
{
    int64_t to[3], from[3];
    ir_value element;
    const grid_box *b = &copy->box;
    const chain_slot *slot = e->a->slots[copy->slot];
    for (int c = 0; c < slot->components; c++)
        for (to[2] = b->lo[2]; to[2] < b->hi[2]; to[2]++)
            for (to[1] = b->lo[1]; to[1] < b->hi[1]; to[1]++)
                for (to[0] = b->lo[0]; to[0] < b->hi[0]; to[0]++) {
                    for (int d = 0; d < 3; d++) from[d] = to[d] + copy->shift[d];
                    if (!oracle_cells_get(copy->from, slot, c, from, &element) ||
                        !oracle_cells_put(copy->to, slot, c, to, element))
                        return fail(e, "a move of what is not there", -1);
                }
    return true;
}

static bool copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    (void)walk;
    planned *e = data;
    if (!copy->tag || !e->late) return copy_now(e, copy);
    void *pending = e->pending, *places = e->pending_places;
    size_t room = e->pending_room;
    if (!vector_reserve(&pending, &e->pending_room, e->pending_count + 1, sizeof *e->pending))
        return no_memory(e);
    e->pending = pending;
    if (!vector_reserve(&places, &room, e->pending_count + 1, sizeof *e->pending_places)) {
        e->pending_room = room;
        return no_memory(e);
    }
    e->pending_places = places;
    e->pending[e->pending_count] = *copy;
    e->pending_places[e->pending_count][0] = *copy->from;
    e->pending_places[e->pending_count++][1] = *copy->to;
    return true;
}

static bool wait_for(void *data, int tag)
{
    planned *e = data;
    size_t kept = 0;
    bool done = true;
    for (size_t i = 0; i < e->pending_count; i++) {
        plan_copy c = e->pending[i];
        if (c.tag != tag) {
            e->pending[kept] = c;
            memmove(e->pending_places[kept++], e->pending_places[i], sizeof *e->pending_places);
            continue;
        }
        c.from = &e->pending_places[i][0];
        c.to = &e->pending_places[i][1];
        done = done && copy_now(e, &c);
    }
    e->pending_count = kept;
    return done;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static kata_status run(planned *e, const oracle_plan_order *order)
{
    plan_visitor visitor = {.data = e,
                            .backwards = order->backwards,
                            .run = run_part,
                            .copy = copy,
                            .wait = wait_for,
                            .scalar = finish,
                            .open = open_place,
                            .close = close_place};
    plan_place *homes = calloc((size_t)e->a->slot_count + 1, sizeof *homes);
    e->contributions = calloc((size_t)e->a->loop_count + 1, sizeof *e->contributions);
    if (!homes || !e->contributions) no_memory(e);
    for (int l = 0; l < e->a->loop_count && e->status == KATA_OK; l++)
        e->status = store_make_arrays(e->a->loops[l].loop, e->m);
    if (e->status == KATA_OK && !plan_walk_all(e->p, e->a, homes, &visitor)) no_memory(e);
    for (int l = 0; e->contributions && l < e->a->loop_count; l++) free(e->contributions[l]);
    free(e->contributions);
    free(e->pending);
    free(e->pending_places);
    free(e->nodes);
    free(homes);
    return e->status;
}

kata_status oracle_run_plan(const plan *p, const analysis_chain *a, const oracle_plan_order *order,
                            messages *m)
{
    planned e = {.a = a, .p = p, .late = order->late, .m = m};
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    run(&e, order);
    fesetenv(&environment);
    return e.status;
}
