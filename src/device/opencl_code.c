/* Programs and kernels of an OpenCL device. No option lets its compiler contract, flush or
 * approximate; that it must not contract is also said in the text. */
#include "device/opencl_private.h"

#include <stdlib.h>

const char opencl_options[] = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";

/* ---- compiling ------------------------------------------------------------------------------- */

static void add_log(const opencl_device *own, void *program, text *log)
{
    size_t size = 0;
    int32_t result = own->api->build_info(program, own->device, CL_PROGRAM_LOG, 0, NULL, &size);
    if (result != CL_OK || size < 2) return;
    char *words = malloc(size);
    if (words &&
        own->api->build_info(program, own->device, CL_PROGRAM_LOG, size, words, NULL) == CL_OK)
        text_add(log, "%.*s", (int)size, words);
    free(words);
}

static bool build(device *d, void *program, text *log)
{
    const opencl_device *own = d->own;
    int32_t result = own->api->build(program, 1, &own->device, opencl_options, NULL, NULL);
    add_log(own, program, log);
    if (result == CL_BUILD_FAILURE)
        return device_fail(d, DEVICE_FAILED, "OpenCL does not compile a text");
    return opencl_check(d, "clBuildProgram", result);
}

static bool take_binary(device *d, void *program, device_binary *binary)
{
    const opencl_device *own = d->own;
    size_t size = 0;
    if (!opencl_check(
            d, "clGetProgramInfo",
            own->api->program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL)))
        return false;
    char *bytes = size ? malloc(size) : NULL;
    if (!bytes)
        return device_fail(d, size ? DEVICE_FULL : DEVICE_FAILED, "%s",
                           size ? "out of memory" : "OpenCL gives no code");
    if (opencl_check(
            d, "clGetProgramInfo",
            own->api->program_info(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL))) {
        *binary = (device_binary){bytes, size};
        return true;
    }
    free(bytes);
    return false;
}

bool opencl_compile(device *d, const char *source, device_binary *binary, text *log)
{
    const opencl_device *own = d->own;
    int32_t result = CL_OK;
    void *program = own->api->program_of_text(own->context, 1, &source, NULL, &result);
    if (!opencl_check(d, "clCreateProgramWithSource", result)) return false;
    bool compiled = build(d, program, log) && take_binary(d, program, binary);
    own->api->program_release(program);
    return compiled;
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool build_quietly(device *d, void *program)
{
    text log = {0};
    bool built = build(d, program, &log);
    text_free(&log);
    return built;
}

bool opencl_load(device *d, const device_binary *binary, void **program)
{
    const opencl_device *own = d->own;
    const unsigned char *bytes = (const unsigned char *)binary->bytes;
    int32_t state = CL_OK, result = CL_OK;
    *program = own->api->program_of_binary(own->context, 1, &own->device, &binary->count, &bytes,
                                           &state, &result);
    if (!opencl_check(d, "clCreateProgramWithBinary", result ? result : state)) return false;
    if (build_quietly(d, *program)) return true;
    own->api->program_release(*program);
    return false;
}

void opencl_unload(device *d, void *program)
{
    const opencl_device *own = d->own;
    own->api->program_release(program);
}

bool opencl_find_kernel(device *d, void *program, const char *name, void **kernel)
{
    const opencl_device *own = d->own;
    int32_t result = CL_OK;
    *kernel = own->api->kernel_create(program, name, &result);
    if (result == CL_INVALID_KERNEL_NAME)
        return device_fail(d, DEVICE_FAILED, "a compiled text has no kernel %s", name);
    return opencl_check(d, "clCreateKernel", result);
}

void opencl_forget(device *d, void *kernel)
{
    const opencl_device *own = d->own;
    own->api->kernel_release(kernel);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool set_arguments(device *d, void *kernel, const device_launch *launch)
{
    const opencl_api *api = ((opencl_device *)d->own)->api;
    int32_t result = CL_OK;
    int i = 0;
    for (; i < launch->argument_count && result == CL_OK; i++) {
        const device_argument *a = &launch->arguments[i];
        result = a->memory
                     ? api->kernel_argument(kernel, (uint32_t)i, sizeof(void *), &a->memory->buffer)
                     : api->kernel_argument(kernel, (uint32_t)i, a->bytes, a->value);
    }
    if (result == CL_OK && launch->local)
        result = api->kernel_argument(kernel, (uint32_t)i, launch->local, NULL);
    return opencl_check(d, "clSetKernelArg", result);
}

bool opencl_run(device *d, void *kernel, const device_launch *launch)
{
    const opencl_device *own = d->own;
    size_t group[3], threads[3];
    for (int i = 0; i < 3; i++) {
        group[i] = (size_t)launch->threads[i];
        threads[i] = (size_t)launch->groups[i] * group[i];
    }
    return set_arguments(d, kernel, launch) &&
           opencl_check(d, "clEnqueueNDRangeKernel",
                        own->api->run(own->queue[DEVICE_WORK], kernel, 3, NULL, threads, group, 0,
                                      NULL, NULL));
}
