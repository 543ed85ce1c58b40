/* What the ranks of one machine see of one another without messages: who has left, who has died,
 * who waits.
 *
 * They share a page of memory, with a slot for each, and hold a lock each on a byte of its file.
 * The system takes the lock back when a process ends, however it does, and not when it is busy or
 * stopped: so a rank lives while its lock is held, and an hour in the program's own code is no
 * error. A rank that waits notes when it has last looked for messages. */
#ifndef COMM_WATCH_H
#define COMM_WATCH_H

#include "base/base.h"

#include <stdatomic.h>

enum { WATCH_NAME = 64 };

/* Written by its rank, read by those that have waited for a while. */
typedef struct watch_slot {
    _Alignas(64) atomic_int rank;
    atomic_bool left;          /* it ends MPI, and sends nothing any more */
    _Atomic uint64_t meetings; /* of all ranks, that it has come to */
    _Atomic double looked;     /* when, while it waits; 0 while it runs */
    atomic_int misses;         /* 1 + the rank without which it ends all, -1 - the rank if that
                                * has left; 0: none */
} watch_slot;

typedef struct watch {
    watch_slot *slots; /* NULL: nobody watches */
    int file, me, count;
    double since, next_note; /* of this rank's waiting: when it began, and the seconds to a note */
    double first_note;       /* the seconds to the first; to each further one twice as many */
} watch;

/* Makes a page for so many ranks, and says its name; false where there is no room for it. */
bool watch_make(char name[WATCH_NAME], int count);
/* Takes slot `me` of `count`; a first note is due after so many seconds. False where that cannot
 * be. */
bool watch_join(watch *w, const char *name, int me, int count, int rank, double first_note);
/* After all have joined: takes the name away. The page lasts as long as the processes. */
void watch_hide(const char *name);
/* Nobody watches. */
void watch_end(watch *w);

/* This rank comes to a meeting of all. */
void watch_meet(watch *w);
/* This rank leaves. Returns the meetings that it has come to. */
uint64_t watch_leave(watch *w);
/* This rank still waits; returns for how many seconds. */
double watch_wait(watch *w);
/* It waits no longer. */
void watch_go_on(watch *w);

/* A rank that is waited for and does not come any more, and whether it has left, not died; -1 if
 * there is none. */
int watch_find_gone(const watch *w, bool *left);
/* This rank ends all without another. Others that wait find the same rank from here on. */
void watch_say_missing(watch *w, int rank, bool left);
/* Whether ranks of the machine wait that have not yet found it. */
bool watch_others_wait(watch *w);
/* Whether one that has left, or died, after so many meetings is waited for. */
bool watch_misses(const watch *w, uint64_t meetings, bool left);
/* Whether it is time for this rank to say what it waits for: rarely, and the first that waits. */
bool watch_is_to_say(watch *w);
/* Adds the ranks that are waited for: "rank 2", "ranks 1, 2". */
void watch_add_awaited(const watch *w, text *out);

#endif
