/* kata diff: where two recorded runs first differ in what they compute. */
#include "cli.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAME = 0, DIFFERENT = 1, MOST_DIGITS = 16 };

static const int64_t MOST_POINTS = (int64_t)1 << 60; /* along a dimension */

/* ---- values ---------------------------------------------------------------------------------- */

/* "0.1" for the bits of a value; "bits" for types whose numbers are not shown. */
static void show(char *words, size_t size, const char *type, uint64_t bits)
{
    double f64;
    float f32;
    uint32_t low = (uint32_t)bits;
    memcpy(&f64, &bits, sizeof f64);
    memcpy(&f32, &low, sizeof f32);
    if (!strcmp(type, "f64"))
        number_words(words, size, f64, false);
    else if (!strcmp(type, "f32"))
        number_words(words, size, (double)f32, true);
    else if (!strcmp(type, "i64"))
        snprintf(words, size, "%" PRId64, (int64_t)bits);
    else if (!strcmp(type, "i32"))
        snprintf(words, size, "%" PRId32, (int32_t)low);
    else
        snprintf(words, size, "bits");
}

static void print_value(const char *type, const char *hex, const record_file *f)
{
    char words[40];
    int digits = (int)strcspn(hex, " ");
    show(words, sizeof words, type, strtoull(hex, NULL, 16));
    printf("%s (%.*s) in %s", words, digits, hex, f->path);
}

static const char *next_value(const char *hex)
{
    hex += strcspn(hex, " ");
    return hex + strspn(hex, " ");
}

static bool same_value(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");
    return strcspn(b, " ") == length && !memcmp(a, b, length);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A field as a record describes it. */
typedef struct recorded {
    char name[80], type[8];
    int components;
    int64_t size[3], from[3]; /* of the box of values */
} recorded;

/* Whether sizes and indices can be computed with. */
static bool is_box(const recorded *f)
{
    int64_t points = 1;
    for (int d = 0; d < 3; d++)
        if (f->size[d] < 1 || __builtin_mul_overflow(points, f->size[d], &points) ||
            f->size[d] > MOST_POINTS || f->from[d] > MOST_POINTS || f->from[d] < -MOST_POINTS)
            return false;
    return true;
}

static bool read_field(const char *line, recorded *f)
{
    const char *from = strstr(line, " from ");
    int64_t *n = f->size;
    *f = (recorded){.components = 1};
    if (from)
        sscanf(from, " from %" SCNd64 " %" SCNd64 " %" SCNd64, &f->from[0], &f->from[1],
               &f->from[2]);
    return sscanf(line, "field %79[^@]@%*d %7s %d %" SCNd64 " %" SCNd64 " %" SCNd64, f->name,
                  f->type, &f->components, &n[0], &n[1], &n[2]) == 6 &&
           is_box(f);
}

/* "v[1] at [3, 4]" for the value of this number. */
static void print_point(const recorded *f, int rank, int64_t number)
{
    const int64_t *size = f->size;
    int64_t points = size[0] * size[1] * size[2], at = number % points;
    printf("field '%s'", f->name);
    if (f->components > 1) printf(", component %" PRId64, number / points);
    printf(" differs first at [");
    for (int d = 0; d < rank; d++) {
        printf("%s%" PRId64, d ? ", " : "", at % size[d] + f->from[d]);
        at /= size[d];
    }
    printf("]: ");
}

/* Dimensions of the range, or those that have more than one point. */
static int rank_of(const record_entry *e, const int64_t size[3])
{
    int rank = 0;
    for (const char *c = e->range ? e->range : ""; *c; c++) rank += *c == '[';
    return rank && rank <= 3 ? rank : size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
}

/* Reads a value of a line, in hexadecimal; false at its end. */
static bool read_value(FILE *from, char value[MOST_DIGITS + 1])
{
    int length = 0, c = getc(from);
    while (c == ' ') c = getc(from);
    for (; isxdigit(c) && length < MOST_DIGITS; c = getc(from)) value[length++] = (char)c;
    value[length] = 0;
    if (c != EOF) ungetc(c, from);
    return length > 0;
}

/* Where two lists of values differ. */
typedef struct difference {
    char x[MOST_DIGITS + 1], y[MOST_DIGITS + 1]; /* the first pair that differs */
    int64_t first, wrong, count;
} difference;

static difference find_difference(FILE *a, FILE *b)
{
    difference d = {.count = 0};
    char x[MOST_DIGITS + 1], y[MOST_DIGITS + 1];
    for (; read_value(a, x) && read_value(b, y); d.count++) {
        if (!strcmp(x, y) || d.wrong++) continue;
        d.first = d.count;
        memcpy(d.x, x, sizeof x);
        memcpy(d.y, y, sizeof y);
    }
    return d;
}

/* A field that differs in records that do not tell where. */
static void print_name(const record_item *a, const record_item *b)
{
    bool pipe = a->values == RECORD_NOT_AGAIN || b->values == RECORD_NOT_AGAIN;
    printf("  field '%.*s' differs; records %s tell where\n", (int)strcspn(a->line + 6, "@ "),
           a->line + 6, pipe ? "in files, not in pipes," : "made with KATA_RECORD_FULL=1");
}

static void print_field(const record_file *f, const record_file *g, int item)
{
    const record_item *a = &f->entry.items[item], *b = &g->entry.items[item];
    FILE *x = record_values(f, item), *y = record_values(g, item);
    recorded field;
    if (!read_field(a->line, &field) || !x || !y) {
        print_name(a, b);
        return;
    }
    difference d = find_difference(x, y);
    printf("  ");
    print_point(&field, rank_of(&f->entry, field.size), d.first);
    print_value(field.type, d.x, f);
    printf(", ");
    print_value(field.type, d.y, g);
    printf("; %" PRId64 " of %" PRId64 " values differ\n", d.wrong, d.count);
}

/* "c is 0.1 (...) in A, 0.2 (...) in B" for numbers, tables and scalars: "number c f64 BITS ..." */
static void print_number(const record_file *f, const record_file *g, int item)
{
    char name[80], type[8];
    int start = 0, element = 0;
    const char *a = f->entry.items[item].line, *b = g->entry.items[item].line;
    if (sscanf(a, "%*s %79s %7s %n", name, type, &start) != 2 || !start ||
        strncmp(a, b, (size_t)start) != 0)
        return;
    name[strcspn(name, "@")] = 0;
    bool several = strchr(a + start, ' ');
    for (a += start, b += start; *a && *b; a = next_value(a), b = next_value(b), element++) {
        if (same_value(a, b)) continue;
        printf(several ? "  %s[%d] is " : "  %s is ", name, element);
        print_value(type, a, f);
        printf(", ");
        print_value(type, b, g);
        printf("\n");
    }
}

/* ---- entries --------------------------------------------------------------------------------- */

/* Whether kernel, range, and the kinds and names of all items agree; the location may differ. */
static bool same_form(const record_entry *a, const record_entry *b)
{
    bool same = !strcmp(a->head, b->head) && a->count == b->count &&
                !strcmp(a->range ? a->range : "", b->range ? b->range : "");
    for (int i = 0; same && i < a->count; i++) {
        size_t length = strcspn(a->items[i].line, " ");
        const char *x = a->items[i].line + length, *y = b->items[i].line + length;
        same = !strncmp(a->items[i].line, b->items[i].line, length + 1);
        same = same && strcspn(x + 1, " @") == strcspn(y + 1, " @") &&
               !strncmp(x, y, strcspn(x + 1, " @") + 1);
    }
    return same;
}

static bool item_differs(const record_file *f, const record_file *g, int item)
{
    return strcmp(f->entry.items[item].line, g->entry.items[item].line) != 0;
}

static bool is_result(const record_item *item) { return strncmp(item->line, "number ", 7) != 0; }

static void print_entry(const record_entry *e)
{
    char kernel[80] = "";
    long long number = 0;
    if (sscanf(e->head, "loop %lld %79s", &number, kernel) == 2)
        printf("loop %lld: kernel '%s'", number, kernel);
    else
        printf("kata_put to '%s'", e->head + 4);
    if (e->location) printf(" applied at %s", e->location);
    if (e->range) printf(" to %s", e->range);
}

static void print_difference(const record_file *f, const record_file *g)
{
    print_entry(&f->entry);
    printf("\n");
    for (int i = 0; i < f->entry.count; i++) {
        if (!item_differs(f, g, i)) continue;
        if (strncmp(f->entry.items[i].line, "field ", 6) == 0)
            print_field(f, g, i);
        else
            print_number(f, g, i);
    }
}

static void print_forms(const record_file *f, const record_file *g)
{
    const record_file *both[] = {f, g};
    printf("the runs go different ways\n");
    for (int i = 0; i < 2; i++) {
        printf("  %s: ", both[i]->path);
        if (both[i]->entry.head)
            print_entry(&both[i]->entry);
        else
            printf("the end");
        printf("\n");
    }
}

/* The first result that differs; -1 when none does. */
static int first_difference(const record_file *f, const record_file *g)
{
    for (int i = 0; i < f->entry.count; i++)
        if (is_result(&f->entry.items[i]) && item_differs(f, g, i)) return i;
    return -1;
}

static int compare(record_file *f, record_file *g)
{
    for (long long loops = 0;; loops += f->entry.head[0] == 'l') {
        if (!record_next(f) || !record_next(g)) return EXIT_USAGE;
        if (!f->entry.head && !g->entry.head) {
            printf("%lld loops give the same\n", loops);
            return SAME;
        }
        if (!f->entry.head || !g->entry.head || !same_form(&f->entry, &g->entry)) {
            print_forms(f, g);
            return DIFFERENT;
        }
        if (first_difference(f, g) < 0) continue;
        print_difference(f, g);
        return DIFFERENT;
    }
}

typedef struct diff_request {
    option_words files;
} diff_request;

static const diff_request defaults;

static const option table[] = {
    {"RECORD", "two files that runs with KATA_RECORD=FILE wrote", OPTION_VALUE(diff_request, files),
     .positional = true},
};

const options diff_options = {
    "kata diff",
    "Finds the first loop of two recorded runs that gives different results: the kernel, where "
    "the\n"
    "program applied it, the field, and, where both were recorded with KATA_RECORD_FULL=1, the\n"
    "first point and both values. The exit code is 0 if the runs are the same, 1 if they differ,\n"
    "2 if they cannot be compared.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

int verb_diff(int argc, char **argv)
{
    diff_request r;
    int exit_code;
    if (!options_read(&diff_options, &r, argc, argv, &exit_code)) return exit_code;
    if (r.files.count != 2)
        return options_wrong(&diff_options, "name the records of two runs; KATA_RECORD=FILE makes "
                                            "them");
    record_file f = {0}, g = {0};
    bool opened = record_open(&f, r.files.words[0]) && record_open(&g, r.files.words[1]);
    exit_code = opened ? compare(&f, &g) : EXIT_USAGE;
    record_close(&f);
    record_close(&g);
    return exit_code;
}
