/* How the ranks are laid out: a box of them, which cuts all grids. KATA_RANKS may say so. Otherwise
 * it is found when the first grid is met that is worth it: the box whose ranks have the smallest
 * surface. Rows are not cut: sums go over whole bricks of them. Nor is, if possible, a dimension
 * along which loops of the first chain run in order. */
#include "exec/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DEPTH = 48, MOST_DEPTH = 1000, LONGEST_WORD = 40 };

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool read_word(struct exec_ranks *r, const char *word, int asked[3])
{
    const char *value = strchr(word, '=');
    int64_t number;
    if (!strcmp(word, "small")) return r->small = true;
    if (!value || !parse_integer(value + 1, 1, MOST_DEPTH, &number)) return false;
    size_t length = (size_t)(value - word);
    if (length == 5 && !strncmp(word, "every", length)) {
        r->every = number;
        return true;
    }
    if (length != 1 || (word[0] != 'y' && word[0] != 'z')) return false;
    asked[word[0] - 'x'] = (int)number;
    return true;
}

static bool read_words(struct exec_ranks *r, const char *words, int asked[3])
{
    char word[LONGEST_WORD];
    for (int length; sscanf(words, " %39s%n", word, &length) == 1; words += length)
        if (!read_word(r, word, asked)) return false;
    return true;
}

static kata_status refuse_words(const char *words, messages *m)
{
    return message_fail(m, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_RANKS is '%s', not words such as "
                        "'y=2 z=4 every=8 small': ranks along y and z, loops between two "
                        "exchanges at most, and that small grids are dealt out, too",
                        words);
}

kata_status ranks_check_words(messages *m)
{
    const char *words = environment_get("KATA_RANKS");
    struct exec_ranks unused = {0};
    int asked[3];
    return !words || read_words(&unused, words, asked) ? KATA_OK : refuse_words(words, m);
}

kata_status ranks_read_layout(struct exec_ranks *r, messages *m)
{
    const char *words = environment_get("KATA_RANKS");
    int asked[3] = {1, 0, 0}, ranks = comm_ranks(r->comm);
    r->every = USUAL_DEPTH;
    r->box = (plan_ranks){.count = {1, 1, 1}, .rank = comm_rank(r->comm)};
    if (!words) return KATA_OK;
    if (!read_words(r, words, asked)) return refuse_words(words, m);
    if (!asked[1] && !asked[2]) return KATA_OK;
    for (int d = 1; d < 3; d++) asked[d] = asked[d] ? asked[d] : 1;
    if ((int64_t)asked[1] * asked[2] != ranks)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "the environment variable KATA_RANKS is '%s', which is for %lld ranks, "
                            "and there are %d",
                            words, (long long)asked[1] * asked[2], ranks);
    memcpy(r->box.count, asked, sizeof asked);
    r->laid_out = true;
    return KATA_OK;
}

/* ---- what is found --------------------------------------------------------------------------- */

/* The points on the surfaces of a rank that meet others. */
static double surface(const grid_shape *shape, int along_y, int along_z)
{
    double x = (double)shape->size[0], y = (double)shape->size[1] / along_y,
           z = (double)shape->size[2] / along_z;
    return 2 * x * ((along_y > 1 ? z : 0) + (along_z > 1 ? y : 0));
}

/* Whether so many ranks along y suit. */
static bool suits(const grid_shape *shape, const bool ordered[3], int along_y, int ranks)
{
    bool may = ranks % along_y == 0;
    if (shape->rank < 3) return along_y == ranks;
    if (ordered[1] == ordered[2]) return may;
    return ordered[1] ? along_y == 1 : along_y == ranks;
}

void ranks_choose(int rank, int ranks, int count[3])
{
    count[0] = 1;
    count[1] = ranks;
    for (int y = 1; y < ranks && rank > 2; y++)
        if (ranks % y == 0 && y >= ranks / y && y < count[1]) count[1] = y;
    count[2] = ranks / count[1];
}

void ranks_lay_out(struct exec_ranks *r, const grid_shape *shape, const bool ordered[3])
{
    int ranks = comm_ranks(r->comm), best = suits(shape, ordered, ranks, ranks) ? ranks : 1;
    for (int y = 1; y < ranks; y++)
        if (suits(shape, ordered, y, ranks) &&
            surface(shape, y, ranks / y) < surface(shape, best, ranks / best))
            best = y;
    r->box.count[1] = best;
    r->box.count[2] = ranks / best;
    r->laid_out = true;
}
