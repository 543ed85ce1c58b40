#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

void text_add_list(text *t, const char *format, va_list list)
{
    va_list again;
    locale_t around;
    bool plain = plain_locale_enter(&around);
    va_copy(again, list);
    int added = vsnprintf(NULL, 0, format, list);
    void *data = t->data;
    if (!plain || added < 0 ||
        !vector_reserve(&data, &t->capacity, t->length + (size_t)added + 1, sizeof(char))) {
        t->failed = true;
    } else {
        t->data = data;
        vsnprintf(t->data + t->length, (size_t)added + 1, format, again);
        t->length += (size_t)added;
    }
    va_end(again);
    plain_locale_leave(around);
}

void text_add(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_add_list(t, format, list);
    va_end(list);
}

void text_clear(text *t)
{
    t->length = 0;
    t->failed = false;
    if (t->data) t->data[0] = '\0';
}

void text_free(text *t)
{
    if (!t) return;
    free(t->data);
    *t = (text){0};
}

const char *text_get(const text *t) { return t->data ? t->data : ""; }
