/* Kernels on devices: a thread runs a point, or some that follow one another (codegen_shape). Of a
 * loop with levels in order it runs a column, of a loop with reductions a lane of a brick: every
 * 32nd point of 512. */
#include "codegen/halves.h"

#include <stdlib.h>

static bool is_reduced(const codegen_loop *loop, int store)
{
    return ir_param_is_reduction(&loop->kernel->params[loop->kernel->stores[store].param]);
}

bool codegen_device_reduces(const codegen_loop *loop) { return codegen_reduces(loop); }

/* Whether checks depend on values that the loop writes: then those of a level cannot be checked
 * before the levels in front of it have run. */
static bool checks_written(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_graph *g = &kernel->graph;
    bool written = !loop->apart || kernel->loop_count;
    bool *needed = calloc(g->count + 1, sizeof *needed);
    if (!needed) return true;
    needed[kernel->valid] = true;
    for (ir_id id = (ir_id)g->count; id-- > 1;) {
        const ir_node *n = &g->nodes[id];
        if (!needed[id]) continue;
        written = written || (n->op == IR_LOAD && ir_param_is_written_field(&kernel->params[n->param]));
        for (int k = 0; k < ir_ops[n->op].operands; k++) needed[n->arg[k]] = true;
    }
    free(needed);
    return written;
}

const char *codegen_device_refuses(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    if (ir_orders_several(kernel)) return "its levels run in order along several dimensions";
    if (kernel->check_count && kernel->direction && checks_written(loop))
        return "it checks what its levels write";
    if (kernel->addition_count)
        return "it adds to elements of sums that are known at run time only";
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (ir_param_is_column_reduction(param)) return "it reduces into a field";
        if (ir_param_is_reduction(param) && kernel->direction)
            return "it has a reduction, and its levels run in order";
    }
    return NULL;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

int64_t codegen_group_points(const codegen_shape *shape, int dimension)
{
    int64_t points = shape->threads[dimension];
    if (dimension == 0) points *= shape->vector;
    return dimension == shape->along ? points * shape->chunk : points;
}

/* The most points of a thread's vector: 16 bytes of the widest field, if all rows begin where
 * memory is aligned. */
static int find_vector(const codegen_loop *loop)
{
    enum { BYTES = 16, MOST = 4 };
    const ir_kernel *kernel = loop->kernel;
    int widest = BYTES / MOST;
    bool may = !kernel->direction && !loop->colored && !codegen_reduces(loop);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (!ir_param_is_field(param) || param->absent_axis[0]) continue;
        if (ir_storages[loop->storage[p]].bytes > widest)
            widest = ir_storages[loop->storage[p]].bytes;
        may = may && param->finer[0] <= 1 && param->coarser[0] <= 1;
    }
    return may ? BYTES / widest : 1;
}

/* Whether points read what other points write, or the point itself a second time. */
static bool reads_written(const codegen_loop *loop)
{
    bool reads = !loop->apart;
    for (int i = 0; i < loop->kernel->store_count; i++)
        reads = reads || codegen_is_read(loop->kernel, loop->kernel->stores[i].param);
    return reads;
}

/* Whether two accesses read a component at different indices along a dimension. */
static bool are_shared(const ir_access *a, const ir_access *b, int d)
{
    return a->param == b->param && a->component == b->component && a->offset[d] != b->offset[d];
}

/* The dimension along which points share most of what they read; 0: none. */
static int find_shared(const ir_kernel *kernel)
{
    int pairs[3] = {0, 0, 0};
    for (int i = 0; i < kernel->access_count; i++)
        for (int j = 0; j < i; j++)
            for (int d = 1; d < 3; d++)
                pairs[d] += are_shared(&kernel->accesses[i], &kernel->accesses[j], d);
    return !pairs[1] && !pairs[2] ? 0 : pairs[2] >= pairs[1] ? 2 : 1;
}

void codegen_change_vector(const codegen_loop *loop, codegen_shape *shape, int vector)
{
    int most = find_vector(loop);
    shape->vector = vector < most ? vector : most;
    if (shape->vector == 1) shape->chunk = 1;
}

void codegen_change_chunk(const codegen_loop *loop, codegen_shape *shape, int chunk, int along)
{
    bool may = shape->vector > 1 && !loop->kernel->direction && !reads_written(loop);
    shape->along = along ? along : find_shared(loop->kernel);
    shape->chunk = may && shape->along ? chunk : 1;
}

codegen_shape codegen_choose_shape(const codegen_loop *loop, bool wide)
{
    enum { CHUNK = 4, MOST_NODES = 320, MOST_VECTOR_NODES = 640, ROWS = 4 };
    const ir_kernel *kernel = loop->kernel;
    codegen_shape shape = {{ABI_LANES, CODEGEN_MOST_ROWS, 1}, 1, 1, 0, wide, false};
    for (int d = 0; d < 3; d++)
        if (kernel->order[d] != IR_UNORDERED) shape.threads[d] = 1;
    int vector = find_vector(loop), nodes = (int)kernel->graph.count;
    if (nodes <= MOST_VECTOR_NODES) codegen_change_vector(loop, &shape, vector);
    if (nodes * vector <= MOST_NODES) codegen_change_chunk(loop, &shape, CHUNK, 0);
    if (shape.vector > 1) shape.threads[1] = ROWS;
    return shape;
}

/* ---- what the kernel is given ---------------------------------------------------------------- */

static int field_count(const ir_kernel *kernel)
{
    int count = 0;
    for (int p = 0; p < kernel->param_count; p++) count += ir_param_is_field(&kernel->params[p]);
    return count;
}

static void add_given(const codegen_writer *w, nest *file, const char *name)
{
    const ir_kernel *kernel = w->loop->kernel;
    int fields = field_count(kernel), numbers = codegen_number_index(kernel, kernel->param_count);
    text *line =
        &nest_format(file, NEST_STATEMENT, "typedef struct %s_given { abi_launch launch;", name)
             ->head;
    if (fields) text_add(line, " abi_place place[%d];", fields);
    if (kernel->direction) text_add(line, " abi_levels levels[%d];", kernel->param_count);
    if (numbers) text_add(line, " abi_value numbers[%d];", numbers);
    text_add(line, " } %s_given", name);
}

static nest *begin_kernel(const codegen_writer *w, nest *file, const char *name)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest *function =
        w->shape->far
            ? nest_format(file, NEST_FUNCTION, "%s%s(%sconst %s_given *given_memory",
                          w->dialect->function, name, w->dialect->global, name)
            : nest_format(file, NEST_FUNCTION, "%s%s(const %s_given given", w->dialect->function,
                          name, name);
    text *head = &function->head;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            text_add(head, ", %s *%s %s_all", codegen_field_type(w, p).is,
                     w->loop->apart ? w->dialect->restricted : "",
                     codegen_param_name(kernel, p).is);
    for (int i = 0; i < kernel->store_count; i++)
        if (is_reduced(w->loop, i))
            text_add(head, ", %sabi_value *%s", w->dialect->global,
                     codegen_lanes_name(w, &kernel->stores[i]).is);
    text_add(head, kernel->check_count ? ", %sint32_t *failing)" : ")", w->dialect->global);
    if (kernel->check_count)
        nest_statement(nest_format(function, NEST_IF,
                                   "given.launch.checks == %d && failing[given.launch.flag]",
                                   ABI_WRITE),
                       "return");
    return function;
}

/* "{p0_u_all + given.place[0].at + 2 * given.place[0].component, ...}" */
static void add_view(text *line, const codegen_writer *w, int param, int field, int component)
{
    text_add(line, "{(%svoid *)(%s_all + given.place[%d].at", w->dialect->global,
             codegen_param_name(w->loop->kernel, param).is, field);
    if (component) text_add(line, " + %d * given.place[%d].component", component, field);
    text_add(line, "), given.place[%d].y, given.place[%d].z, 1}", field, field);
}

static void add_views(const codegen_writer *w, nest *in)
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

static void add_numbers(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    const char *of = w->shape->far ? w->dialect->global : "";
    if (kernel->direction) nest_statement(in, "%sconst abi_levels *const levels = given.levels", of);
    if (codegen_reads_tables(w))
        nest_statement(in, "%sconst abi_value *const numbers = given.numbers", of);
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_NUMBER || !codegen_needs_number(w, id)) continue;
        nest_statement(in, "const %s %s = given.numbers[%d].%s", codegen_type(w, node->type),
                       codegen_number_name(kernel, node).is,
                       codegen_number_index(kernel, node->param) + node->element,
                       codegen_member((ir_type)node->type));
    }
    for (int type = IR_I32; type <= IR_F64; type++)
        if (codegen_needs_zero(kernel, (ir_type)type))
            nest_statement(in, "const %s zero_%s = (%s)given.launch.zero",
                           codegen_type(w, (ir_type)type), codegen_short_type((ir_type)type),
                           codegen_type(w, (ir_type)type));
}

static void add_head(const codegen_writer *w, nest *in)
{
    nest_statement(in, "const int64_t nx = given.launch.size[0], ny = given.launch.size[1], "
                       "nz = given.launch.size[2]");
    add_views(w, in);
    add_numbers(w, in);
    codegen_steps(w, in, CODEGEN_ONCE);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* What the point gives each result, before any of them is written. */
static void add_results(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    codegen_writer point = *w;
    point.collects = true;
    bool vectors = w->shape->vector > 1;
    for (int i = 0; i < kernel->store_count; i++)
        codegen_store(&point, in, i,
                      vectors ? codegen_format("new_%d[%d]", i, w->lane).is
                              : codegen_format("const %s new_%d", codegen_held_type(w, i), i).is);
}

static void write_results(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        if (is_reduced(w->loop, i)) continue;
        text *line = &nest_add(in, NEST_STATEMENT)->head;
        codegen_target(line, w, &kernel->stores[i]);
        text_add(line, " = new_%d", i);
    }
}

/* Sets the flag if a point of the box fails. */
static void add_checks(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (!kernel->check_count) return;
    nest *fails = nest_format(in, NEST_IF, "given.launch.checks != %d && !", ABI_WRITE);
    codegen_operand(&fails->head, w, kernel->valid);
    if (w->shape->vector > 1)
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

static void add_row(const codegen_writer *w, nest *in)
{
    codegen_steps(w, in, CODEGEN_PLANE);
    codegen_row_pointers(w, in);
    codegen_steps(w, in, CODEGEN_ROW);
}

static void add_point(const codegen_writer *w, nest *in)
{
    add_row(w, in);
    codegen_steps(w, in, CODEGEN_POINT);
    add_checks(w, in);
    add_results(w, in);
    write_results(w, begin_writes(w, in));
}

/* The points of a thread's vector, each in a block of its own. */
static void add_vector(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    add_row(w, in);
    codegen_read_vectors(w, in, false);
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

/* The first index along a dimension that a thread has: "const ABI_STEP iy = ...". */
static void add_index(const codegen_writer *w, nest *in, int d, const char *name)
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

/* Threads outside of the box have no point. */
static void leave_outside(nest *in, int d, const char *name, int points)
{
    nest_statement(nest_format(in, NEST_IF,
                               "%s + %d <= given.launch.lo[%d] || %s >= given.launch.hi[%d]", name,
                               points, d, name, d),
                   "return");
}

/* A remainder is 0 whatever sign it is given. */
static void skip_other_colors(const codegen_writer *w, nest *in, const char *skip)
{
    static const char other[] =
        "((int64_t)ix + iy + iz - given.launch.color) %% given.launch.colors != 0";
    if (w->loop->colored) nest_statement(nest_format(in, NEST_IF, other), "%s", skip);
}

static void add_these(const codegen_writer *w, nest *in)
{
    if (w->shape->vector > 1)
        add_vector(w, in);
    else
        add_point(w, in);
}

/* The levels of a column, in their order. */
static void add_levels(const codegen_writer *w, nest *in)
{
    int d = w->loop->kernel->ordered;
    bool forward = w->loop->kernel->direction == IR_FORWARD;
    char i = "xyz"[d];
    const char *head =
        forward ? "ABI_STEP i%c = given.launch.lo[%d]; i%c < given.launch.hi[%d]; i%c++"
                : "ABI_STEP i%c = given.launch.hi[%d] - 1; i%c >= given.launch.lo[%d]; i%c--";
    nest *level = nest_loop(in, NEST_PLAIN, head, i, d, i, d, i);
    skip_other_colors(w, level, "continue");
    add_these(w, level);
}

/* The points of a chunk. Where all of them are there, what several of them read is read once. */
static void add_chunk(const codegen_writer *w, nest *in)
{
    int d = w->shape->along;
    char i = "xyz"[d];
    nest *whole =
        nest_format(in, NEST_IF, "first_%c + %d <= given.launch.hi[%d]", i, w->shape->chunk, d);
    codegen_writer of_chunk = *w;
    of_chunk.whole = true;
    codegen_first_rows(&of_chunk, whole);
    codegen_read_vectors(&of_chunk, whole, true);
    for (int k = 0; k < w->shape->chunk; k++) {
        nest *point = nest_add(whole, NEST_BLOCK);
        of_chunk.round = k;
        nest_statement(point, "const ABI_STEP i%c = first_%c + %d", i, i, k);
        add_these(&of_chunk, point);
    }
    nest *each =
        nest_loop(nest_add(in, NEST_ELSE), NEST_PLAIN,
                  "ABI_STEP i%c = first_%c; i%c < given.launch.hi[%d]; i%c++", i, i, i, d, i);
    add_these(w, each);
}

static void add_points(const codegen_writer *w, nest *function)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int d = 0; d < 3; d++) {
        if (kernel->direction && d == kernel->ordered) continue;
        bool chunk = w->shape->chunk > 1 && d == w->shape->along;
        bool vector = w->shape->vector > 1 && d == 0;
        codegen_label name = codegen_format(chunk ? "first_%c" : vector ? "at" : "i%c", "xyz"[d]);
        add_index(w, function, d, name.is);
        leave_outside(function, d, name.is, vector ? w->shape->vector : 1);
    }
    if (!kernel->direction) skip_other_colors(w, function, "return");
    add_head(w, function);
    if (kernel->direction)
        add_levels(w, function);
    else if (w->shape->chunk > 1)
        add_chunk(w, function);
    else
        add_these(w, function);
}

/* ---- bricks ---------------------------------------------------------------------------------- */

static const ir_param *reduced_param(const codegen_writer *w, int i)
{
    return &w->loop->kernel->params[w->loop->kernel->stores[i].param];
}

/* a combined with b. */
static void add_combined(text *line, const codegen_writer *w, int i, const char *a, const char *b)
{
    const ir_param *param = reduced_param(w, i);
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
        if (!is_reduced(w->loop, i)) continue;
        const ir_param *param = reduced_param(w, i);
        const char *type = ir_types[param->type].c_name;
        nest_statement(in, "%s%s lanes_%d[%d][%d]", w->dialect->local, type, i, CODEGEN_MOST_ROWS,
                       ABI_LANES);
        text *line = &nest_format(in, NEST_STATEMENT, "%s lane_%d = ", type, i)->head;
        codegen_constant(line, w->dialect, param->type, ir_reduction_start(param));
    }
}

static void add_to_lanes(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->store_count; i++) {
        if (!is_reduced(w->loop, i)) continue;
        text *line = &nest_format(in, NEST_STATEMENT, "lane_%d = ", i)->head;
        add_combined(line, w, i, codegen_format("lane_%d", i).is, codegen_format("new_%d", i).is);
    }
}

/* The tree over the lanes of each row of threads: lane l with lane l + 16, l + 8, .., l + 1. */
static void end_lanes(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest_statement(in, "const int lane = (int)KATA_THREAD(0), row = (int)KATA_THREAD(1)");
    for (int i = 0; i < kernel->store_count; i++)
        if (is_reduced(w->loop, i)) nest_statement(in, "lanes_%d[row][lane] = lane_%d", i, i);
    nest_statement(in, "%s", w->dialect->barrier);
    nest *tree =
        nest_loop(in, NEST_PLAIN, "int half_of = %d; half_of > 0; half_of /= 2", ABI_LANES / 2);
    nest *low = nest_format(tree, NEST_IF, "lane < half_of");
    for (int i = 0; i < kernel->store_count; i++) {
        if (!is_reduced(w->loop, i)) continue;
        text *line = &nest_format(low, NEST_STATEMENT, "lanes_%d[row][lane] = ", i)->head;
        add_combined(line, w, i, codegen_format("lanes_%d[row][lane]", i).is,
                     codegen_format("lanes_%d[row][lane + half_of]", i).is);
    }
    nest_statement(tree, "%s", w->dialect->barrier);
    nest *first = nest_format(in, NEST_IF, "lane == 0 && iy < given.launch.hi[1]");
    nest_statement(first,
                   "const int64_t brick = ((iz - given.launch.lo[2]) * given.launch.bricks[1] "
                   "+ iy - given.launch.lo[1]) * given.launch.bricks[0] + KATA_GROUP(0)");
    for (int i = 0; i < kernel->store_count; i++) {
        if (!is_reduced(w->loop, i)) continue;
        codegen_label name = codegen_lanes_name(w, &kernel->stores[i]);
        nest_statement(first, "%s[brick].i64 = 0", name.is);
        nest_statement(first, "%s[brick].%s = lanes_%d[row][0]", name.is,
                       codegen_member(reduced_param(w, i)->type), i);
    }
}

/* The points of a lane in a brick, which follow one another. */
static void add_lane(const codegen_writer *w, nest *in, bool whole)
{
    nest *points = nest_loop(in, NEST_SOME, "ABI_STEP ix = begin; ix < begin + %d; ix += %d",
                             ABI_BRICK, ABI_LANES);
    if (!whole)
        nest_statement(
            nest_format(points, NEST_IF, "ix < given.launch.lo[0] || ix >= given.launch.hi[0]"),
            "continue");
    skip_other_colors(w, points, "continue");
    codegen_steps(w, points, CODEGEN_POINT);
    add_checks(w, points);
    add_results(w, points);
    write_results(w, begin_writes(w, points));
    add_to_lanes(w, points);
}

static void add_bricks(const codegen_writer *w, nest *function)
{
    add_index(w, function, 1, "iy");
    add_index(w, function, 2, "iz");
    begin_lanes(w, function);
    nest *in = nest_format(function, NEST_IF, "iy < given.launch.hi[1]");
    add_head(w, in);
    add_row(w, in);
    nest_statement(in,
                   "const ABI_STEP start = (ABI_STEP)(given.launch.bricks[2] + "
                   "(int64_t)KATA_GROUP(0)) * %d, begin = start + (ABI_STEP)KATA_THREAD(0)",
                   ABI_BRICK);
    add_lane(w,
             nest_format(in, NEST_IF,
                         "start >= given.launch.lo[0] && start + %d <= given.launch.hi[0]",
                         ABI_BRICK),
             true);
    add_lane(w, nest_add(in, NEST_ELSE), false);
    end_lanes(w, function);
}

/* ---- the whole ------------------------------------------------------------------------------- */

void codegen_device_function(text *out, const codegen_loop *loop, const codegen_shape *shape,
                             const codegen_dialect *dialect)
{
    char name[64];
    codegen_step *steps = codegen_schedule(loop->kernel);
    codegen_writer w = {.loop = loop, .dialect = dialect, .steps = steps, .shape = shape};
    bool decided = steps && codegen_look_up(&w);
    nest *file = decided ? nest_new() : NULL;
    if (decided) w.wanted = w.lookups->used;
    codegen_name(loop, name);
    if (file) {
        codegen_lookup_tables(&w, file);
        add_given(&w, file, name);
        nest *kernel = begin_kernel(&w, file, name);
        if (codegen_reduces(loop))
            add_bricks(&w, kernel);
        else
            add_points(&w, kernel);
        if (shape->far) text_add(out, "\n#define given (*given_memory)\n");
        nest_print(out, file, dialect, true);
    } else {
        out->failed = true;
    }
    nest_free(file);
    codegen_lookups_free(w.lookups);
    free(steps);
}
