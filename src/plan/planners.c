/* The methods, and the plan of a whole chain: one group after another. */
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

/* The loops of a group, each finished before the next. */
static bool make_in_order(plan_group *g, const plan_request *request, plan *p, int parent)
{
    (void)request;
    for (int l = g->first; l < g->end; l++) {
        const analysis_loop *loop = &g->a->loops[l];
        int leaf = loop->loop->once ? 0 : plan_add(p, parent, PLAN_LOOP);
        if (leaf) p->nodes[leaf].loop = l;
        int scalar = loop->loop->once || loop->reduces ? plan_add(p, parent, PLAN_SCALAR) : 0;
        if (scalar) p->nodes[scalar].loop = l;
    }
    return !p->failed;
}

static bool always(plan_group *g, const plan_request *request)
{
    (void)g;
    (void)request;
    return true;
}

static const plan_method plan_loops = {"loops", false, always, make_in_order};

static const plan_method *const methods[] = {
    &plan_loops,      /* one loop after another */
    &plan_skewed,     /* tiles over all loops, one after another, each loop a bit behind */
    &plan_diamond,    /* two waves of tiles that do not depend on their neighbours */
    &plan_overlapped, /* tiles that compute around themselves what others compute, too */
    &plan_streamed,   /* a window of all fields moves along one dimension */
    &plan_fused,      /* the same for fields that nobody needs afterwards */
    &plan_single,     /* one array for a field and its next value */
    &plan_blocked     /* blocks with exchanges */
};

const char *plan_method_name(int i)
{
    return i >= 0 && (size_t)i < COUNT_OF(methods) ? methods[i]->name : NULL;
}

static const plan_method *find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (!strcmp(methods[i]->name, name)) return methods[i];
    return NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* "y=16": the number for a name that ends in a dimension. */
static bool read_size(const char *word, const char *name, int64_t out[3])
{
    size_t length = strlen(name);
    int64_t value;
    if (strncmp(word, name, length) || word[length] < 'x' || word[length] > 'z' ||
        word[length + 1] != '=' || !parse_integer(word + length + 2, 1, 1 << 30, &value))
        return false;
    out[word[length] - 'x'] = value;
    return true;
}

static bool read_word(const char *word, plan_request *r)
{
    int64_t every = 0, parts[3] = {0, 0, 0};
    if (!strcmp(word, "prefetch")) {
        r->prefetch = 1;
        return true;
    }
    if (read_size(word, "", r->tile) || read_size(word, "inner.", r->inner)) return true;
    if (!strncmp(word, "every=", 6) && parse_integer(word + 6, 1, 1 << 30, &every)) {
        r->every = (int)every;
        return true;
    }
    if (!read_size(word, "parts.", parts)) return false;
    for (int d = 0; d < 3; d++)
        if (parts[d]) r->parts[d] = (int)parts[d];
    return true;
}

bool plan_request_read(const char *words, plan_request *out, char wrong[PLAN_WORD])
{
    plan_request r = {0};
    while (*words) {
        size_t length = strcspn(words, " ");
        snprintf(wrong, PLAN_WORD, "%.*s", (int)(length < PLAN_WORD ? length : PLAN_WORD - 1),
                 words);
        const plan_method *method = r.method || !length ? NULL : find(wrong);
        if (length >= PLAN_WORD || (length && !method && !r.method)) return false;
        if (method)
            r.method = method->name;
        else if (length && !read_word(wrong, &r))
            return false;
        words += length + strspn(words + length, " ");
    }
    wrong[0] = '\0';
    *out = r;
    return r.method;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bool add_group(plan *p, int root, plan_group *g, const plan_method *method,
                      const plan_request *request)
{
    if (!g->together || !method->applicable(g, request)) return make_in_order(g, request, p, root);
    if (method->apart && !plan_group_before(g, p, root)) return false;
    return method->make(g, request, p, root) && (!method->apart || plan_group_after(g, p, root));
}

bool plan_make(plan *p, const analysis_chain *a, const plan_request *request)
{
    const plan_method *method = find(request->method);
    int root = method ? plan_add(p, 0, PLAN_SEQ) : 0;
    for (int first = 0; root && first < a->loop_count && !p->failed;) {
        plan_group g;
        bool done = plan_group_make(&g, a, first, method->apart);
        const plan_method *used = method;
        if (done && !method->apart && !(g.together && method->applicable(&g, request))) {
            plan_group_free(&g); /* the loops of such a group may wait for one another */
            done = plan_group_make(&g, a, first, true);
            used = &plan_loops;
        }
        done = done && add_group(p, root, &g, used, request);
        first = g.end;
        plan_group_free(&g);
        if (!done) p->failed = true;
    }
    return root && !p->failed;
}
