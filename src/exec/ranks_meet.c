/* Whether all ranks do the same. Before what ranks do together each says what that is, with a hash
 * of all that has to agree; afterwards, whether it went well. An error of one rank is an error of
 * all, with one message. */
#include "exec/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WORDS = 120, LONGEST_MESSAGE = 4000 };

/* ---- what ranks are about to do -------------------------------------------------------------- */

typedef struct intent {
    uint64_t hash;
    char words[LONGEST_WORDS];
} intent;

/* All ranks' `bytes` bytes; NULL, reported, when they cannot be had. */
static const char *gather_equal(struct exec_ranks *r, const void *mine, size_t bytes, messages *m)
{
    for (int i = 0; i <= comm_ranks(r->comm); i++) r->starts[i] = (size_t)i * bytes;
    return ranks_gather_known(r, mine, m) ? NULL : r->gathered;
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

kata_status ranks_meet(struct exec_ranks *r, uint64_t hash, messages *m, const char *format, ...)
{
    intent mine = {.hash = hash ^ r->put};
    va_list list;
    va_start(list, format);
    vsnprintf(mine.words, sizeof mine.words, format, list);
    va_end(list);
    r->put = 0;
    const char *all = gather_equal(r, &mine, sizeof mine, m);
    if (!all) return m->status;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        intent other;
        memcpy(&other, all + (size_t)i * sizeof other, sizeof other);
        other.words[LONGEST_WORDS - 1] = 0;
        if (other.hash != mine.hash || strcmp(other.words, mine.words) != 0)
            return refuse(r, &mine, &other, i, m);
    }
    return KATA_OK;
}

/* ---- how it went ----------------------------------------------------------------------------- */

/* The message of the first rank that has failed becomes that of all. */
static kata_status share_error(struct exec_ranks *r, int rank, kata_status status, messages *m)
{
    char text[LONGEST_MESSAGE] = "";
    if (comm_rank(r->comm) == rank) snprintf(text, sizeof text, "%s", text_get(&m->body));
    const char *all = gather_equal(r, text, sizeof text, m);
    if (!all) return m->status;
    memcpy(text, all + (size_t)rank * sizeof text, sizeof text);
    text[LONGEST_MESSAGE - 1] = 0;
    const char *said = strncmp(text, "error: ", 7) ? text : text + 7;
    return m->status ? m->status : message_fail(m, status, "rank %d: %s", rank, said);
}

kata_status ranks_agree(struct exec_ranks *r, kata_status status, messages *m)
{
    int32_t mine = status, first;
    const char *all = gather_equal(r, &mine, sizeof mine, m);
    if (!all) return m->status;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        memcpy(&first, all + (size_t)i * sizeof first, sizeof first);
        if (first) return share_error(r, i, (kata_status)first, m);
    }
    return KATA_OK;
}
