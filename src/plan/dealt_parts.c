/* The proof that ranks run the right points of loops in parts. */
#include "plan/dealt_proof.h"

#include <inttypes.h>
#include <string.h>

static const int no_image[3] = {0, 0, 0};
static const plan_span no_span[3] = {{0, 0}, {0, 0}, {0, 0}};

bool dealt_refuse(const dealt_run *r, const char *format, ...)
{
    text reason = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&reason, format, list);
    va_end(list);
    dealt_say_rank(r->v);
    proof_refuse_loop(&r->v->v, r->loop, "%s", text_get(&reason));
    text_free(&reason);
    return false;
}

/* Whether a rank's points of a loop end within a brick, others of which are not its own. */
static bool cuts_brick(const dealt_run *r, const grid_box *box)
{
    const grid_box *all = &r->l->loop->box;
    bool low = box->lo[0] != all->lo[0] && box->lo[0] % IR_BRICK != 0;
    bool high = box->hi[0] != all->hi[0] && box->hi[0] % IR_BRICK != 0;
    return !grid_box_is_empty(box) && (low || high);
}

/* Whether some box of this rank's points meets another box, of number `other`. */
static bool meets_own(const dealt_run *r, int other, const grid_box *box)
{
    const plan_ranks *ranks = r->v->c->ranks;
    bool meets = false;
    for (int b = ranks->first[ranks->rank]; b < ranks->first[ranks->rank + 1]; b++) {
        grid_box mine = plan_own_points(r->l->loop, ranks, b, no_span, no_image);
        meets = meets || (b != other && grid_box_meet(&mine, box));
    }
    return meets;
}

/* Whether ranks run each point of a loop once, and whole bricks. */
static bool check_counted(const dealt_run *r)
{
    const plan_ranks *ranks = r->v->c->ranks;
    int64_t points = 0;
    for (int i = 0; i < ranks->total; i++)
        for (int b = ranks->first[i]; b < ranks->first[i + 1]; b++) {
            grid_box box = plan_own_points(r->l->loop, ranks, b, no_span, no_image);
            points += grid_box_points(&box);
            if (meets_own(r, b, &box))
                return dealt_refuse(r, "counts points twice: rank %d has them, too", i);
            if (cuts_brick(r, &box))
                return dealt_refuse(r, "reduces a part of a brick on rank %d", i);
        }
    return points == grid_box_points(&r->l->loop->box) ||
           dealt_refuse(r, "counts %" PRId64 " of its %" PRId64 " points", points,
                        grid_box_points(&r->l->loop->box));
}

bool dealt_check_span(const dealt_run *r, const plan_dealt_step *step)
{
    bool own = true;
    for (int d = 0; d < 3; d++) {
        bool cut = dealt_is_cut(r->v->c->p, d);
        own = own && (!cut || (!step->span[d].lo && !step->span[d].hi));
        if (cut && r->l->loop->kernel->order[d] != IR_UNORDERED)
            return dealt_refuse(
                r, "runs in parts along a dimension in which its points have an order");
    }
    if (r->l->loop->once || r->l->gathers)
        return dealt_refuse(r, "runs in parts, and has to run on all points at once");
    if (r->l->reduces && !own) return dealt_refuse(r, "counts points twice: others have them, too");
    return !r->l->reduces || check_counted(r);
}

/* The points of the grid that a box has in one of its images: those in another place than the
 * loop's own. */
static grid_box points_in(const dealt_run *r, const grid_box *box, const int image[3])
{
    const grid_box *all = &r->l->loop->box;
    grid_box in = *box;
    for (int d = 0; d < 3; d++) {
        const int64_t shift = image[d] * r->l->loop->shape.size[d];
        in.lo[d] = larger(in.lo[d], image[d] > 0 ? larger(all->hi[d], shift) : all->lo[d] + shift);
        in.hi[d] = smaller(in.hi[d], image[d] < 0 ? smaller(all->lo[d], 0) : all->hi[d] + shift);
        in.lo[d] -= shift;
        in.hi[d] -= shift;
    }
    return in;
}

static bool add_points(dealt_run *r, const grid_box *box, const int image[3])
{
    dealt_points_of *at = &r->boxes[r->count];
    *at = (dealt_points_of){points_in(r, box, image), {image[0], image[1], image[2]}};
    if (grid_box_is_empty(&at->box)) return true;
    for (int d = 0; d < 3; d++)
        if (image[d] && !analysis_may_wrap(r->l, d))
            return dealt_refuse(r, "runs beyond a side, where its points would have other values");
    for (int i = 0; i < r->count; i++)
        if (!memcmp(r->boxes[i].image, at->image, sizeof at->image) &&
            grid_box_meet(&r->boxes[i].box, &at->box))
            return dealt_refuse(r, "runs points twice");
    r->count++;
    return true;
}

/* Beyond sides that wrap there are points, too: copies of those a period away. */
bool dealt_find_points(dealt_run *r, const plan_dealt_step *step)
{
    const plan_dealt *p = r->v->c->p;
    grid_region all = {0};
    bool right = plan_all_points(r->l->loop, r->v->c->ranks, step->span, p->wraps, &all);
    r->boxes = arena_array(&r->v->memory, PLAN_IMAGES * all.count + 1, sizeof *r->boxes);
    if (!right || !r->boxes) {
        grid_region_free(&all);
        return proof_no_memory(&r->v->v);
    }
    for (size_t b = 0; b < all.count; b++)
        for (int i = 0; i < PLAN_IMAGES && right; i++) {
            int image[3];
            if (plan_image(i, p->wraps, image)) right = add_points(r, &all.boxes[b], image);
        }
    grid_region_free(&all);
    return right;
}
