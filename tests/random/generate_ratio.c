/* Finer and coarser fields: how they are declared, and the children that are written. */
#include "generate.h"

#define TEXT(...) pool_text(&b->program->memory, __VA_ARGS__)

const char *generate_ratio(builder *b, const param *p)
{
    const program *q = b->program;
    bool equal = true;
    const char *list = "";
    if (!p->up || p->kind > INOUT || b->kernel->once) return "";
    for (int d = 0; d < q->rank; d++) {
        equal = equal && q->ratio[d] == q->ratio[0];
        list = TEXT("%s%s%d", list, d ? "," : "", q->ratio[d]);
    }
    if (equal && chance_of(b->chance, 70)) list = TEXT("%d", q->ratio[0]);
    return TEXT(" %s(%s)", p->up > 0 ? "finer" : "coarser", list);
}

const char *generate_child(builder *b, const param *p, bool *first)
{
    const char *list = "";
    *first = true;
    if (p->up <= 0 || chance_of(b->chance, 25)) return "";
    for (int d = 0; d < b->program->rank; d++) {
        int at = chance_from(b->chance, 0, b->program->ratio[d] - 1);
        if (at) *first = false;
        list = TEXT("%s%s%d", list, d ? "," : "", at);
    }
    return TEXT("[%s]", list);
}
