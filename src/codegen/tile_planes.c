/* Planes of a tile that the threads of a group share, and those that a thread keeps of its own
 * points. Arrays have indices that are known, so that they are registers. */
#include "codegen/thread.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Pieces of the rows in which all is fetched: of the tile, or of the whole plane; then those of the
 * rows below and above the tile, as far as it goes. */
static int wide_pieces(const codegen_tile *t)
{
    const int rows = t->size[1] + (t->corners ? t->before[1] + t->behind[1] : 0);
    return rows * (t->pitch / t->piece);
}

static int all_pieces(const codegen_tile *t)
{
    const int rows = t->corners ? 0 : t->before[1] + t->behind[1];
    return wide_pieces(t) + rows * (t->size[0] / t->piece);
}

static int threads_of(const codegen_writer *w)
{
    return w->shape->threads[0] * w->shape->threads[1];
}

static int rounds_of(const codegen_writer *w)
{
    return (all_pieces(w->tile) + threads_of(w) - 1) / threads_of(w);
}

/* The row and the element of it at which a piece is in the shared plane. */
static void add_shared_place(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const int wide = wide_pieces(t), own = t->size[0] / t->piece, all = t->pitch / t->piece;
    const int first = t->corners ? 0 : t->before[1];
    nest_statement(in, "const int32_t side = piece - %d", wide);
    nest_statement(in,
                   "const int32_t row = side < 0 ? piece / %d + %d : side / %d + (side < %d ? 0 : "
                   "%d)",
                   all, first, own, t->before[1] * own, t->size[1]);
    nest_statement(in, "const int32_t element = (side < 0 ? piece %% %d : side %% %d + %d) * %d",
                   all, own, t->left / t->piece, t->piece);
}

/* Where it is in memory. Beyond what the points of the box read, the nearest that they do. */
static void add_memory_place(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const int field = codegen_field_number(w->loop->kernel, t->param);
    nest_statement(in,
                   "const ABI_STEP x = (ABI_STEP)kata_between((given.launch.lo[0] - %d) & -%d, "
                   "tile_x - %d + element, (given.launch.hi[0] + %d) & -%d)",
                   t->before[0], t->piece, t->left, t->behind[0] - 1, t->piece);
    nest_statement(in,
                   "const ABI_STEP y = (ABI_STEP)kata_between(given.launch.lo[1] - %d, tile_y - %d "
                   "+ row, given.launch.hi[1] + %d)",
                   t->before[1], t->before[1], t->behind[1] - 1);
    nest_statement(in,
                   "memory_at[i] = y * (ABI_STEP)given.place[%d].y + kata_wrapped(x, "
                   "(ABI_STEP)given.place[%d].period, (ABI_STEP)given.place[%d].end)",
                   field, field, field);
    nest_statement(in, "shared_at[i] = row * %d + element", t->pitch);
}

void codegen_tile_pieces(const codegen_writer *w, nest *in)
{
    const int rounds = rounds_of(w);
    nest_statement(in, "ABI_STEP memory_at[%d]", rounds);
    nest_statement(in, "int32_t shared_at[%d]", rounds);
    nest *round = nest_loop(in, NEST_UNROLLED, "int32_t i = 0; i < %d; i++", rounds);
    /* threads without a piece in the last round fetch none */
    nest_statement(round, "const int32_t piece = thread + i * %d", threads_of(w));
    add_shared_place(w, round);
    add_memory_place(w, round);
}

void codegen_tile_piece(const codegen_writer *w, nest *in, int elements, const char *to,
                        const char *from)
{
    enum { LEAST = 4, MOST = 16 }; /* bytes of an asynchronous copy; only whole ones pass caches */
    const int param = w->tile->param;
    const int bytes = elements * ir_storages[w->loop->storage[param]].bytes;
    const codegen_label type = codegen_vector_type(w, param, elements);
    if (bytes < LEAST)
        nest_statement(in, "*(%s) = *(const %s%s *)(%s)", to, w->dialect->global, type.is, from);
    else
        nest_statement(in, "KATA_FETCH(\"%s\", %s, %s, %s)", bytes == MOST ? "cg" : "ca", type.is,
                       to, from);
}

void codegen_tile_fetch(const codegen_writer *w, nest *in, const char *from, const char *to)
{
    const codegen_tile *t = w->tile;
    const int rounds = rounds_of(w), rest = all_pieces(t) - (rounds - 1) * threads_of(w);
    for (int i = 0; i < rounds; i++) {
        nest *some = i == rounds - 1 && rest < threads_of(w)
                         ? nest_format(in, NEST_IF, "thread < %d", rest)
                         : in;
        codegen_tile_piece(w, some, t->piece, codegen_format("%s + shared_at[%d]", to, i).is,
                           codegen_format("%s + memory_at[%d]", from, i).is);
    }
}

/* ---- what a point reads ---------------------------------------------------------------------- */

static bool is_own(const codegen_writer *w, int vector, int row)
{
    return !vector && row >= 0 && row < w->shape->tall;
}

/* "near_m3_0": a vector of a row of the plane, seen from the thread's first. */
static codegen_label near_of(int vector, int row)
{
    return codegen_format("near_%s%d_%s%d", row < 0 ? "m" : "", row < 0 ? -row : row,
                          vector < 0 ? "m" : "", vector < 0 ? -vector : vector);
}

static int vector_at(const codegen_writer *w, int lane)
{
    return (int)floor_divide(lane, w->shape->vector);
}

/* Whether some point of the thread reads a vector. */
static bool is_near(const codegen_writer *w, int vector, int row)
{
    const ir_kernel *kernel = w->loop->kernel;
    bool near = false;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        const int own = row - a->offset[1];
        if (a->param != w->tile->param || a->offset[2] || own < 0 || own >= w->shape->tall)
            continue;
        near = near || (vector >= vector_at(w, a->offset[0]) &&
                        vector <= vector_at(w, a->offset[0] + w->shape->vector - 1));
    }
    return near && !is_own(w, vector, row);
}

void codegen_tile_vector(const codegen_writer *w, nest *in, const char *array, int first,
                         const char *memory, const char *from)
{
    const int vector = w->shape->vector;
    const codegen_label type = codegen_vector_type(w, w->tile->param, vector);
    if (vector == 1) {
        nest_statement(in, "%s[%d] = *(%s)", array, first, from);
        return;
    }
    nest *part = nest_add(in, NEST_BLOCK);
    nest_statement(part, "const %s some = *(const %s%s *)(%s)", type.is, memory, type.is, from);
    for (int i = 0; i < vector; i++)
        nest_statement(part, "%s[%d] = some.%c", array, first + i, "xyzw"[i]);
}

static void read_near(const codegen_writer *w, nest *in, int vector, int row)
{
    const codegen_tile *t = w->tile;
    const codegen_label name = near_of(vector, row);
    const int at = row * t->pitch + vector * w->shape->vector;
    nest_statement(in, "%s %s[%d]", codegen_element_type(w->loop, t->param), name.is,
                   w->shape->vector);
    codegen_tile_vector(w, in, name.is, 0, w->dialect->shared, codegen_format("own + %d", at).is);
}

void codegen_tile_near(const codegen_writer *w, nest *in)
{
    const codegen_tile *t = w->tile;
    const int first = vector_at(w, -t->before[0]);
    const int last = vector_at(w, t->behind[0] + w->shape->vector - 1);
    for (int row = -t->before[1]; row < w->shape->tall + t->behind[1]; row++)
        for (int vector = first; vector <= last; vector++)
            if (is_near(w, vector, row)) read_near(w, in, vector, row);
}

codegen_label codegen_tile_plane(const codegen_writer *w, int offset)
{
    return codegen_format("kept_%d", w->tile->before[2] + offset);
}

void codegen_tile_element(text *out, const codegen_writer *w, const int32_t offset[3])
{
    const int vector = vector_at(w, w->lane + offset[0]), row = w->row + offset[1];
    const int lane = w->lane + offset[0] - vector * w->shape->vector;
    if (is_own(w, vector, row))
        text_add(out, "%s[%d]", codegen_tile_plane(w, offset[2]).is, row * w->shape->vector + lane);
    else
        text_add(out, "%s[%d]", near_of(vector, row).is, lane);
}
