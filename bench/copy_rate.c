/* The streaming copy before and after each timing. */
#include "bench.h"
#include "lines.h"

#include <omp.h>

double bench_copy_rate(void)
{
    enum { BYTES = 64 << 20 };
    static char *from, *to;
    if (!from) {
        from = bench_pages(BYTES);
        to = bench_pages(BYTES);
        if (!from || !to) return 0;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < BYTES; i += 64) {
            from[i] = 1;
            to[i] = 0;
        }
    }
    double start = omp_get_wtime();
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < BYTES; i += LINE_BYTES) stream_line(to + i, load_line(from + i));
        stream_end();
    }
    return 2e-9 * BYTES / (omp_get_wtime() - start);
}
