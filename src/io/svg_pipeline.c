/* What a core with a local memory does, and what moves meanwhile: time to the right, a row for each
 * kind of work, a colour and a number per turn. */
#include "io/svg.h"

#include <inttypes.h>
#include <math.h>

enum { LEFT = 120, WIDTH = 1030, TOP = 84, ROW = 46, BAR = 34, NUMBERED = 16 };

static double x_of(const io_pipeline *p, double seconds)
{
    return LEFT + WIDTH * (p->seconds > 0 ? seconds / p->seconds : 0);
}

static void add_bar(text *out, const io_pipeline *p, const io_pipeline_bar *b)
{
    double x = x_of(p, b->begin), width = fmax(x_of(p, b->end) - x, 0.5);
    int y = TOP + b->row * ROW;
    text_add(out,
             "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"%s>"
             "<title>%s of turn %" PRId64 ": %.4g s to %.4g s</title></rect>\n",
             x, y, width, BAR, b->waits ? "#eeeeee" : io_svg_colour((int)(b->turn % 8)),
             b->waits ? " stroke=\"#bbbbbb\"" : "", p->rows[b->row], b->turn, b->begin, b->end);
    if (width < NUMBERED) return;
    text_add(out,
             "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%" PRId64 "</text>\n",
             x + width / 2, y + BAR / 2 + 4, b->waits ? "#777777" : io_svg_ink((int)(b->turn % 8)),
             b->turn);
}

/* Ten marks at most, at round numbers of seconds. */
static void add_axis(text *out, const io_pipeline *p)
{
    double step = pow(10, floor(log10(fmax(p->seconds, 1e-15) / 5)));
    int bottom = TOP + IO_PIPELINE_ROWS * ROW;
    while (p->seconds / step > 10) step *= 2;
    for (int i = 0; i * step <= p->seconds; i++)
        text_add(out,
                 "<line x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\" stroke=\"#dddddd\"/>\n"
                 "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>\n",
                 x_of(p, i * step), TOP - 6, x_of(p, i * step), bottom, x_of(p, i * step),
                 bottom + 16, i * step);
    text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">seconds, simulated</text>\n",
             LEFT + WIDTH / 2, bottom + 36);
}

void io_svg_pipeline(text *out, const io_pipeline *p)
{
    io_svg_begin(out, TOP + IO_PIPELINE_ROWS * ROW + 56);
    text_add(
        out,
        "<text x=\"16\" y=\"22\" font-size=\"15\" font-weight=\"bold\">%s</text>\n"
        "<text x=\"16\" y=\"42\">%s</text>\n"
        "<text x=\"16\" y=\"60\">A colour and a number for each turn; grey: the core waits for "
        "moves of that turn.</text>\n",
        p->title, p->below);
    add_axis(out, p);
    for (int row = 0; row < IO_PIPELINE_ROWS; row++)
        text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 10,
                 TOP + row * ROW + BAR / 2 + 4, p->rows[row]);
    for (int i = 0; i < p->count; i++) add_bar(out, p, &p->bars[i]);
    text_add(out, "</svg>\n");
}
