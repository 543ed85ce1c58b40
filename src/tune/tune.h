/* Which plan runs a chain fastest. A way is a request for a plan. Results are the same in all of
 * them, so ways are tried on the chain itself while it runs. What was found is kept as wisdom, from
 * one start of a program to the next. Executors measure, and say what took how long; this folder
 * runs nothing. */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include "plan/plan.h"

enum { TUNE_WAYS = 40 }; /* for one kind of chain, at most */

/* Tiles of a plan: their sizes (0: not cut), and how many loops run in them; 0: there are none. */
typedef struct tune_tiles {
    int64_t size[3];
    int loops, coarser;   /* together; of these on coarser grids than others */
    uint64_t plan;        /* equal where plans of as many loops are the same; 0: not looked at */
    plan_traffic traffic; /* predicted */
} tune_tiles;

typedef struct tune_way {
    plan_request request;
    tune_tiles tiles;
    bool known;   /* `least` counts; otherwise it is still to be tried */
    bool again;   /* it was known, and is tried once more */
    double least; /* seconds per loop; 0: not measured yet, or not worth it */
    int64_t ran;  /* loops */
    int looks;    /* tries that count */
    int voids;    /* tries that said nothing, because the machine was slow just then */
    int checks;   /* how often it was run once more, next to one that won by little */
} tune_way;

/* What is known of chains that are alike. */
typedef struct tune_ways {
    uint64_t key;    /* 0: nothing */
    int64_t used;    /* when last */
    size_t period;   /* loops after which the chain repeats; 0: it does not */
    bool plain;      /* there is nothing to tile */
    bool windowed;   /* values are made and used up in it, which can lie in windows */
    char kernel[32]; /* its first loop's */
    int64_t grid[3]; /* and its points along x, y and z */
    double bytes;    /* of all fields */
    double outer;    /* bytes of the caches that all threads share, as far as is known */
    char why[200];   /* there is nothing to tile */
    char waits[128]; /* which loop needs what an earlier one sums up; "": none */
    int64_t cache;   /* bytes of a second-level cache */
    int threads;
    tune_way ways[TUNE_WAYS]; /* in the order of their tries */
    int count;
    int way, best;       /* the one that runs, and the fastest known */
    int last;            /* the one that ran before */
    bool trying;         /* `way` is a try */
    bool waits_for_time; /* tries that are left may cost more than there is to spend yet */
    bool closing;        /* `judged` was tried, and `best` runs once more to be compared with it */
    int runs;            /* of the present try */
    int judged;          /* the way tried last */
    double tried;        /* seconds of a loop then */
    double usual, lost;  /* seconds of all its loops, by `best` as it was known; and beyond that */
    int slow, late;      /* runs in a row that took much, or somewhat, longer than `best` did */
    int shifts;          /* how often `best` has turned much faster since the last pause */
    int turns;           /* and how often much slower in a search at once */
    bool learned;        /* something that wisdom does not have yet */
    bool provisional;    /* some of its loops run by functions that will be replaced: then parts
                            take a while at most */
    bool at_once;        /* tries may cost anything */
    bool rests;          /* the search is in a pause */
    bool met;            /* it has run: its memory is there */
    int64_t loops;       /* that have run */
    double each;         /* seconds of one, the last time; 0: not known */
    double total, spent; /* seconds: of all loops; lost in tries */
    int64_t pause, left; /* loops between tries, and until the next ones */
} tune_ways;

/* ---- ways.c: proposals ----------------------------------------------------------------------- */

/* What is known of chains that have not run. */
tune_ways tune_ways_new(uint64_t key, size_t period, int64_t cache, int threads);
/* The request that shows whether there is anything to tile, or to keep in windows. */
plan_request tune_ways_smallest(const tune_ways *ways, bool windowed);

/* ---- search.c: tries ------------------------------------------------------------------------- */

/* Begins with a way that was found to take so many seconds per loop before; `settled`: no other one
 * was faster. Ignores a way that may not be run. */
void tune_search_remember(tune_ways *ways, const plan_request *request, double seconds,
                          bool settled);
/* The request of the way that runs next. */
plan_request tune_search_begin(tune_ways *ways);
/* Whether the tiles of that way are still to be looked at; and what was found. A way with the plan
 * of another one is not tried, nor one that should move many more bytes: then search_begin says
 * anew what runs next. */
bool tune_search_looks(const tune_ways *ways);
void tune_search_found(tune_ways *ways, const tune_tiles *tiles);
/* Tries all ways again: loops run by other functions now. */
void tune_search_again(tune_ways *ways);
/* How many of the loops that are left run in this way. */
size_t tune_search_part(const tune_ways *ways, size_t left);
/* How long that took, and planning it. */
void tune_search_end(tune_ways *ways, size_t loops, double seconds, double planning);

/* ---- wisdom.c: entries, and their text ------------------------------------------------------- */

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
    int64_t grid[3];           /* its points along x, y and z; 1 where it lacks a dimension */
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

/* The entry that is about the same; NULL: there is none. */
const wisdom_entry *wisdom_find(const wisdom *w, const wisdom_entry *like);

/* As text: a line that says what it is, then one per entry. */
void wisdom_print(text *out, const wisdom *w);
/* Adds the entries of a text, as wisdom_add does, and leaves out lines that are none. Returns the
 * number of the first of these, counted from 1; 0: all are right; -1 when memory is out. */
int wisdom_read(wisdom *w, const char *lines, bool faster);
/* For people. */
void wisdom_list(text *out, const wisdom *w);

#endif
