/* Components of a field that are chosen by an index known at run time. The graph chooses by
 * bisection, from reads of all of them; compiled code reads the one from memory. */
#include "ir/ir.h"

#include <string.h>

/* Without an order no point finds what another has written, and rows are where views say. */
bool ir_may_choose_component(const ir_kernel *kernel, const ir_node *read)
{
    const ir_param *param = &kernel->params[read->param];
    return read->op == IR_LOAD && param->kind == IR_PARAM_IN && !kernel->direction &&
           !ir_param_has_ratio(param) && !ir_param_lacks_dimensions(param);
}

bool ir_reads_beside_each_other(const ir_node *a, const ir_node *b)
{
    return a->op == IR_LOAD && b->op == IR_LOAD && a->param == b->param && a->type == b->type &&
           memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}
