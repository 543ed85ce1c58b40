/* A roofline: how many operations per second kernels reach, over how many they make per byte. Both
 * axes grow by powers. A slanted line is a memory: as many bytes as it moves, times the operations
 * per byte. A level line is what the cores compute. Kernels are numbered points; the list beside
 * the plot names them. Kernels without floating-point operations are only listed. */
#include "io/svg.h"

#include <math.h>

enum { LEFT = 70, TOP = 50, WIDTH = 640, HEIGHT = 460, LIST = 740, LINE = 16, MOST_LISTED = 24 };

/* The ends of the axes, as powers: of 2 for operations per byte, of 10 for operations per second.
 */
typedef struct axes {
    double x_low, x_high, y_low, y_high;
} axes;

static double x_of(const axes *a, double intensity)
{
    return LEFT + WIDTH * (log2(intensity) - a->x_low) / (a->x_high - a->x_low);
}

static double y_of(const axes *a, double rate)
{
    return TOP + HEIGHT * (1 - (log10(rate) - a->y_low) / (a->y_high - a->y_low));
}

static bool is_drawn(const io_roofline_kernel *k) { return k->intensity > 0 && k->rate > 0; }

static axes find_axes(const io_roofline *r)
{
    axes a = {-4, 4, log10(r->peak) - 2, log10(r->peak)};
    for (int i = 0; i < r->count; i++) {
        if (!is_drawn(&r->kernels[i])) continue;
        a.x_low = fmin(a.x_low, log2(r->kernels[i].intensity));
        a.x_high = fmax(a.x_high, log2(r->kernels[i].intensity));
        a.y_low = fmin(a.y_low, log10(r->kernels[i].rate));
        a.y_high = fmax(a.y_high, log10(r->kernels[i].rate));
    }
    return (axes){floor(a.x_low), ceil(a.x_high), floor(a.y_low), ceil(a.y_high + 0.05)};
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void add_axes(text *out, const axes *a)
{
    text_add(
        out,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"black\"/>\n",
        LEFT, TOP, WIDTH, HEIGHT);
    for (int p = (int)a->x_low; p <= a->x_high; p++)
        text_add(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                 x_of(a, exp2(p)), TOP + HEIGHT + 16, exp2(p));
    for (int p = (int)a->y_low; p <= a->y_high; p++) {
        double y = y_of(a, pow(10, p));
        text_add(out,
                 "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n"
                 "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                 LEFT, y, LEFT + WIDTH, y, LEFT - 6, y + 4, pow(10, p - 9));
    }
    text_add(
        out,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">floating-point operations per byte that "
        "a kernel reads or writes</text>\n"
        "<text x=\"%d\" y=\"%d\">10^9 operations per second</text>\n",
        LEFT + WIDTH / 2, TOP + HEIGHT + 38, LEFT - 50, TOP - 10);
}

/* ---- roofs ----------------------------------------------------------------------------------- */

static void add_line(text *out, double x1, double y1, double x2, double y2, const char *colour)
{
    text_add(out,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
             "stroke-width=\"2\"/>\n",
             x1, y1, x2, y2, colour);
}

/* A memory that moves so many bytes per second, up to where the cores are slower. */
static void add_memory(text *out, const axes *a, double peak, const io_roof *roof, int number)
{
    double from = fmax(exp2(a->x_low), pow(10, a->y_low) / roof->rate);
    double to = fmin(exp2(a->x_high), peak / roof->rate);
    if (roof->rate <= 0 || from >= to) return;
    double at = from * pow(to / from, 0.1 + 0.3 * number), x = x_of(a, at),
           y = y_of(a, at * roof->rate);
    double slope =
        atan2(y_of(a, to * roof->rate) - y_of(a, from * roof->rate), x_of(a, to) - x_of(a, from));
    add_line(out, x_of(a, from), y_of(a, from * roof->rate), x_of(a, to), y_of(a, to * roof->rate),
             io_svg_colour(number));
    text_add(
        out,
        "<text x=\"%.1f\" y=\"%.1f\" transform=\"rotate(%.1f %.1f %.1f)\">%s, %.3g GB/s</text>\n",
        x, y - 6, slope * 180 / acos(-1), x, y - 6, roof->name, 1e-9 * roof->rate);
}

static void add_peak(text *out, const axes *a, const io_roofline *r)
{
    double y = y_of(a, r->peak);
    add_line(out, LEFT, y, LEFT + WIDTH, y, "black");
    text_add(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT + WIDTH - 6,
             y - 6, r->peak_name);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* From a point up to its bound; the list says which share of it is reached. */
static void add_share(text *out, const axes *a, const io_roofline_kernel *k, int number)
{
    double x = x_of(a, k->intensity), y = y_of(a, k->rate), top = y_of(a, k->rate / k->share);
    text_add(out,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
             "stroke-dasharray=\"3 2\"/>\n",
             x, y, x, fmax(top, TOP), io_svg_colour(number));
}

static void add_point(text *out, const axes *a, const io_roofline_kernel *k, int number)
{
    double x = x_of(a, k->intensity), y = y_of(a, k->rate);
    if (k->share > 0) add_share(out, a, k, number);
    text_add(out,
             "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"%s\"><title>%s</title></circle>\n"
             "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">%d</text>\n",
             x, y, io_svg_colour(number), k->name, x, y + 4, io_svg_ink(number), number + 1);
}

static void add_listed(text *out, const io_roofline_kernel *k, int number)
{
    int y = TOP + 12 + 2 * LINE * number;
    text_add(out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%d  %.40s</text>\n", LIST, y,
             number + 1, k->name);
    if (is_drawn(k))
        text_add(out,
                 "<text x=\"%d\" y=\"%d\">%.3g per byte, %.3g per second, share %.3g of the "
                 "bound</text>\n",
                 LIST, y + LINE - 2, k->intensity, k->rate, k->share);
    else
        text_add(out, "<text x=\"%d\" y=\"%d\">no floating-point operations: not drawn</text>\n",
                 LIST, y + LINE - 2);
}

void io_svg_roofline(text *out, const io_roofline *r)
{
    axes a = find_axes(r);
    int listed = r->count < MOST_LISTED ? r->count : MOST_LISTED;
    int height = (int)larger(TOP + HEIGHT + 56, TOP + 2 * LINE * (listed + 1) + 12);
    io_svg_begin(out, height);
    text_add(out,
             "<text x=\"16\" y=\"20\" font-size=\"15\" font-weight=\"bold\">How fast kernels ran, "
             "and what the machine allows</text>\n");
    add_axes(out, &a);
    for (int i = 0; i < IO_ROOFS; i++) add_memory(out, &a, r->peak, &r->roofs[i], i);
    add_peak(out, &a, r);
    for (int i = 0; i < r->count; i++)
        if (is_drawn(&r->kernels[i])) add_point(out, &a, &r->kernels[i], i);
    for (int i = 0; i < listed; i++) add_listed(out, &r->kernels[i], i);
    if (listed < r->count)
        text_add(out, "<text x=\"%d\" y=\"%d\">and %d more kernels</text>\n", LIST, height - 12,
                 r->count - listed);
    text_add(out, "</svg>\n");
}
