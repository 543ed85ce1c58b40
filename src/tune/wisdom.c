/* Wisdom as entries and as text. Whoever reads a text believes nothing of it: each line is checked
 * as a whole, and what it asks for is checked again when a chain would run by it (ways.c). */
#include "tune/tune.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char title[] = "katagami wisdom 2";

void wisdom_free(wisdom *w)
{
    free(w->entries);
    *w = (wisdom){.count = 0};
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Whether two entries are about the same. */
static bool same(const wisdom_entry *a, const wisdom_entry *b)
{
    return a->chain == b->chain && a->threads == b->threads && !strcmp(a->machine, b->machine) &&
           !strcmp(a->version, b->version);
}

const wisdom_entry *wisdom_find(const wisdom *w, const wisdom_entry *like)
{
    for (size_t i = 0; i < w->count; i++)
        if (same(&w->entries[i], like)) return &w->entries[i];
    return NULL;
}

static void take_out(wisdom *w, size_t i)
{
    w->count--;
    memmove(w->entries + i, w->entries + i + 1, (w->count - i) * sizeof *w->entries);
}

bool wisdom_add(wisdom *w, const wisdom_entry *entry, bool faster)
{
    const wisdom_entry *known = wisdom_find(w, entry);
    void *entries = w->entries;
    if (known && faster && known->nanoseconds <= entry->nanoseconds) return true;
    if (known) take_out(w, (size_t)(known - w->entries));
    if (w->count == WISDOM_MOST) take_out(w, 0);
    if (!vector_reserve(&entries, &w->capacity, w->count + 1, sizeof *w->entries)) return false;
    w->entries = entries;
    w->entries[w->count++] = *entry;
    return true;
}

size_t wisdom_forget(wisdom *w, const char *kernel)
{
    size_t count = w->count, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kernel && strcmp(w->entries[i].kernel, kernel) != 0) w->entries[kept++] = w->entries[i];
    w->count = kept;
    return count - kept;
}

/* ---- text ------------------------------------------------------------------------------------ */

void wisdom_print(text *out, const wisdom *w)
{
    text_add(out, "%s\n", title);
    for (size_t i = 0; i < w->count; i++) {
        const wisdom_entry *e = &w->entries[i];
        text_add(out,
                 "chain %016" PRIx64 " machine %s threads %d version %s loops %" PRId64
                 " nanoseconds %" PRId64 " settled %d kernel %s grid %" PRId64 "x%" PRId64
                 "x%" PRId64 " plan ",
                 e->chain, e->machine, e->threads, e->version, e->loops, e->nanoseconds, e->settled,
                 e->kernel, e->grid[0], e->grid[1], e->grid[2]);
        plan_request_print(out, &e->request);
        text_add(out, "\n");
    }
}

static bool read_entry(const char *line, wisdom_entry *out)
{
    static const int64_t MOST = INT64_C(1) << 50;
    wisdom_entry e = {.chain = 0};
    int settled = 0, end = 0;
    text why = {0};
    int found =
        sscanf(line,
               "chain %16" SCNx64 " machine %32[0-9a-f] threads %4d version %31[-+.0-9A-Za-z]"
               " loops %18" SCNd64 " nanoseconds %18" SCNd64 " settled %1d kernel %31[A-Za-z0-9_]"
               " grid %12" SCNd64 "x%12" SCNd64 "x%12" SCNd64 " plan %n",
               &e.chain, e.machine, &e.threads, e.version, &e.loops, &e.nanoseconds, &settled,
               e.kernel, &e.grid[0], &e.grid[1], &e.grid[2], &end);
    bool good = found == 11 && end && plan_request_read(line + end, &e.request, 1, &why);
    text_free(&why);
    good = good && strlen(e.machine) == 32 && e.threads > 0 && e.loops >= 0 && e.loops < MOST &&
           e.nanoseconds > 0 && e.nanoseconds < MOST && e.grid[0] > 0 && e.grid[1] > 0 &&
           e.grid[2] > 0;
    e.settled = settled != 0;
    if (good) *out = e;
    return good;
}

int wisdom_read(wisdom *w, const char *lines, bool faster)
{
    enum { LONGEST = 500 };
    int wrong = 0, number = 1;
    for (const char *at = lines; *at || number == 1; number++) {
        char line[LONGEST];
        wisdom_entry e;
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < LONGEST ? length : 0), at);
        bool right = number == 1 ? !strcmp(line, title) : read_entry(line, &e);
        if (!right && !wrong) wrong = number;
        if (!right && number == 1) return wrong;
        if (right && number > 1 && !wisdom_add(w, &e, faster)) return -1;
        at += length + (at[length] == '\n');
    }
    return wrong;
}

/* Its dimensions, as 512x512x80. */
static void print_grid(const wisdom_entry *e, char *out, size_t room)
{
    int rank = e->grid[2] > 1 ? 3 : e->grid[1] > 1 ? 2 : 1, at = 0;
    for (int d = 0; d < rank; d++)
        at += snprintf(out + at, room - (size_t)at, "%s%" PRId64, d ? "x" : "", e->grid[d]);
}

void wisdom_list(text *out, const wisdom *w)
{
    text_add(out, "%-24s %-14s %7s %12s %11s  %s\n", "first kernel", "grid", "threads",
             "loops so far", "us per loop", "fastest plan known");
    for (size_t i = 0; i < w->count; i++) {
        const wisdom_entry *e = &w->entries[i];
        char grid[64];
        print_grid(e, grid, sizeof grid);
        text_add(out, "%-24s %-14s %7d %12" PRId64 " %11.2f  ", e->kernel, grid, e->threads,
                 e->loops, 1e-3 * (double)e->nanoseconds);
        plan_request_print(out, &e->request);
        text_add(out, "%s\n", e->settled ? "" : " (still searching)");
    }
}
