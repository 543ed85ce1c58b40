/* Making a failing program smaller: whole steps first, then statements, expressions and sizes. Each
 * change stays when the program is judged as before and undone otherwise. */
#include "random.h"

#include <string.h>

enum { MOST_TRIALS = 600 };

typedef struct shrinking {
    program *p;
    judgement wanted;
    trial trial;
    int trials;
    bool better; /* a change of this round stays */
} shrinking;

static bool still_fails(shrinking *s)
{
    if (s->trials++ >= MOST_TRIALS) return false;
    judgement j = judge_alone(s->p, &s->trial);
    bool same = j.verdict == s->wanted.verdict && j.status == s->wanted.status;
    if (same) s->better = true;
    return same;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Drops `length` steps at a time. */
static void drop_steps(shrinking *s, int length)
{
    for (int first = 0; first < s->p->step_count; first += length) {
        bool was[MAX_STEPS], any = false;
        for (int i = 0; i < s->p->step_count; i++) {
            was[i] = s->p->steps[i].dropped;
            if (i < first || i >= first + length || was[i]) continue;
            s->p->steps[i].dropped = any = true;
        }
        if (!any || still_fails(s)) continue;
        for (int i = 0; i < s->p->step_count; i++) s->p->steps[i].dropped = was[i];
    }
}

static void simplify_ranges(shrinking *s)
{
    for (int i = 0; i < s->p->step_count; i++) {
        step *step = &s->p->steps[i];
        range old = step->range;
        if (step->dropped || step->kind != STEP_APPLY || old.kind == RANGE_ALL) continue;
        step->range = program_all(s->p, old.level);
        if (!still_fails(s)) step->range = old;
    }
}

static void simplify_arguments(shrinking *s)
{
    for (int i = 0; i < s->p->step_count * MAX_PARAMS; i++) {
        step *step = &s->p->steps[i / MAX_PARAMS];
        const kernel *k = &s->p->kernels[step->kernel];
        argument *a = &step->args[i % MAX_PARAMS], old = *a;
        if (step->dropped || step->kind != STEP_APPLY || i % MAX_PARAMS >= k->param_count) continue;
        if (k->params[i % MAX_PARAMS].kind != NUMBER) continue;
        a->index = -1;
        a->number = kata_arg_integer(1, 0);
        if (!memcmp(a, &old, sizeof old) || !still_fails(s)) *a = old;
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool try_line(shrinking *s, line **link, line *instead)
{
    line *old = *link;
    *link = instead;
    if (still_fails(s)) return true;
    *link = old;
    return false;
}

/* A branch or block replaced by one of its bodies. */
static bool try_body(shrinking *s, line **link, line *body)
{
    line *old = *link, *last = body;
    if (!body) return false;
    while (last->next) last = last->next;
    last->next = old->next;
    if (try_line(s, link, body)) return true;
    last->next = NULL;
    return false;
}

static void drop_lines(shrinking *s, line **list)
{
    while (*list) {
        line *l = *list;
        if (try_line(s, list, l->next)) continue;
        if (l->has_body && (try_body(s, list, l->body) || try_body(s, list, l->other))) continue;
        drop_lines(s, &l->body);
        drop_lines(s, &l->other);
        list = &(*list)->next;
    }
}

static bool try_term(shrinking *s, term **link, term *instead)
{
    term *old = *link;
    *link = instead;
    if (still_fails(s)) return true;
    *link = old;
    return false;
}

static bool is_literal(const term *t)
{
    return !t->part[0] && (t->pattern[0] == '0' || t->pattern[0] == '1');
}

static void simplify_term(shrinking *s, term **link)
{
    static term one = {.pattern = "1", .type = INT};
    if (!*link || is_literal(*link)) return;
    if (try_term(s, link, &one)) return;
    for (int i = 0; i < MAX_PARTS && (*link)->part[i]; i++)
        if (try_term(s, link, (*link)->part[i])) i = -1;
    for (int i = 0; i < MAX_PARTS; i++) simplify_term(s, &(*link)->part[i]);
}

static void simplify_lines(shrinking *s, line *list)
{
    for (line *l = list; l; l = l->next) {
        for (int i = 0; i < MAX_PARTS; i++) simplify_term(s, &l->part[i]);
        simplify_lines(s, l->body);
        simplify_lines(s, l->other);
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void fit_ranges(program *p)
{
    for (int i = 0; i < p->step_count; i++)
        for (int d = 0; d < 3; d++) {
            range *r = &p->steps[i].range;
            int64_t n = program_size(p, r->level, d);
            if (r->hi[d] > n || r->kind == RANGE_ALL) r->hi[d] = n;
        }
}

static void shrink_sizes(shrinking *s)
{
    for (int d = 0; d < s->p->rank; d++)
        for (int64_t n = 1; n < s->p->size[d]; n = n < 4 ? n + 1 : 2 * n) {
            program old = *s->p;
            s->p->size[d] = n;
            fit_ranges(s->p);
            if (still_fails(s)) break;
            *s->p = old;
        }
}

static void drop_values(shrinking *s)
{
    for (int f = 0; f < s->p->field_count; f++) {
        uint64_t old = s->p->fields[f].seed;
        s->p->fields[f].seed = 0;
        if (old && !still_fails(s)) s->p->fields[f].seed = old;
    }
}

static void home_as_usual(shrinking *s)
{
    for (int f = 0; f < s->p->field_count; f++) {
        home old = s->p->fields[f].home;
        s->p->fields[f].home = HOME_ARRAYS;
        if (old != HOME_ARRAYS && !still_fails(s)) s->p->fields[f].home = old;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void shrink(program *p, const judgement *j, const trial *t)
{
    setting few[2] = {t->settings[0], t->settings[j->setting]};
    shrinking s = {.p = p, .wanted = *j, .trial = {.settings = few, .count = 2}, .better = true};
    if (j->verdict == CRASHED) s.trial = (trial){.settings = t->settings, .count = t->count};
    for (int length = MAX_STEPS / 2; length > 0; length /= 2) drop_steps(&s, length);
    while (s.better && s.trials < MOST_TRIALS) {
        s.better = false;
        drop_lines(&s, &p->text);
        shrink_sizes(&s);
        simplify_lines(&s, p->text);
        drop_steps(&s, 1);
        simplify_ranges(&s);
        simplify_arguments(&s);
        drop_values(&s);
        home_as_usual(&s);
    }
}
