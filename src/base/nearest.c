/* Edit distance by dynamic programming (Wagner & Fischer, J. ACM 21, 1974), an exchange of two
 * neighbouring letters counting as one edit (Damerau, CACM 7, 1964). */
#include "base/base.h"

#include <string.h>

enum { LONGEST = 64 };

static int least(int a, int b) { return a < b ? a : b; }

static int edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1]; /* distances of the last three beginnings of a, by i % 3 */
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (int i = 0; i <= na; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    int allowed = (int)(strlen(name) / 3), best = (allowed < 1 ? 1 : allowed) + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!names[i]) continue;
        int distance = edit_distance(name, names[i]);
        if (distance >= best || distance >= (int)strlen(names[i])) continue;
        best = distance;
        nearest = names[i];
    }
    return nearest;
}
