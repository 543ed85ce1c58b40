/* A context with the limit of memory, and on the device, that a command line gives. */
#include "common/common.h"

#include <stdlib.h>

kata *options_open(const options *o, const resources *limit, int *exit_code)
{
    const char *elsewhere = getenv("KATA_MEMORY");
    if (limit->spill && !limit->memory.bytes && !(elsewhere && *elsewhere)) {
        *exit_code = options_wrong(o, "--spill has no effect without --memory BYTES");
        return NULL;
    }
    *exit_code = EXIT_FAILURE;
    return kata_open(&(kata_options){
        .memory = limit->memory.bytes, .spill = limit->spill, .device = limit->device});
}
