/* Machines that are emulated, read from texts, which may come from anywhere: a line has a key and
 * what a table says follows it. */
#include "machine/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 400, MOST_WORDS = 4, WORD = 40 };

typedef enum value_kind {
    WORDS,   /* the rest of the line */
    COUNT,   /* a whole number */
    BYTES,   /* as in 64k or 1.4M */
    REAL,    /* seconds, or a rate */
    RATE_AT, /* a length in bytes and a rate; may come again */
    CHOICE   /* one of two words */
} value_kind;

/* The machines for which a key means something. */
typedef enum machine_kind { ANY, GLOBAL, LOCAL } machine_kind;

typedef struct key {
    const char *name;
    value_kind kind;
    size_t offset;
    double low, high;
    bool needed;
    machine_kind of;
    const char *choice[2]; /* words for false and true */
} key;

#define AT(member) offsetof(machine_emulated, member)
static const double MOST_BYTES = 1e15, MOST_RATE = 1e18;
#define BYTE_RANGE 1, 1e15
#define RATE_RANGE 1, 1e18
#define SECONDS_RANGE 0, 1e6
static const key keys[] = {
    {"about", WORDS, AT(about), 0, 0, false, ANY, {NULL}},
    {"siblings", COUNT, AT(siblings), 1, MACHINE_SIBLINGS, true, ANY, {NULL}},
    {"memory", BYTES, AT(memory), BYTE_RANGE, true, ANY, {NULL}},
    {"free", BYTES, AT(free), BYTE_RANGE, false, ANY, {NULL}},
    {"fields", CHOICE, AT(local), 0, 0, false, ANY, {"global", "local"}},
    {"exchange", REAL, AT(exchange), RATE_RANGE, true, LOCAL, {NULL}},
    {"chips", COUNT, AT(chips), 1, MACHINE_SIBLINGS, false, LOCAL, {NULL}},
    {"between", REAL, AT(between), RATE_RANGE, false, LOCAL, {NULL}},
    {"far", REAL, AT(far), SECONDS_RANGE, false, LOCAL, {NULL}},
    {"get", RATE_AT, AT(get), RATE_RANGE, true, GLOBAL, {NULL}},
    {"put", RATE_AT, AT(put), RATE_RANGE, true, GLOBAL, {NULL}},
    {"both", RATE_AT, AT(both), RATE_RANGE, false, GLOBAL, {NULL}},
    {"link", REAL, AT(link), RATE_RANGE, false, GLOBAL, {NULL}},
    {"direct", REAL, AT(direct), RATE_RANGE, true, GLOBAL, {NULL}},
    {"latency", REAL, AT(latency), SECONDS_RANGE, false, ANY, {NULL}},
    {"issue", REAL, AT(issue), SECONDS_RANGE, false, GLOBAL, {NULL}},
    {"launch", REAL, AT(launch), SECONDS_RANGE, false, ANY, {NULL}},
    {"barrier", REAL, AT(barrier), SECONDS_RANGE, false, ANY, {NULL}},
    {"operations", REAL, AT(operations), RATE_RANGE, true, ANY, {NULL}},
    {"group", COUNT, AT(group), 1, 64, false, GLOBAL, {NULL}},
    {"pass", REAL, AT(pass), RATE_RANGE, false, GLOBAL, {NULL}},
    {"slots", COUNT, AT(slots), 1, 64, false, GLOBAL, {NULL}},
    {"order", CHOICE, AT(last), 0, 0, false, GLOBAL, {"get-first", "get-last"}},
    {"blocks", CHOICE, AT(powers), 0, 0, false, GLOBAL, {"any", "powers"}},
};
#undef AT

typedef struct reader {
    machine_emulated m;
    int given[COUNT_OF(keys)]; /* the line of each key; 0: none so far */
    int line;
    text *why;
} reader;

static bool refuse(reader *r, const char *format, ...) PRINTF_LIKE(2, 3);
static bool refuse(reader *r, const char *format, ...)
{
    va_list list;
    if (r->line) text_add(r->why, "line %d: ", r->line);
    va_start(list, format);
    text_add_list(r->why, format, list);
    va_end(list);
    return false;
}

/* ---- numbers ----------------------------------------------------------------------------------
 */

/* A number as people write it, in digits with a point or an exponent; `bytes`: with k, M or G. */
static bool read_real(const char *word, bool bytes, double *out)
{
    if (strspn(word, "0123456789.eE+-kMG") != strlen(word) || !strpbrk(word, "0123456789"))
        return false;
    char *end;
    double x = parse_real(word, &end), scale = 1;
    if (bytes && *end == 'k') scale = 1024;
    if (bytes && *end == 'M') scale = 1024.0 * 1024;
    if (bytes && *end == 'G') scale = 1024.0 * 1024 * 1024;
    if (scale > 1) end++;
    *out = x * scale;
    return end > word && !*end && isfinite(*out);
}

static bool read_number(reader *r, const key *k, const char *word, double low, double high,
                        double *out)
{
    bool bytes = k->kind == BYTES || k->kind == RATE_AT;
    if (!read_real(word, bytes && high <= MOST_BYTES, out))
        return refuse(r, "'%s' of '%s' is no number", word, k->name);
    if (*out >= low && *out <= high && (k->kind != COUNT || *out == floor(*out))) return true;
    return refuse(r, "'%s' of '%s' is not %s from %g to %g", word, k->name,
                  k->kind == COUNT ? "a whole number" : "a number", low, high);
}

double machine_rate_at(const machine_rates *t, double length)
{
    int i = 0;
    while (i < t->count && t->length[i] <= length) i++;
    if (!i || i == t->count) return t->rate[i ? i - 1 : 0];
    double part = (length - t->length[i - 1]) / (t->length[i] - t->length[i - 1]);
    return t->rate[i - 1] + part * (t->rate[i] - t->rate[i - 1]);
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static bool add_rate(reader *r, const key *k, machine_rates *t, char words[][WORD])
{
    double length = 0, rate = 0;
    if (!read_number(r, k, words[1], 0, MOST_BYTES, &length) ||
        !read_number(r, k, words[2], 1, MOST_RATE, &rate))
        return false;
    if (t->count == MACHINE_RATES)
        return refuse(r, "'%s' has more than %d rates", k->name, MACHINE_RATES);
    if (t->count && t->length[t->count - 1] >= length)
        return refuse(r, "lengths of '%s' do not ascend: %g follows %g", k->name, length,
                      t->length[t->count - 1]);
    t->length[t->count] = length;
    t->rate[t->count++] = rate;
    return true;
}

static bool set_number(reader *r, const key *k, void *at, const char *word)
{
    double x = 0;
    if (!read_number(r, k, word, k->low, k->high, &x)) return false;
    if (k->kind == REAL)
        *(double *)at = x;
    else if (k->offset == offsetof(machine_emulated, siblings))
        *(int *)at = (int)x;
    else
        *(int64_t *)at = (int64_t)x;
    return true;
}

static bool choose(reader *r, const key *k, bool *at, const char *word)
{
    for (int i = 0; i < 2; i++)
        if (!strcmp(word, k->choice[i])) {
            *at = i;
            return true;
        }
    return refuse(r, "'%s' is '%s', not %s or %s", k->name, word, k->choice[0], k->choice[1]);
}

static void note_calibrated(reader *r, const key *k)
{
    char *all = r->m.calibrated;
    size_t used = strlen(all), length = strlen(k->name);
    if (strstr(all, k->name) || used + length + 3 > sizeof r->m.calibrated) return;
    snprintf(all + used, sizeof r->m.calibrated - used, "%s%s", used ? ", " : "", k->name);
}

/* Cuts a line into words; a comment ends it. Returns their number, MOST_WORDS + 1: more. */
static int cut(const char *line, char words[][WORD])
{
    int count = 0;
    for (line += strspn(line, " \t"); *line && *line != '#'; line += strspn(line, " \t")) {
        size_t length = strcspn(line, " \t#");
        if (count == MOST_WORDS || length >= WORD) return MOST_WORDS + 1;
        memcpy(words[count], line, length);
        words[count++][length] = '\0';
        line += length;
    }
    return count;
}

static bool read_values(reader *r, const key *k, const char *line)
{
    char words[MOST_WORDS][WORD];
    void *at = (char *)&r->m + k->offset;
    int count = cut(line, words), wanted = k->kind == RATE_AT ? 3 : 2;
    bool calibrated = count == wanted + 1 && !strcmp(words[wanted], "calibrated");
    if (count != wanted && !calibrated)
        return refuse(r, "'%s' needs %s", k->name,
                      k->kind == RATE_AT ? "a length and a rate" : "one value");
    if (calibrated) note_calibrated(r, k);
    if (k->kind == RATE_AT) return add_rate(r, k, at, words);
    return k->kind == CHOICE ? choose(r, k, at, words[1]) : set_number(r, k, at, words[1]);
}

static bool set_words(reader *r, const key *k, const char *line)
{
    const char *at = line + strlen(k->name);
    at += strspn(at, " \t");
    if (strlen(at) >= sizeof r->m.about)
        return refuse(r, "'%s' has more than %zu characters", k->name, sizeof r->m.about - 1);
    memcpy(r->m.about, at, strlen(at) + 1);
    return true;
}

static bool refuse_key(reader *r, const char *word)
{
    refuse(r, "'%s' means nothing; keys are", word);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        text_add(r->why, "%s %s", i ? "," : "", keys[i].name);
    return false;
}

static bool read_line(reader *r, const char *line)
{
    char name[WORD];
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t#"), i = 0;
    if (!length) return true;
    if (length >= sizeof name) return refuse(r, "a word is longer than %d characters", WORD - 1);
    memcpy(name, line, length);
    name[length] = '\0';
    while (i < COUNT_OF(keys) && strcmp(keys[i].name, name) != 0) i++;
    if (i == COUNT_OF(keys)) return refuse_key(r, name);
    if (r->given[i] && keys[i].kind != RATE_AT)
        return refuse(r, "'%s' is given twice, first in line %d", name, r->given[i]);
    r->given[i] = r->line;
    return keys[i].kind == WORDS ? set_words(r, &keys[i], line) : read_values(r, &keys[i], line);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

/* A key that is missing, or that means nothing for such a machine. */
static bool check_key(reader *r, size_t i)
{
    const key *k = &keys[i];
    bool means = k->of == ANY || k->of == (r->m.local ? LOCAL : GLOBAL);
    r->line = r->given[i];
    if (r->line && !means)
        return refuse(r, "'%s' means nothing where fields are %s", k->name,
                      r->m.local ? "local" : "global");
    return r->line || !k->needed || !means || refuse(r, "it has no '%s'", k->name);
}

static bool check_whole(reader *r)
{
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (!check_key(r, i)) return false;
    r->line = 0;
    if (r->m.free > r->m.memory)
        return refuse(r, "'free' is %" PRId64 " bytes of a 'memory' of %" PRId64, r->m.free,
                      r->m.memory);
    if ((r->m.chips > 1) != (r->m.between > 0))
        return refuse(r, "'chips' of more than one and 'between' need one another");
    if (r->m.chips > 1 && r->m.siblings % r->m.chips)
        return refuse(r, "%" PRId64 " 'chips' do not have equally many of %d 'siblings'",
                      r->m.chips, r->m.siblings);
    if ((r->m.group > 1) != (r->m.pass > 0))
        return refuse(r, "'group' of more than one and 'pass' need one another");
    return true;
}

static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' && line[i] != '\t') return false;
    return true;
}

bool machine_emulated_read(const char *words, size_t length, const char *name,
                           machine_emulated *out, text *why)
{
    reader r = {.why = why, .m = {.slots = 1}};
    const char *end = words + length;
    while (words < end) {
        char line[MOST_LINE];
        const char *stop = memchr(words, '\n', (size_t)(end - words));
        size_t count = (size_t)((stop ? stop : end) - words);
        r.line++;
        if (count >= sizeof line)
            return refuse(&r, "it is longer than %d characters", MOST_LINE - 1);
        if (!is_text(words, count)) return refuse(&r, "it has bytes that are no text");
        memcpy(line, words, count);
        line[count] = '\0';
        if (!read_line(&r, line)) return false;
        words += count + 1;
    }
    if (!check_whole(&r)) return false;
    if (!r.m.free) r.m.free = r.m.memory;
    if (!r.m.both.count) r.m.both = r.m.get;
    snprintf(r.m.name, sizeof r.m.name, "%s", name);
    *out = r.m;
    return true;
}
