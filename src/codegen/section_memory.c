/* What loops that run at once read from memory, and write there. Planes of the field that is read
 * come a round before they are taken, into registers; or some rounds before, into memory that the
 * group shares, fetched beside the work. Points outside of the box need what is in the field that
 * is written, too. */
#include "codegen/thread.h"

/* "plane": where the plane `z_at` of a field begins. */
static void add_plane(const codegen_writer *w, nest *in, int param)
{
    const int field = codegen_field_number(w->loop->kernel, param);
    nest_statement(in, "%s *const plane = %s_all + (given.place[%d].at + z_at * given.place[%d].z)",
                   codegen_field_type(w, param).is, codegen_param_name(w->loop->kernel, param).is,
                   field, field);
}

/* The same of a plane of the field that is read: of a round. */
static void add_plane_of(const codegen_writer *w, nest *in, int round)
{
    nest_statement(in,
                   w->inside == CODEGEN_ANYWHERE
                       ? "const ABI_STEP z_at = kata_placed(z + %d, KATA_HAS(2))"
                       : "const ABI_STEP z_at = z + %d",
                   round);
    add_plane(w, in, w->section->from);
}

/* ---- the field that is read ----------------------------------------------------------------- */

/* A row of a tile that lies inside of the box is read, or written, as a vector. */
static void move_row(const codegen_writer *w, nest *in, int param, int row, const char *array,
                     bool writes)
{
    const codegen_section *s = w->section;
    const codegen_label type = codegen_vector_type(w, param, s->vector);
    if (s->vector == 1) {
        if (writes) nest_statement(in, "plane[row_%d] = %s[%d]", row, array, row);
        if (!writes) nest_statement(in, "%s[%d] = plane[row_%d]", array, row, row);
        return;
    }
    nest *block = nest_add(in, NEST_BLOCK);
    nest_statement(block, "%s%s *const to = (%s%s *)(plane + row_%d)", w->dialect->global, type.is,
                   w->dialect->global, type.is, row);
    nest_statement(block, writes ? "%s some" : "const %s some = *to", type.is);
    for (int lane = 0; lane < s->vector; lane++)
        if (writes)
            nest_statement(block, "some.%c = %s[%d]", "xyzw"[lane], array,
                           row * s -> vector + lane);
        else
            nest_statement(block, "%s[%d] = some.%c", array, row * s->vector + lane, "xyzw"[lane]);
    if (writes) nest_statement(block, "*to = some");
}

/* Reads the plane of a round, to be taken in it. */
static void read_plane(const codegen_writer *w, nest *in, int round)
{
    const codegen_section *s = w->section;
    const bool whole = w->inside == CODEGEN_ALL_INSIDE;
    nest *read = nest_add(in, NEST_BLOCK);
    add_plane_of(w, read, round);
    for (int row = 0; row < s->rows && whole; row++) move_row(w, read, s->from, row, "next", false);
    for (int i = 0; i < s->rows * s->vector && !whole; i++)
        nest_statement(read, "next[%d] = plane[row_%d + lane_%d]", i, i / s->vector, i % s->vector);
}

/* Fetches the thread's points of the plane of a round. */
static void fetch_plane(const codegen_writer *w, nest *in, int round)
{
    enum { LEAST = 4 }; /* bytes that may be fetched beside the work */
    const codegen_section *s = w->section;
    const char *type = codegen_element_type(w->loop, s->from);
    const bool beside = ir_storages[w->loop->storage[s->from]].bytes >= LEAST;
    nest *fetch = nest_add(in, NEST_BLOCK);
    add_plane_of(w, fetch, round);
    for (int i = 0; i < s->rows * s->vector; i++) {
        const int lane = i % s->vector, row = i / s->vector;
        const codegen_label to = codegen_came(w, round, lane, row);
        nest *point = w->inside == CODEGEN_ALL_INSIDE
                          ? fetch
                          : nest_format(fetch, NEST_IF, "there >> %d & 1", i);
        if (beside)
            nest_statement(point, "KATA_FETCH(\"ca\", %s, &%s, &plane[row_%d + lane_%d])", type,
                           to.is, row, lane);
        else
            nest_statement(point, "%s = plane[row_%d + lane_%d]", to.is, row, lane);
    }
    nest_statement(in, "KATA_FETCH_END");
}

void codegen_section_read_first(const codegen_writer *w, nest *in)
{
    const codegen_handing h = codegen_handing_of(w->loop, w->section);
    for (int i = 0; i < h.ahead; i++) fetch_plane(w, in, i);
    if (!w->section->fetches) read_plane(w, in, 0);
}

void codegen_section_read(const codegen_writer *w, nest *in)
{
    const codegen_handing h = codegen_handing_of(w->loop, w->section);
    if (w->section->fetches)
        fetch_plane(w, in, w->round + h.ahead);
    else
        read_plane(w, in, w->round + 1);
}

void codegen_section_take(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const codegen_label array = codegen_section_plane(0, w->round);
    for (int i = 0; i < s->rows * s->vector; i++)
        nest_statement(in, "%s[%d] = %s", array.is, i,
                       s->fetches ? codegen_came(w, w->round, i % s->vector, i / s->vector).is
                                  : codegen_format("next[%d]", i).is);
}

/* ---- the field that is written -------------------------------------------------------------- */

void codegen_section_outer(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const bool inside = w->inside == CODEGEN_PLANES_INSIDE;
    nest *read = nest_add(in, NEST_BLOCK);
    nest_statement(read, "const ABI_STEP at_z = z + %d", w->round - h.delay);
    nest_statement(read, inside ? "const int32_t known = inside"
                                : "const int32_t known = KATA_KNOWN(at_z)");
    nest_statement(read, inside ? "const ABI_STEP z_at = at_z"
                                : "const ABI_STEP z_at = kata_placed(at_z, given.section.to_low, "
                                  "given.section.to_high, given.section.period[2])");
    add_plane(w, read, s->to);
    for (int i = 0; i < s->rows * s->vector; i++)
        nest_statement(nest_format(read, NEST_IF,
                                   s->fetches ? "(there & ~known) >> %d & 1" : "~known >> %d & 1",
                                   i),
                       "outer[%d] = plane[row_%d + lane_%d]", i, i / s->vector, i % s->vector);
}

void codegen_section_write(const codegen_writer *w, nest *in)
{
    const codegen_section *s = w->section;
    const codegen_handing h = codegen_handing_of(w->loop, s);
    const codegen_label array = codegen_section_plane(s->steps, w->round);
    nest *block = nest_add(in, NEST_BLOCK);
    nest_statement(block, "const ABI_STEP z_at = z + %d", w->round - s->steps * h.delay);
    nest *writes = nest_format(block, NEST_IF, "own && z_at >= from_z && z_at < to_z");
    add_plane(w, writes, s->to);
    nest *all = nest_format(writes, NEST_IF, "own == %lld",
                            (long long)((INT64_C(1) << s->rows * s->vector) - 1));
    nest *parts = nest_add(writes, NEST_ELSE);
    for (int row = 0; row < s->rows; row++) move_row(w, all, s->to, row, array.is, true);
    for (int i = 0; i < s->rows * s->vector; i++)
        nest_statement(nest_format(parts, NEST_IF, "own >> %d & 1", i),
                       "plane[row_%d + %d] = %s[%d]", i / s->vector, i % s->vector, array.is, i);
}
