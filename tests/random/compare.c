/* Records of one program in two contexts, value by value. */
#include "random.h"

#include <inttypes.h>
#include <string.h>

static uint64_t bits_at(const seen *s, int64_t i)
{
    size_t bytes = type_bytes(s->type);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)s->values + (size_t)i * bytes, bytes);
    return bits;
}

static double real_at(const seen *s, int64_t i)
{
    if (s->type == KATA_F64) return ((const double *)s->values)[i];
    return (double)((const float *)s->values)[i];
}

static bool is_real(const seen *s) { return s->type == KATA_F64 || s->type == KATA_F32; }

static bool is_equal(const seen *a, const seen *b, int64_t i)
{
    if (bits_at(a, i) == bits_at(b, i)) return true;
    return is_real(a) && real_at(a, i) != real_at(a, i) && real_at(b, i) != real_at(b, i);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void print_value(FILE *out, const char *name, const seen *s, int64_t i)
{
    fprintf(out, "    %-12s 0x%0*" PRIx64, name, (int)(2 * type_bytes(s->type)), bits_at(s, i));
    if (is_real(s))
        fprintf(out, "  %.17g\n", real_at(s, i));
    else
        fprintf(out, "  %" PRId64 "\n",
                s->type == KATA_I32 ? (int64_t)(int32_t)bits_at(s, i) : (int64_t)bits_at(s, i));
}

static void print_position(FILE *out, const program *p, const seen *s, int64_t i)
{
    int64_t at[3];
    for (int d = 0; d < 3; d++) {
        int64_t extent = s->range.hi[d] - s->range.lo[d];
        at[d] = s->range.lo[d] + i % extent;
        i /= extent;
    }
    fprintf(out, "  f%d[%" PRId64 "] at [%" PRId64, s->index, i, at[0]);
    for (int d = 1; d < p->rank; d++) fprintf(out, ", %" PRId64, at[d]);
    fprintf(out, "]");
}

static void tell(FILE *out, const program *p, const seen *a, const seen *b, int64_t i,
                 const char *name)
{
    if (!out) return;
    fprintf(out, "seed %" PRIu64 ", %s:\n", p->seed, name);
    if (a->is_scalar)
        fprintf(out, "  %ss%d[%" PRId64 "]", a->is_log ? "log of " : "", a->index, i);
    else
        print_position(out, p, a, i);
    if (a->step < p->step_count)
        fprintf(out, " when got in step %d:\n", a->step);
    else
        fprintf(out, " at the end:\n");
    print_value(out, "reference", a, i);
    print_value(out, "found", b, i);
}

bool record_compare(FILE *out, const program *p, const record *expected, const record *found,
                    const char *name)
{
    if (expected->count != found->count) return false;
    for (size_t n = 0; n < expected->count; n++) {
        const seen *a = &expected->items[n], *b = &found->items[n];
        if (a->count != b->count) return false;
        for (int64_t i = 0; i < a->count; i++) {
            if (is_equal(a, b, i)) continue;
            tell(out, p, a, b, i, name);
            return false;
        }
    }
    return true;
}
