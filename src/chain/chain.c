/* The queue. Bindings and tables of queued loops live in the chain's arena, and so do the rules,
 * file names and maps that they share. */
#include "chain/chain.h"

#include <stdlib.h>
#include <string.h>

static bool is_written(const ir_param *param)
{
    return ir_param_is_written_field(param) || ir_param_is_reduction(param);
}

/* Makes `room` at least that many bytes that are zero; false when memory is out. */
static bool reserve_bytes(chain *c, size_t bytes)
{
    enum { LEAST = HOSTILE(2, 1), MOST = HOSTILE(32, 1) };
    if (c->reserved) memset(c->room, 0, c->reserved);
    if (c->room_bytes < bytes) { /* it is taken for several loops at once */
        size_t loops = c->count < LEAST ? LEAST : c->count < MOST ? c->count : MOST;
        c->room = arena_array(&c->memory, loops, bytes);
        c->room_bytes = c->room ? loops * bytes : 0;
    }
    c->reserved = c->room ? bytes : 0;
    return c->room;
}

static bool reserve_loop(chain *c)
{
    void *loops = c->loops;
    if (c->count < c->capacity) return true;
    if (!vector_reserve(&loops, &c->capacity, c->count + 1, sizeof *c->loops)) return false;
    c->loops = loops;
    return true;
}

chain_binding *chain_reserve(chain *c, const ir_kernel *kernel)
{
    size_t count = (size_t)kernel->param_count, elements = (size_t)kernel->table_elements;
    size_t bytes = (count ? count : 1) * sizeof(chain_binding) + elements * sizeof(ir_value);
    if (!reserve_loop(c) || !reserve_bytes(c, bytes)) return NULL;
    chain_binding *bindings = (chain_binding *)c->room;
    ir_value *values = (ir_value *)(bindings + count);
    for (size_t i = 0; elements && i < count; i++) {
        if (kernel->params[i].kind != IR_PARAM_TABLE) continue;
        bindings[i].table = values;
        values += kernel->params[i].count;
    }
    return bindings;
}

/* The loop's bindings with their tables in the chain's memory; NULL when memory is out. */
static chain_binding *take_bindings(chain *c, const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    bool reserved = c->reserved && loop->bindings == (const chain_binding *)c->room;
    if (reserved) return (chain_binding *)c->room;
    chain_binding *own = chain_reserve(c, kernel);
    for (int i = 0; own && i < kernel->param_count; i++) {
        ir_value *table = own[i].table;
        own[i] = loop->bindings[i];
        if (!table || own[i].slot) continue;
        memcpy(table, own[i].table, (size_t)kernel->params[i].count * sizeof *table);
        own[i].table = table;
    }
    return own;
}

/* Numbers a slot that is new to the chain; false when memory is out. */
static bool number_slot(chain *c, chain_slot *slot)
{
    void *slots = c->slots;
    if (!vector_reserve(&slots, &c->slot_room, c->slot_count + 1, sizeof *c->slots)) return false;
    c->slots = slots;
    slot->number = (int)c->slot_count;
    c->slots[c->slot_count++] = slot;
    return true;
}

static uint64_t hash_numbers(const chain_loop *loop, uint64_t hash)
{
    for (int i = 0; i < loop->kernel->param_count; i++) {
        const ir_param *param = &loop->kernel->params[i];
        const chain_binding *b = &loop->bindings[i];
        if (b->slot || !ir_number_decides(loop->kernel, i)) continue;
        hash = b->table ? hash_bytes(b->table, (size_t)param->count * sizeof *b->table, hash)
                        : hash_bytes(&b->number, sizeof b->number, hash);
    }
    return hash;
}

uint64_t chain_loop_hash(const chain_loop *loop)
{
    enum { MOST = 16, EACH = 8, FIRST = 16 };
    int64_t key[FIRST + EACH * MOST];
    size_t count = FIRST;
    uint64_t hash = 0;
    memcpy(key, loop->kernel->hash, 4 * sizeof *key);
    memcpy(key + 4, &loop->box, sizeof loop->box);
    memcpy(key + 10, loop->shape.size, sizeof loop->shape.size);
    key[13] = loop->colors;
    key[14] = loop->color;
    key[15] = loop->parted << 2 | (loop->sparse != NULL) << 1 | loop->once;
    for (int i = 0; i < loop->kernel->param_count; i++) {
        const chain_binding *b = &loop->bindings[i];
        const chain_slot *slot = b->slot;
        if (!slot) continue;
        if (count + EACH > COUNT_OF(key)) {
            hash = hash_bytes(key, count * sizeof *key, hash);
            count = 0;
        }
        key[count++] = i << 1 | slot->temporary;
        for (int d = 0; d < 3; d++)
            key[count++] = (int64_t)((uint64_t)slot->shape.size[d] << 17) |
                           slot->staggered[d] << 16 | grid_boundary_side(b->boundary, 2 * d) << 8 |
                           grid_boundary_side(b->boundary, 2 * d + 1);
        for (int d = 0; d < 3; d++) key[count++] = slot->absent_axis[d] << 11 | slot->ghosts[d];
        key[count++] = (int64_t)slot->components << 4 | (int64_t)slot->type;
    }
    hash = hash_bytes(key, count * sizeof *key, hash);
    if (loop->copy) hash = hash_bytes(loop->copy, sizeof *loop->copy, hash);
    if (loop->at_once) hash = hash_bytes(&loop->at_once->count, sizeof loop->at_once->count, hash);
    return loop->kernel->guarded ? hash_numbers(loop, hash) : hash;
}

/* Adds the number of a parameter's slot, if it has one. */
static inline uint64_t hash_slot(uint64_t hash, const chain_slot *slot)
{
    if (slot) hash = (hash ^ (uint64_t)slot->number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

uint64_t chain_loop_hash_slots(const chain_loop *loop, uint64_t hash)
{
    for (int i = 0; i < loop->kernel->param_count; i++)
        hash = hash_slot(hash, loop->bindings[i].slot);
    return hash;
}

/* Numbers the slots of a loop, sets the versions that it reads and adds the slots to its hash, all
 * at once: kata_apply has no time. False when memory is out. */
static bool enter_slots(chain *c, chain_loop *loop, chain_binding *bindings)
{
    const chain_binding *end = bindings + loop->kernel->param_count;
    uint64_t hash = loop->hash;
    for (chain_binding *b = bindings; b < end; b++) {
        chain_slot *slot = b->slot;
        if (slot) {
            size_t at = (size_t)slot->number;
            bool known = at < c->slot_count && c->slots[at] == slot;
            if (!known && !number_slot(c, slot)) return false;
            b->version = slot->version;
        }
        hash = hash_slot(hash, slot);
    }
    loop->hash = hash;
    return true;
}

/* Advances the versions of the slots that a loop writes. */
static void enter_writes(const chain_loop *loop, chain_binding *bindings)
{
    const ir_param *param = loop->kernel->params, *end = param + loop->kernel->param_count;
    for (chain_binding *b = bindings; param < end; param++, b++) {
        if (!is_written(param)) continue;
        chain_slot *slot = b->slot;
        slot->version++;
        b->log = slot->log;
        if (slot->log) b->entry = slot->log->count++;
    }
}

const grid_boundary *chain_keep_boundary(chain *c, const grid_boundary *boundary)
{
    grid_boundary *copy = arena_alloc(&c->memory, sizeof *copy);
    return copy && grid_boundary_copy(copy, boundary, &c->memory) ? copy : NULL;
}

const char *chain_keep_text(chain *c, const char *text)
{
    return arena_copy_text(&c->memory, text, strlen(text));
}

const chain_copy *chain_keep_copy(chain *c, const chain_copy *copy)
{
    chain_copy *own = arena_alloc(&c->memory, sizeof *own);
    if (own) *own = *copy;
    return own;
}

kata_status chain_append(chain *c, const chain_loop *loop, messages *m)
{
    chain_binding *bindings = take_bindings(c, loop);
    if (!bindings) return message_no_memory(m);
    chain_loop *queued = chain_next(c);
    if (queued != loop) *queued = *loop;
    queued->bindings = bindings;
    if (!queued->hash) queued->hash = chain_loop_hash(queued);
    if (!enter_slots(c, queued, bindings)) return message_no_memory(m);
    enter_writes(queued, bindings);
    queued->number = ++c->queued;
    queued->steps = c->steps;
    c->count++;
    c->room += c->reserved;
    c->room_bytes -= c->reserved;
    c->reserved = 0;
    return KATA_OK;
}

size_t chain_end_step(chain *c)
{
    size_t loops = c->count - c->step;
    c->steps++;
    c->step = c->count;
    return loops;
}

void chain_clear(chain *c)
{
    c->count = c->step = c->slot_count = 0;
    c->room = NULL;
    c->room_bytes = c->reserved = 0;
    c->emptied++;
    arena_clear(&c->memory);
}

void chain_free(chain *c)
{
    arena_free(&c->memory);
    free(c->loops);
    free(c->slots);
    *c = (chain){0};
}

/* How many indices of a box along a dimension are `rest` modulo n. */
static int64_t indices_alike(const grid_box *b, int d, int64_t n, int64_t rest)
{
    return floor_divide(b->hi[d] - 1 - rest, n) - floor_divide(b->lo[d] - 1 - rest, n);
}

int64_t chain_loop_points(const chain_loop *loop)
{
    const grid_box *b = &loop->box;
    const grid_sparse *sparse = loop->sparse ? loop->sparse->points : NULL;
    if (sparse) return sparse->rows[sparse->row_count].first;
    if (loop->colors <= 1) return grid_box_points(b);
    const int64_t n = loop->colors;
    int64_t points = 0;
    for (int64_t z = 0; z < n && !grid_box_is_empty(b); z++) {
        int64_t planes = indices_alike(b, 2, n, z);
        for (int64_t y = 0; y < n && planes; y++)
            points +=
                planes * indices_alike(b, 1, n, y) * indices_alike(b, 0, n, loop->color - z - y);
    }
    return points;
}
