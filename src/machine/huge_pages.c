/* Huge pages: the system's settings, and whether memory that asks for them gets them. */
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define FOLDER "/sys/kernel/mm/transparent_hugepage/"

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, size, file);
    if (file) fclose(file);
    return read;
}

/* Bytes of huge pages in the mapping that begins at an address. */
static int64_t count_given(const void *start)
{
    char line[512], label[40];
    long long kilobytes = 0;
    bool inside = false;
    FILE *file = fopen("/proc/self/smaps", "re");
    snprintf(label, sizeof label, "%llx-", (unsigned long long)(uintptr_t)start);
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, label, strlen(label))) inside = true;
        if (inside && sscanf(line, "AnonHugePages: %lld", &kilobytes) == 1) break;
    }
    if (file) fclose(file);
    return 1024 * kilobytes;
}

/* Four pages in a row hold three whole pages, wherever the first begins. */
static bool is_given(int64_t page)
{
    size_t bytes = 4 * (size_t)page;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    /* no longer joined to a neighbour, whose range would hide where this one begins */
    madvise(memory, bytes, MADV_DONTDUMP);
    madvise(memory, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) memory[i] = 1;
    int64_t given = count_given(memory);
    munmap(memory, bytes);
    return given >= 2 * page;
}

void machine_huge_pages(machine *out)
{
    char line[128] = "", *mode;
    long long bytes = 0;
    if (read_line(FOLDER "enabled", line, sizeof line) && (mode = strchr(line, '[')))
        snprintf(out->huge_pages, sizeof out->huge_pages, "%.*s", (int)strcspn(mode + 1, "]"),
                 mode + 1);
    if (!read_line(FOLDER "hpage_pmd_size", line, sizeof line)) return;
    if (sscanf(line, "%lld", &bytes) != 1 || bytes < 4096 || bytes > 1 << 30) return;
    out->huge_page = bytes;
    out->huge_pages_given = is_given(bytes);
}
