/* Columns as CSV (RFC 4180, lines that end as on this system): a line of names, then a line for
 * each row. A number has as many digits as it takes to read the same number again, and a point
 * whatever the program's locale is. */
#include "io/number_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_number(text *out, double x)
{
    char digits[40];
    int precision = 15;
    do snprintf(digits, sizeof digits, "%.*g", precision, x);
    while (precision++ < 17 && strtod(digits, NULL) != x && x == x);
    for (char *at = digits; *at; at++)
        if (!strchr("0123456789+-einfa", *at)) *at = '.';
    text_add(out, "%s", digits);
}

static void add_name(text *out, const io_column *column, int element)
{
    text_add(out, ",%s", column->name);
    if (column->elements > 1 || column->is_array) text_add(out, "[%d]", element);
    if (column->units) text_add(out, " (%s)", column->units);
}

static void add_names(text *out, const io_columns *c)
{
    text_add(out, "time");
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->columns[i].elements; j++) add_name(out, &c->columns[i], j);
    text_add(out, "\n");
}

static void add_row(text *out, const double *row, int width)
{
    for (int i = 0; i < width; i++) {
        if (i) text_add(out, ",");
        add_number(out, row[i]);
    }
    text_add(out, "\n");
}

static int begin(io_columns *c, const text *lines)
{
    file_draft draft;
    int error = io_grow_begin(&draft, c->path, &c->file);
    if (error) return error;
    return io_grow_end(&draft, &c->file, io_write_at(c->file, 0, lines->data, lines->length));
}

static int grow(const io_columns *c, const text *lines)
{
    int error = io_reserve(c->file, lines->length);
    if (!error) error = io_write_at(c->file, c->end, lines->data, lines->length);
    if (error && ftruncate(c->file, c->end)) return error;
    return error;
}

int io_columns_text(io_columns *c, const double *rows, int64_t count)
{
    text lines = {0};
    const bool first = c->file < 0;
    if (first) add_names(&lines, c);
    for (int64_t i = 0; i < count; i++) add_row(&lines, rows + i * c->width, c->width);
    int error = lines.failed ? ENOMEM : first ? begin(c, &lines) : grow(c, &lines);
    if (!error) c->end = (first ? 0 : c->end) + (off_t)lines.length;
    text_free(&lines);
    return error;
}
