/* Boundary rules as maps of indices.
 *
 * A reflection turns an index beyond one side into one that is inside or beyond the other side, so
 * only reflections at both sides go on for more than two steps. Two of them in a row shift the
 * index by a period towards the grid; whole periods are taken at once. */
#include "grid/grid.h"

#include <string.h>

const grid_boundary grid_boundary_none;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same_weights(const grid_weights *a, const grid_weights *b)
{
    bool same = a->depth == b->depth && a->count == b->count;
    for (int j = 0; j < a->depth && same; j++)
        same = !memcmp(a->row[j], b->row[j], (size_t)(a->count + 1) * sizeof a->row[j][0]);
    return same;
}

bool grid_boundary_equal(const grid_boundary *a, const grid_boundary *b)
{
    for (size_t s = 0; s < COUNT_OF(a->side); s++) {
        const kata_rule rule = a->side[s].rule;
        if (rule != b->side[s].rule) return false;
        if (rule == KATA_NONE) continue;
        if (bits_of(a->side[s].value) != bits_of(b->side[s].value) ||
            (rule == KATA_LINEAR && !same_weights(a->weights[s], b->weights[s])))
            return false;
    }
    return true;
}

int64_t grid_boundary_side(const grid_boundary *boundary, int side)
{
    kata_rule rule = boundary->side[side].rule;
    int count = rule == KATA_LINEAR ? boundary->weights[side]->count : 0;
    return (int64_t)rule | (int64_t)count << 4;
}

uint64_t grid_boundary_rules(const grid_boundary *boundary)
{
    uint64_t rules = 0;
    for (int s = 0; s < (int)COUNT_OF(boundary->side); s++) {
        bool linear = boundary->side[s].rule == KATA_LINEAR;
        uint64_t depth = linear ? (uint64_t)boundary->weights[s]->depth : 0;
        rules = rules * 2048 + depth * 256 + (uint64_t)grid_boundary_side(boundary, s);
    }
    return rules;
}

bool grid_boundary_copy(grid_boundary *to, const grid_boundary *from, arena *memory)
{
    grid_boundary copy = *from;
    for (size_t s = 0; s < COUNT_OF(copy.side); s++) {
        copy.weights[s] = NULL;
        if (copy.side[s].rule != KATA_LINEAR) continue;
        grid_weights *weights = arena_alloc(memory, sizeof *weights);
        if (!weights) return false;
        *weights = *from->weights[s];
        copy.weights[s] = weights;
    }
    *to = copy;
    return true;
}

bool grid_rule_is_antisymmetric(kata_rule rule)
{
    return rule == KATA_ANTISYMMETRIC_FACE || rule == KATA_ANTISYMMETRIC_NODE;
}

static bool is_about_node(kata_rule rule)
{
    return rule == KATA_REFLECT_NODE || rule == KATA_ANTISYMMETRIC_NODE;
}

bool grid_rule_mirrors(kata_rule rule)
{
    return rule == KATA_REFLECT_FACE || is_about_node(rule) || grid_rule_is_antisymmetric(rule);
}

/* The mirror image of a single point about itself is itself. */
bool grid_rule_lacks_points(kata_rule rule, int64_t size)
{
    return is_about_node(rule) && size == 1;
}

static bool mirrors_at(const grid_side_rule *side, int64_t size)
{
    return grid_rule_mirrors(side->rule) && !grid_rule_lacks_points(side->rule, size);
}

/* What an index and its mirror image at the low or high side add up to. */
static int64_t mirror_sum(kata_rule rule, bool high, int64_t size)
{
    if (is_about_node(rule)) return high ? 2 * (size - 1) : 0;
    return high ? 2 * size - 1 : -1;
}

/* The values of the antisymmetric steps of an index beyond a side, in the order they are met. */
static void find_step_values(const grid_side_rule *side, bool high, double value[2])
{
    bool first = grid_rule_is_antisymmetric(side[high].rule) ? high : !high;
    bool second = grid_rule_is_antisymmetric(side[!first].rule) ? !first : first;
    value[0] = side[first].value;
    value[1] = side[second].value;
}

/* Takes whole periods off an index outside, between reflections at both sides. */
static int64_t skip_periods(const grid_side_rule *side, int64_t size, int64_t index, int64_t *steps)
{
    int64_t period = mirror_sum(side[1].rule, true, size) - mirror_sum(side[0].rule, false, size);
    int64_t distance = index < 0 ? -index : index - size + 1;
    int64_t periods = (distance - 1) / period;
    *steps = periods *
             (grid_rule_is_antisymmetric(side[0].rule) + grid_rule_is_antisymmetric(side[1].rule));
    return index < 0 ? index + periods * period : index - periods * period;
}

bool grid_boundary_is_periodic(const grid_boundary *boundary, int dimension)
{
    const grid_side_rule *side = &boundary->side[2 * dimension];
    return side[0].rule == KATA_PERIODIC && side[1].rule == KATA_PERIODIC;
}

void grid_boundary_points(const grid_boundary *boundary, int dimension, const grid_axis *axis,
                          int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = grid_boundary_is_periodic(boundary, dimension) ? axis->cells : axis->size;
}

void grid_boundary_inside(const grid_boundary *boundary, int dimension, const grid_axis *axis,
                          int64_t *lo, int64_t *hi)
{
    const grid_side_rule *side = &boundary->side[2 * dimension];
    grid_boundary_points(boundary, dimension, axis, lo, hi);
    if (side[0].rule == KATA_NONE) *lo -= axis->ghosts;
    if (side[1].rule == KATA_NONE) *hi += axis->ghosts;
}

/* An index beyond a side with KATA_LINEAR as a sum; false where there is none. */
static bool find_sum(const grid_boundary *boundary, int side, int64_t size, int64_t index,
                     grid_source *source)
{
    const grid_weights *weights = boundary->weights[side];
    bool high = side % 2;
    int64_t depth = high ? index - size : -1 - index;
    if (depth >= weights->depth || size < weights->count) return false;
    source->weights = weights->row[depth];
    source->count = weights->count;
    source->step = high ? -1 : 1;
    source->value = boundary->side[side].value;
    source->index = high ? size - 1 : 0;
    return true;
}

bool grid_boundary_map(const grid_boundary *boundary, int dimension, const grid_axis *axis,
                       int64_t index, grid_source *out)
{
    const grid_side_rule *side = &boundary->side[2 * dimension];
    grid_source source = {0};
    int64_t lo, hi, size = axis->size;
    grid_boundary_inside(boundary, dimension, axis, &lo, &hi);
    if (index < lo || index >= hi) {
        find_step_values(side, index >= hi, source.step_value);
        if (mirrors_at(&side[0], size) && mirrors_at(&side[1], size))
            index = skip_periods(side, size, index, &source.steps);
    }
    while (index < lo || index >= hi) {
        bool high = index >= hi;
        kata_rule rule = side[high].rule;
        if (rule == KATA_NONE || grid_rule_lacks_points(rule, size)) return false;
        if (rule == KATA_LINEAR) {
            if (!find_sum(boundary, 2 * dimension + high, size, index, &source)) return false;
            index = source.index;
            break;
        }
        if (rule == KATA_CONSTANT) {
            source.is_constant = true;
            source.constant = side[high].value;
            index = -1;
            break;
        }
        if (rule == KATA_CLAMP) index = high ? size - 1 : 0;
        if (rule == KATA_PERIODIC) index = (index % axis->cells + axis->cells) % axis->cells;
        if (grid_rule_mirrors(rule)) index = mirror_sum(rule, high, size) - index;
        source.steps += grid_rule_is_antisymmetric(rule);
    }
    source.index = index;
    *out = source;
    return true;
}

const char *grid_rule_name(kata_rule rule)
{
    static const char *const names[] = {
#define NAME(rule, word, meaning) [rule] = #rule,
        KATA_RULES(NAME)
#undef NAME
            [KATA_LINEAR] = "KATA_LINEAR",
    };
    return (size_t)rule < COUNT_OF(names) ? names[rule] : "unknown rule";
}

const char *grid_side_name(int side)
{
    static const char *const names[] = {"KATA_X_LOW",  "KATA_X_HIGH", "KATA_Y_LOW",
                                        "KATA_Y_HIGH", "KATA_Z_LOW",  "KATA_Z_HIGH"};
    return side >= 0 && (size_t)side < COUNT_OF(names) ? names[side] : "unknown side";
}
