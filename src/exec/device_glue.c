/* Loops at once on tiles that are streamed. A chain that is to be streamed gets one loop in the
 * place of some that take turns: such a loop reads as far along z as all of them, and is cut into
 * tiles as any other. Its kernel is that of a section, whose values in between are in no memory; so
 * tiles follow one another without points that two of them compute, but for the planes that lie
 * around a tile. How the loops run that it stands for is found out as for whole fields: one by one
 * first, then at once; what is faster on a tile stays. */
#include "exec/device_rings.h"
#include "exec/device_tune.h"

/* Most planes that grids have; so far away lies what wraps. */
static const int64_t FAR = (int64_t)1 << 29;

/* Along z, a loop on all planes of a periodic field may be rolled out. */
static bool is_cut_freely(const chain_loop *loop, int from)
{
    return device_section_wraps(loop, from, 2) ||
           !grid_boundary_is_periodic(loop->bindings[from].boundary, 2);
}

/* Whether nothing but two fields and numbers is given, and no number that loops may change. */
static bool is_given_two(const chain_loop *loop)
{
    int fields = 0, scalars = 0;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const bool field = ir_param_is_field(&loop->kernel->params[p]);
        fields += field;
        scalars += !field && loop->bindings[p].slot;
    }
    return fields == 2 && !scalars && !loop->kernel->guarded;
}

static int steps_of(const struct exec_device *d)
{
    enum { STEPS = 3 };
    return d->asked.steps ? (int)d->asked.steps : STEPS;
}

/* The sections of a loop that may stand for itself and some that follow it; NULL: it may not. */
static struct device_tune *find_sections(const device_loop *l, const chain *c, size_t i, int *from,
                                         int *to)
{
    const int steps = steps_of(l->d);
    if (l->d->language != CODEGEN_CUDA || l->ready->why || l->loop->once ||
        !is_given_two(l->loop) || device_section_turns(l, c, i, from, to) <= (size_t)steps ||
        !is_cut_freely(l->loop, *from) || device_section_mirrors(l->loop, *from))
        return NULL;
    struct device_tune *t = device_tile_sections_of(l, *from, steps, device_is_wide(l->loop));
    return t && t->count > 1 && device_tune_glues(l, t) ? t : NULL;
}

/* What a loop is that stands for some. */
static void describe(const device_loop *l, int from, int to, device_glued *g)
{
    g->as = (chain_at_once){.loops = l->loop,
                            .count = steps_of(l->d),
                            .from = from,
                            .to = to,
                            .inside = true,
                            .all = l->loop->box};
    for (int d = 0; d < 3; d++)
        g->as.inside = g->as.inside && device_section_wraps(l->loop, from, d);
    if (!device_section_wraps(l->loop, from, 2)) return;
    g->as.all.lo[2] = -FAR;
    g->as.all.hi[2] = FAR;
}

/* Adds a loop, as one that stands for some if `all` is there. */
static bool add(exec_local *out, const chain_loop *loop, size_t number, const chain_at_once *all)
{
    if (!exec_local_add(out, loop, (int)number, &loop->box, loop->parted)) return false;
    out->chain.loops[out->chain.count].at_once = all;
    return exec_local_bound(out);
}

kata_status device_glue(exec_context *context, const chain *c, exec_local *out, messages *m)
{
    struct exec_device *d = context->device;
    bool done = true;
    for (size_t i = 0; i < c->count && done;) {
        const device_loop l = {context, d, &c->loops[i], m, device_ready_of(d, &c->loops[i])};
        int from = -1, to = -1;
        if (!l.ready) return message_no_memory(m);
        struct device_tune *t = find_sections(&l, c, i, &from, &to);
        device_glued *g = t ? arena_alloc(&out->memory, sizeof *g) : NULL;
        done = !t || g;
        if (g) {
            describe(&l, from, to, g);
            g->tune = t;
        }
        done = done && add(out, l.loop, i, g ? &g->as : NULL);
        i += g ? (size_t)g->as.count : 1;
    }
    return done ? KATA_OK : message_no_memory(m);
}
