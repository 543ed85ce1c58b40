/* Reads outside the grid are covered by boundary rules.
 *
 * Dimensions are judged one by one, by the two extreme indices that are read: if no rule covers an
 * index, no rule covers an index farther out at the same side. (A reflection may carry a far index
 * past the opposite side of a thin grid, where there may be no rule; it carries a nearer index less
 * far.) */
#include "legality/checks.h"

#include <inttypes.h>
#include <stdio.h>

/* A read that leaves the grid. */
typedef struct outside_read {
    const chain_loop *loop;
    const ir_access *access;
    const grid_box *box; /* of the points at which it is needed */
    int dimension;
    bool high;
} outside_read;

static const grid_side_rule *rules_of(const outside_read *r)
{
    return &r->loop->bindings[r->access->param].boundary->side[2 * r->dimension];
}

/* The extreme point of the box, and the index that it reads. */
static int64_t point_of(const outside_read *r)
{
    return r->high ? r->box->hi[r->dimension] - 1 : r->box->lo[r->dimension];
}

static int64_t index_of(const outside_read *r)
{
    const ir_param *param = &r->loop->kernel->params[r->access->param];
    return ir_param_index(param, r->dimension, point_of(r)) + r->access->offset[r->dimension];
}

static const chain_binding *binding_of(const outside_read *r)
{
    return &r->loop->bindings[r->access->param];
}

/* The indices of the field along the dimension that need no rule: lo <= i < hi. */
static int64_t inside_of(const outside_read *r, bool hi)
{
    grid_box inside = chain_binding_inside(binding_of(r));
    return hi ? inside.hi[r->dimension] : inside.lo[r->dimension];
}

static bool is_outside(const outside_read *r)
{
    if (grid_box_is_empty(r->box)) return false;
    return r->high ? index_of(r) >= inside_of(r, true) : index_of(r) < inside_of(r, false);
}

static bool is_half_periodic(const outside_read *r)
{
    const grid_side_rule *side = rules_of(r);
    return (side[0].rule == KATA_PERIODIC) != (side[1].rule == KATA_PERIODIC);
}

static bool is_covered(const outside_read *r)
{
    grid_source source;
    if (!is_outside(r)) return true;
    grid_axis axis = chain_slot_axis(binding_of(r)->slot, r->dimension);
    return !is_half_periodic(r) &&
           grid_boundary_map(binding_of(r)->boundary, r->dimension, &axis, index_of(r), &source);
}

/* ---- what to do instead ---------------------------------------------------------------------- */

grid_box legality_covered(const chain_loop *loop, const grid_box *needs)
{
    grid_box box = loop->box;
    for (int i = 0; i < loop->kernel->access_count; i++)
        for (int side = 0; side < 6; side++) {
            int d = side / 2;
            outside_read r = {loop, &loop->kernel->accesses[i], &needs[i], d, side % 2};
            if (is_covered(&r)) continue;
            const ir_param *param = &loop->kernel->params[r.access->param];
            int64_t lo = ir_param_point(param, d, inside_of(&r, false) - r.access->offset[d]);
            int64_t hi = ir_param_point(param, d, inside_of(&r, true) - r.access->offset[d]);
            if (r.high && hi < box.hi[d]) box.hi[d] = hi;
            if (!r.high && lo > box.lo[d]) box.lo[d] = lo;
        }
    return box;
}

/* The n of the kata_inner(g, n) that is this box; -1: there is none. */
static int64_t inner_depth(const grid_shape *shape, const grid_box *box)
{
    int64_t depth = box->lo[0];
    for (int d = 0; d < shape->rank; d++)
        if (box->lo[d] != depth || shape->size[d] - box->hi[d] != depth) return -1;
    return depth;
}

/* The largest box of points that the kernel can be applied to: "kata_inner(g, 1)" or
 * "kata_box_2d(g, 0, 8, 0, 5)". Nothing when no point is left. */
static void print_smaller_range(text *out, const chain_loop *loop, const grid_box *needs)
{
    grid_box box = legality_covered(loop, needs);
    int64_t depth = inner_depth(&loop->shape, &box);
    box = legality_shown(loop, &box);
    if (grid_box_is_empty(&box)) return;
    if (depth == 0) {
        text_add(out, "kata_all(g)");
    } else if (depth > 0) {
        text_add(out, "kata_inner(g, %" PRId64 ")", depth);
    } else {
        text_add(out, "kata_box_%dd(g", loop->shape.rank);
        for (int d = 0; d < loop->shape.rank; d++)
            text_add(out, ", %" PRId64 ", %" PRId64, box.lo[d], box.hi[d]);
        text_add(out, ")");
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

static void begin(const outside_read *r, messages *m)
{
    const ir_kernel *kernel = r->loop->kernel;
    char offset[LEGALITY_NAME];
    legality_print_offset(offset, r->loop, r->access);
    message_begin_at(m, KATA_ERROR_APPLICATION, kernel->text, r->access->at,
                     "'%s' is read at %s, outside the grid", kernel->params[r->access->param].name,
                     offset);
    legality_say_where(r->loop, m);
}

/* "point [0, 4] reads [-1, 4] of field 'u'" */
static void print_resolved_box(text *out, const outside_read *r)
{
    const grid_box *box = r->box;
    int rank = r->loop->shape.rank;
    text_add(out, "point [");
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) text_add(out, "] reads [");
        for (int shown = 0; shown < rank; shown++) {
            const int d = legality_axis(r->loop, shown);
            const ir_param *param = &r->loop->kernel->params[r->access->param];
            int64_t index = d == r->dimension ? point_of(r) : box->lo[d];
            if (pass == 1) index = ir_param_index(param, d, index) + r->access->offset[d];
            text_add(out, "%s%" PRId64, shown == 0 ? "" : ", ", index);
        }
    }
    text_add(out, "] of field '%s'", r->loop->bindings[r->access->param].name);
}

static kata_status refuse_half_periodic(const outside_read *r, messages *m)
{
    const grid_side_rule *side = rules_of(r);
    int low = 2 * r->dimension;
    begin(r, m);
    message_line(m, "field '%s' is %s at %s but %s at %s", r->loop->bindings[r->access->param].name,
                 grid_rule_name(side[0].rule), legality_side(r->loop, low),
                 grid_rule_name(side[1].rule), legality_side(r->loop, low + 1));
    message_line(m, "make both sides of a dimension periodic, or neither");
    return message_send(m);
}

/* The side whose rule is missing, needs more points or has too few weights: the first side met, or
 * the opposite side if a reflection leads there. */
static int failing_side(const outside_read *r)
{
    const grid_side_rule *side = rules_of(r);
    kata_rule first = side[r->high].rule;
    int64_t size = binding_of(r)->slot->shape.size[r->dimension];
    bool fails = first == KATA_NONE || first == KATA_LINEAR || grid_rule_lacks_points(first, size);
    return 2 * r->dimension + (fails ? r->high : !r->high);
}

static bool sums_too_many(const outside_read *r, int failing)
{
    const grid_boundary *b = binding_of(r)->boundary;
    return b->side[failing].rule == KATA_LINEAR &&
           b->weights[failing]->count > binding_of(r)->slot->shape.size[r->dimension];
}

static void say_linear(const outside_read *r, int failing, messages *m)
{
    const grid_weights *weights = binding_of(r)->boundary->weights[failing];
    int64_t size = binding_of(r)->slot->shape.size[r->dimension];
    if (sums_too_many(r, failing))
        message_line(m, "KATA_LINEAR at %s sums %d points, and '%s' has %" PRId64 " along %c",
                     legality_side(r->loop, failing), weights->count, binding_of(r)->name, size,
                     legality_letter(r->loop, r->dimension));
    else
        message_line(m, "KATA_LINEAR at %s has weights for %d point%s outside",
                     legality_side(r->loop, failing), weights->depth,
                     weights->depth > 1 ? "s" : "");
}

static void say_why(const outside_read *r, int failing, messages *m)
{
    const grid_side_rule *side = rules_of(r);
    int first = 2 * r->dimension + r->high;
    kata_rule rule = side[failing % 2].rule;
    text line = {0};
    print_resolved_box(&line, r);
    if (failing != first)
        text_add(&line, ", which %s at %s takes past %s", grid_rule_name(side[r->high].rule),
                 legality_side(r->loop, first), legality_side(r->loop, failing));
    message_line(m, "%s", text_get(&line));
    int64_t ghosts = chain_slot_axis(binding_of(r)->slot, r->dimension).ghosts;
    if (rule == KATA_NONE && ghosts)
        message_line(m, "'%s' has no boundary rule at %s, and %" PRId64 " ghost%s there",
                     binding_of(r)->name, legality_side(r->loop, failing), ghosts,
                     ghosts > 1 ? "s" : "");
    else if (rule == KATA_NONE)
        message_line(m, "'%s' has no boundary rule at %s", binding_of(r)->name,
                     legality_side(r->loop, failing));
    else if (rule == KATA_LINEAR)
        say_linear(r, failing, m);
    else
        message_line(m, "%s at %s needs two points along %c", grid_rule_name(rule),
                     legality_side(r->loop, failing), legality_letter(r->loop, r->dimension));
    text_free(&line);
}

/* Of a field without ghosts there, which a rule would hide. */
static bool has_no_rule(const outside_read *r)
{
    const grid_side_rule *side = binding_of(r)->boundary->side;
    bool none = !chain_slot_axis(binding_of(r)->slot, r->dimension).ghosts;
    for (int s = 0; s < 2 * r->loop->shape.rank; s++) none = none && side[s].rule == KATA_NONE;
    return none;
}

static void advise(const outside_read *r, int failing, text *advice)
{
    kata_rule rule = rules_of(r)[failing % 2].rule;
    const char *field = r->loop->bindings[r->access->param].name,
               *side = legality_side(r->loop, failing);
    if (rule == KATA_NONE && has_no_rule(r))
        text_add(advice, "give '%s' a rule for all sides, as .boundary = KATA_CLAMP", field);
    else if (rule == KATA_NONE)
        text_add(advice, "give '%s' a boundary rule at %s", field, side);
    else if (rule != KATA_LINEAR)
        text_add(advice, "give '%s' a rule about the face at %s", field, side);
    else if (sums_too_many(r, failing))
        text_add(advice, "give '%s' a rule of fewer points at %s", field, side);
    else
        text_add(advice, "give '%s' weights of a larger depth at %s", field, side);
}

static kata_status refuse(const outside_read *r, const grid_box *needs, messages *m)
{
    if (is_half_periodic(r)) return refuse_half_periodic(r, m);
    int failing = failing_side(r);
    text range = {0};
    print_smaller_range(&range, r->loop, needs);
    begin(r, m);
    say_why(r, failing, m);
    text advice = {0};
    advise(r, failing, &advice);
    if (range.length > 0) text_add(&advice, ", or apply the kernel to %s", text_get(&range));
    message_line(m, "%s", text_get(&advice));
    text_free(&range);
    text_free(&advice);
    return message_send(m);
}

/* The first read that leaves the grid where no rule covers it. `needs` NULL: from all points. */
static bool find_uncovered(const chain_loop *loop, const grid_box *needs, outside_read *out)
{
    for (int i = 0; i < loop->kernel->access_count; i++)
        for (int side = 0; side < 6; side++) {
            const grid_box *need = needs ? &needs[i] : &loop->box;
            *out = (outside_read){loop, &loop->kernel->accesses[i], need, side / 2, side % 2};
            if (!is_covered(out)) return true;
        }
    return false;
}

/* First treats each read as needed everywhere, which is mostly enough; then uses guards. */
kata_status legality_check_reads(const chain_loop *loop, messages *m)
{
    arena memory = {0};
    outside_read r;
    kata_status status = KATA_OK;
    if (grid_box_is_empty(&loop->box) || !find_uncovered(loop, NULL, &r)) return KATA_OK;
    const grid_box *needs = analysis_needs(loop, &memory);
    if (!needs)
        status = message_no_memory(m);
    else if (find_uncovered(loop, needs, &r))
        status = refuse(&r, needs, m);
    arena_free(&memory);
    return status;
}
