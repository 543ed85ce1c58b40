/* The executor of chains with fields in files: it streams them (files_stream.c); of chains on
 * periodic fields, sections that are rolled out (stream_seam.c). Where no plan suits, it runs the
 * whole chain, on the mapped files. */
#include "exec/on_files.h"

#include "exec/alike.h"

#include <stdlib.h>
#include <string.h>

/* Fields that were made before others may have taken the memory that rings need. */
static kata_status send_away(const chain *c, messages *m)
{
    kata_status status = KATA_OK;
    for (size_t i = 0; i < c->count; i++)
        for (int p = 0; p < c->loops[i].kernel->param_count && !status; p++) {
            const chain_binding *b = &c->loops[i].bindings[p];
            if (b->slot && !store_slot_send_away(b->slot, false))
                status = store_no_memory(b->slot, b->name, m);
        }
    return status;
}

/* Whether the fields of the program need more memory than the limit. */
static bool is_short(const chain *c)
{
    bool some = false;
    for (size_t i = 0; i < c->slot_count && !some; i++)
        some = c->slots[i]->pool && store_pool_is_short(c->slots[i]->pool);
    return some;
}

static kata_status run_on_files(exec_context *context, chain *c, messages *m)
{
    bool done = false;
    kata_status status = KATA_OK;
    const bool alone = !context->ranks && is_short(c);
    if (alone) status = files_run_beside(context->files, c, m, &done);
    if (alone && !status && !done) status = files_run_turned(context->files, c, m, &done);
    if (status || done) return status;
    status = sweep_make_arrays(c, m);
    const chain_slot *far = stream_far_slot(c);
    if (!status && far) status = files_give_way(context->files, c, far, m);
    if (!status) status = send_away(c, m);
    if (status) return status;
    if (stream_far_slot(c)) return stream_chain(&context->files->streams, c, m);
    return exec_cpu.run(context, c, m);
}

const exec_executor exec_on_files = {"files", run_on_files};

#define MEETS "reductions and checks meet other ranks"

/* What reduces meets other ranks, as often as they do; so does the first of their checks that
 * fails. */
static bool meets_ranks(const chain_loop *loop)
{
    bool meets = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        meets = meets || ir_param_is_reduction(&loop->kernel->params[p]);
    return meets || loop->kernel->check_count > 0;
}

kata_status exec_files_run_own(exec_context *context, chain *c, messages *m)
{
    if (!context->files) return exec_cpu.run(context, c, m);
    if (!context->ranks) return exec_on_files.run(context, c, m);
    kata_status status = KATA_OK;
    for (size_t first = 0, count; first < c->count && !status; first += count) {
        const bool meets = meets_ranks(&c->loops[first]);
        for (count = 1; first + count < c->count; count++)
            if (meets_ranks(&c->loops[first + count]) != meets) break;
        chain part = cpu_part(c, first, count);
        if (meets)
            stream_note_home(&context->files->streams, &part.loops[0], (int64_t)count, MEETS);
        status = (meets ? exec_cpu : exec_on_files).run(context, &part, m);
    }
    return status;
}

kata_status exec_files_open(exec_context *context, int64_t rate, messages *m)
{
    context->files = calloc(1, sizeof *context->files);
    if (!context->files) return message_no_memory(m);
    context->files->rate = rate;
    stream_setup(&context->files->streams, context, &files_memory);
    context->wait = true; /* reductions of tiles meet others, which interpreted loops cannot */
    return KATA_OK;
}

kata_status exec_files_run_plan(exec_context *context, const chain *c, const plan *p,
                                const analysis_chain *a, messages *m)
{
    return stream_run_plan(&context->files->streams, &(stream_work){.c = c, .p = p, .a = a}, m);
}

void exec_files_close(exec_context *context)
{
    if (!context->files) return;
    port_close(context->files->port);
    free(context->files->kept);
    free(context->files);
    context->files = NULL;
}
