/* Additions to bins: a pass over a row, behind its checks, which have found every index inside, and
 * in front of what is written to it. Points that are computed but do not count are left out. Where
 * points follow one another in memory, several are written out, each with its copy of the bins. */
#include "codegen/emit.h"

enum { AT_ONCE = 8 };

static codegen_label bins_name(const codegen_writer *w, int param)
{
    return codegen_format("%s_bins", codegen_param_name(w->loop->kernel, param).is);
}

static void declare_bins(const codegen_writer *w, nest *in)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        if (!ir_has_bins(kernel, p)) continue;
        const char *type = ir_types[kernel->params[p].type].c_name;
        nest_statement(in, "%s *%s %s = (%s *)view[%d].origin", type, w->dialect->restricted,
                       bins_name(w, p).is, type, codegen_view_index(kernel, p));
    }
}

static bool has_copies(const ir_param *param) { return param->count <= ABI_COPIED_BINS; }

/* "p1_h_bins[index + copy]" */
static void add_bin(text *out, const codegen_writer *w, const ir_addition *a, const char *copy)
{
    const ir_param *param = &w->loop->kernel->params[a->param];
    text_add(out, "%s[", bins_name(w, a->param).is);
    codegen_operand(out, w, a->index);
    if (copy && has_copies(param))
        text_add(out, " + (%s %% %d) * %d", copy, ABI_BIN_COPIES, param->count);
    text_add(out, "]");
}

static void add_points(const codegen_writer *w, nest *in, const char *copy)
{
    const ir_kernel *kernel = w->loop->kernel;
    codegen_steps(w, in, CODEGEN_POINT);
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        nest *where = in;
        if (a->condition) {
            where = nest_format(in, NEST_IF, "%s", "");
            codegen_operand(&where->head, w, a->condition);
        }
        text *line = &nest_add(where, NEST_STATEMENT)->head;
        add_bin(line, w, a, copy);
        text_add(line, " = kata_add_%s(", codegen_short_type(kernel->params[a->param].type));
        add_bin(line, w, a, copy);
        text_add(line, ", ");
        codegen_operand(line, w, a->value);
        text_add(line, ")");
    }
}

/* Points of a colour, or of rows stored in blocks, one by one. */
static void add_apart(const codegen_writer *w, nest *in)
{
    nest *points = codegen_begin_points(w, in, NEST_PLAIN);
    add_points(w, nest_format(points, NEST_IF, "ix >= counted->lo[0] && ix < counted->hi[0]"),
               NULL);
}

static void add_at_once(const codegen_writer *w, nest *in)
{
    nest_statement(in, "const int64_t first = lo[0] > counted->lo[0] ? lo[0] : counted->lo[0]");
    nest_statement(in, "const int64_t end = hi[0] < counted->hi[0] ? hi[0] : counted->hi[0]");
    nest_statement(in, "int64_t at = first");
    nest *several = nest_loop(in, NEST_PLAIN, "; at + %d <= end; at += %d", AT_ONCE, AT_ONCE);
    nest *of = nest_loop(several, NEST_PLAIN, "int point = 0; point < %d; point++", AT_ONCE);
    nest_statement(of, "const int64_t ix = at + point");
    add_points(w, of, "point");
    add_points(w, nest_loop(in, NEST_PLAIN, "int64_t ix = at; ix < end; ix++"), NULL);
}

void codegen_additions(const codegen_writer *w, nest *in)
{
    in = nest_add(in, NEST_BLOCK);
    nest_statement(in, "const abi_box *const counted = &arguments->counted");
    declare_bins(w, in);
    in = nest_format(in, NEST_IF,
                     "iy >= counted->lo[1] && iy < counted->hi[1] && iz >= counted->lo[2] && "
                     "iz < counted->hi[2]");
    if (w->loop->colored || w->blocks)
        add_apart(w, in);
    else
        add_at_once(w, in);
}
