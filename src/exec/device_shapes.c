/* The fastest shapes that a device has shown are kept in a file of the cache folder of kernels, and
 * read when the first loop is met. It is read again before it is written, so that processes which
 * run at once lose little of what others have found. Nothing in it is believed: a line is checked
 * as a whole, and a shape runs only if it is one that would be tried. */
#include "exec/device_tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "device-shapes", title[] = "katagami device shapes 2";
enum { MOST_BYTES = 1 << 18, MOST_LINES = HOSTILE(1024, 8) };

/* What a line is about: "device 0123.. loop 4567.. ", which is all that the best shape depends on.
 */
static bool head_of(const device_loop *l, const struct device_tune *t, text *out)
{
    const device_facts *facts = device_facts_of(l->d->device);
    char hash[33];
    text device = {0};
    text_add(&device, "%s %s %s %d %s %s", facts->name, facts->platform, facts->target,
             facts->units, device_compiler(l->d->device), KATA_VERSION);
    bool good = !device.failed;
    if (good) hash_hex(device.data, device.length, hash);
    text_free(&device);
    text_add(out, "device %s loop %016" PRIx64 " ", hash, t->key);
    return good && !out->failed;
}

/* How many loops run at once, 1 where they run one by one, in which tiles, and what a loop takes.
 */
static void add_section(const struct device_tune *t, text *out)
{
    const device_way *way = &t->ways[t->best];
    const codegen_section *s = &way->section;
    text_add(out,
             "kernel %s at once %d threads %d %d vector %d rows %d fetched %d microseconds %.3f\n",
             t->kernel, t->best ? s->steps : 1, s->threads[0], s->threads[1], s->vector, s->rows,
             s->fetches, 1e6 * way->each);
}

/* The rest: the kernel's name, for people, its shape and what a run takes. */
static void add_rest(const struct device_tune *t, text *out)
{
    const device_way *way = &t->ways[t->best];
    const codegen_shape *s = &way->shape;
    if (t->sections) {
        add_section(t, out);
        return;
    }
    text_add(out,
             "kernel %s threads %d %d %d vector %d chunk %d along %d rows %d microseconds "
             "%.3f\n",
             t->kernel, s->threads[0], s->threads[1], s->threads[2], s->vector, s->chunk, s->along,
             s->tall, 1e6 * way->each);
}

/* Whether there is a next line; its length is that without its end. */
static bool next_line(const char **at, size_t *length)
{
    *at += *length + ((*at)[*length] == '\n');
    *length = strcspn(*at, "\n");
    return **at != '\0';
}

/* Adds the file; false, with nothing, where there is none or it is another one. */
static bool read_file(const device_loop *l, text *out)
{
    size_t length = sizeof title - 1;
    bool good = jit_note_read(l->context->jit, file_name, MOST_BYTES, out) &&
                !strncmp(text_get(out), title, length) && text_get(out)[length] == '\n';
    if (!good) text_clear(out);
    return good;
}

static bool read_shape(const char *line, codegen_shape *s)
{
    char kernel[32];
    char microseconds[21];
    int end = 0;
    int found = sscanf(line,
                       "kernel %31[A-Za-z0-9_] threads %4d %4d %4d vector %2d chunk %2d along %1d "
                       "rows %1d microseconds %20[0-9.]%n",
                       kernel, &s->threads[0], &s->threads[1], &s->threads[2], &s->vector,
                       &s->chunk, &s->along, &s->tall, microseconds, &end);
    return found == 9 && end && (line[end] == '\n' || !line[end]);
}

static int find_way(const struct device_tune *t, const codegen_shape *s)
{
    int found = -1;
    for (int i = 0; i < t->count; i++) {
        const codegen_shape *way = &t->ways[i].shape;
        if (!memcmp(way->threads, s->threads, sizeof s->threads) && way->vector == s->vector &&
            way->chunk == s->chunk && way->along == s->along && way->tall == s->tall)
            found = i;
    }
    return found;
}

/* The way of a line about sections; -1: it is none that would be tried. */
static int read_section(const char *line, const struct device_tune *t)
{
    char kernel[32];
    char microseconds[21];
    codegen_section s = {0};
    int end = 0, found = 0, fetched = 0;
    int read = sscanf(line,
                      "kernel %31[A-Za-z0-9_] at once %2d threads %4d %4d vector %2d rows %2d "
                      "fetched %1d microseconds %20[0-9.]%n",
                      kernel, &s.steps, &s.threads[0], &s.threads[1], &s.vector, &s.rows, &fetched,
                      microseconds, &end);
    if (read != 8 || !end || (line[end] != '\n' && line[end])) return -1;
    for (int i = 1; i < t->count; i++) {
        const codegen_section *way = &t->ways[i].section;
        if (!memcmp(way->threads, s.threads, sizeof s.threads) && way->steps == s.steps &&
            way->vector == s.vector && way->rows == s.rows && way->fetches == fetched)
            found = i;
    }
    return found || s.steps == 1 ? found : -1;
}

static int read_way(const char *line, const struct device_tune *t)
{
    codegen_shape shape;
    if (t->sections) return read_section(line, t);
    return read_shape(line, &shape) ? find_way(t, &shape) : -1;
}

void device_shapes_recall(const device_loop *l, struct device_tune *t)
{
    text head = {0};
    text *lines = &l->d->shapes;
    if (!l->d->shapes_read) read_file(l, lines);
    l->d->shapes_read = true;
    const char *at = text_get(lines);
    size_t length = 0;
    bool may = lines->length && head_of(l, t, &head);
    while (may && next_line(&at, &length)) {
        if (strncmp(at, text_get(&head), head.length) != 0) continue;
        int way = read_way(at + head.length, t);
        if (way < 0) continue;
        t->best = way;
        t->remembered = true;
        t->phase = DEVICE_SETTLED;
    }
    text_free(&head);
}

/* Adds the last lines that are about something else. */
static void add_others(const text *lines, const text *head, text *out)
{
    const char *at = text_get(lines);
    size_t length = 0;
    int count = 0;
    while (next_line(&at, &length)) count++;
    at = text_get(lines);
    length = 0;
    while (next_line(&at, &length))
        if (count-- < MOST_LINES && !strncmp(at, "device ", 7) &&
            strncmp(at, head->data, head->length) != 0)
            text_add(out, "%.*s\n", (int)length, at);
}

void device_shapes_keep(const device_loop *l, const struct device_tune *t)
{
    text before = {0}, head = {0}, now = {0};
    bool good = head_of(l, t, &head);
    read_file(l, &before);
    text_add(&now, "%s\n", title);
    if (good) add_others(&before, &head, &now);
    if (good) text_add(&now, "%s", text_get(&head));
    add_rest(t, &now);
    if (good && !now.failed) jit_note_write(l->context->jit, file_name, text_get(&now));
    text_free(&before);
    text_free(&head);
    text_free(&now);
}
