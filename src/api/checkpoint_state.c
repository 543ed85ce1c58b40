/* What a checkpoint has beside the values of fields, as records. */
#include "api/checkpoint.h"

#include <string.h>

enum { VERSION = 2, MOST_BOXES = 4096 };
static const int64_t MOST_ENTRIES = INT64_C(1) << 60;

/* ---- writing --------------------------------------------------------------------------------- */

/* What a field has to be like. */
typedef struct field_facts {
    int32_t type, components;
    int64_t size[3]; /* of its grid */
    grid_box memory;
    int32_t rank, staggered[3], lacks[3], location;
    uint64_t mesh; /* a hash of its tables; 0: it lies on none */
} field_facts;

static field_facts facts_of(const kata_field *field)
{
    const chain_slot *slot = field->slot;
    field_facts f;
    memset(&f, 0, sizeof f); /* it is compared byte by byte */
    f.type = (int32_t)slot->type;
    f.components = slot->components;
    f.rank = field->grid->shape.rank;
    f.location = (int32_t)slot->on | (int32_t)slot->each << 8;
    f.memory = chain_slot_memory(slot);
    f.mesh = field->grid->mesh ? field->grid->mesh->identity : 0;
    for (int d = 0; d < 3; d++) {
        f.size[d] = field->grid->shape.size[d];
        f.staggered[d] = slot->staggered[d];
        f.lacks[d] = slot->absent_axis[d] != 0;
    }
    return f;
}

/* What of it changes in a run. */
typedef struct field_state {
    int32_t discarded, tracked;
    int64_t boxes; /* where it was written since it was discarded */
} field_state;

static void put_side(checkpoint_bytes *b, const grid_boundary *boundary, int side)
{
    const int32_t rule = (int32_t)boundary->side[side].rule;
    checkpoint_put(b, &rule, sizeof rule);
    checkpoint_put(b, &boundary->side[side].value, sizeof(double));
    if (boundary->side[side].rule == KATA_LINEAR)
        checkpoint_put(b, boundary->weights[side], sizeof(grid_weights));
}

static void put_field(checkpoint_bytes *b, const kata_field *field)
{
    const chain_slot *slot = field->slot;
    const field_facts facts = facts_of(field);
    const size_t at = checkpoint_begin(b, CHECKPOINT_FIELD, field->name);
    const field_state state = {slot->discarded, slot->tracked, (int64_t)slot->set.count};
    checkpoint_put(b, &facts, sizeof facts);
    checkpoint_put(b, &state, sizeof state);
    checkpoint_put(b, slot->set.boxes, slot->set.count * sizeof *slot->set.boxes);
    for (int side = 0; side < 6; side++) put_side(b, &field->boundary, side);
    checkpoint_end(b, at);
}

typedef struct scalar_facts {
    int32_t type, elements;
    int64_t room; /* of its log; 0: there is none */
} scalar_facts;

static scalar_facts scalar_facts_of(const kata_scalar *s)
{
    return (scalar_facts){(int32_t)s->slot->type, s->slot->components,
                          s->slot->log ? s->slot->log->room : 0};
}

static size_t log_bytes(const chain_slot *slot)
{
    return (size_t)(slot->log->room * slot->components) * sizeof *slot->log->values;
}

static void put_scalar(checkpoint_bytes *b, const kata_scalar *s)
{
    const scalar_facts facts = scalar_facts_of(s);
    const size_t at = checkpoint_begin(b, CHECKPOINT_SCALAR, s->name);
    checkpoint_put(b, &facts, sizeof facts);
    for (int i = 0; i < facts.elements; i++) {
        const ir_value value = store_scalar(s->slot, i);
        checkpoint_put(b, &value, sizeof value);
    }
    if (facts.room) {
        checkpoint_put(b, &s->slot->log->count, sizeof s->slot->log->count);
        checkpoint_put(b, s->slot->log->values, log_bytes(s->slot));
    }
    checkpoint_end(b, at);
}

void checkpoint_write_state(kata *k, checkpoint_bytes *state)
{
    const int64_t version = VERSION, step = k->checkpoint->before + k->work.steps;
    size_t at = checkpoint_begin(state, CHECKPOINT_STEP, "");
    checkpoint_put(state, &version, sizeof version);
    checkpoint_put(state, &step, sizeof step);
    checkpoint_end(state, at);
    for (const kata_field *f = k->fields; f; f = f->next)
        if (!f->slot->temporary) put_field(state, f);
    for (const kata_scalar *s = k->scalars; s; s = s->next) put_scalar(state, s);
    for (const struct api_kept *v = k->kept; v; v = v->next) {
        at = checkpoint_begin(state, CHECKPOINT_KEPT, v->name);
        checkpoint_put(state, v->variable, v->bytes);
        checkpoint_end(state, at);
    }
    for (const struct api_required *r = k->required; r; r = r->next) {
        at = checkpoint_begin(state, CHECKPOINT_REQUIRED, r->name);
        checkpoint_put(state, r->value, strlen(r->value));
        checkpoint_end(state, at);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

static const char *kind_name(int32_t kind)
{
    static const char *const names[] = {[CHECKPOINT_FIELD] = "field",
                                        [CHECKPOINT_SCALAR] = "scalar",
                                        [CHECKPOINT_KEPT] = "variable",
                                        [CHECKPOINT_REQUIRED] = "requirement"};
    return kind >= CHECKPOINT_FIELD && kind <= CHECKPOINT_REQUIRED ? names[kind] : "record";
}

static kata_status differs(kata *k, int32_t kind, const char *name, const char *how)
{
    return api_fail(k, KATA_ERROR_FILE, "%s is a checkpoint of another program: %s '%s' %s",
                    k->checkpoint->reads, kind_name(kind), name, how);
}

static kata_status compare_field(const kata_field *field, const checkpoint_bytes *state)
{
    kata *k = field->k;
    checkpoint_bytes record;
    field_facts there;
    const field_facts here = facts_of(field);
    if (!checkpoint_find(state, CHECKPOINT_FIELD, field->name, &record))
        return differs(k, CHECKPOINT_FIELD, field->name, "is not in it");
    checkpoint_get(&record, &there, sizeof there);
    if (there.type != here.type)
        return differs(k, CHECKPOINT_FIELD, field->name, "has another type");
    if (there.components != here.components)
        return differs(k, CHECKPOINT_FIELD, field->name, "has another number of components");
    if (there.mesh != here.mesh)
        return differs(k, CHECKPOINT_FIELD, field->name, "lies on another mesh");
    return !memcmp(&here, &there, sizeof here)
               ? KATA_OK
               : differs(k, CHECKPOINT_FIELD, field->name, "has other points");
}

static kata_status compare_scalar(const kata_scalar *s, const checkpoint_bytes *state)
{
    checkpoint_bytes record;
    scalar_facts there;
    const scalar_facts here = scalar_facts_of(s);
    if (!checkpoint_find(state, CHECKPOINT_SCALAR, s->name, &record))
        return differs(s->k, CHECKPOINT_SCALAR, s->name, "is not in it");
    checkpoint_get(&record, &there, sizeof there);
    if (there.type != here.type || there.elements != here.elements)
        return differs(s->k, CHECKPOINT_SCALAR, s->name, "has another type, or other elements");
    return there.room == here.room ? KATA_OK
                                   : differs(s->k, CHECKPOINT_SCALAR, s->name,
                                             "has a log with room for another number");
}

static kata_status compare_kept(kata *k, const struct api_kept *v, const checkpoint_bytes *state)
{
    checkpoint_bytes record;
    if (!checkpoint_find(state, CHECKPOINT_KEPT, v->name, &record))
        return differs(k, CHECKPOINT_KEPT, v->name, "is not in it");
    return record.count == v->bytes
               ? KATA_OK
               : differs(k, CHECKPOINT_KEPT, v->name, "has another number of bytes");
}

/* Its own value is known good; that of the file may be anything. */
static kata_status compare_required(kata *k, const struct api_required *r,
                                    const checkpoint_bytes *state)
{
    char there[CHECKPOINT_MOST_REQUIRED + 1] = {0};
    checkpoint_bytes record;
    if (!checkpoint_find(state, CHECKPOINT_REQUIRED, r->name, &record))
        return differs(k, CHECKPOINT_REQUIRED, r->name, "is not in it");
    if (record.count == strlen(r->value) && !memcmp(record.data, r->value, record.count))
        return KATA_OK;
    checkpoint_get(&record, there, record.count < sizeof there ? record.count : 0);
    for (char *c = there; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    return api_fail(k, KATA_ERROR_FILE, "%s is a checkpoint of a run with %s = '%s', not '%s'",
                    k->checkpoint->reads, r->name, there, r->value);
}

static bool has(const kata *k, int32_t kind, const char *name)
{
    if (kind == CHECKPOINT_STEP) return true;
    for (const kata_field *f = k->fields; f && kind == CHECKPOINT_FIELD; f = f->next)
        if (!f->slot->temporary && !strcmp(f->name, name)) return true;
    for (const kata_scalar *s = k->scalars; s && kind == CHECKPOINT_SCALAR; s = s->next)
        if (!strcmp(s->name, name)) return true;
    for (const struct api_kept *v = k->kept; v && kind == CHECKPOINT_KEPT; v = v->next)
        if (!strcmp(v->name, name)) return true;
    for (const struct api_required *r = k->required; r && kind == CHECKPOINT_REQUIRED; r = r->next)
        if (!strcmp(r->name, name)) return true;
    return false;
}

/* Whether the program has everything that is in the state. */
static kata_status compare_others(kata *k, const checkpoint_bytes *state)
{
    checkpoint_bytes all = {.data = state->data, .count = state->count}, record;
    checkpoint_header h;
    char name[CHECKPOINT_LONGEST + 1];
    while (checkpoint_next(&all, &h, name, &record))
        if (!has(k, h.kind, name)) return differs(k, h.kind, name, "is in it, and not here");
    return KATA_OK;
}

kata_status checkpoint_compare(kata *k, const checkpoint_bytes *state, int64_t *step)
{
    checkpoint_bytes record;
    int64_t version = 0;
    if (checkpoint_find(state, CHECKPOINT_STEP, "", &record)) {
        checkpoint_get(&record, &version, sizeof version);
        checkpoint_get(&record, step, sizeof *step);
    }
    if (version != VERSION || record.failed || *step < 0)
        return api_fail(k, KATA_ERROR_FILE, "%s is a checkpoint of another version of Katagami",
                        k->checkpoint->reads);
    kata_status status = KATA_OK;
    for (const struct api_required *r = k->required; r && !status; r = r->next)
        status = compare_required(k, r, state);
    for (const kata_field *f = k->fields; f && !status; f = f->next)
        if (!f->slot->temporary) status = compare_field(f, state);
    for (const kata_scalar *s = k->scalars; s && !status; s = s->next)
        status = compare_scalar(s, state);
    for (const struct api_kept *v = k->kept; v && !status; v = v->next)
        status = compare_kept(k, v, state);
    return status ? status : compare_others(k, state);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What of a field's record comes before its rules. False where it is not there. */
static bool open_field(const kata_field *field, const checkpoint_bytes *state,
                       checkpoint_bytes *record, field_state *its)
{
    field_facts facts;
    if (!checkpoint_find(state, CHECKPOINT_FIELD, field->name, record)) return false;
    checkpoint_get(record, &facts, sizeof facts);
    checkpoint_get(record, its, sizeof *its);
    return !record->failed;
}

int checkpoint_dataset_of(const kata_field *field, const checkpoint_bytes *state)
{
    checkpoint_bytes all = {.data = state->data, .count = state->count}, record;
    checkpoint_header h;
    char name[CHECKPOINT_LONGEST + 1];
    int number = 0; /* the state is number 0 */
    while (checkpoint_next(&all, &h, name, &record)) {
        field_facts facts;
        field_state its;
        if (h.kind != CHECKPOINT_FIELD) continue;
        checkpoint_get(&record, &facts, sizeof facts);
        checkpoint_get(&record, &its, sizeof its);
        if (!its.discarded) number++;
        if (!strcmp(name, field->name)) return its.discarded ? 0 : number;
    }
    return 0;
}

static kata_status damaged(kata *k, int32_t kind, const char *name)
{
    return api_fail(k, KATA_ERROR_FILE, "%s: the checkpoint of %s '%s' makes no sense",
                    k->checkpoint->reads, kind_name(kind), name);
}

/* As the program names a side of the array. */
static kata_side named_side(const kata_field *field, int side)
{
    int d = 0;
    if (!field->grid->mesh) return (kata_side)side;
    while (field->grid->mesh->as.axis[d] != side / 2) d++;
    return (kata_side)(2 * d + side % 2);
}

static kata_status read_side(kata_field *field, checkpoint_bytes *record, int at)
{
    const kata_side side = named_side(field, at);
    int32_t rule;
    double value;
    grid_weights weights = {.depth = 0};
    checkpoint_get(record, &rule, sizeof rule);
    checkpoint_get(record, &value, sizeof value);
    if (rule != KATA_LINEAR && at / 2 >= field->grid->shape.rank) return KATA_OK;
    if (rule == KATA_NONE && field->grid->mesh && side < KATA_Z_LOW) return KATA_OK;
    if (field->slot->absent_axis[at / 2]) return KATA_OK;
    if (rule != KATA_LINEAR) return kata_boundary_set(field, side, (kata_rule)rule, value);
    checkpoint_get(record, &weights, sizeof weights);
    double rows[GRID_MOST_DEPTH * (GRID_MOST_COUNT + 1)] = {0};
    bool good = weights.depth > 0 && weights.depth <= GRID_MOST_DEPTH && weights.count > 0 &&
                weights.count <= GRID_MOST_COUNT;
    if (!good) return damaged(field->k, CHECKPOINT_FIELD, field->name);
    for (int j = 0; j < weights.depth; j++)
        memcpy(rows + j * (weights.count + 1), weights.row[j],
               (size_t)(weights.count + 1) * sizeof *rows);
    const kata_linear_options options = {.size = sizeof options,
                                         .depth = weights.depth,
                                         .count = weights.count,
                                         .weights = rows,
                                         .value = value};
    return kata_boundary_linear_with(field, side, &options);
}

static kata_status read_field(kata_field *field, const checkpoint_bytes *state)
{
    kata *k = field->k;
    chain_slot *slot = field->slot;
    checkpoint_bytes record;
    field_state its;
    if (!open_field(field, state, &record, &its)) return damaged(k, CHECKPOINT_FIELD, field->name);
    if (its.boxes > MOST_BOXES) return damaged(k, CHECKPOINT_FIELD, field->name);
    if (its.discarded || its.tracked) kata_discard(field);
    for (int64_t i = 0; i < its.boxes && !record.failed; i++) {
        grid_box box;
        const grid_box all = chain_slot_memory(slot);
        checkpoint_get(&record, &box, sizeof box);
        if (!grid_box_contains(&all, &box)) return damaged(k, CHECKPOINT_FIELD, field->name);
        if (!chain_slot_note(slot, &box)) return api_no_memory(k);
    }
    kata_status status = k->messages.status;
    for (int side = 0; side < 6 && !status; side++) status = read_side(field, &record, side);
    return status || !record.failed ? status : damaged(k, CHECKPOINT_FIELD, field->name);
}

static kata_status read_scalar(kata_scalar *s, const checkpoint_bytes *state)
{
    checkpoint_bytes record = {.failed = true};
    scalar_facts facts;
    checkpoint_find(state, CHECKPOINT_SCALAR, s->name, &record);
    checkpoint_get(&record, &facts, sizeof facts);
    for (int i = 0; i < s->slot->components; i++) {
        ir_value value;
        checkpoint_get(&record, &value, sizeof value);
        if (!store_scalar_set(s->slot, i, value)) return api_no_memory(s->k);
    }
    s->slot->version++;
    int64_t count = 0;
    if (s->slot->log) checkpoint_get(&record, &count, sizeof count);
    if (count < 0 || count > MOST_ENTRIES) return damaged(s->k, CHECKPOINT_SCALAR, s->name);
    if (s->slot->log) {
        s->slot->log->count = count;
        checkpoint_get(&record, s->slot->log->values, log_bytes(s->slot));
    }
    return record.failed ? damaged(s->k, CHECKPOINT_SCALAR, s->name) : KATA_OK;
}

kata_status checkpoint_read_state(kata *k, const checkpoint_bytes *state)
{
    kata_status status = KATA_OK;
    for (kata_field *f = k->fields; f && !status; f = f->next)
        if (!f->slot->temporary) status = read_field(f, state);
    for (kata_scalar *s = k->scalars; s && !status; s = s->next) status = read_scalar(s, state);
    for (struct api_kept *v = k->kept; v && !status; v = v->next) {
        checkpoint_bytes record = {.failed = true};
        checkpoint_find(state, CHECKPOINT_KEPT, v->name, &record);
        checkpoint_get(&record, v->variable, v->bytes);
        if (record.failed) status = damaged(k, CHECKPOINT_KEPT, v->name);
    }
    return status;
}
