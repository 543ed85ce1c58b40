/* Pictures of plans: what is computed when, over one dimension and the loops of the chain, as SVG.
 * Of the other dimensions one line through the middle is shown. Colours tell tiles apart: equal
 * ones are parts of loops that follow one another in one tile. */
#include "io/io.h"

#include <inttypes.h>

enum { POINT = 10, ROW = 16, LEFT = 150, TOP = 30 };

typedef struct picture {
    text *out;
    const analysis_chain *a;
    int dimension;
    int64_t line[3]; /* where the other dimensions are looked at */
    int64_t lo, hi;  /* shown */
    int last, turn;  /* the loop drawn last, and the tile */
} picture;

static const char *const palette[] = {"#4c78a8", "#f58518", "#54a24b", "#e45756",
                                      "#72b7b2", "#b279a2", "#eeca3b", "#9d755d"};

/* A new tile begins where a loop of the chain follows a later one, or itself. */
static bool draw(void *data, const plan_walk *walk, const plan_run *run)
{
    (void)walk;
    picture *p = data;
    for (int d = 0; d < 3; d++)
        if (d != p->dimension && run->box.hi[d] - run->box.lo[d] > 0 &&
            (p->line[d] < run->box.lo[d] || p->line[d] >= run->box.hi[d]))
            return true;
    if (run->loop <= p->last) p->turn++;
    p->last = run->loop;
    int64_t lo = run->box.lo[p->dimension] + run->shift[p->dimension];
    int64_t hi = run->box.hi[p->dimension] + run->shift[p->dimension];
    text_add(p->out,
             "<rect x=\"%" PRId64 "\" y=\"%d\" width=\"%" PRId64 "\" height=\"%d\" fill=\"%s\" "
             "stroke=\"white\" opacity=\"0.8\"><title>loop %d '%s' [%" PRId64 ", %" PRId64
             ")</title></rect>\n",
             LEFT + (lo - p->lo) * POINT, TOP + ROW * (p->a->loop_count - 1 - run->loop),
             (hi - lo) * POINT, ROW - 1, palette[(size_t)p->turn % COUNT_OF(palette)], run->loop,
             p->a->loops[run->loop].loop->kernel->name, lo, hi);
    return true;
}

static bool measure(void *data, const plan_walk *walk, const plan_run *run)
{
    (void)walk;
    picture *p = data;
    int64_t lo = run->box.lo[p->dimension] + run->shift[p->dimension];
    int64_t hi = run->box.hi[p->dimension] + run->shift[p->dimension];
    if (lo < p->lo) p->lo = lo;
    if (hi > p->hi) p->hi = hi;
    return true;
}

static void draw_axes(const picture *p)
{
    int64_t width = LEFT + (p->hi - p->lo) * POINT + 20;
    int height = TOP + ROW * p->a->loop_count + 30;
    text_add(p->out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%d\" "
             "font-family=\"sans-serif\" font-size=\"11\">\n",
             width, height);
    text_add(p->out, "<text x=\"4\" y=\"16\">loops, the first at the bottom</text>\n");
    for (int l = 0; l < p->a->loop_count; l++)
        text_add(p->out, "<text x=\"4\" y=\"%d\">%d %s</text>\n",
                 TOP + ROW * (p->a->loop_count - l) - 4, l, p->a->loops[l].loop->kernel->name);
    for (int64_t x = p->lo; x <= p->hi; x++)
        if (x % 8 == 0)
            text_add(p->out, "<text x=\"%" PRId64 "\" y=\"%d\">%c = %" PRId64 "</text>\n",
                     LEFT + (x - p->lo) * POINT, height - 10, "xyz"[p->dimension], x);
}

bool io_svg_plan(text *out, const plan *p, const analysis_chain *a, int dimension)
{
    picture picture = {.out = out,
                       .a = a,
                       .dimension = dimension,
                       .last = a->loop_count,
                       .lo = PLAN_FAR,
                       .hi = -PLAN_FAR,
                       .turn = -1};
    plan_visitor visitor = {.data = &picture, .run = measure};
    arena memory = {0};
    plan_place *homes = arena_array(&memory, (size_t)a->slot_count + 1, sizeof *homes);
    for (int l = 0; l < a->loop_count; l++)
        for (int d = 0; d < 3; d++)
            if (a->loops[l].loop->box.hi[d] / 2 > picture.line[d])
                picture.line[d] = a->loops[l].loop->box.hi[d] / 2;
    bool done = homes && plan_walk_all(p, a, homes, &visitor) && picture.lo < picture.hi;
    if (done) draw_axes(&picture);
    visitor.run = draw;
    done = done && plan_walk_all(p, a, homes, &visitor);
    text_add(out, done ? "</svg>\n" : "");
    arena_free(&memory);
    return done;
}
