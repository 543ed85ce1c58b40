/* The version, the machine and its ceilings. */
#include "api/api.h"

#include "machine/machine.h"

const char *kata_version(void) { return KATA_VERSION; }

/* Copies a text into the context and returns the copy. */
static const char *store_text(kata *k, int i, const char *value)
{
    text_clear(&k->machine[i]);
    text_add(&k->machine[i], "%s", value);
    return text_get(&k->machine[i]);
}

static const char *store_compilers(kata *k, int i)
{
    text_clear(&k->machine[i]);
    jit_compiler_list(&k->machine[i]);
    return text_get(&k->machine[i]);
}

static const char *store_executors(kata *k, int i)
{
    text_clear(&k->machine[i]);
    for (int e = 0; exec_name(e); e++) text_add(&k->machine[i], e ? ", %s" : "%s", exec_name(e));
    return text_get(&k->machine[i]);
}

kata_status kata_machine_get(kata *k, kata_machine *out)
{
    if (!k) return api_null("kata_machine_get", "the context");
    if (!out) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_machine_get: the result is NULL");
    machine found;
    machine_crossover stores;
    machine_detect(&found);
    exec_crossover(&k->exec, &stores);
    *out = (kata_machine){.cpu = store_text(k, 0, found.cpu),
                          .simd = store_text(k, 1, found.simd),
                          .cores = found.cores,
                          .threads = k->exec.threads,
                          .l1 = found.l1,
                          .l2 = found.l2,
                          .l3 = found.l3,
                          .memory = found.memory,
                          .compiler = store_text(k, 2, jit_compiler(k->exec.jit)),
                          .cache = store_text(k, 3, jit_cache(k->exec.jit)),
                          .executor = k->executor->name,
                          .compilers = store_compilers(k, 4),
                          .executors = store_executors(k, 5),
                          .huge_pages = store_text(k, 6, found.huge_pages),
                          .huge_page = found.huge_page,
                          .huge_pages_given = found.huge_pages_given,
                          .plain_stores = stores.plain,
                          .streaming_stores = stores.streaming};
    return k->messages.status;
}

kata_status kata_ceilings_measure(kata *k, kata_ceilings *out)
{
    if (!k) return api_null("kata_ceilings_measure", "the context");
    if (!out) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_ceilings_measure: the result is NULL");
    machine found;
    machine_detect(&found);
    if (!machine_measure(&found, k->exec.threads, out)) {
        *out = (kata_ceilings){.seconds = 0};
        return api_no_memory(k);
    }
    return k->messages.status;
}
