/* Columns of named numbers over time, in a file to which the program adds rows. */
#include "api/files.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of rows that may wait for the thread that writes them. */
enum { MOST_WAITING = 1 << 22, MOST_COLUMNS = 1024, MOST_NUMBERS = 1 << 20, LONGEST_NAME = 64 };

struct kata_rows {
    kata *k;
    const char *path, *ending;
    io_columns *file; /* on several ranks, of the first one */
    pid_t writer;     /* the process that made it */
    int numbers;      /* of a row, without its time */
    bool has_time;
    double last;     /* time; counts while no error was cleared since: a step that failed may come
                        again */
    int64_t cleared; /* errors, until then */
    kata_rows *next;
};

/* ---- names ----------------------------------------------------------------------------------- */

/* What "energy (J), p[100]" says: the text, cut into names and units. */
typedef struct name_list {
    char *at;
    int count, numbers;
    io_column columns[MOST_COLUMNS];
} name_list;

static void skip_spaces(char **at)
{
    while (isspace((unsigned char)**at)) ++*at;
}

/* "[100]", if it is there; false where it is not well-formed. */
static bool read_elements(char **at, io_column *column)
{
    if (**at != '[') return true;
    char *digits = *at + 1;
    long elements = isdigit((unsigned char)*digits) ? strtol(digits, at, 10) : 0;
    column->elements = (int)elements;
    column->is_array = true;
    return elements >= 1 && elements <= MOST_NUMBERS && *(*at)++ == ']';
}

/* "(J)", likewise. */
static bool read_units(char **at, io_column *column)
{
    skip_spaces(at);
    if (**at != '(') return true;
    char *units = *at + 1, *end = strchr(units, ')');
    if (!end || end == units || end - units > LONGEST_NAME) return false;
    for (const char *c = units; c < end; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || *c == '"' || *c == ',') return false;
    column->units = units;
    *end = 0;
    *at = end + 1;
    skip_spaces(at);
    return true;
}

/* One column, and the comma behind it. */
static bool read_column(char **at, io_column *column)
{
    skip_spaces(at);
    char *name = *at;
    while (isalnum((unsigned char)**at) || **at == '_') ++*at;
    char *end = *at;
    if (end == name || end - name > LONGEST_NAME || isdigit((unsigned char)*name)) return false;
    *column = (io_column){.name = name, .elements = 1};
    if (!read_elements(at, column) || !read_units(at, column)) return false;
    if (**at && **at != ',') return false;
    if (**at) ++*at;
    *end = 0;
    return true;
}

static bool is_taken(const name_list *l, const char *name)
{
    bool taken = !strcmp(name, "time");
    for (int i = 0; i < l->count; i++) taken = taken || !strcmp(l->columns[i].name, name);
    return taken;
}

/* Whether another column follows: a comma at the end does not begin one. */
static bool has_more(name_list *l)
{
    skip_spaces(&l->at);
    return *l->at;
}

static kata_status read_names(kata *k, const char *names, char *copy, name_list *l)
{
    l->at = copy;
    do {
        skip_spaces(&l->at);
        const char *shown = names + (l->at - copy);
        io_column *column = &l->columns[l->count];
        if (l->count == MOST_COLUMNS || l->numbers > MOST_NUMBERS)
            return api_fail(k, KATA_ERROR_ARGUMENT,
                            "kata_rows_new: there are more than %d columns of %d numbers in "
                            "all; p[100] is one column",
                            (int)MOST_COLUMNS, (int)MOST_NUMBERS);
        if (!read_column(&l->at, column))
            return api_fail(k, KATA_ERROR_ARGUMENT,
                            "kata_rows_new: the names of columns are not understood at '%.40s'; "
                            "give C identifiers as \"energy (J), p[100]\"",
                            shown);
        if (is_taken(l, column->name))
            return api_fail(k, KATA_ERROR_ARGUMENT, "kata_rows_new: two columns are called '%s'%s",
                            column->name,
                            strcmp(column->name, "time") ? "" : ", as the first one always is");
        l->numbers += column->elements;
        l->count++;
    } while (has_more(l));
    return KATA_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

static const char *ending_of(kata *k, const char *path)
{
    static const char *const endings[] = {".csv", ".h5", ".hdf5"};
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        if (api_ends_with(path, endings[i])) return endings[i];
    api_fail(k, KATA_ERROR_ARGUMENT,
             "kata_rows_new: cannot tell the format of '%s'; columns go to .csv and .h5", path);
    return NULL;
}

static kata_status open_file(kata_rows *c, const char *names)
{
    kata *k = c->k;
    size_t length = strlen(names);
    char *copy = strdup(names);
    name_list *l = calloc(1, sizeof *l);
    kata_status status = copy && l && length < INT32_MAX ? KATA_OK : api_no_memory(k);
    if (!status) status = read_names(k, names, copy, l);
    if (!status) c->numbers = l->numbers;
    if (!status && exec_rank(&k->exec) == 0) {
        c->file = io_columns_new(c->path, strcmp(c->ending, ".csv") != 0, l->count, l->columns);
        if (!c->file) status = api_no_memory(k);
    }
    free(l);
    free(copy);
    return exec_agree(&k->exec, "kata_rows_new", status, &k->messages);
}

static kata_rows *new_columns(kata *k, const char *path, const char *names)
{
    if (k->messages.status) return NULL;
    if (!path || !names) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_rows_new: the %s NULL",
                 path ? "names are" : "path is");
        return NULL;
    }
    kata_rows *c = arena_alloc(&k->memory, sizeof *c);
    char *copy = arena_copy_text(&k->memory, path, strlen(path));
    if (!c || !copy) {
        api_no_memory(k);
        return NULL;
    }
    *c = (kata_rows){.k = k, .path = copy, .ending = ending_of(k, copy), .writer = getpid()};
    if (!c->ending || open_file(c, names)) return NULL;
    c->next = k->row_files;
    return k->row_files = c;
}

kata_rows *kata_rows_new(kata *k, const char *path, const char *names)
{
    if (!k) {
        api_null("kata_rows_new", "the context");
        return NULL;
    }
    kata_rows *c = new_columns(k, path, names);
    api_note_error(k);
    return c;
}

void api_rows_free(kata_rows *first)
{
    for (kata_rows *c = first; c; c = c->next) io_columns_free(c->file);
}

/* "energy.csv" goes on in "energy-from-900.csv". */
bool api_rows_rename(kata_rows *first, int64_t step)
{
    bool good = true;
    for (kata_rows *c = first; c && good; c = c->next) {
        text name = {0};
        int before = (int)(strlen(c->path) - strlen(c->ending));
        text_add(&name, "%.*s-from-%lld%s", before, c->path, (long long)step, c->path + before);
        good = !name.failed && (!c->file || io_columns_rename(c->file, name.data));
        text_free(&name);
    }
    return good;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static kata_status check_times(const kata_rows *c, int64_t rows, const double *times)
{
    bool has_last = c->has_time && c->cleared == c->k->errors_cleared;
    double last = c->last;
    for (int64_t i = 0; i < rows; i++) {
        if (!isfinite(times[i]))
            return api_fail(c->k, KATA_ERROR_ARGUMENT, "kata_rows_add: %s: the time is %g", c->path,
                            times[i]);
        if (has_last && times[i] <= last)
            return api_fail(c->k, KATA_ERROR_ARGUMENT,
                            "kata_rows_add: %s: the time is %g, after one of %g", c->path, times[i],
                            last);
        has_last = true;
        last = times[i];
    }
    return KATA_OK;
}

static kata_status check_rows(const kata_rows *c, int64_t rows, const double *times,
                              const double *values, int64_t count)
{
    kata *k = c->k;
    if (api_check_writer(k, c->writer, "kata_rows_add", c->path)) return k->messages.status;
    if (rows > INT32_MAX)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_rows_add: there are %lld rows, more than %d",
                        (long long)rows, INT32_MAX);
    if (!times || !values)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_rows_add: the %s are NULL",
                        times ? "values" : "times");
    const int64_t needed = larger(rows, 0) * c->numbers;
    if (rows >= 0 && count == needed) return check_times(c, rows, times);
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "kata_rows_add: %lld row%s of %s %s %lld values; there are %lld",
                    (long long)rows, rows == 1 ? "" : "s", c->path, rows == 1 ? "has" : "have",
                    (long long)needed, (long long)count);
}

static kata_status write_rows(void *data, const io_source *source, messages *m)
{
    (void)source; /* the file has its rows */
    return io_columns_write(data, m);
}

static void free_nothing(void *data) { (void)data; }

/* The first rank's part: the rows go behind those that wait, and are written with them. */
static kata_status add_rows(const kata_rows *c, int64_t rows, const double *times,
                            const double *values)
{
    kata *k = c->k;
    bool asked;
    kata_status status = io_behind_take_error(k->behind, &k->messages);
    if (status) return status;
    if (!io_columns_add(c->file, rows, times, values)) return api_no_memory(k);
    size_t bytes = io_columns_waiting(c->file, &asked);
    if (asked && bytes > MOST_WAITING) io_behind_wait(k->behind);
    if (asked) return KATA_OK;
    return api_output_behind(k, &(io_output){c->file, write_rows, free_nothing});
}

/* Ranks add the same rows of the same file. */
static uint64_t hash_rows(const kata_rows *to, int64_t rows, const double *times)
{
    return hash_bytes(times, (size_t)rows * sizeof *times,
                      hash_bytes(to->path, strlen(to->path), 0));
}

kata_status kata_rows_add(kata_rows *to, int64_t rows, const double *times, const double *values,
                          int64_t count)
{
    if (!to) return api_null("kata_rows_add", "the file");
    kata *k = to->k;
    kata_status status = check_rows(to, rows, times, values, count);
    if (!status)
        status = exec_meet(&k->exec, "kata_rows_add", hash_rows(to, rows, times), &k->messages);
    if (status || !rows) return status;
    if (to->file) status = add_rows(to, rows, times, values);
    k->writes_behind = true;
    status = exec_agree(&k->exec, "kata_rows_add", status, &k->messages);
    api_note_error(k);
    if (status) return status;
    to->has_time = true;
    to->cleared = k->errors_cleared;
    to->last = times[rows - 1];
    return KATA_OK;
}
