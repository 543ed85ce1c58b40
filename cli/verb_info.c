#include "cli.h"

#include <stdio.h>

static void line(const char *name, const char *value)
{
    printf("%-12s %s\n", name, value && *value ? value : "none");
}

/* "32 KiB", "1.5 GiB": in the largest unit that leaves at least 1. */
static void line_bytes(const char *name, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    char value[32];
    size_t unit = 0;
    double amount = (double)bytes;
    for (; amount >= 1024 && unit + 1 < COUNT_OF(units); unit++) amount /= 1024;
    snprintf(value, sizeof value, "%.4g %s", amount, units[unit]);
    line(name, bytes > 0 ? value : NULL);
}

static void line_number(const char *name, int number) { printf("%-12s %d\n", name, number); }

static void print_machine(const kata_machine *m)
{
    line("version", kata_version());
    line("processor", m->cpu);
    line("SIMD", m->simd);
    line_number("cores", m->cores);
    line_number("threads", m->threads);
    line_bytes("L1 cache", m->l1);
    line_bytes("L2 cache", m->l2);
    line_bytes("L3 cache", m->l3);
    line_bytes("memory", m->memory);
    line("compiler", m->compiler);
    line("kernel cache", m->cache);
    line("executor", m->executor);
}

int verb_info(int argc, char **argv)
{
    const options o = {"kata info",
                       "Says what was found on this machine: what kernels are compiled for and "
                       "run with.\n",
                       NULL, 0};
    int exit_code;
    if (!options_read(&o, argc, argv, &exit_code)) return exit_code;

    kata *k = kata_open(NULL);
    kata_machine machine;
    if (kata_machine_get(k, &machine) == KATA_OK) print_machine(&machine);
    return kata_close(k) ? 1 : 0;
}
