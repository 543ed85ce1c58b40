/* Results as a table, as JSON and as a chart. */
#include "bench.h"

#include <stdio.h>

void bench_print_head(void)
{
    printf("                            1e9 points/s                  ratios            share of\n"
           "case             size       Katagami  plain   hand    to plain  to hand   bound  "
           "hand's   copy\n");
}

void bench_print(const bench_result *r)
{
    char size[32];
    snprintf(size, sizeof size, r->c->dimensions == 2 ? "%dx%d" : "%dx%dx%d", (int)r->size[0],
             (int)r->size[1], (int)r->size[2]);
    printf("%-16s %-12s %6.3f %6.3f %6.3f %9.2f %8.2f %8.2f %7.2f %6.1f GB/s, %d of %d\n",
           r->c->name, size, r->kata, r->plain, r->hand, r->to_plain, r->to_hand, r->to_bound,
           r->hand_to_bound, r->bandwidth, r->kept, r->repetitions);
    fflush(stdout);
}

bool bench_write_json(const char *path, const bench_result *r, int count, int threads,
                      const char *without)
{
    FILE *f = fopen(path, "we");
    if (!f) return false;
    fprintf(f, "{\"threads\": %d, \"without\": \"%s\", \"cases\": [", threads,
            without ? without : "");
    for (int i = 0; i < count; i++, r++)
        fprintf(f,
                "%s\n  {\"case\": \"%s\", \"size\": [%d, %d, %d], \"bytes_per_point\": %d,\n"
                "   \"katagami\": %.4g, \"plain\": %.4g, \"hand\": %.4g, \"core\": %.4g,\n"
                "   \"to_plain\": %.4g, \"to_hand\": %.4g, \"to_bound\": %.4g, "
                "\"hand_to_bound\": %.4g,\n"
                "   \"copy_GBps\": %.4g, \"repetitions\": %d, \"kept\": %d, \"difference\": %.3g}",
                i ? "," : "", r->c->name, (int)r->size[0], (int)r->size[1], (int)r->size[2],
                r->c->bytes, r->kata, r->plain, r->hand, r->core, r->to_plain, r->to_hand,
                r->to_bound, r->hand_to_bound, r->bandwidth, r->repetitions, r->kept,
                r->difference);
    fprintf(f, "\n]}\n");
    return fclose(f) == 0;
}

enum { LEFT = 130, TOP = 40, HEIGHT = 22, WIDTH = 420 };

/* Bars of the rate relative to the hand-written kernel, which is 1. */
static void add_bars(FILE *f, const bench_result *r, int row)
{
    int y = TOP + row * HEIGHT;
    double plain = r->plain / r->hand, kata = r->to_hand;
    fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8, y + 12,
            r->c->name);
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"8\" fill=\"#28587b\"/>\n", LEFT, y,
            kata * WIDTH / 1.5);
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"6\" fill=\"#b8b8b8\"/>\n", LEFT,
            y + 9, plain * WIDTH / 1.5);
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
            "<text x=\"%d\" y=\"20\">rate relative to a hand-written kernel (line): Katagami "
            "(blue), plain loop (grey)</text>\n",
            LEFT + WIDTH + 60, height, LEFT);
    for (int i = 0; i < count; i++) add_bars(f, &r[i], i);
    fprintf(f, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"black\"/>\n</svg>\n",
            LEFT + (int)(WIDTH / 1.5), LEFT + (int)(WIDTH / 1.5), TOP - 6, height);
    return fclose(f) == 0;
}
