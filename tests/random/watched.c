/* Programs that look for NaN, in this process: what is reported does not depend on what runs them.
 */
#include "random.h"

#include <stdlib.h>
#include <string.h>

typedef struct outcome {
    char *report;
    size_t length;
    kata_status status;
    record seen;
} outcome;

static outcome run(program *p, const setting *s)
{
    outcome o = {0};
    FILE *out = open_memstream(&o.report, &o.length);
    if (!out) exit(99);
    o.status = run_programs(&p, 1, s, out, &o.seen);
    fclose(out);
    return o;
}

static void end(outcome *o)
{
    free(o->report);
    record_free(&o->seen);
}

static bool is_same(const program *p, const outcome *a, const outcome *b, const char *name,
                    FILE *out)
{
    bool same = a->status == b->status && !strcmp(a->report, b->report);
    if (!same && out)
        fprintf(out, "program %llu, %s:\n%s\ninstead of\n%s\n", (unsigned long long)p->seed, name,
                b->report, a->report);
    if (a->status || !same) return same;
    return record_compare(out, p, &a->seen, &b->seen, name);
}

bool watched_agrees(program *p, const trial *t, int *reports)
{
    outcome expected = run(p, &t->settings[0]);
    bool same = true;
    *reports += expected.status == KATA_ERROR_ASSERT;
    for (int s = 1; s < t->count; s++) {
        outcome found = run(p, &t->settings[s]);
        same &= is_same(p, &expected, &found, t->settings[s].name, t->out);
        end(&found);
    }
    end(&expected);
    return same;
}
