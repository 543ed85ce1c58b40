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
    nest_statement(in, "int32_t inside = 0, own = 0");
    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->vector; lane++) {
            nest *point = nest_add(in, NEST_BLOCK);
            nest_statement(point,
                           "const %s x = KATA_AMONG(at_x + %d, 0), y = KATA_AMONG(at_y + %d, 1)",
                           w->dialect->boolean, lane, row);
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

static void add_shared(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const char *type = codegen_element_type(w->loop, s->from);
    for (int i = 0; i < h->buffers; i++)
        nest_statement(in,
                       "%s%s *shared_%d = shared_all + %d + (int32_t)KATA_THREAD(1) * %d + "
                       "(int32_t)KATA_THREAD(0)",
                       w->dialect->shared, type, i,
                       codegen_shared_beyond(h, s) + i * s->steps * codegen_shared_plane(s),
                       s->rows * s->threads[0]);
}

/* Each round, a plane comes into the next buffer. Behind a turn of the loop the buffers have other
 * numbers. */
static void turn_shared(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const int by = h->buffers ? h->planes % h->buffers : 0;
    const char *type = codegen_element_type(w->loop, w->section->from);
    if (!by) return;
    nest *turn = nest_add(in, NEST_BLOCK);
    for (int i = 0; i < h->buffers; i++)
        nest_statement(turn, "%s%s *const next_%d = shared_%d", w->dialect->shared, type, i,
                       (i + by) % h->buffers);
    for (int i = 0; i < h->buffers; i++) nest_statement(turn, "shared_%d = next_%d", i, i);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A row of a tile that lies inside of the box is read, or written, as a vector. */
static void move_row(const codegen_writer *w, nest *in, int param, int row, const char *array,
                     bool writes)
{
    const codegen_section *s = w->section;
    const codegen_label type = codegen_vector_type(w, param, s->vector);
    if (s->vector == 1) {
        if (writes) nest_statement(in, "plane[row_%d] = %s[%d]", row, array, row);
        if (!writes) nest_statement(in, "%s[%d] = plane[row_%d]", array, row, row);
        return;
    }
    nest *block = nest_add(in, NEST_BLOCK);
    nest_statement(block, "%s%s *const to = (%s%s *)(plane + row_%d)", w->dialect->global, type.is,
                   w->dialect->global, type.is, row);
    nest_statement(block, writes ? "%s some" : "const %s some = *to", type.is);
    for (int lane = 0; lane < s->vector; lane++)
        if (writes)
            nest_statement(block, "some.%c = %s[%d]", "xyzw"[lane], array,
                           row * s -> vector + lane);
        else
            nest_statement(block, "%s[%d] = some.%c", array, row * s->vector + lane, "xyzw"[lane]);
    if (writes) nest_statement(block, "*to = some");
}

/* Reads the plane that comes in next. */
static void read_plane(const codegen_writer *w, nest *in, const char *z)
{
    const codegen_section *s = w->section;
    nest *read = nest_add(in, NEST_BLOCK);
    nest_statement(read,
                   w->plain ? "const ABI_STEP z_at = %s"
                            : "const ABI_STEP z_at = kata_placed(%s, KATA_HAS(2))",
                   z);
    codegen_section_memory(w, read, s->from);
    for (int row = 0; row < s->rows && w->plain; row++)
        move_row(w, read, s->from, row, "next", false);
    for (int i = 0; i < s->rows * s->vector && !w->plain; i++)
        nest_statement(read, "next[%d] = plane[row_%d + lane_%d]", i, i / s->vector, i % s->vector);
}

/* Writes the plane of the last step. */
static void write_plane(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const codegen_label array = codegen_section_plane(s->steps, w->round);
    nest *block = nest_add(in, NEST_BLOCK);
    nest_statement(block, "const ABI_STEP z_at = z + %d", w->round - s->steps * h->delay);
    nest *writes = nest_format(block, NEST_IF, "own && z_at >= from_z && z_at < to_z");
    codegen_section_memory(w, writes, s->to);
    nest *all = nest_format(writes, NEST_IF, "own == %lld",
                            (long long)((INT64_C(1) << s->rows * s->vector) - 1));
    nest *parts = nest_add(writes, NEST_ELSE);
    for (int row = 0; row < s->rows; row++) move_row(w, all, s->to, row, array.is, true);
    for (int i = 0; i < s->rows * s->vector; i++)
        nest_statement(nest_format(parts, NEST_IF, "own >> %d & 1", i),
                       "plane[row_%d + %d] = %s[%d]", i / s->vector, i % s->vector, array.is, i);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void add_round(const codegen_writer *w, nest *in, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    const codegen_label array = codegen_section_plane(0, w->round);
    nest *round = nest_add(in, NEST_BLOCK);
    for (int i = 0; i < s->rows * s->vector; i++)
        nest_statement(round, "%s[%d] = next[%d]", array.is, i, i);
    read_plane(w, round, codegen_format("z + %d", w->round + 1).is);
    codegen_section_round(w, round);
    write_plane(w, round, h);
    if (h->buffers) nest_statement(round, "%s", w->dialect->barrier);
}

/* As many rounds as a thread keeps planes: behind them each plane has the place of its first. */
static void add_turn(const codegen_writer *w, nest *in, const codegen_handing *h, bool plain)
{
    codegen_writer round = *w;
    round.plain = plain;
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
    nest_statement(kernel, "%s next[%d]", type, s->rows * s->vector);
    for (int step = 0; step < s->steps; step++)
        for (int plane = 0; plane < h->planes; plane++)
            for (int i = 0; i < s->rows * s->vector; i++)
                nest_statement(kernel, "%s[%d] = 0", codegen_section_plane(step, plane).is, i);
}

/* Turns in which all points are in the box have a loop of their own: a branch in a round would make
 * it wait for the plane that is read ahead. */
static void add_walk(const codegen_writer *w, nest *kernel, const codegen_handing *h)
{
    const codegen_section *s = w->section;
    add_planes(w, kernel, h);
    nest_statement(kernel, "ABI_STEP z = from_z - %d", s->steps * h->below);
    nest_statement(kernel, "const ABI_STEP end_z = to_z + %d", s->steps * h->delay);
    read_plane(w, kernel, "(z)");
    nest *walk = nest_loop(kernel, NEST_PLAIN, "; z < end_z;");
    nest *plain = nest_loop(walk, NEST_PLAIN,
                            "; whole_x && whole_y && z < end_z && z - %d >= given.launch.lo[2] && "
                            "z + %d < given.launch.hi[2] && z + %d < given.section.high[2];",
                            s->steps * h->delay, h->planes, h->planes);
    add_turn(w, plain, h, true);
    add_turn(w, nest_format(walk, NEST_IF, "z < end_z"), h, false);
}

static const char words[] =
    "#define KATA_HAS(d) given.section.low[d], given.section.high[d], given.section.period[d]\n"
    "#define KATA_RUNS(d) given.launch.lo[d], given.launch.hi[d], given.section.period[d]\n"
    "#define KATA_AMONG(i, d) ((i) >= given.launch.lo[d] && (i) < given.launch.hi[d])\n"
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
        nest *kernel = begin_kernel(&w, file, name, h.buffers);
        nest_statement(kernel, "const int64_t nx = given.launch.size[0], ny = "
                               "given.launch.size[1], nz = given.launch.size[2]");
        codegen_thread_views(&w, kernel);
        add_tile(&w, kernel, &h);
        add_shared(&w, kernel, &h);
        add_walk(&w, kernel, &h);
        text_add(out, "\n%s", words);
        nest_print(out, file, dialect, true);
    } else {
        out->failed = true;
    }
    nest_free(file);
    free(steps);
}
