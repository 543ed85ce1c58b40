/* Writes checkpoints. On several ranks the first one writes, and the others send it values. */
#include "api/checkpoint.h"

#include <string.h>

static kata_status twice(kata *k, const char *kind, const char *name)
{
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "two %ss are called '%s'; in a checkpoint each has a name of its own", kind,
                    name);
}

kata_status checkpoint_check_names(kata *k)
{
    for (const kata_field *a = k->fields; a; a = a->next)
        for (const kata_field *b = a->next; b; b = b->next)
            if (!a->slot->temporary && !b->slot->temporary && !strcmp(a->name, b->name))
                return twice(k, "field", a->name);
    for (const kata_scalar *a = k->scalars; a; a = a->next)
        for (const kata_scalar *b = a->next; b; b = b->next)
            if (!strcmp(a->name, b->name)) return twice(k, "scalar", a->name);
    return KATA_OK;
}

/* Before values are taken: sees to it that fields have them. */
static kata_status begin_values(kata *k, const checkpoint_set *set, int64_t step)
{
    uint64_t hash = hash_bytes(&step, sizeof step, (uint64_t)set->count);
    for (int i = 1; i < set->count - 1; i++)
        hash = hash_bytes(set->arrays[i].name, strlen(set->arrays[i].name), hash);
    kata_status status = exec_meet(&k->exec, "write a checkpoint", hash, &k->messages);
    for (int i = 1; i < set->count - 1 && !status; i++)
        status = exec_tell_changes(&k->exec, set->fields[i]->slot, &k->messages);
    return status;
}

static kata_status write_set(checkpoint_set *set, int64_t step)
{
    kata *k = set->k;
    const io_keeping keeping = {.draft = ".new",
                                .before = k->checkpoint->spoilt ? NULL : CHECKPOINT_BEFORE};
    kata_status status = begin_values(k, set, step);
    if (status) return status;
    const io_source source = checkpoint_source(set);
    if (exec_rank(&k->exec) == 0)
        status = io_hdf5_write(k->checkpoint->path, set->count, set->arrays, &source, &keeping,
                               &k->messages);
    checkpoint_end_values(set);
    return exec_agree(&k->exec, "write a checkpoint", status, &k->messages);
}

kata_status checkpoint_check_mapped(kata *k, const char *call)
{
    for (const kata_field *f = k->fields; f; f = f->next)
        if (api_check_unmapped(f, call)) return k->messages.status;
    return KATA_OK;
}

kata_status checkpoint_write(kata *k, int64_t step)
{
    checkpoint_bytes state = {.data = NULL};
    checkpoint_set set = {.k = NULL};
    kata_status status = checkpoint_check_names(k);
    if (!status) status = checkpoint_check_mapped(k, "kata_step");
    if (!status) status = api_flush(k, "kata_checkpoint");
    if (status) return status;
    checkpoint_write_state(k, &state);
    bool open = !state.failed && checkpoint_set_open(k, &state, &set);
    if (state.count >= CHECKPOINT_MOST_STATE)
        status = api_fail(k, KATA_ERROR_MEMORY,
                          "%s: variables and logs take %zu bytes; a checkpoint has room for less "
                          "than 1 GiB of them",
                          k->checkpoint->path, state.count);
    else
        status = open ? write_set(&set, step) : api_no_memory(k);
    if (!status) k->checkpoint->spoilt = false;
    checkpoint_set_free(&set);
    checkpoint_free(&state);
    api_note_error(k);
    return status;
}
