/* What kernels cost and what plans are, for people and as JSON: explain.c, costs.c. */
#ifndef API_EXPLAIN_H
#define API_EXPLAIN_H

#include "api/handles.h"
#include "machine/machine.h"

/* ---- costs.c --------------------------------------------------------------------------------- */

/* What is shown of a kernel. */
typedef struct api_costs {
    const ir_kernel *kernel;
    const kata_type *storage; /* per parameter, of fields */
    int rank, colors;
    bool once;
    int threads;
    double bytes; /* of all its fields; 0: more than caches hold */
    const machine *machine;
    const kata_ceilings *ceilings; /* NULL: without a bound */
    observe_meter_entry *measured; /* NULL: without */
} api_costs;
void api_print_kernel(text *out, const api_costs *c, bool json);
/* Per parameter, of fields stored in the type that kernels compute in; to be freed, NULL when
 * memory is out. */
kata_type *api_natural_storage(const ir_kernel *kernel);

/* ---- explain_plan.c -------------------------------------------------------------------------- */

/* Adds a plan in words to a text, and a note if there is one; false where that was shown before. */
bool api_explain_plan(shown_plans *plans, const plan *p, const analysis_chain *a, const char *note,
                      text *out);
/* Whether a text was not shown before. */
bool api_explain_is_new(shown_plans *plans, const text *shown);

/* ---- explain_scaling.c ----------------------------------------------------------------------- */

/* Reads what KATA_NETWORK says; reports what makes no sense. */
kata_status api_read_network(kata *k);
/* Simulates the chain that has run in so many seconds, unless another costs more. */
void api_scale_chain(kata *k, double seconds);
/* The picture of the chain that costs most; there is one if k->scaling.count is not 0. */
void api_print_scaling(text *out, const kata *k);

/* ---- explain_roofline.c ---------------------------------------------------------------------- */

typedef struct api_roofline_machine {
    const machine *machine;
    const kata_ceilings *ceilings;
    int threads;
} api_roofline_machine;
/* The kernels that have run, as a picture. */
void api_print_roofline(text *out, observe_meter *meter, const api_roofline_machine *m);

/* ---- taken.c --------------------------------------------------------------------------------- */

/* Notes whether a summary is wanted, `asked` or by the environment; after api_read_explain. */
kata_status api_read_summary(kata *k, bool asked);
/* Prints it on standard error. */
void api_summary_end(kata *k);

/* ---- explain_machine.c ----------------------------------------------------------------------- */

/* The turns of an emulated machine as a picture; nothing where there are none. */
void api_print_pipeline(text *out, const kata *k);

/* ---- advice.c -------------------------------------------------------------------------------- */

/* Notes what a chain that has run leaves in memory for nothing. */
void api_advice_note(kata *k, const analysis_chain *a);
/* Says in words what would make the program faster. */
void api_print_advice(text *out, const kata *k);

/* ---- explain.c ------------------------------------------------------------------------------- */

/* Reads from the environment how plans and kernels are shown. */
kata_status api_read_explain(kata *k);
/* Whether the plan of the queue is shown before it runs. */
bool api_explains_before(const kata *k);
/* Whether the scaling of chains is explained, and nothing else. */
bool api_shows_scaling(const kata *k);
/* Shows the plan of the queue, unless it has shown one like it: the one asked for, before it runs;
 * or, once it has run, the one found to be fastest. */
void api_explain(kata *k);
/* Writes what the search for the fastest plans has found. */
void api_tune_end(kata *k);
/* Shows what kernels cost, how fast they have run, and how chains ended. */
void api_explain_end(kata *k);

#endif
