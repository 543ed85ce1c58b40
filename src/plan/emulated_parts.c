/* The parts of a plan whose times are noted: what the plan says of them. */
#include "plan/emulated.h"

plan_timed *emulated_part(emulated_recorder *r) { return &r->out->parts[r->out->count - 1]; }

bool emulated_add_part(emulated_recorder *r, plan_timed part)
{
    void *parts = r->out->parts;
    if (!vector_reserve(&parts, &r->out->room, r->out->count + 1, sizeof *r->out->parts)) {
        r->failed = true;
        return false;
    }
    r->out->parts = parts;
    r->out->parts[r->out->count++] = part;
    return true;
}

void emulated_describe(const emulated_recorder *r, const plan_node *tile, plan_timed *part)
{
    int first = (int)(tile - r->p->nodes);
    const plan_node *inner = NULL; /* a tile inside of a turn */
    const plan_node *group = NULL;
    for (int i = first; i < r->p->count; i++) {
        const plan_node *n = &r->p->nodes[i];
        if (n->leaf >= tile->leaf + tile->leaf_count) break;
        if (n->kind == PLAN_TILE && n->siblings) part->tile[n->dimension] = n->size;
        if (n->group > 1) group = n;
        if (n->kind == PLAN_TILE && !n->siblings) inner = n;
        if (n->kind == PLAN_MOVE && n->tag && inner && n->leaf < inner->leaf + inner->leaf_count)
            part->columns = true;
        if (n->kind == PLAN_BUFFER) {
            part->bytes += plan_core_bytes(n, r->a->slots[n->slot], group);
            part->slots = (int)larger(part->slots, larger(n->depth, 1));
        }
        if (n->kind != PLAN_LOOP) continue;
        if (!part->end) part->first = n->loop;
        part->first = (int)smaller(part->first, n->loop);
        part->end = (int)larger(part->end, n->loop + 1);
    }
    part->group = group ? group->group : 0;
}

double emulated_share(const plan_walk *walk, const grid_box *box)
{
    double share = 1;
    for (int i = 0; i < walk->frame_count; i++) {
        const plan_node *n = walk->frames[i].node;
        int64_t points = box->hi[n->dimension] - box->lo[n->dimension];
        if (n->group > 1 && points > 0)
            share = (double)plan_core_points(points, n) / (double)points;
    }
    return share;
}

double emulated_operations(const chain_loop *loop, const grid_box *box)
{
    double points = (double)grid_box_points(box) / (loop->colors > 1 ? loop->colors : 1);
    return points * (double)ir_work(loop->kernel);
}
