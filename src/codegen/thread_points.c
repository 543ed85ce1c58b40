/* What a thread of a device does at its points. */
#include "codegen/thread.h"

/* ---- numbers and fields ---------------------------------------------------------------------- */

/* "{p0_u_all + given.place[0].at + 2 * given.place[0].component, ...}" */
static void add_view(text *line, const codegen_writer *w, int param, int field, int component)
{
    text_add(line, "{(%svoid *)(%s_all + given.place[%d].at", w->dialect->global,
             codegen_param_name(w->loop->kernel, param).is, field);
    if (component) text_add(line, " + %d * given.place[%d].component", component, field);
    text_add(line, "), given.place[%d].y, given.place[%d].z, 1}", field, field);
}

void codegen_thread_views(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    int count = codegen_view_index(kernel, kernel->param_count), field = 0, view = 0;
    text *line = &nest_format(in, NEST_STATEMENT, "const abi_view view[%d] = {", count + 1)->head;
    for (int p = 0; p < kernel->param_count; p++) {
        int next = codegen_view_index(kernel, p + 1), components = kernel->params[p].count;
        if (!ir_param_is_field(&kernel->params[p])) {
            for (; view < next; view++) text_add(line, "{0, 0, 0, 0}, ");
            continue;
        }
        for (int i = 0; view < next; view++, i++) {
            add_view(line, w, p, field, i % components);
            text_add(line, ", ");
        }
        field++;
    }
    text_add(line, "{0, 0, 0, 0}}");
}

void codegen_thread_numbers(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const char *of = w->shape->far ? w->dialect->global : "";
    const int first = w->step * codegen_number_index(kernel, kernel->param_count);
    if (kernel->direction)
        nest_statement(in, "%sconst abi_levels *const levels = given.levels", of);
    if (codegen_reads_tables(w))
        nest_statement(in, "%sconst abi_value *const numbers = given.numbers", of);
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_NUMBER || !codegen_needs_number(w, id)) continue;
        nest_statement(in, "const %s %s = given.numbers[%d].%s", codegen_type(w, node->type),
                       codegen_number_name(kernel, node).is,
                       first + codegen_number_index(kernel, node->param) + node->element,
                       codegen_member((ir_type)node->type));
    }
    for (int type = IR_I32; type <= IR_F64; type++)
        if (codegen_needs_zero(kernel, (ir_type)type))
            nest_statement(in, "const %s zero_%s = (%s)given.launch.zero",
                           codegen_type(w, (ir_type)type), codegen_short_type((ir_type)type),
                           codegen_type(w, (ir_type)type));
}

void codegen_thread_head(const codegen_writer *w, nest *in)
{
    nest_statement(in, "const int64_t nx = given.launch.size[0], ny = given.launch.size[1], "
                       "nz = given.launch.size[2]");
    codegen_thread_views(w, in);
    codegen_thread_numbers(w, in);
    codegen_steps(w, in, CODEGEN_ONCE);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* What the point contributes to a reduction. */
static void add_contribution(const codegen_writer *w, nest *in, int i)
{
    const ir_store *s = &w->loop->kernel->stores[i];
    const ir_param *param = &w->loop->kernel->params[s->param];
    text *line =
        &nest_format(in, NEST_STATEMENT, "const %s new_%d = ", ir_types[param->type].c_name, i)
             ->head;
    if (s->condition) codegen_operand(line, w, s->condition);
    text_add(line, s->condition ? " ? " : "");
    codegen_operand(line, w, s->value);
    text_add(line, s->condition ? " : " : "");
    if (s->condition) codegen_constant(line, w->dialect, param->type, ir_reduction_start(param));
}

static bool collects_at(const codegen_writer *w, int store)
{
    return codegen_reduces_at(w->loop, store) && codegen_device_collects(w->loop->kernel);
}

/* What the point gives each result, before any of them is written. */
static void add_results(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    codegen_writer point = *w;
    point.collects = true;
    bool vectors = w->shape->rows;
    for (int i = 0; i < kernel->store_count; i++) {
        if (collects_at(w, i)) {
            add_contribution(w, in, i);
            continue;
        }
        codegen_store(&point, in, i,
                      vectors ? codegen_format("new_%d[%d]", i, w->lane).is
                              : codegen_format("const %s new_%d", codegen_held_type(w, i), i).is);
    }
}

static void write_results(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (collects_at(w, i))
            nest_statement(
                in,
                "%s[((int64_t)iz * given.launch.bricks[1] + iy) * given.launch.bricks[0] "
                "+ ix - given.launch.bricks[2]].%s = new_%d",
                codegen_lanes_name(w, s).is, codegen_member(kernel->params[s->param].type), i);
        if (codegen_reduces_at(w->loop, i)) continue;
        text *line = &nest_add(in, NEST_STATEMENT)->head;
        codegen_target(line, w, &kernel->stores[i]);
        text_add(line, " = new_%d", i);
    }
}

codegen_label codegen_thread_failed(void)
{
    return codegen_format("given.launch.checks == %d && failing[given.launch.flag]", ABI_WRITE);
}

/* Sets the flag if a point of the box fails. */
static void add_checks(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (!kernel->check_count) return;
    nest *fails = nest_format(in, NEST_IF, "given.launch.checks != %d && !", ABI_WRITE);
    codegen_operand(&fails->head, w, kernel->valid);
    if (w->shape->rows)
        text_add(&fails->head, " && ix >= given.launch.lo[0] && ix < given.launch.hi[0]");
    nest_statement(fails, "failing[given.launch.flag] = 1");
}

/* In kernels with checks, what is written is written unless points are only checked. */
static nest *begin_writes(const codegen_writer *w, nest *in)
{
    return w->loop->kernel->check_count
               ? nest_format(in, NEST_IF, "given.launch.checks != %d", ABI_CHECK)
               : in;
}

void codegen_thread_row(const codegen_writer *w, nest *in)
{
    codegen_steps(w, in, CODEGEN_PLANE);
    codegen_row_pointers(w, in);
    codegen_steps(w, in, CODEGEN_ROW);
}

static void add_point(const codegen_writer *w, nest *in)
{
    codegen_steps(w, in, CODEGEN_POINT);
    add_checks(w, in);
    add_results(w, in);
    write_results(w, begin_writes(w, in));
}

/* The points of a thread's vector, each in a block of its own. */
static void add_vector(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (!w->ahead) codegen_read_vectors(w, in, false);
    for (int i = 0; i < kernel->store_count; i++)
        nest_statement(in, "%s new_%d[%d]", codegen_held_type(w, i), i, w->shape->vector);
    for (int lane = 0; lane < w->shape->vector; lane++) {
        codegen_writer point = *w;
        point.lane = lane;
        nest *block = nest_add(in, NEST_BLOCK);
        nest_statement(block, "const ABI_STEP ix = at + %d", lane);
        codegen_steps(&point, block, CODEGEN_POINT);
        add_checks(&point, block);
        add_results(&point, block);
    }
    codegen_write_vectors(w, begin_writes(w, in));
}

void codegen_thread_index(const codegen_writer *w, nest *in, int d, const char *name)
{
    text *line = &nest_format(in, NEST_STATEMENT,
                              "const ABI_STEP %s = (ABI_STEP)(given.launch.first[%d] + "
                              "((int64_t)KATA_GROUP(%d) * KATA_THREADS(%d) + KATA_THREAD(%d))",
                              name, d, d, d, d)
                      ->head;
    int points = d == 0 ? w->shape->vector : 1;
    if (d == w->shape->along) points *= w->shape->chunk;
    text_add(line, points > 1 ? " * %d)" : ")", points);
}

/* A remainder is 0 whatever sign it is given. */
void codegen_skip_colors(const codegen_writer *w, nest *in, const char *skip)
{
    static const char other[] =
        "((int64_t)ix + iy + iz - given.launch.color) %% given.launch.colors != 0";
    if (w->loop->colored) nest_statement(nest_format(in, NEST_IF, other), "%s", skip);
}

void codegen_thread_points(const codegen_writer *w, nest *in)
{
    if (w->shape->rows)
        add_vector(w, in);
    else
        add_point(w, in);
}
