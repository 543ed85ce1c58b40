/* Random plans run as compiled loops on threads. */
#ifndef PLAN_CPU_H
#define PLAN_CPU_H

#include "plan_world.h"

/* A request for a plan of some method and sizes. */
plan_request world_request(world *w);
void world_say_request(uint64_t seed, const plan_request *r);

void random_plans_run_as_compiled_loops(void **state);

#endif
