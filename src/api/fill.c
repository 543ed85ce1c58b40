/* kata_fill: a kernel of the library's own. It computes in a wider type than integers of 8 and 16
 * bits, so that these would wrap; a number that does not fit is refused before. */
#include "api/apply.h"

#include <stdio.h>

/* Whether a whole number is a value of a type of 8 or 16 bits; all are of others. */
static bool fits(kata_type type, const kata_arg *value)
{
    int64_t low = type == KATA_I16 ? INT16_MIN : 0;
    int64_t high = type == KATA_U8 ? UINT8_MAX : type == KATA_U16 ? UINT16_MAX : INT16_MAX;
    bool narrow = type == KATA_U8 || type == KATA_U16 || type == KATA_I16;
    if (!narrow || value->kind != KATA_ARG_INTEGER) return true;
    return value->as.integer >= low && value->as.integer <= high;
}

static kata_status refuse(const kata_field *field, const kata_arg *value, const char *file,
                          int line)
{
    char location[API_LONGEST_LOCATION + 20] = "";
    if (file) snprintf(location, sizeof location, "%.255s:%d: ", file, line);
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%skata_fill: %lld does not fit in '%s', which is %s", location,
                    (long long)value->as.integer, field->name, store_type_name(field->slot->type));
}

/* A dimension that a field lacks and of which the range has several indices; -1: there is none, or
 * the range is another grid's, which is refused later. */
static int absent_dimension(const kata_field *field, const kata_range *range)
{
    const grid_shape *shape = &field->slot->shape;
    if (!range || !range->grid || range->rank != shape->rank) return -1;
    for (int d = 0; d < shape->rank; d++) {
        int at = field->grid->mesh ? field->grid->mesh->as.axis[d] : d;
        int64_t lo = range->lo[d], hi = range->hi[d];
        if (field->slot->absent_axis[at] && hi > lo && hi - 1 > lo) return d;
    }
    return -1;
}

static kata_status refuse_range(const kata_field *field, int d, const char *file, int line)
{
    messages *m = &field->k->messages;
    char location[API_LONGEST_LOCATION + 20] = "";
    if (file) snprintf(location, sizeof location, "%.255s:%d: ", file, line);
    message_begin(m, KATA_ERROR_ARGUMENT,
                  "%skata_fill: '%s' has one value for all indices along %c, and the range holds "
                  "several of them",
                  location, field->name, "xyz"[d]);
    message_line(m, "give kata_on(%s), or a box one index wide along %c", field->name, "xyz"[d]);
    return message_send(m);
}

kata_status kata_fill_with(kata_field *field, const kata_range *range, const kata_arg *value,
                           const char *file, int line)
{
    if (!field) return api_null("kata_fill", "the field");
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    if (!value) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_fill: the value is NULL");
    if (!fits(field->slot->type, value)) return refuse(field, value, file, line);
    const int absent = absent_dimension(field, range);
    if (absent >= 0) return refuse_range(field, absent, file, line);
    const kata_kernel *kernel = api_built_in(k, "kata_fill", field->slot);
    if (!kernel) return k->messages.status;
    const kata_arg args[2] = {kata_arg_field(field, 0), *value};
    return kata_apply_args(kata_here(kernel, file, line), range, 2, args);
}
