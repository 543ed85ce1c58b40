/* What would make a program faster, in words: the call that ends most of its chains, and where; and
 * fields that each chain makes and uses up, but has to leave in memory, because it cannot know that
 * nobody reads them. What keeps loops out of tiles is said where chains are (exec/cpu_explain.c).
 */
#include "api/api.h"
#include "api/explain.h"

#include <stdio.h>
#include <string.h>

/* ---- fields ---------------------------------------------------------------------------------- */

/* What the loops of a chain do with a slot. */
typedef struct slot_use {
    const char *name; /* of the field; NULL: loops know it by several names */
    const char *last; /* by which the last loop knows it */
    bool written, read_last;
} slot_use;

static slot_use use_of(const analysis_chain *a, int slot)
{
    slot_use use = {.name = NULL};
    bool one = true;
    for (int l = 0; l < a->loop_count; l++)
        for (int i = 0; i < a->loops[l].touch_count; i++) {
            const analysis_touch *t = &a->loops[l].touches[i];
            if (t->scalar || t->slot != slot) continue;
            const char *name = a->loops[l].loop->bindings[t->param].name;
            one = one && name && (!use.name || !strcmp(use.name, name));
            use.name = use.last = name;
            use.written = use.written || t->writes;
            use.read_last = !t->writes;
        }
    if (!one) use.name = NULL;
    return use;
}

/* Whether a chain makes the values of a field, and reads them before it ends, so that they might
 * never leave the caches; small fields stay there anyway. Fields that are exchanged carry values
 * from chain to chain, and what has a name now has another one later. */
static bool is_spare(const analysis_chain *a, int slot, const slot_use *use)
{
    const analysis_section all = {a, 0, a->loop_count};
    const chain_slot *s = a->slots[slot];
    grid_box memory = chain_slot_memory(s);
    int64_t bytes = grid_box_points(&memory) * s->components * ir_storages[s->type].bytes;
    bool ends_here = use->name && use->written && use->read_last;
    return ends_here && !s->temporary && !s->exchanged && !a->dead[slot] &&
           bytes > HOSTILE(machine_second_cache(), 0) && !analysis_takes(&all, slot);
}

/* Whether a field that is exchanged has values of a step before the last one when a chain ends,
 * while the fields of the program need more memory than the limit. */
static bool is_old(const analysis_chain *a, int slot, const slot_use *use)
{
    const chain_slot *s = a->slots[slot];
    return s->exchanged && s->pool && store_pool_is_short(s->pool) && !a->dead[slot] && use->last &&
           use->read_last;
}

static void note_spare(kata *k, const char *name, bool exchanged)
{
    int i = 0;
    while (i < k->spare_count && strcmp(k->spares[i].field, name) != 0) i++;
    if (i == API_SPARES) return;
    if (i == k->spare_count) {
        k->spares[k->spare_count++] = (api_spare){.exchanged = exchanged};
        snprintf(k->spares[i].field, sizeof k->spares[i].field, "%s", name);
    }
    k->spares[i].chains++;
}

void api_advice_note(kata *k, const analysis_chain *a)
{
    for (int slot = 0; slot < a->slot_count; slot++) {
        if (a->slots[slot]->is_scalar) continue;
        slot_use use = use_of(a, slot);
        if (is_spare(a, slot, &use)) note_spare(k, use.name, false);
        if (is_old(a, slot, &use)) note_spare(k, use.last, true);
    }
}

static void print_spares(text *out, const kata *k)
{
    for (int i = 0; i < k->spare_count; i++)
        if (k->spares[i].exchanged)
            text_add(out,
                     "  smaller     '%s' keeps the values that the last step of a chain has read "
                     "(%lld times): if nothing reads them afterwards, call kata_discard behind the "
                     "kernel that reads them, before fields are exchanged; then planes of it are "
                     "enough\n",
                     k->spares[i].field, (long long)k->spares[i].chains);
    for (int i = 0; i < k->spare_count; i++) {
        if (k->spares[i].exchanged) continue;
        text_add(out,
                 "  faster      '%s' is written and used up within a chain (%lld times), and left "
                 "in memory: if nothing reads it afterwards, make it a temporary field, or call "
                 "kata_discard before the chain ends\n",
                 k->spares[i].field, (long long)k->spares[i].chains);
    }
}

/* ---- ends of chains -------------------------------------------------------------------------- */

static void print_position(text *out, const api_force *f)
{
    text_add(out, " (first after '%s'", f->kernel);
    if (f->file[0]) text_add(out, ", applied at %s:%d", f->file, f->line);
    text_add(out, ")");
}

/* Where one call ends chains after a few loops. */
static void print_forces(text *out, const kata *k)
{
    const kata_work *w = &k->work;
    const api_force *most = NULL;
    for (int i = 0; i < k->force_count; i++)
        if (!most || k->forces[i].count > most->count) most = &k->forces[i];
    if (!most || w->chains < 4 || 2 * most->count < w->chains || w->loops >= 16 * w->chains) return;
    text_add(out, "  faster      a chain has %.3g loops, because %s needs results so often",
             (double)w->loops / (double)w->chains, most->call);
    print_position(out, most);
    text_add(out, ": loops are tiled together where it is called less often%s\n",
             strcmp(most->call, "kata_scalar_get") != 0
                 ? ""
                 : "; kata_scalar_log keeps a scalar's values without it");
}

void api_print_advice(text *out, const kata *k)
{
    print_forces(out, k);
    print_spares(out, k);
}
