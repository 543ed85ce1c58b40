/* Plans from their text form. */
#ifndef PLAN_PARSE_H
#define PLAN_PARSE_H

#include "plan/plan.h"

/* False where the text is wrong: *line is the number of the line, or 0 when memory was out. */
bool plan_parse(plan *p, const char *words, int *line);

#endif
