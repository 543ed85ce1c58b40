/* The kernel that fills memory around a field on a device with what its boundary rules say: a thread
 * makes one value. It is the same for all fields of a type; grid/boundary.c says what it computes. */
#include "codegen/emit.h"

/* In front of it: T, the type of values; kata_stored, kata_loaded and kata_mirrored. */
static const char kernel[] =
    "/* The element whose value an index along a dimension finds; 0: the index is inside. */\n"
    "KATA_INLINED int64_t kata_entry(const abi_fill *fill, int d, int64_t i)\n"
    "{\n"
    "    if (i < fill->inside_lo[d]) return fill->low[d] + (fill->inside_lo[d] - 1 - i);\n"
    "    return i < fill->inside_hi[d] ? -1 : fill->high[d] + (i - fill->inside_hi[d]);\n"
    "}\n"
    "\n"
    "%s" CODEGEN_FILL_NAME "(const abi_fill fill, %sT_STORED *all, %sconst abi_outside *outside)\n"
    "{\n"
    "    const int64_t number = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0);\n"
    "    int box = 0;\n"
    "    while (box < fill.boxes && number >= fill.end[box]) box++;\n"
    "    if (box == fill.boxes) return;\n"
    "    const int64_t in = number - (box ? fill.end[box - 1] : 0);\n"
    "    const int64_t row = in / fill.size[box][0];\n"
    "    int64_t at[3], to;\n"
    "    at[0] = fill.lo[box][0] + in %% fill.size[box][0];\n"
    "    at[1] = fill.lo[box][1] + row %% fill.size[box][1];\n"
    "    at[2] = fill.lo[box][2] + row / fill.size[box][1];\n"
    "    all += fill.place.at + (int64_t)KATA_GROUP(1) * fill.place.component;\n"
    "    to = at[0] + at[1] * fill.place.y + at[2] * fill.place.z;\n"
    "    int64_t entry[3];\n"
    "    T_STORED x = 0;\n"
    "    int d = 0, found = 0;\n"
    "    for (; d < 3 && !found; d++) {\n"
    "        entry[d] = kata_entry(&fill, d, at[d]);\n"
    "        if (entry[d] < 0) continue;\n"
    "        const %sabi_outside *o = outside + entry[d];\n"
    "        if (o->kind == ABI_NOWHERE) return;\n"
    "        if (o->kind == ABI_CONSTANT) {\n"
    "            x = kata_constant(o->always);\n"
    "            found = 1;\n"
    "        } else {\n"
    "            at[d] = o->index;\n"
    "        }\n"
    "    }\n"
    "    if (!found) x = all[at[0] + at[1] * fill.place.y + at[2] * fill.place.z];\n"
    "    while (d-- > 0) {\n"
    "        if (entry[d] < 0) continue;\n"
    "        const %sabi_outside *o = outside + entry[d];\n"
    "        for (int64_t k = o->steps - 1; k >= 0; k--)\n"
    "            x = kata_mirrored(kata_constant(o->value[k %% 2]), x);\n"
    "    }\n"
    "    all[to] = x;\n"
    "}\n";

/* 2*v - x, in the type that belongs to the storage type. */
static void add_mirrored(text *out, kata_type storage, const char *stored)
{
    ir_type type = ir_type_of_storage(storage);
    const char *t = codegen_short_type(type), *c = ir_types[type].c_name;
    text_add(out, "KATA_INLINED %s kata_mirrored(%s boundary, %s inside)\n{\n", stored, stored,
             stored);
    text_add(out, "    const %s v = %sboundary%s, x = %sinside%s;\n", c,
             codegen_load_open(type, storage).is, codegen_load_close(type, storage),
             codegen_load_open(type, storage).is, codegen_load_close(type, storage));
    text_add(out, "    return %s", codegen_store_open(storage, type).is);
    if (ir_type_is_floating(type))
        text_add(out, "2 * v - x");
    else
        text_add(out, "kata_sub_%s(kata_mul_%s(2, v), x)", t, t);
    text_add(out, "%s;\n}\n\n", codegen_store_close(storage, type));
}

void codegen_fill_function(text *out, kata_type storage, const codegen_dialect *dialect)
{
    const char *stored = ir_storages[storage].c_name;
    text_add(out, "\n#define T_STORED %s\n\n", stored);
    text_add(out, "KATA_INLINED %s kata_constant(double x) { return %sx%s; }\n\n", stored,
             codegen_store_open(storage, IR_F64).is, codegen_store_close(storage, IR_F64));
    add_mirrored(out, storage, stored);
    text_add(out, kernel, dialect->function, dialect->global, dialect->global, CODEGEN_FILL_THREADS,
             dialect->global, dialect->global);
}
