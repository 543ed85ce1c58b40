/* Checks of the points of a row: a pass over it before anything of it is written; and the search
 * for the first point at which one fails, which ends the function. */
#include "codegen/bin_checks.h"

/* The first point at which a check fails ends the function. */
void codegen_failure(const codegen_writer *w, nest *in)
{
    nest *points = codegen_begin_points(w, in, NEST_PLAIN);
    nest_statement(points, "KATA_NOT_IN_VECTORS");
    codegen_steps(w, points, CODEGEN_POINT);
    nest *fails = nest_format(points, NEST_IF, "!");
    codegen_operand(&fails->head, w, w->loop->kernel->valid);
    nest_statement(fails, "*arguments->failure = (abi_failure){1, {ix, iy, iz}}");
    nest_statement(fails, "return");
}

void codegen_checks(const codegen_writer *w, nest *in)
{
    nest_statement(in, "int32_t failing = 0");
    nest *points = codegen_begin_points(w, in, NEST_VECTOR_ANY);
    codegen_steps(w, points, CODEGEN_POINT);
    codegen_operand(&nest_format(points, NEST_STATEMENT, "failing |= !")->head, w,
                    w->loop->kernel->valid);
    codegen_failure(w, nest_format(in, NEST_IF, "failing"));
}
