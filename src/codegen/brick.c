/* Bricks of reductions. The lanes of a brick are variables of the function, which compilers keep in
 * registers while vectors follow one another: they begin as what their view holds and go back to it
 * or, of whole bricks, begin neutral and end as one number. */
#include "codegen/codegen.h"

bool codegen_reduces(const codegen_loop *loop)
{
    for (int i = 0; i < loop->kernel->store_count; i++)
        if (codegen_has_lanes(loop, loop->kernel->stores[i].param)) return true;
    return false;
}

text codegen_lanes_name(const codegen_writer *w, const ir_store *s)
{
    text name = {0};
    codegen_component_name(&name, w->loop->kernel, s->param, s->component);
    text_add(&name, "_lanes");
    if (name.failed) w->out->failed = true;
    return name;
}

typedef void add_lanes(const codegen_writer *w, const ir_param *param, const char *lanes,
                       const char *row);

static void begin_lanes(const codegen_writer *w, const ir_param *param, const char *lanes,
                        const char *row)
{
    text_add(w->out,
             "            %s %s[%d] KATA_ALIGNED;\n"
             "            if (flags & ABI_WHOLE_BRICKS)\n"
             "                for (int l = 0; l < %d; l++) %s[l] = ",
             ir_types[param->type].c_name, lanes, ABI_LANES, ABI_LANES, lanes);
    codegen_constant(w->out, param->type, ir_reduction_start(param));
    text_add(w->out,
             ";\n"
             "            else\n"
             "                for (int l = 0; l < %d; l++) %s[l] = %s[brick * %d + l];\n",
             ABI_LANES, lanes, row, ABI_LANES);
}

static void end_lanes(const codegen_writer *w, const ir_param *param, const char *lanes,
                      const char *row)
{
    const char *type = codegen_short_type(param->type);
    text_add(w->out,
             "            if (flags & ABI_WHOLE_BRICKS) {\n"
             "                abi_value all = {.i64 = 0};\n"
             "                all.%s = kata_%s_lanes_%s(%s);\n"
             "                ((abi_value *)%s)[brick] = all;\n"
             "            } else\n"
             "                for (int l = 0; l < %d; l++) %s[brick * %d + l] = %s[l];\n",
             type, ir_ops[ir_reduction_op(param)].name, type, lanes, row, ABI_LANES, row, ABI_LANES,
             lanes);
}

static void add_all(const codegen_writer *w, add_lanes *add)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (!codegen_has_lanes(w->loop, s->param)) continue;
        text lanes = codegen_lanes_name(w, s), row = codegen_written_name(w, s);
        add(w, &kernel->params[s->param], text_get(&lanes), text_get(&row));
        text_free(&lanes);
        text_free(&row);
    }
}

void codegen_begin_bricks(const codegen_writer *w)
{
    text_add(w->out, "            const int64_t row_points = hi[0] - lo[0];\n"
                     "            for (int64_t begin = lo[0], end; begin < hi[0]; begin = end) {\n"
                     "            end = kata_brick_end(begin, hi[0]);\n"
                     "            const int64_t brick = begin >> ABI_BRICK_SHIFT, lo[] = {begin}, "
                     "hi[] = {end};\n");
    add_all(w, begin_lanes);
}

void codegen_end_bricks(const codegen_writer *w)
{
    add_all(w, end_lanes);
    text_add(w->out, "            }\n");
}
