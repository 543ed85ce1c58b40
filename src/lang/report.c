/* Errors, nesting and memory of a compilation. */
#include "lang/compiler.h"

static void begin(lang_compiler *c, kata_status status, uint32_t at, const char *format,
                  va_list list)
{
    text message = {0};
    text_add_list(&message, format, list);
    if (message.failed)
        message_no_memory(c->m);
    else
        message_begin_at(c->m, status, &c->module->text, at, "%s", text_get(&message));
    text_free(&message);
}

bool lang_error(lang_compiler *c, uint32_t at, const char *format, ...)
{
    c->muted = c->failed;
    c->failed = true;
    if (c->muted) return false;
    va_list list;
    va_start(list, format);
    begin(c, KATA_ERROR_KERNEL, at, format, list);
    va_end(list);
    return false;
}

bool lang_limit(lang_compiler *c, uint32_t at, const char *format, ...)
{
    c->muted = c->failed;
    c->failed = true;
    if (c->muted) return false;
    va_list list;
    va_start(list, format);
    begin(c, KATA_ERROR_LIMIT, at, format, list);
    va_end(list);
    return false;
}

bool lang_recover(lang_compiler *c)
{
    if (c->failed || c->m->status) {
        bool hopeless = c->m->status == KATA_ERROR_LIMIT || c->m->status == KATA_ERROR_MEMORY;
        c->stopped = c->stopped || hopeless || !message_next(c->m);
    }
    c->failed = c->muted = c->stopped;
    return !c->stopped;
}

bool lang_hint(lang_compiler *c, const char *format, ...)
{
    if (c->muted) return false;
    text message = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&message, format, list);
    va_end(list);
    message_line(c->m, "%s", text_get(&message));
    text_free(&message);
    return false;
}

void lang_note(lang_compiler *c, uint32_t at, const char *format, ...)
{
    if (c->muted) return;
    text message = {0};
    va_list list;
    va_start(list, format);
    text_add_list(&message, format, list);
    va_end(list);
    message_note_at(c->m, &c->module->text, at, "%s", text_get(&message));
    text_free(&message);
}

bool lang_no_memory(lang_compiler *c)
{
    c->muted = c->failed;
    c->failed = true;
    if (!c->muted) message_no_memory(c->m);
    return false;
}

bool lang_enter(lang_compiler *c, uint32_t at)
{
    if (c->depth < IR_MAX_DEPTH) {
        c->depth++;
        return true;
    }
    lang_limit(c, at, "nested more than %d deep", IR_MAX_DEPTH);
    return lang_hint(c, "give parts of it to variables or helpers of their own, or use a loop");
}

void lang_leave(lang_compiler *c) { c->depth--; }

void *lang_make(lang_compiler *c, size_t size, uint32_t at)
{
    if (++c->syntax_count > LANG_MAX_SYNTAX) {
        lang_limit(c, at, "the file is too long: it has more than %d operations and names",
                   LANG_MAX_SYNTAX);
        return NULL;
    }
    void *made = arena_alloc(&c->syntax, size);
    if (!made) lang_no_memory(c);
    return made;
}
