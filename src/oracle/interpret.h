/* What the files of the reference executor share. */
#ifndef ORACLE_INTERPRET_H
#define ORACLE_INTERPRET_H

#include "oracle/oracle.h"
#include "store/store.h"

/* ---- reference_read.c: values of fields, for the reference executor -------------------------- */

/* A field parameter during a loop. */
typedef struct oracle_field {
    chain_slot *slot;
    const grid_boundary *boundary;
    const store_array *old;  /* values before the loop; NULL: all zero */
    store_array *next;       /* values after it; NULL of parameters that are not written */
    bool *stored;            /* per child of each component: whether this point has written it */
    int64_t (*stored_at)[3]; /* and where, boundary rules not applied */
    uint64_t *flows;         /* and what went into that: see went_into.c */
} oracle_field;

/* The point that a write at an index goes to: inside, or by periodic sides. False when there is
 * none. */
bool oracle_target(const oracle_field *field, const int64_t index[3], int64_t target[3]);
/* The element before the loop, as it is stored, at any index; NaN (of integers, a number that
 * means nothing) where no boundary rule covers it. */
ir_value oracle_read(const oracle_field *field, int component, const int64_t index[3]);

/* The number of a value that a point may write, among those of its field: one per component, or on
 * a finer grid one per child, chosen by the offset; -1 where there is none. */
int oracle_output_of(const ir_param *param, int component, const int64_t offset[3]);

/* ---- reference_sparse.c ---------------------------------------------------------------------- */

/* Runs a loop over points between those of its grid, as chain_sparse defines it: point by point, on
 * all of their targets. False when memory is out. */
bool oracle_run_sparse(const chain_loop *loop, observe_trace *trace);

/* ---- interpret.c ----------------------------------------------------------------------------- */

/* What a statement that leaves the statements around it leaves. */
typedef enum oracle_leaving {
    ORACLE_RETURNS,  /* the kernel, or the helper */
    ORACLE_BREAKS,   /* the innermost loop */
    ORACLE_CONTINUES /* a round of it */
} oracle_leaving;

typedef struct oracle_interpreter {
    const chain_loop *loop;
    int64_t point[3];
    ir_value *locals;         /* variables, and the elements of arrays */
    size_t *local_start;      /* where each begins there */
    oracle_field *fields;     /* per parameter; zero for those that are no fields */
    ir_value *reduced;        /* elements of reductions: what the point contributes so far */
    size_t *reduced_start;    /* per parameter: where its elements begin there */
    observe_fault fault;      /* a check that failed */
    observe_fault *condition; /* of an assert being evaluated: takes what it reads; NULL: none */
    int calls;                /* of helpers, within that condition */
    observe_trace *trace;     /* NULL at points that are not traced */
    oracle_leaving leaves;    /* RETURNS but between a break or continue and its loop */
    int64_t repetition;       /* of loops, see ir_repetition */
    const char *failure;      /* what must not happen, NULL while it has not */
    uint64_t flow;            /* into the expression that was evaluated last: see went_into.c */
    uint64_t *local_flows, *reduced_flows; /* into each of `locals` and `reduced` */
    struct oracle_read_value *reads;       /* of the point, where a watched kernel shows them */
    int read_count;
} oracle_interpreter;

/* Runs the kernel at the point. False when something failed. */
bool oracle_interpret_point(oracle_interpreter *in);

/* ---- went_into.c: what goes into the values of a point, for kernels that are watched
 * -------------- */

/* A set of reads: bit i is of read number i, the last one says that some read was not finite. */
enum { ORACLE_READS = 63 };
#define ORACLE_TAINT (UINT64_C(1) << ORACLE_READS)
typedef struct oracle_read_value {
    const ir_expr *expr;
    int64_t at[4]; /* component and offsets */
    ir_value value;
} oracle_read_value;

/* Sets in->flow to a read, of a field or a number; at NULL: it is not shown. No bool is. */
void oracle_flow_read(oracle_interpreter *in, const ir_expr *expr, const int64_t at[4],
                      ir_value value);
/* Sets in->flow to what goes into a result of a type, of operands into which `flow` went. */
void oracle_flow_result(oracle_interpreter *in, ir_type type, uint64_t flow);
/* After a point has run: the first of its checks FINITE that fails, if any, becomes its fault. */
void oracle_flow_check(oracle_interpreter *in);

#endif
