/* Which loops run on devices, and how threads share their points. */
#include "codegen/thread.h"

#include <stdlib.h>
#include <string.h>

bool codegen_device_collects(const ir_kernel *kernel)
{
    bool reduces = false, columns = false;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_param *param = &kernel->params[kernel->stores[i].param];
        reduces = reduces || ir_param_is_reduction(param);
        columns = columns || ir_param_is_column_reduction(param);
    }
    return columns || (reduces && kernel->direction);
}

bool codegen_device_reduces(const codegen_loop *loop)
{
    return codegen_reduces(loop) && !codegen_device_collects(loop->kernel);
}

/* Whether checks depend on values that the loop writes: then those of a level cannot be checked
 * before the levels in front of it have run. */
static bool checks_written(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_graph *g = &kernel->graph;
    bool written = !loop->apart || kernel->loop_count;
    bool *needed = calloc(g->count + 1, sizeof *needed);
    if (!needed) return true;
    needed[kernel->valid] = true;
    for (ir_id id = (ir_id)g->count; id-- > 1;) {
        const ir_node *n = &g->nodes[id];
        if (!needed[id]) continue;
        written =
            written || (n->op == IR_LOAD && ir_param_is_written_field(&kernel->params[n->param]));
        for (int k = 0; k < ir_ops[n->op].operands; k++) needed[n->arg[k]] = true;
    }
    free(needed);
    return written;
}

const char *codegen_device_refuses(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    if (ir_orders_several(kernel)) return "its levels run in order along several dimensions";
    if (kernel->check_count && kernel->direction && checks_written(loop))
        return "it checks what its levels write";
    if (kernel->addition_count)
        return "it adds to elements of sums that are known at run time only";
    return NULL;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

int64_t codegen_group_points(const codegen_shape *shape, int dimension)
{
    int64_t points = shape->threads[dimension];
    if (shape->tall && dimension) return dimension == 1 ? points * shape->tall : shape->depth;
    if (dimension == 0) points *= shape->vector;
    return dimension == shape->along ? points * shape->chunk : points;
}

/* Whether a field is written that does not extend along x: by the points at one x. */
static bool writes_without_x(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    for (int i = 0; i < kernel->store_count; i++)
        if (!codegen_reduces_at(loop, i) && kernel->params[kernel->stores[i].param].absent_axis[0])
            return true;
    return false;
}

/* Whether threads may compute points beyond those of the loop along a dimension, whose results are
 * dropped: not where these would read at neighbours from rows that a table does not have. */
static bool may_exceed(const ir_kernel *kernel, int dimension)
{
    bool may = true;
    for (int i = 0; i < kernel->level_read_count; i++) {
        const ir_level_read *r = &kernel->level_reads[i];
        may = may && !(r->inside && r->dimension == dimension);
    }
    return may;
}

bool codegen_reads_rows(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool may = !kernel->direction && !loop->colored && !writes_without_x(loop) &&
               !codegen_device_collects(kernel) && may_exceed(kernel, 0);
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (!ir_param_is_field(param) || param->absent_axis[0]) continue;
        may = may && param->finer[0] <= 1 && param->coarser[0] <= 1;
    }
    return may;
}

/* The most points of a thread's vector: 16 bytes of the widest field. */
static int find_vector(const codegen_loop *loop)
{
    enum { BYTES = 16, MOST = 4 };
    const ir_kernel *kernel = loop->kernel;
    int widest = BYTES / MOST;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (!ir_param_is_field(param) || param->absent_axis[0]) continue;
        if (ir_storages[loop->storage[p]].bytes > widest)
            widest = ir_storages[loop->storage[p]].bytes;
    }
    return codegen_reads_rows(loop) ? BYTES / widest : 1;
}

/* Whether points read what other points write, or the point itself a second time. */
static bool reads_written(const codegen_loop *loop)
{
    bool reads = !loop->apart;
    for (int i = 0; i < loop->kernel->store_count; i++)
        reads = reads || codegen_is_read(loop->kernel, loop->kernel->stores[i].param);
    return reads;
}

/* Whether two accesses read a component at different indices along a dimension. */
static bool are_shared(const ir_access *a, const ir_access *b, int d)
{
    return a->param == b->param && a->component == b->component && a->offset[d] != b->offset[d];
}

/* How much points share of what they read, along y and z. */
static void count_shared(const ir_kernel *kernel, int pairs[3])
{
    for (int i = 0; i < kernel->access_count; i++)
        for (int j = 0; j < i; j++)
            for (int d = 1; d < 3; d++)
                pairs[d] += are_shared(&kernel->accesses[i], &kernel->accesses[j], d);
}

/* The dimension along which points share most of what they read; 0: none. */
static int find_shared(const ir_kernel *kernel)
{
    int pairs[3] = {0, 0, 0};
    count_shared(kernel, pairs);
    return !pairs[1] && !pairs[2] ? 0 : pairs[2] >= pairs[1] ? 2 : 1;
}

/* A row of threads of a loop that reduces has all lanes of a brick. */
static void set_rows(const codegen_loop *loop, codegen_shape *shape)
{
    enum { THREADS = 128 };
    if (!codegen_device_reduces(loop)) return;
    shape->threads[0] = ABI_LANES / shape->vector;
    shape->threads[1] = THREADS / shape->threads[0];
}

void codegen_change_vector(const codegen_loop *loop, codegen_shape *shape, int vector)
{
    int most = find_vector(loop);
    shape->vector = vector < most ? vector : most;
    if (shape->vector == 1) shape->chunk = 1;
    set_rows(loop, shape);
}

void codegen_change_chunk(const codegen_loop *loop, codegen_shape *shape, int chunk, int along)
{
    bool may = shape->vector > 1 && !codegen_reduces(loop) && !reads_written(loop);
    shape->along = along ? along : find_shared(loop->kernel);
    shape->chunk = may && shape->along && may_exceed(loop->kernel, shape->along) ? chunk : 1;
}

codegen_shape codegen_choose_shape(const codegen_loop *loop, bool wide)
{
    enum { CHUNK = 4, MOST_HELD = 640, MOST_VECTOR_NODES = 256, ROWS = 4 };
    const ir_kernel *kernel = loop->kernel;
    codegen_shape shape = {.threads = {ABI_LANES, ROWS, 1}, .vector = 1, .chunk = 1, .wide = wide};
    shape.rows = codegen_reads_rows(loop);
    for (int d = 0; d < 3; d++)
        if (kernel->order[d] != IR_UNORDERED) shape.threads[d] = 1;
    int vector = find_vector(loop), nodes = (int)kernel->graph.count;
    codegen_change_vector(loop, &shape, nodes <= MOST_VECTOR_NODES ? vector : 1);
    codegen_change_chunk(loop, &shape, CHUNK, 0);
    if (codegen_bytes_held(loop, &shape) > MOST_HELD) codegen_change_chunk(loop, &shape, 1, 0);
    return shape;
}

/* ---- other shapes ---------------------------------------------------------------------------- */

/* What has been the fastest shape of some loop on some device. The vector is all that a loop allows
 * (4), or a point. Of loops with reductions only the vector counts, and the rows: as many times the
 * usual number as there are threads along y for each 4. */
typedef struct other {
    int threads[3], vector, chunk, along;
} other;
static const other others[] = {{{32, 4, 2}, 4, 1, 0},  {{32, 4, 1}, 4, 4, 1}, {{32, 4, 1}, 4, 4, 2},
                               {{128, 1, 1}, 4, 8, 1}, {{32, 4, 1}, 4, 2, 0}, {{32, 8, 1}, 4, 8, 2},
                               {{32, 8, 1}, 1, 1, 0},  {{128, 2, 1}, 4, 1, 0}};

static bool is_listed(const codegen_shape *s, const codegen_shape *shapes, int count)
{
    bool listed = false;
    for (int i = 0; i < count; i++)
        listed = listed || (!memcmp(s->threads, shapes[i].threads, sizeof s->threads) &&
                            s->vector == shapes[i].vector && s->chunk == shapes[i].chunk &&
                            (s->chunk == 1 || s->along == shapes[i].along));
    return listed;
}

/* As much of a shape as a loop allows. */
static codegen_shape adapt(const codegen_loop *loop, const other *to, bool wide)
{
    enum { USUAL_ROWS = 4 };
    codegen_shape s = codegen_choose_shape(loop, wide);
    codegen_change_vector(loop, &s, to->vector);
    codegen_change_chunk(loop, &s, to->chunk, to->along);
    if (codegen_device_reduces(loop)) {
        s.threads[1] *= to->threads[1] / USUAL_ROWS > 1 ? to->threads[1] / USUAL_ROWS : 1;
        return s;
    }
    for (int d = 0; d < 3; d++)
        if (loop->kernel->order[d] == IR_UNORDERED) s.threads[d] = to->threads[d];
    return s;
}

/* Whether a box has points for all threads of a group, and chunks have points that share. */
static bool suits(const codegen_loop *loop, const codegen_shape *s, const int64_t points[3])
{
    int pairs[3] = {0, 0, 0};
    count_shared(loop->kernel, pairs);
    return codegen_group_points(s, 1) <= points[1] && codegen_group_points(s, 2) <= points[2] &&
           (s->chunk == 1 || pairs[s->along] > 0);
}

int codegen_list_shapes(const codegen_loop *loop, bool wide, const int64_t points[3],
                        codegen_shape shapes[CODEGEN_MOST_SHAPES])
{
    int count = 1;
    shapes[0] = codegen_choose_shape(loop, wide);
    for (size_t i = 0; i < COUNT_OF(others) && count < CODEGEN_MOST_SHAPES; i++) {
        codegen_shape s = adapt(loop, &others[i], wide);
        if ((HOSTILE(false, true) || suits(loop, &s, points)) && !is_listed(&s, shapes, count))
            shapes[count++] = s;
    }
    return count;
}
