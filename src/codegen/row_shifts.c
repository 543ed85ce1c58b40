/* A pass: what points read side by side of a row is loaded once.
 *
 * A star reads its own row at many x. A load that does not begin where a cache line does touches
 * two, and processors take twice as long for it. So three vectors are loaded: the points
 * themselves, and those that lie farthest to the west and to the east. All others are made of
 * these:
 *
 *     first   here   last         loaded at `at` - west, `at`, and `at` + east
 *     west    here   east         turned, so that what borders on `here` lies beside it
 *
 * Nothing is read that points do not read. Points that compute much wait for their operations, to
 * which shuffles would add. */
#include "codegen/shifts.h"

#include <string.h>

enum {
    FEWEST = HOSTILE(5, 3), /* x at which a row is read */
    MOST_ROWS = 3,          /* each takes three registers, of those of a loop */
    FARTHEST = 8,           /* points: as many as a register of 64 bytes has at least */
    MOST_SHIFTS = 64        /* accesses that have a bit */
};

/* ---- which ----------------------------------------------------------------------------------- */

/* Whether what is computed with is what is stored, in registers of a vector. */
static bool suits(const codegen_writer *w, int param)
{
    enum { LINE = 64 /* bytes */ };
    const ir_param *p = &w->loop->kernel->params[param];
    const kata_type storage = w->loop->storage[param];
    bool same = ir_param_is_field(p) && ((storage == KATA_F64 && p->type == IR_F64) ||
                                         (storage == KATA_F32 && p->type == IR_F32));
    return same && ir_storages[storage].bytes * w->line == LINE && !p->absent_axis[0] &&
           codegen_rows_of(w->loop, param) == CODEGEN_CONTIGUOUS && p->finer[0] <= 1 &&
           p->coarser[0] <= 1;
}

/* The accesses of the row that access number i reads, as bits; 0: they are not shifted. */
static uint64_t row_of(const codegen_writer *w, int i)
{
    const ir_kernel *kernel = w->loop->kernel;
    const ir_access *first = &kernel->accesses[i];
    uint64_t row = 0;
    int count = 0;
    int32_t low = 0, high = 0;
    for (int k = 0; k < kernel->access_count; k++) {
        const ir_access *a = &kernel->accesses[k];
        if (!codegen_same_row(a, first)) continue;
        if (k >= MOST_SHIFTS) return 0;
        row |= (uint64_t)1 << k;
        count++;
        low = (int32_t)smaller(low, a->offset[0]);
        high = (int32_t)larger(high, a->offset[0]);
    }
    bool may = count >= FEWEST && low < 0 && high > 0 && -low <= FARTHEST && high <= FARTHEST;
    return may && suits(w, first->param) ? row : 0;
}

static bool may_shift(const codegen_writer *w)
{
    bool parts = w->begin_part || w->whole_lines || w->planes || w->halves;
    bool once = codegen_reduces(w->loop) || codegen_has_rows(w->loop->kernel) || w->loop->colored;
    return w->line && !parts && !once && !w->interleaved && !codegen_chooses_rows(w);
}

/* Whether points compute so little that they wait for what they read: shuffles take the place of
 * operations, as these do. */
static bool is_light(const ir_kernel *kernel)
{
    return codegen_operations(kernel) <= 2 * kernel->access_count;
}

bool codegen_shift_rows(codegen_writer *w)
{
    bool may = may_shift(w) && (is_light(w->loop->kernel) || HOSTILE(false, true));
    int rows = 0;
    for (int i = 0; i < w->loop->kernel->access_count && may; i++) {
        if (i < MOST_SHIFTS && w->shifts >> i & 1) continue;
        const uint64_t row = row_of(w, i);
        rows += row != 0;
        w->shifts |= row;
    }
    if (rows > (w->pair ? 1 : MOST_ROWS)) w->shifts = 0;
    return true;
}

bool codegen_is_shifted(const codegen_writer *w, int access)
{
    return w->shifted && access < MOST_SHIFTS && w->shifts >> access & 1;
}

int codegen_shift_of(const codegen_writer *w, const ir_node *node)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (int i = 0; i < kernel->access_count && w->shifted; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (codegen_is_shifted(w, i) && a->param == node->param && a->component == node->element &&
            memcmp(a->offset, node->offset, sizeof a->offset) == 0)
            return i;
    }
    return -1;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Whether an access is the first of its row. */
static bool begins_row(const codegen_writer *w, int access)
{
    const ir_access *a = &w->loop->kernel->accesses[access];
    bool begins = codegen_is_shifted(w, access);
    for (int i = 0; i < access && begins; i++) {
        const ir_access *b = &w->loop->kernel->accesses[i];
        begins = !(codegen_is_shifted(w, i) && codegen_same_row(a, b));
    }
    return begins;
}

static const char *kind_of(const codegen_writer *w, const ir_access *a)
{
    return codegen_short_type((ir_type)w->loop->kernel->params[a->param].type);
}

/* The farthest x at which the row of an access is read: to the west (-1) or to the east. */
static int reach(const codegen_writer *w, int access, int side)
{
    const ir_access *row = &w->loop->kernel->accesses[access];
    int far = 0;
    for (int i = 0; i < w->loop->kernel->access_count; i++) {
        const ir_access *a = &w->loop->kernel->accesses[i];
        if (codegen_same_row(a, row)) far = (int)larger(far, (int64_t)side * a->offset[0]);
    }
    return far;
}

/* Loads a row: here, and what is farthest to both sides, turned to where its neighbour ends. */
static void load_row(const codegen_writer *w, nest *in, int access)
{
    const ir_access *a = &w->loop->kernel->accesses[access];
    const char *kind = kind_of(w, a);
    const codegen_label row = codegen_read_row_name(w, a);
    const int west = reach(w, access, -1), east = reach(w, access, 1);
    nest_statement(in, "const kata_%ss here_%s = KATA_LOADED(%s, %s + at)", kind, row.is, kind,
                   row.is);
    nest_statement(in, "const kata_%ss first_%s = KATA_LOADED(%s, %s + at - %d)", kind, row.is,
                   kind, row.is, west);
    nest_statement(in, "const kata_%ss last_%s = KATA_LOADED(%s, %s + at + %d)", kind, row.is, kind,
                   row.is, east);
    nest_statement(in, "const kata_%ss west_%s = KATA_SHIFTED(%s, first_%s, first_%s, %d, %s + at)",
                   kind, row.is, kind, row.is, row.is, west, row.is);
    nest_statement(
        in, "const kata_%ss east_%s = KATA_SHIFTED(%s, last_%s, last_%s, lanes - %d, %s + at)",
        kind, row.is, kind, row.is, row.is, east, row.is);
}

static void add_near(const codegen_writer *w, nest *in, int access)
{
    const ir_access *a = &w->loop->kernel->accesses[access];
    const codegen_label row = codegen_read_row_name(w, a);
    const char *kind = kind_of(w, a), *second = codegen_second(w);
    const int by = (int)a->offset[0];
    nest_statement(in, "%s near_%d%s[lanes] %s", codegen_element_type(w->loop, a->param), access,
                   second, w->dialect->aligned);
    text *line =
        &nest_format(in, NEST_STATEMENT, "*(kata_%ss *)near_%d%s = ", kind, access, second)->head;
    if (by < 0)
        text_add(line, "KATA_SHIFTED(%s, west_%s, here_%s, lanes - %d, %s + at - %d)", kind, row.is,
                 row.is, -by, row.is, -by);
    else if (by > 0)
        text_add(line, "KATA_SHIFTED(%s, here_%s, east_%s, %d, %s + at + %d)", kind, row.is, row.is,
                 by, row.is, by);
    else
        text_add(line, "here_%s", row.is);
}

void codegen_shift_row(const codegen_writer *w, nest *in)
{
    for (int i = 0; i < w->loop->kernel->access_count; i++) {
        if (begins_row(w, i)) load_row(w, in, i);
        if (codegen_is_shifted(w, i)) add_near(w, in, i);
    }
}
