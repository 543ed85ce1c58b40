/* Where a kernel is applied, and offsets, as messages say it. */
#include "legality/checks.h"

#include <inttypes.h>
#include <stdio.h>

static void print_points(text *out, const chain_loop *loop)
{
    int rank = loop->shape.rank;
    grid_box box = loop->box;
    grid_shape shape = loop->shape;
    for (int d = 0; d < 3 && loop->kernel->of_mesh; d++) { /* as its text counts dimensions */
        box.lo[d] = loop->box.lo[loop->kernel->axis[d]];
        box.hi[d] = loop->box.hi[loop->kernel->axis[d]];
        shape.size[d] = loop->shape.size[loop->kernel->axis[d]];
    }
    grid_box_print(out, &box, rank);
    text_add(out, rank == 1 ? " of a grid of " : " of a ");
    grid_shape_print(out, &shape);
    text_add(out, rank == 1 ? " points" : " grid");
}

void legality_say_where(const chain_loop *loop, messages *m)
{
    text line = {0};
    text_add(&line, "kernel '%s' applied", loop->kernel->name);
    if (loop->file) text_add(&line, " at %s:%d", loop->file, loop->line);
    text_add(&line, " to ");
    if (loop->once)
        text_add(&line, "kata_once(k)");
    else
        print_points(&line, loop);
    if (line.failed) m->body.failed = true;
    message_line(m, "%s", text_get(&line));
    text_free(&line);
}

void legality_print_offset(char out[LEGALITY_NAME], const ir_access *access, int rank)
{
    const int32_t *o = access->offset;
    if (rank == 1)
        snprintf(out, LEGALITY_NAME, "[%d]", (int)o[0]);
    else if (rank == 2)
        snprintf(out, LEGALITY_NAME, "[%d,%d]", (int)o[0], (int)o[1]);
    else
        snprintf(out, LEGALITY_NAME, "[%d,%d,%d]", (int)o[0], (int)o[1], (int)o[2]);
}
