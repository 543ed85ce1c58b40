/* What a run did when, as JSON in the form that Chrome's and Perfetto's viewers read ("Trace Event
 * Format"): an array of objects, an event each.
 *
 *     {"name": "heat", "cat": "loop", "ph": "X", "ts": 12.5, "dur": 3.25, "pid": 0, "tid": 0}
 *
 * A rank is a process. Row 0 is the program's thread, on which events lie within one another, row n
 * thread n of the team. Times are microseconds since midnight, so that those of several ranks fit.
 * The file ends early where it would become too large. */
#include "observe/observe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int opened;

/* With what a file begins. */
static const char first_words[] = "[\n{\"name\": \"process_name\"";

/* What is added to clock_seconds(): seconds since midnight. */
static double offset_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double seconds = (double)(now.tv_sec % 86400) + 1e-9 * (double)now.tv_nsec;
    return seconds - clock_seconds();
}

static void put(observe_timeline *t, const char *format, ...) PRINTF_LIKE(2, 3);
static void put(observe_timeline *t, const char *format, ...)
{
    va_list list;
    text event = {0};
    va_start(list, format);
    text_add(&event, t->bytes ? ",\n" : "[\n");
    text_add_list(&event, format, list);
    va_end(list);
    int error = event.failed ? ENOMEM : fputs(text_get(&event), t->to) < 0 ? errno : 0;
    if (!t->error) t->error = error;
    t->bytes += error ? 0 : (int64_t)event.length;
    text_free(&event);
}

static void name_row(observe_timeline *t, int row)
{
    char name[40] = "program";
    if (row) snprintf(name, sizeof name, "thread %d", row);
    put(t,
        "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"args\": {\"name\": "
        "\"%s\"}}",
        t->rank, row, name);
}

/* Whether a file holds something else, which a timeline must not replace: the name may be that of a
 * file that the program reads. */
static bool holds_other(const char *path)
{
    char begins[sizeof first_words] = "";
    int file;
    if (file_open(path, &file)) return false;
    ssize_t bytes = read(file, begins, sizeof first_words - 1);
    close(file);
    return bytes > 0 && strcmp(begins, first_words) != 0;
}

/* Opens the file of a timeline, which has a name. */
static kata_status open_file(observe_timeline *t, messages *m)
{
    if (holds_other(t->path))
        return message_fail(m, KATA_ERROR_FILE,
                            "the timeline is not written to %s: what this file holds would be "
                            "lost; name another one",
                            t->path);
    t->to = file_stream(t->path, false);
    return t->to
               ? KATA_OK
               : message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", t->path, strerror(errno));
}

kata_status observe_timeline_open(const char *path, int rank, int64_t most, messages *m,
                                  observe_timeline **out)
{
    observe_timeline *t = calloc(1, sizeof *t);
    text name = {0};
    int number = 1 + atomic_fetch_add(&opened, 1);
    text_add(&name, number > 1 ? "%s.%d" : "%s", path, number);
    if (rank) text_add(&name, ".rank%d", rank);
    kata_status status = t && !name.failed ? KATA_OK : message_no_memory(m);
    if (t) t->path = name.data;
    if (!status) status = open_file(t, m);
    if (status) {
        text_free(&name);
        free(t);
        return status;
    }
    t->rank = rank;
    t->most = most;
    t->offset = offset_now();
    put(t,
        "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": 0, \"args\": "
        "{\"name\": \"rank %d\"}}",
        rank, rank);
    name_row(t, 0);
    *out = t;
    return KATA_OK;
}

int observe_timeline_finish(observe_timeline *t)
{
    if (!t) return 0;
    fprintf(t->to, "\n]\n");
    int error = file_finish(t->to);
    return t->error ? t->error : error;
}

void observe_timeline_free(observe_timeline *t)
{
    if (!t) return;
    fclose(t->to);
    free(t->path);
    free(t->spans);
    free(t);
}

double observe_timeline_begin(observe_timeline *t, const char *name)
{
    if (!t) return 0;
    t->name = name;
    return clock_seconds();
}

/* The last event says that others are missing. */
static bool is_full(observe_timeline *t, double begin)
{
    if (t->full) return true;
    t->full = t->bytes > t->most;
    if (t->full)
        put(t,
            "{\"name\": \"the file is full: later events are missing\", \"ph\": \"i\", \"s\": "
            "\"g\", \"ts\": %.3f, \"pid\": %d, \"tid\": 0}",
            1e6 * (begin + t->offset), t->rank);
    return t->full;
}

static void add(observe_timeline *t, int row, const char *kind, const char *name,
                const observe_span *span, const char *more)
{
    if (is_full(t, span->begin)) return;
    for (; t->rows < row; t->rows++) name_row(t, t->rows + 1);
    put(t,
        "{\"name\": \"%s\", \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, "
        "\"pid\": %d, \"tid\": %d%s%s}",
        name, kind, 1e6 * (span->begin + t->offset), 1e6 * (span->end - span->begin), t->rank, row,
        more ? ", \"args\": " : "", more ? more : "");
}

void observe_timeline_end(observe_timeline *t, const char *kind, const char *name, double begin,
                          const char *more)
{
    if (!t) return;
    add(t, 0, kind, name, &(observe_span){begin, clock_seconds()}, more);
    t->name = NULL;
}

observe_span *observe_timeline_spans(observe_timeline *t, int threads)
{
    if (threads > t->room) {
        observe_span *spans = realloc(t->spans, (size_t)threads * sizeof *spans);
        if (!spans) return NULL;
        t->spans = spans;
        t->room = threads;
    }
    memset(t->spans, 0, (size_t)threads * sizeof *t->spans);
    return t->spans;
}

void observe_timeline_threads(observe_timeline *t, int threads)
{
    for (int i = 1; i < threads; i++)
        if (t->spans[i].begin > 0)
            add(t, i, "thread", t->name ? t->name : "work", &t->spans[i], NULL);
}
