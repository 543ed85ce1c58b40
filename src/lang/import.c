/* Files that import others. An imported text is one more source of the module, once, however often
 * it is imported. Its definitions stand before the definitions of the file that imports it first.
 * The author of a kernel file must not reach other files by it: an imported file lies below the
 * folder of the first file, is reached without links, and is called NAME.kata.
 *
 * A text can have its imports behind its end, as parts: each begins with a line #file "PATH". Then
 * no file is read. */
#include "lang/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lang_part {
    const char *path;
    size_t start, end; /* in the module's text */
    bool used;
    struct lang_part *next;
} lang_part;

/* ---- texts ----------------------------------------------------------------------------------- */

source *lang_source_add(lang_compiler *c, const char *name, const char *text, size_t length)
{
    source *last = &c->module->text, *s = arena_alloc(&c->module->memory, sizeof *s);
    if (!s) {
        lang_no_memory(c);
        return NULL;
    }
    while (last->next) last = (source *)(uintptr_t)last->next; /* the module owns all of them */
    *s = (source){.name = name, .text = text, .length = length};
    s->start = last->start + (uint32_t)last->length + 1;
    last->next = s;
    return s;
}

/* The quotation mark behind the path of a part, which is printable and ends its line; NULL when
 * there is none. */
static const char *path_end(const char *path, const char *end)
{
    const char *p = path;
    while (p < end && *p >= ' ' && *p <= '~' && *p != '"' && *p != '\\') p++;
    bool ends = p > path && end - p >= 2 && p[0] == '"' && p[1] == '\n';
    return ends ? p : NULL;
}

/* The beginning of the first line of a part behind `from`; NULL when there is none. */
static const char *find_part(const source *text, size_t from)
{
    const char *end = text->text + text->length, *p = text->text + from;
    for (; (p = memmem(p, (size_t)(end - p), "\n" LANG_PART, strlen("\n" LANG_PART))); p++)
        if (path_end(p + strlen("\n" LANG_PART), end)) return p + 1;
    return NULL;
}

bool lang_import_split(lang_compiler *c)
{
    source *whole = &c->module->text;
    const char *line = find_part(whole, 0);
    size_t length = line ? (size_t)(line - whole->text) : whole->length;
    lang_part **tail = &c->parts;
    for (int count = 0; line; count++) {
        const char *path = line + strlen(LANG_PART);
        const char *quote = path_end(path, whole->text + whole->length);
        lang_part *part = arena_alloc(&c->syntax, sizeof *part);
        if (part) part->path = arena_copy_text(&c->module->memory, path, (size_t)(quote - path));
        if (!part || !part->path) return lang_no_memory(c);
        if (count == LANG_MAX_IMPORTS)
            return lang_limit(c, (uint32_t)(line - whole->text), "the text has more than %d parts",
                              (int)LANG_MAX_IMPORTS);
        part->start = (size_t)(quote + 2 - whole->text);
        line = find_part(whole, part->start - 1);
        part->end = line ? (size_t)(line - whole->text) : whole->length;
        *tail = part;
        tail = &part->next;
    }
    whole->length = length;
    return true;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static bool refuse(lang_compiler *c, const lang_import *i, const char *why, const char *hint)
{
    lang_error(c, i->at, "cannot import '%s': %s", i->path, why);
    return hint && lang_hint(c, "%s", hint);
}

static bool leaves_folder(const char *path)
{
    if (*path == '/') return true;
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0) return true;
        path += length + (path[length] == '/');
    }
    return false;
}

static bool check_path(lang_compiler *c, const lang_import *i)
{
    size_t length = strlen(i->path);
    if (length < 6 || strcmp(i->path + length - 5, ".kata") != 0)
        return refuse(c, i, "its name does not end in .kata", NULL);
    return !leaves_folder(i->path) ||
           refuse(c, i, "it does not lie below the folder of this file",
                  "move it there: a kernel file can use files of its own folder and those in it");
}

/* The path of a file that `by` imports, relative to the first file's folder; NULL when memory is
 * out. */
static char *join(lang_compiler *c, const lang_file *by, const char *path)
{
    const char *slash = by->path ? strrchr(by->path, '/') : NULL;
    size_t folder = slash ? (size_t)(slash + 1 - by->path) : 0, used = folder;
    char *joined = arena_alloc(&c->module->memory, folder + strlen(path) + 2);
    if (!joined) {
        lang_no_memory(c);
        return NULL;
    }
    if (folder) memcpy(joined, by->path, folder);
    for (size_t length; *path; path += length + (path[length] == '/')) {
        length = strcspn(path, "/");
        if (length == 0 || (length == 1 && *path == '.')) continue;
        memcpy(joined + used, path, length);
        used += length;
        if (path[length]) joined[used++] = '/';
    }
    return joined;
}

/* ---- reading --------------------------------------------------------------------------------- */

static size_t bytes_so_far(const lang_compiler *c)
{
    size_t bytes = 0;
    for (const lang_file *f = &c->module->file; f; f = f->next) bytes += f->text->length;
    return bytes;
}

/* The name of a file in messages: its folder's name and its own. */
static const char *name_of(lang_compiler *c, const char *path)
{
    text name = {0};
    text_add(&name, "%s%s", c->prefix, path);
    char *copy = name.failed ? NULL : arena_copy_text(&c->module->memory, name.data, name.length);
    text_free(&name);
    if (!copy) lang_no_memory(c);
    return copy;
}

static source *read_part(lang_compiler *c, const lang_import *i, const char *path)
{
    lang_part *part = c->parts;
    while (part && strcmp(part->path, path) != 0) part = part->next;
    if (!part) {
        refuse(c, i, "the text has no part of that name", NULL);
        return NULL;
    }
    part->used = true;
    return lang_source_add(c, path, c->module->text.text + part->start, part->end - part->start);
}

static source *read_file(lang_compiler *c, const lang_import *i, const char *path)
{
    char *data;
    size_t size, left = LANG_MAX_TEXT - bytes_so_far(c);
    int error = file_read_below(c->folder, path, left, &data, &size);
    if (error == EFBIG) {
        lang_limit(c, i->at, "cannot import '%s': with it there are more than %d bytes of text",
                   i->path, (int)LANG_MAX_TEXT);
        return NULL;
    }
    if (error) {
        refuse(c, i, file_reason(error), NULL);
        return NULL;
    }
    const char *name = name_of(c, path);
    char *copy = name ? arena_copy_text(&c->module->memory, data, size) : NULL;
    free(data);
    if (name && !copy) lang_no_memory(c);
    return copy ? lang_source_add(c, name, copy, size) : NULL;
}

static source *read_text(lang_compiler *c, const lang_import *i, const char *path)
{
    if (c->parts) return read_part(c, i, path);
    if (c->folder) return read_file(c, i, path);
    refuse(c, i, "this text comes from no file",
           "load it from a file, or say where its imports are: .folder of kata_module_options");
    return NULL;
}

static lang_file *add_file(lang_compiler *c, const lang_import *i, const char *path)
{
    lang_file *f = arena_alloc(&c->module->memory, sizeof *f);
    if (!f) {
        lang_no_memory(c);
        return NULL;
    }
    source *s = read_text(c, i, path);
    if (!s) return NULL;
    s->imported = true;
    s->imported_at = i->at;
    *f = (lang_file){.text = s, .path = path};
    c->module->last_file->next = f;
    c->module->last_file = f;
    return f;
}

/* ---- the tree of imports --------------------------------------------------------------------- */

typedef struct definitions {
    lang_function *first, **tail;
} definitions;

static void append(definitions *all, lang_function *f)
{
    for (*all->tail = f; f; f = f->next) all->tail = &f->next;
}

static bool parse_with_imports(lang_compiler *c, lang_file *f, int depth, definitions *all);

static bool report_circle(lang_compiler *c, const lang_import *i, const lang_file *by,
                          const lang_file *again)
{
    if (by == again)
        lang_error(c, i->at, "'%s' imports itself", i->path);
    else
        lang_error(c, i->at, "'%s' imports itself, by way of '%s'", i->path, by->path);
    return lang_hint(c, "put what both need into a file of its own");
}

static bool import(lang_compiler *c, const lang_file *by, const lang_import *i, int depth,
                   definitions *all)
{
    if (c->import_count++ == LANG_MAX_IMPORTS)
        return lang_limit(c, i->at, "cannot import '%s': there are more than %d imports", i->path,
                          (int)LANG_MAX_IMPORTS);
    if (!check_path(c, i)) return false;
    const char *path = join(c, by, i->path);
    if (!path) return false;
    lang_file *f = &c->module->file;
    while (f && !(f->path && strcmp(f->path, path) == 0)) f = f->next;
    if (f) return !f->open || report_circle(c, i, by, f);
    if (depth == LANG_MAX_IMPORT_DEPTH)
        return lang_limit(c, i->at, "cannot import '%s': imports are nested more than %d deep",
                          i->path, (int)LANG_MAX_IMPORT_DEPTH);
    f = add_file(c, i, path);
    return f && parse_with_imports(c, f, depth + 1, all);
}

/* False when the compilation is to end, or an error was reported. */
static bool parse_with_imports(lang_compiler *c, lang_file *f, int depth, definitions *all)
{
    bool ok;
    lang_import *imports;
    lang_lexer_start(c, f->text);
    lang_function *own = lang_parse_file(c, &imports, &ok);
    f->open = true;
    for (const lang_import *i = imports; ok && i; i = i->next) {
        if (import(c, f, i, depth, all)) continue;
        c->lost = true;
        ok = lang_recover(c);
    }
    f->open = false;
    append(all, own);
    return ok;
}

/* The folder of imports, with a '/' at its end; "" is the present one. */
static bool set_folder(lang_compiler *c, const lang_options *options)
{
    const char *given = options->path ? options->path : options->folder;
    if (!given) return true;
    text folder = {0};
    const char *slash = options->path ? strrchr(given, '/') : NULL;
    if (options->path) {
        text_add(&folder, "%.*s", slash ? (int)(slash + 1 - given) : 0, given);
        const char *name = slash ? slash + 1 : given;
        c->module->file.path = arena_copy_text(&c->module->memory, name, strlen(name));
    } else if (*given && strcmp(given, ".") != 0) {
        text_add(&folder, "%s%s", given, given[strlen(given) - 1] == '/' ? "" : "/");
    }
    char *copy =
        folder.failed ? NULL : arena_copy_text(&c->syntax, text_get(&folder), folder.length);
    text_free(&folder);
    if (!copy) return lang_no_memory(c);
    c->prefix = copy;
    c->folder = *copy ? copy : ".";
    return true;
}

static bool all_parts_used(lang_compiler *c)
{
    for (const lang_part *part = c->parts; part; part = part->next)
        if (!part->used)
            return lang_error(c, (uint32_t)c->module->text.length, "nothing imports '%s'",
                              part->path);
    return true;
}

lang_function *lang_parse_all(lang_compiler *c, const lang_options *options, bool *ok)
{
    definitions all = {.tail = &all.first};
    *ok = set_folder(c, options) && parse_with_imports(c, &c->module->file, 0, &all);
    if (*ok && !c->lost && !all_parts_used(c)) *ok = lang_recover(c);
    return all.first;
}

/* ---- one text of several --------------------------------------------------------------------- */

/* Whether a text can be a part: reading the parts back gives it whole. */
static bool may_be_part(const source *s)
{
    bool begins = s->length >= strlen(LANG_PART) && !memcmp(s->text, LANG_PART, strlen(LANG_PART));
    return !begins && !find_part(s, 0) && !memchr(s->text, 0, s->length);
}

const source *lang_module_text(const lang_module *module, text *out)
{
    for (const lang_file *f = &module->file; f; f = f->next) {
        const source *s = f->text;
        if (f != &module->file) text_add(out, LANG_PART "%s\"\n", f->path);
        if (!may_be_part(s)) return s;
        bool ends = s->length && s->text[s->length - 1] == '\n';
        text_add(out, "%.*s%s", (int)s->length, s->text, ends || !f->next ? "" : "\n");
    }
    return NULL;
}
