/* The way from a loop to text, on one page: a schedule of the kernel's graph, the passes below in
 * their order, a tree of loops and statements, text.
 *
 * A pass makes code faster and changes no result. To take one away, delete its row, and its file
 * or function. KATA_WITHOUT leaves passes out by their names, to see what each is worth. */
#include "codegen/bin_checks.h"
#include "codegen/halves.h"
#include "codegen/shifts.h"
#include "codegen/strides.h"

#include <stdlib.h>
#include <string.h>

/* ---- small passes ---------------------------------------------------------------------------- */

static bool is_side_by_side(const codegen_loop *loop, const ir_store *s)
{
    const ir_param *p = &loop->kernel->params[s->param];
    return codegen_rows_of(loop, s->param) == CODEGEN_CONTIGUOUS && p->finer[0] <= 1 &&
           p->coarser[0] <= 1 && !(p->absent_axis[0] && ir_param_is_field(p));
}

static bool has_blocks(const codegen_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (codegen_rows_of(loop, p) == CODEGEN_BLOCKED) return true;
    return false;
}

static bool run_blocks(codegen_writer *w)
{
    w->blocks = has_blocks(w->loop) && codegen_is_free(w->loop) && !w->loop->colored;
    return true;
}

/* Whether numbers of a field or a reduction make vectors longer: those narrower than 8 bytes. Bytes
 * that are only read become wider numbers. They do not, for twice as many values as wider results
 * need would not fit the registers. */
static bool is_narrow(const codegen_loop *loop, int p)
{
    const ir_param *param = &loop->kernel->params[p];
    if (!ir_param_is_field(param))
        return ir_param_is_reduction(param) && ir_types[param->type].bytes < 8;
    int bytes = ir_storages[loop->storage[p]].bytes;
    return bytes < 8 && (bytes > 1 || ir_param_is_written_field(param));
}

/* Points of a cache line of the narrowest numbers, but at most 16. */
static int line_of(const codegen_loop *loop)
{
    int line = 8;
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (is_narrow(loop, p)) line = 16;
    return line;
}

static void use_vectors(codegen_writer *w)
{
    const codegen_loop *loop = w->loop;
    bool whole = codegen_is_free(loop) && !has_blocks(loop) && loop->kernel->store_count > 0;
    whole = whole && !(loop->colored && codegen_has_rows(loop->kernel)); /* vectors overlap */
    for (int i = 0; i < loop->kernel->store_count; i++)
        whole = whole && is_side_by_side(loop, &loop->kernel->stores[i]);
    w->line = whole ? line_of(loop) : 0;
}

static bool run_vectors(codegen_writer *w)
{
    if (!w->loop->colored) use_vectors(w);
    return true;
}

static bool run_colors(codegen_writer *w)
{
    if (w->loop->colored) use_vectors(w);
    return true;
}

static bool align_vectors(codegen_writer *w) { return w->aligned = true; }

static bool overlap_vectors(codegen_writer *w) { return w->overlaps = true; }

/* A processor collects lines of a few results at once from their parts. So many results wait in the
 * first-level cache until a line is whole. Lines of still more would not stay there, and compilers
 * need long for them. */
static bool stream_results(codegen_writer *w)
{
    enum { MANY = 4, TOO_MANY = 64 };
    int streamed = 0;
    for (int i = 0; i < w->loop->kernel->store_count; i++)
        streamed += codegen_may_stream(w->loop, i);
    bool in_order = codegen_combines_points(w) && !w->collects;
    bool collected = streamed > MANY && streamed < TOO_MANY;
    w->whole_lines = w->line && collected && !w->loop->colored && !w->pair && !in_order;
    return w->streams = true;
}

/* Is done before there is a loop: see exec/cpu_inline.c. */
static bool compute_temporaries(codegen_writer *w) { return w->loop; }

/* Likewise: see exec/cpu_fuse.c. */
static bool fuse_loops(codegen_writer *w) { return w->loop; }

/* Plain functions are compiled with few passes, and would find each row anew from its indices; so
 * would others where each row asks for the ends of levels. Elsewhere compilers do it by themselves,
 * and what is carried from row to row takes registers from the points. */
static bool walk_rows(codegen_writer *w)
{
    w->walks = codegen_is_plain(w->loop) || w->loop->kernel->direction;
    return true;
}

static bool hide_rows(codegen_writer *w) { return w->hidden = true; }

/* After a store compilers read again what it may have changed, but not variables of the function.
 * Loops that also keep reused values or contributions have no registers for them, but bricks in
 * rounds begin sooner. */
static bool copy_views(codegen_writer *w)
{
    enum { MOST = 64 };
    const ir_kernel *kernel = w->loop->kernel;
    bool reuses = w->reuse && w->reuse->count;
    w->copies = w->line && (!codegen_reduces(w->loop) || w->whole) && !reuses &&
                codegen_view_index(kernel, kernel->param_count) <= MOST;
    return true;
}

enum { FEW_NODES = 128 }; /* of a graph; more take long to compile */

/* Of small kernels the loops are compiled twice, once without prefetching and streaming stores.
 * Then no vector asks whether it should, and registers are left for the rest. */
static bool write_twice(codegen_writer *w)
{
    w->twice = w->line && w->loop->kernel->graph.count <= FEW_NODES;
    return true;
}

/* Whether points write fields and reduce, and not much: a check ends the function early, and long
 * computations leave a core no room for more. */
static bool is_small_sum(const codegen_loop *loop)
{
    enum { SMALL = 64, MOST = 4 };
    const ir_kernel *kernel = loop->kernel;
    int reductions = 0;
    for (int i = 0; i < kernel->store_count; i++)
        reductions += codegen_has_lanes(loop, kernel->stores[i].param);
    return reductions > 0 && reductions < kernel->store_count && kernel->store_count <= MOST &&
           kernel->graph.count <= SMALL && !kernel->valid;
}

/* Points that write fields are computed in vectors that lie as memory does, and may overlap; what
 * they contribute waits in the first-level cache. Not of coloured points: what others contribute
 * would wait, too. */
static bool run_collect(codegen_writer *w)
{
    enum { MOST = 8 };
    const ir_kernel *kernel = w->loop->kernel;
    int reductions = 0;
    for (int i = 0; i < kernel->store_count; i++)
        reductions += codegen_has_lanes(w->loop, kernel->stores[i].param);
    w->collects = w->line && !w->loop->colored && reductions > 0 && reductions <= MOST &&
                  reductions < kernel->store_count;
    return true;
}

static bool defer_bricks(codegen_writer *w)
{
    w->defers = w->collects && is_small_sum(w->loop);
    return true;
}

/* Whole bricks run in rounds that end with them: only points before the first round wait. Loops are
 * written again for this: of small kernels only. */
static bool run_whole(codegen_writer *w)
{
    bool reuses = w->reuse && w->reuse->count;
    w->whole = w->line && w->rounds && !reuses && is_small_sum(w->loop);
    return true;
}

/* Rounds make a function longer: of small kernels only. */
static bool run_rounds(codegen_writer *w)
{
    enum { SMALL = 64 };
    w->rounds = w->loop->kernel->graph.count <= SMALL;
    return true;
}

/* Whether the rows of a kernel lie as far from one another as its views say. */
static bool is_regular(const codegen_loop *loop)
{
    bool regular = true;
    for (int p = 0; p < loop->kernel->param_count; p++)
        regular = regular && (!ir_param_is_field(&loop->kernel->params[p]) ||
                              codegen_is_regular(loop->kernel, p));
    return regular;
}

/* More rows than that need more registers than there are. Of large kernels fewer: the function of
 * the point is written for each row. */
static bool interleave_rows(codegen_writer *w)
{
    enum { ROWS = 4, SMALL = 128 };
    bool small = w->loop->kernel->graph.count <= SMALL;
    if (w->interleaved && small && is_regular(w->loop)) w->interleaved = ROWS;
    return true;
}

/* Whether all rows that are added to have a y, and serve all planes. */
static bool adds_columns(const ir_kernel *kernel)
{
    bool all = codegen_has_rows(kernel);
    for (int p = 0; p < kernel->param_count; p++)
        all = all && (!codegen_adds_rows(kernel, p) || !kernel->params[p].absent_axis[1]);
    return all;
}

/* Sums along columns: the row that is added to stays in the first-level cache for some planes. Each
 * element takes its points in the same order. Checks end the function at the first point that
 * fails, in the order of planes. */
static bool group_planes(codegen_writer *w)
{
    enum { PLANES = 2 };
    const ir_kernel *kernel = w->loop->kernel;
    bool may = w->line && codegen_is_free(w->loop) && adds_columns(kernel) && !w->pair &&
               !kernel->direction && !kernel->valid && !codegen_reduces(w->loop);
    w->planes = may ? PLANES : 0;
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    codegen_pass *run;
} passes[] = {
    {"inline", compute_temporaries},    /* temporaries are computed where they are read */
    {"fuse", fuse_loops},               /* loops over the same points run as one */
    {"blocks", run_blocks},             /* rows stored in blocks: one index for a block */
    {"lookups", codegen_look_up},       /* elements of tables from memory, instead of choices */
    {"vectors", run_vectors},           /* points of a row by registers: needed by most below */
    {"colors", run_colors},             /* the same for points of a colour, by masks */
    {"align", align_vectors},           /* vectors begin where cache lines do */
    {"overlap", overlap_vectors},       /* no single points at the ends of rows */
    {"reuse", codegen_reuse_values},    /* what points of a row share is computed once */
    {"widen", codegen_widen_bytes},     /* bytes are made wider numbers first */
    {"clear", codegen_clear_bytes},     /* parts of a row whose bytes are all zero */
    {"pair-z", codegen_pair_planes},    /* two rows at once, one above the other */
    {"pair-y", codegen_pair_rows},      /* two rows at once, side by side */
    {"collect", run_collect},           /* reductions: points first, then their lanes */
    {"defer", defer_bricks},            /* lanes of a brick while the next one is computed */
    {"rounds", run_rounds},             /* reductions: lanes stay in registers */
    {"whole", run_whole},               /* whole bricks: rounds that end with them */
    {"halves", codegen_find_halves},    /* f16 becomes float, and float f16, by vectors */
    {"planes", group_planes},           /* sums along columns: rows of some planes in turn */
    {"prefetch", codegen_prefetch},     /* what is read and written soon */
    {"stream", stream_results},         /* results past the caches */
    {"registers", codegen_keep_reused}, /* what points of a row share stays in registers */
    {"shifts", codegen_shift_rows},     /* what points read side by side is loaded once */
    {"ends", codegen_begin_with_ends},  /* the same for rows that are written in place */
    {"cases", codegen_split_cases},     /* loops for each interval of levels */
    {"interleave", interleave_rows},    /* rows in which each point waits for the one before */
    {"strides", codegen_use_strides},   /* many rows of a star have few addresses */
    {"walk", walk_rows},                /* a row is found from the one before it */
    {"hide", hide_rows},                /* addresses of rows stay in registers */
    {"copies", copy_views},             /* so do the box and the views */
    {"twice", write_twice},             /* loops of their own where all is in a cache */
};

_Static_assert(COUNT_OF(passes) <= 32, "codegen_loop.without has a bit for each");

const char *codegen_pass_name(int i) { return i < (int)COUNT_OF(passes) ? passes[i].name : NULL; }

bool codegen_run_passes(codegen_writer *w)
{
    for (size_t i = 0; i < COUNT_OF(passes); i++)
        if (!(w->loop->without >> i & 1) && !passes[i].run(w)) return false;
    return true;
}

/* The index of the pass whose name is the first `length` characters; COUNT_OF(passes) if none is.
 */
static size_t find_pass(const char *name, size_t length)
{
    size_t i = 0;
    while (i < COUNT_OF(passes) &&
           !(strlen(passes[i].name) == length && memcmp(passes[i].name, name, length) == 0))
        i++;
    return i;
}

bool codegen_leaves_out(uint32_t without, const char *name)
{
    return without >> find_pass(name, strlen(name)) & 1;
}

/* Whether a loop is small, runs in vectors, and reads nothing that it writes. */
static bool is_small(const codegen_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    codegen_writer w = {.loop = loop};
    use_vectors(&w);
    bool small = w.line && kernel->graph.count <= FEW_NODES;
    for (int i = 0; i < kernel->store_count; i++)
        small = small && !codegen_is_read(kernel, kernel->stores[i].param) &&
                !codegen_adds_rows(kernel, kernel->stores[i].param);
    return small;
}

uint32_t codegen_passes_past_caches(const codegen_loop *loop)
{
    uint32_t passes = 0;
    if (is_small(loop)) codegen_read_passes("prefetch,stream,twice", &passes);
    return passes;
}

bool codegen_is_plain(const codegen_loop *loop)
{
    const ir_graph *graph = &loop->kernel->graph;
    const uint32_t past = codegen_passes_past_caches(loop);
    bool plain = past && (loop->without & past) == past && !loop->colored &&
                 !loop->kernel->direction && !loop->kernel->valid && !codegen_reduces(loop) &&
                 !codegen_leaves_out(loop->without, "vectors");
    for (ir_id id = 1; id < graph->count && plain; id++)
        plain = !codegen_is_elementary(graph->nodes[id].op);
    return plain;
}

bool codegen_read_passes(const char *names, uint32_t *without)
{
    uint32_t found = 0;
    for (bool more = true; more;) {
        size_t length = strcspn(names, ","), i = find_pass(names, length);
        if (i == COUNT_OF(passes)) return false;
        found |= (uint32_t)1 << i;
        more = names[length] == ',';
        names += length + more;
    }
    *without = found;
    return true;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void mark_additions(const codegen_writer *w, bool *wanted)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        wanted[a->index] = wanted[a->value] = wanted[a->condition] = true;
    }
    if (codegen_checks_additions(w)) wanted[kernel->valid] = true;
    codegen_mark_operands(w, wanted);
}

/* The nodes that checks need, the nodes that stores need, the nodes that stores need where values
 * are reused, and the nodes that additions to bins need, as lists of flags; NULL when memory is
 * out. */
static bool *mark_wanted(codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    size_t count = kernel->graph.count;
    bool *wanted = calloc(4 * count, sizeof *wanted);
    if (!wanted) return NULL;
    wanted[kernel->valid] = true;
    codegen_mark_operands(w, wanted);
    mark_additions(w, wanted + 3 * count);
    for (int list = 1; list < 3; list++) {
        bool *stored = wanted + (size_t)list * count;
        for (int i = 0; i < kernel->store_count; i++)
            stored[kernel->stores[i].value] = stored[kernel->stores[i].condition] = true;
        w->group = list == 2 && w->reuse ? w->reuse->group_count + 1 : 0;
        codegen_mark_operands(w, stored);
    }
    w->group = 0;
    return wanted;
}

void codegen_function_text(text *out, const codegen_loop *loop)
{
    codegen_step *steps = codegen_schedule(loop->kernel);
    codegen_writer w = {.loop = loop, .dialect = &codegen_c, .steps = steps};
    w.interleaved = codegen_is_skewed(loop->kernel, loop->colored);
    if (steps && loop->lines) codegen_name_by_line(loop->kernel, steps);
    bool decided = steps && codegen_run_passes(&w);
    bool *wanted = decided ? mark_wanted(&w) : NULL;
    nest *file = wanted ? nest_new() : NULL;
    if (file) {
        codegen_function(&w, file, wanted);
        nest_print(out, file, w.dialect, !loop->lines);
    } else
        out->failed = true;
    nest_free(file);
    free(wanted);
    codegen_reuse_free(w.reuse);
    codegen_lookups_free(w.lookups);
    free(steps);
}
