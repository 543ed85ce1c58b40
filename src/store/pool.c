/* Where arrays get their memory.
 *
 * Large memory is mapped: its pages are zero without being touched and come to be near the thread
 * that writes them first. A new page costs many times what it costs to write an old one, so memory
 * that an array gives back waits for the next array. Sizes are rounded up to one of STEPS for each
 * doubling: arrays that differ by the room around their values can take each other's memory.
 *
 * The program should not miss what waits. The system may take the pages when it needs them, and
 * what no array has taken during whole chains is given back; so is all of it when there is no more
 * memory. */
#include "store/pool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LINE_BYTES = 64,
    HUGE_PAGE_BYTES = 2 << 20,
    MAP_BYTES = HOSTILE(1 << 20, 4096), /* memory from here on is mapped */
    STEPS = 16,
    MOST_WAITING = HOSTILE(64, 3),
    MOST_CHAINS = 2, /* that memory waits */
    MOST_PART = 2    /* of the machine's memory: half of it waits at most */
};

typedef struct piece {
    void *memory;
    size_t bytes;
    int chains; /* that have ended since it was returned */
} piece;

/* See store_pool_expect. */
typedef struct reach {
    int32_t lo[3], hi[3];
} reach;

enum { MOST_EXPECTED = 32 };

struct store_pool {
    piece waiting[MOST_WAITING]; /* in the order in which they came */
    int count;
    size_t bytes;                      /* of all that waits */
    reach expected[MOST_EXPECTED + 1]; /* by components of fields; the last: of more */
    reach found[MOST_EXPECTED + 1];    /* the same of kernels that the program has asked for */
    bool ruled[6];                     /* sides at which a field has a boundary rule */
    int64_t declared, near, limit;     /* bytes of fields; of large arrays in memory; 0: none */
    char *folder;                      /* for files */
    pid_t owner;                       /* the process that has made files; 0: none yet */
    text why;                          /* the latest file cannot be had */
    port_rings *rings;                 /* NULL at first */
    int64_t unit;                      /* of files in the folder; 0: not known */
};

struct store_pool *store_pool_new(void) { return calloc(1, sizeof(struct store_pool)); }

/* ---- the system's memory --------------------------------------------------------------------- */

/* The size that is mapped for so many bytes. */
static size_t mapped_bytes(size_t bytes)
{
    size_t step = (size_t)sysconf(_SC_PAGESIZE);
    while (step * STEPS * 2 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

/* Maps memory that begins at a huge page; unmaps what was mapped too much. */
static void *map(size_t bytes)
{
    char *data = mmap(NULL, bytes + HUGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE_BYTES - (uintptr_t)data % HUGE_PAGE_BYTES) % HUGE_PAGE_BYTES;
    if (before > 0) munmap(data, before);
    munmap(data + before + bytes, HUGE_PAGE_BYTES - before);
    madvise(data + before, bytes, MADV_HUGEPAGE);
    return data + before;
}

void *store_pool_addresses(size_t bytes)
{
    void *data = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

void store_pool_forget_addresses(void *addresses, size_t bytes) { munmap(addresses, bytes); }

static void *small_memory(size_t bytes)
{
    void *data = aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (data) memset(data, 0, bytes);
    return data;
}

/* ---- what waits ------------------------------------------------------------------------------ */

static void remove_piece(struct store_pool *pool, int i)
{
    pool->count--;
    pool->bytes -= pool->waiting[i].bytes;
    memmove(&pool->waiting[i], &pool->waiting[i + 1],
            (size_t)(pool->count - i) * sizeof *pool->waiting);
}

static void release(struct store_pool *pool, int i)
{
    munmap(pool->waiting[i].memory, pool->waiting[i].bytes);
    remove_piece(pool, i);
}

void store_pool_empty(struct store_pool *pool)
{
    while (pool->count) release(pool, pool->count - 1);
    if (pool->rings && !store_pool_is_inherited(pool)) port_rings_keep(pool->rings, 0);
}

void store_pool_end_chain(struct store_pool *pool)
{
    for (int i = pool->count - 1; i >= 0; i--)
        if (++pool->waiting[i].chains >= MOST_CHAINS) release(pool, i);
}

void store_pool_free(struct store_pool *pool)
{
    if (!pool) return;
    store_pool_empty(pool);
    port_rings_close(pool->rings);
    free(pool->folder);
    text_free(&pool->why);
    free(pool);
}

/* ---- files ----------------------------------------------------------------------------------- */

void store_pool_declare(struct store_pool *pool, int64_t bytes) { pool->declared += bytes; }

int64_t store_pool_declared(const struct store_pool *pool) { return pool->declared; }

bool store_pool_limit(struct store_pool *pool, int64_t bytes, const char *folder)
{
    pool->limit = bytes;
    pool->unit = 0;
    free(pool->folder);
    pool->folder = strdup(folder);
    return pool->folder;
}

int64_t store_pool_left(const struct store_pool *pool)
{
    return larger(pool->limit - pool->near, 0);
}

bool store_pool_is_short(const struct store_pool *pool)
{
    return pool->limit && pool->declared > pool->limit;
}

enum { NEAR_PART = 4, LEAST_BYTES = 1 << 10 }; /* of the limit, for arrays in memory */

bool store_pool_goes_far(struct store_pool *pool, size_t bytes)
{
    if (!pool || !store_pool_is_short(pool) || bytes < LEAST_BYTES) return false;
    return pool->near + (int64_t)bytes > pool->limit / NEAR_PART;
}

bool store_pool_sends_away(struct store_pool *pool, size_t bytes)
{
    return store_pool_goes_far(pool, bytes) && pool->near > pool->limit / NEAR_PART;
}

port_file *store_pool_file(struct store_pool *pool, size_t bytes, size_t plane)
{
    text_clear(&pool->why);
    pool->owner = getpid();
    return port_file_new(pool->folder, bytes, plane, &pool->why);
}

int64_t store_pool_unit(struct store_pool *pool)
{
    if (!pool->unit) pool->unit = port_unit(pool->folder);
    return pool->unit;
}

bool store_pool_is_inherited(const struct store_pool *pool)
{
    return pool->owner && pool->owner != getpid();
}

const char *store_pool_folder(const struct store_pool *pool) { return pool->folder; }

const char *store_pool_why(const struct store_pool *pool, const char **folder)
{
    *folder = pool->folder;
    return pool->why.length ? text_get(&pool->why) : NULL;
}

port_rings *store_pool_rings(struct store_pool *pool)
{
    if (!pool->rings) pool->rings = port_rings_open();
    return pool->rings;
}

/* ---- taking and returning -------------------------------------------------------------------- */

static void *take_waiting(struct store_pool *pool, size_t bytes)
{
    for (int i = pool ? pool->count - 1 : -1; i >= 0; i--) {
        void *memory = pool->waiting[i].memory;
        if (pool->waiting[i].bytes != bytes) continue;
        remove_piece(pool, i);
        return memory;
    }
    return NULL;
}

void *store_pool_take(struct store_pool *pool, size_t bytes, bool *zero)
{
    *zero = true;
    if (pool) pool->near += (int64_t)bytes;
    if (pool && pool->rings) port_rings_keep(pool->rings, (size_t)store_pool_left(pool));
    if (bytes < MAP_BYTES) return small_memory(bytes);
    size_t whole = mapped_bytes(bytes);
    void *memory = take_waiting(pool, whole);
    *zero = !memory;
    if (!memory) memory = map(whole);
    if (memory || !pool || !(pool->count || pool->rings)) return memory;
    store_pool_empty(pool);
    return map(whole);
}

/* Bytes that may wait. */
static size_t most_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), each = sysconf(_SC_PAGESIZE);
    return pages > 0 && each > 0 ? (size_t)pages / MOST_PART * (size_t)each : 0;
}

/* False where memory is not to wait, or the system cannot take its pages meanwhile. */
static bool wait(struct store_pool *pool, void *memory, size_t whole)
{
    size_t most = most_bytes();
    if (!pool || whole > most || madvise(memory, whole, MADV_FREE)) return false;
    while (pool->count == MOST_WAITING || pool->bytes > most - whole) release(pool, 0);
    pool->waiting[pool->count++] = (piece){.memory = memory, .bytes = whole};
    pool->bytes += whole;
    return true;
}

void store_pool_return(struct store_pool *pool, void *memory, size_t bytes)
{
    if (pool) pool->near -= (int64_t)bytes;
    if (bytes < MAP_BYTES)
        free(memory);
    else if (!wait(pool, memory, mapped_bytes(bytes)))
        munmap(memory, mapped_bytes(bytes));
}

/* ---- room around values ---------------------------------------------------------------------- */

/* Whether a kernel reads a component at this offset only. Accesses are ordered by component. */
static bool is_alone(const ir_kernel *kernel, int i)
{
    const ir_access *a = &kernel->accesses[i];
    bool alone = true;
    for (int k = i - 1; k <= i + 1; k += 2)
        if (k >= 0 && k < kernel->access_count)
            alone = alone && (a->param != kernel->accesses[k].param ||
                              a->component != kernel->accesses[k].component);
    return alone;
}

/* What is read at one offset needs room along x only, where sides are periodic. */
void store_pool_expect(struct store_pool *pool, const ir_kernel *kernel, bool found)
{
    enum { FAR = 16 }; /* reads of a few fields, which others need no room for */
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *access = &kernel->accesses[i];
        int count = kernel->params[access->param].count;
        reach *all = found ? pool->found : pool->expected;
        reach *r = &all[smaller(count, MOST_EXPECTED + 1) - 1];
        bool alone = is_alone(kernel, i);
        if (ir_param_is_written_field(&kernel->params[access->param]) && !alone) continue;
        for (int d = 0; d < (alone ? 1 : 3); d++) {
            int32_t offset = access->offset[d];
            if (offset < r->lo[d] && offset >= -FAR) r->lo[d] = offset;
            if (offset > r->hi[d] && offset <= FAR) r->hi[d] = offset;
        }
    }
}

void store_pool_meet_rules(struct store_pool *pool, const grid_boundary *boundary)
{
    for (int side = 0; side < 6; side++)
        if (boundary->side[side].rule != KATA_NONE) pool->ruled[side] = true;
}

/* Room in files is moved with the values: there should be no more than the program needs, as far
 * as it has said. */
static const reach *reach_of(const struct store_pool *pool, int components)
{
    static const reach none;
    const int64_t number = smaller(components, MOST_EXPECTED + 1) - 1;
    const reach *found = &pool->found[number];
    const bool known = pool->limit && memcmp(found, &none, sizeof none) != 0;
    return known ? found : &pool->expected[number];
}

void store_pool_widen(const struct store_pool *pool, int components, int dimension, grid_box *box)
{
    const reach *r = reach_of(pool, components);
    if (pool->ruled[2 * dimension]) box->lo[dimension] += r->lo[dimension];
    if (pool->ruled[2 * dimension + 1]) box->hi[dimension] += r->hi[dimension];
}
