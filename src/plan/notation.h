/* Private to plan and its tests: the words and numbers of the text form. */
#ifndef PLAN_NOTATION_H
#define PLAN_NOTATION_H

#include "plan/node.h"

enum { NOTATION_DEPTH = 64, NOTATION_KINDS = PLAN_LOOP + 1 };

/* By plan_kind; NULL of PLAN_NONE. */
extern const char *const notation_kinds[NOTATION_KINDS];

/* A label of a kind of node, and the members of plan_node that follow it in the text. */
typedef struct notation_number {
    plan_kind kind;
    const char *label;
    size_t offset;
    size_t size; /* of one member: that of bool, int or int64_t */
    int count;
} notation_number;

/* In the order in which they are written. */
extern const notation_number notation_numbers[];
extern const int notation_number_count;

#endif
