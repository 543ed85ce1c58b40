/* The crossover between stores that go through the caches and streaming ones, as a loop's size
 * grows. Nobody measures it beforehand: loops that were run in both ways tell. Known are the
 * largest size at which plain stores were faster, and the smallest at which streaming ones were;
 * the crossover lies between them. What a loop tells counts more than what others told before: a
 * bound that contradicts it moves away. */
#include "machine/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* No cache is smaller, and no machine larger. */
static const int64_t SMALLEST = 1 << 10, LARGEST = INT64_C(1) << 50;

void machine_crossover_note(machine_crossover *c, int64_t bytes, bool streaming)
{
    const machine_crossover before = *c;
    if (bytes < SMALLEST || bytes > LARGEST) return;
    if (streaming) {
        c->streaming = c->streaming ? smaller(c->streaming, bytes) : bytes;
        if (c->plain >= bytes) c->plain = bytes / 2;
    } else {
        c->plain = larger(c->plain, bytes);
        if (c->streaming && c->streaming <= bytes) c->streaming = 2 * bytes;
    }
    c->changed = c->changed || c->plain != before.plain || c->streaming != before.streaming;
}

int64_t machine_crossover_bytes(const machine_crossover *c)
{
    if (c->plain && c->streaming) return (int64_t)sqrt((double)c->plain * (double)c->streaming);
    return c->plain ? 2 * c->plain : c->streaming / 2;
}

/* ---- as text --------------------------------------------------------------------------------- */

void machine_crossover_print(text *out, const machine_crossover *c)
{
    text_add(out, "plain %" PRId64 " streaming %" PRId64 "\n", c->plain, c->streaming);
}

bool machine_crossover_read(const char *line, machine_crossover *out)
{
    machine_crossover c = {0};
    int end = 0;
    if (strlen(line) > 100) return false;
    if (sscanf(line, "plain %18" SCNd64 " streaming %18" SCNd64 "%n", &c.plain, &c.streaming,
               &end) != 2 ||
        strcmp(line + end, "\n") != 0)
        return false;
    if (c.plain < 0 || c.plain > LARGEST || c.streaming < 0 || c.streaming > LARGEST) return false;
    if (c.plain && c.streaming && c.plain >= c.streaming) return false;
    *out = c;
    return true;
}
