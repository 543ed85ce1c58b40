#include "cli.h"
#include "telling.h"

#include <stddef.h>
#include <stdio.h>

static void tell_huge_pages(telling *t, const kata_machine *m)
{
    const char *given = m->huge_pages_given ? "given when asked for" : "not given when asked for";
    if (t->json) {
        tell(t, "", "huge_pages", m->huge_pages);
        tell_bytes(t, "", "huge_page_bytes", m->huge_page);
        printf(", \"huge_pages_given\": %s", m->huge_pages_given ? "true" : "false");
        return;
    }
    tell_begin(t, "huge pages", "");
    tell_amount(m->huge_page);
    if (m->huge_page) printf(", %s, %s", *m->huge_pages ? m->huge_pages : "no rule", given);
    tell_end(t);
}

/* What loops have learned of stores, by the bytes that a chain touches. */
static void tell_stores(telling *t, const kata_machine *m)
{
    if (t->json) {
        tell_bytes(t, "", "plain_stores_bytes", m->plain_stores);
        tell_bytes(t, "", "streaming_stores_bytes", m->streaming_stores);
        return;
    }
    tell_begin(t, "stores", "");
    printf("streaming stores ");
    if (m->streaming_stores) {
        printf("pay from ");
        tell_amount(m->streaming_stores);
    }
    if (m->plain_stores) {
        printf("%sdo not pay up to ", m->streaming_stores ? ", " : "");
        tell_amount(m->plain_stores);
    }
    if (!m->plain_stores && !m->streaming_stores) printf("pay from: not measured yet");
    tell_end(t);
}

static void tell_machine(telling *t, const kata_machine *m)
{
    tell(t, "version", "version", kata_version());
    tell(t, "processor", "processor", m->cpu);
    tell(t, "SIMD", "simd", m->simd);
    tell_number(t, "cores", "cores", m->cores);
    tell_number(t, "threads", "threads", m->threads);
    tell_bytes(t, "L1 cache", "l1_bytes", m->l1);
    tell_bytes(t, "L2 cache", "l2_bytes", m->l2);
    tell_bytes(t, "L3 cache", "l3_bytes", m->l3);
    tell_bytes(t, "memory", "memory_bytes", m->memory);
    tell_huge_pages(t, m);
    tell_stores(t, m);
    tell(t, "compiler", "compiler", m->compiler);
    tell(t, "compilers", "compilers", m->compilers);
    tell(t, "kernel cache", "kernel_cache", m->cache);
    tell(t, "executor", "executor", m->executor);
    tell(t, "executors", "executors", m->executors);
}

/* ---- ceilings -------------------------------------------------------------------------------- */

typedef struct ceiling {
    const char *name, *member, *unit; /* unit: of 1e9 */
    size_t offset;
} ceiling;

#define CEILING(name, member, unit)                                                                \
    {                                                                                              \
        name, #member, unit, offsetof(kata_ceilings, member)                                       \
    }
static const ceiling ceilings[] = {
    CEILING("copy from memory", copy, "GB/s"),
    CEILING("copy, streaming stores", copy_streaming, "GB/s"),
    CEILING("triad from memory", triad, "GB/s"),
    CEILING("triad, streaming stores", triad_streaming, "GB/s"),
    CEILING("L2 copy, one core", l2_copy_one, "GB/s"),
    CEILING("L2 copy, all cores", l2_copy_all, "GB/s"),
    CEILING("L3 copy, one core", l3_copy_one, "GB/s"),
    CEILING("L3 copy, all cores", l3_copy_all, "GB/s"),
    CEILING("fma f64, per core", fma_f64, "G/s"),
    CEILING("fma f32, per core", fma_f32, "G/s"),
    CEILING("division f64, per core", divide_f64, "G/s"),
    CEILING("division f32, per core", divide_f32, "G/s"),
    CEILING("core clock", clock, "GHz"),
};

static void tell_ceilings(const telling *t, const kata_ceilings *measured)
{
    printf("%s",
           t->json ? ", \"ceilings\": {" : "\nceilings                        best   median\n");
    for (size_t i = 0; i < COUNT_OF(ceilings); i++) {
        const ceiling *c = &ceilings[i];
        const kata_rate *rate = (const void *)((const char *)measured + c->offset);
        if (t->json && i) printf(", ");
        tell_rate(t, c->name, c->member, rate, c->unit);
    }
    if (t->json)
        printf(", \"seconds\": %.3g}", measured->seconds);
    else
        printf("measured in %.2g s\n", measured->seconds);
}

typedef struct info_request {
    bool json, quick;
} info_request;

static const info_request defaults;

static const option table[] = {
    {"json", "as one JSON object, rates per second", OPTION_VALUE(info_request, json)},
    {"quick", "measure nothing", OPTION_VALUE(info_request, quick)},
};

const options info_options = {
    "kata info",
    "Describes this machine, the compiler and the cache of kernels, and measures the rates that\n"
    "nothing exceeds here: copies and triads (a = b + 3c) of doubles, which count the bytes that\n"
    "are read and written, and arithmetic; and copies on devices, and to and from them.\n"
    "docs/explain.md explains them.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_info(int argc, char **argv)
{
    info_request r;
    int exit_code;
    if (!options_read(&info_options, &r, argc, argv, &exit_code)) return exit_code;

    telling t = {.json = r.json};
    kata *k = kata_open(NULL);
    kata_machine machine;
    kata_ceilings measured;
    if (kata_machine_get(k, &machine) == KATA_OK) {
        tell_machine(&t, &machine);
        tell_devices(&t, k);
        fflush(stdout);
        if (!r.quick && kata_ceilings_measure(k, &measured) == KATA_OK)
            tell_ceilings(&t, &measured);
        if (!r.quick) tell_device_ceilings(&t, k);
        if (t.json) printf("}\n");
    }
    return kata_close(k) ? 1 : 0;
}
