/* Whether all ranks do the same. Before what ranks do together each says what that is, with a hash
 * of all that has to agree; afterwards, whether it went well. An error of one rank is an error of
 * all, with one message. While all is well ranks find the largest of a few numbers; only then,
 * where it is not, each gets what the others say. */
#include "exec/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_MESSAGE = 4000, AGREES = 1 };

/* As comm_largest, and adds up how long it takes. */
static kata_status find_largest(struct exec_ranks *r, uint64_t *values, int count, messages *m)
{
    double start = clock_seconds();
    kata_status status = comm_largest(r->comm, values, count, m);
    r->sent.agreeing += clock_seconds() - start;
    return status;
}

/* ---- what ranks are about to do -------------------------------------------------------------- */

typedef struct intent {
    uint64_t hash;
    char words[RANKS_WORDS];
} intent;

/* All ranks' `bytes` bytes; NULL, reported, when they cannot be had. */
static const char *gather_equal(struct exec_ranks *r, const void *mine, size_t bytes, messages *m)
{
    for (int i = 0; i <= comm_ranks(r->comm); i++) r->starts[i] = (size_t)i * bytes;
    return ranks_gather_known(r, mine, m) ? NULL : r->gathered.data;
}

static kata_status refuse(const struct exec_ranks *r, const intent *mine, const intent *other,
                          int rank, messages *m)
{
    if (strcmp(mine->words, other->words) != 0)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "ranks disagree, which all make the same calls: rank %d is to %s, and "
                            "rank %d to %s",
                            comm_rank(r->comm), mine->words, rank, other->words);
    return message_fail(m, KATA_ERROR_ARGUMENT,
                        "ranks disagree: rank %d and rank %d both %s, but with different kernels, "
                        "numbers, ranges or values; all ranks make the same calls with the same "
                        "arguments",
                        comm_rank(r->comm), rank, mine->words);
}

/* The error where some rank is about to do something else. */
static kata_status find_other(struct exec_ranks *r, const intent *mine, messages *m)
{
    const char *all = gather_equal(r, mine, sizeof *mine, m);
    for (int i = 0; all && i < comm_ranks(r->comm); i++) {
        intent other;
        memcpy(&other, all + (size_t)i * sizeof other, sizeof other);
        other.words[RANKS_WORDS - 1] = 0;
        if (other.hash != mine->hash || strcmp(other.words, mine->words) != 0)
            return refuse(r, mine, &other, i, m);
    }
    return m->status;
}

/* Whether all do r->doing with this hash; makes each of two numbers the largest of all ranks.
 * Whatever ranks do together begins with it, or with bytes whose number they have agreed on: so a
 * rank that does something else is found here, not in messages of the wrong length. */
static kata_status compare(struct exec_ranks *r, uint64_t hash, uint64_t numbers[2], messages *m)
{
    intent mine = {.hash = hash};
    memcpy(mine.words, r->doing, sizeof mine.words);
    comm_name_next(r->comm, mine.words);
    uint64_t all = hash_bytes(mine.words, strlen(mine.words), mine.hash);
    uint64_t values[] = {all, ~all, numbers[0], numbers[1]};
    kata_status status = find_largest(r, values, 4, m);
    memcpy(numbers, values + 2, 2 * sizeof *numbers);
    bool same = values[0] == ~values[1];
    return status || same ? status : find_other(r, &mine, m);
}

kata_status ranks_meet(struct exec_ranks *r, uint64_t hash, messages *m, const char *format, ...)
{
    uint64_t none[] = {0, 0};
    va_list list;
    va_start(list, format);
    vsnprintf(r->doing, sizeof r->doing, format, list);
    va_end(list);
    hash ^= r->put;
    r->put = 0;
    return compare(r, hash, none, m);
}

static void name(struct exec_ranks *r, const char *what)
{
    if (what) snprintf(r->doing, sizeof r->doing, "%s", what);
}

kata_status ranks_any(struct exec_ranks *r, const char *what, bool *some, messages *m)
{
    uint64_t numbers[] = {*some, 0};
    name(r, what);
    kata_status status = compare(r, 0, numbers, m);
    *some = numbers[0];
    return status;
}

/* ---- how it went ----------------------------------------------------------------------------- */

/* An error of a rank; if a check has failed, where. */
typedef struct outcome {
    int32_t status, check;
    int64_t loop, point[3];
} outcome;

/* A rank that only has missed the values of another one has no error of its own. */
static outcome outcome_of(const struct exec_ranks *r, kata_status status,
                          const exec_failure *failure)
{
    outcome mine = {.status = status};
    if (!failure || !status) return mine;
    if (failure->elsewhere && !failure->loop && !r->messages->status) mine.status = KATA_OK;
    if (!failure->loop) return mine;
    mine.check = 1;
    mine.loop = r->failing;
    memcpy(mine.point, failure->fault.point, sizeof mine.point);
    return mine;
}

static bool comes_before(const outcome *a, const outcome *b, const chain *c)
{
    if (!a->check || !b->check) return !a->check && b->check;
    if (a->loop != b->loop) return a->loop < b->loop;
    return observe_point_before(&c->loops[a->loop], a->point, b->point);
}

/* The rank whose error counts, and its outcome; -1 if there is none. */
static int find_first(const struct exec_ranks *r, const char *all, const chain *c, outcome *first)
{
    int rank = -1;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        outcome other;
        memcpy(&other, all + (size_t)i * sizeof other, sizeof other);
        if (!other.status || (rank >= 0 && !comes_before(&other, first, c))) continue;
        rank = i;
        *first = other;
    }
    return rank;
}

/* The message of one rank becomes that of all. */
static kata_status share_error(struct exec_ranks *r, int rank, const outcome *o, messages *m)
{
    char text[LONGEST_MESSAGE] = "";
    if (comm_rank(r->comm) == rank) snprintf(text, sizeof text, "%s", text_get(&m->body));
    const char *all = gather_equal(r, text, sizeof text, m);
    if (!all) return m->status;
    memcpy(text, all + (size_t)rank * sizeof text, sizeof text);
    text[LONGEST_MESSAGE - 1] = 0;
    if (m->status) return m->status;
    if (o->check) return message_repeat(m, (kata_status)o->status, text);
    const char *said = strncmp(text, "error: ", 7) ? text : text + 7;
    return message_fail(m, (kata_status)o->status, "rank %d: %s", rank, said);
}

kata_status ranks_agree(struct exec_ranks *r, const char *what, kata_status status,
                        const exec_failure *failure, const chain *c, messages *m)
{
    outcome mine = outcome_of(r, status, failure), first;
    const bool missed = status && !mine.status;
    uint64_t some[] = {mine.status != KATA_OK, missed};
    name(r, what);
    if (compare(r, AGREES, some, m)) return m->status;
    if (!some[0] && some[1])
        return message_fail(m, KATA_ERROR_INTERNAL,
                            "a rank has missed the values of another one, and none has failed; "
                            "please report this as a defect of Katagami");
    if (!some[0]) return m->status;
    const char *all = gather_equal(r, &mine, sizeof mine, m);
    int rank = all ? find_first(r, all, c, &first) : -1;
    if (rank < 0) return m->status;
    if (first.check && rank == comm_rank(r->comm))
        observe_fault_report(failure->loop, &failure->fault, m);
    return share_error(r, rank, &first, m);
}
