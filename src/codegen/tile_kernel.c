/* Kernels of tiles: a group walks along z. It fetches planes some rounds before they are needed, so
 * that one barrier for each is enough: behind it, all threads have left the plane whose place the
 * next one takes. Its own points of the highest plane each thread fetches for itself, as early.
 * What a thread keeps moves on by a plane: as many names as there are planes would save that, but
 * so much code is not at hand. */
#include "codegen/thread.h"

/* ---- where a thread is ----------------------------------------------------------------------- */

static void add_place(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const int points[2] = {w->shape->vector, w->shape->tall};
    for (int d = 0; d < 2; d++) {
        const int size = t->size[d];
        nest_statement(in,
                       "const ABI_STEP tile_%c = (ABI_STEP)(given.launch.first[%d] + "
                       "(int64_t)KATA_GROUP(%d) * %d), first_%c = tile_%c + "
                       "(ABI_STEP)KATA_THREAD(%d) * %d",
                       "xy"[d], d, d, size, "xy"[d], "xy"[d], d, points[d]);
    }
    nest_statement(in, "const ABI_STEP from_z = (ABI_STEP)(given.launch.first[2] + "
                       "(int64_t)KATA_GROUP(2) * given.launch.bricks[0])");
    nest_statement(in,
                   "const ABI_STEP to_z = (ABI_STEP)(from_z + given.launch.bricks[0] < "
                   "given.launch.hi[2] ? from_z + given.launch.bricks[0] : given.launch.hi[2])");
    nest_statement(in,
                   "const int32_t thread = (int32_t)KATA_THREAD(1) * %d + (int32_t)KATA_THREAD(0)",
                   w->shape->threads[0]);
}

/* The points of its rows: of those outside of the box, the nearest inside, which nobody writes. So
 * no branch stands between rows. And where rows are in a plane that is kept: of those that no point
 * reads, the nearest that one does. */
static void add_rows(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const int field = codegen_field_number(w->loop->kernel, t->param), vector = w->shape->vector;
    nest_statement(in,
                   "const ABI_STEP at = (ABI_STEP)kata_between(given.launch.lo[0] & -%d, first_x, "
                   "(given.launch.hi[0] - 1) & -%d)",
                   vector, vector);
    for (int row = 0; row < w->shape->tall; row++) {
        nest_statement(in,
                       "const ABI_STEP y_%d = (ABI_STEP)kata_between(given.launch.lo[1], first_y + "
                       "%d, given.launch.hi[1] - 1)",
                       row, row);
        nest_statement(in, "const %s writes_%d = at == first_x && y_%d == first_y + %d",
                       w->dialect->boolean, row, row, row);
        nest_statement(in,
                       "const ABI_STEP row_%d = (ABI_STEP)kata_between(given.launch.lo[1] - %d, "
                       "first_y + %d, given.launch.hi[1] + %d) * (ABI_STEP)given.place[%d].y + at",
                       row, t->before[1], row, t->behind[1] - 1, field);
    }
}

/* "whole": the rows that are written as whole vectors, a bit each. Found once, as the places of
 * results are: in each plane both would take a tenth of its instructions. */
static void add_whole(const codegen_writer *w, nest *in)
{
    text *line = &nest_format(in, NEST_STATEMENT,
                              "const int32_t whole = at < given.launch.lo[0] || at + %d > "
                              "given.launch.hi[0] ? 0 : ",
                              w->shape->vector)
                      ->head;
    for (int row = 0; row < w->shape->tall; row++)
        text_add(line, "%s(writes_%d ? %d : 0)", row ? " | " : "", row, 1 << row);
    codegen_walk_rows(w, in);
}

/* ---- planes ---------------------------------------------------------------------------------- */

static codegen_label row_place(int offset, int row)
{
    return codegen_format("plane + %d * step + row_%d", offset, row);
}

static void add_planes(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const int field = codegen_field_number(w->loop->kernel, t->param), vector = w->shape->vector;
    const char *type = codegen_element_type(w->loop, t->param);
    const codegen_label own = codegen_vector_type(w, t->param, vector);
    nest_statement(in, "const ABI_STEP step = (ABI_STEP)given.place[%d].z", field);
    nest_statement(in, "const %s *plane = %s_all + (given.place[%d].at + (int64_t)from_z * step)",
                   codegen_field_type(w, t->param).is,
                   codegen_param_name(w->loop->kernel, t->param).is, field);
    nest_statement(in, "%s%s *const shared = (%s%s *)shared_all", w->dialect->shared, type,
                   w->dialect->shared, type);
    nest_statement(in, "%s%s *const tops = (%s%s *)(shared + %d) + thread", w->dialect->shared,
                   own.is, w->dialect->shared, own.is,
                   CODEGEN_TILE_PLANES * codegen_tile_elements(t));
    for (int i = 0; i < codegen_tile_kept(t); i++)
        nest_statement(in, "%s kept_%d[%d]", type, i, vector * w->shape->tall);
    for (int offset = -t->before[2]; offset < t->behind[2]; offset++)
        for (int row = 0; row < w->shape->tall; row++)
            codegen_tile_vector(w, in, codegen_tile_plane(w, offset).is, row * vector,
                                w->dialect->global, row_place(offset, row).is);
}

/* Vectors of a row, one of each thread; and of all its rows. */
static int row_of_tops(const codegen_writer *w)
{
    return w->shape->threads[0] * w->shape->threads[1];
}

static int all_tops(const codegen_writer *w) { return row_of_tops(w) * w->shape->tall; }

/* Fetches the tile of a plane that comes so many rounds later, and the thread's own points of the
 * highest plane that is read then. */
static void fetch_plane(const codegen_writer *w, nest *in, int rounds, const char *to,
                        const char *top)
{
    const int vector = w->shape->vector;
    codegen_tile_fetch(w, in, codegen_format("plane + %d * step", rounds).is,
                       codegen_format("shared + %s", to).is);
    for (int row = 0; row < w->shape->tall; row++)
        codegen_tile_piece(w, in, vector,
                           codegen_format("tops + %s + %d", top, row * row_of_tops(w)).is,
                           row_place(w->tile->behind[2] + rounds, row).is);
}

static void take_top(const codegen_writer *w, nest *in)
{
    const codegen_label highest = codegen_tile_plane(w, w->tile->behind[2]);
    for (int row = 0; row < w->shape->tall; row++)
        codegen_tile_vector(w, in, highest.is, row * w->shape->vector, w->dialect->shared,
                            codegen_format("tops + top_now + %d", row * row_of_tops(w)).is);
}

static void add_first_fetches(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < CODEGEN_TILE_AHEAD; i++) {
        fetch_plane(w, nest_format(in, NEST_IF, "from_z + %d < to_z", i), i,
                    codegen_format("%d", i * codegen_tile_elements(w->tile)).is,
                    codegen_format("%d", i * all_tops(w)).is);
        nest_statement(in, "KATA_FETCH_END");
    }
    nest_statement(in, "int32_t now = 0, ahead = %d, top_now = 0, top_ahead = %d",
                   CODEGEN_TILE_AHEAD * codegen_tile_elements(w->tile),
                   CODEGEN_TILE_AHEAD * all_tops(w));
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void add_rows_of_points(const codegen_writer *w, nest *in)
{
    codegen_writer row = *w;
    for (row.row = 0; row.row < w->shape->tall; row.row++) {
        nest *points = nest_add(in, NEST_BLOCK);
        nest_statement(points, "const ABI_STEP iy = y_%d", row.row);
        codegen_thread_row(&row, points);
        codegen_thread_points(&row, points);
    }
}

static void add_next(nest *in, const char *name, int elements)
{
    nest_statement(in, "%s = %s == %d ? 0 : %s + %d", name, name, CODEGEN_TILE_AHEAD * elements,
                   name, elements);
}

static void add_round(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const char *type = codegen_element_type(w->loop, t->param);
    nest_statement(in, "KATA_FETCHED(%d)", CODEGEN_TILE_AHEAD - 1);
    take_top(w, in);
    nest_statement(in, "%s", w->dialect->barrier);
    fetch_plane(w, nest_format(in, NEST_IF, "iz + %d < to_z", CODEGEN_TILE_AHEAD),
                CODEGEN_TILE_AHEAD, "ahead", "top_ahead");
    nest_statement(in, "KATA_FETCH_END");
    nest_statement(in,
                   "const %s%s *const own = shared + now + ((int32_t)KATA_THREAD(1) * %d + %d) * "
                   "%d + %d + (int32_t)KATA_THREAD(0) * %d",
                   w->dialect->shared, type, w->shape->tall, t->before[1], t->pitch, t->left,
                   w->shape->vector);
    codegen_tile_near(w, in);
    add_rows_of_points(w, in);
    add_next(in, "now", codegen_tile_elements(t));
    add_next(in, "ahead", codegen_tile_elements(t));
    add_next(in, "top_now", all_tops(w));
    add_next(in, "top_ahead", all_tops(w));
    codegen_walk_on(w, in);
    nest_statement(in, "plane += step");
    nest_statement(in, "iz += 1");
}

static void add_walk(const codegen_writer *w, nest *in)
{
    nest *walk = nest_loop(in, NEST_PLAIN, "ABI_STEP iz = from_z; iz < to_z;");
    add_round(w, nest_add(walk, NEST_BLOCK));
    for (int k = 0; k < codegen_tile_kept(w->tile) - 1; k++)
        for (int i = 0; i < w->shape->vector * w->shape->tall; i++)
            nest_statement(walk, "kept_%d[%d] = kept_%d[%d]", k, i, k + 1, i);
}

void codegen_tile_kernel(const codegen_writer *w, nest *kernel)
{
    const codegen_tile tile = codegen_tile_of(w->loop, w->shape);
    codegen_writer walking = *w;
    walking.tile = &tile;
    codegen_thread_head(&walking, kernel);
    add_place(&walking, kernel);
    add_rows(&walking, kernel);
    add_whole(&walking, kernel);
    codegen_tile_pieces(&walking, kernel);
    add_planes(&walking, kernel);
    add_first_fetches(&walking, kernel);
    add_walk(&walking, kernel);
}
