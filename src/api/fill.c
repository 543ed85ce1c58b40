/* kata_fill: a kernel of the library's own. */
#include "api/apply.h"

kata_status kata_fill_with(kata_field *field, const kata_range *range, const kata_arg *value,
                           const char *file, int line)
{
    if (!field) return api_null("kata_fill", "the field");
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    if (!value) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_fill: the value is NULL");
    const kata_kernel *kernel = api_built_in(k, "kata_fill", field->slot);
    if (!kernel) return k->messages.status;
    const kata_arg args[2] = {kata_arg_field(field, 0), *value};
    return kata_apply_args(kata_here(kernel, file, line), range, 2, args);
}
