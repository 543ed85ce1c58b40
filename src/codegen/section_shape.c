/* Which loops may run some at a time on a device, and in what tiles. */
#include "codegen/thread.h"

#include <string.h>

/* ---- sizes ----------------------------------------------------------------------------------- */

static int larger_of(int a, int b) { return a > b ? a : b; }

int64_t codegen_section_points(const codegen_loop *loop, const codegen_section *section,
                               int dimension)
{
    const codegen_handing h = codegen_handing_of(loop, section);
    return dimension < 2 ? h.tile[dimension] - 2 * h.halo[dimension] : section->chunk;
}

size_t codegen_section_local(const codegen_loop *loop, const codegen_section *section)
{
    const codegen_handing h = codegen_handing_of(loop, section);
    const int planes = codegen_shared_planes(&h, section);
    const int elements =
        2 * codegen_shared_beyond(&h, section) + planes * codegen_shared_plane(section);
    return planes ? (size_t)elements * ir_storages[loop->storage[section->from]].bytes : 0;
}

/* ---- which loops ----------------------------------------------------------------------------- */

static bool is_plain_field(const codegen_loop *loop, int p)
{
    const ir_param *param = &loop->kernel->params[p];
    bool plain = codegen_rows_of(loop, p) == CODEGEN_CONTIGUOUS && !ir_param_has_ratio(param);
    for (int d = 0; d < 3; d++) plain = plain && !param->absent_axis[d];
    return plain;
}

/* Whether a kernel has nothing but fields and numbers, and operations whose operands are known. */
static bool is_plain(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool plain = !kernel->direction && !loop->colored && loop->apart && !kernel->check_count &&
                 !kernel->addition_count && !kernel->level_read_count && !kernel->loop_count &&
                 kernel->store_count == 1;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        plain = plain && !ir_param_is_reduction(param);
        if (ir_param_is_field(param)) plain = plain && is_plain_field(loop, p);
    }
    for (ir_id id = 1; id < kernel->graph.count; id++)
        plain = plain && kernel->graph.nodes[id].op != IR_ELEMENT;
    return plain;
}

bool codegen_section_suits(const codegen_loop *loop, int from, int *to)
{
    const ir_kernel *kernel = loop->kernel;
    if (!is_plain(loop)) return false;
    const ir_store *s = &kernel->stores[0];
    bool suits =
        ir_param_is_field(&kernel->params[s->param]) && !s->condition && !s->offset[0] &&
        !s->offset[1] && !s->offset[2] && s->param != from && kernel->params[s->param].count == 1 &&
        kernel->params[from].count == 1 && kernel->params[from].kind == IR_PARAM_IN &&
        loop->storage[from] == loop->storage[s->param] && !codegen_is_read(kernel, s->param);
    for (int i = 0; i < kernel->access_count; i++)
        suits = suits && kernel->accesses[i].param != s->param;
    *to = s->param;
    return suits;
}

/* ---- in what tiles --------------------------------------------------------------------------- */

/* What has been the fastest section of some loop, by bytes of an element; and some that small boxes
 * have room for, of no bytes. Warps are dealt to the four quarters of a unit, each with its own
 * registers: so groups have multiples of 128 threads. */
typedef struct tried {
    int bytes, steps, threads[2], vector, rows;
    bool fetches;
} tried;
static const tried all_tried[] = {
    {8, 3, {64, 8}, 1, 4, true},   {8, 3, {64, 12}, 1, 3, true},  {8, 3, {32, 12}, 2, 3, true},
    {8, 3, {64, 8}, 1, 4, false},  {8, 3, {64, 10}, 1, 3, true},  {8, 3, {32, 16}, 1, 4, true},
    {8, 3, {64, 12}, 1, 3, false}, {8, 3, {32, 12}, 2, 3, false}, {4, 5, {64, 10}, 1, 4, false},
    {4, 5, {64, 8}, 1, 5, false},  {4, 3, {64, 10}, 1, 5, true},  {4, 5, {64, 10}, 1, 4, true},
    {4, 5, {32, 16}, 2, 3, true},  {4, 3, {64, 12}, 1, 4, true},  {4, 3, {64, 12}, 1, 4, false},
    {4, 3, {32, 16}, 2, 4, false}, {0, 3, {8, 8}, 2, 2, false},   {0, 3, {16, 7}, 1, 3, true},
    {0, 5, {8, 12}, 2, 2, true},   {0, 3, {4, 5}, 4, 3, false}};

enum { REGISTERS = 65536 }; /* of a unit */

/* What a thread needs, as far as it can be known. */
static int registers_of(const codegen_loop *loop, const codegen_section *s)
{
    enum { OTHERS = 32, BYTES = 4 };
    const codegen_handing h = codegen_handing_of(loop, s);
    const int bytes = larger_of(ir_storages[loop->storage[s->from]].bytes, BYTES);
    return ((h.planes - 1) * s->steps + 2) * s->rows * s->vector * bytes / BYTES + OTHERS;
}

/* Whether threads have registers for it. */
static bool has_registers(const codegen_loop *loop, const codegen_section *s)
{
    enum { MOST = 255 };
    const int needed = registers_of(loop, s);
    return needed <= MOST && needed * s->threads[0] * s->threads[1] <= REGISTERS;
}

int codegen_section_groups(const codegen_loop *loop, const codegen_section *s, int64_t local)
{
    enum { THREADS = 2048 };
    const int threads = s->threads[0] * s->threads[1];
    const int64_t own = (int64_t)codegen_section_local(loop, s);
    const int64_t by_registers = REGISTERS / ((int64_t)registers_of(loop, s) * threads);
    int64_t groups = THREADS / threads < by_registers ? THREADS / threads : by_registers;
    if (own && local / own < groups) groups = local / own;
    return groups > 1 ? (int)groups : 1;
}

int codegen_section_before(const codegen_loop *loop, const codegen_section *s)
{
    const codegen_handing h = codegen_handing_of(loop, s);
    return s->steps * (h.below + h.delay);
}

static bool fits(const codegen_loop *loop, const codegen_section *s, int64_t local)
{
    enum { MOST_NODES = 20000, LEAST = HOSTILE(4, 2) };
    const codegen_handing h = codegen_handing_of(loop, s);
    const int64_t nodes =
        (int64_t)loop->kernel->graph.count * s->rows * s->vector * s->steps * h.planes;
    /* what the halo has is computed several times */
    bool useful = has_registers(loop, s);
    for (int d = 0; d < 2; d++) useful = useful && LEAST * h.halo[d] < h.tile[d];
    return useful && nodes <= MOST_NODES && (int64_t)codegen_section_local(loop, s) <= local;
}

int codegen_list_sections(const codegen_loop *loop, const codegen_section *like, int64_t local,
                          codegen_section sections[CODEGEN_MOST_SECTIONS])
{
    const int bytes = HOSTILE(ir_storages[loop->storage[like->from]].bytes > 4 ? 8 : 4, 0);
    int count = 0;
    for (size_t i = 0; i < COUNT_OF(all_tried) && count < CODEGEN_MOST_SECTIONS; i++) {
        const tried *t = &all_tried[i];
        codegen_section s = *like;
        if (t->bytes != bytes) continue;
        s.steps = t->steps;
        memcpy(s.threads, t->threads, sizeof s.threads);
        s.vector = t->vector;
        s.rows = t->rows;
        s.fetches = t->fetches;
        if (fits(loop, &s, local)) sections[count++] = s;
    }
    return count;
}
