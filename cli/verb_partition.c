/* kata partition: cuts a grid into parts, and says how even they are. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct partition_request {
    option_words size;
    const char *levels, *periodic, *json, *picture;
    int kind;
    int64_t smallest;
} partition_request;

enum { MOST_LEVELS = 4 };

/* Reads numbers with a mark between them, at most `most`. Returns how many; 0: the text is wrong.
 */
static int read_numbers(const char *word, char mark, int most, long long highest, int64_t *numbers)
{
    for (int count = 0; count < most;) {
        char *end;
        errno = 0;
        long long n = *word >= '0' && *word <= '9' ? strtoll(word, &end, 10) : 0;
        if (n < 1 || errno || n > highest) return 0;
        numbers[count++] = n;
        if (!*end) return count;
        if (*end != mark) return 0;
        word = end + 1;
    }
    return 0;
}

static int read_request(const partition_request *r, kata_partition_options *asked)
{
    const options *o = &partition_options;
    int64_t size[3] = {0}, levels[MOST_LEVELS] = {0};
    if (r->size.count != 1)
        return options_wrong(o, "name one size: kata partition 2048x1900 --levels 16,1216,6");
    if (!read_numbers(r->size.words[0], 'x', 3, INT64_MAX, size))
        return options_wrong(o, "the size is NX, NXxNY or NXxNYxNZ, not '%s'", r->size.words[0]);
    if (!r->levels) return options_wrong(o, "say how many parts: --levels 16,1216,6");
    if (!read_numbers(r->levels, ',', MOST_LEVELS, INT32_MAX, levels))
        return options_wrong(o, "--levels takes 1 to 4 numbers of parts, as in 16,1216,6, not '%s'",
                             r->levels);
    asked->nx = size[0];
    asked->ny = size[1];
    asked->nz = size[2];
    for (int l = 0; l < MOST_LEVELS; l++) asked->levels[l] = (int)levels[l];
    for (const char *p = r->periodic; p && *p; p++) {
        if (*p < 'x' || *p > 'z' || !size[*p - 'x'])
            return options_wrong(o, "--periodic takes dimensions of the grid, as in xy, not '%s'",
                                 r->periodic);
        if (asked->periodic[*p - 'x'])
            return options_wrong(o, "--periodic names %c twice, in '%s'", *p, r->periodic);
        asked->periodic[*p - 'x'] = true;
    }
    asked->kind = (kata_partition_kind)r->kind;
    asked->smallest = r->smallest;
    return 0;
}

/* Whether it went well. */
static bool write_form(kata *k, kata_partition_options *asked, kata_partition_form form,
                       const char *path)
{
    if (!path) return true;
    asked->form = form;
    const char *words = kata_partition_with(k, asked);
    return words && write_text(&partition_options, path, words);
}

static const char *const kinds[] = {"rectangles", "tensor", "morton", "halves", NULL};
static const partition_request defaults = {.kind = KATA_RECTANGLES};

static const option table[] = {
    {"SIZE", "points of the grid, as in 512, 2048x1900 or 64x64x32",
     OPTION_VALUE(partition_request, size), .positional = true},
    {"levels", "numbers of parts, each cut again into as many as follow, as in 16,1216,6",
     OPTION_VALUE(partition_request, levels), .placeholder = "N,N...", .otherwise = "none"},
    {"kind",
     "rectangles of an even load, cuts or halves for ranks, or boxes along the Morton curve",
     OPTION_VALUE(partition_request, kind), .choices = kinds},
    {"smallest", "of rectangles: the least points along a side",
     OPTION_VALUE(partition_request, smallest), .low = 1, .high = 1 << 30, .otherwise = "1"},
    {"periodic", "dimensions whose sides meet, as in xy: they count as surface",
     OPTION_VALUE(partition_request, periodic), .placeholder = "DIMENSIONS", .otherwise = "none"},
    {"json", "also write the balance and all boxes to this file",
     OPTION_VALUE(partition_request, json), .placeholder = "FILE", .otherwise = "none"},
    {"picture", "also draw the parts into this file, an SVG",
     OPTION_VALUE(partition_request, picture), .placeholder = "FILE.svg", .otherwise = "none"},
};

const options partition_options = {
    "kata partition",
    "Cuts a grid into parts and shows, for each level, how many have points, how many points the\n"
    "smallest and the largest have, and the balance: the mean of those with points, in per cent\n"
    "of the largest. The surface is the points next to each owner's that others have.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_partition(int argc, char **argv)
{
    partition_request r;
    kata_partition_options asked = {.size = sizeof asked};
    int exit_code;
    if (!options_read(&partition_options, &r, argc, argv, &exit_code)) return exit_code;
    if ((exit_code = read_request(&r, &asked)) != 0) return exit_code;
    if (r.picture &&
        (exit_code = options_check_file(&partition_options, "--picture", r.picture, ".svg")) != 0)
        return exit_code;
    kata *k = kata_open(NULL);
    const char *words = k ? kata_partition_with(k, &asked) : NULL;
    if (words) fputs(words, stdout);
    bool good = words && write_form(k, &asked, KATA_PARTITION_JSON, r.json) &&
                write_form(k, &asked, KATA_PARTITION_SVG, r.picture);
    return kata_close(k) == KATA_OK && good ? 0 : 1;
}
