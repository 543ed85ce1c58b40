/* The executor of chains with fields in files: it streams them (files_stream.c); of chains on
 * periodic fields, sections that are rolled out (files_seam.c). Where no plan suits, it runs the
 * whole chain, on the mapped files. */
#include "exec/on_files.h"

#include "exec/alike.h"

#include <stdlib.h>
#include <string.h>

static const chain_slot *far_slot(const chain *c)
{
    for (size_t i = 0; i < c->slot_count; i++)
        if (c->slots[i]->far) return c->slots[i];
    return NULL;
}

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

/* Of a plan that is asked for, windows are for this executor, and the executor "cpu" gets what is
 * to lie in their tiles. */
static void take_request(exec_context *context)
{
    plan_request *r = context->request;
    if (context->fastest || context->files->asked.method || strcmp(r->method, "streamed") != 0)
        return;
    context->files->asked = *r;
    context->files->asked.below = NULL;
    context->fastest = !r->below;
    for (; r->below; r++) {
        *r = *r->below;
        if (r->below) r->below = r + 1;
    }
}

static kata_status run_far(exec_context *context, chain *c, int64_t memory, messages *m)
{
    analysis_chain a;
    kata_status status;
    if (!analysis_chain_make(c, &a))
        status = message_no_memory(m);
    else if (files_has_seam(&a))
        status = files_run_seams(context, c, &a, m);
    else
        status = files_run_chain(context, c, &a, memory, m);
    analysis_chain_free(&a);
    return status;
}

static kata_status run_on_files(exec_context *context, chain *c, messages *m)
{
    kata_status status = sweep_make_arrays(c, m);
    if (!status) status = send_away(c, m);
    if (status) return status;
    const chain_slot *far = far_slot(c);
    if (!far) return exec_cpu.run(context, c, m);
    take_request(context);
    return run_far(context, c, store_pool_left(far->pool), m);
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
    kata_status status = KATA_OK;
    for (size_t first = 0, count; first < c->count && !status; first += count) {
        const bool meets = meets_ranks(&c->loops[first]);
        for (count = 1; first + count < c->count; count++)
            if (meets_ranks(&c->loops[first + count]) != meets) break;
        chain part = cpu_part(c, first, count);
        if (meets) files_note_mapped(context->files, &part.loops[0], (int64_t)count, MEETS);
        status = (meets ? exec_cpu : exec_on_files).run(context, &part, m);
    }
    return status;
}

kata_status exec_files_open(exec_context *context, int64_t rate, messages *m)
{
    context->files = calloc(1, sizeof *context->files);
    if (!context->files) return message_no_memory(m);
    context->files->rate = rate;
    context->files->deepest = FILES_DEPTH;
    context->across = (sweep_ranks){.gather = files_gather, .data = context};
    context->wait = true; /* reductions of tiles meet others, which interpreted loops cannot */
    return KATA_OK;
}

void exec_files_close(exec_context *context)
{
    if (!context->files) return;
    port_close(context->files->port);
    free(context->files);
    context->files = NULL;
}
