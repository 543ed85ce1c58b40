/* A program as a C program against kata.h. Values put are written out where they are few. */
#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_VALUES = 600 };

static const char *const types[] = {"KATA_F64", "KATA_F32",  "KATA_I64",    "KATA_I32", "KATA_U8",
                                    "KATA_F16", "KATA_BF16", "KATA_UNORM8", "KATA_U16", "KATA_I16"};
static const char *const c_types[] = {"double", "float", "int64_t", "int",      "uint8_t",
                                      "float",  "float", "float",   "uint16_t", "int16_t"};
static const char *const layouts[] = {"KATA_ARRAYS", "KATA_STRUCTURES", "KATA_BLOCKS"};
static const char *const sides[] = {"KATA_X_LOW",  "KATA_X_HIGH", "KATA_Y_LOW",
                                    "KATA_Y_HIGH", "KATA_Z_LOW",  "KATA_Z_HIGH"};
static const char *const rules[] = {
#define NAME(rule, word, meaning) [rule] = #rule,
    KATA_RULES(NAME)
#undef NAME
};

/* ---- numbers --------------------------------------------------------------------------------- */

static void print_real(FILE *out, double x)
{
    if (isnan(x))
        fprintf(out, "NAN");
    else if (isinf(x))
        fprintf(out, x < 0 ? "-INFINITY" : "INFINITY");
    else if (x == rint(x * 64) / 64 && fabs(x) < 1e6)
        fprintf(out, "%.17g", x);
    else
        fprintf(out, "%a", x);
}

static void print_whole(FILE *out, int64_t x)
{
    if (x == INT64_MIN)
        fprintf(out, "INT64_MIN");
    else
        fprintf(out, "%" PRId64, x);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void print_all_colors(FILE *out, const program *p, const range *r)
{
    const char *grid = r->level ? "finer" : "g";
    switch (r->kind) {
    case RANGE_ALL: fprintf(out, "kata_all(%s)", grid); return;
    case RANGE_INNER: fprintf(out, "kata_inner(%s, %d)", grid, r->depth); return;
    case RANGE_FACE: fprintf(out, "kata_face(%s, %s, %d)", grid, sides[r->side], r->depth); return;
    case RANGE_NEEDED: fprintf(out, "kata_needed(%s)", grid); return;
    case RANGE_BOX: break;
    }
    fprintf(out, "kata_box_%dd(%s", p->rank, grid);
    for (int d = 0; d < p->rank; d++) fprintf(out, ", %" PRId64 ", %" PRId64, r->lo[d], r->hi[d]);
    fprintf(out, ")");
}

static void print_range(FILE *out, const program *p, const range *r)
{
    fprintf(out, r->colors > 1 ? "kata_color(" : "");
    print_all_colors(out, p, r);
    if (r->colors > 1) fprintf(out, ", %d, %d)", r->colors, r->color);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static void print_values(FILE *out, const field *f, const range *r, uint64_t seed)
{
    const char *separator = "";
    for (int c = 0; c < f->components; c++)
        for (int64_t z = r->lo[2]; z < r->hi[2]; z++)
            for (int64_t y = r->lo[1]; y < r->hi[1]; y++)
                for (int64_t x = r->lo[0]; x < r->hi[0]; x++) {
                    const int64_t at[3] = {x, y, z};
                    fprintf(out, "%s", separator);
                    if (is_floating(type_of_storage(f->type)))
                        print_real(out, value_floating(seed, f->type, at, c));
                    else
                        print_whole(out, value_integer(seed, f->type, at, c));
                    separator = ", ";
                }
}

static void print_put(FILE *out, const program *p, int i, const range *r, uint64_t seed)
{
    const field *f = &p->fields[i];
    int64_t count = range_points(r) * f->components;
    if (count == 0) return;
    fprintf(out, "    kata_put(f%d, ", i);
    print_range(out, p, r);
    fprintf(out, ", ((%s[]){", c_types[f->type]);
    if (count <= MOST_VALUES)
        print_values(out, f, r, seed);
    else
        fprintf(out, "/* random %" PRIu64 " */", seed);
    fprintf(out, "}), %" PRId64 ");\n", count);
}

static void print_wall(FILE *out, int i, int side, const wall *wall)
{
    if (wall->rule == KATA_LINEAR)
        fprintf(out, "    kata_boundary_linear(f%d, %s, %d, %d, weights, .value = ", i, sides[side],
                wall->depth, wall->count);
    else
        fprintf(out, "    kata_boundary_set(f%d, %s, %s, ", i, sides[side], rules[wall->rule]);
    print_real(out, wall->value);
    fprintf(out, ");\n");
}

/* ", .along = KATA_X | KATA_Z" */
static void print_dimensions(FILE *out, const char *option, int set)
{
    const char *separator = "";
    fprintf(out, ", .%s = ", option);
    for (int d = 0; d < 3; d++) {
        if (!(set >> d & 1)) continue;
        fprintf(out, "%sKATA_%c", separator, "XYZ"[d]);
        separator = " | ";
    }
}

static void print_wrapped(FILE *out, const program *p, int i)
{
    const field *f = &p->fields[i];
    kata_wrap_options o = {.type = f->type, .components = f->components};
    room_strides(p, i, &o);
    fprintf(out,
            "    kata_field *f%d = kata_field_wrap(%s, \"f%d\", %s, (void *)(m + 65536 * %d), "
            ".stride = {%" PRId64 ", %" PRId64 ", %" PRId64 "}, .components = %d, "
            ".component_stride = %" PRId64,
            i, f->level ? "finer" : "g", i, types[f->type], 2 * i + 1, o.stride[0], o.stride[1],
            o.stride[2], f->components, o.component_stride);
}

static void print_field(FILE *out, const program *p, int i)
{
    const field *f = &p->fields[i];
    range all;
    points_box(p, f, f->walls, true, &all);
    bool wrapped = f->home > HOME_BLOCKS && !f->temporary;
    if (wrapped)
        print_wrapped(out, p, i);
    else
        fprintf(
            out,
            "    kata_field *f%d = kata_field_new(%s, \"f%d\", %s, .components = %d, .layout = %s",
            i, f->level ? "finer" : "g", i, types[f->type], f->components,
            layouts[f->home > HOME_BLOCKS ? HOME_ARRAYS : f->home]);
    if (f->staggered) print_dimensions(out, "staggered", f->staggered);
    if (f->along) print_dimensions(out, "along", f->along);
    if (f->ghosts) fprintf(out, ", .ghosts = %d", f->ghosts);
    fprintf(out, f->temporary ? ", .temporary = true);\n" : ");\n");
    for (int side = 0; side < 2 * p->rank; side++)
        if (f->walls[side].rule != KATA_NONE && has_dimension(f, side / 2))
            print_wall(out, i, side, &f->walls[side]);
    if (f->seed && !f->temporary) print_put(out, p, i, &all, f->seed);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void print_table(FILE *out, const argument *a)
{
    bool real = a->number.type == KATA_F64;
    fprintf(out, "kata_table_of(%s, (%s[]){", types[a->number.type], c_types[a->number.type]);
    for (int i = 0; i < a->number.count; i++) {
        fprintf(out, "%s", i ? ", " : "");
        if (real)
            print_real(out, a->reals[i]);
        else
            print_whole(out, a->integers[i]);
    }
    fprintf(out, "}, %d)", (int)a->number.count);
}

static void print_argument(FILE *out, const kernel *k, const param *param, const argument *a)
{
    fprintf(out, ", ");
    if (takes_field(param) && !k->once)
        fprintf(out, "f%d", a->index);
    else if (a->index >= 0)
        fprintf(out, "s%d", a->index);
    else if (param->kind == TABLE)
        print_table(out, a);
    else if (a->number.kind == KATA_ARG_FLOATING)
        print_real(out, a->number.as.floating);
    else if (a->number.kind == KATA_ARG_UNSIGNED)
        fprintf(out, "%" PRIu64 "u", a->number.as.unsigned_integer);
    else
        print_whole(out, a->number.as.integer);
}

static void print_apply(FILE *out, const program *p, const step *s)
{
    const kernel *k = &p->kernels[s->kernel];
    fprintf(out, "    kata_apply(%s, ", k->name);
    if (k->once)
        fprintf(out, "kata_once(k)");
    else
        print_range(out, p, &s->range);
    for (int i = 0; i < k->param_count; i++) print_argument(out, k, &k->params[i], &s->args[i]);
    fprintf(out, ");\n");
}

static void print_get(FILE *out, const program *p, const step *s)
{
    fprintf(out, "    get(f%d, ", s->index);
    print_range(out, p, &s->range);
    fprintf(out, s->other_type ? "); /* as the other floating type */\n" : ");\n");
}

static void print_copy(FILE *out, const program *p, const step *s)
{
    fprintf(out, "    kata_copy(f%d, ", s->index);
    print_range(out, p, &s->range);
    fprintf(out, ", f%d, ", s->second);
    print_range(out, p, &s->source);
    fprintf(out, ", .axes = {%d, %d, %d});\n", s->axes[0], s->axes[1], s->axes[2]);
}

static void print_fill(FILE *out, const program *p, const step *s)
{
    fprintf(out, "    kata_fill(f%d, ", s->index);
    print_range(out, p, &s->range);
    fprintf(out, ", %g);\n", s->value);
}

static void print_sparse(FILE *out, const program *p, const step *s)
{
    const field *f = &p->fields[s->index];
    fprintf(out, "    %s(kata_points_new(%s, \"points\", ((double[]){",
            s->kind == STEP_INJECT ? "kata_inject" : "kata_record", f->level ? "finer" : "g");
    for (int i = 0; i < s->points * p->rank; i++) {
        const int d = i % p->rank;
        fprintf(out, i ? ", " : "");
        print_real(out, s->at[i / p->rank][d] - (f->staggered >> d & 1 ? 0.5 : 0));
    }
    fprintf(out, "}), %d, .staggered = %d, .reach = %d), ", s->points, f->staggered, s->reach);
    if (s->second >= 0) fprintf(out, "s%d", s->second);
    for (int i = 0; i < s->points && s->second < 0; i++)
        fprintf(out, "%s%g%s", i ? ", " : "((double[]){", s->values[i],
                i + 1 == s->points ? "})" : "");
    fprintf(out, ", f%d, .component = %d", s->index, s->component);
    if (s->third >= 0) fprintf(out, ", .scale = f%d", s->third);
    fprintf(out, ");\n");
}

static void print_until(FILE *out, const program *p, const step *s)
{
    fprintf(out,
            "    for (kata_until u = kata_until_%s(s%d, %g, .most = %" PRId64 ", .every = %" PRId64
            "); kata_until_next(&u);)\n    ",
            s->above ? "above" : "below", s->index, s->value, s->most, s->every);
    print_apply(out, p, s - 1);
}

static void print_step(FILE *out, const program *p, const step *s)
{
    switch (s->kind) {
    case STEP_APPLY: print_apply(out, p, s); break;
    case STEP_SWAP: fprintf(out, "    kata_swap(f%d, f%d);\n", s->index, s->second); break;
    case STEP_ROTATE:
        fprintf(out, "    kata_rotate(f%d, f%d, f%d);\n", s->index, s->second, s->third);
        break;
    case STEP_END: fprintf(out, "    kata_step(k);\n"); break;
    case STEP_BOUNDARY:
        for (int i = 0; i < 2; i++) print_wall(out, s->index, s->side + i, &s->walls[i]);
        break;
    case STEP_GET: print_get(out, p, s); break;
    case STEP_GET_SCALAR: fprintf(out, "    get(s%d);\n", s->index); break;
    case STEP_PUT: print_put(out, p, s->index, &s->range, s->seed); break;
    case STEP_COPY: print_copy(out, p, s); break;
    case STEP_FILL: print_fill(out, p, s); break;
    case STEP_INJECT:
    case STEP_RECORD: print_sparse(out, p, s); break;
    case STEP_UNTIL: print_until(out, p, s); break;
    case STEP_SET_SCALAR:
        fprintf(out, "    kata_scalar_set(s%d, %g);\n", s->index, s->value);
        break;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void program_print(FILE *out, const program *p)
{
    char *text = program_kernels(p);
    fprintf(out, "/* seed %" PRIu64 "%s */\n%s\nint main(void)\n{\n", p->seed,
            p->shiftable ? ", shiftable" : "", text);
    fprintf(out, "    static double m[1 << 20]; /* of wrapped fields */\n");
    for (int level = 0; level < 2; level++) {
        fprintf(out, "    kata_grid *%s = kata_grid_%dd(k", level ? "finer" : "g", p->rank);
        for (int d = 0; d < p->rank; d++) fprintf(out, ", %" PRId64, program_size(p, level, d));
        fprintf(out, ");\n");
    }
    for (int i = 0; i < p->field_count; i++) print_field(out, p, i);
    for (int i = 0; i < p->scalar_count; i++) {
        fprintf(out, "    kata_scalar *s%d = kata_scalar_array_new(k, \"s%d\", %s, %d);\n", i, i,
                types[p->scalars[i].type], p->scalars[i].count);
        if (p->scalars[i].start != 0)
            fprintf(out, "    kata_scalar_set(s%d, %g);\n", i, p->scalars[i].start);
    }
    for (int i = 0; i < p->step_count; i++)
        if (!p->steps[i].dropped) print_step(out, p, &p->steps[i]);
    fprintf(out, "}\n");
    free(text);
}
