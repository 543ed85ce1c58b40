/* What loops that run at once hand on. A thread keeps some planes of its own points of each step;
 * what other threads of the group read of them it also puts into memory that the group shares,
 * where the points of a lane lie together. Arrays have indices that are known, so that they are
 * registers.
 */
#include "codegen/thread.h"

static int larger_of(int a, int b) { return a > b ? a : b; }

/* Planes that are fetched lie where others read them, and where they come in. Turns have as many
 * rounds as threads keep planes: so each round finds its plane at a known place. */
static void set_slots(codegen_handing *h)
{
    enum { AHEAD = 2 }; /* at least */
    const int read = larger_of(h->buffers, 1);
    h->slots = (int)round_up(read + AHEAD, h->planes);
    h->ahead = h->slots - read;
}

codegen_handing codegen_handing_of(const codegen_loop *loop, const codegen_section *s)
{
    const ir_kernel *kernel = loop->kernel;
    codegen_handing h = {.reach = {0, 0}};
    int lowest = 0;
    bool beside = false;
    const bool turns = s->mirrors & CODEGEN_MIRRORS_Z;
    for (int i = 0; i < kernel->access_count; i++) {
        const int32_t *offset = kernel->accesses[i].offset;
        if (kernel->accesses[i].param != s->from) continue;
        for (int d = 0; d < 2; d++)
            h.reach[d] = larger_of(h.reach[d], offset[d] < 0 ? -offset[d] : offset[d]);
        /* what is read beyond a side that mirrors is as far inside */
        const int above = turns ? larger_of(offset[2], -offset[2]) : offset[2];
        h.below = larger_of(h.below, turns ? above : -offset[2]);
        h.delay = larger_of(h.delay, above);
        if (!offset[0] && !offset[1]) continue;
        /* what other threads have comes a round later */
        h.delay = larger_of(h.delay, above + 1);
        lowest = beside && lowest < offset[2] ? lowest : offset[2];
        beside = true;
    }
    /* outside of the box, points have what they had two steps before */
    h.planes = h.delay + larger_of(h.below, h.delay) + 1;
    h.buffers = beside ? h.delay - lowest + 1 : 0;
    if (s->fetches) set_slots(&h);
    h.halo[0] = (int)round_up(s->steps * h.reach[0], s->vector);
    h.halo[1] = s->steps * h.reach[1];
    h.tile[0] = s->threads[0] * s->vector;
    h.tile[1] = s->threads[1] * s->rows;
    return h;
}

int codegen_rest(int n, int of) { return (int)(n - floor_divide(n, of) * of); }

codegen_label codegen_section_plane(int step, int plane)
{
    return codegen_format("step_%d_%d", step, plane);
}

int codegen_shared_plane(const codegen_section *s)
{
    return s->threads[0] * s->vector * s->threads[1] * s->rows;
}

int codegen_shared_planes(const codegen_handing *h, const codegen_section *s)
{
    return h->slots + h->buffers * (s->steps - (s->fetches ? 1 : 0));
}

int codegen_shared_beyond(const codegen_handing *h, const codegen_section *s)
{
    return h->reach[1] * s->threads[0] + (h->reach[0] + s->vector - 1) / s->vector;
}

static int element_at(const codegen_section *s, int lane, int row)
{
    return codegen_rest(lane, s->vector) * s->threads[0] * s->threads[1] * s->rows +
           row * s->threads[0] + (int)floor_divide(lane, s->vector);
}

codegen_label codegen_shared(const codegen_writer *w, int round, int lane, int row)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const int step = w->step - (s->fetches ? 1 : 0);
    return codegen_format("shared_%d[%d]", codegen_rest(round, h.buffers),
                          step * codegen_shared_plane(s) + element_at(s, lane, row));
}

codegen_label codegen_shared_from(const codegen_writer *w, int round)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    return codegen_format("shared_%d[%d + from]", codegen_rest(round, h.buffers),
                          (w->step - (s->fetches ? 1 : 0)) * codegen_shared_plane(s));
}

codegen_label codegen_came(const codegen_writer *w, int round, int lane, int row)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const int slot = codegen_rest(round, h.slots);
    return codegen_format("came_%d[%d]", slot / h.planes,
                          slot % h.planes * codegen_shared_plane(s) + element_at(s, lane, row));
}

bool codegen_is_own(const codegen_section *s, int lane, int row)
{
    return lane >= 0 && lane < s->vector && row >= 0 && row < s->rows;
}

/* Whether another thread reads an element. */
static bool is_shared(const codegen_writer *w, int lane, int row)
{
    const ir_kernel *kernel = w->loop->kernel;
    /* which points lie beyond a side, is known when the kernel runs */
    bool shared =
        w->step && w->inside != CODEGEN_ALL_INSIDE && w->section->mirrors & CODEGEN_MIRRORS_TILES;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (!codegen_is_of_section(w, a->param) || (!a->offset[0] && !a->offset[1])) continue;
        shared = shared || !codegen_is_own(w->section, lane - a->offset[0], row - a->offset[1]);
    }
    return shared;
}

void codegen_section_share(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const codegen_label plane = codegen_section_plane(w->step, codegen_rest(w->round, h.planes));
    for (int row = 0; row < s->rows; row++)
        for (int lane = 0; lane < s->vector; lane++)
            if (is_shared(w, lane, row))
                nest_statement(in, "%s = %s[%d]", codegen_shared(w, w->round, lane, row).is,
                               plane.is, row * s->vector + lane);
}

void codegen_section_element(text *out, const codegen_writer *w, const int32_t offset[3])
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const int lane = w->lane + offset[0], row = w->row + offset[1];
    const int before = h.delay - offset[2]; /* rounds since the plane came */
    if (codegen_is_own(s, lane, row))
        text_add(out, "%s[%d]",
                 codegen_section_plane(w->step, codegen_rest(w->round - before, h.planes)).is,
                 row * s->vector + lane);
    else if (s->fetches && !w->step)
        text_add(out, "%s", codegen_came(w, w->round - before, lane, row).is);
    else if (h.buffers)
        text_add(out, "%s", codegen_shared(w, w->round - before, lane, row).is);
}
