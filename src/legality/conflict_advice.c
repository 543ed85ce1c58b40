/* What to do where points meet: advice at the end of a message about a conflict. */
#include "legality/checks.h"

#include "ir/ir.h"

/* ---- in a kernel with an order --------------------------------------------------------------- */

/* Where levels run in order along several dimensions. */
static void say_levels(const ir_kernel *kernel, const char *order, messages *m)
{
    text ordered = {0};
    ir_print_ordered(&ordered, kernel);
    message_line(m,
                 "the kernel has an order along %s, and points beside one another are independent: "
                 "name all dimensions of the read in the order, as in '%s', or write to a second "
                 "field",
                 text_get(&ordered), order);
    text_free(&ordered);
}

void legality_advise_level(const chain_loop *loop, const ir_access *access, messages *m)
{
    char z = legality_letter(loop, loop->kernel->ordered);
    const ir_param *param = &loop->kernel->params[access->param];
    if (param->absent_axis[loop->kernel->ordered]) {
        message_line(m, "'%s' has one value for all levels along %c: read it without an offset",
                     param->name, z);
        return;
    }
    text order = {0};
    ir_print_order_with(&order, loop->kernel, access->offset);
    if (ir_orders_several(loop->kernel))
        say_levels(loop->kernel, text_get(&order), m);
    else if (access->offset[loop->kernel->ordered])
        message_line(m,
                     "a boundary rule along %c takes the read back to its own level: guard it, or "
                     "give '%s' another rule",
                     z, loop->bindings[access->param].name);
    else
        message_line(m,
                     "the points of a level run in any order: read other levels along %c, name all "
                     "dimensions of the read in the order, as in '%s', or write to a second field",
                     z, text_get(&order));
    text_free(&order);
}

/* ---- in a kernel without --------------------------------------------------------------------- */

void legality_advise_in_place(const chain_loop *loop, int param, messages *m)
{
    text order = {0};
    int colors = ir_in_place_colors(loop->kernel);
    message_line(m, "write to a second field and exchange the two with kata_swap");
    if (ir_print_order_in_place(&order, loop->kernel, param))
        message_line(m,
                     "or let the points run one after the other, and read new values: write '%s' "
                     "behind the parameters",
                     text_get(&order));
    if (colors)
        message_line(m,
                     "or apply it to the points of one colour, then to those of the next: "
                     "kata_color(range, %d, 0) and so on",
                     colors);
    text_free(&order);
}
