/* Every write to one point, in words. The interpreter reports, while it runs the kernel there, what
 * it reads; the next store there ends an entry:
 *
 *     loop 7: v at [3, 4]: 0 -> 0.25
 *       kernel 'heat' applied at heat.c:21 stores at heat.kata:3
 *       u = 0.125
 *       c = 0.5
 *
 * Names and offsets of what was read are those of the kernel; the point's, those of the program. */
#include "observe/observe.h"
#include "store/store.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

static void print_floating(text *out, double x, bool is_float)
{
    char words[40];
    locale_t around;
    plain_locale_enter(&around);
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(words, sizeof words, "%.*g", digits, x);
        double again = strtod(words, NULL);
        if (is_float ? (float)again == (float)x : again == x) break;
    }
    plain_locale_leave(around);
    text_add(out, "%s", x != x ? "nan" : words);
}

static void print_value(text *out, ir_type type, ir_value x)
{
    if (type == IR_BOOL)
        text_add(out, "%s", x.i32 ? "true" : "false");
    else if (ir_type_is_floating(type))
        print_floating(out, ir_convert(IR_F64, type, x).f64, type != IR_F64);
    else
        text_add(out, "%lld", (long long)ir_convert(IR_I64, type, x).i64);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* "12,7" */
static bool read_point(observe_trace *trace, const char *words)
{
    char *end = (char *)words;
    while (trace->rank < 3) {
        const char *start = end;
        errno = 0;
        trace->point[trace->rank++] = strtoll(start, &end, 10);
        if (end == start || errno || *start == ' ') return false;
        if (!*end) return true;
        if (*end++ != ',') return false;
    }
    return false;
}

kata_status observe_trace_open(const char *what, const char *path, messages *m, observe_trace **out)
{
    observe_trace *trace = calloc(1, sizeof *trace);
    const char *at = strchr(what, '@');
    if (trace) trace->names = strdup(what);
    if (!trace || !trace->names) {
        free(trace);
        return message_no_memory(m);
    }
    kata_status status = KATA_OK;
    if (!at || at == what || !read_point(trace, at + 1))
        status = message_fail(m, KATA_ERROR_ARGUMENT,
                              "the environment variable KATA_TRACE is '%s', not of the form "
                              "FIELD@X,Y or FIELD,FIELD@X,Y",
                              what);
    else
        trace->names[at - what] = 0;
    static atomic_bool again; /* contexts after a process's first add to the file */
    if (!status) trace->to = path ? file_stream(path, atomic_exchange(&again, true)) : stderr;
    if (!status && !trace->to)
        status = message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path, strerror(errno));
    if (!status)
        *out = trace;
    else
        observe_trace_free(trace);
    return status;
}

void observe_trace_free(observe_trace *trace)
{
    if (!trace) return;
    if (trace->loops && !trace->reports)
        fprintf(trace->to, "nothing wrote to %s at the point that is traced\n", trace->names);
    if (trace->to && trace->to != stderr) fclose(trace->to);
    text_free(&trace->operands);
    free(trace->names);
    free(trace);
}

int observe_trace_error(const observe_trace *trace)
{
    return !trace ? 0 : trace->error ? trace->error : file_finish(trace->to);
}

/* The point, as loops on a mesh (NULL: on a grid) and arrays have it. */
static void find_point(const observe_trace *trace, const grid_mesh *mesh, int64_t out[3])
{
    for (int d = 0; d < 3; d++) out[grid_mesh_axis(mesh, d)] = trace->point[d];
}

bool observe_trace_wants(const observe_trace *trace, const char *name, const chain_slot *slot)
{
    if (!trace || slot->shape.rank != trace->rank) return false;
    grid_box memory = chain_slot_memory(slot);
    int64_t point[3];
    find_point(trace, slot->mesh, point);
    for (int d = 0; d < trace->rank; d++)
        if (point[d] < memory.lo[d] || point[d] >= memory.hi[d]) return false;
    size_t length = strlen(name);
    for (const char *at = trace->names; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, name, length)) return true;
    return false;
}

/* ---- what is reported ------------------------------------------------------------------------ */

/* "v at [3, 4]: 0 -> 0.25" */
static void print_change(observe_trace *trace, const chain_slot *slot, const char *name,
                         int component, ir_value old, ir_value new)
{
    text line = {0};
    ir_type type = ir_type_of_storage(slot->type);
    text_add(&line, slot->components > 1 ? "%s[%d]" : "%s", name, component);
    for (int d = 0; d < trace->rank; d++)
        text_add(&line, "%s%lld", d ? ", " : " at [", (long long)trace->point[d]);
    text_add(&line, "]: ");
    print_value(&line, type, ir_storage_read(slot->type, type, &old));
    text_add(&line, " -> ");
    print_value(&line, type, ir_storage_read(slot->type, type, &new));
    fprintf(trace->to, "%s\n", text_get(&line));
    trace->reports++;
    text_free(&line);
}

void observe_trace_read(observe_trace *trace, const chain_loop *loop, const ir_param *param,
                        int component, const int64_t offset[3], ir_value value)
{
    text line = {0};
    text_add(&line, "  %s", param->name);
    if (param->count > 1) text_add(&line, "[%d]", component);
    bool here = !offset || (!offset[0] && !offset[1] && !offset[2]);
    for (int d = 0; !here && d < trace->rank; d++)
        text_add(&line, "%s%lld", d ? "," : "[", (long long)offset[grid_mesh_axis(loop->mesh, d)]);
    text_add(&line, here ? " = " : "] = ");
    print_value(&line, param->type, value);
    text_add(&line, "\n");
    if (!strstr(text_get(&trace->operands), text_get(&line)))
        text_add(&trace->operands, "%s", text_get(&line));
    text_free(&line);
}

static bool is_traced(const observe_trace *trace, const chain_loop *loop, const int64_t point[3])
{
    int64_t traced[3];
    find_point(trace, loop->mesh, traced);
    for (int d = 0; d < trace->rank; d++)
        if (point[d] != traced[d]) return false;
    return true;
}

bool observe_trace_reaches(const observe_trace *trace, const chain_loop *loop,
                           const int64_t point[3])
{
    bool elsewhere = false; /* then boundary rules may lead anywhere, and ratios do */
    for (int i = 0; i < loop->kernel->store_count; i++) {
        const ir_store *store = &loop->kernel->stores[i];
        const ir_param *param = &loop->kernel->params[store->param];
        elsewhere |= ir_param_has_ratio(param);
        for (int d = 0; d < 3; d++) elsewhere |= store->offset[d] != 0 || param->absent_axis[d];
    }
    return trace->rank == loop->shape.rank && (elsewhere || is_traced(trace, loop, point));
}

void observe_trace_store(observe_trace *trace, const chain_loop *loop, const ir_stmt *stmt,
                         int component, const int64_t index[3], ir_value old, ir_value new)
{
    const chain_binding *b = &loop->bindings[stmt->index];
    if (!observe_trace_wants(trace, b->name, b->slot) || !is_traced(trace, loop, index)) return;
    int line, column;
    const source *kernel = loop->kernel->text;
    source_line_column(kernel, stmt->at, &line, &column);
    fprintf(trace->to, "loop %lld: ", (long long)trace->loops);
    print_change(trace, b->slot, b->name, component, old, new);
    fprintf(trace->to, "  kernel '%s'", loop->kernel->name);
    if (loop->file) fprintf(trace->to, " applied at %s:%d", loop->file, loop->line);
    fprintf(trace->to, " stores at %s:%d\n%s", source_holding(kernel, stmt->at)->name, line,
            text_get(&trace->operands));
    if (!trace->error) trace->error = file_finish(trace->to);
    text_clear(&trace->operands);
}

ir_value *observe_trace_values(const observe_trace *trace, const chain_slot *slot)
{
    ir_value *values = calloc((size_t)slot->components, sizeof *values);
    int64_t point[3];
    find_point(trace, slot->mesh, point);
    for (int c = 0; values && c < slot->components; c++)
        values[c] = store_get_element(slot->array, c, point);
    return values;
}

void observe_trace_call(observe_trace *trace, const char *call, const char *name,
                        const chain_slot *slot, const ir_value *old)
{
    int64_t point[3];
    find_point(trace, slot->mesh, point);
    for (int c = 0; old && c < slot->components; c++) {
        fprintf(trace->to, "%s: ", call);
        print_change(trace, slot, name, c, old[c], store_get_element(slot->array, c, point));
    }
    if (!trace->error) trace->error = file_finish(trace->to);
}
