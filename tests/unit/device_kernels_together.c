/* The texts of kernels begin alike, and most of the time that PoCL takes for a program is the same
 * for any program. So kernels are compiled together: what their texts begin with, once, and then
 * their functions. */
#include "device_kernels_together.h"

#include "api/api.h"
#include "exec/device_tune.h"

#include <stdlib.h>
#include <string.h>

extern const char codegen_places_text[];

long *device_kernels_made;

enum { MOST = 512 };

typedef struct group {
    device_making all[MOST];
    int count;
} group;

/* ---- which kernels --------------------------------------------------------------------------- */

/* Of one name there is one: a kernel that is given a field twice has another text by that name. */
static bool is_among(const group *g, const char *name)
{
    bool among = false;
    for (int i = 0; i < g->count; i++) among = among || !strcmp(g->all[i].name, name);
    return among;
}

/* Numbers of elements have one type in a text. */
static bool suits(const device_making *made)
{
    return made->source.length && strstr(text_get(&made->source), "#define ABI_STEP int32_t");
}

static void add(group *g, const device_loop *l)
{
    device_making made;
    if (!l->ready || l->ready->why || l->loop->copy || l->loop->sparse || l->loop->at_once ||
        grid_box_is_empty(&l->loop->box) || g->count == MOST)
        return;
    if (!device_begin_kernel(l, -1, &made)) return;
    if (is_among(g, made.name) || !suits(&made))
        device_making_free(&made);
    else
        g->all[g->count++] = made;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *behind(const char *words, const char *part)
{
    const char *found = strstr(words, part);
    return found ? found + strlen(part) : words;
}

/* Where the functions of a text begin. */
static const char *functions_of(const char *words)
{
    words = behind(words, codegen_places_text);
    words = behind(words, ir_elementary_text);
    return behind(words, ir_elementary_trig_text);
}

static void add_texts(const group *g, text *out)
{
    const char *first = text_get(&g->all[0].source);
    const int before = (int)(behind(first, codegen_places_text) - first);
    text_add(out, "%.*s\n%s\n%s", before, first, ir_elementary_text, ir_elementary_trig_text);
    for (int i = 0; i < g->count; i++)
        text_add(out, "\n%s\n#undef given\n", functions_of(text_get(&g->all[i].source)));
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* The first function of the context that names the module frees it. */
static void load(struct exec_device *d, const group *g, const device_binary *binary)
{
    void *functions = d->functions;
    device_module *module = device_load(d->device, binary);
    if (!module || !vector_reserve(&functions, &d->function_room,
                                   d->function_count + (size_t)g->count, sizeof *d->functions))
        abort();
    d->functions = functions;
    for (int i = 0; i < g->count; i++) {
        device_kernel *kernel = device_find_kernel(d->device, module, g->all[i].name);
        if (!kernel) abort();
        d->functions[d->function_count++] =
            (device_function){g->all[i].key, i ? NULL : module, kernel};
    }
}

/* Contexts that follow one another need the same. */
static void compile(struct exec_device *d, const group *g)
{
    static device_binary binary;
    static uint64_t hash;
    text all = {0}, log = {0};
    add_texts(g, &all);
    const uint64_t key = hash_bytes(text_get(&all), all.length, 1);
    if (hash != key) {
        free(binary.bytes);
        if (!device_compile(d->device, text_get(&all), &binary, &log)) {
            fprintf(stderr, "%s\n%s\n", device_error(d->device), text_get(&log));
            abort();
        }
        hash = key;
    }
    load(d, g, &binary);
    text_free(&all);
    text_free(&log);
}

void device_kernels_compile(kata *k)
{
    static group g;
    static bool again;
    device_loop l = {&k->exec, k->exec.device, NULL, &k->messages, NULL};
    g.count = 0;
    for (size_t i = 0; i < k->chain.count; i++) {
        l.loop = &k->chain.loops[i];
        l.ready = device_ready_of(l.d, l.loop);
        add(&g, &l);
    }
    if (g.count) compile(l.d, &g);
    if (!again) *device_kernels_made += g.count;
    again = true;
    while (g.count) device_making_free(&g.all[--g.count]);
}
