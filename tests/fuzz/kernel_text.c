/* What the library does with a kernel text before a C compiler sees it: parse, check, lower, weigh,
 * verify, print, and write C for several storage types. Any bytes may be given; what must hold of
 * the outcome is checked. libFuzzer calls this with texts it makes up (./dev fuzz text), replay.c
 * with those in tests/corpus. */
#include "codegen/codegen.h"
#include "lang/lang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "kernel_text: %s\n", what);
    abort();
}

/* As in the fixtures, a first line "// constants: R=8" gives load-time constants. */
static const char *find_constants(const char *program, size_t size, char constants[200])
{
    static const char start[] = "// constants: ";
    size_t length = sizeof start - 1, end = length;
    if (size < length || memcmp(program, start, length) != 0) return NULL;
    while (end < size && program[end] != '\n') end++;
    snprintf(constants, 200, "%.*s", (int)(end - length), program + length);
    return constants;
}

/* The storage types of a kernel's fields: for each the n-th of those that it may have. */
static void choose_storage(const ir_kernel *kernel, int n, kata_type *storage)
{
    for (int p = 0; p < kernel->param_count; p++) {
        storage[p] = KATA_F64;
        if (!ir_param_is_field(&kernel->params[p])) continue;
        int left = n % IR_STORAGE_COUNT;
        for (int s = 0; left >= 0; s = (s + 1) % IR_STORAGE_COUNT) {
            if (!ir_storage_suits((kata_type)s, kernel->params[p].type)) continue;
            storage[p] = (kata_type)s;
            left--;
        }
    }
}

static void write_code(const ir_kernel *kernel, int n)
{
    kata_type *storage = calloc((size_t)kernel->param_count + 1, sizeof *storage);
    require(storage != NULL, "out of memory");
    choose_storage(kernel, n, storage);
    codegen_loop loop = {
        .kernel = kernel, .storage = storage, .colored = n % 2, .lines = n % 3 == 1};
    text out = {0};
    char name[64];
    codegen_name(&loop, name);
    if (n == 0)
        codegen_file_text(&out, &loop, 1);
    else
        codegen_function_text(&out, &loop); /* what stands in front takes long to write */
    require(!out.failed && strstr(text_get(&out), name), "the code has no function of its name");
    text_free(&out);
    free(storage);
}

static void use_kernel(const ir_kernel *kernel)
{
    text out = {0};
    const char *wrong = ir_verify(kernel);
    require(!wrong, wrong);
    ir_print(&out, kernel);
    require(!out.failed && out.length > 0, "the kernel does not print");
    text_free(&out);
    for (int n = 0; n < 3; n++) write_code(kernel, n);
}

/* A message is text that a terminal can be given, whatever the kernel text has in it. */
static void check_message(void *data, kata_status status, const char *message)
{
    int *errors = data;
    *errors += status != KATA_OK;
    require(message[0] != '\0', "an empty message");
    for (const char *c = message; *c; c++)
        require(*c == '\n' || ((unsigned char)*c >= ' ' && *c != 127), "a message holds a sign "
                                                                       "that terminals obey");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char constants[200];
    const lang_options options = {.constants = find_constants((const char *)data, size, constants)};
    int errors = 0;
    messages m = {.handler = check_message, .handler_data = &errors};
    lang_module *module = NULL;
    kata_status status = lang_compile("fuzz.kata", (const char *)data, size, &options, &m, &module);
    require(status == m.status && (status == KATA_OK) == (module != NULL), "a wrong status");
    require(errors == (status != KATA_OK), "not one message per error");
    require(status == KATA_OK || status == KATA_ERROR_KERNEL || status == KATA_ERROR_LIMIT,
            "neither compiled nor refused");
    for (int i = 0; module && i < module->count; i++) {
        use_kernel(module->kernels[i]);
        if (module->f32_versions[i]) use_kernel(module->f32_versions[i]);
    }
    lang_module_free(module);
    message_free(&m);
    return 0;
}
