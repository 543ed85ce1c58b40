/* Shared by the files of kata_apply. */
#ifndef API_APPLY_H
#define API_APPLY_H

#include "api/api.h"

#include <math.h>

typedef struct api_application {
    kata *k;
    const ir_kernel *kernel;
    const kata_grid *grid; /* it is applied to */
    const char *file;      /* of the program, where it is written; NULL when not known */
    int line;
    const kata_arg *args;
    chain_binding *bindings; /* reserved in the chain */
} api_application;

/* ---- apply.c --------------------------------------------------------------------------------- */

/* After a loop is queued: notes which values its fields have now. */
kata_status api_note_written(kata *k, const chain_loop *loop);

/* ---- built_in.c: kernels of the library's own ------------------------------------------------ */

/* The kernel `kata_copy` or `kata_fill` for fields like that of a slot: made when it is first asked
 * for. NULL after an error, which is reported. */
kata_kernel *api_built_in(kata *k, const char *name, const chain_slot *slot);
bool api_is_built_in(const kata *k, const ir_kernel *kernel);

/* ---- arguments ------------------------------------------------------------------------------- */

static inline bool api_arg_is_field(const kata_arg *arg)
{
    return arg->kind == KATA_ARG_FIELD || arg->kind == KATA_ARG_CONST_FIELD;
}
static inline bool api_arg_is_scalar(const kata_arg *arg)
{
    return arg->kind == KATA_ARG_SCALAR || arg->kind == KATA_ARG_CONST_SCALAR;
}
/* The field or scalar of such an argument. The caller does not write it where it is const. */
static inline kata_field *api_arg_field(const kata_arg *arg) { return arg->as.field; }
static inline kata_scalar *api_arg_scalar(const kata_arg *arg) { return arg->as.scalar; }
/* The slot of either; NULL of other arguments and of NULL. */
static inline chain_slot *api_arg_slot(const kata_arg *arg)
{
    if (api_arg_is_field(arg)) return arg->as.field ? arg->as.field->slot : NULL;
    return api_arg_is_scalar(arg) && arg->as.scalar ? arg->as.scalar->slot : NULL;
}

/* ---- location.c ------------------------------------------------------------------------------ */

/* Takes the location that kata_here named for this application: that of no other one, whatever
 * becomes of it. */
static inline void api_location_take(api_application *a)
{
    kata *k = a->k;
    if (k->here_line < 0 || !k->here_file[0]) return;
    a->file = k->here_file;
    a->line = k->here_line;
    k->here_line = -1;
}
/* Copies the name of its file into the chain's memory, api_location_keep where it is not there yet;
 * false when memory is out. */
bool api_location_copy(const api_application *a);
static inline bool api_location_keep(const api_application *a)
{
    const kata *k = a->k;
    bool kept = !a->file || (k->here_copy && k->here_copied_when == k->chain.emptied);
    return kept || api_location_copy(a);
}
/* "main.c:17: ", or "" where it is not known; valid until the next call. */
const char *api_location(const api_application *a);
/* message_begin for a wrong argument, after the location. */
#define API_BEGIN(a, format, ...)                                                                  \
    message_begin(&(a)->k->messages, KATA_ERROR_ARGUMENT, "%s" format, api_location(a), __VA_ARGS__)

/* ---- apply_cache.c: applications like ones that were checked before -------------------------- */

/* Looks for an application like this one that was checked before. Returns the hash of its loop
 * (chain_loop_hash, never 0): then only numbers and tables are left to check. Returns 0 if there is
 * none. */
uint64_t api_apply_cache_find(const kata *k, const ir_kernel *kernel, const kata_range *range,
                              const kata_arg *args);
/* Remembers a loop that was found to be right, if the loop alone decides that. */
void api_apply_cache_add(kata *k, const chain_loop *loop, const kata_range *range);
/* The same of copies. What is found sets `map`. */
uint64_t api_copy_cache_find(const kata *k, const ir_kernel *kernel, const kata_range *to,
                             const kata_arg *args, const kata_copy_options *options,
                             chain_copy *map);
void api_copy_cache_add(kata *k, const chain_loop *loop, const kata_range *to,
                        const kata_copy_options *options);

/* ---- argument_message.c: what is wrong with argument p; each returns the status -------------- */

/* "argument 2 of kernel 'heat'", "the value of kata_fill"; valid until the next one. */
const char *api_argument_name(const api_application *a, int p);
/* Ends a message that API_BEGIN began: shows where the parameter is declared. */
kata_status api_refuse_argument(const api_application *a, int p);
kata_status api_wrong_kind(const api_application *a, int p, const char *expected);
kata_status api_null_argument(const api_application *a, int p);
kata_status api_other_context(const api_application *a, int p);
kata_status api_mapped_field(const api_application *a, int p);
kata_status api_const_argument(const api_application *a, int p, const char *name);

/* ---- bind_scalar.c, bind_table.c, bind_argument.c: arguments become bindings; all report ------
 */

/* Whether argument p, a field or scalar, is not const, or the kernel only reads it. */
static inline bool api_may_write(const api_application *a, int p)
{
    const ir_param *param = &a->kernel->params[p];
    kata_arg_kind kind = a->args[p].kind;
    if (kind != KATA_ARG_CONST_FIELD && kind != KATA_ARG_CONST_SCALAR) return true;
    return !ir_param_is_written_field(param) && !ir_param_is_reduction(param);
}
kata_status api_bind_scalar(api_application *a, int p);
kata_status api_bind_table(api_application *a, int p);
/* All arguments, as many as the kernel has parameters. */
kata_status api_bind(api_application *a);
/* Converts an integer to a parameter's type; false when it does not fit. */
static inline bool api_convert_integer(ir_type type, int64_t x, ir_value *out)
{
    if (type == IR_I32 && (x < INT32_MIN || x > INT32_MAX)) return false;
    if (type == IR_U8 && (x < 0 || x > UINT8_MAX)) return false;
    if (type == IR_U16 && (x < 0 || x > UINT16_MAX)) return false;
    if (type == IR_I16 && (x < INT16_MIN || x > INT16_MAX)) return false;
    *out = ir_value_of_int(type, x);
    return true;
}
/* Likewise of a number for a floating-point type; false when a finite one would be infinite. */
static inline bool api_convert_floating(ir_type type, double x, ir_value *out)
{
    *out = ir_value_of_double(type, x);
    return type != IR_F32 || !isinf(out->f32) || isinf(x);
}

#endif
