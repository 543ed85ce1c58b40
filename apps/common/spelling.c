/* Levenshtein's distance, two rows at a time. */
#include "common/common.h"

#include <string.h>

enum { LONGEST = 64 };

static int smallest(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static int distance(const char *a, const char *b)
{
    int rows[2][LONGEST + 1], *above = rows[0], *row = rows[1];
    int width = (int)strlen(b);
    for (int j = 0; j <= width; j++) above[j] = j;
    for (int i = 0; a[i]; i++) {
        row[0] = i + 1;
        for (int j = 0; j < width; j++)
            row[j + 1] = smallest(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] != b[j]));
        int *swap = above;
        above = row;
        row = swap;
    }
    return above[width];
}

/* A third of the letters may be wrong, and one in any case. */
spelling spelling_of(const char *word)
{
    int tolerated = (int)(strlen(word) + 2) / 3;
    return (spelling){.word = word, .distance = tolerated + 1};
}

void spelling_try(spelling *s, const char *name)
{
    if (strlen(s->word) > LONGEST || strlen(name) > LONGEST) return;
    int d = distance(s->word, name);
    if (d >= s->distance) return;
    s->nearest = name;
    s->distance = d;
}
