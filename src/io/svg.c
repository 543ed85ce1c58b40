/* The picture of a program's plans: a legend, and a panel for each plan. */
#include "io/svg.h"

enum { PANELS = 6, LINE = 18, LEGEND = 4 * LINE + 44, MARGIN = 16 };

bool io_svg_add(io_svg *s, const plan *p, const analysis_chain *a, int dimension)
{
    if (s->count == PANELS) {
        s->left_out++;
        return true;
    }
    int height = io_svg_panel(&s->panels, p, a, dimension, s->count + 1, LEGEND + s->height);
    s->height += height;
    s->count += height > 0;
    return !s->panels.failed;
}

/* A line of the legend: a sample, 44 pixels wide, and what it means. */
static void add_sample(text *out, int line, bool low, const char *meaning)
{
    int y = 32 + line * LINE, height = low ? SVG_LOW : 14;
    text_add(out,
             "<rect x=\"%d\" y=\"%d\" width=\"44\" height=\"%d\" fill=\"%s\"%s/>\n"
             "<text x=\"%d\" y=\"%d\">%s</text>\n",
             MARGIN, y + 14 - height, height, io_svg_colour(line), low ? " stroke=\"black\"" : "",
             MARGIN + 56, y + 11, meaning);
    if (!low)
        text_add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%d</text>\n",
                 MARGIN + 22, y + 11, io_svg_ink(line), line + 1);
}

static void add_legend(text *out)
{
    text_add(out,
             "<text x=\"%d\" y=\"20\" font-size=\"15\" font-weight=\"bold\">In which order the "
             "points of each loop are computed</text>\n",
             MARGIN);
    add_sample(out, 0, false,
               "Points of the tile that runs first. Tiles run in the order of their numbers; "
               "within a tile, loops run from the bottom to the top.");
    add_sample(out, 1, false, "Tiles with the same number may run at the same time.");
    add_sample(out, 2, true,
               "Points that a tile computes for itself although another tile owns them: work done "
               "twice.");
    text_add(
        out,
        "<text x=\"%d\" y=\"%d\">Of long chains the loops in the middle are left out (&#8942;), "
        "of many tiles the ones at the right.</text>\n",
        MARGIN, 32 + 3 * LINE + 11);
}

void io_svg_begin(text *out, int height)
{
    text_add(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
        "%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        SVG_WIDTH, height, SVG_WIDTH, height);
}

void io_svg_print(text *out, const io_svg *s)
{
    int height = LEGEND + s->height + (s->left_out ? 2 * LINE : MARGIN);
    io_svg_begin(out, height);
    add_legend(out);
    if (s->panels.length) text_add(out, "%s", text_get(&s->panels));
    if (s->left_out)
        text_add(out, "<text x=\"%d\" y=\"%d\">%d other chains are not drawn.</text>\n", MARGIN,
                 height - LINE, s->left_out);
    text_add(out, "</svg>\n");
    if (s->panels.failed) out->failed = true;
}

void io_svg_free(io_svg *s)
{
    text_free(&s->panels);
    *s = (io_svg){0};
}
