/* Checkpoints as a command line asks for them. */
#include "common/common.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int options_check_checkpoints(const options *o, const void *values, checkpoints *c)
{
    const char *name = c->resume    ? "--resume"
                       : c->steps   ? "--checkpoint-steps"
                       : c->minutes ? "--checkpoint-minutes"
                                    : NULL;
    c->table = o;
    c->values = values;
    if (c->file || !name) return 0;
    return options_wrong(o, "%s needs --checkpoint FILE.h5", name);
}

/* With as few digits as tell it from all others. */
static void print_real(double value, char *words, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(words, size, "%.*g", digits, value);
        if (strtod(words, NULL) == value) return;
    }
}

static void print_value(const option *e, const void *value, char *words, size_t size)
{
    switch (e->kind) {
    case OPTION_FLAG: snprintf(words, size, "%s", *(const bool *)value ? "yes" : "no"); break;
    case OPTION_INTEGER: snprintf(words, size, "%lld", (long long)*(const int64_t *)value); break;
    case OPTION_REAL: print_real(*(const double *)value, words, size); break;
    case OPTION_CHOICE: snprintf(words, size, "%s", e->choices[*(const int *)value]); break;
    case OPTION_TEXT:
        snprintf(words, size, "%s", *(const char *const *)value ? *(const char *const *)value : "");
        break;
    case OPTION_BYTES:
    case OPTION_LIST: *words = '\0'; break;
    }
}

/* A name is a C identifier: --most-steps is most_steps. */
static void require_option(kata *k, const option *e, const void *values)
{
    char name[64], words[4096];
    snprintf(name, sizeof name, "%s", e->name);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
    print_value(e, (const char *)values + e->offset, words, sizeof words);
    kata_require(k, name, words);
}

int64_t options_resume(kata *k, const checkpoints *c)
{
    const double usual = 10;
    if (!c->file) return 0;
    kata_checkpoint(k, c->file, .steps = c->steps,
                    .minutes = c->minutes || c->steps ? c->minutes : usual, .signal = SIGUSR1);
    for (const option *e = c->table->table; e < c->table->table + c->table->count; e++)
        if (!e->may_change) require_option(k, e, c->values);
    const int64_t first = c->resume ? kata_resume(k) : 0;
    if (first && !kata_rank(k))
        fprintf(stderr, "%s: the run goes on after step %lld\n", c->file, (long long)first);
    return first;
}

bool options_may_end(const checkpoints *c, int64_t first, int64_t last)
{
    if (first <= last) return true;
    options_failed(c->table,
                   "%s is a checkpoint after step %lld, and the run ends after step %lld; "
                   "let it end later, or begin anew, without --resume",
                   c->file, (long long)first, (long long)last);
    return false;
}
