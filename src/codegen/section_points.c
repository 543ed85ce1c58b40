/* The points of some loops that run at once. A thread keeps some planes of its own points of each
 * step; what other threads of the group read of them it also puts into memory that the group
 * shares. Arrays have indices that are known, so that they are registers. */
#include "codegen/thread.h"

#include <stdlib.h>

static int rest(int n, int of) { return (int)(n - floor_divide(n, of) * of); }

/* ---- planes ---------------------------------------------------------------------------------- */

codegen_label codegen_section_plane(int step, int plane)
{
    return codegen_format("step_%d_%d", step, plane);
}

int codegen_shared_plane(const codegen_section *s)
{
    return s->threads[0] * s->vector * s->threads[1] * s->rows;
}

int codegen_shared_beyond(const codegen_handing *h, const codegen_section *s)
{
    return h->reach[1] * s->threads[0] + (h->reach[0] + s->vector - 1) / s->vector;
}

/* The element at a lane and a row, seen from the thread's own: those of a lane lie together. */
static int shared_at(const codegen_section *s, int step, int lane, int row)
{
    return step * codegen_shared_plane(s) +
           rest(lane, s->vector) * s->threads[0] * s->threads[1] * s->rows + row * s->threads[0] +
           (int)floor_divide(lane, s->vector);
}

static bool is_own(const codegen_section *s, int lane, int row)
{
    return lane >= 0 && lane < s->vector && row >= 0 && row < s->rows;
}

void codegen_section_element(text *out, const codegen_writer *w, const int32_t offset[3])
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const int lane = w->lane + offset[0], row = w->row + offset[1];
    const int before = h.delay - offset[2]; /* rounds since the plane came */
    if (is_own(s, lane, row))
        text_add(out, "%s[%d]",
                 codegen_section_plane(w->step, rest(w->round - before, h.planes)).is,
                 row * s->vector + lane);
    else
        text_add(out, "shared_%d[%d]", rest(w->round - before, h.buffers),
                 shared_at(s, w->step, lane, row));
}

/* Whether another thread reads an element. */
static bool is_shared(const codegen_writer *w, int lane, int row)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool shared = false;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_is_of_section(w, a->param) || (!a->offset[0] && !a->offset[1])) continue;
        shared = shared || !is_own(w->section, lane - a->offset[0], row - a->offset[1]);
    }
    return shared;
}

static void share(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->vector; lane++)
            if (is_shared(w, lane, row))
                nest_statement(in, "shared_%d[%d] = %s[%d]", rest(w->round, h.buffers),
                               shared_at(s, w->step, lane, row),
                               codegen_section_plane(w->step, w->round).is, row * s->vector + lane);
}

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

/* Points outside of the box keep what memory has, which no loop changes. */
static void keep_outside(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const int step = w->step + 1, param = step % 2 ? s->to : s->from;
    const codegen_label name = codegen_param_name(w->loop->kernel, param);
    const int field = codegen_field_number(w->loop->kernel, param);
    nest *some = nest_add(in, NEST_BLOCK);
    nest_statement(some, "const %s among = given.section.period[2] || KATA_AMONG(at_z, 2)",
                   w->dialect->boolean);
    nest_statement(some, "const ABI_STEP z_at = kata_placed(at_z, KATA_HAS(2))");
    for (int lane = 0; lane < s->vector; lane++)
        nest_statement(some, "const ABI_STEP x_at_%d = kata_placed(at_x + %d, KATA_HAS(0))", lane,
                       lane);
    for (int row = 0; row < s->rows; row++) {
        nest *of_row = nest_add(some, NEST_BLOCK);
        nest_statement(
            of_row,
            "const %s *const row = %s_all + given.place[%d].at + z_at * "
            "given.place[%d].z + kata_placed(at_y + %d, KATA_HAS(1)) * given.place[%d].y",
            codegen_field_type(w, param).is, name.is, field, field, row, field);
        for (int lane = 0; lane < s->vector; lane++) {
            const int i = row * s->vector + lane;
            nest_statement(nest_format(of_row, NEST_IF, "!among || !(inside >> %d & 1)", i),
                           "%s[%d] = row[x_at_%d]", codegen_section_plane(step, w->round).is, i,
                           lane);
        }
    }
}

static void add_step(const codegen_writer *w, nest *in)
{
    const codegen_handing h = codegen_handing_of(w->loop, w->section);
    codegen_writer row = *w;
    nest *step = nest_add(in, NEST_BLOCK);
    if (h.buffers) share(w, step);
    nest_statement(step, "const ABI_STEP at_z = z + %d, iz = kata_placed(at_z, KATA_RUNS(2))",
                   w->round - (w->step + 1) * h.delay);
    codegen_thread_numbers(w, step);
    codegen_steps(w, step, CODEGEN_ONCE);
    codegen_steps(w, step, CODEGEN_PLANE);
    for (row.row = 0; row.row < w->section->rows; row.row++) add_row(&row, step);
    if (!w->plain && w->step + 1 < w->section->steps) keep_outside(w, step);
}

void codegen_section_round(const codegen_writer *w, nest *in)
{
    codegen_writer step = *w;
    for (step.step = 0; step.step < w->section->steps; step.step++) add_step(&step, in);
}
