/* Kernels on devices: a thread runs a point, or some that follow one another (codegen_shape). Of a
 * loop with levels in order it runs a column, of a loop with reductions lanes of a brick. */
#include "codegen/thread.h"

#include <stdlib.h>

/* ---- what the kernel is given ---------------------------------------------------------------- */

static int field_count(const ir_kernel *kernel)
{
    int count = 0;
    for (int p = 0; p < kernel->param_count; p++) count += ir_param_is_field(&kernel->params[p]);
    return count;
}

static void add_given(const codegen_writer *w, nest *file, const char *name)
{
    const ir_kernel *kernel = w->loop->kernel;
    int fields = field_count(kernel), numbers = codegen_number_index(kernel, kernel->param_count);
    text *line =
        &nest_format(file, NEST_STATEMENT, "typedef struct %s_given { abi_launch launch;", name)
             ->head;
    if (fields) text_add(line, " abi_place place[%d];", fields);
    if (kernel->direction) text_add(line, " abi_levels levels[%d];", kernel->param_count);
    if (numbers) text_add(line, " abi_value numbers[%d];", numbers);
    text_add(line, " } %s_given", name);
}

static nest *begin_kernel(const codegen_writer *w, nest *file, const char *name)
{
    const ir_kernel *kernel = w->loop->kernel;
    nest *function = nest_format(file, NEST_FUNCTION, "%s", w->dialect->function);
    text *head = &function->head;
    if (w->shape->tall && w->dialect->declares_shared)
        text_add(head, "__launch_bounds__(%d, %d) ", w->shape->threads[0] * w->shape->threads[1],
                 codegen_tile_crowd(w->loop, w->shape));
    if (w->shape->far)
        text_add(head, "%s(%sconst %s_given *given_memory", name, w->dialect->global, name);
    else
        text_add(head, "%s(const %s_given given", name, name);
    const char *shared = w->shape->tall && !w->dialect->declares_shared ? w->dialect->shared : NULL;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p]))
            text_add(head, ", %s *%s %s_all", codegen_field_type(w, p).is,
                     w->loop->apart ? w->dialect->restricted : "",
                     codegen_param_name(kernel, p).is);
    for (int i = 0; i < kernel->store_count; i++)
        if (codegen_reduces_at(w->loop, i))
            text_add(head, ", %sabi_value *%s", w->dialect->global,
                     codegen_lanes_name(w, &kernel->stores[i]).is);
    if (kernel->check_count) text_add(head, ", %sint32_t *failing", w->dialect->global);
    if (shared) text_add(head, ", %sfloat4 *shared_all", shared);
    text_add(head, ")");
    if (w->shape->tall && !shared)
        nest_statement(function, "extern %sfloat4 shared_all[]", w->dialect->local);
    if (kernel->check_count && !codegen_device_reduces(w->loop))
        nest_statement(nest_format(function, NEST_IF, "%s", codegen_thread_failed().is), "return");
    return function;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Threads outside of the box have no point. */
static void leave_outside(nest *in, int d, const char *name, int points)
{
    nest_statement(nest_format(in, NEST_IF,
                               "%s + %d <= given.launch.lo[%d] || %s >= given.launch.hi[%d]", name,
                               points, d, name, d),
                   "return");
}

static void add_these(const codegen_writer *w, nest *in)
{
    codegen_thread_row(w, in);
    codegen_thread_points(w, in);
}

/* The levels of a column, in their order. */
static void add_levels(const codegen_writer *w, nest *in)
{
    int d = w->loop->kernel->ordered;
    bool forward = w->loop->kernel->direction == IR_FORWARD;
    char i = "xyz"[d];
    const char *head =
        forward ? "ABI_STEP i%c = given.launch.lo[%d]; i%c < given.launch.hi[%d]; i%c++"
                : "ABI_STEP i%c = given.launch.hi[%d] - 1; i%c >= given.launch.lo[%d]; i%c--";
    nest *level = nest_loop(in, NEST_PLAIN, head, i, d, i, d, i);
    codegen_skip_colors(w, level, "continue");
    add_these(w, level);
}

/* The points of a chunk. Where all of them are there, what several of them read is read once. */
static void add_chunk(const codegen_writer *w, nest *in)
{
    int d = w->shape->along;
    char i = "xyz"[d];
    nest *whole =
        nest_format(in, NEST_IF, "first_%c + %d <= given.launch.hi[%d]", i, w->shape->chunk, d);
    codegen_writer of_chunk = *w;
    of_chunk.whole = true;
    codegen_first_rows(&of_chunk, whole);
    codegen_read_vectors(&of_chunk, whole, true);
    for (int k = 0; k < w->shape->chunk; k++) {
        nest *point = nest_add(whole, NEST_BLOCK);
        of_chunk.round = k;
        nest_statement(point, "const ABI_STEP i%c = first_%c + %d", i, i, k);
        add_these(&of_chunk, point);
    }
    nest *each =
        nest_loop(nest_add(in, NEST_ELSE), NEST_PLAIN,
                  "ABI_STEP i%c = first_%c; i%c < given.launch.hi[%d]; i%c++", i, i, i, d, i);
    add_these(w, each);
}

static void add_points(const codegen_writer *w, nest *function)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int d = 0; d < 3; d++) {
        if (kernel->direction && d == kernel->ordered) continue;
        bool chunk = w->shape->chunk > 1 && d == w->shape->along;
        bool vector = w->shape->rows && d == 0;
        codegen_label name = codegen_format(chunk ? "first_%c" : vector ? "at" : "i%c", "xyz"[d]);
        codegen_thread_index(w, function, d, name.is);
        leave_outside(function, d, name.is, vector ? w->shape->vector : 1);
    }
    if (!kernel->direction) codegen_skip_colors(w, function, "return");
    codegen_thread_head(w, function);
    if (kernel->direction)
        add_levels(w, function);
    else if (w->shape->chunk > 1)
        add_chunk(w, function);
    else
        add_these(w, function);
}

/* ---- the whole ------------------------------------------------------------------------------- */

void codegen_device_function(text *out, const codegen_loop *loop, const codegen_shape *shape,
                             const codegen_dialect *dialect)
{
    char name[64];
    codegen_step *steps = codegen_schedule(loop->kernel);
    codegen_writer w = {.loop = loop, .dialect = dialect, .steps = steps, .shape = shape};
    bool decided = steps && codegen_look_up(&w);
    nest *file = decided ? nest_new() : NULL;
    if (decided) w.wanted = w.lookups->used;
    codegen_name(loop, name);
    if (file) {
        codegen_lookup_tables(&w, file);
        add_given(&w, file, name);
        nest *kernel = begin_kernel(&w, file, name);
        if (shape->tall) text_add(out, "\n%s", dialect->fetches);
        if (shape->tall)
            codegen_tile_kernel(&w, kernel);
        else if (codegen_device_reduces(loop))
            codegen_brick_kernel(&w, kernel);
        else
            add_points(&w, kernel);
        if (shape->far) text_add(out, "\n#define given (*given_memory)\n");
        nest_print(out, file, dialect, true);
    } else {
        out->failed = true;
    }
    nest_free(file);
    codegen_lookups_free(w.lookups);
    free(steps);
}
