/* Rates of copies on a device and to and from it: some copies are queued at once, so that what one
 * call takes does not count. */
#include "device/device.h"

#include <stdlib.h>

enum { LARGEST = HOSTILE(256 << 20, 4096), MOST_COPIES = 8, MOST_TIMES = 20, LEAST_TIMES = 5 };
static const double enough_seconds = 0.1;

/* What is measured with. */
typedef struct bench {
    device *d;
    size_t bytes;
    device_memory *from, *to;
    void *host;
} bench;

static bool copy_on_device(const bench *b)
{
    return device_copy(b->d, b->to, 0, b->from, 0, b->bytes);
}

static bool put(const bench *b)
{
    const device_box box = {.row = b->bytes, .rows = 1, .planes = 1};
    return device_put_later(b->d, DEVICE_WORK, b->to, b->host, &box);
}

static bool get(const bench *b)
{
    const device_box box = {.row = b->bytes, .rows = 1, .planes = 1};
    return device_get_later(b->d, DEVICE_WORK, b->from, b->host, &box);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The seconds of some calls; negative where one failed. */
static double time_copies(const bench *b, bool (*copy)(const bench *), int copies)
{
    double start = clock_seconds();
    for (int i = 0; i < copies; i++)
        if (!copy(b)) return -1;
    return device_wait(b->d, DEVICE_WORK) ? clock_seconds() - start : -1;
}

/* `moved`: bytes read and written by a copy. */
static bool measure(const bench *b, bool (*copy)(const bench *), double moved, kata_rate *rate)
{
    double rates[MOST_TIMES], first = time_copies(b, copy, 1); /* which touches memory */
    double alone = first < 0 ? first : time_copies(b, copy, 1), start = clock_seconds();
    int count = 0, copies = MOST_COPIES * alone * LEAST_TIMES > enough_seconds ? 1 : MOST_COPIES;
    if (alone < 0) return false;
    while (count < MOST_TIMES &&
           (count < LEAST_TIMES || clock_seconds() - start < enough_seconds)) {
        double seconds = time_copies(b, copy, copies);
        if (seconds < 0) return false;
        rates[count++] = copies * moved / (seconds > 0 ? seconds : 1e-9);
    }
    qsort(rates, (size_t)count, sizeof *rates, compare);
    *rate = (kata_rate){.best = rates[count - 1], .median = rates[(count - 1) / 2]};
    return true;
}

static bool measure_all(const bench *b, kata_device_ceilings *out)
{
    double bytes = (double)b->bytes;
    return b->from && b->to && b->host && device_set(b->d, b->from, 0, 0, b->bytes) &&
           measure(b, copy_on_device, 2 * bytes, &out->copy) && measure(b, put, bytes, &out->put) &&
           measure(b, get, bytes, &out->get);
}

bool device_measure(device *d, kata_device_ceilings *out)
{
    const device_facts *facts = device_facts_of(d);
    double start = clock_seconds();
    bench b = {.d = d};
    b.bytes = (size_t)smaller(facts->shares_memory ? LARGEST / 4 : LARGEST,
                              smaller(facts->memory / 64, facts->largest));
    b.from = device_allocate(d, b.bytes);
    b.to = b.from ? device_allocate(d, b.bytes) : NULL;
    b.host = b.to ? device_pinned(d, b.bytes) : NULL;
    kata_device_ceilings measured = {.seconds = 0};
    bool done = measure_all(&b, &measured);
    device_release_pinned(d, b.host);
    device_release(d, b.to);
    device_release(d, b.from);
    measured.seconds = clock_seconds() - start;
    if (done) *out = measured;
    return done;
}
