/* The picture of an emulated machine: the turns of its first core, in the work that takes the
 * longest. */
#include "api/api.h"
#include "api/explain.h"

#include <inttypes.h>
#include <string.h>

enum { GET_ROW, CORE_ROW, PUT_ROW };

static void add_bar(io_pipeline *p, const machine_operation *o)
{
    static const int row_of[] = {[MACHINE_GET] = GET_ROW,
                                 [MACHINE_PUT] = PUT_ROW,
                                 [MACHINE_AWAIT] = CORE_ROW,
                                 [MACHINE_COMPUTE] = CORE_ROW};
    io_pipeline_bar bar = {.row = row_of[o->act],
                           .begin = o->begin,
                           .end = o->end,
                           .turn = o->turn,
                           .waits = o->act == MACHINE_AWAIT};
    if (o->end <= o->begin) return;
    p->bars[p->count++] = bar;
    if (o->end > p->seconds) p->seconds = o->end;
}

static void add_title(text *out, const kata *k, const plan_timed *t, const char *kernel)
{
    text_add(out, "%s on the machine %s, blocks", kernel, exec_scratchpad_machine(&k->exec)->name);
    for (int d = 0; d < 3; d++)
        if (t->tile[d]) text_add(out, " %c=%" PRId64, 'x' + d, t->tile[d]);
    if (!t->resident) text_add(out, ", %d slot%s", t->slots, t->slots == 1 ? "" : "s");
}

void api_print_pipeline(text *out, const kata *k)
{
    const char *kernel;
    const plan_timed *t = exec_scratchpad_longest(&k->exec, &kernel);
    io_pipeline drawn = {.rows = {"get", "core", "put"}};
    text title = {0}, below = {0};
    if (!t) return;
    if (t->resident) drawn.rows[GET_ROW] = "exchange";
    if (t->resident) drawn.rows[PUT_ROW] = "";
    add_title(&title, k, t, kernel);
    text_add(&below,
             "The first of %d cores with a memory each; all of the work: %.4g s, %s %.0f %%, "
             "operations %.0f %% of it.",
             t->siblings, t->time.seconds, t->resident ? "exchange" : "transfers",
             100 * t->time.moving / t->time.seconds, 100 * t->time.computing / t->time.seconds);
    for (int i = 0; i < t->shown_count; i++) add_bar(&drawn, &t->shown[i]);
    drawn.title = text_get(&title);
    drawn.below = text_get(&below);
    io_svg_pipeline(out, &drawn);
    if (title.failed || below.failed) out->failed = true;
    text_free(&title);
    text_free(&below);
}
