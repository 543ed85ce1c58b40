/* The kernels that fill memory around a field on a device with what its boundary rules say, and
 * that put what a loop has written there where it belongs: a thread does it for one index. They are
 * the same for all fields of a type; grid/boundary.c says what they compute. */
#include "codegen/thread.h"

/* In front of it: T_STORED, the type of elements; T_SUM; kata_constant, kata_mirrored, kata_loaded
 * and kata_summed. */
static const char common[] =
    "typedef struct kata_place {\n"
    "    int64_t at[3], entry[3], component;\n"
    "} kata_place;\n"
    "\n"
    "/* The entry of an index along a dimension; -1: it is inside. */\n"
    "KATA_INLINED int64_t kata_entry(const abi_fill *fill, int d, int64_t i)\n"
    "{\n"
    "    if (i < fill->inside_lo[d]) return fill->low[d] + (fill->inside_lo[d] - 1 - i);\n"
    "    return i < fill->inside_hi[d] ? -1 : fill->high[d] + (i - fill->inside_hi[d]);\n"
    "}\n"
    "\n"
    "/* The index of a thread; 0: it has none. */\n"
    "KATA_INLINED int kata_find(const abi_fill *fill, ABI_GLOBAL const abi_piece *piece, int64_t "
    "n,\n"
    "                           kata_place *p)\n"
    "{\n"
    "    int64_t low = fill->first, high = fill->end;\n"
    "    n += fill->before;\n"
    "    if (n >= piece[high - 1].end) return 0;\n"
    "    while (low < high - 1) {\n"
    "        const int64_t middle = (low + high - 1) / 2;\n"
    "        if (n < piece[middle].end)\n"
    "            high = middle + 1;\n"
    "        else\n"
    "            low = middle + 1;\n"
    "    }\n"
    "    ABI_GLOBAL const abi_piece *of = piece + low;\n"
    "    const int64_t in = n - (low ? piece[low - 1].end : 0);\n"
    "    int64_t row, plane;\n"
    "    if (in >> 31) {\n"
    "        row = in / of->size[0];\n"
    "        plane = row / of->size[1];\n"
    "    } else { /* division is slow */\n"
    "        row = (uint32_t)in / (uint32_t)of->size[0];\n"
    "        plane = (uint32_t)row / (uint32_t)of->size[1];\n"
    "    }\n"
    "    p->at[0] = fill->origin[0] + of->lo[0] + (in - row * of->size[0]);\n"
    "    p->at[1] = fill->origin[1] + of->lo[1] + (row - plane * of->size[1]);\n"
    "    p->at[2] = fill->origin[2] + of->lo[2] + plane;\n"
    "    p->component = of->component;\n"
    "    KATA_EACH for (int d = 0; d < 3; d++) p->entry[d] = kata_entry(fill, d, p->at[d]);\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "KATA_INLINED int64_t kata_element(const abi_fill *fill, const int64_t *at)\n"
    "{\n"
    "    return at[0] + at[1] * fill->place.y + at[2] * fill->place.z;\n"
    "}\n"
    "\n"
    "KATA_INLINED T_STORED kata_undone(ABI_GLOBAL const abi_outside *o, T_STORED x)\n"
    "{\n"
    "    for (int64_t k = o->steps - 1; k >= 0; k--)\n"
    "        x = kata_mirrored(kata_constant(o->value[k % 2]), x);\n"
    "    return x;\n"
    "}\n"
    "\n"
    "/* Along all dimensions: x is mapped first, and undone last. */\n"
    "KATA_INLINED int kata_direct(const abi_fill *fill, ABI_GLOBAL const T_STORED *all,\n"
    "                             ABI_GLOBAL const abi_outside *outside, const kata_place *p,\n"
    "                             T_STORED *found)\n"
    "{\n"
    "    int64_t at[3] = {p->at[0], p->at[1], p->at[2]};\n"
    "    int last = 3; /* the first dimension along which the value is always the same */\n"
    "    T_STORED x = 0;\n"
    "    KATA_EACH for (int d = 0; d < 3; d++) {\n"
    "        if (p->entry[d] < 0 || last < 3) continue;\n"
    "        ABI_GLOBAL const abi_outside *o = outside + p->entry[d];\n"
    "        if (o->kind == ABI_NOWHERE) return 0;\n"
    "        if (o->kind == ABI_CONSTANT) {\n"
    "            x = kata_constant(o->always);\n"
    "            last = d;\n"
    "        } else {\n"
    "            at[d] = o->index;\n"
    "        }\n"
    "    }\n"
    "    if (last == 3) x = all[kata_element(fill, at)];\n"
    "    KATA_EACH for (int d = 2; d >= 0; d--)\n"
    "        if (d <= last && p->entry[d] >= 0) x = kata_undone(outside + p->entry[d], x);\n"
    "    *found = x;\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "/* Along the last dimension alone: what lies outside along others is filled already. */\n"
    "KATA_INLINED int kata_last(const abi_fill *fill, ABI_GLOBAL const T_STORED *all,\n"
    "                           ABI_GLOBAL const abi_outside *outside, const kata_place *p, int "
    "d,\n"
    "                           T_STORED *found)\n"
    "{\n"
    "    int64_t at[3] = {p->at[0], p->at[1], p->at[2]};\n"
    "    ABI_GLOBAL const abi_outside *o = outside + p->entry[d];\n"
    "    T_STORED x;\n"
    "    if (o->kind == ABI_NOWHERE) return 0;\n"
    "    if (o->kind == ABI_CONSTANT) {\n"
    "        x = kata_constant(o->always);\n"
    "    } else if (o->kind == ABI_SUM) {\n"
    "        T_SUM sum = (T_SUM)o->weight[o->count] * (T_SUM)o->always;\n"
    "        for (int64_t k = 0; k < o->count; k++) {\n"
    "            at[d] = o->index + k * o->step;\n"
    "            const T_SUM product =\n"
    "                (T_SUM)o->weight[k] * kata_loaded(all[kata_element(fill, at)]);\n"
    "            sum += product;\n"
    "        }\n"
    "        x = kata_summed(sum);\n"
    "    } else {\n"
    "        at[d] = o->index;\n"
    "        x = all[kata_element(fill, at)];\n"
    "    }\n"
    "    *found = kata_undone(o, x);\n"
    "    return 1;\n"
    "}\n"
    "\n";

static const char fill[] =
    "%s" CODEGEN_FILL_NAME "(const abi_fill fill, ABI_GLOBAL T_STORED *all,\n"
    "    ABI_GLOBAL const abi_outside *outside, ABI_GLOBAL const abi_piece *piece)\n"
    "{\n"
    "    kata_place p;\n"
    "    T_STORED x;\n"
    "    int sums = 0, last = 0;\n"
    "    if (!kata_find(&fill, piece, (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0), &p)) return;\n"
    "    all += fill.place.at + p.component * fill.place.component;\n"
    "    KATA_EACH for (int d = 0; d < 3; d++) {\n"
    "        if (p.entry[d] < 0) continue;\n"
    "        last = d;\n"
    "        sums = sums || outside[p.entry[d]].kind == ABI_SUM;\n"
    "    }\n"
    "    const int found = sums ? kata_last(&fill, all, outside, &p, last, &x)\n"
    "                           : kata_direct(&fill, all, outside, &p, &x);\n"
    "    if (found) all[kata_element(&fill, p.at)] = x;\n"
    "}\n\n";

static const char scatter[] =
    "%s" CODEGEN_SCATTER_NAME "(const abi_fill fill, ABI_GLOBAL T_STORED *all,\n"
    "    ABI_GLOBAL const abi_outside *outside, ABI_GLOBAL const abi_piece *piece)\n"
    "{\n"
    "    kata_place p;\n"
    "    if (!kata_find(&fill, piece, (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0), &p)) return;\n"
    "    all += fill.place.at + p.component * fill.place.component;\n"
    "    const T_STORED x = all[kata_element(&fill, p.at)];\n"
    "    KATA_EACH for (int d = 0; d < 3; d++) {\n"
    "        if (p.entry[d] < 0) continue;\n"
    "        if (outside[p.entry[d]].kind == ABI_NOWHERE) return;\n"
    "        p.at[d] = outside[p.entry[d]].index;\n"
    "    }\n"
    "    all[kata_element(&fill, p.at)] = x;\n"
    "}\n";

static void add_conversion(text *out, const char *name, const char *to, const char *from,
                           const char *open, const char *close)
{
    text_add(out, "KATA_INLINED %s %s(%s x) { return %sx%s; }\n", to, name, from, open, close);
}

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
    ir_type sum = storage == KATA_F64 ? IR_F64 : IR_F32;
    text_add(out, "\n#define T_STORED %s\n#define T_SUM %s\n", stored, ir_types[sum].c_name);
    text_add(out, "#define KATA_EACH _Pragma(\"unroll\")\n\n");
    add_conversion(out, "kata_constant", stored, "double", codegen_store_open(storage, IR_F64).is,
                   codegen_store_close(storage, IR_F64));
    ir_type own = ir_type_of_storage(storage), as = ir_type_is_narrow(own) ? IR_I32 : own;
    if (ir_type_is_floating(own)) as = sum;
    add_conversion(out, "kata_loaded", "T_SUM", stored, codegen_load_open(as, storage).is,
                   codegen_load_close(as, storage));
    add_conversion(out, "kata_summed", stored, "T_SUM", codegen_store_open(storage, sum).is,
                   codegen_store_close(storage, sum));
    add_mirrored(out, storage, stored);
    text_add(out, "%s", common);
    text_add(out, fill, dialect->function, CODEGEN_FILL_THREADS);
    text_add(out, scatter, dialect->function, CODEGEN_FILL_THREADS);
}
