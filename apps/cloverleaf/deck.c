/* Reads the mini-app's input decks. A deck is words and numbers, separated by blanks, '=' and ',',
 * between lines that begin with *clover and *endclover. A '!' or ';' begins a comment. The words
 * behind "state N", up to the end of the line, belong to that state. words.c knows the words. */
#include "cloverleaf.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_LINE = 1000 };

/* ---- values ---------------------------------------------------------------------------------- */

void clover_deck_set_default(clover_deck *deck, int dimensions)
{
    const bool flat = dimensions == 2;
    *deck = (clover_deck){
        .state_count = 2,
        .dimensions = dimensions,
        .cells = {flat ? 960 : 96, flat ? 960 : 96, flat ? 1 : 96},
        .high = {10, 10, 10},
        .first_step = 0.04,
        .most_step = 0.04,
        .rise = flat ? 1.5 : 1.05,
        .end_time = INFINITY,
        .end_step = flat ? 87 : 75,
        .summary_every = 10,
        .test_problem = flat ? 2 : 1,
    };
    deck->states[0] = (clover_state){.defined = true, .density = 0.2, .energy = 1};
    deck->states[1] =
        (clover_state){.defined = true, .density = 1, .energy = 2.5, .high = {5, 2, 2}};
}

/* What holds for words that a deck leaves out; what depends on its dimensions is not set yet. */
static void set_unsaid(clover_deck *deck)
{
    *deck = (clover_deck){
        .dimensions = 2,
        .cells = {10, 10, 10},
        .high = {100, 100, 100},
        .first_step = 0.1,
        .most_step = 1,
        .end_time = 10,
        .end_step = INT64_MAX,
        .summary_every = 10,
    };
}

static void set_unsaid_by_dimensions(clover_deck *deck)
{
    if (deck->dimensions == 2) deck->cells[2] = 1;
    if (deck->rise == 0) deck->rise = deck->dimensions == 2 ? 1.5 : 1.05;
}

/* ---- reading --------------------------------------------------------------------------------- */

char *clover_next_word(clover_reader *r)
{
    static const char gaps[] = " =,\t\r\n";
    r->rest += strspn(r->rest, gaps);
    if (!*r->rest) return NULL;
    char *word = r->rest;
    r->rest += strcspn(r->rest, gaps);
    if (*r->rest) *r->rest++ = 0;
    return word;
}

static bool read_line(clover_reader *r, char *line)
{
    line[strcspn(line, "!;")] = 0;
    for (char *c = line; *c; c++) *c = (char)tolower((unsigned char)*c);
    r->rest = line;
    r->state = NULL;
    for (char *word; (word = clover_next_word(r));) {
        if (word[0] == '*') {
            r->finished = r->finished || (r->inside && !strcmp(word, "*endclover"));
            r->inside = !strcmp(word, "*clover");
            return true;
        }
        if (!r->inside) return true;
        if (!clover_read_word(r, word)) return false;
    }
    return true;
}

/* A device never ends. */
static bool is_too_long(const clover_reader *r)
{
    enum { MOST_LINES = 100000 };
    if (r->line <= MOST_LINES) return false;
    fprintf(stderr, "kata run cloverleaf: %s: a deck has at most %d lines\n", r->path, MOST_LINES);
    return true;
}

static bool read_lines(clover_reader *r, FILE *file)
{
    char line[LONGEST_LINE + 2];
    while (!r->finished && fgets(line, sizeof line, file)) {
        r->line++;
        if (is_too_long(r)) return false;
        if (strlen(line) > LONGEST_LINE) {
            line[20] = 0;
            fprintf(stderr,
                    "kata run cloverleaf: %s:%d: a line of more than 1000 characters: '%s'; break "
                    "it up\n",
                    r->path, r->line, line);
            return false;
        }
        if (!read_line(r, line)) return false;
    }
    return true;
}

static bool is_empty(const clover_deck *d)
{
    for (int i = 0; i < d->dimensions; i++)
        if (d->high[i] <= d->low[i]) return true;
    return false;
}

/* Says what is wrong with a state; NULL: nothing. */
static const char *check_state(const clover_deck *d, const clover_state *s)
{
    if (!(s->density > 0 && s->energy > 0))
        return "each state needs a density and an energy above 0";
    if (s->dimensions && s->dimensions != d->dimensions)
        return "a rectangle or circle stands beside words about z; write cuboid or sphere";
    return NULL;
}

/* What no single word can be blamed for. */
static bool check(const clover_deck *d, const char *path)
{
    const char *what = NULL;
    if (!d->state_count || !d->states[0].defined)
        what = "there is no state 1, which fills the domain, between *clover and *endclover";
    else if (is_empty(d) && d->dimensions == 2)
        what = "the domain is empty; xmax is more than xmin, and ymax more than ymin";
    else if (is_empty(d))
        what = "the domain is empty; xmax is more than xmin, ymax than ymin, zmax than zmin";
    else if (d->dimensions == 3 && d->test_problem > 1)
        what = "in three dimensions there is test problem 1 alone";
    for (int i = 0; i < d->state_count && !what; i++)
        if (d->states[i].defined) what = check_state(d, &d->states[i]);
    if (what) fprintf(stderr, "kata run cloverleaf: %s: %s\n", path, what);
    return !what;
}

bool clover_deck_read(clover_deck *deck, const char *path)
{
    clover_reader r = {.deck = deck, .path = path};
    FILE *file = fopen(path, "r");
    set_unsaid(deck);
    bool good = file && read_lines(&r, file);
    if (!file || ferror(file)) {
        fprintf(stderr, "kata run cloverleaf: %s cannot be read: %s\n", path, strerror(errno));
        good = false;
    }
    if (file) fclose(file);
    set_unsaid_by_dimensions(deck);
    return good && check(deck, path);
}
