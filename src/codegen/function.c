/* The function of a loop: numbers at its head, loops over z, y and x, in each what cannot be
 * computed further out. Names: pINDEX_... for parameters, vID for nodes. What happens at a point is
 * a function of its own (point.c), called from the loops over x (row.c). */
#include "codegen/beside.h"
#include "codegen/colored.h"
#include "codegen/strides.h"

/* ---- head ------------------------------------------------------------------------------------ */

/* "kernel heat(in double u as f64, number double c)" as a comment. */
static void add_title(const codegen_writer *w, nest *file)
{
    const ir_kernel *kernel = w->loop->kernel;
    text *line = &nest_format(file, NEST_COMMENT, "kernel %s", codegen_word(kernel->name).is)->head;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        text_add(line, "%s%s %s %s", p ? ", " : "(", ir_param_mode(param),
                 ir_types[param->type].name, codegen_word(param->name).is);
        if (param->count > 1) text_add(line, "[%d]", param->count);
        ir_print_ratio(line, kernel, param);
        char along[4];
        ir_param_along(param, along);
        if (ir_param_lacks_dimensions(param)) text_add(line, " along %s", along);
        if (ir_param_is_field(param))
            text_add(line, " as %s", ir_storages[w->loop->storage[p]].name);
    }
    text_add(line, ")");
}

/* "const int64_t lo[3] = {box->lo[0], box->lo[1], box->lo[2]}": a copy of a corner of the box. */
static void add_corner(nest *in, const char *corner)
{
    nest_statement(in, "const int64_t %s[3] = {box->%s[0], box->%s[1], box->%s[2]}", corner, corner,
                   corner, corner);
}

static void add_views(const codegen_writer *w, nest *in)
{
    int count = codegen_view_index(w->loop->kernel, w->loop->kernel->param_count);
    text *line = &nest_format(in, NEST_STATEMENT, "const abi_view view[%d] = {", count)->head;
    for (int i = 0; i < count; i++) text_add(line, "%sarguments->views[%d]", i ? ", " : "", i);
    text_add(line, "}");
}

/* The box and the views, read once or where they are needed. */
static void add_box(const codegen_writer *w, nest *in)
{
    if (w->copies) {
        add_corner(in, "lo");
        add_corner(in, "hi");
        add_views(w, in);
    } else {
        nest_statement(in, "const int64_t *const lo = box->lo, *const hi = box->hi");
        nest_statement(in, "const abi_view *%s view = arguments->views", w->dialect->restricted);
    }
}

/* A function that is given a box and arguments; that of the loops, if they are written twice, also
 * the flags. */
static nest *add_function(const codegen_writer *w, nest *file, bool loops)
{
    char name[64];
    codegen_name(w->loop, name);
    codegen_position(w, file, w->loop->kernel->at);
    return nest_format(file, NEST_FUNCTION,
                       "%svoid %s%s(const abi_box *%s box, const abi_arguments *%s arguments%s)",
                       loops ? w->dialect->inlined : w->dialect->function, name,
                       loops ? "_loops" : "", w->dialect->restricted, w->dialect->restricted,
                       loops ? ", const int flags" : "");
}

/* Lanes of a vector. Points of a colour that are added up have much beside them: two registers.
 * Points that are added to rows compute little: a step of the loop takes a whole line. */
static const char *vector_of(const codegen_writer *w)
{
    if (w->whole_lines || w->planes) return "KATA_LINE";
    return w->loop->colored && codegen_combines_points(w) ? "KATA_PAIR" : "KATA_VECTOR";
}

static nest *begin_function(const codegen_writer *w, nest *file)
{
    nest *function = add_function(w, file, w->twice);
    add_box(w, function);
    nest_statement(function, "const int64_t *const size = arguments->size");
    nest_statement(function, "const int64_t nx = size[0], ny = size[1], nz = size[2]");
    if (!w->twice) nest_statement(function, "const int flags = arguments->flags");
    if (w->line) nest_statement(function, "enum { lanes = %s(%d) }", vector_of(w), w->line);
    if (w->loop->colored) codegen_color_numbers(w, function);
    if (w->loop->kernel->direction)
        nest_statement(function, "const abi_levels *const levels = arguments->levels");
    return function;
}

static void add_numbers(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    if (codegen_reads_tables(w))
        nest_statement(in, "const abi_value *const numbers = arguments->numbers");
    for (ir_id id = 1; id < kernel->graph.count; id++) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_NUMBER || !codegen_needs_number(w, id)) continue;
        nest_statement(in, "const %s %s = arguments->numbers[%d].%s", codegen_type(w, node->type),
                       codegen_number_name(kernel, node).is,
                       codegen_number_index(kernel, node->param) + node->element,
                       codegen_member((ir_type)node->type));
    }
}

/* Zeros that the compiler does not know: it may confuse 0 and -0. */
static void add_zeros(const codegen_writer *w, nest *in)
{
    for (int type = IR_I32; type <= IR_F64; type++) {
        const char *name = codegen_short_type((ir_type)type);
        if (!codegen_needs_zero(w->loop->kernel, (ir_type)type)) continue;
        nest_statement(in, "%s zero_%s = 0", codegen_type(w, (ir_type)type), name);
        nest_statement(in, "KATA_UNKNOWN(zero_%s)", name);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The functions of points: alone, combined at once, and with reused values. */
static void add_points(const codegen_writer *w, nest *file, const bool *wanted)
{
    codegen_writer point = *w;
    point.wanted = wanted + w->loop->kernel->graph.count;
    codegen_point(&point, file);
    if (w->whole) {
        codegen_writer other = w->collects ? codegen_at_once(&point) : codegen_collecting(&point);
        codegen_point(&other, file);
    }
    if (w->halves) {
        codegen_writer widened = point;
        widened.widened = true;
        codegen_point(&widened, file);
    }
    if (w->shifts) {
        codegen_writer shifted = point;
        shifted.shifted = true;
        codegen_point(&shifted, file);
    }
    if (w->add_clear) {
        codegen_writer clear = point;
        clear.clear = true;
        codegen_point(&clear, file);
    }
    if (w->interleaved) {
        codegen_writer carrying = point;
        carrying.carries = true;
        codegen_point(&carrying, file);
    }
    if (!w->add_functions) return;
    w->add_functions(w, file);
    point.wanted = wanted + 2 * w->loop->kernel->graph.count;
    point.group = w->reuse->group_count + 1;
    point.widened = w->halves;
    codegen_point(&point, file);
}

/* The loop over planes, or over the one that pairs leave. */
static nest *begin_planes(const codegen_writer *w, nest *in)
{
    if (w->pair != 2) return codegen_begin_loop(w, in, 2);
    w->add_pairs(w, in);
    return nest_loop(in, NEST_PLAIN, "int64_t iz = unpaired; iz < hi[2]; iz++");
}

static void call_twice(const codegen_writer *w, nest *file)
{
    char name[64];
    nest *function = add_function(w, file, false);
    codegen_name(w->loop, name);
    nest_statement(function,
                   "const int flags = arguments->flags, slow = ABI_PREFETCH | ABI_STREAM");
    nest *in_cache = nest_format(function, NEST_IF, "!(flags & slow)");
    nest_statement(in_cache, "%s_loops(box, arguments, flags & ~slow)", name);
    nest_statement(in_cache, "return");
    nest_statement(function, "%s_loops(box, arguments, flags%s)", name,
                   w->loop->colored ? " | ABI_PREFETCH" : ""); /* colours are not streamed */
}

/* The loop over the rows of a plane, or over the one that pairs leave, with pointers to them. */
static nest *begin_rows(const codegen_writer *w, nest *plane)
{
    codegen_writer part = *w;
    bool back = w->loop->kernel->order[1] == IR_BACKWARD;
    const char *first = back ? "hi[1] - 1" : "lo[1]";
    if (w->pair == 1) w->add_pairs(w, plane);
    nest_statement(plane, "int64_t iy = %s", w->pair == 1 ? "unpaired" : first);
    part.rows = CODEGEN_ROWS_WALKED;
    codegen_row_pointers(&part, plane);
    nest *row = nest_loop(plane, NEST_PLAIN, "; %s; iy%s", back ? "iy >= lo[1]" : "iy < hi[1]",
                          back ? "--" : "++");
    codegen_row_steps(w, &row->head);
    part.rows = CODEGEN_ROWS_OTHERS;
    codegen_row_pointers(&part, row);
    return row;
}

static void add_rows(const codegen_writer *w, nest *plane, const bool *wanted)
{
    nest *row = begin_rows(w, plane);
    codegen_steps(w, row, CODEGEN_ROW);
    codegen_row(w, row, wanted);
}

/* Rows of some planes in turn, before those of the next y. */
static void add_planes(const codegen_writer *w, nest *in, const bool *wanted)
{
    nest *group =
        nest_loop(in, NEST_PLAIN, "int64_t group = lo[2]; group < hi[2]; group += %d", w->planes);
    nest_statement(group, "const int64_t end = group + %d < hi[2] ? group + %d : hi[2]", w->planes,
                   w->planes);
    nest *plane = nest_loop(codegen_begin_loop(w, group, 1), NEST_PLAIN,
                            "int64_t iz = group; iz < end; iz++");
    codegen_steps(w, plane, CODEGEN_PLANE);
    codegen_row_pointers(w, plane);
    codegen_steps(w, plane, CODEGEN_ROW);
    codegen_row(w, plane, wanted);
}

/* Planes, and their rows. */
static void add_loops(const codegen_writer *w, nest *in, const bool *wanted)
{
    if (w->planes) {
        add_planes(w, in, wanted);
        return;
    }
    nest *plane = begin_planes(w, in);
    codegen_steps(w, plane, CODEGEN_PLANE);
    if (w->interleaved)
        codegen_skewed_rows(w, plane);
    else
        add_rows(w, plane, wanted);
}

void codegen_function(codegen_writer *w, nest *file, const bool *wanted)
{
    add_title(w, file);
    codegen_lookup_tables(w, file);
    add_points(w, file, wanted);
    nest *function = begin_function(w, file);
    add_numbers(w, function);
    add_zeros(w, function);
    codegen_strides(w, function);
    codegen_begin_contributions(w, function);
    codegen_steps(w, function, CODEGEN_ONCE);
    add_loops(w, function, wanted);
    codegen_end_contributions(w, function);
    if (w->streams)
        nest_statement(nest_format(function, NEST_IF, "flags & ABI_STREAM"), "%s",
                       w->dialect->barrier);
    if (w->twice) call_twice(w, file);
}
