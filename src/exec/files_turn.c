/* Chains of an odd number of steps. A field u has values before such a chain, and its next value v
 * behind it; both have some in between. One of them in memory is enough: the last values of v are
 * written to the memory of u, which v then takes. The values of u that are read meanwhile are those
 * of a third field w, which has values only while the chain runs:
 *
 *     v = f(u), u = f(v), v = f(u)    runs as    v = f(u), w = f(v), u = f(w)
 */
#include "exec/on_files.h"

/* The fields, and the loops from which on u is w, and v is u. */
typedef struct turn {
    int u, v;
    int third, last;
    chain_slot of_u, of_v, of_w; /* in the chain that runs */
} turn;

enum { MOST_TURNS = 8 };

typedef struct turned {
    const chain *c;
    analysis_chain a;
    turn turns[MOST_TURNS];
    int count;
    exec_local local;
} turned;

/* ---- which fields ---------------------------------------------------------------------------- */

static bool lie_alike(const chain_slot *a, const chain_slot *b)
{
    return files_is_plain(a) && files_is_plain(b) && chain_slot_alike(a, b) &&
           a->layout == b->layout && a->pool == b->pool;
}

/* The last loop before `end` that begins values of a slot on which nothing that lay there before
 * has any influence; -1: none. */
static int begin_of(const analysis_chain *a, int slot, int end)
{
    for (int l = end - 1; l >= 0; l--) {
        const analysis_section one = {a, l, l + 1}, rest = {a, l, a->loop_count};
        if (analysis_use_of(&one, slot).written && !analysis_takes(&rest, slot)) return l;
    }
    return -1;
}

static bool find_turn(const analysis_chain *a, turn *t)
{
    const analysis_section all = {a, 0, a->loop_count};
    if (!lie_alike(a->slots[t->u], a->slots[t->v]) || !a->dead[t->u] || a->dead[t->v] ||
        !analysis_takes(&all, t->u) || analysis_takes(&all, t->v))
        return false;
    t->last = begin_of(a, t->v, a->loop_count);
    t->third = t->last < 0 ? -1 : begin_of(a, t->u, t->last);
    return t->third >= 0;
}

static bool is_in_turn(const turned *x, int slot)
{
    for (int i = 0; i < x->count; i++)
        if (x->turns[i].u == slot || x->turns[i].v == slot) return true;
    return false;
}

static void find_turns(turned *x)
{
    for (int u = 0; u < x->a.slot_count; u++)
        for (int v = 0; v < x->a.slot_count && x->count < MOST_TURNS; v++) {
            turn t = {.u = u, .v = v};
            if (u == v || is_in_turn(x, u) || is_in_turn(x, v) || !find_turn(&x->a, &t)) continue;
            t.of_u = *x->a.slots[u];
            t.of_v = t.of_w = *x->a.slots[v];
            t.of_u.discarded = false;
            t.of_v.discarded = t.of_w.discarded = true;
            t.of_w.array = NULL;
            x->turns[x->count++] = t;
        }
}

/* ---- the chain ------------------------------------------------------------------------------- */

static chain_slot *slot_for(turned *x, chain_slot *slot, int loop)
{
    for (int i = 0; i < x->count; i++) {
        turn *t = &x->turns[i];
        if (slot == x->a.slots[t->u]) return loop >= t->third ? &t->of_w : &t->of_u;
        if (slot == x->a.slots[t->v]) return loop >= t->last ? &t->of_u : &t->of_v;
    }
    return slot;
}

static bool make_chain(turned *x)
{
    exec_local_begin(&x->local, x->c);
    x->local.chain.goes_on = false;
    for (int l = 0; l < x->a.loop_count; l++) {
        const chain_loop *loop = x->a.loops[l].loop;
        chain_binding *b = exec_local_add(&x->local, loop, l, &loop->box, loop->parted);
        if (!b) return false;
        for (int p = 0; p < loop->kernel->param_count; p++)
            if (b[p].slot) b[p].slot = slot_for(x, b[p].slot, l);
        if (!exec_local_bound(&x->local)) return false;
    }
    return true;
}

/* Behind the chain, v has the memory of u; if nothing has run, all have theirs. */
static void take_arrays(const turned *x, bool done)
{
    for (int i = 0; i < x->count; i++) {
        const turn *t = &x->turns[i];
        chain_slot *u = x->a.slots[t->u], *v = x->a.slots[t->v];
        u->array = done ? t->of_v.array : t->of_u.array;
        v->array = done ? t->of_u.array : t->of_v.array;
        store_array_free(t->of_w.array);
        store_slot_place(u);
        store_slot_place(v);
    }
    for (int s = 0; s < x->a.slot_count; s++) x->a.slots[s]->number = s;
}

static bool is_noted_before(const struct exec_files *f, size_t end)
{
    for (size_t k = 0; k < end; k++)
        if (f->kept[k].slot == f->kept[end].slot) return true;
    return false;
}

/* Those that are kept in memory are known by the chain's own slots, each once. */
static void note_owners(struct exec_files *f, const turned *x)
{
    size_t count = 0;
    for (size_t k = 0; k < f->kept_count; k++) {
        for (int i = 0; i < x->count; i++)
            if (f->kept[k].slot == &x->turns[i].of_u) f->kept[k].slot = x->a.slots[x->turns[i].v];
        f->kept[count] = f->kept[k];
        count += !is_noted_before(f, count);
    }
    f->kept_count = count;
}

kata_status files_run_turned(struct exec_files *f, const chain *c, messages *m, bool *done)
{
    turned x = {.c = c};
    kata_status status = KATA_OK;
    *done = false;
    if (!analysis_chain_make(c, &x.a)) return message_no_memory(m);
    find_turns(&x);
    if (x.count) {
        status =
            make_chain(&x) ? files_run_beside(f, &x.local.chain, m, done) : message_no_memory(m);
        take_arrays(&x, *done);
        note_owners(f, &x);
        exec_local_free(&x.local);
    }
    analysis_chain_free(&x.a);
    return status;
}
