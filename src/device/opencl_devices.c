/* The OpenCL devices of this machine, counted over all platforms. */
#include "device/opencl_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_PLATFORMS = 32, MOST_DEVICES = 64 };

/* ---- asking ---------------------------------------------------------------------------------- */

/* Makes of an answer a text that ends within its room. */
static void settle_text(char *value, size_t room, int32_t result)
{
    if (result != CL_OK) *value = '\0';
    value[room - 1] = '\0';
    for (char *c = value; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
}

void opencl_ask_platform(const opencl_api *api, void *platform, uint32_t which, char *value,
                         size_t room)
{
    char whole[1024] = "";
    int32_t result = api->platform_info(platform, which, sizeof whole, whole, NULL);
    settle_text(whole, sizeof whole, result);
    snprintf(value, room, "%s", whole);
}

void opencl_ask_device(const opencl_api *api, void *device, uint32_t which, char *value,
                       size_t room)
{
    char whole[1024] = "";
    int32_t result = api->device_info(device, which, sizeof whole, whole, NULL);
    settle_text(whole, sizeof whole, result);
    snprintf(value, room, "%s", whole);
}

/* A number of 32 or 64 bits about a device; 0 where it has none. */
static uint64_t ask(const opencl_api *api, void *device, uint32_t which)
{
    uint64_t value = 0; /* little-endian machines only, as all that Katagami runs on */
    size_t size = 0;
    if (api->device_info(device, which, sizeof value, &value, &size) != CL_OK) return 0;
    return size == sizeof(uint32_t) ? (uint32_t)value : value;
}

/* Whether a word is in the list of a device's extensions. */
static bool has_extension(const opencl_api *api, void *device, const char *word)
{
    size_t size = 0, length = strlen(word);
    if (api->device_info(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_OK) return false;
    char *list = calloc(1, size + 1);
    bool has = false;
    if (list && api->device_info(device, CL_DEVICE_EXTENSIONS, size, list, NULL) == CL_OK)
        for (const char *at = list; !has && (at = strstr(at, word)); at += length)
            has = (at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    free(list);
    return has;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Fills a list with at most MOST_DEVICES; returns their number. */
static int list_at_once(const opencl_api *api, opencl_listed *list)
{
    void *platforms[MOST_PLATFORMS], *devices[MOST_DEVICES];
    uint32_t platform_count = 0, count;
    int found = 0;
    if (api->platforms(MOST_PLATFORMS, platforms, &platform_count) != CL_OK) return 0;
    for (uint32_t p = 0; p < platform_count && p < MOST_PLATFORMS; p++) {
        count = 0;
        if (api->devices(platforms[p], CL_TYPE_ANY, MOST_DEVICES, devices, &count) != CL_OK)
            continue;
        for (uint32_t i = 0; i < count && i < MOST_DEVICES && found < MOST_DEVICES; i++)
            list[found++] = (opencl_listed){platforms[p], devices[i]};
    }
    return found;
}

/* One thread after another: drivers begin when they are first asked, and not all of them take it
 * well from several threads. */
static int list_devices(const opencl_api *api, opencl_listed *list)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const int count = list_at_once(api, list);
    pthread_mutex_unlock(&lock);
    return count;
}

int opencl_count(text *why)
{
    opencl_listed list[MOST_DEVICES];
    const opencl_api *api = opencl_loader(why);
    int count = api ? list_devices(api, list) : 0;
    struct rlimit most;
    const bool limited = !getrlimit(RLIMIT_AS, &most) && most.rlim_cur != RLIM_INFINITY;
    if (api && !count)
        text_add(why,
                 "OpenCL finds no device; %sinstall the device's OpenCL driver (Debian: "
                 "pocl-opencl-icd computes on the CPU)",
                 limited ? "its driver may need more memory than ulimit -v lets it have; or " : "");
    return count;
}

bool opencl_find(const opencl_api *api, int number, opencl_listed *found, text *why)
{
    opencl_listed list[MOST_DEVICES];
    int count = list_devices(api, list);
    if (number < count) {
        *found = list[number];
        return true;
    }
    text_add(why, "OpenCL has no device %d", number);
    return false;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void fill_facts(const opencl_api *api, const opencl_listed *found, device_facts *facts)
{
    void *device = found->device;
    *facts = (device_facts){.language = DEVICE_OPENCL,
                            .memory = (int64_t)ask(api, device, CL_DEVICE_MEMORY),
                            .largest = (int64_t)ask(api, device, CL_DEVICE_LARGEST_ALLOCATION),
                            .cache = (int64_t)ask(api, device, CL_DEVICE_CACHE_BYTES),
                            .units = (int)ask(api, device, CL_DEVICE_UNITS),
                            .most_threads = (int)ask(api, device, CL_DEVICE_MOST_THREADS),
                            .most_groups = {INT32_MAX, INT32_MAX, INT32_MAX},
                            .local = (int64_t)ask(api, device, CL_DEVICE_LOCAL_BYTES),
                            .arguments = (int64_t)ask(api, device, CL_DEVICE_ARGUMENT_BYTES),
                            .halves = has_extension(api, device, "cl_khr_fp16"),
                            .shares_memory = ask(api, device, CL_DEVICE_SHARES_MEMORY) != 0};
    facts->local_in_text = facts->local;
    opencl_ask_device(api, device, CL_DEVICE_NAME, facts->name, sizeof facts->name);
    opencl_ask_device(api, device, CL_DRIVER_VERSION, facts->target, sizeof facts->target);
    opencl_ask_platform(api, found->platform, CL_PLATFORM_NAME, facts->platform,
                        sizeof facts->platform);
}

static opencl_abilities abilities_of(const opencl_api *api, void *device)
{
    return (opencl_abilities){.single = ask(api, device, CL_DEVICE_SINGLE),
                              .of_double = has_extension(api, device, "cl_khr_fp64")
                                               ? ask(api, device, CL_DEVICE_DOUBLE)
                                               : 0,
                              .little_endian = ask(api, device, CL_DEVICE_LITTLE_ENDIAN) != 0,
                              .has_compiler = ask(api, device, CL_DEVICE_HAS_COMPILER) != 0,
                              .address_bits = (uint32_t)ask(api, device, CL_DEVICE_ADDRESS_BITS)};
}

bool opencl_describe(int number, device_facts *facts, text *why)
{
    opencl_listed found;
    text what = {0};
    const opencl_api *api = opencl_loader(why);
    if (!api || !opencl_find(api, number, &found, why)) return false;
    fill_facts(api, &found, facts);
    opencl_abilities abilities = abilities_of(api, found.device);
    bool lacks = opencl_lacks(&abilities, &what);
    if (lacks)
        text_add(why, "%s lacks %s: results would differ from those of other devices", facts->name,
                 text_get(&what));
    text_free(&what);
    return !lacks;
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* One of those that can be used, of processors of graphics or of any kind; -1, and why not. */
static int choose_among(const opencl_api *api, uint64_t type, int turn, int *turns, text *why)
{
    opencl_listed list[MOST_DEVICES];
    int suitable[MOST_DEVICES], found = 0, count = list_devices(api, list);
    for (int i = 0; i < count; i++) {
        text reason = {0};
        device_facts facts;
        bool good = (ask(api, list[i].device, CL_DEVICE_TYPE) & type) != 0 &&
                    opencl_describe(i, &facts, &reason);
        if (reason.length) text_add(why, "%s%s", why->length ? "; " : "", text_get(&reason));
        text_free(&reason);
        if (good) suitable[found++] = i;
    }
    *turns = found;
    return found ? suitable[turn % found] : -1;
}

int opencl_choose(int turn, int *turns, text *why)
{
    text ignored = {0};
    const opencl_api *api = opencl_loader(why);
    int number = api ? choose_among(api, CL_TYPE_GPU, turn, turns, &ignored) : -1;
    if (api && number < 0) number = choose_among(api, CL_TYPE_ANY, turn, turns, why);
    text_free(&ignored);
    return number;
}
