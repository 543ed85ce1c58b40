/* An event simulation of plans on emulated machines, apart from that of the library. */
#ifndef PLAN_MACHINE_EVENTS_H
#define PLAN_MACHINE_EVENTS_H

#include "plan/plan.h"

/* Seconds that a plan takes on a machine whose rates depend on lengths only: `get`, `put` and
 * `both` are one table, and there is no `link`. */
double plan_machine_seconds(const plan *p, const analysis_chain *a, const machine_emulated *m);

#endif
