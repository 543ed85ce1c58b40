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
/* Until then, and until some are found, it is looked whether functions are there: at the first
 * chains, and then at one of so many. */
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

/* Groups of a chain: `chain` has one loop for each, and one for each loop in no group. */
typedef struct fused_chain {
    chain chain;
    chain made; /* the loops of groups alone */
    bool *has;  /* for each of them: its function has code */
    joined_kernel **of;
} fused_chain;

/* Adds loops as they are. */
static size_t add_apart(const chain_loop *loops, int count, chain *out)
{
    for (int i = 0; i < count; i++) out->loops[out->count++] = loops[i];
    return (size_t)count;
}

/* Adds one loop for a group whose function has code. Loops whose rules are not as they were before
 * stay apart. */
static size_t add_group(struct exec_cpu *cpu, const chain_loop *loops, const fuse_memo *memo,
                        fused_chain *out)
{
    const chain_binding *own = memo->fused ? fuse_bindings(loops, memo, &cpu->chain_memory) : NULL;
    const size_t number = out->made.count;
    if (!own) return add_apart(loops, 1, &out->chain);
    out->of[number] = memo->fused;
    out->made.count++;
    if (!out->has[number]) return add_apart(loops, memo->count, &out->chain);
    chain_loop *loop = &out->made.loops[number];
    *loop = loops[memo->count - 1];
    loop->kernel = memo->fused->kernel;
    loop->bindings = own;
    loop->hash = hash_loops(loops, (size_t)memo->count);
    add_apart(loop, 1, &out->chain);
    return (size_t)memo->count;
}

/* Sets the chain of all groups whose functions have code. False when memory is out. */
static bool fuse_chain(struct exec_cpu *cpu, const chain *c, fused_chain *out)
{
    chain *own = &out->chain;
    own->count = out->made.count = 0;
    for (size_t i = 0; i < c->count;) {
        const fuse_memo *memo = look_up_group(cpu->fuser, &c->loops[i], c->count - i);
        if (!memo) return false;
        if (i == c->step) own->step = own->count;
        i += add_group(cpu, &c->loops[i], memo, out);
    }
    if (c->step == c->count) own->step = own->count;
    return true;
}

static bool reserve(struct exec_cpu *cpu, const chain *c, fused_chain *out)
{
    arena *memory = &cpu->chain_memory;
    *out = (fused_chain){.chain = *c, .made = *c};
    out->chain.loops = arena_array(memory, c->count + 1, sizeof *out->chain.loops);
    out->made.loops = arena_array(memory, c->count + 1, sizeof *out->made.loops);
    out->has = arena_array(memory, c->count + 1, sizeof *out->has);
    out->of = arena_array(memory, c->count + 1, sizeof *out->of);
    if (!out->chain.loops || !out->made.loops || !out->has || !out->of) return false;
    for (size_t i = 0; i < c->count; i++) out->has[i] = true;
    return true;
}

/* Notes which kernels do the work of several. */
static void note_used(const fused_chain *f)
{
    for (size_t i = 0; i < f->made.count; i++) f->of[i]->used = f->of[i]->used || f->has[i];
}

/* ---- when ------------------------------------------------------------------------------------ */

/* Whether it is time to look for functions. `due`: or to make them. */
static bool looks(struct cpu_fuser *fuser, const chain *c, bool due)
{
    for (size_t i = 0; i < c->count && !due; i++)
        fuser->points += (double)chain_loop_points(&c->loops[i]);
    const uint64_t turn = fuser->chains++;
    return due || fuser->found || turn < LOOK_EACH || turn % LOOK_EACH == 0;
}

/* Finds the groups whose functions have code, and starts compilers for others; who tunes waits for
 * all. */
static kata_status find_code(exec_context *context, const chain *c, fused_chain *out, bool due,
                             messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    bool some = false, all = true;
    if (context->tune) return KATA_OK;
    kata_status status = cpu_compile_beside(context, c, &out->made, due, out->has, m);
    for (size_t i = 0; i < out->made.count; i++) {
        some = some || out->has[i];
        all = all && out->has[i];
    }
    cpu->fuser->found = cpu->fuser->found || some;
    if (status || all) return status;
    if (some) return fuse_chain(cpu, c, out) ? KATA_OK : message_no_memory(m);
    out->chain.count = 0;
    return KATA_OK;
}

kata_status cpu_fuse(exec_context *context, const chain *c, chain *out, size_t **functions,
                     messages *m)
{
    struct exec_cpu *cpu = context->cpu;
    const bool wait = context->wait;
    fused_chain fused;
    if (!cpu->fuser) cpu->fuser = calloc(1, sizeof *cpu->fuser);
    if (!cpu->fuser) return message_no_memory(m);
    const bool due = context->tune || cpu->fuser->points >= WORTH_FUSING;
    if (!looks(cpu->fuser, c, due) || !has_groups(cpu->fuser, c)) return KATA_OK;
    size_t *own = arena_array(&cpu->chain_memory, c->count + 1, sizeof *own);
    if (!own || !reserve(cpu, c, &fused) || !fuse_chain(cpu, c, &fused))
        return message_no_memory(m);
    kata_status status = find_code(context, c, &fused, due, m);
    if (status || !fused.chain.count || fused.chain.count == c->count) return status;
    context->wait = wait || context->tune;
    status = cpu_compile(context, &fused.chain, own, m);
    context->wait = wait;
    *out = fused.chain;
    *functions = own;
    note_used(&fused);
    observe_meter_meet(context->meter, out);
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
