/* The queue. Bindings, tables and places of queued loops live in the chain's arena. */
#include "chain/chain.h"

#include <stdlib.h>
#include <string.h>

static bool is_written(const ir_param *param)
{
    return ir_param_is_written_field(param) || ir_param_is_reduction(param);
}

/* Elements of all tables of a kernel. */
static size_t table_elements(const ir_kernel *kernel)
{
    size_t elements = 0;
    for (int i = 0; i < kernel->param_count; i++)
        if (kernel->params[i].kind == IR_PARAM_TABLE) elements += (size_t)kernel->params[i].count;
    return elements;
}

/* Makes c->reserved memory of that many bytes, all zero. */
static bool reserve_bytes(chain *c, size_t bytes)
{
    if (c->reserved && bytes <= c->reserved_bytes) {
        memset(c->reserved, 0, bytes);
        return true;
    }
    c->reserved = arena_alloc(&c->memory, bytes);
    c->reserved_bytes = bytes;
    return c->reserved;
}

chain_binding *chain_reserve(chain *c, const ir_kernel *kernel)
{
    void *loops = c->loops;
    size_t count = (size_t)kernel->param_count, elements = table_elements(kernel);
    if (!reserve_bytes(c, count * sizeof(chain_binding) + elements * sizeof(ir_value)) ||
        !vector_reserve(&loops, &c->capacity, c->count + 1, sizeof *c->loops))
        return NULL;
    c->loops = loops;
    chain_binding *bindings = c->reserved;
    ir_value *values = (ir_value *)(bindings + count);
    for (size_t i = 0; elements && i < count; i++) {
        if (kernel->params[i].kind != IR_PARAM_TABLE) continue;
        bindings[i].table = values;
        values += kernel->params[i].count;
    }
    return bindings;
}

chain_loop *chain_next(const chain *c) { return &c->loops[c->count]; }

/* The loop's bindings, tables included, in the chain's memory; NULL when that is out. */
static chain_binding *take_bindings(chain *c, const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    if (c->reserved && loop->bindings == c->reserved) return c->reserved;
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

/* A copy of a file's name, that of the loop before where it is the same. */
static const char *copy_file(chain *c, const char *file)
{
    const char *last = c->count ? c->loops[c->count - 1].file : NULL;
    return last && strcmp(last, file) == 0 ? last : arena_copy_text(&c->memory, file, strlen(file));
}

/* Gives a slot that the chain does not know a number; false when memory is out. */
static bool number_slot(chain *c, chain_slot *slot)
{
    void *slots = c->slots;
    if (!vector_reserve(&slots, &c->slot_room, c->slot_count + 1, sizeof *c->slots)) return false;
    c->slots = slots;
    slot->number = (int)c->slot_count;
    c->slots[c->slot_count++] = slot;
    return true;
}

/* Gives the slots of a loop their numbers; false when memory is out. */
static bool number_slots(chain *c, const chain_loop *loop)
{
    for (int i = 0; i < loop->kernel->param_count; i++) {
        chain_slot *slot = loop->bindings[i].slot;
        if (!slot) continue;
        size_t at = (size_t)slot->number;
        if ((at >= c->slot_count || c->slots[at] != slot) && !number_slot(c, slot)) return false;
    }
    return true;
}

/* Integers may decide where a guarded kernel reads. */
static uint64_t hash_numbers(const chain_loop *loop, uint64_t hash)
{
    for (int i = 0; i < loop->kernel->param_count; i++) {
        const ir_param *param = &loop->kernel->params[i];
        const chain_binding *b = &loop->bindings[i];
        if (b->slot || ir_param_is_field(param)) continue;
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
    key[15] = loop->once;
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
            key[count++] = slot->shape.size[d] << 9 | slot->staggered[d] << 8 |
                           (int64_t)b->boundary->side[2 * d].rule << 4 |
                           (int64_t)b->boundary->side[2 * d + 1].rule;
        for (int d = 0; d < 3; d++) key[count++] = slot->missing[d];
        key[count++] = slot->ghosts << 16 | (int64_t)slot->components << 4 | (int64_t)slot->type;
    }
    hash = hash_bytes(key, count * sizeof *key, hash);
    return loop->kernel->guarded ? hash_numbers(loop, hash) : hash;
}

/* Sets the versions that a loop reads, and adds the numbers of its slots to its hash. */
static void enter_slots(chain_loop *loop, chain_binding *bindings)
{
    for (int i = 0; i < loop->kernel->param_count; i++) {
        const chain_slot *slot = bindings[i].slot;
        if (slot) bindings[i].version = slot->version;
        if (slot) loop->hash = (loop->hash ^ (uint64_t)slot->number) * 0x9e3779b97f4a7c15u;
        loop->hash ^= loop->hash >> 29;
    }
}

/* Advances the versions of the slots that a loop writes. */
static void enter_writes(const chain_loop *loop, chain_binding *bindings)
{
    for (int i = 0; i < loop->kernel->param_count; i++) {
        if (!is_written(&loop->kernel->params[i])) continue;
        chain_slot *slot = bindings[i].slot;
        slot->version++;
        bindings[i].log = slot->log;
        if (slot->log) bindings[i].entry = slot->log->count++;
    }
}

const grid_boundary *chain_keep_boundary(chain *c, const grid_boundary *boundary)
{
    grid_boundary *copy = arena_alloc(&c->memory, sizeof *copy);
    if (copy) *copy = *boundary;
    return copy;
}

kata_status chain_append(chain *c, const chain_loop *loop, messages *m)
{
    chain_binding *bindings = take_bindings(c, loop);
    const char *file = loop->file ? copy_file(c, loop->file) : NULL;
    if (!bindings || (loop->file && !file) || !number_slots(c, loop)) return message_no_memory(m);
    chain_loop *queued = chain_next(c);
    if (queued != loop) *queued = *loop;
    queued->file = file;
    queued->bindings = bindings;
    c->count++;
    c->reserved = NULL;
    if (!queued->hash) queued->hash = chain_loop_hash(queued);
    enter_slots(queued, bindings);
    enter_writes(queued, bindings);
    return KATA_OK;
}

size_t chain_end_step(chain *c)
{
    size_t loops = c->count - c->step;
    c->step = c->count;
    return loops;
}

void chain_clear(chain *c)
{
    c->count = c->step = c->slot_count = 0;
    c->reserved = NULL;
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

int64_t chain_loop_points(const chain_loop *loop)
{
    const grid_box *b = &loop->box;
    if (loop->colors <= 1) return grid_box_points(b);
    int64_t points = 0, n = loop->colors;
    for (int64_t z = b->lo[2]; z < b->hi[2]; z++)
        for (int64_t y = b->lo[1]; y < b->hi[1]; y++) {
            int64_t skipped = ((loop->color - (b->lo[0] + y + z)) % n + n) % n;
            int64_t left = b->hi[0] - b->lo[0] - skipped;
            if (left > 0) points += (left + n - 1) / n;
        }
    return points;
}
