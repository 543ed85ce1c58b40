/* Results as a table, as JSON and as a chart. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

const char *bench_way_name(int way)
{
    return way == BENCH_SAME ? "same" : way == BENCH_SINGLE ? "single" : "chain";
}

void bench_print_head(void)
{
    printf("%-26s %-6s %-12s%29s %7s %21s %15s\n", "", "", "", "1e9 points/s", "hand", "ratio to",
           "share of bound");
    printf("%-26s %-6s %-12s%8s %6s %6s %6s %7s %7s %6s %6s %8s %6s %7s\n", "case", "way", "size",
           "kata", "plain", "hand", "skewed", "in L2", "plain", "hand", "skewed", "kata", "hand",
           "copy");
}

/* A number with its width, or a dash. */
static void print_number(double x, int width, int digits)
{
    if (isnan(x))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, digits, x);
}

void bench_print(const bench_result *r)
{
    const bench_task *t = &r->task;
    char size[32];
    snprintf(size, sizeof size, t->c->dimensions == 2 ? "%dx%d" : "%dx%dx%d", (int)t->size[0],
             (int)t->size[1], (int)t->size[2]);
    printf("%-26s %-6s %-12s", t->c->name, bench_way_name(t->way), size);
    for (int who = 0; who < BENCH_COMPETITORS; who++) print_number(r->rate[who], who ? 6 : 7, 3);
    print_number(r->core, 7, 3);
    for (int who = BENCH_PLAIN; who < BENCH_COMPETITORS; who++)
        print_number(r->to[who].median, who == BENCH_PLAIN ? 7 : 6, 2);
    print_number(r->to_bound, 8, 2);
    print_number(r->hand_to_bound, 6, 2);
    printf(" %6.1f GB/s, %d of %d", r->bandwidth, r->counted, r->repetitions);
    if (!isnan(r->rate[BENCH_SKEWED]))
        printf(", skewed z%d y%d depth %d%s: %.2f of hand", (int)r->tile.z, (int)r->tile.y,
               (int)r->tile.depth, r->tile.far ? " far" : "",
               r->rate[BENCH_SKEWED] / r->rate[BENCH_HAND]);
    printf("\n");
    fflush(stdout);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* JSON has no NaN and no infinity. */
static void write_number(FILE *f, const char *name, double x)
{
    if (isfinite(x))
        fprintf(f, ", \"%s\": %.4g", name, x);
    else
        fprintf(f, ", \"%s\": null", name);
}

static void write_result(FILE *f, const bench_result *r)
{
    static const char *names[] = {"katagami", "plain", "hand", "skewed"};
    static const char *ratios[] = {"", "to_plain", "to_hand", "to_skewed"};
    static const char *ends[] = {"", "to_plain_upper", "to_hand_upper", "to_skewed_upper"};
    const bench_task *t = &r->task;
    fprintf(f,
            "{\"case\": \"%s\", \"way\": \"%s\", \"size\": [%d, %d, %d], \"bytes_per_point\": %d",
            t->c->name, bench_way_name(t->way), (int)t->size[0], (int)t->size[1], (int)t->size[2],
            t->c->bytes);
    for (int who = 0; who < BENCH_COMPETITORS; who++) write_number(f, names[who], r->rate[who]);
    for (int who = BENCH_PLAIN; who < BENCH_COMPETITORS; who++) {
        write_number(f, ratios[who], r->to[who].median);
        write_number(f, ends[who], r->to[who].upper);
    }
    write_number(f, "core", r->core);
    write_number(f, "to_bound", r->to_bound);
    write_number(f, "hand_to_bound", r->hand_to_bound);
    write_number(f, "copy_GBps", r->bandwidth);
    write_number(f, "difference", r->difference);
    fprintf(f, ", \"repetitions\": %d, \"counted\": %d}", r->repetitions, r->counted);
}

bool bench_write_json(const char *path, const bench_result *r, int count, int threads,
                      const char *without)
{
    FILE *f = fopen(path, "we");
    if (!f) return false;
    fprintf(f, "{\"threads\": %d, \"without\": \"%s\", \"cases\": [", threads,
            without ? without : "");
    for (int i = 0; i < count; i++) {
        fprintf(f, "%s\n  ", i ? "," : "");
        write_result(f, &r[i]);
    }
    fprintf(f, "\n]}\n");
    return fclose(f) == 0;
}

/* ---- SVG ------------------------------------------------------------------------------------- */

enum { LEFT = 230, TOP = 40, HEIGHT = 22, WIDTH = 420 };

/* What is 1 in the chart: the hand-written kernel, or the plain loop where there is none. */
static double one_of(const bench_result *r)
{
    return isnan(r->rate[BENCH_HAND]) ? r->rate[BENCH_PLAIN] : r->rate[BENCH_HAND];
}

static void add_bars(FILE *f, const bench_result *r, int row)
{
    int y = TOP + row * HEIGHT;
    double plain = r->rate[BENCH_PLAIN] / one_of(r), kata = r->rate[BENCH_KATA] / one_of(r);
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, %s</text>\n", LEFT - 8, y + 12,
            r->task.c->name, bench_way_name(r->task.way));
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"8\" fill=\"#28587b\"/>\n", LEFT, y,
            kata * WIDTH / 2.5);
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"6\" fill=\"#b8b8b8\"/>\n", LEFT,
            y + 9, plain * WIDTH / 2.5);
    fprintf(f, "<text x=\"%d\" y=\"%d\">%.2f</text>\n", LEFT + WIDTH + 8, y + 12, kata);
}

bool bench_write_svg(const char *path, const bench_result *r, int count)
{
    FILE *f = fopen(path, "we");
    if (!f) return false;
    int height = TOP + count * HEIGHT + 10;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<text x=\"%d\" y=\"20\">rate relative to a hand-written kernel, or to the plain loop "
            "(line): Katagami (blue), plain loop (grey)</text>\n",
            LEFT + WIDTH + 60, height, LEFT - 100);
    for (int i = 0; i < count; i++) add_bars(f, &r[i], i);
    fprintf(f, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"black\"/>\n</svg>\n",
            LEFT + (int)(WIDTH / 2.5), LEFT + (int)(WIDTH / 2.5), TOP - 6, height);
    return fclose(f) == 0;
}
