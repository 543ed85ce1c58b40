/* Private to exec: plans that their proof refuses. */
#ifndef EXEC_REFUSED_H
#define EXEC_REFUSED_H

#include "exec/exec.h"

/* Reports a plan that is wrong, with all that shows the defect again. */
kata_status exec_refuse_plan(const plan *p, const analysis_chain *a, const chain *c,
                             const char *why, messages *m);

#endif
