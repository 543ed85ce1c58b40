/* The kernels of loops with reductions on devices. A row of threads takes a brick: each thread has
 * the lanes of its vector, which it combines round by round, from low x to high. The lanes of the
 * row are then combined by their tree, in memory that the group shares.
 *
 * No thread returns in front of the barriers, even where all would: PoCL 3.1 then loses what
 * threads keep in registers. */
#include "codegen/thread.h"

static const ir_param *param_of(const codegen_writer *w, int i)
{
    return &w->loop->kernel->params[w->loop->kernel->stores[i].param];
}

/* a combined with b. */
static void add_combined(text *line, const codegen_writer *w, int i, const char *a, const char *b)
{
    const ir_param *param = param_of(w, i);
    ir_op op = ir_reduction_op(param);
    if (op == IR_ADD && ir_type_is_floating(param->type))
        text_add(line, "%s + %s", a, b);
    else
        text_add(line, "kata_%s_%s(%s, %s)", ir_ops[op].name, codegen_short_type(param->type), a,
                 b);
}

static void begin_lanes(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!codegen_reduces_at(w->loop, i)) continue;
        const ir_param *param = param_of(w, i);
        const char *type = ir_types[param->type].c_name;
        nest_statement(in, "%s%s lanes_%d[%d][%d]", w->dialect->local, type, i,
                       w->shape->threads[1], ABI_LANES);
        nest_statement(in, "%s lane_%d[%d]", type, i, w->shape->vector);
        for (int k = 0; k < w->shape->vector; k++) {
            text *line = &nest_format(in, NEST_STATEMENT, "lane_%d[%d] = ", i, k)->head;
            codegen_constant(line, w->dialect, param->type, ir_reduction_start(param));
        }
    }
}

/* "new_1[2]", or "new_1" of a thread that has one point. */
static codegen_label result(const codegen_writer *w, int i, int k)
{
    return w->shape->rows ? codegen_format("new_%d[%d]", i, k) : codegen_format("new_%d", i);
}

/* Combines the lanes of a thread with what its points give; those outside of the box give nothing.
 */
static void add_to_lanes(const codegen_writer *w, nest *in)
{
    for (int k = 0; k < w->shape->vector; k++) {
        nest *inside = in;
        if (w->shape->rows)
            inside = nest_format(
                in, NEST_IF, "at + %d >= given.launch.lo[0] && at + %d < given.launch.hi[0]", k, k);
        for (int i = 0; i < w->loop->kernel->store_count; i++) {
            if (!codegen_reduces_at(w->loop, i)) continue;
            codegen_label lane = codegen_format("lane_%d[%d]", i, k);
            text *line = &nest_format(inside, NEST_STATEMENT, "%s = ", lane.is)->head;
            add_combined(line, w, i, lane.is, result(w, i, k).is);
        }
    }
}

/* The tree over the lanes of each row of threads: lane l with lane l + 16, l + 8, .., l + 1. */
static void combine_lanes(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const int threads = w->shape->threads[0];
    nest_statement(in, "const int thread = (int)KATA_THREAD(0), row = (int)KATA_THREAD(1)");
    for (int i = 0; i < kernel->store_count; i++)
        for (int k = 0; k < w->shape->vector && codegen_reduces_at(w->loop, i); k++)
            nest_statement(in, "lanes_%d[row][thread * %d + %d] = lane_%d[%d]", i, w->shape->vector,
                           k, i, k);
    nest_statement(in, "%s", w->dialect->barrier);
    nest *tree = nest_loop(in, NEST_PLAIN, "int count = %d; count > 0; count /= 2", ABI_LANES / 2);
    nest *low = nest_loop(tree, NEST_PLAIN, "int l = thread; l < count; l += %d", threads);
    for (int i = 0; i < kernel->store_count; i++) {
        if (!codegen_reduces_at(w->loop, i)) continue;
        codegen_label lane = codegen_format("lanes_%d[row][l]", i);
        text *line = &nest_format(low, NEST_STATEMENT, "%s = ", lane.is)->head;
        add_combined(line, w, i, lane.is, codegen_format("lanes_%d[row][l + count]", i).is);
    }
    nest_statement(tree, "%s", w->dialect->barrier);
}

static void write_partials(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest *first = nest_format(in, NEST_IF, "thread == 0 && iy < given.launch.hi[1]");
    nest_statement(first, "const int64_t brick = given.launch.partials + "
                          "((iz - given.launch.lo[2]) * given.launch.bricks[1] + iy - "
                          "given.launch.lo[1]) * given.launch.bricks[0] + KATA_GROUP(0)");
    for (int i = 0; i < kernel->store_count; i++) {
        if (!codegen_reduces_at(w->loop, i)) continue;
        codegen_label name = codegen_lanes_name(w, &kernel->stores[i]);
        nest_statement(first, "%s[brick].i64 = 0", name.is);
        nest_statement(first, "%s[brick].%s = lanes_%d[row][0]", name.is,
                       codegen_member(param_of(w, i)->type), i);
    }
}

/* The loop over the rounds of a brick that have points of the box, some at a time. */
static nest *begin_rounds(const codegen_writer *w, nest *in, int some)
{
    const char *name = w->shape->rows ? "first" : "ix";
    nest_statement(in,
                   "const ABI_STEP brick = (ABI_STEP)(given.launch.bricks[2] + "
                   "(int64_t)KATA_GROUP(0)) * %d",
                   ABI_BRICK);
    nest_statement(in, "const ABI_STEP low = (ABI_STEP)given.launch.lo[0] & ~%d",
                   some * ABI_LANES - 1);
    nest_statement(in,
                   "const ABI_STEP high = brick + %d < given.launch.hi[0] ? brick + %d : "
                   "(ABI_STEP)given.launch.hi[0]",
                   ABI_BRICK, ABI_BRICK);
    nest_statement(in,
                   "const ABI_STEP begin = (brick > low ? brick : low) + "
                   "(ABI_STEP)KATA_THREAD(0) * %d",
                   w->shape->vector);
    return nest_loop(in, some > 1 ? NEST_PLAIN : NEST_SOME,
                     "ABI_STEP %s = begin; %s < high; %s += %d", name, name, name,
                     some * ABI_LANES);
}

/* Points one by one. */
static void add_single_rounds(const codegen_writer *w, nest *in)
{
    nest *round = begin_rounds(w, in, 1);
    nest_statement(nest_format(round, NEST_IF, "ix < given.launch.lo[0]"), "continue");
    codegen_skip_colors(w, round, "continue");
    codegen_thread_points(w, round);
    add_to_lanes(w, round);
}

/* Vectors: the rows of some rounds are read before the first of these is computed, so that enough
 * is on its way from memory. */
static void add_vector_rounds(const codegen_writer *w, nest *in)
{
    enum { SOME = 2 };
    codegen_writer round = *w;
    nest *rounds = begin_rounds(w, in, SOME);
    round.ahead = true;
    nest_statement(rounds, "ABI_STEP at = first");
    for (round.round = 0; round.round < SOME; round.round++)
        codegen_read_vectors(&round, rounds, false);
    for (round.round = 0; round.round < SOME; round.round++) {
        nest *points = nest_add(rounds, NEST_BLOCK);
        codegen_thread_points(&round, points);
        add_to_lanes(&round, points);
        nest_statement(points, "at += %d", ABI_LANES);
    }
}

void codegen_brick_kernel(const codegen_writer *w, nest *kernel)
{
    codegen_thread_index(w, kernel, 1, "iy");
    codegen_thread_index(w, kernel, 2, "iz");
    begin_lanes(w, kernel);
    nest *in = nest_format(kernel, NEST_IF, "iy < given.launch.hi[1]");
    if (w->loop->kernel->check_count) text_add(&in->head, " && !(%s)", codegen_thread_failed().is);
    codegen_thread_head(w, in);
    codegen_thread_row(w, in);
    if (w->shape->rows)
        add_vector_rounds(w, in);
    else
        add_single_rounds(w, in);
    combine_lanes(w, kernel);
    write_partials(w, kernel);
}
