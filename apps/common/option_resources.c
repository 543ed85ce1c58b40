/* A context with the limit of memory, on the device, and that looks for NaN, as a command line
 * says. */
#include "common/common.h"

#include <stdlib.h>
#include <string.h>

kata *options_open(const options *o, const resources *limit, int *exit_code)
{
    const char *elsewhere = getenv("KATA_MEMORY");
    if (limit->spill && !limit->memory.bytes && !(elsewhere && *elsewhere)) {
        *exit_code = options_wrong(o, "--spill has no effect without --memory BYTES");
        return NULL;
    }
    const char *check = limit->check;
    if (check && strcmp(check, "nan") != 0 && strcmp(check, "none") != 0) {
        *exit_code = options_wrong(o, "--check-values is '%s', not nan or none", check);
        return NULL;
    }
    *exit_code = EXIT_FAILURE;
    return kata_open(&(kata_options){.memory = limit->memory.bytes,
                                     .spill = limit->spill,
                                     .device = limit->device,
                                     .check = check,
                                     .summary = limit->summary,
                                     .timeline = limit->timeline});
}
