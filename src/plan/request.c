/* Requests for plans, as words: "METHOD NAME=NUMBER ... / METHOD ...". A table lists the names, and
 * each method says which of them it takes. A word without effect is refused, so that nobody takes a
 * plan for another one. Numbers of bytes may end in k, M or G: times 1024, its square, its cube. */
#include "plan/planner.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum word_kind { WORD_NUMBER, WORD_BYTES, WORD_SWITCH } word_kind;

typedef struct word {
    const char *name;
    unsigned group; /* PLAN_TAKES_...: what a method takes */
    word_kind kind;
    size_t offset; /* in a request */
    int needs;     /* the number of a word without which this one has no effect; -1: none */
} word;

#define AT(member) offsetof(plan_request, member)
static const word words[] = {
    {"x", PLAN_TAKES_TILE, WORD_NUMBER, AT(tile[0]), -1},
    {"y", PLAN_TAKES_TILE, WORD_NUMBER, AT(tile[1]), -1},
    {"z", PLAN_TAKES_TILE, WORD_NUMBER, AT(tile[2]), -1},
    {"inner.x", PLAN_TAKES_INNER, WORD_NUMBER, AT(inner[0]), 0},
    {"inner.y", PLAN_TAKES_INNER, WORD_NUMBER, AT(inner[1]), 1},
    {"inner.z", PLAN_TAKES_INNER, WORD_NUMBER, AT(inner[2]), 2},
    {"parts.x", PLAN_TAKES_PARTS, WORD_NUMBER, AT(parts[0]), -1},
    {"parts.y", PLAN_TAKES_PARTS, WORD_NUMBER, AT(parts[1]), -1},
    {"parts.z", PLAN_TAKES_PARTS, WORD_NUMBER, AT(parts[2]), -1},
    {"every", PLAN_TAKES_PARTS, WORD_NUMBER, AT(every), -1},
    {"depth", PLAN_TAKES_DEPTH, WORD_NUMBER, AT(depth), -1},
    {"cache", PLAN_TAKES_CACHE, WORD_BYTES, AT(cache), -1},
    {"threads", PLAN_TAKES_THREADS, WORD_NUMBER, AT(threads), -1},
    {"prefetch", PLAN_TAKES_PREFETCH, WORD_SWITCH, AT(prefetch), -1},
    {"rims", PLAN_TAKES_PREFETCH, WORD_NUMBER, AT(rims), -1},
    {"siblings", PLAN_TAKES_TURNS, WORD_NUMBER, AT(siblings), -1},
    {"group", PLAN_TAKES_TURNS, WORD_NUMBER, AT(group), -1},
    {"memory", PLAN_TAKES_MEMORY, WORD_BYTES, AT(memory), -1},
    {"slots", PLAN_TAKES_TURNS, WORD_NUMBER, AT(slots), -1},
    {"ahead", PLAN_TAKES_TURNS, WORD_NUMBER, AT(ahead), -1},
    {"last", PLAN_TAKES_TURNS, WORD_SWITCH, AT(last), -1},
    {"inplace", PLAN_TAKES_TURNS, WORD_SWITCH, AT(in_place), -1},
    {"columns", PLAN_TAKES_TURNS, WORD_SWITCH, AT(columns), -1},
};
#undef AT

enum { PLAN_WORD = 40 }; /* bytes of a word, at most */
static const int64_t MOST = 1 << 30, MOST_BYTES = INT64_C(1) << 40;

static int64_t *number_in(plan_request *r, const word *w)
{
    return (int64_t *)(void *)((char *)r + w->offset);
}

static int64_t value_of(const plan_request *r, const word *w)
{
    int64_t value;
    memcpy(&value, (const char *)r + w->offset, sizeof value);
    return value;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The word that is given, which may end in "=..."; NULL: there is none of this name. */
static const word *find(const char *given)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t length = strlen(words[i].name);
        if (strncmp(given, words[i].name, length) != 0) continue;
        if (given[length] == (words[i].kind == WORD_SWITCH ? '\0' : '=')) return &words[i];
    }
    return NULL;
}

/* Says why if not. */
static bool read_value(const word *w, const char *given, int64_t *out, text *why)
{
    const char *number = given + strlen(w->name) + 1;
    *out = 1;
    if (w->kind == WORD_SWITCH) return true;
    if (w->kind == WORD_NUMBER && parse_integer(number, 1, MOST, out)) return true;
    if (w->kind == WORD_BYTES && parse_bytes(number, 1, MOST_BYTES, out)) return true;
    if (w->kind == WORD_BYTES)
        text_add(why, "'%s' needs bytes from 1 to %" PRId64 ", such as %s=1048576, 1024k or 1M",
                 given, MOST_BYTES, w->name);
    else
        text_add(why, "'%s' needs a number from 1 to %" PRId64, given, MOST);
    return false;
}

static void say_no_effect(const plan_method *method, const char *given, text *why)
{
    const char *const takes = " takes ";
    const char *before = takes;
    text_add(why, "'%s' has no effect: '%s'", given, method->name);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (!(words[i].group & method->takes)) continue;
        text_add(why, "%s%s%s", before, words[i].name, words[i].kind == WORD_SWITCH ? "" : "=");
        before = ", ";
    }
    if (before == takes) text_add(why, " takes no words");
}

static bool read_word(const plan_method *method, const char *given, plan_request *r, text *why)
{
    const word *w = find(given);
    if (!w)
        text_add(why, "'%s' means nothing", given);
    else if (!(w->group & method->takes))
        say_no_effect(method, given, why);
    else if (value_of(r, w))
        text_add(why, "'%s' gives %s twice", given, w->name);
    else
        return read_value(w, given, number_in(r, w), why);
    return false;
}

/* Words that have an effect with others only. */
static bool check_needs(const plan_request *r, text *why)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        const word *needed = words[i].needs < 0 ? NULL : &words[words[i].needs];
        if (!needed || !value_of(r, &words[i]) || value_of(r, needed)) continue;
        text_add(why, "'%s=%" PRId64 "' has no effect without %s=", words[i].name,
                 value_of(r, &words[i]), needed->name);
        return false;
    }
    return true;
}

/* Reads a word of that length; false, and says why, if it is wrong. */
static bool read_next(const plan_method **method, const char *at, size_t length, plan_request *r,
                      text *why)
{
    char given[PLAN_WORD];
    bool fits = length < sizeof given;
    snprintf(given, sizeof given, "%.*s", (int)length, at);
    if (*method && fits) return read_word(*method, given, r, why);
    *method = fits ? plan_method_find(given) : NULL;
    if (*method) return true;
    text_add(why, "'%s' means nothing", given);
    return false;
}

/* Reads a method and its words up to a / or the end, to which *given moves. */
static bool read_method(const char **given, plan_request *out, text *why)
{
    plan_request r = {0};
    const plan_method *method = NULL;
    const char *at = *given;
    for (at += strspn(at, " "); *at && *at != '/'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " /");
        if (!read_next(&method, at, length, &r, why)) return false;
        at += length;
    }
    *given = at;
    if (!method || !check_needs(&r, why)) return false;
    r.method = method->name;
    *out = r;
    return true;
}

/* Whether one method may lie in the tiles or blocks of another; says why if not. */
static bool may_lie_in(const char *inner, const char *outer, text *why)
{
    const plan_method *in = plan_method_find(inner), *around = plan_method_find(outer);
    if (!(around->takes & PLAN_TAKES_TILES))
        text_add(why, "'/' has no effect: '%s' takes no other method in its tiles", outer);
    else if (!(in->takes & PLAN_IN_TILES))
        text_add(why, "'%s' cannot be in the tiles of '%s'", inner, outer);
    else
        return true;
    return false;
}

bool plan_request_read(const char *given, plan_request *out, int most, text *why)
{
    plan_request read[PLAN_MOST_METHODS];
    int count = 0;
    for (bool more = true; more; more = *given++ == '/') {
        if (count == most) {
            given += strspn(given, " ");
            text_add(why, "'%s' is more than %d method%s", given, most, most == 1 ? "" : "s");
            return false;
        }
        if (!read_method(&given, &read[count], why)) return false;
        if (count && !may_lie_in(read[count].method, read[count - 1].method, why)) return false;
        count++;
    }
    for (int i = 0; i < count; i++) {
        out[i] = read[i];
        out[i].below = i + 1 < count ? &out[i + 1] : NULL;
    }
    return true;
}

/* ---- printing, comparing --------------------------------------------------------------------- */

void plan_request_print(text *out, const plan_request *r)
{
    const unsigned takes = plan_method_find(r->method)->takes;
    text_add(out, "%s", r->method);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        int64_t value = value_of(r, &words[i]);
        if (!value || !(words[i].group & takes)) continue;
        if (words[i].kind == WORD_SWITCH)
            text_add(out, " %s", words[i].name);
        else
            text_add(out, " %s=%" PRId64, words[i].name, value);
    }
    if (!r->below) return;
    text_add(out, " / ");
    plan_request_print(out, r->below);
}

bool plan_request_equal(const plan_request *a, const plan_request *b)
{
    bool equal = !strcmp(a->method, b->method);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        equal = equal && value_of(a, &words[i]) == value_of(b, &words[i]);
    if (a->below && b->below) return equal && plan_request_equal(a->below, b->below);
    return equal && a->below == b->below;
}
