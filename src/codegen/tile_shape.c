/* Which loops run in tiles on a device, and in which. Points that read far along several dimensions
 * find most of what they read in the cache of a unit, which cannot give so much. With tiles, a
 * group of threads shares planes of the field that is read farthest, with what is around them, and
 * each thread keeps its own points of the planes below and above.
 *
 * Stars in planes that are shared, and columns in registers: Micikevicius, "3D finite difference
 * computation on GPUs using CUDA", GPGPU-2, 2009. */
#include "codegen/thread.h"

#include <string.h>

enum { REGISTERS = 65536 }; /* of a unit */

/* ---- which loops ----------------------------------------------------------------------------- */

static bool is_plain(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    return !kernel->direction && !loop->colored && loop->apart && !kernel->check_count &&
           !kernel->addition_count && !kernel->level_read_count && !kernel->loop_count &&
           !codegen_reduces(loop) && codegen_reads_rows(loop);
}

static bool is_plain_field(const codegen_loop *loop, int p)
{
    const ir_param *param = &loop->kernel->params[p];
    bool plain = ir_param_is_field(param) && param->kind == IR_PARAM_IN && param->count == 1 &&
                 codegen_rows_of(loop, p) == CODEGEN_CONTIGUOUS && !ir_param_has_ratio(param);
    for (int d = 0; d < 3; d++) plain = plain && !param->absent_axis[d];
    return plain;
}

static void find_reach(const ir_kernel *kernel, codegen_tile *t)
{
    for (int i = 0; i < kernel->access_count; i++) {
        const int32_t *offset = kernel->accesses[i].offset;
        if (kernel->accesses[i].param != t->param) continue;
        t->corners = t->corners || (offset[0] && offset[1]);
        for (int d = 0; d < 3; d++) {
            t->before[d] = (int)larger(t->before[d], -offset[d]);
            t->behind[d] = (int)larger(t->behind[d], offset[d]);
        }
    }
}

/* Whether a field is read far along y and z, and in other planes in the column of the point alone.
 */
static bool is_far(const codegen_loop *loop, int p)
{
    enum { FAR = HOSTILE(6, 2), MOST = 40 };
    const ir_kernel *kernel = loop->kernel;
    codegen_tile t = {.param = p};
    bool star = is_plain_field(loop, p);
    for (int i = 0; i < kernel->access_count && star; i++) {
        const ir_access *a = &kernel->accesses[i];
        star = a->param != p || !a->offset[2] || (!a->offset[0] && !a->offset[1]);
    }
    if (!star) return false;
    find_reach(kernel, &t);
    for (int d = 0; d < 3; d++) star = star && t.before[d] + t.behind[d] <= MOST;
    return star && t.before[1] + t.behind[1] >= FAR && t.before[2] + t.behind[2] >= FAR;
}

/* The field that is shared: of those that are read far the one that is read most; -1: none. */
static int find_param(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    int found = -1, most = 0;
    for (int p = 0; p < kernel->param_count && is_plain(loop); p++) {
        int count = 0;
        for (int i = 0; i < kernel->access_count; i++) count += kernel->accesses[i].param == p;
        if (count <= most || !is_far(loop, p)) continue;
        found = p;
        most = count;
    }
    return found;
}

bool codegen_may_tile(const codegen_loop *loop) { return find_param(loop) >= 0; }

/* ---- sizes ----------------------------------------------------------------------------------- */

static int bytes_of(const codegen_loop *loop, const codegen_tile *t)
{
    return ir_storages[loop->storage[t->param]].bytes;
}

codegen_tile codegen_tile_of(const codegen_loop *loop, const codegen_shape *shape)
{
    enum { BYTES = 16, MOST = 4 /* rows may wrap behind so many */ };
    codegen_tile t = {.param = find_param(loop)};
    if (t.param < 0) return t;
    find_reach(loop->kernel, &t);
    t.piece = (int)smaller(BYTES / bytes_of(loop, &t), MOST);
    t.size[0] = shape->threads[0] * shape->vector;
    t.size[1] = shape->threads[1] * shape->tall;
    t.left = (int)round_up(t.before[0], t.piece);
    t.pitch = t.left + t.size[0] + (int)round_up(t.behind[0], t.piece);
    return t;
}

int codegen_tile_elements(const codegen_tile *t)
{
    return t->pitch * (t->before[1] + t->size[1] + t->behind[1]);
}

int codegen_tile_kept(const codegen_tile *t) { return t->before[2] + t->behind[2] + 1; }

size_t codegen_tile_local(const codegen_loop *loop, const codegen_shape *shape)
{
    if (!shape->tall) return 0;
    const codegen_tile t = codegen_tile_of(loop, shape);
    const int elements = codegen_tile_elements(&t) + t.size[0] * t.size[1];
    return (size_t)elements * CODEGEN_TILE_PLANES * (size_t)bytes_of(loop, &t);
}

int codegen_tile_before(const codegen_loop *loop, const codegen_shape *shape)
{
    const codegen_tile t = codegen_tile_of(loop, shape);
    return codegen_tile_kept(&t) - 1;
}

/* What a thread needs, as far as it can be known. */
static int registers_of(const codegen_loop *loop, const codegen_shape *s)
{
    enum { OTHERS = 48, BYTES = 4 };
    const codegen_tile t = codegen_tile_of(loop, s);
    const int each = (int)larger(bytes_of(loop, &t), BYTES) / BYTES;
    return codegen_tile_kept(&t) * s->vector * s->tall * each + OTHERS;
}

int codegen_tile_crowd(const codegen_loop *loop, const codegen_shape *s)
{
    enum { THREADS = 2048 };
    const int threads = s->threads[0] * s->threads[1];
    const int groups = (int)smaller(THREADS, REGISTERS / registers_of(loop, s)) / threads;
    return (int)larger(groups, 1);
}

int codegen_tile_groups(const codegen_loop *loop, const codegen_shape *s, int64_t local)
{
    const int64_t own = (int64_t)larger((int64_t)codegen_tile_local(loop, s), 1);
    return (int)larger(smaller(codegen_tile_crowd(loop, s), local / own), 1);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

bool codegen_change_tile(const codegen_loop *loop, codegen_shape *shape, const int threads[2],
                         int vector, int tall)
{
    codegen_shape s = *shape;
    codegen_change_vector(loop, &s, vector);
    codegen_change_chunk(loop, &s, 1, 0);
    memcpy(s.threads, threads, 2 * sizeof *threads);
    s.threads[2] = 1;
    s.tall = tall;
    const codegen_tile t = codegen_tile_of(loop, &s);
    /* each piece of a row begins where memory is aligned, and so does each vector */
    if (t.param < 0 || t.size[0] % t.piece || t.piece % s.vector) return false;
    *shape = s;
    return true;
}

/* What has been the fastest tile of some loop, by bytes of an element. */
typedef struct tried {
    int bytes, threads[2], vector, tall;
} tried;
static const tried all_tried[] = {{4, {16, 8}, 4, 2},  {4, {16, 16}, 4, 1}, {4, {16, 16}, 4, 2},
                                  {4, {32, 8}, 4, 2},  {8, {32, 8}, 2, 1},  {8, {16, 8}, 2, 2},
                                  {8, {32, 16}, 2, 1}, {8, {32, 8}, 2, 2}};

static bool fits(const codegen_loop *loop, const codegen_shape *s, int64_t local)
{
    enum { MOST = 255, MOST_NODES = 20000 };
    const int needed = registers_of(loop, s);
    return needed <= MOST && needed * s->threads[0] * s->threads[1] <= REGISTERS &&
           loop->kernel->graph.count * (size_t)(s->vector * s->tall) <= MOST_NODES &&
           (int64_t)codegen_tile_local(loop, s) <= local;
}

int codegen_list_tiles(const codegen_loop *loop, bool wide, int64_t local,
                       codegen_shape shapes[CODEGEN_MOST_TILES])
{
    const int param = find_param(loop);
    int count = 0;
    if (param < 0) return 0;
    const int bytes = ir_storages[loop->storage[param]].bytes > 4 ? 8 : 4;
    for (size_t i = 0; i < COUNT_OF(all_tried) && count < CODEGEN_MOST_TILES; i++) {
        const tried *t = &all_tried[i];
        codegen_shape s = codegen_choose_shape(loop, wide);
        if (t->bytes == bytes && codegen_change_tile(loop, &s, t->threads, t->vector, t->tall) &&
            fits(loop, &s, local))
            shapes[count++] = s;
    }
    return count;
}
