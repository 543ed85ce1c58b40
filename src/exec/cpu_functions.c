/* The functions that the executor knows, by their names: a list, and a hash table of positions in
 * it with open addressing, at most half full. A bucket holds a position plus 1; 0: none. */
#include "exec/cpu.h"

#include <stdlib.h>
#include <string.h>

enum { FEWEST = HOSTILE(64, 2) };

/* The bucket of a name, or the empty one where it belongs. */
static size_t bucket_of(const struct exec_cpu *cpu, const char *name)
{
    size_t b = (size_t)hash_bytes(name, strlen(name), 0) & (cpu->bucket_count - 1);
    while (cpu->buckets[b] && strcmp(cpu->functions[cpu->buckets[b] - 1].id.name, name) != 0)
        b = (b + 1) & (cpu->bucket_count - 1);
    return b;
}

static bool grow(struct exec_cpu *cpu)
{
    size_t count = cpu->bucket_count ? 2 * cpu->bucket_count : FEWEST;
    size_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets) return false;
    free(cpu->buckets);
    cpu->buckets = buckets;
    cpu->bucket_count = count;
    for (size_t i = 0; i < cpu->function_count; i++)
        cpu->buckets[bucket_of(cpu, cpu->functions[i].id.name)] = i + 1;
    return true;
}

cpu_function *cpu_functions_find(const struct exec_cpu *cpu, const char *name)
{
    size_t position = cpu->function_count ? cpu->buckets[bucket_of(cpu, name)] : 0;
    return position ? &cpu->functions[position - 1] : NULL;
}

bool cpu_functions_add(struct exec_cpu *cpu, const cpu_function *function)
{
    void *list = cpu->functions;
    if (!vector_reserve(&list, &cpu->function_capacity, cpu->function_count + 1,
                        sizeof *cpu->functions))
        return false;
    cpu->functions = list;
    if (2 * (cpu->function_count + 1) > cpu->bucket_count && !grow(cpu)) return false;
    cpu->functions[cpu->function_count] = *function;
    cpu->buckets[bucket_of(cpu, function->id.name)] = cpu->function_count + 1;
    cpu->function_count++;
    return true;
}

void cpu_functions_free(struct exec_cpu *cpu)
{
    free(cpu->functions);
    free(cpu->buckets);
    cpu->functions = NULL;
    cpu->buckets = NULL;
    cpu->function_count = cpu->function_capacity = cpu->bucket_count = 0;
}
