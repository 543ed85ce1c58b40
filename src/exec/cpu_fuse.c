/* Loops that run as one, point by point: where loops over the same points follow one another, and
 * none looks around its point at what another one writes, one loop does the work of all
 * (ir/fuse.c). Fields that several of them touch then pass through the caches once.
 *
 * Groups are found from the first loop of a chain on, each as large as it may be, within a time
 * step: so steps have equal groups. What was found is remembered by the hashes of loops; so a chain
 * that was met before costs a look for each loop.
 *
 * Results are the same either way. So nobody waits for a compiler: loops run one by one until the
 * functions of all groups are there. They are made beside the program, when its loops have run for
 * long enough; or are in the cache from an earlier start. */
#include "exec/fuse.h"

#include <stdlib.h>

/* Points that loops run before compiling is worth it. */
static const double WORTH_FUSING = HOSTILE(0x1p28, 0x1p17);
/* Until then, and until some are found, it is looked every so many chains whether functions are
 * there. */
enum { LOOK_EACH = HOSTILE(16, 2) };

/* ---- groups ---------------------------------------------------------------------------------- */

/* A hash of loops. */
static uint64_t hash_loops(const chain_loop *loops, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ loops[i].hash) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Finds the largest group that the first of some loops begins. False when memory is out. */
static bool find_group(struct cpu_fuser *fuser, const chain_loop *loops, size_t count,
                       fuse_memo *out)
{
    fuse_group g = {.loops = loops};
    joined_kernel *fused, *last = NULL;
    out->fused = NULL;
    out->count = 1;
    if (!fuse_can_have(loops)) return true;
    for (g.count = 2; g.count <= (int)count && fuse_can_follow(loops, g.count - 1); g.count++) {
        if (!fuse_params(&g)) break;
        if (!fuse_kernel(fuser, &g, &fused)) return false;
        if (!fused->kernel) break;
        last = fused;
        out->count = g.count;
        for (int i = 0; i < FUSE_MOST_PARAMS; i++) out->of[i] = (uint8_t)g.of[i];
    }
    out->fused = last;
    return true;
}

/* How many loops may be in a group with the first of some: hashes do not say where steps end. */
static size_t count_candidates(const chain_loop *loops, size_t left)
{
    size_t count = 1;
    while (count < left && count < FUSE_MOST_LOOPS && loops[count].steps == loops->steps) count++;
    return count;
}

/* The same, remembered. NULL when memory is out. */
static const fuse_memo *look_up_group(struct cpu_fuser *fuser, const chain_loop *loops, size_t left)
{
    const size_t count = count_candidates(loops, left);
    const uint64_t key = hash_loops(loops, count);
    fuse_memo *memo = &fuser->memos[(key >> 32) % FUSE_MEMOS];
    if (memo->key == key) return memo;
    memo->key = 0;
    if (!find_group(fuser, loops, count, memo)) return NULL;
    memo->key = key;
    return memo;
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* Adds one loop for a group. Loops whose rules are not as they were before stay apart. */
static size_t add_group(struct exec_cpu *cpu, const chain_loop *loops, const fuse_memo *memo,
                        chain *out)
{
    chain_loop *loop = &out->loops[out->count++];
    const chain_binding *own = memo->fused ? fuse_bindings(loops, memo, &cpu->chain_memory) : NULL;
    *loop = loops[own ? memo->count - 1 : 0];
    if (!own) return 1;
    loop->kernel = memo->fused->kernel;
    loop->bindings = own;
    loop->hash = hash_loops(loops, (size_t)memo->count);
    return (size_t)memo->count;
}

/* Whether a chain has groups. False also when memory is out: nothing is wrong then. */
static bool has_groups(struct cpu_fuser *fuser, const chain *c)
{
    const fuse_memo *memo = NULL;
    for (size_t i = 0; i < c->count; i += (size_t)memo->count) {
        memo = look_up_group(fuser, &c->loops[i], c->count - i);
        if (!memo || memo->fused) return memo;
    }
    return false;
}

/* Sets `out` to the chain of all groups. False when memory is out. */
static bool fuse_chain(struct exec_cpu *cpu, const chain *c, chain *out)
{
    *out = *c;
    out->count = 0;
    out->loops = arena_array(&cpu->chain_memory, c->count + 1, sizeof *out->loops);
    for (size_t i = 0; i < c->count && out->loops;) {
        const fuse_memo *memo = look_up_group(cpu->fuser, &c->loops[i], c->count - i);
        if (!memo) return false;
        if (i == c->step) out->step = out->count;
        i += add_group(cpu, &c->loops[i], memo, out);
    }
    if (c->step == c->count) out->step = out->count;
    return out->loops;
}

/* Notes which kernels do the work of several. */
static void note_used(struct cpu_fuser *fuser, const chain *c)
{
    const fuse_memo *memo;
    for (size_t i = 0; i < c->count; i += (size_t)memo->count) {
        memo = look_up_group(fuser, &c->loops[i], c->count - i);
        if (!memo) return;
        if (memo->fused) memo->fused->used = true;
    }
}

/* ---- when ------------------------------------------------------------------------------------ */

/* Whether it is time to look for functions. `due`: or to make them. */
static bool looks(struct cpu_fuser *fuser, const chain *c, bool due)
{
    if (!due)
        for (size_t i = 0; i < c->count; i++)
            fuser->points += (double)chain_loop_points(&c->loops[i]);
    return due || fuser->found || fuser->chains++ % LOOK_EACH == 0;
}

/* Who tunes waits. */
static kata_status compile_now(exec_context *context, const chain *c, size_t *functions,
                               messages *m)
{
    const bool wait = context->wait;
    context->wait = true;
    kata_status status = cpu_compile(context, c, functions, m);
    context->wait = wait;
    return status;
}

kata_status cpu_fuse(exec_context *context, const chain *c, chain *out, size_t **functions,
                     messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    bool complete = false;
    if (!cpu->fuser) cpu->fuser = calloc(1, sizeof *cpu->fuser);
    if (!cpu->fuser) return message_no_memory(m);
    const bool due = context->tune || cpu->fuser->points >= WORTH_FUSING;
    if (!looks(cpu->fuser, c, due)) return KATA_OK;
    if (!has_groups(cpu->fuser, c)) return KATA_OK;
    size_t *own = arena_array(&cpu->chain_memory, c->count + 1, sizeof *own);
    if (!own || !fuse_chain(cpu, c, out)) return message_no_memory(m);
    kata_status status = context->tune ? compile_now(context, out, own, m)
                                       : cpu_compile_beside(context, out, own, due, &complete, m);
    complete = complete || (context->tune && !status);
    if (!complete) out->count = 0;
    if (complete) *functions = own;
    if (complete) note_used(cpu->fuser, c);
    if (complete) observe_meter_meet(context->meter, out);
    cpu->fuser->found = cpu->fuser->found || complete;
    return status;
}

/* ---- for people, and the end ----------------------------------------------------------------- */

void cpu_fused_explain(const struct exec_cpu *cpu, bool json, text *out)
{
    const joined_kernel *f = cpu->fuser ? cpu->fuser->kernels : NULL;
    for (; f; f = f->next) {
        if (!f->used) continue;
        text_add(out,
                 json ? "{\"kind\": \"fused\", \"kernels\": [\"%s\", \"%s\"]}\n"
                      : "  \"%s\", \"%s\" run as one loop, point by point\n",
                 f->names, f->last);
    }
}

void cpu_fuser_free(struct exec_cpu *cpu)
{
    if (cpu->fuser) joined_kernels_free(&cpu->fuser->kernels);
    free(cpu->fuser);
    cpu->fuser = NULL;
}
