/* Wisdom: the fastest known ways to run chains, as they are kept from one start of a program to the
 * next. Results never depend on it. */
#ifndef EXEC_WISDOM_H
#define EXEC_WISDOM_H

#include "plan/plan.h"

enum {
    WISDOM_NAME = 32,
    WISDOM_MOST = HOSTILE(1024, 16), /* entries; of more the oldest are forgotten */
    WISDOM_BYTES = 1 << 21           /* of a text, at most */
};

/* What is known of chains that are alike. */
typedef struct wisdom_entry {
    uint64_t chain;
    char machine[33]; /* a hash */
    int threads;
    char version[WISDOM_NAME]; /* of the library */
    int64_t loops;             /* that had run */
    int64_t nanoseconds;       /* a loop takes */
    bool settled;              /* the search for the fastest way had ended */
    char kernel[WISDOM_NAME];  /* of the first loop */
    plan_request request;
} wisdom_entry;

/* The latest entries are the last ones. */
typedef struct wisdom {
    wisdom_entry *entries;
    size_t count, capacity;
} wisdom; /* zero-initialised is empty */

void wisdom_free(wisdom *w);
/* Adds an entry in the place of one about the same; `faster`: unless that takes less time. False
 * when memory is out. */
bool wisdom_add(wisdom *w, const wisdom_entry *entry, bool faster);
/* Forgets the entries of a kernel, or all for NULL. Returns how many there were. */
size_t wisdom_forget(wisdom *w, const char *kernel);

/* As text: a line that says what it is, then one per entry. */
void wisdom_print(text *out, const wisdom *w);
/* Adds the entries of a text, as wisdom_add does, and leaves out lines that are none. Returns the
 * number of the first of these, counted from 1; 0: all are right; -1 when memory is out. */
int wisdom_read(wisdom *w, const char *lines, bool faster);
/* For people. */
void wisdom_list(text *out, const wisdom *w);

#endif
