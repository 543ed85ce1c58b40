/* Private to plan: the state of proving one plan. proof.c runs loops and scalars, proof_place.c
 * tracks the content of places, proof_move.c moves, proof_lanes.c tiles that run at once. */
#ifndef PLAN_PROOF_H
#define PLAN_PROOF_H

#include "plan/node.h"

/* ---- content.c: the content of a place ------------------------------------------------------- */

enum { CONTENT_FIRST = -1, CONTENT_ANY = -2, CONTENT_NONE = -3 };

/* A box of values, and the loop that wrote it, or CONTENT_FIRST: it was there before the chain. */
typedef struct content_entry {
    int slot, component, writer;
    grid_box box;
} content_entry;

typedef struct content {
    content_entry *entries;
    size_t count, room;
    bool failed; /* memory was out */
} content;

/* Asks for values of a writer (or CONTENT_ANY); values of `also` (or CONTENT_NONE) suit as well. */
typedef struct content_query {
    int slot, component, writer, also;
} content_query;

void content_set(content *c, content_entry entry);
/* Forgets all of a component in a box, whatever its slot. Returns whether there was something. */
bool content_clear(content *c, int component, const grid_box *box);
/* Whether all of a box is there; if not, *missing is a part that is not. content_find: an entry
 * that holds some of it, or NULL. */
bool content_holds(const content *c, const content_query *q, const grid_box *box,
                   grid_box *missing);
const content_entry *content_find(const content *c, const content_query *q, const grid_box *box);
void content_free(content *c);

/* ---- the proof ------------------------------------------------------------------------------- */

/* A touch of a tile that runs at once with others, outside its own places. */
typedef struct proof_touch {
    int lane, place, component;
    int loop; /* coloured; -1: any other */
    bool writes;
    grid_box box;
    int64_t at[3]; /* the tile in a wave */
} proof_touch;

typedef struct proof_lanes {
    const plan_node *node;
    int lane;
    int64_t at[3];  /* the present tile in a wave */
    int own_places; /* places from this number on belong to the present lane */
    proof_touch *touches;
    size_t count, room;
} proof_lanes;

enum { PROOF_LANES = 18 };

typedef struct proof_loop {
    grid_region counted; /* the points that count so far */
    bool finished;       /* its reductions, or it has run without a grid */
} proof_loop;

typedef struct proof {
    const plan *p;
    const analysis_chain *a;
    text *why;
    bool wrong, no_memory;
    int *scalar_writer; /* per slot: the loop that made its present value */
    proof_loop *loops;
    plan_copy *moves; /* under way */
    size_t move_count, move_room;
    proof_lanes lanes[PROOF_LANES];
    int lane_depth, places; /* places: opened so far */
    int colored;            /* the loop being run when it has colours, otherwise -1 */
    arena memory;
} proof;

/* ---- proof_place.c --------------------------------------------------------------------------- */

/* Each completes the message and returns false. The first adds a line; the second, a line that
 * begins "loop 3 'heat' "; the third, "field 'u' [1, 3) x [0, 4) in the buffer of node 3 ". */
bool proof_refuse(proof *v, const char *format, ...) PRINTF_LIKE(2, 3);
bool proof_refuse_loop(proof *v, int loop, const char *format, ...) PRINTF_LIKE(3, 4);
bool proof_refuse_box(proof *v, const plan_place *place, int slot, const grid_box *box,
                      const char *format, ...) PRINTF_LIKE(5, 6);
bool proof_no_memory(proof *v);
/* The beginning of a message, "loop 3 'heat' needs ", or the same of the chain's end; and the end
 * of a message, " to be the value of loop 1 'heat', but finds nothing". Writers are as in contents.
 */
void proof_say_needs(const proof *v, int loop);
bool proof_refuse_writer(proof *v, int wanted, int found);
const char *proof_slot_name(const proof *v, int slot);
/* The touch of a loop that writes what another one reads on earlier levels, which run in order;
 * NULL: none. */
const analysis_touch *proof_earlier_write(const analysis_loop *l, const analysis_touch *t);

/* A read of a place by a loop. */
typedef struct proof_reading {
    proof *v;
    const plan_place *place;
    int slot, component, loop;
    int also; /* a loop whose value suits as well; CONTENT_NONE: none */
    int64_t shift[3];
} proof_reading;

/* Whether a box of a place holds what loop r->loop should find there. */
bool proof_check_box(proof_reading *r, const grid_box *box);
/* Whether a box has room in a buffer. */
bool proof_fits(proof *v, const plan_place *place, int slot, const grid_box *box);
/* Notes a value written; a value that it overwrites in a buffer is gone. */
bool proof_set_box(proof *v, const plan_place *place, int slot, int component, const grid_box *box,
                   int writer);
bool proof_open(void *data, plan_place *place);
bool proof_close(void *data, plan_place *place);

/* ---- proof_move.c ---------------------------------------------------------------------------- */

/* Whether two boxes of a place use the same memory: indices a capacity apart do. */
bool proof_meets(const plan_place *place, const grid_box *box, int number, const grid_box *other);
/* Notes that a box of a place is touched, and that no move is in the way. */
bool proof_touch_box(proof *v, const plan_place *place, int slot, int component,
                     const grid_box *box, bool writes);
bool proof_copy(void *data, const plan_walk *walk, const plan_copy *copy);
bool proof_wait(void *data, int tag, int64_t turn);

/* ---- proof_lanes.c --------------------------------------------------------------------------- */

/* Notes a touch of the tiles around that run at once with others. */
bool proof_note_lanes(proof *v, const plan_place *place, int component, const grid_box *box,
                      bool writes);
bool proof_tile(void *data, const plan_node *node, const int64_t at[3]);

#endif
