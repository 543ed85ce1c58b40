/* Runs the blocks of a launch, one after another. */
#include "cuda_shim.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { JUNK = 0xff, BEHIND = 256 }; /* bytes behind shared memory that are looked at */

typedef struct blocks_run {
    const shim_launch *launch;
    bool descending;
    char words[200]; /* what is wrong */
} blocks_run;

static unsigned bytes_behind(const shim_launch *launch)
{
    const unsigned rest = SHIM_LOCAL - launch->dynamic;
    return rest < BEHIND ? rest : BEHIND;
}

static void begin_shared(const shim_launch *launch)
{
    const shim_calls *calls = launch->function->calls;
    memset(calls->shared_begin, JUNK, (size_t)(calls->shared_end - calls->shared_begin));
    memset(calls->dynamic, JUNK, launch->dynamic + bytes_behind(launch));
}

static bool shared_is_whole(const shim_launch *launch)
{
    const unsigned char *behind = launch->function->calls->dynamic + launch->dynamic;
    for (unsigned i = 0; i < bytes_behind(launch); i++) {
        if (behind[i] != JUNK) return false;
    }
    return true;
}

static bool run_block(blocks_run *r, uint64_t number)
{
    const shim_launch *launch = r->launch;
    const shim_size n = launch->blocks;
    shim_calls *calls = launch->function->calls;
    calls->block.x = (unsigned)(number % n.x);
    calls->block.y = (unsigned)(number / n.x % n.y);
    calls->block.z = (unsigned)(number / n.x / n.y);
    begin_shared(launch);
    if (!shim_threads_run(launch, (number % 2 == 1) != r->descending, r->words)) return false;
    if (shared_is_whole(launch)) return true;
    snprintf(r->words, sizeof r->words, "wrote behind the %u bytes of shared memory that it got",
             launch->dynamic);
    return false;
}

static void run_blocks(void *data)
{
    blocks_run *r = data;
    const shim_launch *launch = r->launch;
    const uint64_t count = (uint64_t)launch->blocks.x * launch->blocks.y * launch->blocks.z;
    launch->function->calls->threads = launch->threads;
    launch->function->calls->blocks = launch->blocks;
    for (uint64_t i = 0; i < count; i++) {
        if (!run_block(r, r->descending ? count - 1 - i : i)) return;
    }
}

static CUresult describe_signal(int signal, const void *address, char words[200])
{
    char where[200];
    CUresult why = CUDA_ERROR_LAUNCH_FAILED;
    if (address && shim_threads_own(address))
        snprintf(words, 200, "needs too much stack");
    else if (signal == SIGSEGV || signal == SIGBUS) {
        shim_memory_describe(address, where);
        snprintf(words, 200, "touched %.180s", where);
        why = CUDA_ERROR_ILLEGAL_ADDRESS;
    } else if (signal == SIGFPE)
        snprintf(words, 200, "divided an integer by zero");
    else
        snprintf(words, 200, "stopped by signal %d", signal);
    shim_threads_drop();
    return why;
}

CUresult shim_launch_run(const shim_launch *launch)
{
    static unsigned launches;
    blocks_run r = {.launch = launch, .descending = launches++ % 2 == 1};
    CUresult why = CUDA_ERROR_LAUNCH_FAILED;
    int signal;
    void *address;
    if (shim_guarded(run_blocks, &r, &signal, &address)) {
        if (!r.words[0]) return CUDA_SUCCESS;
    } else
        why = describe_signal(signal, address, r.words);
    const shim_size b = launch->function->calls->block, t = launch->function->calls->thread;
    fprintf(stderr, "CUDA shim: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s\n",
            launch->function->name, b.x, b.y, b.z, t.x, t.y, t.z, r.words);
    return why;
}
