/* The kernel that combines partials of a reduction on a device: level by level of a binary tree
 * that is aligned to global indices, as sweep/reduce.c does it. */
#include "codegen/thread.h"

static const char kernel[] =
    "/* A level over `count` values whose first has index `first`: `alone` stay as they are. */\n"
    "#define KATA_LEVEL                                            \\\n"
    "    const int64_t alone = first & 1, pairs = (count - alone) / 2;\\\n"
    "    const int64_t rest = (count - alone) & 1;\n"
    "\n"
    "%s" CODEGEN_TREE_NAME "(const abi_tree tree, ABI_GLOBAL abi_value *values)\n"
    "{\n"
    "    const int64_t thread = KATA_THREAD(0), group = KATA_GROUP(0);\n"
    "    int64_t first = tree.first, count = tree.count;\n"
    "    if (count <= %d) {\n"
    "        const int64_t list = group * %d + thread;\n"
    "        if (list >= tree.lists) return;\n"
    "        values += list * tree.apart;\n"
    "        for (; count > 1; first >>= 1) {\n"
    "            KATA_LEVEL\n"
    "            for (int64_t i = 0; i < pairs; i++)\n"
    "                values[(alone + i) * tree.step].MEMBER =\n"
    "                    kata_both(values[(alone + 2 * i) * tree.step].MEMBER,\n"
    "                              values[(alone + 2 * i + 1) * tree.step].MEMBER);\n"
    "            if (rest) values[(alone + pairs) * tree.step] = values[(count - 1) * tree.step];\n"
    "            count = alone + pairs + rest;\n"
    "        }\n"
    "        return;\n"
    "    }\n"
    "    values += group * tree.apart;\n"
    "    for (; count > 1; first >>= 1) {\n"
    "        KATA_LEVEL\n"
    "        for (int64_t from = 0; from < pairs + rest; from += %d) {\n"
    "            const int64_t i = from + thread;\n"
    "            T both = 0;\n"
    "            if (i < pairs)\n"
    "                both = kata_both(values[(alone + 2 * i) * tree.step].MEMBER,\n"
    "                                 values[(alone + 2 * i + 1) * tree.step].MEMBER);\n"
    "            else if (i < pairs + rest)\n"
    "                both = values[(count - 1) * tree.step].MEMBER;\n"
    "            KATA_MEET\n"
    "            if (i < pairs + rest) values[(alone + i) * tree.step].MEMBER = both;\n"
    "            KATA_MEET\n"
    "        }\n"
    "        count = alone + pairs + rest;\n"
    "    }\n"
    "}\n";

void codegen_tree_function(text *out, const ir_param *param, const codegen_dialect *dialect)
{
    ir_op op = ir_reduction_op(param);
    const char *t = codegen_short_type(param->type), *c = ir_types[param->type].c_name;
    text_add(out, "\n#define T %s\n#define MEMBER %s\n#define KATA_MEET %s;\n", c,
             codegen_member(param->type), dialect->global_barrier);
    text_add(out, "KATA_INLINED %s kata_both(%s a, %s b) { return ", c, c, c);
    if (op == IR_ADD && ir_type_is_floating(param->type))
        text_add(out, "a + b; }\n\n");
    else
        text_add(out, "kata_%s_%s(a, b); }\n\n", ir_ops[op].name, t);
    text_add(out, kernel, dialect->function, CODEGEN_TREE_SHORT, CODEGEN_TREE_THREADS,
             CODEGEN_TREE_THREADS);
}
