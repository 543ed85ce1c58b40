/* The processor, asked directly: by cpuid on x86, by the kernel's capability words and
 * /proc/cpuinfo elsewhere. */
#include "machine/processor.h"
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

/* The four registers of a cpuid leaf, zero where the leaf does not exist. A virtual machine needs
 * some microseconds for each. */
typedef struct leaf {
    unsigned a, b, c, d;
} leaf;

static leaf ask(unsigned number, unsigned part)
{
    leaf l = {0};
    __get_cpuid_count(number, part, &l.a, &l.b, &l.c, &l.d);
    return l;
}

void machine_processor(char model[128])
{
    leaf parts[3];
    for (unsigned i = 0; i < 3; i++) parts[i] = ask(0x80000002 + i, 0);
    char name[sizeof parts + 1] = "";
    memcpy(name, parts, sizeof parts);
    snprintf(model, 128, "%s", name + strspn(name, " "));
}

const char *machine_simd(void)
{
    return __builtin_cpu_supports("avx512f") ? "AVX-512"
           : __builtin_cpu_supports("avx2")  ? "AVX2"
           : __builtin_cpu_supports("avx")   ? "AVX"
           : __builtin_cpu_supports("sse2")  ? "SSE2"
                                             : "none";
}

/* The register states that the system saves: without them a feature cannot be used. */
static unsigned enabled_states(leaf features)
{
    unsigned low = 0, high;
    if (features.c & bit_OSXSAVE) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Leaves out register b of leaf 1: it differs between the cores of one processor. */
void machine_cpu_key(text *out)
{
    char model[128];
    machine_processor(model);
    leaf base = ask(1, 0), more = ask(7, 0), most = ask(7, 1), amd = ask(0x80000001, 0);
    text_add(out, "x86 %s; %x %x %x; %x %x %x; %x %x; %x %x; %x", model, base.a, base.c, base.d,
             more.b, more.c, more.d, most.a, most.d, amd.c, amd.d, enabled_states(base));
}

#else

#include <sys/auxv.h>
#include <sys/utsname.h>

/* The lines of /proc/cpuinfo about its first processor, which differs from the others in its
 * number alone; "" when there are none. */
static void read_cpuinfo(char *to, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    size_t got = file ? fread(to, 1, size - 1, file) : 0;
    to[got] = '\0';
    char *end = strstr(to, "\n\n");
    if (end) end[1] = '\0';
    if (file) fclose(file);
}

/* Copies the value of a line "key : value" to `to`; "" where there is no such line. */
static void find_value(const char *lines, const char *key, char *to, size_t size)
{
    to[0] = '\0';
    const char *line = lines;
    while (line && strncmp(line, key, strlen(key)) != 0) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    const char *value = line ? strchr(line, ':') : NULL;
    if (!value) return;
    value += 1 + strspn(value + 1, " \t");
    snprintf(to, size, "%.*s", (int)strcspn(value, "\n"), value);
}

void machine_processor(char model[128])
{
    char lines[4096];
    read_cpuinfo(lines, sizeof lines);
    find_value(lines, "model name", model, 128);
    if (!model[0]) find_value(lines, "cpu", model, 128);
}

const char *machine_simd(void)
{
#if defined(__ARM_NEON)
    return "NEON";
#else
    return "none";
#endif
}

void machine_cpu_key(text *out)
{
    static const char *const keys[] = {"model name",  "cpu",      "isa",         "CPU implementer",
                                       "CPU variant", "CPU part", "CPU revision"};
    char lines[4096], value[256];
    struct utsname system;
    read_cpuinfo(lines, sizeof lines);
    text_add(out, "%s", uname(&system) ? "" : system.machine);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        find_value(lines, keys[i], value, sizeof value);
        text_add(out, " %s;", value);
    }
    text_add(out, " %lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}

#endif
