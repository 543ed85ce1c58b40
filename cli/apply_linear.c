/* The rule "linear:VALUE:ROW:ROW..." of --boundary: weights of points, and of VALUE. A ROW is
 * "W/W/...": of each point from the side inwards, and last of VALUE; the first row makes the value
 * at one point outside. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *word, double *number)
{
    char *end;
    *number = strtod(word, &end);
    return end != word && !*end && isfinite(*number);
}

/* The next row of weights; false when it is none, or not as long as the first. */
static bool read_row(apply_linear *l, char *row)
{
    int count = 0;
    double *weights = l->weights + (size_t)l->depth * (size_t)(l->count + 1);
    for (char *word; (word = strsep(&row, "/")); count++)
        if (count > APPLY_LINEAR_MOST || !read_number(word, &weights[count])) return false;
    if (l->depth == 0) l->count = count - 1;
    return count >= 2 && count == l->count + 1 && ++l->depth <= APPLY_LINEAR_MOST;
}

bool apply_read_linear(const apply *a, apply_param *p, char *numbers)
{
    char *value = strsep(&numbers, ":"), *row;
    p->linear = (apply_linear){0};
    p->rule = KATA_NONE; /* until the field is made */
    bool read = read_number(value, &p->rule_value) && numbers;
    while (read && (row = strsep(&numbers, ":"))) read = read_row(&p->linear, row);
    if (read) return true;
    options_wrong(a->o,
                  "--boundary takes linear:VALUE:W/W/..., and up to %d rows W/W/... of as "
                  "many weights: of 1 to %d points, and of VALUE",
                  APPLY_LINEAR_MOST, APPLY_LINEAR_MOST);
    return false;
}

void apply_set_linear(const apply_param *p, int rank)
{
    const apply_linear *l = &p->linear;
    for (int side = 0; side < 2 * rank && l->depth; side++)
        if (!p->param.along || p->param.along >> side / 2 & 1)
            kata_boundary_linear(p->field, (kata_side)side, l->depth, l->count, l->weights,
                                 .value = p->rule_value);
}
