/* Private to row_reuse.c and the files that belong to it. */
#ifndef CODEGEN_REUSE_H
#define CODEGEN_REUSE_H

#include "codegen/emit.h"

enum { REUSE_NO_CLASS = 0, REUSE_NOT = -1 };

/* A node's class and offset. `fixed`: it is the same at all points of a row. */
typedef struct reuse_member {
    uint32_t class;
    int32_t offset;
    bool fixed;
} reuse_member;

/* What makes a class. */
typedef struct reuse_trait {
    uint8_t op, type, fixed[3], zero[3];
    int32_t param, element, row[2]; /* of a load; row: its offsets along y and z */
    uint32_t operand[3];
    int32_t distance[3]; /* from the node's offset to the operands' */
} reuse_trait;

typedef struct reuse_class {
    reuse_trait trait;
    ir_id first;       /* the node with the lowest offset */
    int32_t low, high; /* offsets */
    int count;         /* nodes */
    double cost;       /* of what must be computed at an offset */
    int value;         /* index in codegen_reuse.value, or REUSE_NOT */
} reuse_class;

typedef struct reuse_finder {
    const codegen_loop *loop;
    const ir_graph *graph;
    const codegen_step *steps;
    reuse_member *members; /* for each node */
    reuse_class *classes;  /* from 1 */
    uint32_t class_count, *slots, slot_count;
    codegen_reuse *out;
    ir_id *todo; /* of walks */
    bool *met;
    bool *fitting, *within; /* see reuse_absorb.c */
} reuse_finder;

/* ---- reuse_class.c --------------------------------------------------------------------------- */

/* Finds the class and the offset of each node. */
void reuse_classify(reuse_finder *f);
/* What an operation costs; an addition costs 1. */
double reuse_weight(ir_op op);

/* ---- reuse_walk.c ---------------------------------------------------------------------------- */

typedef enum reuse_mode {
    REUSE_IGNORED, /* nothing is reused */
    REUSE_CHOSEN,  /* what was chosen is */
    REUSE_CHOOSING /* so is what is worth it */
} reuse_mode;

/* Goes from the first `count` nodes of f->todo to what they need, and returns what computing that
 * costs. The way ends at values that are reused at more offsets than those of `within` (NULL: those
 * of points): while these are computed, values for the same offsets are at hand. f->met then marks
 * the nodes on the way. */
double reuse_walk(reuse_finder *f, size_t count, const codegen_reused *within, reuse_mode mode);
double reuse_walk_from_stores(reuse_finder *f, reuse_mode mode);
/* Adds the operands of a node to f->todo, behind `count` nodes; returns their number then. */
size_t reuse_add_operands(reuse_finder *f, ir_id id, size_t count);

/* Adds what c's nodes compute to f->out, as the value of a group (0: not known yet). */
void reuse_add_value(reuse_finder *f, reuse_class *c, int group);

/* ---- reuse_absorb.c -------------------------------------------------------------------------- */

/* What points make of reused values of one offset is reused instead of these, where it is all that
 * they are needed for. */
void reuse_absorb(reuse_finder *f);

/* ---- reuse_widen.c --------------------------------------------------------------------------- */

/* Whether a loop reads bytes and writes wider numbers. */
bool reuse_reads_bytes(const codegen_loop *loop);
/* Adds the numbers that are made of bytes, in groups before all others. */
void reuse_widen(reuse_finder *f);

#endif
