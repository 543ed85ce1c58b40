/* Loops of a chain that run at once on a device, as a section of overlapped tiles: each reads what
 * the one before has written, and two fields take turns. The section reads the first field and
 * writes the second. The first one then does not have the values that the last loop but one would
 * have given it: so the loop behind the section must write them anew, without reading any. */
#include "exec/device_tune.h"

#include <string.h>

enum {
    MOST_STEPS = DEVICE_MOST_STEPS,
    MOST_MISSED = 500 /* loops that might have begun a section */
};

/* ---- loops that take turns ------------------------------------------------------------------- */

/* The parameter that is given what loop a writes, in loop b; -1: none. `to` is what both write. */
static int find_from(const chain_loop *a, const chain_loop *b, int to)
{
    int from = -1;
    if (a->kernel != b->kernel) return from;
    for (int p = 0; p < a->kernel->param_count; p++)
        if (p != to && ir_param_is_field(&a->kernel->params[p]) &&
            b->bindings[p].slot == a->bindings[to].slot)
            from = p;
    return from;
}

/* Whether loop b is loop a again, with the two fields exchanged. */
static bool takes_turn(const chain_loop *a, const chain_loop *b, int from, int to)
{
    bool turn = b->bindings[from].slot == a->bindings[to].slot &&
                b->bindings[to].slot == a->bindings[from].slot;
    for (int p = 0; p < a->kernel->param_count && turn; p++)
        if (p != from && p != to && ir_param_is_field(&a->kernel->params[p]))
            turn = a->bindings[p].slot == b->bindings[p].slot;
    return turn;
}

static int written_by(const ir_kernel *kernel)
{
    const ir_param *param =
        kernel->store_count == 1 ? &kernel->params[kernel->stores[0].param] : NULL;
    return param && ir_param_is_field(param) ? kernel->stores[0].param : -1;
}

/* Whether two loops run the same kernel on the same points, with fields of equal rules. */
static bool are_alike(const chain_loop *a, const chain_loop *b)
{
    bool alike = a->kernel == b->kernel && grid_shape_equal(&a->shape, &b->shape) &&
                 !memcmp(&a->box, &b->box, sizeof a->box) && !b->copy && !b->once && !b->parted &&
                 a->colors == b->colors;
    for (int p = 0; alike && p < a->kernel->param_count; p++)
        if (ir_param_is_field(&a->kernel->params[p]))
            alike = grid_boundary_equal(a->bindings[p].boundary, b->bindings[p].boundary);
    return alike;
}

/* How many loops from number i on take turns, as far as is looked. */
static size_t count_turns(struct exec_device *d, const chain *c, size_t i, int from, int to)
{
    size_t count = 1;
    while (count <= MOST_STEPS && i + count < c->count) {
        const chain_loop *before = &c->loops[i + count - 1], *loop = &c->loops[i + count];
        if (!are_alike(before, loop) || !takes_turn(before, loop, from, to)) break;
        const device_ready *ready = device_ready_of(d, loop);
        if (!ready || ready->why) break;
        count++;
    }
    return count;
}

/* ---- which loops ----------------------------------------------------------------------------- */

static bool is_whole(const chain_slot *slot)
{
    return !slot->part && !(slot->on_device && slot->on_device->ring);
}

/* Whether a loop may be one of a section at all. */
static bool is_suited(const device_loop *l, int from, int to)
{
    const chain_loop *loop = l->loop;
    bool suited = !loop->copy && !loop->once && !loop->parted && loop->shape.rank == 3 &&
                  !grid_box_is_empty(&loop->box) && !l->ready->outside &&
                  is_whole(loop->bindings[from].slot) && is_whole(loop->bindings[to].slot) &&
                  loop->bindings[from].slot->components == 1 &&
                  loop->bindings[to].slot->components == 1 &&
                  chain_slot_same_points(loop->bindings[from].slot, loop->bindings[to].slot) &&
                  loop->bindings[from].slot->type == loop->bindings[to].slot->type;
    return suited && device_section_closed(loop, from);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Whether elements of both fields are at the same places of their memory. */
static bool lie_alike(const chain_loop *loop, const device_way *way)
{
    const abi_place *a = &loop->bindings[way->section.from].slot->on_device->place;
    const abi_place *b = &loop->bindings[way->section.to].slot->on_device->place;
    return a->at == b->at && a->y == b->y && a->z == b->z;
}

/* Brings what all loops of a section need; `some`: false where they do not lie as is needed. */
static kata_status bring(const device_loop *loops, const device_way *way, bool *some)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < way->section.steps && !status; i++) {
        if (device_has_checked(loops[i].d, loops[i].loop)) status = device_settle(&loops[i]);
        if (!status && device_awaits(loops[i].d, loops[i].loop))
            status = device_fetch_reductions(&loops[i]);
    }
    for (int i = 0; i < 2 && !status; i++) status = device_bring_fields(&loops[i]);
    if (status) return status;
    *some = lie_alike(loops->loop, way) && device_is_wide(loops[0].loop) == way->section.wide &&
            device_is_wide(loops[1].loop) == way->section.wide;
    return KATA_OK;
}

/* Gives up a way; where it was tried, the next one is. */
static void give_up(const device_loop *l, struct device_tune *t, int way, const char *why)
{
    const bool tried = t->phase == DEVICE_TRIES;
    if (!t->ways[way].dropped) device_tune_drop(t, way, why);
    if (tried) device_tune_note(l, t, 0);
}

/* Loops run one by one in the place of a way; where it is tried, not for ever. */
static kata_status miss(const device_loop *l, struct device_tune *t, int way, bool timed,
                        const char *why)
{
    if (timed && t->missed++ == MOST_MISSED) give_up(l, t, way, why);
    return KATA_OK;
}

static kata_status run_way(const device_loop *loops, struct device_tune *t, int i, bool timed,
                           size_t *ran)
{
    device_way *way = &t->ways[i];
    device *d = loops->d->device;
    bool some = true;
    if (!device_tune_kernel(loops, t, i)) {
        give_up(loops, t, i, "it does not compile");
        return KATA_OK;
    }
    kata_status status = bring(loops, way, &some);
    if (status || !some) return status ? status : miss(loops, t, i, timed, "fields lie otherwise");
    observe_meter *meter = loops->context->meter;
    const bool metered = meter && meter->waits, waits = timed || metered;
    if (waits && !device_wait(d, DEVICE_WORK)) return device_failed(loops, "failed before");
    const double start = clock_seconds();
    status = device_run_at_once(loops, way, &some);
    if (!status && !some) give_up(loops, t, i, "the device has too little for it");
    if (status || !some) return status;
    loops->d->loops += way->section.steps;
    loops->d->at_once += way->section.steps;
    *ran = (size_t)way->section.steps;
    if (waits && !device_wait(d, DEVICE_WORK)) return device_failed(loops, "failed in");
    const double each = (clock_seconds() - start) / way->section.steps;
    for (size_t k = 0; k < *ran; k++) observe_meter_note(meter, loops[k].loop, metered ? each : 0);
    if (timed) device_tune_note(loops, t, each);
    return KATA_OK;
}

/* Times the loops one by one. */
static kata_status run_usual(const device_loop *loops, struct device_tune *t, size_t count,
                             size_t *ran)
{
    device *d = loops->d->device;
    kata_status status = KATA_OK;
    if (!device_wait(d, DEVICE_WORK)) return device_failed(loops, "failed before");
    const double start = clock_seconds();
    for (; *ran < count && !status; *ran += 1) status = device_run_one(&loops[*ran]);
    if (!status && !device_wait(d, DEVICE_WORK)) return device_failed(loops, "failed in");
    if (!status) device_tune_note(loops, t, (clock_seconds() - start) / (double)count);
    return status;
}

/* What is known of sections of a loop, if it may be one of a section. */
static struct device_tune *find_sections(const device_loop *l, int from, int to)
{
    device_ready *ready = l->ready;
    const bool wide = device_is_wide(l->loop);
    const bool known = ready->section && ready->from == from;
    if (known && (ready->section->count == 1 || ready->section->wide == wide))
        return ready->section;
    ready->from = from;
    ready->section = device_sections_of(l, is_suited(l, from, to) ? from : -1, wide);
    return ready->section;
}

/* Whether it is known, or cannot be found out yet, that loops run one by one. */
static bool is_one_by_one(const device_loop *l, const struct device_tune *t)
{
    const bool settled = l->ready->tune && l->ready->tune->phase == DEVICE_SETTLED;
    return t->count == 1 || (t->phase == DEVICE_SETTLED && !t->best) ||
           (!settled && !l->d->asked.steps);
}

/* Whether loops run one by one: the program says so, or asks for a shape of loops. */
static bool is_by_loop(const device_loop *l)
{
    const char *method = l->context->fastest ? NULL : l->context->request[0].method;
    return (method && !strcmp(method, "loops")) ||
           (device_is_asked(&l->d->asked) && !l->d->asked.steps);
}

size_t device_section_turns(const device_loop *l, const chain *c, size_t i, int *from, int *to)
{
    *to = written_by(l->loop->kernel);
    const bool more = i + 2 < c->count && *to >= 0 && !is_by_loop(l);
    *from = more ? find_from(l->loop, &c->loops[i + 1], *to) : -1;
    return *from >= 0 && is_suited(l, *from, *to) ? count_turns(l->d, c, i, *from, *to) : 0;
}

kata_status device_run_section(const device_loop *l, const chain *c, size_t i, size_t *ran)
{
    const int to = written_by(l->loop->kernel);
    const bool more = i + 2 < c->count && to >= 0 && !is_by_loop(l);
    const int from = more ? find_from(l->loop, &c->loops[i + 1], to) : -1;
    if (from < 0) return KATA_OK;
    struct device_tune *t = find_sections(l, from, to);
    if (!t) return message_no_memory(l->m);
    if (is_one_by_one(l, t)) return KATA_OK;
    const size_t count = count_turns(l->d, c, i, from, to);
    device_loop loops[MOST_STEPS + 1];
    for (size_t k = 0; k < count; k++) {
        loops[k] = *l;
        loops[k].loop = &c->loops[i + k];
        loops[k].ready = k ? device_ready_of(l->d, loops[k].loop) : l->ready;
    }
    bool timed = false;
    enum { USUAL = 3 };
    if (count < USUAL) return KATA_OK;
    const int way = device_tune_turn(l, t, &timed);
    if (!way) return timed ? run_usual(loops, t, USUAL, ran) : KATA_OK;
    if ((size_t)t->ways[way].section.steps < count) return run_way(loops, t, way, timed, ran);
    return miss(l, t, way, timed, "chains are too short");
}
