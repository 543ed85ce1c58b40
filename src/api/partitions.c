/* kata_partition: cuts a grid, and shows the parts as text, JSON or a picture. */
#include "api/api.h"
#include "io/io.h"

#include <inttypes.h>

#define CALL "kata_partition"
enum { MOST_GROUPS_DRAWN = 20000 };

static const char *const kind_names[] = {"rectangles", "tensor", "morton", "halves"};

typedef struct shown {
    kata *k;
    const kata_partition_options *options;
    grid_shape shape;
    grid_levels levels;
    int owners;
    grid_partition p;
} shown;

/* ---- what is asked --------------------------------------------------------------------------- */

static kata_status read_shape(shown *s)
{
    const int64_t given[3] = {s->options->nx, s->options->ny, s->options->nz};
    int64_t points = 1;
    s->shape = (grid_shape){.rank = given[2] ? 3 : given[1] ? 2 : 1, .size = {1, 1, 1}};
    for (int d = 0; d < s->shape.rank; d++) {
        s->shape.size[d] = given[d];
        if (given[d] < 1)
            return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": n%c is %lld; a size is at least 1",
                            "xyz"[d], (long long)given[d]);
        if (__builtin_mul_overflow(points, given[d], &points) || points >= (int64_t)1 << 48)
            return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": the grid has 2^48 points or more");
    }
    return KATA_OK;
}

static kata_status read_levels(shown *s)
{
    int64_t owners = 1;
    const int *parts = s->options->levels;
    grid_levels *l = &s->levels;
    for (; l->count < GRID_MOST_LEVELS && parts[l->count]; l->count++) {
        int number = l->parts[l->count] = parts[l->count];
        if (number < 1)
            return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": level %d has %d parts; 1 is least",
                            l->count + 1, number);
        owners *= number;
        if (owners > GRID_MOST_OWNERS)
            return api_fail(s->k, KATA_ERROR_ARGUMENT,
                            CALL ": the levels make more than %d parts in all", GRID_MOST_OWNERS);
    }
    if (!l->count)
        return api_fail(s->k, KATA_ERROR_ARGUMENT,
                        CALL ": there are no levels; into how many parts?");
    l->smallest = s->options->smallest ? s->options->smallest : 1;
    if (l->smallest < 1)
        return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": smallest is %lld; it is at least 1",
                        (long long)l->smallest);
    s->owners = (int)owners;
    return KATA_OK;
}

static kata_status read_kind(shown *s)
{
    const kata_partition_options *o = s->options;
    if ((unsigned)o->kind > KATA_HALVES)
        return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": there is no kind %d", (int)o->kind);
    if ((unsigned)o->form > KATA_PARTITION_SVG)
        return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": there is no form %d", (int)o->form);
    if (o->kind == KATA_RECTANGLES) return KATA_OK;
    if (s->levels.count > 1)
        return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": only rectangles have several levels");
    if (o->smallest)
        return api_fail(s->k, KATA_ERROR_ARGUMENT, CALL ": only rectangles have a smallest side");
    return KATA_OK;
}

static bool make(shown *s)
{
    static const int64_t unit[3] = {GRID_BRICK, 1, 1}; /* for ranks */
    int parts[3];
    if (s->options->kind == KATA_RECTANGLES)
        return grid_partition_rectangles(&s->p, &s->shape, s->owners, &s->levels);
    if (s->options->kind == KATA_MORTON)
        return grid_partition_morton(&s->p, &s->shape, s->owners, s->owners);
    if (s->options->kind == KATA_HALVES)
        return grid_partition_halves(&s->p, &s->shape, s->owners, unit);
    grid_partition_choose(&s->shape, s->owners, unit, parts);
    return grid_partition_cut(&s->p, &s->shape, s->owners, parts, unit);
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* Owners below a part of a level. */
static int group_of(const shown *s, int level)
{
    int group = 1;
    for (int l = level + 1; l < s->levels.count; l++) group *= s->levels.parts[l];
    return group;
}

static void print_table(const shown *s, const grid_surface *surface, text *out)
{
    grid_shape_print(out, &s->shape);
    text_add(out, " points, %s, %d owners\n", kind_names[s->options->kind], s->owners);
    text_add(out, "%5s %9s %9s %15s %15s %9s\n", "level", "parts", "active", "smallest", "largest",
             "balance");
    for (int l = 0; l < s->levels.count; l++) {
        int group = group_of(s, l);
        grid_balance b = grid_partition_balance(&s->p, group);
        text_add(out, "%5d %9d %9" PRId64 " %15" PRId64 " %15" PRId64 " %7.1f %%\n", l + 1,
                 s->owners / group, b.active, b.smallest, b.largest, 100 * b.balance);
    }
    text_add(out, "surface: %" PRId64 " points in all, %" PRId64 " of one owner\n", surface->total,
             surface->largest);
}

static void print_list(text *out, const int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++) text_add(out, "%s%" PRId64, i ? "," : "[", numbers[i]);
    text_add(out, "]");
}

static void print_json_levels(const shown *s, text *out)
{
    for (int l = 0; l < s->levels.count; l++) {
        int group = group_of(s, l);
        grid_balance b = grid_partition_balance(&s->p, group);
        text_add(out,
                 "%s{\"parts\":%d,\"active\":%" PRId64 ",\"smallest\":%" PRId64
                 ",\"largest\":%" PRId64 ",\"balance\":%.6f}",
                 l ? "," : "", s->owners / group, b.active, b.smallest, b.largest, b.balance);
    }
}

static void print_json(const shown *s, const grid_surface *surface, text *out)
{
    text_add(out, "{\"size\":");
    print_list(out, s->shape.size, s->shape.rank);
    text_add(out, ",\"kind\":\"%s\",\"owners\":%d,\"levels\":[", kind_names[s->options->kind],
             s->owners);
    print_json_levels(s, out);
    text_add(out, "],\"surface\":{\"total\":%" PRId64 ",\"largest\":%" PRId64 "},\"boxes\":[",
             surface->total, surface->largest);
    for (int i = 0; i < s->p.count && !out->failed; i++) {
        text_add(out, "%s\n{\"owner\":%d,\"lo\":", i ? "," : "", s->p.owner[i]);
        print_list(out, s->p.boxes[i].lo, s->shape.rank);
        text_add(out, ",\"hi\":");
        print_list(out, s->p.boxes[i].hi, s->shape.rank);
        text_add(out, "}");
    }
    text_add(out, "\n]}\n");
}

/* The deepest level that is not too fine to be drawn; a colour for each part of the first. */
static void draw(const shown *s, text *out)
{
    int level = s->levels.count - 1, first = group_of(s, 0);
    while (level > 0 && s->owners / group_of(s, level) > MOST_GROUPS_DRAWN) level--;
    int group = group_of(s, level);
    io_svg_partition(out, &s->p, group, first / group, s->options->kind == KATA_MORTON);
}

static kata_status show(shown *s, text *out)
{
    grid_surface surface;
    if (!make(s) || !grid_partition_surface(&s->p, s->options->periodic, &surface))
        return api_no_memory(s->k);
    if (s->options->form == KATA_PARTITION_TEXT) print_table(s, &surface, out);
    if (s->options->form == KATA_PARTITION_JSON) print_json(s, &surface, out);
    if (s->options->form == KATA_PARTITION_SVG) draw(s, out);
    return out->failed ? api_no_memory(s->k) : KATA_OK;
}

const char *kata_partition_with(kata *k, const kata_partition_options *options)
{
    static const api_options kind =
        API_OPTIONS(CALL, kata_partition_options,
                    CALL "(k, 2048, .ny = 1900, .levels = {16, 1216, 6})", periodic);
    kata_partition_options copy = {.size = sizeof copy};
    shown s = {.k = k, .options = &copy};
    const char *result = NULL;
    text out = {0};
    if (!k) api_null(CALL, "the context");
    if (!k || k->messages.status) return NULL;
    if (options && api_options_read(k, &kind, options, &copy)) return NULL;
    if (!read_shape(&s) && !read_levels(&s) && !read_kind(&s) && !show(&s, &out)) {
        result = arena_copy_text(&k->memory, text_get(&out), out.length);
        if (!result) api_no_memory(k);
    }
    grid_partition_free(&s.p);
    text_free(&out);
    return result;
}
