/* What all results say together: geometric means, and floors that are missed. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 1024 };

static const struct floor {
    int who;
    const char *name;
    double least;
} floors[] = {{BENCH_PLAIN, "plain", 0.97}, {BENCH_HAND, "hand", 0.9}};

static void print_means(const bench_result *r, int count)
{
    static const char *names[] = {"", "plain", "hand", "skewed"};
    for (int who = BENCH_PLAIN; who < BENCH_COMPETITORS; who++) {
        double ratios[MOST], least = INFINITY;
        int n = 0;
        for (int i = 0; i < count && n < MOST; i++) {
            double ratio = r[i].to[who].median;
            if (isnan(ratio)) continue;
            ratios[n++] = ratio;
            least = ratio < least ? ratio : least;
        }
        if (n == 0) continue;
        printf("to %-6s  geometric mean %.3f, least %.3f, of %d\n", names[who],
               bench_geometric_mean(ratios, n), least, n);
    }
}

static void print_missed(const bench_result *r, const struct floor *f)
{
    const bench_task *t = &r->task;
    printf("below %.2f of %s: %s, %s, %dx%dx%d: %.3f, at most %.3f\n", f->least, f->name,
           t->c->name, bench_way_name(t->way), (int)t->size[0], (int)t->size[1], (int)t->size[2],
           r->to[f->who].median, r->to[f->who].upper);
}

void bench_print_summary(const bench_result *r, int count)
{
    int missed = 0;
    if (count == 0) return;
    printf("\n");
    print_means(r, count);
    for (const struct floor *f = floors; f < floors + 2; f++)
        for (int i = 0; i < count; i++)
            if (r[i].to[f->who].upper < f->least) {
                print_missed(&r[i], f);
                missed++;
            }
    printf("%d floors missed (the upper end of the 90 %% interval of a ratio is below it)\n",
           missed);
}
