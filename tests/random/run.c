/* Programs side by side in one context, step by step in turn, so that their loops share chains and
 * calls of the compiler. */
#include "random.h"

#include <stdlib.h>

/* ---- records --------------------------------------------------------------------------------- */

static seen *record_add(record *r, const seen *what)
{
    if (r->count == r->capacity) {
        r->capacity = 2 * r->capacity + 16;
        r->items = realloc(r->items, r->capacity * sizeof *r->items);
        if (!r->items) exit(99);
    }
    seen *item = &r->items[r->count++];
    *item = *what;
    item->values = calloc((size_t)what->count + 1, type_bytes(what->type));
    if (!item->values) exit(99);
    return item;
}

void record_free(record *r)
{
    for (size_t i = 0; i < r->count; i++) free(r->items[i].values);
    free(r->items);
    *r = (record){0};
}

/* ---- steps ----------------------------------------------------------------------------------- */

static kata_type other_floating(kata_type type)
{
    return type == KATA_F64 ? KATA_F32 : type_of_user(type) == KATA_F32 ? KATA_F64 : type;
}

static void get(live *l, int step, int f, const range *r, bool other_type, record *out)
{
    const field *spec = &l->p->fields[f];
    seen what = {.step = step, .index = f, .type = type_of_user(spec->type), .range = *r};
    if (other_type) what.type = other_floating(spec->type);
    what.count = range_points(r) * spec->components;
    seen *item = record_add(out, &what);
    live_get(l, f, r, item->type, item->values, item->count);
}

static void get_scalar(live *l, int step, int s, record *out)
{
    seen what = {.step = step, .is_scalar = true, .index = s, .count = l->p->scalars[s].count};
    what.type = l->p->scalars[s].type;
    seen *item = record_add(out, &what);
    kata_scalar_get_values(l->scalars[s], item->type, item->values, item->count);
}

static void get_log(live *l, int step, int s, record *out)
{
    const scalar *spec = &l->p->scalars[s];
    seen what = {.step = step, .is_scalar = true, .is_log = true, .index = s, .type = spec->type};
    what.count = kata_scalar_log_count(l->scalars[s]) * spec->count;
    seen *item = record_add(out, &what);
    kata_scalar_log_values(l->scalars[s], item->type, item->values, item->count);
}

static void set_boundary(live *l, const step *s)
{
    for (int i = 0; i < 2; i++) live_set_wall(l->fields[s->index], s->side + i, &s->walls[i]);
}

static void run_step(live *l, int i, record *out)
{
    const step *s = &l->p->steps[i];
    if (s->dropped) return;
    switch (s->kind) {
    case STEP_APPLY: live_apply(l, s); break;
    case STEP_SWAP: kata_swap(l->fields[s->index], l->fields[s->second]); break;
    case STEP_ROTATE:
        kata_rotate(l->fields[s->index], l->fields[s->second], l->fields[s->third]);
        break;
    case STEP_END: kata_step(l->k); break;
    case STEP_BOUNDARY: set_boundary(l, s); break;
    case STEP_GET: get(l, i, s->index, &s->range, s->other_type, out); break;
    case STEP_GET_SCALAR: get_scalar(l, i, s->index, out); break;
    case STEP_PUT: live_put(l, s->index, &s->range, s->seed); break;
    case STEP_COPY: live_copy(l, s); break;
    case STEP_FILL: live_fill(l, s); break;
    case STEP_INJECT:
    case STEP_RECORD: live_sparse(l, s); break;
    case STEP_UNTIL: live_until(l, s); break;
    case STEP_SET_SCALAR: kata_scalar_set(l->scalars[s->index], s->value); break;
    }
}

static void get_all(live *l, record *out)
{
    for (int f = 0; f < l->p->field_count; f++) {
        if (l->p->fields[f].temporary) continue;
        kata_range points = kata_on(l->fields[f]);
        range all = {.kind = RANGE_BOX, .level = l->p->fields[f].level};
        for (int d = 0; d < 3; d++) {
            all.lo[d] = points.lo[d];
            all.hi[d] = points.hi[d];
        }
        get(l, l->p->step_count, f, &all, false, out);
    }
    for (int s = 0; s < l->p->scalar_count; s++) {
        get_scalar(l, l->p->step_count, s, out);
        get_log(l, l->p->step_count, s, out);
    }
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void tell(void *out, kata_status status, const char *message)
{
    if (out) fprintf(out, "%s: %s\n", kata_status_name(status), message);
}

static void run_all(live *lives, int count, record *records)
{
    for (int s = 0; s < MAX_STEPS; s++)
        for (int i = 0; i < count; i++)
            if (s < lives[i].p->step_count) run_step(&lives[i], s, &records[i]);
    for (int i = 0; i < count; i++) get_all(&lives[i], &records[i]);
}

static kata *open_context(const setting *s, int threads, FILE *out)
{
    kata_options options = {.executor = s->executor,
                            .threads = threads,
                            .handler = tell,
                            .handler_data = out,
                            .plan = s->plan,
                            .device = s->device ? getenv("KATA_TEST_DEVICE") : "none",
                            .device_memory = s->device > 1 ? s->device : 0,
                            .memory = s->memory,
                            .no_warnings = true};
    setenv("KATA_LARGER", threads == 1 ? "0" : "1", 1); /* 0: smaller functions first */
    kata *k = kata_open(&options);
    if (!k) exit(99);
    return k;
}

/* ---- going on -------------------------------------------------------------------------------- */

/* One of the steps that end a time step, at random; step_count: there is none. */
static int choose_end(const program *p)
{
    int ends = 0, chosen = p->step_count;
    for (int i = 0; i < p->step_count; i++)
        if (p->steps[i].kind == STEP_END && !p->steps[i].dropped)
            if (p->seed % (uint64_t)++ends == 0) chosen = i;
    return chosen;
}

/* Runs a program up to a step that ends a time step, in a context that leaves a checkpoint; and
 * from there on in another one. */
static kata_status run_resumed(live *l, program *p, const setting *s, FILE *out, record *r)
{
    char path[64];
    const int end = choose_end(p);
    kata *k = open_context(s, s->threads, out);
    snprintf(path, sizeof path, "resumed-%llu.h5", (unsigned long long)p->seed);
    live_open(l, k, p, s);
    for (int i = 0; i < end; i++) run_step(l, i, r);
    if (end == p->step_count) {
        get_all(l, r);
        return (kata_status)kata_close(k);
    }
    kata_checkpoint(k, path, .steps = 1);
    kata_step(k);
    kata_status status = (kata_status)kata_close(k);
    if (status) return status;
    k = open_context(s, s->threads % 3 + 1, out);
    live_open(l, k, p, s);
    kata_checkpoint(k, path);
    kata_resume(k);
    for (int i = end + 1; i < p->step_count; i++) run_step(l, i, r);
    get_all(l, r);
    if (kata_rank(k) == 0) remove(path);
    return (kata_status)kata_close(k);
}

/* ---- side by side ---------------------------------------------------------------------------- */

void (*run_when_warm)(kata *k);

static kata_status run_together(live *lives, program *const *programs, int count, const setting *s,
                                FILE *out, record *records)
{
    kata *k = open_context(s, s->threads, out);
    for (int i = 0; i < count; i++) live_open(&lives[i], k, programs[i], s);
    for (int i = 0; i < count && !getenv("KATA_CHECK"); i++) live_warm(&lives[i]);
    if (run_when_warm && s->device && kata_ok(k)) run_when_warm(k);
    kata_flush(k);
    if (kata_ok(k)) run_all(lives, count, records);
    return (kata_status)kata_close(k);
}

kata_status run_programs(program *const *programs, int count, const setting *s, FILE *out,
                         record *records)
{
    kata_status status = KATA_OK;
    live *lives = calloc((size_t)count, sizeof *lives);
    if (!lives) exit(99);
    room_list *rooms = rooms_new();
    for (int i = 0; i < count; i++) lives[i].rooms = rooms;
    for (int i = 0; i < count && s->resumed && !status; i++)
        status = run_resumed(&lives[i], programs[i], s, out, &records[i]);
    if (!s->resumed) status = run_together(lives, programs, count, s, out, records);
    free(lives);
    bool intact = rooms_close(rooms);
    if (!intact) tell(out, KATA_ERROR_INTERNAL, "memory around wrapped values was written");
    return intact ? status : KATA_ERROR_INTERNAL;
}
