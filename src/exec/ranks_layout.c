/* How the ranks are laid out. KATA_RANKS may name a partition of the first grid that is worth it,
 * or say how many ranks a box of them has along y and z. Without it it is the box whose ranks have
 * the smallest surface for that grid, and rows are not cut. Sums go over whole bricks of a row: a
 * partition may cut it between these. If possible, a dimension is not cut along which loops of the
 * first chain run in order. */
#include "exec/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DEPTH = 48, MOST_DEPTH = 1000, LONGEST_WORD = 40 };

static const char *const kind_names[] = {[RANKS_BOX] = "",
                                         [RANKS_RECTANGLES] = "rectangles",
                                         [RANKS_HALVES] = "halves",
                                         [RANKS_TENSOR] = "tensor",
                                         [RANKS_MORTON] = "morton"};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Numbers with commas between them. */
static bool read_levels(const char *words, grid_levels *levels)
{
    *levels = (grid_levels){.smallest = 1};
    for (int number, length; levels->count < GRID_MOST_LEVELS; words += length + 1) {
        if (sscanf(words, "%d%n", &number, &length) != 1 || number < 1) return false;
        if (number > GRID_MOST_OWNERS || words[0] < '0' || words[0] > '9') return false;
        levels->parts[levels->count++] = number;
        if (!words[length]) return true;
        if (words[length] != ',') return false;
    }
    return false;
}

/* A word that names a partition; of rectangles, maybe with levels. */
static bool read_kind(const char *word, ranks_wish *wish)
{
    const char *value = strchr(word, '=');
    const size_t length = value ? (size_t)(value - word) : strlen(word);
    if (wish->kind != RANKS_BOX) return false;
    for (ranks_kind kind = RANKS_BOX + 1; kind < COUNT_OF(kind_names); kind++)
        if (strlen(kind_names[kind]) == length && !strncmp(word, kind_names[kind], length))
            wish->kind = kind;
    if (!value) return wish->kind != RANKS_BOX;
    return wish->kind == RANKS_RECTANGLES && read_levels(value + 1, &wish->levels);
}

static bool read_word(struct exec_ranks *r, const char *word)
{
    const char *value = strchr(word, '=');
    int64_t number;
    if (!strcmp(word, "small")) return r->small = true;
    if (read_kind(word, &r->wish)) return true;
    if (!value || !parse_integer(value + 1, 1, MOST_DEPTH, &number)) return false;
    size_t length = (size_t)(value - word);
    if (length == 5 && !strncmp(word, "every", length)) {
        r->every = number;
        return true;
    }
    if (length != 1 || (word[0] != 'y' && word[0] != 'z')) return false;
    r->wish.count[word[0] - 'x'] = (int)number;
    return true;
}

/* Of a box and a partition, there is one. */
static bool read_words(struct exec_ranks *r, const char *words)
{
    char word[LONGEST_WORD];
    for (int length; sscanf(words, " %39s%n", word, &length) == 1; words += length)
        if (!read_word(r, word)) return false;
    return r->wish.kind == RANKS_BOX || (!r->wish.count[1] && !r->wish.count[2]);
}

static kata_status refuse_words(const char *words, messages *m)
{
    return message_fail(m, KATA_ERROR_ARGUMENT,
                        "the environment variable KATA_RANKS is '%s', not words such as "
                        "'y=2 z=4 every=8 small': ranks along y and z, or a partition of the grid "
                        "('halves', 'rectangles', 'rectangles=2,3', 'tensor' or 'morton'); loops "
                        "between two exchanges at most; and that small grids are dealt out, too",
                        words);
}

kata_status ranks_check_words(messages *m)
{
    const char *words = environment_get("KATA_RANKS");
    struct exec_ranks unused = {0};
    return !words || read_words(&unused, words) ? KATA_OK : refuse_words(words, m);
}

/* How many ranks the words are for; 0: any number. */
static int64_t ranks_asked(const ranks_wish *wish)
{
    const int *count = wish->count;
    int64_t ranks = wish->levels.count ? 1 : 0;
    for (int l = 0; l < wish->levels.count && ranks <= GRID_MOST_OWNERS; l++)
        ranks *= wish->levels.parts[l];
    if (!count[1] && !count[2]) return ranks;
    return (int64_t)(count[1] ? count[1] : 1) * (count[2] ? count[2] : 1);
}

static void lay_out_box(struct exec_ranks *r, const int count[3])
{
    r->kind = RANKS_BOX;
    if (!plan_ranks_box(&r->box, &r->layout, count, comm_rank(r->comm)))
        comm_give_up(r->comm, "out of memory");
}

/* Until a grid is met each rank has all of it. */
static void lay_out_none(struct exec_ranks *r)
{
    static const int one[3] = {1, 1, 1};
    const int ranks = comm_ranks(r->comm);
    grid_box *boxes = calloc((size_t)ranks, sizeof *boxes);
    for (int i = 0; i < ranks && boxes; i++) boxes[i].hi[0] = boxes[i].hi[1] = boxes[i].hi[2] = 1;
    if (!boxes ||
        !plan_ranks_lay_out(&r->box, &r->layout, one, boxes, NULL, ranks, comm_rank(r->comm)))
        comm_give_up(r->comm, "out of memory");
    free(boxes);
}

kata_status ranks_read_layout(struct exec_ranks *r, messages *m)
{
    const char *words = environment_get("KATA_RANKS");
    const int ranks = comm_ranks(r->comm);
    r->every = USUAL_DEPTH;
    lay_out_none(r);
    if (!words) return KATA_OK;
    if (!read_words(r, words)) return refuse_words(words, m);
    int64_t asked = ranks_asked(&r->wish);
    if (asked && asked != ranks)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "the environment variable KATA_RANKS is '%s', which is for %lld ranks, "
                            "and there are %d",
                            words, (long long)asked, ranks);
    if (!asked || r->wish.kind != RANKS_BOX) return KATA_OK;
    const int count[3] = {1, (int)larger(1, r->wish.count[1]), (int)larger(1, r->wish.count[2])};
    lay_out_box(r, count);
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

static void choose_box(const grid_shape *shape, const bool ordered[3], int ranks, int count[3])
{
    int best = suits(shape, ordered, ranks, ranks) ? ranks : 1;
    for (int y = 1; y < ranks; y++)
        if (suits(shape, ordered, y, ranks) &&
            surface(shape, y, ranks / y) < surface(shape, best, ranks / best))
            best = y;
    count[0] = 1;
    count[1] = best;
    count[2] = ranks / best;
}

void ranks_lay_out(struct exec_ranks *r, const grid_shape *shape, const bool ordered[3])
{
    int count[3];
    arena_clear(&r->layout);
    r->laid_out = true;
    if (ranks_lay_out_partition(r, shape, ordered)) return;
    choose_box(shape, ordered, comm_ranks(r->comm), count);
    lay_out_box(r, count);
}

void ranks_lay_out_mesh(struct exec_ranks *r, int along)
{
    int count[3] = {1, 1, 1};
    arena_clear(&r->layout);
    r->laid_out = true;
    count[along] = comm_ranks(r->comm);
    lay_out_box(r, count);
    if (along == 0) r->box.raster.unit[0] = IR_BRICK;
}

void ranks_print_layout(const struct exec_ranks *r, text *out)
{
    if (r->kind == RANKS_BOX && r->box.raster.cells[0] > 1)
        text_add(out, "%d along x", r->box.raster.cells[0]);
    else if (r->kind == RANKS_BOX)
        text_add(out, "%d along y and %d along z", r->box.raster.cells[1], r->box.raster.cells[2]);
    else
        text_add(out, "%s", kind_names[r->kind]);
    if (plan_ranks_have_lists(&r->box)) text_add(out, ", %d boxes", r->box.first[r->box.total]);
}
