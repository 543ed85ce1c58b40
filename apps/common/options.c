#include "common/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_message(const options *o, const char *format, va_list list)
{
    fprintf(stderr, "%s: ", o->program);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

int options_wrong(const options *o, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_message(o, format, list);
    va_end(list);
    return EXIT_USAGE;
}

int options_failed(const options *o, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_message(o, format, list);
    va_end(list);
    return EXIT_FAILURE;
}

/* The option of a name that ends at `length`. */
static const option *find(const options *o, const char *name, size_t length)
{
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (!e->positional && strlen(e->name) == length && !strncmp(e->name, name, length))
            return e;
    return NULL;
}

static bool unknown_option(const options *o, const char *word, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    spelling s = spelling_of(name);
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (!e->positional) spelling_try(&s, e->name);
    spelling_try(&s, "help");
    if (s.nearest)
        options_wrong(o, "there is no option --%s; did you mean --%s?", name, s.nearest);
    else
        options_wrong(o, "there is no option --%s; %s --help lists them", name, o->program);
    return false;
}

/* The state of the parser. */
typedef struct reading {
    const options *o;
    void *values;
    char **argv;
    int argc, at;    /* the word to be read */
    int number;      /* of arguments read, not counting the words of a list */
    bool words_only; /* behind -- */
    uint64_t given;  /* a bit for each option of the table that had a value */
} reading;

/* Of two values one would be lost, as a part of --type u=f32 --type v=f16. */
static bool store_once(reading *r, const option *e, const char *value)
{
    const uint64_t bit = UINT64_C(1) << (e - r->o->table);
    if (r->given & bit) {
        options_wrong(r->o, "--%s is given twice, the second time as '%s'", e->name, value);
        return false;
    }
    r->given |= bit;
    return option_store(r->o, e, r->values, value);
}

bool option_alone_has_value(const char *program, const char *word)
{
    static const char *const alone[] = {"--help", "--version", "-h"};
    for (size_t i = 0; i < COUNT_OF(alone); i++) {
        const size_t length = strlen(alone[i]);
        if (strncmp(word, alone[i], length) != 0 || word[length] != '=') continue;
        fprintf(stderr, "%s: %s takes no value, not '%s'\n", program, alone[i], word + length + 1);
        return true;
    }
    return false;
}

/* Reads an option, and its value, which may be the next word. */
static bool read_option(reading *r)
{
    const char *word = r->argv[r->at] + 2, *value = strchr(word, '=');
    size_t length = value ? (size_t)(value - word) : strlen(word);
    const option *e = find(r->o, word, length);
    if (!e) return unknown_option(r->o, word, length);
    if (value) return store_once(r, e, value + 1);
    if (e->kind == OPTION_FLAG) return *((bool *)((char *)r->values + e->offset)) = true;
    if (r->at + 1 == r->argc) return option_missing(r->o, e);
    return store_once(r, e, r->argv[++r->at]);
}

static const option *positional(const options *o, int number)
{
    for (const option *e = o->table; e < o->table + o->count; e++)
        if (e->positional && (e->kind == OPTION_LIST || number-- == 0)) return e;
    return NULL;
}

/* A program that is run may get empty words: they stand behind `--`. */
static bool empty_argument(const options *o)
{
    options_wrong(o, "an argument is empty; %s --help shows what it takes", o->program);
    return false;
}

/* Words of a list are moved to the front of argv, behind those read before. */
static bool read_argument(reading *r)
{
    char *word = r->argv[r->at];
    const option *e = positional(r->o, r->number);
    if (e && !*word && !(r->words_only && e->kind == OPTION_LIST)) return empty_argument(r->o);
    if (!e) {
        options_wrong(r->o, "unexpected argument '%s'; %s --help shows what it takes", word,
                      r->o->program);
        return false;
    }
    if (e->kind != OPTION_LIST) {
        r->number++;
        return option_store(r->o, e, r->values, word);
    }
    option_words *list = (void *)((char *)r->values + e->offset);
    if (list->count == 0) list->words = r->argv + 1;
    list->words[list->count++] = word;
    return true;
}

static bool read_word(reading *r)
{
    const char *word = r->argv[r->at];
    if (r->words_only || word[0] != '-' || !word[1]) return read_argument(r);
    if (!strcmp(word, "--")) return r->words_only = true;
    if (option_alone_has_value(r->o->program, word)) return false;
    if (word[1] == '-') return read_option(r);
    options_wrong(r->o, "there is no option %s; %s --help lists them", word, r->o->program);
    return false;
}

static bool asks_for_help(const reading *r)
{
    const char *word = r->argv[r->at];
    return !r->words_only && (!strcmp(word, "--help") || !strcmp(word, "-h"));
}

bool options_read(const options *o, void *values, int argc, char **argv, int *exit_code)
{
    reading r = {.o = o, .values = values, .argv = argv, .argc = argc};
    memcpy(values, o->defaults, o->size);
    for (r.at = 1; r.at < argc; r.at++) {
        if (asks_for_help(&r)) {
            option_print_help(o);
            *exit_code = 0;
            return false;
        }
        if (!read_word(&r)) {
            *exit_code = EXIT_USAGE;
            return false;
        }
    }
    if (options_files_differ(o, values)) return true;
    *exit_code = EXIT_USAGE;
    return false;
}
