/* Reads the records that KATA_RECORD makes, an entry at a time; record.c of the library describes
 * their form. Nothing in them is trusted: a strange line ends the file with a message. */
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

/* Reads the next line into f->line, which is NULL at the end. */
static void next_line(record_file *f)
{
    ssize_t length = getline(&f->buffer, &f->capacity, f->file);
    f->line = length > 0 ? f->buffer : NULL;
    f->line_number++;
    if (length > 0 && f->buffer[length - 1] == '\n') f->buffer[length - 1] = 0;
}

bool record_open(record_file *f, const char *path)
{
    *f = (record_file){.path = path, .file = fopen(path, "re")};
    if (!f->file) {
        fprintf(stderr, "kata diff: cannot read %s: %s\n", path, strerror(errno));
        return false;
    }
    next_line(f);
    if (!f->line || strcmp(f->line, "katagami record 1") != 0) {
        fprintf(stderr, "kata diff: %s is not the record of a run\n", path);
        return false;
    }
    next_line(f);
    return true;
}

static void entry_clear(record_entry *e)
{
    for (int i = 0; i < e->count; i++) {
        free(e->items[i].line);
        free(e->items[i].values);
    }
    free(e->items);
    free(e->head);
    free(e->range);
    free(e->location);
    *e = (record_entry){0};
}

void record_close(record_file *f)
{
    entry_clear(&f->entry);
    free(f->buffer);
    if (f->file) fclose(f->file);
}

static bool starts(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static bool is_head(const char *line) { return starts(line, "loop ") || starts(line, "put "); }

static bool add_item(record_entry *e, const char *line)
{
    void *items = realloc(e->items, (size_t)(e->count + 1) * sizeof *e->items);
    if (items) e->items = items;
    if (items) e->items[e->count] = (record_item){strdup(line), NULL};
    return items && e->items[e->count++].line;
}

/* Takes a line of an entry's body. */
static bool take_line(record_file *f)
{
    record_entry *e = &f->entry;
    char **member = starts(f->line, "range ")               ? &e->range
                    : starts(f->line, "place ")             ? &e->location
                    : starts(f->line, "values") && e->count ? &e->items[e->count - 1].values
                                                            : NULL;
    if (member && !*member) return (*member = strdup(f->line + 6)) != NULL;
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
    for (next_line(f); f->line && !is_head(f->line); next_line(f))
        if (!take_line(f)) return damaged(f);
    return true;
}
