/* The body of a message is built line by line and sent once; while `status` is set, later errors
 * are dropped. */
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
    size_t end = at < s->length ? at : s->length, start = line_start(s, end);
    *line = 1;
    for (size_t i = 0; i < start; i++) *line += s->text[i] == '\n';
    *column = (int)(end - start) + 1;
}

enum { LONGEST_LINE = 160 };

/* The source line and a caret below it; of a long line only the part around the position. Bytes
 * that a terminal might obey are shown as '?'. */
static void add_excerpt(text *body, const source *s, uint32_t at)
{
    size_t end = at < s->length ? at : s->length, start = line_start(s, end), last = end;
    while (last < s->length && s->text[last] != '\n' && s->text[last] != '\r') last++;
    if (end - start > LONGEST_LINE / 2) start = end - LONGEST_LINE / 2;
    if (last - start > LONGEST_LINE) last = start + LONGEST_LINE;
    text_add(body, "\n    ");
    for (size_t i = start; i < last; i++) {
        unsigned char c = (unsigned char)s->text[i];
        text_add(body, "%c", c == '\t' ? ' ' : c < ' ' || c == 127 ? '?' : c);
    }
    text_add(body, "\n    %*s^", (int)(end - start), "");
}

static void add_place(text *body, const source *s, uint32_t at, const char *kind)
{
    int line, column;
    source_line_column(s, at, &line, &column);
    text_add(body, "%s:%d:%d: %s: ", s->name, line, column, kind);
}

static bool begin(messages *m, kata_status status)
{
    if (m->status != KATA_OK) return false;
    m->status = status;
    text_clear(&m->body);
    return true;
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
    add_place(&m->body, s, at, "error");
    text_add_list(&m->body, format, list);
    add_excerpt(&m->body, s, at);
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
    add_place(&m->body, s, at, "note");
    text_add_list(&m->body, format, list);
    add_excerpt(&m->body, s, at);
    va_end(list);
}

kata_status message_send(messages *m)
{
    if (!is_open(m)) return m->status;
    m->sent = true;
    const char *body = m->body.failed ? "error: out of memory" : text_get(&m->body);
    if (m->handler)
        m->handler(m->handler_data, m->status, body);
    else
        fprintf(stderr, "%s\n", body);
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

void message_clear(messages *m)
{
    m->status = KATA_OK;
    m->sent = false;
    text_clear(&m->body);
}

void message_free(messages *m)
{
    if (m) text_free(&m->body);
}
