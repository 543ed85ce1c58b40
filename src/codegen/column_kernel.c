/* The kernels that combine what points contribute to a reduction on a device, where each has left
 * it by itself: in the order that sweep/reduce.h defines. */
#include "codegen/thread.h"

/* In front of them: T, MEMBER, T_STORED, kata_both, kata_loaded and kata_stored. */
static const char start[] =
    "%s" CODEGEN_START_NAME "(const int64_t count, ABI_GLOBAL abi_value *to)\n"
    "{\n"
    "    const int64_t n = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0);\n"
    "    if (n < count) to[n].MEMBER = KATA_NEUTRAL;\n"
    "}\n\n";

static const char lanes[] =
    "%s" CODEGEN_LANES_NAME "(const abi_collected c, ABI_GLOBAL const abi_value *from,\n"
    "    ABI_GLOBAL abi_value *to)\n"
    "{\n"
    "    %sT lane[%d];\n"
    "    const int64_t group = KATA_GROUP(0), row = group / c.bricks;\n"
    "    const int64_t begin = (c.first + group %% c.bricks) * ABI_BRICK - c.lo;\n"
    "    const int me = (int)KATA_THREAD(0);\n"
    "    T sum = KATA_NEUTRAL;\n"
    "    for (int64_t i = begin + me; i < begin + ABI_BRICK; i += ABI_LANES)\n"
    "        if (i >= 0 && i < c.count)\n"
    "            sum = kata_both(sum, from[row * c.other + i * c.step].MEMBER);\n"
    "    lane[me] = sum;\n"
    "    KATA_MEET\n"
    "    for (int half_of = ABI_LANES / 2; half_of > 0; half_of /= 2) {\n"
    "        if (me < half_of) lane[me] = kata_both(lane[me], lane[me + half_of]);\n"
    "        KATA_MEET\n"
    "    }\n"
    "    if (me == 0) {\n"
    "        to[group].i64 = 0;\n"
    "        to[group].MEMBER = lane[0];\n"
    "    }\n"
    "}\n\n";

static const char columns[] =
    "%s" CODEGEN_COLUMNS_NAME "(const abi_collected c, ABI_GLOBAL const abi_value *from,\n"
    "    ABI_GLOBAL abi_value *to)\n"
    "{\n"
    "    const int64_t n = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0);\n"
    "    const int64_t x = n %% c.x, other = n / c.x %% c.others, brick = n / c.x / c.others;\n"
    "    const int64_t begin = (c.first + brick) * %d - c.lo;\n"
    "    T sum = KATA_NEUTRAL;\n"
    "    if (brick >= c.bricks) return;\n"
    "    for (int64_t k = 0; k < %d; k++) {\n"
    "        const int64_t i = begin + (c.backwards ? %d - k : k);\n"
    "        if (i >= 0 && i < c.count)\n"
    "            sum = kata_both(sum, from[x + i * c.step + other * c.other].MEMBER);\n"
    "    }\n"
    "    to[n].MEMBER = sum;\n"
    "}\n\n";

/* A sum is added to 0 at last: -0 becomes 0. */
static const char commit[] =
    "%s" CODEGEN_COMMIT_NAME "(const abi_commit c, ABI_GLOBAL const abi_value *from,\n"
    "    ABI_GLOBAL T_STORED *to)\n"
    "{\n"
    "    const int64_t n = (int64_t)KATA_GROUP(0) * %d + KATA_THREAD(0), row = n / c.size[0];\n"
    "    const int64_t x = n %% c.size[0], y = row %% c.size[1], z = row / c.size[1];\n"
    "    if (z >= c.size[2]) return;\n"
    "    ABI_GLOBAL T_STORED *at =\n"
    "        to + c.to + x * c.to_step[0] + y * c.to_step[1] + z * c.to_step[2];\n"
    "    T result =\n"
    "        from[x * c.from_step[0] + y * c.from_step[1] + z * c.from_step[2]].MEMBER;\n"
    "    if (KATA_SUMS && result == 0) result = 0;\n"
    "    if (c.accumulates) result = kata_both(kata_loaded(*at), result);\n"
    "    *at = kata_stored(result);\n"
    "}\n";

static void add_words(text *out, const ir_param *param, kata_type storage,
                      const codegen_dialect *dialect)
{
    ir_op op = ir_reduction_op(param);
    const char *t = codegen_short_type(param->type), *c = ir_types[param->type].c_name;
    const char *stored = ir_storages[storage].c_name;
    text_add(out, "\n#define T %s\n#define T_STORED %s\n#define MEMBER %s\n", c, stored,
             codegen_member(param->type));
    text_add(out, "#define KATA_MEET %s;\n#define KATA_SUMS %d\n#define KATA_NEUTRAL ",
             dialect->barrier, param->kind == IR_PARAM_SUM);
    codegen_constant(out, dialect, param->type, ir_reduction_start(param));
    text_add(out, "\nKATA_INLINED T kata_both(T a, T b) { return ");
    if (op == IR_ADD && ir_type_is_floating(param->type))
        text_add(out, "a + b; }\n");
    else
        text_add(out, "kata_%s_%s(a, b); }\n", ir_ops[op].name, t);
    text_add(out, "KATA_INLINED T kata_loaded(T_STORED x) { return %sx%s; }\n",
             codegen_load_open(param->type, storage).is, codegen_load_close(param->type, storage));
    text_add(out, "KATA_INLINED T_STORED kata_stored(T x) { return %sx%s; }\n\n",
             codegen_store_open(storage, param->type).is,
             codegen_store_close(storage, param->type));
}

void codegen_column_function(text *out, const ir_param *param, kata_type storage,
                             const codegen_dialect *dialect)
{
    add_words(out, param, storage, dialect);
    text_add(out, start, dialect->function, CODEGEN_COLUMN_THREADS);
    text_add(out, lanes, dialect->function, dialect->local, ABI_LANES);
    text_add(out, columns, dialect->function, CODEGEN_COLUMN_THREADS, IR_COLUMN_BRICK,
             IR_COLUMN_BRICK, IR_COLUMN_BRICK - 1);
    text_add(out, commit, dialect->function, CODEGEN_COLUMN_THREADS);
}
