#include "random.h"

bool is_floating(value_type type) { return type == FLOAT || type == DOUBLE; }

const char *type_name(value_type type)
{
    static const char *const names[] = {"bool", "int", "long", "float", "double"};
    return names[type];
}

value_type type_of_storage(kata_type type)
{
    static const value_type types[] = {
        [KATA_F64] = DOUBLE, [KATA_F32] = FLOAT, [KATA_I64] = LONG,   [KATA_I32] = INT,
        [KATA_U8] = INT,     [KATA_F16] = FLOAT, [KATA_BF16] = FLOAT, [KATA_UNORM8] = FLOAT,
        [KATA_U16] = INT,    [KATA_I16] = INT};
    return types[type];
}

const char *narrow_name(kata_type type)
{
    return type == KATA_U8    ? "uchar"
           : type == KATA_U16 ? "ushort"
           : type == KATA_I16 ? "short"
                              : NULL;
}

static void print_pattern(FILE *out, const char *pattern, term *const part[MAX_PARTS]);

static void print_term(FILE *out, const term *t) { print_pattern(out, t->pattern, t->part); }

static void print_pattern(FILE *out, const char *pattern, term *const part[MAX_PARTS])
{
    int next = 0;
    for (const char *p = pattern; *p; p++)
        if (*p == '$')
            print_term(out, part[next++]);
        else
            fputc(*p, out);
}

static void print_block(FILE *out, const line *lines, int indent)
{
    fprintf(out, " {\n");
    code_print(out, lines, indent + 4);
    fprintf(out, "%*s}", indent, "");
}

void code_print(FILE *out, const line *lines, int indent)
{
    for (const line *l = lines; l; l = l->next) {
        fprintf(out, "%*s", indent, "");
        print_pattern(out, l->pattern, l->part);
        if (l->has_body) print_block(out, l->body, indent);
        if (l->has_other) fprintf(out, " else");
        if (l->has_other) print_block(out, l->other, indent);
        fprintf(out, "\n");
    }
}
