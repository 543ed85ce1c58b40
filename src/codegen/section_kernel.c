/* Kernels that run some loops of a chain at once: tiles that overlap, in time and space. A group of
 * threads has a tile along x and y, with a halo of as many points as all its loops together read
 * around a point, and walks through a chunk of planes along z. Each round brings a plane of the
 * field that is read, and computes a plane of each step, so far behind the plane of the step before
 * that all it reads is there. The last step's plane is written, without the halo.
 *
 * Points of a halo are computed by several groups, in the same operations. Those outside of the box
 * keep what is in memory. Along dimensions that wrap, a halo has the points at the other end.
 *
 * Overlapped tiles that walk along a dimension: Nguyen, Satish, Chhugani, Kim and Dubey, "3.5-D
 * blocking optimization for stencil computations on modern CPUs and GPUs", SC10. One barrier for
 * all steps of a round: Matsumura, Zohouri, Wahib, Endo and Matsuoka, "AN5D: automated stencil
 * framework for high-degree temporal blocking on GPUs", CGO 2020. */
#include "codegen/thread.h"

#include <stdlib.h>

/* ---- what the kernel is given ---------------------------------------------------------------- */

static void add_given(const codegen_writer *w, nest *file, const char *name)
{
    const ir_kernel *kernel = w->loop->kernel;
    int fields = 0, numbers = codegen_number_index(kernel, kernel->param_count);
    for (int p = 0; p < kernel->param_count; p++) fields += ir_param_is_field(&kernel->params[p]);
    text *line = &nest_format(file, NEST_STATEMENT,
                              "typedef struct %s_given { abi_launch launch; abi_place place[%d]; "
                              "abi_section section;",
                              name, fields)
                      ->head;
    if (w->section->mirrors) text_add(line, " abi_mirror mirror[2]; abi_mirrored mirrored;");
    if (numbers) text_add(line, " abi_value numbers[%d];", numbers * w->section->steps);
    text_add(line, " } %s_given", name);
}

static nest *begin_kernel(const codegen_writer *w, nest *file, const char *name, bool shares)
{
    const ir_kernel *kernel = w->loop->kernel;
    const codegen_section *s = w->section;
    const bool declares = w->dialect->declares_shared;
    const char *type = codegen_element_type(w->loop, s->from);
    nest *function = nest_format(file, NEST_FUNCTION, "%s", w->dialect->function);
    text *head = &function->head;
    if (declares) text_add(head, "__launch_bounds__(%d) ", s->threads[0] * s->threads[1]);
    text_add(head, "%s(const %s_given given", name, name);
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            text_add(head, ", %s *%s %s_all", codegen_field_type(w, p).is, w->dialect->restricted,
                     codegen_param_name(kernel, p).is);
    if (shares && !declares) text_add(head, ", %s%s *shared_all", w->dialect->shared, type);
    text_add(head, ")");
    if (shares && declares)
        nest_statement(function, "extern %s%s shared_all[]", w->dialect->local, type);
    return function;
}

/* ---- where a thread is ----------------------------------------------------------------------- */

/* Bits of the thread's points: the halo of a tile that wraps is inside of the box. */
static void add_bits(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    nest_statement(in, s->fetches ? "int32_t inside = 0, own = 0, there = 0"
                                  : "int32_t inside = 0, own = 0");
    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->vector; lane++) {
            nest *point = nest_add(in, NEST_BLOCK);
            nest_statement(point,
                           "const %s x = KATA_AMONG(at_x + %d, 0), y = KATA_AMONG(at_y + %d, 1)",
                           w->dialect->boolean, lane, row);
            if (s->fetches)
                nest_statement(
                    point, "there |= (KATA_THERE(at_x + %d, 0) && KATA_THERE(at_y + %d, 1)) << %d",
                    lane, row, row * s->vector + lane);
            nest_statement(point,
                           "inside |= ((x || given.section.period[0]) && (y || "
                           "given.section.period[1])) << %d",
                           row * s->vector + lane);
            nest_statement(point,
                           "own |= (x && y && KATA_OWNS(at_x + %d - tile_x, %d, %d) && "
                           "KATA_OWNS(at_y + %d - tile_y, %d, %d)) << %d",
                           lane, h->halo[0], h->tile[0], row, h->halo[1], h->tile[1],
                           row * s->vector + lane);
        }
}

/* Where the rows of a thread are in a plane of either field, and the points of a row behind the
 * first: seen from its first point, as far as there is memory. */
static void add_offsets(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const int field = codegen_field_number(w->loop->kernel, s->from);
    for (int row = 0; row < s->rows; row++)
        nest_statement(in,
                       "const ABI_STEP row_%d = kata_placed(at_y + %d, KATA_HAS(1)) * "
                       "(ABI_STEP)given.place[%d].y + kata_placed(at_x, KATA_HAS(0))",
                       row, row, field);
    for (int lane = 0; lane < s->vector; lane++)
        nest_statement(in,
                       "const ABI_STEP lane_%d = kata_placed(at_x + %d, KATA_HAS(0)) - "
                       "kata_placed(at_x, KATA_HAS(0))",
                       lane, lane);
}

static void add_tile(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const int points[2] = {s->vector, s->rows};
    for (int d = 0; d < 2; d++) {
        const char i = "xy"[d];
        nest_statement(in,
                       "const ABI_STEP tile_%c = (ABI_STEP)(given.launch.first[%d] + "
                       "(int64_t)KATA_GROUP(%d) * %d) - %d, at_%c = tile_%c + "
                       "(ABI_STEP)KATA_THREAD(%d) * %d",
                       i, d, d, h->tile[d] - 2 * h->halo[d], h->halo[d], i, i, d, points[d]);
        for (int k = 0; k < points[d]; k++)
            nest_statement(in, "const ABI_STEP %c_%d = kata_placed(at_%c + %d, KATA_RUNS(%d))", i,
                           k, i, k, d);
    }
    add_offsets(w, in);
    /* rows that wrap have no vectors */
    const char *wraps[2] = {s->vector > 1 ? "" : "given.section.period[0] || ",
                            s->vector > 1 ? "" : "given.section.period[1] || "};
    for (int d = 0; d < 2; d++)
        nest_statement(in,
                       "const %s whole_%c = %s(tile_%c >= given.launch.lo[%d] && tile_%c + %d <= "
                       "given.launch.hi[%d])",
                       w->dialect->boolean, "xy"[d], wraps[d], "xy"[d], d, "xy"[d], h -> tile[d],
                       d);
    add_bits(w, in, h);
    nest_statement(in, "const ABI_STEP from_z = (ABI_STEP)(given.launch.first[2] + "
                       "(int64_t)KATA_GROUP(2) * given.section.chunk)");
    nest_statement(in, "const ABI_STEP to_z = (ABI_STEP)(from_z + given.section.chunk < "
                       "given.section.end ? from_z + given.section.chunk : given.section.end)");
}

static void add_pointer(const codegen_writer *w, nest *in, const char *name, int i, int first)
{
    const codegen_section *s = w->section;
    nest_statement(in,
                   "%s%s *%s_%d = shared_all + %d + (int32_t)KATA_THREAD(1) * %d + "
                   "(int32_t)KATA_THREAD(0)",
                   w->dialect->shared, codegen_element_type(w->loop, s->from), name, i, first,
                   s->rows * s->threads[0]);
}

/* The planes that are read come first, then those of steps. */
static void add_shared(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const int plane = codegen_shared_plane(s), first = codegen_shared_beyond(h, s);
    for (int i = 0; i < h->slots / h->planes; i++)
        add_pointer(w, in, "came", i, first + i * h->planes * plane);
    for (int i = 0; i < h->buffers; i++)
        add_pointer(w, in, "shared", i, first + (h->slots + i * (s->steps - s->fetches)) * plane);
}

/* Pointers take the places of those `by` behind them. */
static void turn(const codegen_writer *w, nest *in, const char *name, int count, int by)
{
    const char *type = codegen_element_type(w->loop, w->section->from);
    if (count < 2 || !by) return;
    nest *turn = nest_add(in, NEST_BLOCK);
    for (int i = 0; i < count; i++)
        nest_statement(turn, "%s%s *const next_%d = %s_%d", w->dialect->shared, type, i, name,
                       (i + by) % count);
    for (int i = 0; i < count; i++) nest_statement(turn, "%s_%d = next_%d", name, i, i);
}

/* Each round, a plane comes into the next buffer. Behind a turn of the loop the buffers have other
 * numbers. */
static void turn_shared(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    turn(w, in, "came", h->slots / h->planes, 1);
    if (h->buffers) turn(w, in, "shared", h->buffers, h->planes % h->buffers);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Waits for what other threads have, and for the plane that was fetched for the next round. */
static void end_round(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    if (w->section->fetches) nest_statement(in, "KATA_FETCHED(%d)", h->ahead - 1);
    if (h->buffers) nest_statement(in, "%s", w->dialect->barrier);
}

static void add_round(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    nest *round = nest_add(in, NEST_BLOCK);
    codegen_section_take(w, round);
    codegen_section_read(w, round);
    codegen_section_round(w, round);
    codegen_section_write(w, round);
    end_round(w, round, h);
    codegen_section_mirror_points(w, round);
}

/* As many rounds as a thread keeps planes: behind them each plane has the place of its first. */
static void add_turn(const codegen_writer *w, nest *in, const codegen_handing *h, int inside)
{
    codegen_writer round = *w;
    round.inside = inside;
    for (round.round = 0; round.round < h->planes; round.round++) add_round(&round, in, h);
    turn_shared(w, in, h);
    nest_statement(in, "z += %d", h->planes);
}

/* What a thread keeps. */
static void add_planes(const codegen_writer *w, nest *kernel, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const char *type = codegen_element_type(w->loop, s->from);
    for (int step = 0; step <= s->steps; step++)
        for (int plane = 0; plane < h->planes; plane++)
            nest_statement(kernel, "%s %s[%d]", type, codegen_section_plane(step, plane).is,
                           s->rows * s->vector);
    if (!s->fetches) nest_statement(kernel, "%s next[%d]", type, s->rows * s->vector);
    nest_statement(kernel, "%s outer[%d]", type, s->rows * s->vector);
    for (int i = 0; i < s->rows * s->vector; i++) nest_statement(kernel, "outer[%d] = 0", i);
    for (int step = 0; step < s->steps; step++)
        for (int plane = 0; plane < h->planes; plane++)
            for (int i = 0; i < s->rows * s->vector; i++)
                nest_statement(kernel, "%s[%d] = 0", codegen_section_plane(step, plane).is, i);
}

/* A loop of turns whose planes are in the box, of tiles of which `also` is true. */
static void add_turns(const codegen_writer *w, nest *walk, const codegen_handing *h,
                      const char *also, int inside)
{
    /* a plane at the side may be that of one beyond it */
    const int mirrors = w->section->mirrors & CODEGEN_MIRRORS_Z ? 1 : 0;
    nest *turns = nest_loop(walk, NEST_PLAIN,
                            "; %sz < end_z && z - %d >= given.launch.lo[2] && "
                            "z + %d < given.launch.hi[2] && z + %d < given.section.high[2];",
                            also, w->section->steps * h->delay + mirrors, h->planes,
                            h->planes - 1 + (h->ahead ? h->ahead : 1));
    add_turn(w, turns, h, inside);
}

/* Turns in which all points are in the box have a loop of their own: a branch in a round would make
 * it wait for the plane that is read ahead. So have those in which all planes are. */
static void add_walk(const codegen_writer *w, nest *kernel, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    add_planes(w, kernel, h);
    nest_statement(kernel, "ABI_STEP z = from_z - %d", s->steps * h->below);
    nest_statement(kernel, "const ABI_STEP end_z = to_z + %d", s->steps * h->delay);
    codegen_section_read_first(w, kernel);
    if (s->fetches) end_round(w, kernel, h);
    nest *walk = nest_loop(kernel, NEST_PLAIN, "; z < end_z;");
    add_turns(w, walk, h, "whole_x && whole_y && ", CODEGEN_ALL_INSIDE);
    codegen_section_outer(w, walk);
    add_turns(w, walk, h, "", CODEGEN_PLANES_INSIDE);
    add_turn(w, nest_format(walk, NEST_IF, "z < end_z"), h, CODEGEN_ANYWHERE);
}

static const char words[] =
    "#define KATA_HAS(d) given.section.low[d], given.section.high[d], given.section.period[d]\n"
    "#define KATA_RUNS(d) given.launch.lo[d], given.launch.hi[d], given.section.period[d]\n"
    "#define KATA_AMONG(i, d) ((i) >= given.launch.lo[d] && (i) < given.launch.hi[d])\n"
    "#define KATA_THERE(i, d) (given.section.period[d] || ((i) >= given.section.low[d] && (i) < "
    "given.section.high[d]))\n"
    "#define KATA_KNOWN(z) (given.section.period[2] || KATA_AMONG(z, 2) ? inside : 0)\n"
    "#define KATA_OWNS(i, halo, tile) ((i) >= (halo) && (i) < (tile) - (halo))\n";

void codegen_section_function(text *out, const codegen_loop *loop, const codegen_section *section,
                              const codegen_dialect *dialect)
{
    char name[64];
    codegen_step *steps = codegen_schedule(loop->kernel);
    const codegen_handing h = codegen_handing_of(loop, section);
    const codegen_shape shape = {.vector = 1, .chunk = 1, .wide = section->wide};
    codegen_writer w = {
        .loop = loop, .dialect = dialect, .steps = steps, .shape = &shape, .section = section};
    nest *file = steps ? nest_new() : NULL;
    codegen_name(loop, name);
    if (file) {
        add_given(&w, file, name);
        nest *kernel = begin_kernel(&w, file, name, codegen_section_local(loop, section) > 0);
        nest_statement(kernel, "const int64_t nx = given.launch.size[0], ny = "
                               "given.launch.size[1], nz = given.launch.size[2]");
        codegen_thread_views(&w, kernel);
        add_tile(&w, kernel, &h);
        add_shared(&w, kernel, &h);
        add_walk(&w, kernel, &h);
        text_add(out, "\n%s%s%s", dialect->fetches, words,
                 section->mirrors ? codegen_mirror_words : "");
        nest_print(out, file, dialect, true);
    } else {
        out->failed = true;
    }
    nest_free(file);
    free(steps);
}
