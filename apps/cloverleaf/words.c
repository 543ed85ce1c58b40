/* The words of the mini-app's input decks, and what their values set. */
#include "cloverleaf.h"
#include "common/common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum word_kind { WORD_REAL, WORD_INTEGER, WORD_SHAPE, WORD_IGNORED } word_kind;

/* A word, and where its value goes: a member of the deck or of a state. One that begins with z
 * makes the deck three-dimensional. */
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
    REAL("zmin", clover_deck, low[2], -1e100, 1e100),
    REAL("zmax", clover_deck, high[2], -1e100, 1e100),
    INTEGER("x_cells", cells[0], 3, 1 << 20),
    INTEGER("y_cells", cells[1], 3, 1 << 20),
    INTEGER("z_cells", cells[2], 3, 1 << 20),
    INTEGER("summary_frequency", summary_every, 0, 1e15),
    INTEGER("test_problem", test_problem, 0, CLOVER_TEST_PROBLEMS),
    {"visit_frequency", WORD_IGNORED, 0, 0, 1e15},
    {"tiles_per_chunk", WORD_IGNORED, 0, 0, 1e15},
    {"tiles_per_problem", WORD_IGNORED, 0, 0, 1e15},
    {"1d_tile_decomposition", WORD_IGNORED, 0, 0, 0},
    {"2d_tile_decomposition", WORD_IGNORED, 0, 0, 0},
    {"3d_tile_decomposition", WORD_IGNORED, 0, 0, 0},
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
    REAL("zvel", clover_state, velocity[2], -1e100, 1e100),
    REAL("xmin", clover_state, low[0], -1e100, 1e100),
    REAL("xmax", clover_state, high[0], -1e100, 1e100),
    REAL("ymin", clover_state, low[1], -1e100, 1e100),
    REAL("ymax", clover_state, high[1], -1e100, 1e100),
    REAL("zmin", clover_state, low[2], -1e100, 1e100),
    REAL("zmax", clover_state, high[2], -1e100, 1e100),
    REAL("radius", clover_state, radius, 0, 1e100),
    {"geometry", WORD_SHAPE, 0, 0, 0},
};

static const struct {
    const char *name;
    clover_shape shape;
    int dimensions;
} shapes[] = {
    {"rectangle", CLOVER_BOX, 2}, {"circle", CLOVER_BALL, 2}, {"cuboid", CLOVER_BOX, 3},
    {"sphere", CLOVER_BALL, 3},   {"point", CLOVER_POINT, 0},
};

static bool wrong(const clover_reader *r, const char *what, const char *word, const char *instead)
{
    fprintf(stderr, "kata run cloverleaf: %s:%d: %s '%s'; %s\n", r->path, r->line, what, word,
            instead);
    return false;
}

/* The number behind a word. Fortran writes some exponents with a d. */
static bool next_number(clover_reader *r, const deck_word *w, double *value)
{
    char *word = clover_next_word(r), *end;
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

static bool read_shape(clover_reader *r)
{
    char *word = clover_next_word(r);
    for (size_t i = 0; word && i < COUNT_OF(shapes); i++)
        if (!strcmp(word, shapes[i].name)) {
            r->state->shape = shapes[i].shape;
            r->state->dimensions = shapes[i].dimensions;
            if (shapes[i].dimensions == 3) r->deck->dimensions = 3;
            return true;
        }
    return wrong(r, "unknown geometry", word ? word : "",
                 "there are rectangle, circle, cuboid, sphere and point");
}

static bool read_value(clover_reader *r, const deck_word *w, void *values)
{
    double value;
    void *to = (char *)values + w->offset;
    if (w->kind == WORD_SHAPE) return read_shape(r);
    if (w->kind == WORD_IGNORED && w->high == 0) return true;
    if (!next_number(r, w, &value)) return false;
    if (w->name[0] == 'z') r->deck->dimensions = 3;
    if (w->kind == WORD_REAL) *(double *)to = value;
    if (w->kind == WORD_INTEGER) *(int64_t *)to = (int64_t)value;
    return true;
}

static bool begin_state(clover_reader *r)
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

bool clover_read_word(clover_reader *r, const char *word)
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
