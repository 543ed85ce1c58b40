/* The picture of a partition: x to the right, y upwards, a rectangle for each group of owners, or
 * for each of its boxes. */
#include "io/svg.h"

#include <inttypes.h>

enum { MARGIN = 16, TOP = 40, LOWEST = 60, MOST_HEIGHT = 1400, MOST_DRAWN = 20000 };

typedef struct canvas {
    text *out;
    grid_shape shape;
    int64_t z;
    double scale_x, scale_y;
    int height;
    int64_t drawn, left_out;
} canvas;

/* As large as the width allows; a flat grid is drawn higher than it is. */
static canvas find_canvas(text *out, const grid_shape *shape)
{
    double width = SVG_WIDTH - 2 * MARGIN, nx = (double)shape->size[0], ny = (double)shape->size[1];
    double height = width * ny / nx;
    if (height < LOWEST) height = LOWEST;
    if (height > MOST_HEIGHT) {
        height = MOST_HEIGHT;
        width = height * nx / ny < LOWEST ? LOWEST : height * nx / ny;
    }
    return (canvas){.out = out,
                    .shape = *shape,
                    .z = shape->size[2] / 2,
                    .scale_x = width / nx,
                    .scale_y = height / ny,
                    .height = (int)height};
}

static void draw(canvas *c, const grid_box *box, int colour, const char *name, int number)
{
    double width = (double)(box->hi[0] - box->lo[0]) * c->scale_x;
    double height = (double)(box->hi[1] - box->lo[1]) * c->scale_y;
    if (grid_box_is_empty(box) || box->lo[2] > c->z || box->hi[2] <= c->z) return;
    if (c->drawn == MOST_DRAWN) {
        c->left_out++;
        return;
    }
    c->drawn++;
    text_add(c->out,
             "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
             "stroke=\"white\" stroke-width=\"%.2f\"><title>%s %d</title></rect>\n",
             MARGIN + (double)box->lo[0] * c->scale_x,
             TOP + (double)(c->shape.size[1] - box->hi[1]) * c->scale_y, width, height,
             io_svg_colour(colour), width > 6 && height > 6 ? 1 : 0.2, name, number);
}

static grid_box hull_of(const grid_partition *p, int first, int end)
{
    grid_box hull = {.hi = {0}};
    for (int i = p->first[first]; i < p->first[end]; i++) hull = grid_box_hull(&hull, &p->boxes[i]);
    return hull;
}

static void draw_group(canvas *c, const grid_partition *p, int owner, int end, bool boxes,
                       const int numbers[2])
{
    if (!boxes) {
        grid_box hull = hull_of(p, owner, end);
        draw(c, &hull, numbers[1], "part", numbers[0]);
        return;
    }
    for (int i = p->first[owner]; i < p->first[end]; i++)
        draw(c, &p->boxes[i], numbers[1], "owner", p->owner[i]);
}

void io_svg_partition(text *out, const grid_partition *p, int group, int colours, bool boxes)
{
    canvas c = find_canvas(out, &p->shape);
    io_svg_begin(out, c.height + TOP + 2 * MARGIN + 8);
    text_add(out, "<text x=\"16\" y=\"20\" font-size=\"15\" font-weight=\"bold\">The parts of ");
    grid_shape_print(out, &p->shape);
    text_add(out, " points</text>\n");
    for (int o = 0, number = 0; o < p->owners; number++) {
        int end = (int)smaller(p->owners, (int64_t)o + group);
        draw_group(&c, p, o, end, boxes, (int[]){number, number / colours});
        o = end;
    }
    if (c.left_out)
        text_add(out, "<text x=\"16\" y=\"%d\">%" PRId64 " more are not drawn.</text>\n",
                 c.height + TOP + 2 * MARGIN, c.left_out);
    text_add(out, "</svg>\n");
}
