/* How a chain scales: two plots of efficiency over numbers of ranks, by powers of ten, and a table
 * of the same below. */
#include "io/svg.h"

#include <math.h>

enum { LEFT = 70, TOP = 70, WIDTH = 470, HEIGHT = 300, APART = 575, LINE = 16, TABLE = 450 };

static const char *const colours[] = {"#1f5fa8", "#c04a1a"};

static double x_of(const io_scaling *s, int plot, double ranks)
{
    double most = log10(s->ranks[s->count - 1]);
    return LEFT + plot * APART + WIDTH * log10(ranks) / (most > 0 ? most : 1);
}

static double y_of(double efficiency) { return TOP + HEIGHT * (1 - fmin(efficiency, 1.1) / 1.1); }

static void add_axes(text *out, const io_scaling *s, int plot)
{
    int left = LEFT + plot * APART;
    text_add(
        out,
        "<text x=\"%d\" y=\"%d\" font-size=\"13\" font-weight=\"bold\">%s</text>\n"
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"black\"/>\n",
        left, TOP - 14, s->titles[plot], left, TOP, WIDTH, HEIGHT);
    for (int percent = 0; percent <= 100; percent += 20)
        text_add(out,
                 "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n"
                 "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n",
                 left, y_of(percent / 100.0), left + WIDTH, y_of(percent / 100.0), left - 6,
                 y_of(percent / 100.0) + 4, percent);
    for (int64_t ranks = 1; (double)ranks <= s->ranks[s->count - 1]; ranks *= 10)
        text_add(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%lld</text>\n",
                 x_of(s, plot, (double)ranks), TOP + HEIGHT + 16, (long long)ranks);
    text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">ranks</text>\n", left + WIDTH / 2,
             TOP + HEIGHT + 34);
}

static void add_line(text *out, const io_scaling *s, int plot, int line)
{
    const double *efficiency = s->efficiency[plot][line];
    text_add(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
             colours[line], line ? " stroke-dasharray=\"6 3\"" : "");
    for (int i = 0; i < s->count; i++)
        text_add(out, "%.1f,%.1f ", x_of(s, plot, s->ranks[i]), y_of(efficiency[i]));
    text_add(out, "\"/>\n");
    for (int i = 0; i < s->count; i++)
        text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                 x_of(s, plot, s->ranks[i]), y_of(efficiency[i]), colours[line]);
}

static void add_legend(text *out, const io_scaling *s)
{
    for (int line = 0; line < 2; line++)
        text_add(out,
                 "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
                 "stroke-width=\"2\"%s/>\n<text x=\"%d\" y=\"%d\">%s</text>\n",
                 LEFT + line * APART, TOP + HEIGHT + 54, LEFT + 40 + line * APART,
                 TOP + HEIGHT + 54, colours[line], line ? " stroke-dasharray=\"6 3\"" : "",
                 LEFT + 50 + line * APART, TOP + HEIGHT + 58, s->lines[line]);
}

static void add_cell(text *out, int column, int row, const char *words)
{
    text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", 120 + column * 210,
             TABLE + 40 + row * LINE, words);
}

static void add_row(text *out, const io_scaling *s, int i)
{
    text cell = {0};
    text_add(&cell, "%d", s->ranks[i]);
    add_cell(out, 0, i + 1, text_get(&cell));
    for (int k = 0; k < 4; k++) {
        text_clear(&cell);
        text_add(&cell, "%.3g s, %.1f %%", s->seconds[k / 2][k % 2][i],
                 100 * s->efficiency[k / 2][k % 2][i]);
        add_cell(out, k + 1, i + 1, text_get(&cell));
    }
    text_free(&cell);
}

void io_svg_scaling(text *out, const io_scaling *s)
{
    static const char *const heads[] = {"ranks", "weak, per section", "weak, per loop",
                                        "strong, per section", "strong, per loop"};
    io_svg_begin(out, TABLE + 60 + s->count * LINE);
    text_add(out,
             "<text x=\"16\" y=\"20\" font-size=\"14\" font-weight=\"bold\">%s</text>\n"
             "<text x=\"16\" y=\"38\">%s</text>\n",
             s->title, s->below);
    for (int plot = 0; plot < 2; plot++) {
        add_axes(out, s, plot);
        for (int line = 0; line < 2; line++) add_line(out, s, plot, line);
    }
    add_legend(out, s);
    for (int column = 0; column < 5; column++) add_cell(out, column, 0, heads[column]);
    for (int i = 0; i < s->count; i++) add_row(out, s, i);
    text_add(out, "</svg>\n");
}
