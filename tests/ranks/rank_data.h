/* What the parts of the program rank_data share. */
#ifndef RANK_DATA_H
#define RANK_DATA_H

#include "kata/kata.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, kata_rank(NULL),     \
                #condition);                                                                       \
        exit(1);                                                                                   \
    } while (0)

/* Of three dimensions: `set` gives a point value_at, `set3` each component; `move` reads the
 * neighbours along y and z. */
kata_kernel *find(kata *k, const char *name);
double value_at(int component, const int64_t at[3]);
int64_t points_of(const kata_range *r);

/* Gets values of a box of a field that `set` has set, and compares them. */
void get_box(kata_field *field, kata_range box, int components);

/* The latest message of the context. */
extern char said[1000];
/* Complains unless ranks, where there are several, have got this error, which is cleared. */
void expect_refused(kata *k, kata_status status, const char *message);

/* ---- rank_own.c: parts of the program -------------------------------------------------------- */

void run_local(kata *k);
void run_undealt(kata *k);
void run_alone(kata *k);
void run_checked(kata *k);
void run_swapped(kata *k);
void run_wrap(kata *k);

/* ---- rank_apart.c: parts of the program ------------------------------------------------------ */

void run_apart(kata *k);
void run_mapped(kata *k);

/* ---- rank_lists.c: a part of the program ----------------------------------------------------- */

void run_lists(kata *k);

/* ---- rank_leave.c: parts of the program ------------------------------------------------------ */

void run_leave(kata *k);
void run_vanish(kata *k);
void run_die(kata *k);
void run_abort(kata *k);
void run_busy(kata *k);
void run_stop(kata *k);

#endif
