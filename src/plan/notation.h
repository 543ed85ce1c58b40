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
    int64_t usual; /* numbers that are all this one are left out; NOTATION_TOLD: none are */
} notation_number;

#define NOTATION_TOLD INT64_MIN

/* In the order in which they are written. Labels of numbers that may be left out are their own. */
extern const notation_number notation_numbers[];
extern const int notation_number_count;

#endif
