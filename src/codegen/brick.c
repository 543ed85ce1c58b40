/* Bricks of reductions. Before the first point of a brick its lanes are read from their view, and
 * after the last they go back to it. Of whole bricks they begin neutral, and end as one number.
 *
 * The lanes are variables of the function, which compilers keep in registers from vector to vector
 * where nothing but lanes is written. Otherwise points are computed first: what they contribute
 * waits in an array, with neutral contributions around it that make whole rounds over all lanes,
 * and is combined in lanes behind the last point. Small kernels combine a whole brick when the
 * points of the next one have been computed: a core then has both to do at once.
 *
 * Small kernels also have a loop for whole bricks in which nothing but the points before the first
 * round waits. Rounds end with the brick, wherever that lies. This keeps the bits: a lane takes
 * every 32nd point, from low x to high, whichever lane is the first. The tree combines each lane
 * with the one 16 further on, around the end, then with those 8 further on, and so forth. */
#include "codegen/colored.h"
#include "codegen/vectors.h"

_Static_assert((int)ABI_BRICK == (int)IR_BRICK, "plans know where bricks begin");

static const ir_param *param_of(const codegen_writer *w, const ir_store *s)
{
    return &w->loop->kernel->params[s->param];
}

static const char *op_of(const codegen_writer *w, const ir_store *s)
{
    return ir_ops[ir_reduction_op(param_of(w, s))].name;
}

static const char *type_of(const codegen_writer *w, const ir_store *s)
{
    return codegen_short_type(param_of(w, s)->type);
}

static void declare_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    nest_statement(in, "%s%s %s[%d] %s", w->dialect->local, ir_types[param_of(w, s)->type].c_name,
                   codegen_lanes_name(w, s).is, ABI_LANES, w->dialect->aligned);
}

/* A neutral contribution for each lane, at an index of an array. */
static void add_neutral(const codegen_writer *w, nest *in, const ir_store *s, const char *array,
                        const char *at)
{
    const ir_param *param = param_of(w, s);
    nest *loop = nest_loop(in, NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    text *line = &nest_format(loop, NEST_STATEMENT, "%s[%sl] = ", array, at)->head;
    codegen_constant(line, w->dialect, param->type, ir_reduction_start(param));
}

static void read_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    in = nest_loop(in, NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    nest_statement(in, "%s[l] = %s[brick * %d + l]", codegen_lanes_name(w, s).is,
                   codegen_written_name(w, s).is, ABI_LANES);
}

static void write_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    in = nest_loop(in, NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    nest_statement(in, "%s[brick * %d + l] = %s[l]", codegen_written_name(w, s).is, ABI_LANES,
                   codegen_lanes_name(w, s).is);
}

/* ---- lanes that take points ------------------------------------------------------------------ */

static void begin_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    declare_lanes(w, in, s);
    add_neutral(w, nest_format(in, NEST_IF, "flags & ABI_WHOLE_BRICKS"), s,
                codegen_lanes_name(w, s).is, "");
    read_lanes(w, nest_add(in, NEST_ELSE), s);
}

/* The tree over lanes makes the result of a brick. */
static void combine(const codegen_writer *w, nest *in, const ir_store *s, codegen_label lanes)
{
    in = nest_add(in, NEST_BLOCK);
    nest_statement(in, "abi_value all = {.i64 = 0}");
    nest_statement(in, "all.%s = kata_%s_lanes_%s(%s)", type_of(w, s), op_of(w, s), type_of(w, s),
                   lanes.is);
    nest_statement(in, "((%sabi_value *)%s)[brick] = all", w->dialect->global,
                   codegen_written_name(w, s).is);
}

static void end_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    combine(w, nest_format(in, NEST_IF, "flags & ABI_WHOLE_BRICKS"), s, codegen_lanes_name(w, s));
    write_lanes(w, nest_add(in, NEST_ELSE), s);
}

/* ---- contributions that wait ----------------------------------------------------------------- */

static void begin_contributions(const codegen_writer *w, nest *in, const ir_store *s)
{
    const char *type = ir_types[param_of(w, s)->type].c_name;
    codegen_label of = codegen_contributions_name(w, s);
    nest_statement(in, "%s *const %s = %s_arrays[turn] - first_round", type, of.is, of.is);
    add_neutral(w, nest_format(in, NEST_IF, "begin > first_round"), s, of.is, "first_round + ");
    add_neutral(w, nest_format(in, NEST_IF, "end %% %d", ABI_LANES), s, of.is, "end + ");
}

/* A whole brick becomes one number, at the address `to`. */
static void combine_brick(const codegen_writer *w, nest *in, const ir_store *s, const char *turn,
                          const char *count, const char *to)
{
    in = nest_add(in, NEST_BLOCK);
    nest_statement(in, "abi_value all = {.i64 = 0}");
    nest_statement(in, "all.%s = kata_%s_brick_%s(%s_arrays[%s], %s)", type_of(w, s), op_of(w, s),
                   type_of(w, s), codegen_contributions_name(w, s).is, turn, count);
    nest_statement(in, "*%s = all", to);
}

static codegen_label result_of(const codegen_writer *w, const ir_store *s)
{
    return codegen_format("(%sabi_value *)%s + brick", w->dialect->global,
                          codegen_written_name(w, s).is);
}

static void combine_at_once(const codegen_writer *w, nest *in, const ir_store *s)
{
    codegen_label result = codegen_format("(%s)", result_of(w, s).is);
    combine_brick(w, in, s, "turn", "end - first_round", result.is);
}

static void combine_waiting(const codegen_writer *w, nest *in, const ir_store *s)
{
    codegen_label to = codegen_format("%s_result", codegen_contributions_name(w, s).is);
    combine_brick(w, in, s, "1 - turn", "waiting", to.is);
}

static void let_wait(const codegen_writer *w, nest *in, const ir_store *s)
{
    nest_statement(in, "%s_result = %s", codegen_contributions_name(w, s).is, result_of(w, s).is);
}

static void combine_part(const codegen_writer *w, nest *in, const ir_store *s)
{
    in = nest_add(in, NEST_BLOCK);
    declare_lanes(w, in, s);
    read_lanes(w, in, s);
    nest_statement(in, "kata_%s_rounds_%s(%s, %s_arrays[turn], 0, end - first_round)", op_of(w, s),
                   type_of(w, s), codegen_lanes_name(w, s).is, codegen_contributions_name(w, s).is);
    write_lanes(w, in, s);
}

/* ---- rounds that end with a whole brick ------------------------------------------------------ */

static codegen_label heads_of(const codegen_writer *w, const ir_store *s)
{
    return codegen_format("%s_heads", codegen_contributions_name(w, s).is);
}

static void clear_heads(const codegen_writer *w, nest *in, const ir_store *s)
{
    add_neutral(w, in, s, heads_of(w, s).is, "");
}

/* A vector of heads that are fewer goes on into the first round. */
static void declare_heads(const codegen_writer *w, nest *in, const ir_store *s)
{
    nest_statement(in, "%s%s %s[%d] %s", w->dialect->local, ir_types[param_of(w, s)->type].c_name,
                   heads_of(w, s).is, 2 * ABI_LANES, w->dialect->aligned);
    clear_heads(w, in, s);
}

static void begin_heads(const codegen_writer *w, nest *in, const ir_store *s)
{
    nest_statement(in, "%s *const %s = %s + %d - first_round",
                   ir_types[param_of(w, s)->type].c_name, codegen_contributions_name(w, s).is,
                   heads_of(w, s).is, ABI_LANES);
}

static void lanes_of_heads(const codegen_writer *w, nest *in, const ir_store *s)
{
    declare_lanes(w, in, s);
    nest *loop = nest_loop(in, NEST_PLAIN, "int l = 0; l < %d; l++", ABI_LANES);
    nest_statement(loop, "%s[l] = %s[l]", codegen_lanes_name(w, s).is, heads_of(w, s).is);
}

static void combine_lanes(const codegen_writer *w, nest *in, const ir_store *s)
{
    combine(w, in, s, codegen_lanes_name(w, s));
}

static void combine_heads(const codegen_writer *w, nest *in, const ir_store *s)
{
    combine(w, in, s, heads_of(w, s));
}

static void declare_contributions(const codegen_writer *w, nest *in, const ir_store *s)
{
    codegen_label of = codegen_contributions_name(w, s);
    nest_statement(in, "%s%s %s_arrays[%d][%d] %s", w->dialect->local,
                   ir_types[param_of(w, s)->type].c_name, of.is, w->defers ? 2 : 1,
                   ABI_BRICK + ABI_LANES, w->dialect->aligned);
    if (w->defers) nest_statement(in, "%sabi_value *%s_result = 0", w->dialect->global, of.is);
}

/* ---- bricks ---------------------------------------------------------------------------------- */

typedef void add_store(const codegen_writer *w, nest *in, const ir_store *s);

static void each_reduction(const codegen_writer *w, nest *in, add_store *add)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->store_count; i++)
        if (codegen_has_lanes(w->loop, kernel->stores[i].param)) add(w, in, &kernel->stores[i]);
}

void codegen_begin_contributions(const codegen_writer *w, nest *in)
{
    if (w->collects) {
        each_reduction(w, in, declare_contributions);
        nest_statement(in, w->defers ? "int turn = 0" : "const int turn = 0");
    }
    if (w->defers) nest_statement(in, "int64_t waiting = 0");
    if (!w->whole) return;
    each_reduction(w, in, declare_heads);
    nest_statement(in, "int64_t heads_before = 0");
}

void codegen_end_contributions(const codegen_writer *w, nest *in)
{
    if (w->defers) each_reduction(w, nest_format(in, NEST_IF, "waiting"), combine_waiting);
}

/* The loop over the bricks of a row. */
static nest *begin_bricks(nest *in)
{
    nest_statement(in, "const int64_t row_points = hi[0] - lo[0]");
    nest *bricks =
        nest_loop(in, NEST_PLAIN, "int64_t begin = lo[0], end; begin < hi[0]; begin = end");
    nest_statement(bricks, "end = kata_brick_end(begin, hi[0])");
    nest_statement(bricks,
                   "const int64_t brick = begin >> ABI_BRICK_SHIFT, lo[] = {begin}, hi[] = {end}");
    return bricks;
}

/* Of a colour, points of a brick that is shorter than a vector leave the others as they were. */
static void begin_whole(const codegen_writer *w, nest *bricks)
{
    nest_statement(bricks,
                   "const int64_t first_round = hi[0] - ((hi[0] - lo[0]) & -%d), heads = "
                   "first_round - lo[0]",
                   ABI_LANES);
    const char *also = w->loop->colored ? " || hi[0] - lo[0] < lanes" : "";
    nest *anew = nest_format(bricks, NEST_IF, "heads != heads_before%s", also);
    each_reduction(w, anew, clear_heads);
    nest_statement(anew, "heads_before = heads");
    each_reduction(w, bricks, begin_heads);
}

void codegen_whole_bricks(const codegen_writer *w, nest *in)
{
    const codegen_writer at_once = codegen_at_once(w), collecting = codegen_collecting(w);
    nest *bricks = begin_bricks(in);
    begin_whole(w, bricks);
    codegen_heads(&collecting, bricks);
    nest *rounds = nest_format(bricks, NEST_IF, "first_round < hi[0]");
    each_reduction(w, rounds, lanes_of_heads);
    nest *round = nest_loop(rounds, NEST_PLAIN,
                            "int64_t start = first_round; start < hi[0]; start += %d", ABI_LANES);
    codegen_round(&at_once, round);
    each_reduction(w, rounds, combine_lanes);
    each_reduction(w, nest_add(bricks, NEST_ELSE), combine_heads);
    if (w->loop->colored) codegen_color_puts(w, bricks);
}

nest *codegen_begin_bricks(const codegen_writer *w, nest *in)
{
    nest *bricks = begin_bricks(in);
    if (w->collects) nest_statement(bricks, "const int64_t first_round = begin & -%d", ABI_LANES);
    each_reduction(w, bricks, w->collects ? begin_contributions : begin_lanes);
    return bricks;
}

/* What a brick contributes waits for the points of the next brick. */
static void defer_brick(const codegen_writer *w, nest *in)
{
    each_reduction(w, nest_format(in, NEST_IF, "waiting"), combine_waiting);
    each_reduction(w, in, let_wait);
    nest_statement(in, "waiting = end - first_round");
    nest_statement(in, "turn = 1 - turn");
}

void codegen_end_bricks(const codegen_writer *w, nest *in)
{
    if (!w->collects) {
        each_reduction(w, in, end_lanes);
        return;
    }
    nest *whole = nest_format(in, NEST_IF, "flags & ABI_WHOLE_BRICKS");
    if (w->defers)
        defer_brick(w, whole);
    else
        each_reduction(w, whole, combine_at_once);
    each_reduction(w, nest_add(in, NEST_ELSE), combine_part);
}
