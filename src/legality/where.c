/* Where a kernel is applied, and offsets, as messages say it. */
#include "legality/checks.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- dimensions ------------------------------------------------------------------------------ */

int legality_axis(const chain_loop *loop, int d) { return grid_mesh_axis(loop->mesh, d); }

static int shown_dimension(const chain_loop *loop, int d)
{
    int shown = 0;
    while (legality_axis(loop, shown) != d) shown++;
    return shown;
}

char legality_letter(const chain_loop *loop, int d) { return "xyz"[shown_dimension(loop, d)]; }

const char *legality_side(const chain_loop *loop, int side)
{
    return grid_side_name(2 * shown_dimension(loop, side / 2) + side % 2);
}

grid_box legality_shown(const chain_loop *loop, const grid_box *box)
{
    return grid_mesh_shown(loop->mesh, box);
}

void legality_print_along(const chain_loop *loop, const ir_param *param, char out[4])
{
    int count = 0;
    for (int d = 0; d < 3; d++)
        if (!param->absent_axis[legality_axis(loop, d)]) out[count++] = "xyz"[d];
    out[count] = '\0';
}

/* ---- places ---------------------------------------------------------------------------------- */

static void print_points(text *out, const chain_loop *loop)
{
    int rank = loop->shape.rank;
    grid_box box = legality_shown(loop, &loop->box);
    grid_shape shape = loop->shape;
    for (int d = 0; d < 3; d++) shape.size[d] = loop->shape.size[legality_axis(loop, d)];
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

void legality_print_offset(char out[LEGALITY_NAME], const chain_loop *loop, const ir_access *access)
{
    const int rank = loop->shape.rank;
    int32_t o[3];
    for (int d = 0; d < 3; d++) o[d] = access->offset[legality_axis(loop, d)];
    if (rank == 1)
        snprintf(out, LEGALITY_NAME, "[%d]", (int)o[0]);
    else if (rank == 2)
        snprintf(out, LEGALITY_NAME, "[%d,%d]", (int)o[0], (int)o[1]);
    else
        snprintf(out, LEGALITY_NAME, "[%d,%d,%d]", (int)o[0], (int)o[1], (int)o[2]);
}
