/* A panel of the picture: one plan, over one dimension and the loops of the chain. Of the other
 * dimensions one line through the middle is shown.
 *
 * The plan is walked twice: to measure, and to draw. What is drawn is bounded: rows for the first
 * and the last loops, the tiles of the low end of the dimension, and of a long walk the beginning.
 *
 * A number is given to each tile in the order in which tiles run. A tile begins where a loop
 * follows a later one or itself, or where the innermost tile node around the loop is another one.
 * The tiles of a parallel node, and blocks, may run at once: each begins with the number that the
 * first of them began with. */
#include "io/svg.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    ROW = 18,
    LEFT = 190,
    WIDTH = SVG_WIDTH - LEFT - 30,
    HEAD = 44,      /* above the rows */
    FOOT = 50,      /* below them: the axis */
    FIRST = 20,     /* rows for the first loops of a long chain */
    LAST = 7,       /* and for its last ones */
    TILES = 32,     /* drawn in a row, more or less */
    RUNS = 1 << 21, /* that are looked at */
    NESTED = 16     /* parallel nodes in one another */
};

/* Tiles of a parallel node that is walked: each begins with number `base`. */
typedef struct wave {
    const plan_node *node;
    int base, most;
} wave;

typedef struct panel {
    text *out;
    text above; /* drawn over the tiles */
    const analysis_chain *a;
    int dimension, top;
    int64_t line[3]; /* where the other dimensions are looked at */
    int64_t lo, hi;  /* of all points; then of those shown */
    int64_t end;     /* of all points */
    int *owners;     /* by leaf: the innermost tile node around it, 0 where there is none */
    int *runs;       /* by loop, on the line */
    int looked_at;
    int order, most_order; /* number of the tile; the largest so far */
    int last, last_owner;  /* the loop before, and its owner */
    int64_t last_shift[3];
    wave waves[NESTED];
    int wave_count;
    bool cut; /* the walk was ended early */
} panel;

/* ---- the walk -------------------------------------------------------------------------------- */

static void find_owners(const plan *p, int node, int owner, int *owners)
{
    for (; node; node = p->nodes[node].next) {
        const plan_node *n = &p->nodes[node];
        if (plan_is_leaf(n)) owners[n->leaf] = owner;
        find_owners(p, n->child, plan_is_tile(n) ? node : owner, owners);
    }
}

static bool on_line(const panel *p, const plan_run *run)
{
    for (int d = 0; d < 3; d++)
        if (d != p->dimension && (p->line[d] < run->box.lo[d] || p->line[d] >= run->box.hi[d]))
            return false;
    return true;
}

static void begin_walk(panel *p)
{
    p->order = -1;
    p->last = p->a->loop_count;
    p->looked_at = p->wave_count = 0;
}

/* Whether the walk goes on. */
static bool look_at(panel *p)
{
    if (p->looked_at++ < RUNS) return true;
    p->cut = true;
    return false;
}

static bool measure(void *data, const plan_walk *walk, const plan_run *run)
{
    panel *p = data;
    (void)walk;
    if (!on_line(p, run)) return look_at(p);
    int64_t shift = run->shift[p->dimension];
    p->lo = smaller(p->lo, run->box.lo[p->dimension] + shift);
    p->hi = larger(p->hi, run->box.hi[p->dimension] + shift);
    p->runs[run->loop]++;
    return look_at(p);
}

static bool begin_tile(void *data, const plan_node *node, const int64_t at[3])
{
    panel *p = data;
    wave *w = p->wave_count ? &p->waves[p->wave_count - 1] : NULL;
    p->last = p->a->loop_count;
    if (!node) {
        p->order = w->most > p->order ? w->most : p->order;
        p->wave_count--;
        return true;
    }
    if (!w || w->node != node) {
        if (p->wave_count == NESTED) return false;
        w = &p->waves[p->wave_count++];
        *w = (wave){.node = node, .base = p->order, .most = p->order};
    }
    if (p->order > w->most) w->most = p->order;
    if (!at) p->order = w->base; /* the tiles of a wave are shown one after another */
    return true;
}

/* Along a dimension that wraps, a loop of a tile comes as several boxes, with growing shifts. */
static bool is_next_image(const panel *p, const plan_run *run)
{
    for (int d = 0; d < 3; d++)
        if (run->shift[d] != p->last_shift[d]) return run->shift[d] > p->last_shift[d];
    return false;
}

static void count_tile(panel *p, const plan_run *run)
{
    int owner = p->owners[run->leaf];
    bool again = run->loop == p->last && !is_next_image(p, run);
    if (run->loop < p->last || again || owner != p->last_owner) p->order++;
    if (p->order > p->most_order) p->most_order = p->order;
    p->last = run->loop;
    p->last_owner = owner;
    memcpy(p->last_shift, run->shift, sizeof p->last_shift);
}

/* ---- rows and columns ------------------------------------------------------------------------ */

static int row_count(const panel *p)
{
    return p->a->loop_count <= FIRST + 1 + LAST ? p->a->loop_count : FIRST + 1 + LAST;
}

/* The row of a loop, from below; -1 where it is left out. */
static int row_of(const panel *p, int loop)
{
    int rows = row_count(p), from_end = p->a->loop_count - 1 - loop;
    if (rows == p->a->loop_count || loop < FIRST) return loop;
    return from_end < LAST ? rows - 1 - from_end : -1;
}

static int y_of(const panel *p, int row) { return p->top + HEAD + ROW * (row_count(p) - 1 - row); }

static double x_of(const panel *p, int64_t index)
{
    return LEFT + (double)WIDTH * (double)(index - p->lo) / (double)(p->hi - p->lo);
}

/* Leaves as many points as have about TILES tiles in the row with most of them. */
static void choose_points(panel *p)
{
    int most = 1;
    for (int l = 0; l < p->a->loop_count; l++) most = p->runs[l] > most ? p->runs[l] : most;
    p->end = p->hi;
    if (most <= TILES + TILES / 4) return;
    int64_t points = (p->hi - p->lo) * TILES / most;
    p->hi = p->lo + larger(points, 1);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* A box of a loop's points, as far as it is shown. */
typedef struct bar {
    int64_t lo, hi;
    double x, width;
    int y;
} bar;

static bool find_bar(const panel *p, const plan_run *run, int64_t lo, int64_t hi, bar *b)
{
    int64_t shift = run->shift[p->dimension];
    int64_t from = larger(lo + shift, p->lo), to = smaller(hi + shift, p->hi);
    if (from >= to) return false;
    double x = x_of(p, from);
    *b = (bar){lo, hi, x, x_of(p, to) - x, y_of(p, row_of(p, run->loop))};
    return true;
}

/* `style` begins with a blank. */
static void add_rect(const panel *p, text *out, const plan_run *run, const bar *b, int height,
                     const char *style)
{
    text_add(out,
             "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"%s><title>loop %d "
             "'%s' [%" PRId64 ", %" PRId64 "), tile %d</title></rect>\n",
             b->x, b->y + ROW - 2 - height, b->width, height, io_svg_colour(p->order), style,
             run->loop, p->a->loops[run->loop].loop->kernel->name, b->lo, b->hi, p->order + 1);
}

/* Points that the tile owns: a bar with the tile's number, if there is room for it. */
static void add_owned(panel *p, const plan_run *run, int64_t lo, int64_t hi)
{
    bar b;
    int digits = 1;
    if (!find_bar(p, run, lo, hi, &b)) return;
    add_rect(p, p->out, run, &b, ROW - 2, " stroke=\"white\"");
    for (int n = p->order + 1; n >= 10; n /= 10) digits++;
    if (b.width < 7 * digits + 3) return;
    text_add(p->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%d</text>\n",
             b.x + b.width / 2, b.y + 12, io_svg_ink(p->order), p->order + 1);
}

/* Points that another tile owns: a low bar over those of that tile. */
static void add_repeated(panel *p, const plan_run *run, int64_t lo, int64_t hi)
{
    bar b;
    if (find_bar(p, run, lo, hi, &b)) add_rect(p, &p->above, run, &b, SVG_LOW, " stroke=\"black\"");
}

static bool draw(void *data, const plan_walk *walk, const plan_run *run)
{
    panel *p = data;
    int d = p->dimension;
    (void)walk;
    if (!on_line(p, run)) return look_at(p);
    count_tile(p, run);
    if (row_of(p, run->loop) < 0) return look_at(p);
    int64_t lo = larger(run->core.lo[d], run->box.lo[d]);
    int64_t hi = smaller(run->core.hi[d], run->box.hi[d]);
    if (lo >= hi) lo = hi = run->box.hi[d]; /* nothing is its own */
    add_repeated(p, run, run->box.lo[d], lo);
    add_owned(p, run, lo, hi);
    add_repeated(p, run, hi, run->box.hi[d]);
    return look_at(p);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "at x = 12, z = 5": the dimensions that are not shown and have more than a point. */
static void add_title(const panel *p, int number)
{
    const analysis_chain *a = p->a;
    const char *joint = ", at";
    int64_t extent[3] = {0, 0, 0};
    for (int l = 0; l < a->loop_count; l++)
        for (int d = 0; d < 3; d++) extent[d] = larger(extent[d], a->loops[l].loop->box.hi[d]);
    text_add(p->out,
             "<text x=\"16\" y=\"%d\" font-size=\"13\" font-weight=\"bold\">Chain %d: %d %s"
             "</text>\n<text x=\"16\" y=\"%d\">points along %c to the right",
             p->top + 16, number, a->loop_count, a->loop_count == 1 ? "loop" : "loops", p->top + 34,
             "xyz"[p->dimension]);
    for (int d = 0; d < 3; d++) {
        if (d == p->dimension || extent[d] <= 1) continue;
        text_add(p->out, "%s %c = %" PRId64, joint, "xyz"[d], p -> line[d]);
        joint = ",";
    }
    text_add(p->out, "; loops upwards, the first at the bottom");
    if (p->hi < p->end)
        text_add(p->out, "; shown are the points up to %" PRId64 " of %" PRId64, p->hi, p->end);
    if (p->most_order == 0) text_add(p->out, "; one tile: loops run one after another");
    if (p->cut) text_add(p->out, "; the plan is too long to be drawn to its end");
    text_add(p->out, "</text>\n");
}

static void add_names(const panel *p)
{
    for (int l = 0; l < p->a->loop_count; l++) {
        const char *name = p->a->loops[l].loop->kernel->name;
        bool whole = strlen(name) <= 20;
        if (row_of(p, l) < 0) continue;
        text_add(p->out, "<text x=\"16\" y=\"%d\">%d %.*s%s</text>\n", y_of(p, row_of(p, l)) + 12,
                 l, whole ? 20 : 19, name, whole ? "" : "&#8230;");
    }
    if (row_count(p) < p->a->loop_count)
        text_add(p->out, "<text x=\"16\" y=\"%d\">&#8942; %d more loops</text>\n",
                 y_of(p, FIRST) + 12, p->a->loop_count - FIRST - LAST);
}

/* 1, 2 or 5 times a power of ten, such that there are at most ten steps. */
static int64_t tick_step(int64_t points)
{
    static const int times[] = {1, 2, 5};
    int64_t power = 1;
    for (;; power *= 10)
        for (size_t i = 0; i < COUNT_OF(times); i++)
            if (points / (times[i] * power) <= 10) return times[i] * power;
}

static void add_axis(const panel *p)
{
    int y = p->top + HEAD + ROW * row_count(p) + 3;
    int64_t step = tick_step(p->hi - p->lo);
    text_add(p->out, "<path d=\"M%d %dH%d", LEFT, y, LEFT + WIDTH);
    for (int64_t i = -floor_divide(-p->lo, step) * step; i <= p->hi; i += step)
        text_add(p->out, "M%.1f %dv5", x_of(p, i), y);
    text_add(p->out, "\" stroke=\"black\" fill=\"none\"/>\n");
    for (int64_t i = -floor_divide(-p->lo, step) * step; i <= p->hi; i += step)
        text_add(p->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%" PRId64 "</text>\n",
                 x_of(p, i), y + 17, i);
    text_add(p->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%c</text>\n", LEFT - 8, y + 17,
             "xyz"[p->dimension]);
}

/* ---- the panel ------------------------------------------------------------------------------- */

static void choose_line(panel *p)
{
    for (int l = 0; l < p->a->loop_count; l++)
        for (int d = 0; d < 3; d++)
            p->line[d] = larger(p->line[d], p->a->loops[l].loop->box.hi[d] / 2);
}

static bool walk(panel *p, const plan *plan, plan_place *homes, bool drawing)
{
    plan_visitor visitor = {.data = p, .run = drawing ? draw : measure, .tile = begin_tile};
    begin_walk(p);
    return plan_walk_all(plan, p->a, homes, &visitor) || p->cut;
}

/* Draws the plan, and returns the panel's height; 0 where nothing is computed. */
static int draw_panel(panel *p, const plan *plan, plan_place *homes, int number)
{
    if (!walk(p, plan, homes, false)) p->out->failed = true;
    if (p->out->failed || p->lo >= p->hi) return 0;
    choose_points(p);
    if (!walk(p, plan, homes, true) || p->above.failed) p->out->failed = true;
    if (p->above.length) text_add(p->out, "%s", text_get(&p->above));
    add_title(p, number);
    add_names(p);
    add_axis(p);
    return HEAD + ROW * row_count(p) + FOOT;
}

int io_svg_panel(text *out, const plan *p, const analysis_chain *a, int dimension, int number,
                 int top)
{
    arena memory = {0};
    panel drawn = {
        .out = out, .a = a, .dimension = dimension, .top = top, .lo = PLAN_FAR, .hi = -PLAN_FAR};
    plan_place *homes = arena_array(&memory, (size_t)a->slot_count + 1, sizeof *homes);
    drawn.owners = arena_array(&memory, (size_t)p->leaf_count + 1, sizeof *drawn.owners);
    drawn.runs = arena_array(&memory, (size_t)a->loop_count + 1, sizeof *drawn.runs);
    int height = 0;
    if (homes && drawn.owners && drawn.runs) {
        choose_line(&drawn);
        find_owners(p, p->root, 0, drawn.owners);
        height = draw_panel(&drawn, p, homes, number);
    } else {
        out->failed = true;
    }
    text_free(&drawn.above);
    arena_free(&memory);
    return height;
}
