/* The points of some loops that run at once. */
#include "codegen/thread.h"

/* ---- points ---------------------------------------------------------------------------------- */

static void add_point(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    nest *point = nest_add(in, NEST_BLOCK);
    nest_statement(point, "const ABI_STEP ix = x_%d", w->lane);
    codegen_steps(w, point, CODEGEN_POINT);
    codegen_store(w, point, 0,
                  codegen_format("%s[%d]", codegen_section_plane(w->step + 1, w->round).is,
                                 w->row * s->vector + w->lane)
                      .is);
}

static void add_row(const codegen_writer *w, nest *in)
{
    codegen_writer point = *w;
    nest *row = nest_add(in, NEST_BLOCK);
    nest_statement(row, "const ABI_STEP iy = y_%d", w->row);
    codegen_row_pointers(w, row);
    codegen_steps(w, row, CODEGEN_ROW);
    for (point.lane = 0; point.lane < w->section->vector; point.lane++) add_point(&point, row);
}

/* What a point outside of the box has behind the writer's step: what is in the memory of the field
 * that the step writes, which no loop changes; behind others than the first, what it had two steps
 * before. */
static codegen_label outside(const codegen_writer *w, const codegen_handing *h, int i)
{
    const int step = w->step + 1, plane = codegen_rest(w->round - 2 * h->delay, h->planes);
    if (step == 1) return codegen_format("outer[%d]", i);
    return codegen_format("%s[%d]", codegen_section_plane(step - 2, plane).is, i);
}

static void keep_outside(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const codegen_label plane = codegen_section_plane(w->step + 1, w->round);
    const bool inside = w->inside == CODEGEN_PLANES_INSIDE;
    nest *some = nest_add(in, NEST_BLOCK);
    if (!inside) nest_statement(some, "const int32_t known = KATA_KNOWN(at_z)");
    for (int i = 0; i < s->rows * s->vector; i++)
        nest_statement(some, "%s[%d] = %s >> %d & 1 ? %s[%d] : %s", plane.is, i,
                       inside ? "inside" : "known", i, plane.is, i, outside(w, h, i).is);
}

static void add_step(const codegen_writer *w, nest *in)
{
    const codegen_handing h = codegen_handing_of(w->loop, w->section);
    codegen_writer row = *w;
    nest *step = nest_add(in, NEST_BLOCK);
    if (h.buffers && (w->step || !w->section->fetches)) codegen_section_share(w, step);
    nest_statement(step, "const ABI_STEP at_z = z + %d, iz = kata_placed(at_z, KATA_RUNS(2))",
                   w->round - (w->step + 1) * h.delay);
    codegen_thread_numbers(w, step);
    codegen_steps(w, step, CODEGEN_ONCE);
    codegen_steps(w, step, CODEGEN_PLANE);
    for (row.row = 0; row.row < w->section->rows; row.row++) add_row(&row, step);
    if (w->inside != CODEGEN_ALL_INSIDE && w->step + 1 < w->section->steps)
        keep_outside(w, step, &h);
    codegen_section_mirror_plane(w, step);
}

void codegen_section_round(const codegen_writer *w, nest *in)
{
    codegen_writer step = *w;
    for (step.step = 0; step.step < w->section->steps; step.step++) {
        add_step(&step, in);
        if (!step.step && w->inside != CODEGEN_ALL_INSIDE) {
            codegen_writer next = *w;
            next.round++;
            codegen_section_outer(&next, in);
        }
    }
}
