/* Elements of fields at indices that are known only at run time along one dimension. They are found
 * from the field's first element, not from a row of the point. An index outside is moved to the
 * nearest inside: the point fails, or it is on a path that the point does not take. */
#include "codegen/emit.h"

/* The index along a dimension. Without an offset the points of the range are inside the grid. */
static void add_index(text *out, const codegen_writer *w, const ir_node *node, int d)
{
    const char i = "xyz"[d];
    int32_t offset = node->offset[d];
    if (w->loop->kernel->params[node->param].absent_axis[d]) {
        text_add(out, "0");
    } else if (d == node->value.i32) {
        text_add(out, "kata_between(0, ");
        codegen_operand(out, w, node->arg[0]);
        text_add(out, ", n%c - 1)", i);
    } else if (offset) {
        text_add(out, "kata_between(0, i%c + (%d), n%c - 1)", i, (int)offset, i);
    } else {
        text_add(out, "i%c", i);
    }
}

/* Where an element lies in its row. */
static void add_in_row(text *out, const codegen_writer *w, const ir_node *node, int view)
{
    int count = w->loop->kernel->params[node->param].count;
    text index = {0};
    add_index(&index, w, node, 0);
    const char *i = text_get(&index);
    if (index.failed) out->failed = true;
    switch (codegen_rows_of(w->loop, node->param)) {
    case CODEGEN_CONTIGUOUS: text_add(out, "%s", i); break;
    case CODEGEN_TOGETHER: text_add(out, "(%s) * %d", i, count); break;
    case CODEGEN_BLOCKED:
        text_add(out, "((%s) >> %d) * %d + ((%s) & %d)", i, ABI_BLOCK_SHIFT, count * ABI_BLOCK, i,
                 ABI_BLOCK - 1);
        break;
    case CODEGEN_STRIDED: text_add(out, "(%s) * view[%d].x", i, view); break;
    }
    text_free(&index);
}

void codegen_level_element(text *out, const codegen_writer *w, const ir_node *node)
{
    kata_type storage = w->loop->storage[node->param];
    int view = codegen_level_index(w->loop->kernel, node->param) + node->element;
    text_add(out, "%s((const %s *)view[%d].origin)[", codegen_load_open(node->type, storage).is,
             codegen_field_type(w, node->param).is, view);
    for (int d = 2; d > 0; d--) {
        text_add(out, "(");
        add_index(out, w, node, d);
        text_add(out, ") * view[%d].%c + ", view, "xyz"[d]);
    }
    add_in_row(out, w, node, view);
    text_add(out, "]%s", codegen_load_close(node->type, storage));
}
