/* Ghosts that boundary rules hide from all loops of a chain. They keep their values: copies and
 * loops find them once the rules have changed. But while the loops run, what these read
 * outside the grid may lie there, as around fields without ghosts (sweep/edge_fill.c). So hidden
 * ghosts are put aside before a chain runs, and put back behind it. Not where a copy touches them,
 * loops differ in what they hide, or there are too few loops to gain by it. */
#include "exec/cpu.h"

#include "store/store.h"

/* A field of a chain. */
struct cpu_covered {
    bool hides;      /* some of its indices; all loops hide the same */
    int loops;       /* that touch it */
    grid_box inside; /* which they do not hide */
    void *values;    /* of the others, put aside; NULL: they stay */
};

static const int FEWEST_LOOPS = HOSTILE(4, 1);

static bool is_field(const chain_loop *loop, int p)
{
    return ir_param_is_field(&loop->kernel->params[p]) && !loop->bindings[p].slot->is_scalar;
}

static void note_loop(struct cpu_covered *covered, const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count && !loop->once && !loop->copy; p++) {
        if (!is_field(loop, p)) continue;
        struct cpu_covered *f = &covered[loop->bindings[p].slot->number];
        grid_box inside = chain_binding_inside(&loop->bindings[p]);
        bool same = !f->loops++ || (f->hides && !memcmp(&f->inside, &inside, sizeof inside));
        f->inside = inside;
        f->hides = same;
    }
}

static void note_copy(struct cpu_covered *covered, const chain_loop *loop)
{
    if (!loop->copy) return;
    const grid_box boxes[] = {
        [CHAIN_COPY_FROM] = chain_copy_source(loop->copy, &loop->box), [CHAIN_COPY_TO] = loop->box};
    for (int p = 0; p < 2; p++) {
        struct cpu_covered *f = &covered[loop->bindings[p].slot->number];
        f->hides = f->hides && grid_box_contains(&f->inside, &boxes[p]);
    }
}

/* Whether the memory of a field may be written around what is not hidden. Of a field that streams,
 * an array holds a part. */
static bool may_cover(const struct cpu_covered *f, const chain_slot *slot)
{
    const store_array *a = slot->array;
    grid_box all = chain_slot_memory(slot);
    return f->hides && f->loops >= FEWEST_LOOPS && a && a->bytes && !a->file && !a->ring &&
           !slot->part && grid_box_contains(&a->box, &all) &&
           store_slot_rows(slot) == CODEGEN_CONTIGUOUS && !grid_box_contains(&f->inside, &all);
}

static size_t hidden_bytes(const struct cpu_covered *f, const chain_slot *slot)
{
    grid_box all = chain_slot_memory(slot), pieces[6];
    size_t bytes = 0;
    for (int i = 0, count = grid_box_subtract(&all, &f->inside, pieces); i < count; i++)
        bytes += store_box_bytes(slot->array, &pieces[i]);
    return bytes;
}

/* Copies hidden values: out of the field, or back. */
static void move_hidden(const struct cpu_covered *f, chain_slot *slot, bool back)
{
    grid_box all = chain_slot_memory(slot), pieces[6];
    char *values = f->values;
    for (int i = 0, count = grid_box_subtract(&all, &f->inside, pieces); i < count; i++) {
        if (back)
            store_unpack(slot->array, &pieces[i], values);
        else
            store_pack(slot->array, &pieces[i], values);
        values += store_box_bytes(slot->array, &pieces[i]);
    }
}

static bool has_ghosts(const chain_slot *slot)
{
    return !slot->is_scalar && (slot->ghosts[0] || slot->ghosts[1] || slot->ghosts[2]);
}

/* Puts hidden values aside. */
static bool cover(cpu_chain *c, struct cpu_covered *covered)
{
    arena *memory = &c->context->cpu->run_memory;
    for (int l = 0; l < c->a->loop_count; l++) note_loop(covered, c->a->loops[l].loop);
    for (int l = 0; l < c->a->loop_count; l++) note_copy(covered, c->a->loops[l].loop);
    for (int s = 0; s < c->a->slot_count; s++) {
        chain_slot *slot = c->a->slots[s];
        if (!has_ghosts(slot) || !may_cover(&covered[s], slot)) continue;
        covered[s].values = arena_array(memory, hidden_bytes(&covered[s], slot), 1);
        if (!covered[s].values) return false;
        move_hidden(&covered[s], slot, false);
    }
    return true;
}

bool cpu_cover(cpu_chain *c)
{
    if (!c->a->hides) return true;
    c->covered =
        arena_array(&c->context->cpu->run_memory, (size_t)c->a->slot_count + 1, sizeof *c->covered);
    return c->covered && cover(c, c->covered);
}

void cpu_uncover(cpu_chain *c)
{
    for (int s = 0; c->covered && s < c->a->slot_count; s++) {
        if (!c->covered[s].values || !c->a->slots[s]->array) continue;
        move_hidden(&c->covered[s], c->a->slots[s], true);
        c->a->slots[s]->array->around = 0;
    }
}

uint64_t cpu_covers(const cpu_chain *c, int loop)
{
    const chain_loop *l = c->a->loops[loop].loop;
    uint64_t covers = 0;
    for (int p = 0; c->covered && p < l->kernel->param_count && p < 64 && !l->once; p++)
        if (is_field(l, p) && c->covered[l->bindings[p].slot->number].values)
            covers |= UINT64_C(1) << p;
    return covers;
}
