/* The rows of a skewed box: kernels with an order along x and other dimensions (see abi_arguments).
 *
 * Each point waits for the one before it in its row. So rows run side by side, as many as the pass
 * says: while one waits, the others compute. Step t of the box runs the points at position
 * t + at - k * skew of rows k = 0, 1, ..., in this order; positions are counted along the order
 * from the first of the points that run, there are `total`. Of the steps
 *   - from `enter` on, the first of these rows has points; until `begun`, some have none yet, or
 *     have not passed one;
 *   - up to `leave`, all have points, and each knows what its point before has written;
 *   - up to `last`, some have none any more. */
#include "codegen/emit.h"

/* ---- points ---------------------------------------------------------------------------------- */

/* "ix" of the position at step t of row w->beside. */
static void add_index(const codegen_writer *w, nest *in, const char *step)
{
    int before = w->beside > 0 ? w->beside * codegen_skew(w->loop->kernel) : 0;
    bool backward = w->loop->kernel->order[0] == IR_BACKWARD;
    nest_statement(in, "const int64_t ix = %s (%s + at - %d)",
                   backward ? "first + total - 1 -" : "first +", step, before);
}

static void add_target(text *out, const codegen_writer *w, const ir_store *s)
{
    codegen_label row = codegen_written_row_beside(w, s);
    text_add(out, "(%s)", row.is);
    codegen_element(out, w, s->param, s->offset[0], false, codegen_written_name(w, s).is);
}

static void add_call(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    text *line = &nest_add(in, NEST_STATEMENT)->head;
    codegen_point_name(line, w);
    text_add(line, "(ix");
    codegen_point_arguments(line, w);
    for (int i = 0; i < kernel->store_count; i++) {
        text_add(line, ", &");
        add_target(line, w, &kernel->stores[i]);
    }
    text_add(line, ")");
}

/* ---- what is carried ------------------------------------------------------------------------- */

/* Each component that is carried: `type` in front of its variable, or what the point at ix has
 * written behind it. */
static void add_carried(const codegen_writer *w, nest *in, bool declared)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_is_carried(kernel, a->param, a->component, a->offset)) continue;
        codegen_label name = codegen_carried_beside(w, a->param, a->component);
        if (declared) nest_statement(in, "%s %s", codegen_field_type(w, a->param).is, name.is);
        for (int s = 0; s < kernel->store_count && !declared; s++) {
            const ir_store *store = &kernel->stores[s];
            if (store->param != a->param || store->component != a->component) continue;
            text *line = &nest_format(in, NEST_STATEMENT, "%s = ", name.is)->head;
            add_target(line, w, store);
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Steps at which some of the rows may have no points. */
static void add_ends(const codegen_writer *w, nest *loop, int rows)
{
    codegen_writer row = *w;
    nest *in = loop;
    if (rows > 1) {
        row.beside = CODEGEN_ROW_K;
        in = nest_loop(loop, NEST_PLAIN, "int64_t k = 0; k < %d; k++", rows);
        in = nest_format(in, NEST_IF, "t + at - k * %d >= 0 && t + at - k * %d < total",
                         codegen_skew(w->loop->kernel), codegen_skew(w->loop->kernel));
    }
    add_index(&row, in,
              rows > 1 ? codegen_format("t - k * %d", codegen_skew(w->loop->kernel)).is : "t");
    add_call(&row, in);
}

/* Steps at which all rows have points, and have passed one. */
static void add_middle(const codegen_writer *w, nest *in, int rows)
{
    codegen_writer row = *w;
    row.carries = true;
    for (row.beside = 0; row.beside < rows; row.beside++) {
        if (row.beside > 0) codegen_beside_pointers(&row, in);
        add_carried(&row, in, true);
        nest *block = nest_add(in, NEST_BLOCK);
        add_index(&row, block, "begun - 1");
        add_carried(&row, block, false);
    }
    nest *loop = nest_loop(in, NEST_PLAIN, "int64_t t = begun; t < leave; t++");
    for (row.beside = 0; row.beside < rows; row.beside++) {
        nest *block = nest_add(loop, NEST_BLOCK);
        add_index(&row, block, "t");
        add_call(&row, block);
        add_carried(&row, block, false);
    }
}

/* So many rows, side by side. */
static void add_rows(const codegen_writer *w, nest *in, int rows)
{
    int behind = (rows - 1) * codegen_skew(w->loop->kernel);
    nest_statement(in, "const int64_t enter = at < 0 ? -at : 0");
    nest_statement(in, "const int64_t leave = total - at < width ? total - at : width");
    nest_statement(in, "const int64_t last = total - at + %d < width ? total - at + %d : width",
                   behind, behind);
    nest_statement(in, "const int64_t all = (at < %d ? %d - at : 0) + 1", behind, behind);
    nest_statement(in, "const int64_t begun = all < last ? all : last");
    add_ends(w, nest_loop(in, NEST_PLAIN, "int64_t t = enter; t < begun; t++"), rows);
    add_middle(w, nest_format(in, NEST_IF, "begun < leave"), rows);
    if (rows > 1)
        add_ends(w,
                 nest_loop(in, NEST_PLAIN,
                           "int64_t t = begun > leave ? begun : leave; "
                           "t < last; t++"),
                 rows);
    nest_statement(in, "row += %d", rows);
}

void codegen_skewed_rows(const codegen_writer *w, nest *in)
{
    const ir_direction *order = w->loop->kernel->order;
    nest_statement(in, "const int64_t first = arguments->ends[0], total = arguments->ends[1] - "
                       "first, width = hi[0] - lo[0]");
    nest_statement(in, "const int64_t before = %s",
                   order[0] == IR_BACKWARD ? "first + total - hi[0]" : "lo[0] - first");
    nest *loop = nest_loop(in, NEST_PLAIN, "int64_t row = 0; row < hi[1] - lo[1];");
    nest_statement(loop, "const int64_t iy = %s",
                   order[1] == IR_BACKWARD ? "hi[1] - 1 - row" : "lo[1] + row");
    nest_statement(loop, "const int64_t at = before - row * %d", codegen_skew(w->loop->kernel));
    codegen_row_pointers(w, loop);
    codegen_steps(w, loop, CODEGEN_ROW);
    if (w->interleaved > 1) {
        add_rows(w, nest_format(loop, NEST_IF, "hi[1] - lo[1] - row >= %d", w->interleaved),
                 w->interleaved);
        loop = nest_add(loop, NEST_ELSE);
    }
    add_rows(w, loop, 1);
}
