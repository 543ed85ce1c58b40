/* The body of a message is built line by line and sent once; while `status` is set, later errors
 * are dropped. While gathering, message_next moves the body to the list of errors. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

/* The line of a source that holds a position: where it starts and its length. */
static size_t line_start(const source *s, size_t at)
{
    while (at > 0 && s->text[at - 1] != '\n') at--;
    return at;
}

void source_line_column(const source *s, uint32_t at, int *line, int *column)
{
    s = source_holding(s, at);
    at -= s->start;
    size_t end = at < s->length ? at : s->length, start = line_start(s, end);
    *line = 1;
    for (size_t i = 0; i < start; i++) *line += s->text[i] == '\n';
    *column = (int)(end - start) + 1;
}

enum { LONGEST_LINE = 160 };

/* Adds the source line and a caret below it; of a long line, the part around the position. Shows
 * bytes that a terminal might obey as '?'. */
static void add_excerpt(text *body, const source *s, uint32_t at)
{
    s = source_holding(s, at);
    at -= s->start;
    size_t end = at < s->length ? at : s->length, start = line_start(s, end), last = end;
    while (last < s->length && s->text[last] != '\n' && s->text[last] != '\r') last++;
    bool cut = end - start > LONGEST_LINE / 2;
    if (cut) start = end - LONGEST_LINE / 2;
    if (last - start > LONGEST_LINE) last = start + LONGEST_LINE;
    text_add(body, "\n    %s", cut ? "... " : "");
    for (size_t i = start; i < last; i++) {
        unsigned char c = (unsigned char)s->text[i];
        text_add(body, "%c", c == '\t' ? ' ' : c < ' ' || c == 127 ? '?' : c);
    }
    text_add(body, "\n    %*s^", (int)(end - start) + (cut ? 4 : 0), "");
}

static void add_location(text *body, const source *s, uint32_t at, const char *kind)
{
    int line, column;
    source_line_column(s, at, &line, &column);
    text_add(body, "%s:%d:%d: %s: ", source_holding(s, at)->name, line, column, kind);
}

/* Adds notes for a position in an imported text: the import, the import of the importing text, ...
 */
static void add_imports(text *body, const source *first, uint32_t at)
{
    for (const source *s = source_holding(first, at); s->imported;
         s = source_holding(first, s->imported_at)) {
        text_add(body, "\n");
        add_location(body, first, s->imported_at, "note");
        text_add(body, "imported here");
        add_excerpt(body, first, s->imported_at);
    }
}

static void end(messages *m)
{
    if (m->location) add_imports(&m->body, m->location, m->location_at);
    m->location = NULL;
}

static bool begin(messages *m, kata_status status)
{
    if (m->status != KATA_OK) return false;
    m->location = NULL;
    m->status = status;
    text_clear(&m->body);
    return true;
}

/* Room for a report at a position; NULL when the position has one, or the list is full. */
static text *new_part(message_list *list, uint32_t at)
{
    for (int i = 0; i < list->count; i++)
        if (list->part[i].at == at) return NULL;
    if (list->count == MESSAGE_MOST) {
        list->full = true;
        return NULL;
    }
    list->part[list->count].at = at;
    return &list->part[list->count++].body;
}

/* True between the beginning of the first error's message and its sending. */
static bool is_open(const messages *m) { return m->status != KATA_OK && !m->sent; }

kata_status message_begin(messages *m, kata_status status, const char *format, ...)
{
    if (!begin(m, status)) return m->status;
    va_list list;
    va_start(list, format);
    text_add(&m->body, "error: ");
    text_add_list(&m->body, format, list);
    va_end(list);
    return status;
}

static void begin_at_list(messages *m, const source *s, uint32_t at, const char *format,
                          va_list list)
{
    if (m->gathering && !(m->part = new_part(&m->errors, at))) {
        m->sent = true;
        return;
    }
    add_location(&m->body, s, at, "error");
    text_add_list(&m->body, format, list);
    add_excerpt(&m->body, s, at);
    m->location = s;
    m->location_at = at;
}

kata_status message_begin_at(messages *m, kata_status status, const source *s, uint32_t at,
                             const char *format, ...)
{
    if (!begin(m, status)) return m->status;
    va_list list;
    va_start(list, format);
    begin_at_list(m, s, at, format, list);
    va_end(list);
    return status;
}

void message_line(messages *m, const char *format, ...)
{
    if (!is_open(m)) return;
    va_list list;
    va_start(list, format);
    text_add(&m->body, "\n  ");
    text_add_list(&m->body, format, list);
    va_end(list);
}

void message_note_at(messages *m, const source *s, uint32_t at, const char *format, ...)
{
    if (!is_open(m)) return;
    va_list list;
    va_start(list, format);
    text_add(&m->body, "\n");
    add_location(&m->body, s, at, "note");
    text_add_list(&m->body, format, list);
    add_excerpt(&m->body, s, at);
    va_end(list);
}

static void hand_over(const messages *m, kata_status status, const text *body)
{
    const char *message = body->failed ? "error: out of memory" : text_get(body);
    if (m->handler)
        m->handler(m->handler_data, status, message);
    else if (!m->silent)
        fprintf(stderr, "%s\n", message);
}

kata_status message_send(messages *m)
{
    if (!is_open(m)) return m->status;
    end(m);
    m->sent = true;
    if (!m->gathering) hand_over(m, m->status, &m->body);
    return m->status;
}

kata_status message_fail(messages *m, kata_status status, const char *format, ...)
{
    if (!begin(m, status)) return m->status;
    va_list list;
    va_start(list, format);
    text_add(&m->body, "error: ");
    text_add_list(&m->body, format, list);
    va_end(list);
    return message_send(m);
}

kata_status message_fail_at(messages *m, kata_status status, const source *s, uint32_t at,
                            const char *format, ...)
{
    if (!begin(m, status)) return m->status;
    va_list list;
    va_start(list, format);
    begin_at_list(m, s, at, format, list);
    va_end(list);
    return message_send(m);
}

kata_status message_no_memory(messages *m)
{
    return message_fail(m, KATA_ERROR_MEMORY, "out of memory");
}

kata_status message_repeat(messages *m, kata_status status, const char *message)
{
    if (!begin(m, status)) return m->status;
    text_add(&m->body, "%s", message);
    return message_send(m);
}

void message_clear(messages *m)
{
    m->status = KATA_OK;
    m->sent = false;
    m->location = NULL;
    text_clear(&m->body);
}

/* ---- several in one message ------------------------------------------------------------------ */

static void list_clear(message_list *list)
{
    for (int i = 0; i < list->count; i++) text_free(&list->part[i].body);
    list->count = 0;
    list->full = false;
}

void message_gather(messages *m)
{
    m->gathering = true;
    m->gathered = KATA_OK;
    m->part = NULL;
}

bool message_next(messages *m)
{
    if (m->status == KATA_OK) return true;
    if (m->gathered == KATA_OK) m->gathered = m->status;
    end(m);
    if (!m->part && m->body.length) m->part = new_part(&m->errors, UINT32_MAX);
    if (m->part) {
        *m->part = m->body;
        m->body = (text){0};
    }
    m->part = NULL;
    message_clear(m);
    return !m->errors.full;
}

static void sort(message_list *list)
{
    for (int i = 1; i < list->count; i++)
        for (int j = i; j > 0 && list->part[j].at < list->part[j - 1].at; j--) {
            message_part later = list->part[j - 1];
            list->part[j - 1] = list->part[j];
            list->part[j] = later;
        }
}

/* Joins a list in m->body. */
static void join(messages *m, message_list *list, const char *what, const char *name)
{
    sort(list);
    text_clear(&m->body);
    for (int i = 0; i < list->count; i++) {
        text_add(&m->body, "%s%s", i ? "\n" : "", text_get(&list->part[i].body));
        if (list->part[i].body.failed) m->body.failed = true;
    }
    if (list->full)
        text_add(&m->body, "\ntoo many %ss in %s: the rest is not shown", what, name);
    else if (list->count > 1)
        text_add(&m->body, "\n%d %ss in %s", list->count, what, name);
}

kata_status message_gathered(messages *m, const char *name)
{
    message_next(m);
    m->gathering = false;
    m->status = m->gathered;
    if (m->status) {
        join(m, &m->errors, "error", name);
        m->sent = true;
        hand_over(m, m->status, &m->body);
    } else if (m->warnings.count) {
        join(m, &m->warnings, "warning", name);
        hand_over(m, KATA_OK, &m->body);
        text_clear(&m->body);
    }
    list_clear(&m->errors);
    list_clear(&m->warnings);
    return m->status;
}

void message_warn_at(messages *m, const source *s, uint32_t at, const char *advice,
                     const char *format, ...)
{
    text *body = m->gathering && !m->no_warnings ? new_part(&m->warnings, at) : NULL;
    if (!body) return;
    va_list list;
    va_start(list, format);
    add_location(body, s, at, "warning");
    text_add_list(body, format, list);
    add_excerpt(body, s, at);
    text_add(body, "\n  %s", advice);
    add_imports(body, s, at);
    va_end(list);
}

void message_warn(messages *m, const char *advice, const char *format, ...)
{
    if (m->no_warnings) return;
    text body = {0};
    va_list list;
    va_start(list, format);
    text_add(&body, "warning: ");
    text_add_list(&body, format, list);
    va_end(list);
    text_add(&body, "\n  %s", advice);
    hand_over(m, KATA_OK, &body);
    text_free(&body);
}

void message_free(messages *m)
{
    if (!m) return;
    text_free(&m->body);
    list_clear(&m->errors);
    list_clear(&m->warnings);
}
