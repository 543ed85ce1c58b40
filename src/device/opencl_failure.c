/* What results of OpenCL mean. */
#include "device/opencl_private.h"

#include <string.h>

static const struct result {
    int32_t number;
    const char *name;
} results[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-59, "CL_INVALID_OPERATION"},
};

static const char *name_of(int32_t result)
{
    for (size_t i = 0; i < COUNT_OF(results); i++)
        if (results[i].number == result) return results[i].name;
    return "an error";
}

/* A driver tells of what went wrong in a kernel, such as an address outside its memory, by whatever
 * comes next, mostly as "out of resources". */
static bool is_loss(const char *function, int32_t result)
{
    if (result == CL_NOT_AVAILABLE) return true;
    return strcmp(function, "clFinish") == 0 && result != CL_OUT_OF_HOST_MEMORY;
}

/* More threads in a group than a kernel can have, or the device for it. */
static bool is_crowd(const char *function, int32_t result)
{
    return strcmp(function, "clEnqueueNDRangeKernel") == 0 &&
           (result == CL_OUT_OF_RESOURCES || result == CL_INVALID_WORK_GROUP_SIZE);
}

bool opencl_check(device *d, const char *function, int32_t result)
{
    if (result == CL_OK) return true;
    if (is_loss(function, result))
        return device_fail(d, DEVICE_LOST, "%s (%d) of %s", name_of(result), result, function);
    if (result == CL_ALLOCATION_FAILURE || result == CL_OUT_OF_HOST_MEMORY ||
        result == CL_INVALID_BUFFER_SIZE)
        return device_fail(d, DEVICE_FULL, "out of memory");
    return device_fail(d, is_crowd(function, result) ? DEVICE_CROWDED : DEVICE_FAILED,
                       "%s (%d) of %s", name_of(result), result, function);
}
