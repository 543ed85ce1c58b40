/* A test of devices runs on each kind that is there: on CUDA's, which is the shim of tests, and on
 * OpenCL's. Not on the latter with sanitizers, which make PoCL's compiler four times as slow. */
#ifndef DEVICE_KINDS_H
#define DEVICE_KINDS_H

#include "device/device.h"
#include "kept_context.h"
#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Makes the shim the driver of CUDA. */
static inline void device_use_shim(void)
{
    setenv("KATA_CUDA", getenv("KATA_SHIM_CUDA"), 1);
    setenv("KATA_NVRTC", getenv("KATA_SHIM_NVRTC"), 1);
}

static inline bool device_is_there(const char *kind)
{
    messages m = {.silent = true};
    if (is_sanitized() && strcmp(kind, "opencl") == 0) return false;
    if (strcmp(kind, "opencl") == 0) keep_context();
    device *there = device_open(kind, 0, &m);
    message_free(&m);
    if (!there) print_message("no device '%s'\n", kind);
    device_close(there);
    return there;
}

/* Runs tests on a kind, of which *kind then has the name; a number of failures. */
#define DEVICE_RUN_TESTS(name, kind, tests)                                                        \
    (device_is_there(name)                                                                         \
         ? ((kind) = (name), cmocka_run_group_tests_name(name, tests, NULL, NULL))                 \
         : 0)

#endif
