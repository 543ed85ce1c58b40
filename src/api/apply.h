/* What the files of kata_apply share. */
#ifndef API_APPLY_H
#define API_APPLY_H

#include "api/api.h"

typedef struct api_application {
    kata *k;
    const ir_kernel *kernel;
    const char *file; /* where it is written; NULL when not known */
    int line;
    const kata_arg *args;
    chain_binding *bindings; /* reserved in the chain */
} api_application;

/* ---- location.c ------------------------------------------------------------------------------ */

/* Makes the location that kata_here named that of the application. */
void api_location_take(api_application *a);
/* Makes the name of its file known to the chain; false when memory is out. */
bool api_location_keep(const api_application *a);
/* "main.c:17: ", or "" where it is not known; valid until the next call. */
const char *api_location(const api_application *a);
/* message_begin for a wrong argument, after the location. */
#define API_BEGIN(a, format, ...)                                                                  \
    message_begin(&(a)->k->messages, KATA_ERROR_ARGUMENT, "%s" format, api_location(a), __VA_ARGS__)

/* ---- bind_argument.c, bind_table.c ----------------------------------------------------------- */

/* Checks all arguments against the parameters and enters them into the bindings; as many as the
 * kernel has. Reports. */
kata_status api_bind(api_application *a);
kata_status api_bind_scalar(api_application *a, int p);
kata_status api_bind_table(api_application *a, int p);
/* Ends a message about the argument p: where the parameter is declared. Returns the status. */
kata_status api_refuse_argument(const api_application *a, int p);
kata_status api_wrong_kind(const api_application *a, int p, const char *expected);
kata_status api_null_argument(const api_application *a, int p);
/* Converts an integer to a parameter's type; false when it does not fit. */
static inline bool api_convert_integer(ir_type type, int64_t x, ir_value *out)
{
    if (type == IR_I32 && (x < INT32_MIN || x > INT32_MAX)) return false;
    if (type == IR_U8 && (x < 0 || x > 255)) return false;
    *out = ir_value_of_int(type, x);
    return true;
}

#endif
