/* What lies beyond sides that mirror or clamp, of loops that run at once: values of the same field,
 * as far inside at most. The first step finds them in memory. Behind others, points beyond a side
 * are copied from those inside: along x and y by the threads that have them, in shared memory, when
 * a plane is complete; along z from plane to plane, when the one inside is there.
 *
 * Only tiles at a side do so, and turns at one along z. */
#include "codegen/thread.h"

const char codegen_mirror_words[] =
    "KATA_INLINED ABI_STEP kata_mirrored(ABI_STEP i, abi_mirror m)\n"
    "{\n"
    "    const ABI_STEP low = (ABI_STEP)m.sum[0] + (ABI_STEP)m.turn[0] * i;\n"
    "    const ABI_STEP high = (ABI_STEP)m.sum[1] + (ABI_STEP)m.turn[1] * i;\n"
    "    return i < (ABI_STEP)m.first ? low : i >= (ABI_STEP)m.end ? high : i;\n"
    "}\n"
    "#define KATA_MIRRORED(i, d) kata_mirrored(i, given.mirror[d])\n";

/* ---- along z --------------------------------------------------------------------------------- */

/* A plane of the writer's step, of one round, takes what that of another round has. */
static void copy_plane(const codegen_writer *w, nest *in, int to, int from)
{
    const codegen_handing h = codegen_handing_of(w->loop, w->section);
    for (int i = 0; i < w->section->rows * w->section->vector; i++)
        nest_statement(in, "%s[%d] = %s[%d]",
                       codegen_section_plane(w->step, codegen_rest(to, h.planes)).is, i,
                       codegen_section_plane(w->step, codegen_rest(from, h.planes)).is, i);
}

static bool mirrors_planes(const codegen_writer *w)
{
    return w->section->mirrors & CODEGEN_MIRRORS_Z && w->inside == CODEGEN_ANYWHERE;
}

/* How many planes below their own points read what other threads have. */
static int deep(const codegen_handing *h) { return h->buffers ? h->buffers - 1 - h->delay : 0; }

/* A statement for planes so far apart; NULL where there are none. */
static nest *begin_copy(const codegen_writer *w, nest *in, bool above, int by)
{
    const int first = above ? CODEGEN_MIRRORS_ABOVE : CODEGEN_MIRRORS_BELOW;
    return w->section->mirrors & first << (by - 1)
               ? nest_format(in, NEST_IF, "at_z == (ABI_STEP)given.mirrored.%s[%d]",
                             above ? "above" : "below", by - 1)
               : NULL;
}

/* Copies the plane of a step that a round has brought to those below that stand for it. */
static void copy_below(const codegen_writer *w, nest *in)
{
    const codegen_handing h = codegen_handing_of(w->loop, w->section);
    codegen_writer below = *w;
    for (int by = 1; by <= ABI_MOST_MIRRORED; by++) {
        nest *copy = begin_copy(w, in, false, by);
        if (!copy) continue;
        copy_plane(w, copy, w->round - by, w->round);
        below.round = w->round - by;
        if (by <= 2 * deep(&h)) codegen_section_share(&below, copy);
    }
}

void codegen_section_mirror_plane(const codegen_writer *w, nest *in)
{
    codegen_writer next = *w;
    next.step++;
    if (!mirrors_planes(w) || next.step == w->section->steps) return;
    for (int by = 1; by <= ABI_MOST_MIRRORED; by++) {
        nest *copy = begin_copy(w, in, true, by);
        if (copy) copy_plane(&next, copy, w->round, w->round - by);
    }
    copy_below(&next, in);
}

/* ---- along x and y --------------------------------------------------------------------------- */

/* Where the points are, in the tile, whose values those of the thread have. */
static void find_points(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const int points[2] = {s->vector, s->rows};
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < points[d]; i++)
            nest_statement(in, "const ABI_STEP of_%c_%d = KATA_MIRRORED(at_%c + %d, %d) - tile_%c",
                           "xy"[d], i, "xy"[d], i, d, "xy"[d]);
}

/* A point that stands for another one of the tile. */
static nest *begin_point(const codegen_writer *w, nest *in, int lane, int row)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    nest *point =
        nest_format(in, NEST_IF,
                    "(of_x_%d != at_x + %d - tile_x || of_y_%d != at_y + %d - tile_y) && of_x_%d "
                    ">= 0 && of_x_%d < %d && of_y_%d >= 0 && of_y_%d < %d",
                    lane, lane, row, row, lane, lane, h.tile[0], row, row, h.tile[1]);
    nest_statement(point,
                   "const int32_t from = (int32_t)(of_x_%d %% %d * %d + of_y_%d * %d + of_x_%d / "
                   "%d) - (int32_t)KATA_THREAD(1) * %d - (int32_t)KATA_THREAD(0)",
                   lane, s->vector, s->threads[0] * s->threads[1] * s->rows, row, s->threads[0],
                   lane, s->vector, s->rows * s->threads[0]);
    return point;
}

static void copy_points(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    codegen_writer step = *w;
    for (int i = 0; i < s->rows * s->vector; i++) {
        const int lane = i % s->vector, row = i / s->vector;
        nest *point = begin_point(w, in, lane, row);
        for (step.step = 1; step.step < s->steps; step.step++) {
            const codegen_label own = codegen_section_plane(step.step, w->round);
            nest_statement(point, "%s[%d] = %s", own.is, i,
                           codegen_shared_from(&step, w->round).is);
            nest_statement(point, "%s = %s[%d]", codegen_shared(&step, w->round, lane, row).is,
                           own.is, i);
        }
    }
}

void codegen_section_mirror_points(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    codegen_writer step = *w;
    if (!(s->mirrors & CODEGEN_MIRRORS_TILES) || !h.buffers || w->inside == CODEGEN_ALL_INSIDE)
        return;
    nest *some = nest_format(in, NEST_IF, "!(whole_x && whole_y)");
    find_points(w, some);
    copy_points(w, some);
    const bool again = mirrors_planes(w) && deep(&h) > 0; /* else nobody reads them below */
    for (step.step = 1; step.step < s->steps && again; step.step++) {
        nest *plane = nest_add(some, NEST_BLOCK);
        nest_statement(plane, "const ABI_STEP at_z = z + %d", w->round - step.step * h.delay);
        copy_below(&step, plane);
    }
    nest_statement(in, "%s", w->dialect->barrier);
}
