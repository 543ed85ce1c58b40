/* Reads the mini-app's input decks. A deck is words and numbers, separated by blanks, '=' and ',',
 * between lines that begin with *clover and *endclover. A '!' or ';' begins a comment. The words
 * behind "state N", up to the end of the line, belong to that state. */
#include "cloverleaf.h"
#include "common/common.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1000 };

/* ---- values ---------------------------------------------------------------------------------- */

void clover_deck_set_default(clover_deck *deck)
{
    *deck = (clover_deck){
        .state_count = 2,
        .cells = {960, 960},
        .high = {10, 10},
        .first_step = 0.04,
        .most_step = 0.04,
        .rise = 1.5,
        .end_time = INFINITY,
        .end_step = 87,
        .summary_every = 10,
        .test_problem = 2,
    };
    deck->states[0] = (clover_state){.defined = true, .density = 0.2, .energy = 1};
    deck->states[1] = (clover_state){.defined = true, .density = 1, .energy = 2.5, .high = {5, 2}};
}

/* What holds for words that a deck leaves out. */
static void set_unsaid(clover_deck *deck)
{
    *deck = (clover_deck){
        .cells = {10, 10},
        .high = {100, 100},
        .first_step = 0.1,
        .most_step = 1,
        .rise = 1.5,
        .end_time = 10,
        .end_step = INT64_MAX,
        .summary_every = 10,
    };
}

/* ---- words ----------------------------------------------------------------------------------- */

typedef struct reader {
    clover_deck *deck;
    const char *path;
    int line;
    char *rest;            /* of the line */
    clover_state *state;   /* that the rest of the line sets; NULL: the deck */
    bool inside, finished; /* of *clover ... *endclover */
} reader;

static bool wrong(const reader *r, const char *what, const char *word, const char *instead)
{
    fprintf(stderr, "kata run cloverleaf: %s:%d: %s '%s'; %s\n", r->path, r->line, what, word,
            instead);
    return false;
}

/* The next word of the line; NULL at its end. */
static char *next_word(reader *r)
{
    static const char gaps[] = " =,\t\r\n";
    r->rest += strspn(r->rest, gaps);
    if (!*r->rest) return NULL;
    char *word = r->rest;
    r->rest += strcspn(r->rest, gaps);
    if (*r->rest) *r->rest++ = 0;
    return word;
}

/* ---- what words mean ------------------------------------------------------------------------- */

typedef enum word_kind { WORD_REAL, WORD_INTEGER, WORD_SHAPE, WORD_IGNORED } word_kind;

/* A word, and where its value goes: a member of the deck or of a state. */
typedef struct deck_word {
    const char *name;
    word_kind kind;
    size_t offset;
    double low, high; /* inclusive; of ignored words: both 0 where no number follows */
} deck_word;

#define REAL(name, type, member, low, high)                                                        \
    {                                                                                              \
        name, WORD_REAL, offsetof(type, member), low, high                                         \
    }
#define INTEGER(name, member, low, high)                                                           \
    {                                                                                              \
        name, WORD_INTEGER, offsetof(clover_deck, member), low, high                               \
    }

static const deck_word words[] = {
    REAL("initial_timestep", clover_deck, first_step, 1e-7, 1e100),
    REAL("max_timestep", clover_deck, most_step, 1e-7, 1e100),
    REAL("timestep_rise", clover_deck, rise, 1, 1e100),
    REAL("end_time", clover_deck, end_time, 0, 1e100),
    INTEGER("end_step", end_step, 0, 1e15),
    REAL("xmin", clover_deck, low[0], -1e100, 1e100),
    REAL("xmax", clover_deck, high[0], -1e100, 1e100),
    REAL("ymin", clover_deck, low[1], -1e100, 1e100),
    REAL("ymax", clover_deck, high[1], -1e100, 1e100),
    INTEGER("x_cells", cells[0], 3, 1 << 20),
    INTEGER("y_cells", cells[1], 3, 1 << 20),
    INTEGER("summary_frequency", summary_every, 0, 1e15),
    INTEGER("test_problem", test_problem, 0, CLOVER_TEST_PROBLEMS),
    {"visit_frequency", WORD_IGNORED, 0, 0, 1e15},
    {"tiles_per_chunk", WORD_IGNORED, 0, 0, 1e15},
    {"tiles_per_problem", WORD_IGNORED, 0, 0, 1e15},
    {"use_fortran_kernels", WORD_IGNORED, 0, 0, 0},
    {"use_c_kernels", WORD_IGNORED, 0, 0, 0},
    {"use_oa_kernels", WORD_IGNORED, 0, 0, 0},
    {"profiler_on", WORD_IGNORED, 0, 0, 0},
};

static const deck_word state_words[] = {
    REAL("density", clover_state, density, 0, 1e100),
    REAL("energy", clover_state, energy, 0, 1e100),
    REAL("xvel", clover_state, velocity[0], -1e100, 1e100),
    REAL("yvel", clover_state, velocity[1], -1e100, 1e100),
    REAL("xmin", clover_state, low[0], -1e100, 1e100),
    REAL("xmax", clover_state, high[0], -1e100, 1e100),
    REAL("ymin", clover_state, low[1], -1e100, 1e100),
    REAL("ymax", clover_state, high[1], -1e100, 1e100),
    REAL("radius", clover_state, radius, 0, 1e100),
    {"geometry", WORD_SHAPE, offsetof(clover_state, shape), 0, 0},
};

static const char *const shapes[] = {"rectangle", "circle", "point"};

/* ---- reading --------------------------------------------------------------------------------- */

/* The number behind a word. Fortran writes some exponents with a d. */
static bool next_number(reader *r, const deck_word *w, double *value)
{
    char *word = next_word(r), *end;
    if (!word) return wrong(r, "no number behind", w->name, "write one, as in x_cells=960");
    for (char *c = word; *c; c++)
        if (*c == 'd') *c = 'e';
    *value = strtod(word, &end);
    bool whole = w->kind != WORD_INTEGER || *value == floor(*value);
    if (!*end && whole && *value >= w->low && *value <= w->high) return true;
    fprintf(stderr, "kata run cloverleaf: %s:%d: %s takes a %snumber from %g to %g, not '%s'\n",
            r->path, r->line, w->name, w->kind == WORD_INTEGER ? "whole " : "", w->low, w->high,
            word);
    return false;
}

static bool read_shape(reader *r, clover_shape *shape)
{
    char *word = next_word(r);
    for (size_t i = 0; word && i < COUNT_OF(shapes); i++)
        if (!strcmp(word, shapes[i])) {
            *shape = (clover_shape)i;
            return true;
        }
    return wrong(r, "unknown geometry", word ? word : "", "there are rectangle, circle and point");
}

static bool read_value(reader *r, const deck_word *w, void *values)
{
    double value;
    void *to = (char *)values + w->offset;
    if (w->kind == WORD_SHAPE) return read_shape(r, to);
    if (w->kind == WORD_IGNORED && w->high == 0) return true;
    if (!next_number(r, w, &value)) return false;
    if (w->kind == WORD_REAL) *(double *)to = value;
    if (w->kind == WORD_INTEGER) *(int64_t *)to = (int64_t)value;
    return true;
}

static bool begin_state(reader *r)
{
    static const deck_word number = {"state", WORD_INTEGER, 0, 1, CLOVER_MOST_STATES};
    double value;
    if (!next_number(r, &number, &value)) return false;
    int state = (int)value;
    r->state = &r->deck->states[state - 1];
    if (r->state->defined) {
        fprintf(stderr,
                "kata run cloverleaf: %s:%d: state %d is there twice; give each a number "
                "of its own\n",
                r->path, r->line, state);
        return false;
    }
    r->state->defined = true;
    if (r->deck->state_count < state) r->deck->state_count = state;
    return true;
}

static bool read_word(reader *r, const char *word)
{
    const deck_word *table = r->state ? state_words : words;
    size_t count = r->state ? COUNT_OF(state_words) : COUNT_OF(words);
    spelling near = spelling_of(word);
    char instead[64] = "it is no word of decks";
    if (!r->state && !strcmp(word, "state")) return begin_state(r);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(table[i].name, word))
            return read_value(r, &table[i], r->state ? (void *)r->state : r->deck);
        spelling_try(&near, table[i].name);
    }
    if (near.nearest) snprintf(instead, sizeof instead, "did you mean %s?", near.nearest);
    return wrong(r, "unknown word", word, instead);
}

static bool read_line(reader *r, char *line)
{
    line[strcspn(line, "!;")] = 0;
    for (char *c = line; *c; c++) *c = (char)tolower((unsigned char)*c);
    r->rest = line;
    r->state = NULL;
    for (char *word; (word = next_word(r));) {
        if (word[0] == '*') {
            r->finished = r->finished || (r->inside && !strcmp(word, "*endclover"));
            r->inside = !strcmp(word, "*clover");
            return true;
        }
        if (!r->inside) return true;
        if (!read_word(r, word)) return false;
    }
    return true;
}

static bool read_lines(reader *r, FILE *file)
{
    char line[LONGEST_LINE + 2];
    while (!r->finished && fgets(line, sizeof line, file)) {
        r->line++;
        if (strlen(line) > LONGEST_LINE) {
            line[20] = 0;
            return wrong(r, "a line of more than 1000 characters:", line, "break it up");
        }
        if (!read_line(r, line)) return false;
    }
    return true;
}

/* What no single word can be blamed for. */
static bool check(const clover_deck *d, const char *path)
{
    const char *what = NULL;
    if (!d->state_count || !d->states[0].defined)
        what = "there is no state 1, which fills the domain, between *clover and *endclover";
    else if (d->high[0] <= d->low[0] || d->high[1] <= d->low[1])
        what = "the domain is empty; xmax is more than xmin, and ymax more than ymin";
    for (int i = 0; i < d->state_count && !what; i++)
        if (d->states[i].defined && !(d->states[i].density > 0 && d->states[i].energy > 0))
            what = "each state needs a density and an energy above 0";
    if (what) fprintf(stderr, "kata run cloverleaf: %s: %s\n", path, what);
    return !what;
}

bool clover_deck_read(clover_deck *deck, const char *path)
{
    reader r = {.deck = deck, .path = path};
    FILE *file = fopen(path, "r");
    set_unsaid(deck);
    bool good = file && read_lines(&r, file);
    if (!file || ferror(file)) {
        fprintf(stderr, "kata run cloverleaf: %s cannot be read: %s\n", path, strerror(errno));
        good = false;
    }
    if (file) fclose(file);
    return good && check(deck, path);
}
