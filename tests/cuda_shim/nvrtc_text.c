/* Finds the kernels of a text, and its shared memory without a size. Comments and texts in quotes
 * are passed over. */
#include "nvrtc_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim_calls_text.h"
#include "shim_words_text.h"

void nvrtc_add(nvrtc_bytes *to, const char *data, size_t count)
{
    if (to->count + count + 1 > to->room) {
        to->room = 2 * (to->count + count + 1);
        to->data = realloc(to->data, to->room);
        if (!to->data) abort();
    }
    if (count > 0) memcpy(to->data + to->count, data, count);
    to->count += count;
    to->data[to->count] = '\0';
}

void nvrtc_print(nvrtc_bytes *to, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int count = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (count < 0) abort();
    nvrtc_add(to, line, (size_t)count);
    free(line);
}

/* ---- signs and words ------------------------------------------------------------------------- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Behind a comment, or a text in quotes, that begins at p; p where none does. */
static const char *skip_passive(const char *p)
{
    if (p[0] == '/' && p[1] == '/') return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p != '"' && *p != '\'') return p;
    const char quote = *p++;
    for (; *p && *p != quote && *p != '\n'; p++) {
        if (*p == '\\' && p[1]) p++;
    }
    return *p ? p + 1 : p;
}

/* Behind spaces and comments. */
static const char *skip_space(const char *p)
{
    for (;;) {
        const char *start = p;
        while (isspace((unsigned char)*p)) p++;
        if (*p == '/') p = skip_passive(p);
        if (p == start) return p;
    }
}

/* Behind the bracket that closes the one at p. */
static const char *skip_brackets(const char *p)
{
    int depth = 0;
    while (*p) {
        const char *next = skip_passive(p);
        if (next != p) {
            p = next;
            continue;
        }
        if (*p == '(') depth++;
        if (*p == ')' && --depth == 0) return p + 1;
        p++;
    }
    return p;
}

/* The length of the word at p. */
static size_t word_length(const char *p)
{
    size_t count = 0;
    while (is_word(p[count])) count++;
    return count;
}

static bool word_is(const char *p, size_t length, const char *word)
{
    return length == strlen(word) && memcmp(p, word, length) == 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Behind __global__: the name is the word in front of the parameters, unless that is an attribute.
 * Its bounds may stand before __global__, too: `bounds`, or NULL. */
static void add_entry(nvrtc_bytes *entries, const char *p, const char *bounds)
{
    const char *name = NULL;
    size_t length = 0;
    for (p = skip_space(p); *p && *p != '{' && *p != ';'; p = skip_space(p)) {
        if (*p == '(') {
            if (!name) return;
            if (word_is(name, length, "__launch_bounds__"))
                bounds = p;
            else if (!word_is(name, length, "__attribute__"))
                break;
            p = skip_brackets(p);
        } else if (is_word(*p)) {
            name = p;
            length = word_length(p);
            p += length;
        } else
            p++;
    }
    if (!name || *p != '(') return;
    const char *end = bounds ? skip_brackets(bounds) : NULL;
    nvrtc_print(entries, "SHIM_ENTRY(%.*s, shim_first%.*s)\n", (int)length, name,
                end ? (int)(end - bounds) : 3, end ? bounds : "(0)");
}

/* A second declaration of a kernel would give it a second entry: whether there is one. */
static bool has_entry(const nvrtc_bytes *entries, const nvrtc_bytes *entry)
{
    const char *comma = strchr(entry->data, ',');
    char *start = strndup(entry->data, (size_t)(comma - entry->data + 1));
    const bool found = entries->data && start && strstr(entries->data, start);
    free(start);
    return found;
}

static void note_kernel(nvrtc_bytes *entries, const char *behind, const char *bounds)
{
    nvrtc_bytes entry = {0};
    add_entry(&entry, behind, bounds);
    if (entry.count > 0 && !has_entry(entries, &entry)) nvrtc_add(entries, entry.data, entry.count);
    free(entry.data);
}

/* ---- shared memory without a size ------------------------------------------------------------ */

/* `extern __shared__ T name[];` at p becomes `static T *const name = ...;`. Returns the end of what
 * was translated, p when it is something else. */
static const char *add_dynamic(nvrtc_bytes *to, const char *p)
{
    const char *type = skip_space(p + strlen("extern"));
    if (!word_is(type, word_length(type), "__shared__")) return p;
    type += strlen("__shared__");
    const char *end = strchr(type, ';'), *bracket = strchr(type, '[');
    if (!end || !bracket || bracket > end) return p;
    const char *name = bracket;
    while (name > type && !is_word(name[-1])) name--;
    const char *behind = name;
    while (name > type && is_word(name[-1])) name--;
    /* what is aligned is the memory, which is: __align__(16) goes */
    const char *align = skip_space(type);
    if (word_is(align, word_length(align), "__align__")) type = skip_brackets(strchr(align, '('));
    nvrtc_print(to, "static %.*s *const %.*s = (%.*s *)shim_dynamic", (int)(name - type), type,
                (int)(behind - name), name, (int)(name - type), type);
    return end;
}

/* ---- the whole text -------------------------------------------------------------------------- */

static void translate_source(nvrtc_bytes *to, nvrtc_bytes *entries, const char *p)
{
    const char *bounds = NULL; /* of the declaration that has begun */
    while (*p) {
        const char *start = p;
        p = skip_passive(p);
        if (p == start && is_word(*p)) {
            const size_t length = word_length(p);
            if (word_is(p, length, "__global__")) note_kernel(entries, p + length, bounds);
            if (word_is(p, length, "__launch_bounds__")) bounds = skip_space(p + length);
            if (word_is(p, length, "extern")) p = add_dynamic(to, p);
            if (p != start) continue; /* the type that follows was written, too */
            p += length;
        } else if (p == start) {
            if (*p == ';' || *p == '{' || *p == '}') bounds = NULL;
            p++;
        }
        nvrtc_add(to, start, (size_t)(p - start));
    }
}

void nvrtc_translate(nvrtc_bytes *to, const char *source)
{
    nvrtc_bytes entries = {0};
    nvrtc_print(to, "# 1 \"cuda_shim\"\n%s%s\n", shim_calls_text, shim_words_text);
    translate_source(to, &entries, source);
    nvrtc_print(to, "\n# 1 \"entries\"\n%s", entries.data ? entries.data : "");
    free(entries.data);
}
