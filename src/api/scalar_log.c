/* Logs of scalars. An entry gets its number when its loop is queued: so the number of entries is
 * known before the chain has run. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

static kata_status check_log(kata_scalar *scalar, int64_t entries)
{
    kata *k = scalar->k;
    if (k->messages.status) return k->messages.status;
    if (entries >= 0) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "kata_scalar_log: entries is %lld, less than 0",
                    (long long)entries);
}

kata_status kata_scalar_log(kata_scalar *scalar, int64_t entries)
{
    if (!scalar) return api_null("kata_scalar_log", "the scalar");
    kata_status status = check_log(scalar, entries);
    chain_slot *slot = scalar->slot;
    if (!status && slot->log)
        status = api_flush(scalar->k, "kata_scalar_log"); /* queued loops have entries in it */
    if (status) return status;
    chain_log *log = slot->log ? slot->log : arena_alloc(&scalar->k->memory, sizeof *log);
    size_t bytes = (size_t)slot->components * sizeof *log->values;
    ir_value *values = entries ? calloc((size_t)entries, bytes) : NULL;
    if (!log || (entries && !values)) {
        free(values);
        return api_no_memory(scalar->k);
    }
    free(log->values);
    *log = (chain_log){.room = entries, .values = values};
    slot->log = entries ? log : NULL;
    return KATA_OK;
}

int64_t kata_scalar_log_count(const kata_scalar *scalar)
{
    const chain_log *log = scalar ? scalar->slot->log : NULL;
    return !log ? 0 : log->count < log->room ? log->count : log->room;
}

static kata_status check_read(kata_scalar *scalar, kata_type type, const void *values,
                              int64_t count)
{
    kata_status status = api_check_scalar(scalar, "kata_scalar_log_get", type, values);
    int64_t needed = kata_scalar_log_count(scalar) * scalar->slot->components;
    if (status || count == needed) return status;
    return api_fail(scalar->k, KATA_ERROR_ARGUMENT,
                    "kata_scalar_log_get: the log of scalar '%s' has %lld values; there is room "
                    "for %lld",
                    scalar->name, (long long)needed, (long long)count);
}

kata_status kata_scalar_log_values(kata_scalar *scalar, kata_type type, void *values, int64_t count)
{
    kata_status status = scalar ? check_read(scalar, type, values, count)
                                : api_null("kata_scalar_log_get", "the scalar");
    if (!status) status = api_flush(scalar->k, "kata_scalar_log_get");
    if (status) {
        api_set_poison(type, values, count);
        return status;
    }
    const chain_log *log = scalar->slot->log;
    ir_type to = ir_type_of_storage(type), from = ir_type_of_storage(scalar->slot->type);
    int64_t elements = scalar->slot->components, size = store_type_bytes(type);
    int64_t first = log && log->count > log->room ? log->count : 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t entry = (first + i / elements) % log->room;
        ir_value x = ir_convert(to, from, log->values[entry * elements + i % elements]);
        memcpy((char *)values + i * size, &x, (size_t)size);
    }
    return KATA_OK;
}
