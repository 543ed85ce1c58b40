/* Modules and their kernels; launches.
 *
 * An image is a shared object of this machine. Its length, which nobody tells, is where its table
 * of sections ends. */
#include "cuda_shim.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shim_module {
    void *object;
    struct shim_function *functions;
};

enum { FREE_LOCAL = 49152, MOST_ARGUMENTS = 32764 }; /* bytes */

CUDA_SHIM_API cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, void *options,
                                 void **values);
CUDA_SHIM_API cuModuleLoadData(CUmodule *module, const void *image);
CUDA_SHIM_API cuModuleUnload(CUmodule module);
CUDA_SHIM_API cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUDA_SHIM_API cuFuncSetAttribute(CUfunction function, int attribute, int value);
CUDA_SHIM_API cuLaunchKernel(CUfunction function, unsigned blocks_x, unsigned blocks_y,
                             unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                             unsigned threads_z, unsigned dynamic, CUstream stream,
                             void **arguments, void **extra);

/* ---- loading --------------------------------------------------------------------------------- */

static size_t image_size(const void *image)
{
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_type != ET_DYN) return 0;
    return head.e_shoff + (size_t)head.e_shentsize * head.e_shnum;
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* Through a file that is gone at once. */
static void *load_object(const void *image, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/cuda_shim_XXXXXX", temporary ? temporary : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) return NULL;
    const bool written = write_all(file, image, size);
    close(file);
    void *object = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (written && !object) fprintf(stderr, "CUDA shim: %s\n", dlerror());
    unlink(path);
    return object;
}

static CUresult load(CUmodule *module, const void *image)
{
    const size_t size = image_size(image);
    if (size == 0) return CUDA_ERROR_INVALID_IMAGE;
    CUmodule made = calloc(1, sizeof *made);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    made->object = load_object(image, size);
    shim_calls *calls = made->object ? dlsym(made->object, "katagami_shim") : NULL;
    if (!calls) {
        if (made->object) dlclose(made->object);
        free(made);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    shim_calls_set(calls);
    *module = made;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, void *options,
                            void **values)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!module || !image || (count > 0 && (!options || !values)))
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    return shim_leave(load(module, image));
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleUnload(CUmodule module)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!module) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    shim_finish_all();
    while (module->functions) {
        struct shim_function *first = module->functions;
        module->functions = first->next;
        free(first->name);
        free(first);
    }
    dlclose(module->object);
    free(module);
    return shim_leave(CUDA_SUCCESS);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static struct shim_function *find_function(CUmodule module, const char *name)
{
    struct shim_function *f = module->functions;
    while (f && strcmp(f->name, name) != 0) f = f->next;
    if (f) return f;
    char entry[4096];
    snprintf(entry, sizeof entry, "%s__entry", name);
    /* without extern "C" the kernel itself has another name */
    const shim_entry *found = dlsym(module->object, name) ? dlsym(module->object, entry) : NULL;
    f = found ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    *f = (struct shim_function){module->functions, strdup(name), found,
                                dlsym(module->object, "katagami_shim"), FREE_LOCAL};
    if (!f->name) abort();
    module->functions = f;
    return f;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!function || !module || !name) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    struct shim_function *found = find_function(module, name);
    if (!found) return shim_leave(CUDA_ERROR_NOT_FOUND);
    *function = found;
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    enum { MOST_DYNAMIC = 8, CARVEOUT = 9 }; /* as CUDA's documentation numbers them */
    const CUresult result = shim_enter();
    if (result) return result;
    if (!function || (attribute != MOST_DYNAMIC && attribute != CARVEOUT))
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (attribute == MOST_DYNAMIC && (value < 0 || value > SHIM_LOCAL))
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (attribute == MOST_DYNAMIC) function->most_dynamic = (unsigned)value;
    return shim_leave(CUDA_SUCCESS);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* What is queued: arguments follow, each at a multiple of 16 bytes. */
typedef struct queued {
    _Alignas(16) shim_launch launch;
} queued;

static size_t argument_bytes(unsigned size) { return (size + 15u) / 16u * 16u; }

static CUresult run_queued(void *data)
{
    static int64_t number;
    queued *q = data;
    const shim_entry *entry = q->launch.function->entry;
    if (++number == shim_number("KATA_SHIM_LOSE", 0)) return CUDA_ERROR_LAUNCH_FAILED;
    void **arguments = malloc((entry->count + 1) * sizeof *arguments);
    if (!arguments) abort();
    unsigned char *at = (unsigned char *)(q + 1);
    for (unsigned i = 0; i < entry->count; i++) {
        arguments[i] = at;
        at += argument_bytes(entry->sizes[i]);
    }
    q->launch.arguments = arguments;
    const CUresult result = shim_launch_run(&q->launch);
    free(arguments);
    return result;
}

/* How often functions were queued, by name. */
static struct counted {
    char name[64];
    int64_t count;
} counted[256];

static void count_launch(const char *name)
{
    struct counted *c = counted;
    while (c->count && strncmp(c->name, name, sizeof c->name - 1)) c++;
    if (c == counted + sizeof counted / sizeof *counted - 1) return;
    if (!c->count) strncpy(c->name, name, sizeof c->name - 1);
    c->count++;
}

int64_t shim_launches(const char *name)
{
    int64_t count = 0;
    for (const struct counted *c = counted; c->count; c++)
        if (!*name || !strcmp(c->name, name)) count += c->count;
    return count;
}

CUresult shim_launch_queue(const shim_launch *launch, CUstream stream)
{
    const shim_entry *entry = launch->function->entry;
    size_t bytes = sizeof(queued), plain = 0;
    for (unsigned i = 0; i < entry->count; i++) {
        bytes += argument_bytes(entry->sizes[i]);
        plain += entry->sizes[i];
    }
    if (plain > MOST_ARGUMENTS) return CUDA_ERROR_INVALID_VALUE;
    queued *q = aligned_alloc(16, bytes);
    if (!q) return CUDA_ERROR_OUT_OF_MEMORY;
    q->launch = *launch;
    unsigned char *at = (unsigned char *)(q + 1);
    for (unsigned i = 0; i < entry->count; i++) {
        memcpy(at, launch->arguments[i], entry->sizes[i]);
        at += argument_bytes(entry->sizes[i]);
    }
    const CUresult result = shim_queue(stream, &(shim_work){run_queued, q, bytes});
    count_launch(launch->function->name);
    free(q);
    return result;
}

CUresult shim_launch_check(const shim_launch *l)
{
    const shim_size b = l->blocks, t = l->threads;
    if (b.x == 0 || b.y == 0 || b.z == 0 || t.x == 0 || t.y == 0 || t.z == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (b.x > 2147483647u || b.y > 65535 || b.z > 65535) return CUDA_ERROR_INVALID_VALUE;
    if (t.x > 1024 || t.y > 1024 || t.z > 64) return CUDA_ERROR_INVALID_VALUE;
    const unsigned threads = t.x * t.y * t.z, most = l->function->entry->most_threads;
    if (threads > 1024 || l->dynamic > l->function->most_dynamic) return CUDA_ERROR_INVALID_VALUE;
    if (most > 0 && threads > most) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (threads > shim_number("KATA_SHIM_THREADS", 1024)) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return l->function->entry->count > 0 && !l->arguments ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

void shim_launch_keep(shim_launch *kept, const shim_launch *launch)
{
    const shim_entry *entry = launch->function->entry;
    *kept = *launch;
    kept->arguments = calloc(entry->count + 1, sizeof *kept->arguments);
    if (!kept->arguments) abort();
    for (unsigned i = 0; i < entry->count; i++) {
        kept->arguments[i] = malloc(entry->sizes[i]);
        if (!kept->arguments[i]) abort();
        memcpy(kept->arguments[i], launch->arguments[i], entry->sizes[i]);
    }
}

void shim_launch_forget(shim_launch *kept)
{
    for (unsigned i = 0; i < kept->function->entry->count; i++) free(kept->arguments[i]);
    free(kept->arguments);
}

CUresult cuLaunchKernel(CUfunction function, unsigned blocks_x, unsigned blocks_y,
                        unsigned blocks_z, unsigned threads_x, unsigned threads_y,
                        unsigned threads_z, unsigned dynamic, CUstream stream, void **arguments,
                        void **extra)
{
    CUresult result = shim_enter();
    if (result) return result;
    if (!function) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    if (extra) return shim_leave(CUDA_ERROR_NOT_SUPPORTED);
    const shim_launch launch = {.function = function,
                                .blocks = {blocks_x, blocks_y, blocks_z},
                                .threads = {threads_x, threads_y, threads_z},
                                .dynamic = dynamic,
                                .arguments = arguments};
    result = shim_launch_check(&launch);
    if (!result) result = shim_launch_queue(&launch, stream);
    return shim_leave(result);
}
