/* Reads the records that KATA_RECORD makes, an entry at a time; record.c of the library describes
 * their form. Nothing in them is trusted: a strange line ends the file with a message. What is in
 * memory does not grow with the file: values are read where they are compared. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool damaged(const record_file *f)
{
    fprintf(stderr, "kata diff: %s: line %d does not belong in a record\n", f->path,
            f->line_number);
    return false;
}

/* Leaves the rest of a line unread; false at the end of the file. */
static bool skip_line(record_file *f)
{
    char rest[1 << 14];
    do {
        if (!fgets(rest, sizeof rest, f->file)) return false;
    } while (!strchr(rest, '\n'));
    return true;
}

/* Reads the next line into f->line, which is NULL at the end. Of a line of values, which may be as
 * large as a field, the word alone. */
static bool next_line(record_file *f)
{
    static const char word[] = "values";
    off_t start = ftello(f->file);
    f->line = fgets(f->buffer, sizeof f->buffer, f->file);
    f->line_number++;
    if (!f->line) return true;
    char *end = strchr(f->line, '\n');
    if (end) *end = 0;
    if (!strncmp(f->line, word, sizeof word - 1)) {
        f->line[sizeof word - 1] = 0;
        f->values = start < 0 ? RECORD_NOT_AGAIN : start + (off_t)sizeof word - 1;
        if (!end) skip_line(f);
        return true;
    }
    return end || damaged(f);
}

bool record_open(record_file *f, const char *path)
{
    *f = (record_file){.path = path, .file = fopen(path, "re")};
    if (!f->file) {
        fprintf(stderr, "kata diff: cannot read %s: %s\n", path, strerror(errno));
        return false;
    }
    static const char head[] = "katagami record ";
    bool record =
        fgets(f->buffer, sizeof f->buffer, f->file) && !strncmp(f->buffer, head, sizeof head - 1);
    if (record && !strcmp(f->buffer + sizeof head - 1, "2\n")) {
        f->line_number = 1;
        return next_line(f);
    }
    fprintf(stderr,
            record ? "kata diff: %s was recorded by another version of Katagami: record the run "
                     "again\n"
                   : "kata diff: %s is not the record of a run\n",
            path);
    return false;
}

FILE *record_values(const record_file *f, int item)
{
    off_t at = f->entry.items[item].values;
    return at > 0 && fseeko(f->file, at, SEEK_SET) == 0 ? f->file : NULL;
}

static void entry_clear(record_entry *e)
{
    for (int i = 0; i < e->count; i++) free(e->items[i].line);
    free(e->items);
    free(e->head);
    free(e->range);
    free(e->location);
    *e = (record_entry){0};
}

void record_close(record_file *f)
{
    entry_clear(&f->entry);
    if (f->file) fclose(f->file);
}

static bool starts(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static bool is_head(const char *line) { return starts(line, "loop ") || starts(line, "put "); }

static bool add_item(record_entry *e, const char *line)
{
    if (e->count == RECORD_MOST_ITEMS) return false;
    void *items = realloc(e->items, (size_t)(e->count + 1) * sizeof *e->items);
    if (items) e->items = items;
    if (items) e->items[e->count] = (record_item){strdup(line), 0};
    return items && e->items[e->count++].line;
}

static bool take_values(record_file *f)
{
    record_entry *e = &f->entry;
    if (!e->count || e->items[e->count - 1].values) return false;
    e->items[e->count - 1].values = f->values;
    return true;
}

/* Takes a line of an entry's body. */
static bool take_line(record_file *f)
{
    record_entry *e = &f->entry;
    if (!strcmp(f->line, "values")) return take_values(f);
    char **member = starts(f->line, "range ")      ? &e->range
                    : starts(f->line, "location ") ? &e->location
                                                   : NULL;
    if (member && !*member) return (*member = strdup(strchr(f->line, ' ') + 1)) != NULL;
    bool known =
        starts(f->line, "number ") || starts(f->line, "scalar ") || starts(f->line, "field ");
    return known && add_item(e, f->line);
}

bool record_next(record_file *f)
{
    entry_clear(&f->entry);
    if (!f->line) return true;
    if (!is_head(f->line)) return damaged(f);
    if (!(f->entry.head = strdup(f->line))) return damaged(f);
    if (!next_line(f)) return false;
    while (f->line && !is_head(f->line)) {
        if (!take_line(f)) return damaged(f);
        if (!next_line(f)) return false;
    }
    return true;
}
