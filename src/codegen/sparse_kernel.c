/* The kernels of loops over points between those of a grid: a thread has a target, and does there
 * what sweep/run_sparse.c does. Of sums it writes the products, each to a place of its own; then a
 * thread has a point, and adds its products in their order. */
#include "codegen/thread.h"

/* In front of it: T_STORED and T_SCALE, the types of elements; kata_loaded, kata_stored and
 * kata_scaled. */
static const char common[] =
    "/* Whether a thread has a target in the box, and which. */\n"
    "KATA_INLINED int kata_has(const abi_sparse *s, int64_t n, ABI_GLOBAL const abi_target *t)\n"
    "{\n"
    "    int inside = n < s->count;\n"
    "    for (int d = 0; d < 3 && inside; d++)\n"
    "        inside = t[s->first + n].at[d] >= s->lo[d] && t[s->first + n].at[d] < s->hi[d];\n"
    "    return inside;\n"
    "}\n"
    "\n"
    "KATA_INLINED int64_t kata_element(int64_t origin, const int64_t *step,\n"
    "                                  ABI_GLOBAL const abi_target *t)\n"
    "{\n"
    "    return origin + t->at[0] * step[0] + t->at[1] * step[1] + t->at[2] * step[2];\n"
    "}\n\n";

static const char inject[] =
    "%s" CODEGEN_INJECT_NAME "(const abi_sparse s, ABI_GLOBAL T_STORED *field,\n"
    "    ABI_GLOBAL const T_SCALE *scales, ABI_GLOBAL const abi_target *targets,\n"
    "    ABI_GLOBAL const abi_weight *weights, ABI_GLOBAL const double *values)\n"
    "{\n"
    "    const int64_t n = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0);\n"
    "    if (!kata_has(&s, n, targets)) return;\n"
    "    ABI_GLOBAL const abi_target *t = targets + s.first + n;\n"
    "    ABI_GLOBAL T_STORED *element = field + kata_element(s.field, s.field_step, t);\n"
    "    const double scale = kata_scaled(scales[kata_element(s.scale, s.scale_step, t)]);\n"
    "    T_STORED x = *element;\n"
    "    for (int64_t i = t->first; i < t[1].first; i++) {\n"
    "        const double added = weights[i].weight * scale * values[weights[i].point];\n"
    "        const double sum = kata_loaded(x) + added;\n"
    "        x = kata_stored(sum);\n"
    "    }\n"
    "    *element = x;\n"
    "}\n";

static const char record[] =
    "%s" CODEGEN_RECORD_NAME "(const abi_sparse s, ABI_GLOBAL const T_STORED *field,\n"
    "    ABI_GLOBAL const T_SCALE *scales, ABI_GLOBAL const abi_target *targets,\n"
    "    ABI_GLOBAL const abi_weight *weights, ABI_GLOBAL double *products)\n"
    "{\n"
    "    const int64_t n = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0);\n"
    "    if (!kata_has(&s, n, targets)) return;\n"
    "    ABI_GLOBAL const abi_target *t = targets + s.first + n;\n"
    "    const double value = kata_loaded(field[kata_element(s.field, s.field_step, t)]);\n"
    "    const double scale = kata_scaled(scales[kata_element(s.scale, s.scale_step, t)]);\n"
    "    for (int64_t i = t->first; i < t[1].first; i++)\n"
    "        products[i - s.base] = weights[i].weight * scale * value;\n"
    "}\n";

static const char sums[] =
    "\n%s" CODEGEN_SUMS_NAME "(const int64_t count, ABI_GLOBAL const int64_t *slots,\n"
    "    ABI_GLOBAL const int64_t *order, ABI_GLOBAL const double *products,\n"
    "    ABI_GLOBAL double *sums)\n"
    "{\n"
    "    const int64_t p = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0);\n"
    "    double sum = 0;\n"
    "    if (p >= count) return;\n"
    "    for (int64_t i = slots[p]; i < slots[p + 1]; i++) sum += products[order[i]];\n"
    "    sums[p] = sum;\n"
    "}\n";

void codegen_sparse_function(text *out, const codegen_sparse *s, const codegen_dialect *dialect)
{
    const char *stored = ir_storages[s->storage].c_name, *scale = ir_storages[s->scale].c_name;
    text_add(out, "\n#define T_STORED %s\n#define T_SCALE %s\n\n", stored, scale);
    text_add(out, "KATA_INLINED double kata_loaded(T_STORED x) { return %sx%s; }\n",
             codegen_load_open(IR_F64, s->storage).is, codegen_load_close(IR_F64, s->storage));
    text_add(out, "KATA_INLINED T_STORED kata_stored(double x) { return %sx%s; }\n",
             codegen_store_open(s->storage, IR_F64).is, codegen_store_close(s->storage, IR_F64));
    text_add(out, "KATA_INLINED double kata_scaled(T_SCALE x) { return %s%s%s; }\n\n",
             s->scaled ? codegen_load_open(IR_F64, s->scale).is : "", s->scaled ? "x" : "1",
             s->scaled ? codegen_load_close(IR_F64, s->scale) : "");
    text_add(out, "%s", common);
    text_add(out, s->records ? record : inject, dialect->function, CODEGEN_SPARSE_THREADS);
}

void codegen_sums_function(text *out, const codegen_dialect *dialect)
{
    text_add(out, sums, dialect->function, CODEGEN_SPARSE_THREADS);
}
