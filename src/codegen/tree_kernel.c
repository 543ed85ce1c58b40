/* The kernel that combines partials of a reduction on a device: by binary trees that are aligned to
 * global indices, as sweep/reduce.c does it. A group reads CODEGEN_TREE_LEAVES values at once and
 * makes the node above them: three levels of the tree for a barrier. Nodes lie where their leaves
 * have been until the memory that the group shares has room for all of them. */
#include "codegen/thread.h"

/* In front of it: T and MEMBER, the type of values; LEAVES and HELD; KATA_MEET, KATA_SHARED,
 * KATA_SHARES; kata_both. */
static const char nodes[] =
    "/* The list of a group, along the dimension that is combined: the index of its first value, "
    "the\n"
    " * nodes along it, and those of all lists; and whether they are in shared memory. */\n"
    "typedef struct kata_lists {\n"
    "    int64_t first;\n"
    "    int count[3], nodes, all, held;\n"
    "} kata_lists;\n"
    "\n"
    "/* Dimensions below d have one value each. */\n"
    "KATA_INLINED void kata_begin(kata_lists *l, int d)\n"
    "{\n"
    "    l->nodes = (int)((l->first + l->count[d] - 1) / LEAVES - l->first / LEAVES) + 1;\n"
    "    l->all = l->nodes * (d < 2 ? l->count[2] : 1) * (d < 1 ? l->count[1] : 1);\n"
    "}\n"
    "\n"
    "/* The first value of a list in memory. */\n"
    "KATA_INLINED int64_t kata_list(const abi_tree *tree, const kata_lists *l, int d, int list)\n"
    "{\n"
    "    if (d == 2) return 0;\n"
    "    if (d == 1) return list * tree->step[2];\n"
    "    const int z = list / l->count[1];\n"
    "    return (list - z * l->count[1]) * tree->step[1] + z * tree->step[2];\n"
    "}\n"
    "\n"
    "/* Leaves from `from` to `to` - 1 are there: a node with one child is that child. */\n"
    "#define KATA_PAIR(k, s)                            \\\n"
    "    if (from < k + s && to > k + s)                \\\n"
    "        leaf[k] = kata_both(leaf[k], leaf[k + s]); \\\n"
    "    else if (from >= k + s)                        \\\n"
    "        leaf[k] = leaf[k + s];\n"
    "\n"
    "KATA_INLINED T kata_node(const abi_tree *tree, const kata_lists *l, int d, int node,\n"
    "                         ABI_GLOBAL const abi_value *values, const KATA_SHARES T *held)\n"
    "{\n"
    "    const int list = node / l->nodes;\n"
    "    const int at = (node - list * l->nodes) * LEAVES - (int)(l->first % LEAVES);\n"
    "    const int from = at < 0 ? -at : 0, to = l->count[d] - at;\n"
    "    T leaf[LEAVES];\n"
    "    values += kata_list(tree, l, d, list);\n"
    "    held += list * l->count[d];\n"
    "    KATA_EACH for (int k = 0; k < LEAVES; k++) {\n"
    "        leaf[k] = 0;\n"
    "        if (k < from || k >= to) continue;\n"
    "        leaf[k] = l->held ? held[at + k] : values[(at + k) * tree->step[d]].MEMBER;\n"
    "    }\n"
    "    KATA_PAIR(0, 1) KATA_PAIR(2, 1) KATA_PAIR(4, 1) KATA_PAIR(6, 1)\n"
    "    KATA_PAIR(0, 2) KATA_PAIR(4, 2) KATA_PAIR(0, 4)\n"
    "    return leaf[0];\n"
    "}\n"
    "\n"
    "/* A list along x that is short, level by level: `alone` stay as they are. */\n"
    "KATA_INLINED void kata_along(const abi_tree *tree, ABI_GLOBAL abi_value *values,\n"
    "                             ABI_GLOBAL abi_value *result)\n"
    "{\n"
    "    int64_t first = tree->first[0], count = tree->count[0], step = tree->step[0];\n"
    "    for (; count > 1; first >>= 1) {\n"
    "        const int64_t alone = first & 1, pairs = (count - alone) / 2;\n"
    "        const int64_t rest = (count - alone) & 1;\n"
    "        for (int64_t i = 0; i < pairs; i++)\n"
    "            values[(alone + i) * step].MEMBER =\n"
    "                kata_both(values[(alone + 2 * i) * step].MEMBER,\n"
    "                          values[(alone + 2 * i + 1) * step].MEMBER);\n"
    "        if (rest) values[(alone + pairs) * step] = values[(count - 1) * step];\n"
    "        count = alone + pairs + rest;\n"
    "    }\n"
    "    *result = *values;\n"
    "}\n"
    "\n";

/* Nodes take the places of values that no later round reads. */
static const char kernel[] =
    "%s" CODEGEN_TREE_NAME "(const abi_tree tree, ABI_GLOBAL abi_value *values,\n"
    "    ABI_GLOBAL abi_value *results)\n"
    "{\n"
    "    KATA_SHARED T held[HELD];\n"
    "    const int thread = KATA_THREAD(0), few = tree.count[0] <= SHORT && !tree.step[1];\n"
    "    const int64_t group = KATA_GROUP(0);\n"
    "    kata_lists l = {0};\n"
    "    const int64_t own = few ? group * THREADS + thread : group;\n"
    "    values += tree.from + own * tree.apart;\n"
    "    results += tree.to + own * tree.to_apart;\n"
    "    if (few && own < tree.lists) kata_along(&tree, values, results);\n"
    "    for (int d = 0; d < 3; d++) l.count[d] = few ? 1 : (int)tree.count[d];\n"
    "    for (int d = 0; d < 3; d++) {\n"
    "        l.first = tree.first[d];\n"
    "        while (l.count[d] > 1) {\n"
    "            kata_begin(&l, d);\n"
    "            const int keeps = l.all <= HELD;\n"
    "            for (int begin = 0; begin < l.all; begin += 2 * THREADS) {\n"
    "                T both[2];\n"
    "                KATA_EACH for (int k = 0; k < 2; k++) {\n"
    "                    const int node = begin + k * THREADS + thread;\n"
    "                    if (node < l.all) both[k] = kata_node(&tree, &l, d, node, values, held);\n"
    "                }\n"
    "                KATA_MEET\n"
    "                KATA_EACH for (int k = 0; k < 2; k++) {\n"
    "                    const int node = begin + k * THREADS + thread;\n"
    "                    const int list = node / l.nodes, i = node - list * l.nodes;\n"
    "                    if (node < l.all && keeps) held[node] = both[k];\n"
    "                    if (node < l.all && !keeps)\n"
    "                        values[kata_list(&tree, &l, d, list) + i * tree.step[d]].MEMBER =\n"
    "                            both[k];\n"
    "                }\n"
    "                KATA_MEET\n"
    "            }\n"
    "            l.held = keeps;\n"
    "            l.count[d] = l.nodes;\n"
    "            l.first /= LEAVES;\n"
    "        }\n"
    "    }\n"
    "    if (l.held && thread == 0) results->i64 = 0;\n"
    "    if (l.held && thread == 0) results->MEMBER = held[0];\n"
    "}\n";

void codegen_tree_function(text *out, const ir_param *param, const codegen_dialect *dialect)
{
    ir_op op = ir_reduction_op(param);
    const char *t = codegen_short_type(param->type), *c = ir_types[param->type].c_name;
    text_add(out, "\n#define T %s\n#define MEMBER %s\n#define KATA_MEET %s;\n", c,
             codegen_member(param->type), dialect->global_barrier);
    text_add(out, "#define KATA_SHARED %s\n#define KATA_SHARES %s\n", dialect->local,
             dialect->shared);
    text_add(out, "#define KATA_EACH _Pragma(\"unroll\")\n");
    text_add(out, "enum { LEAVES = %d, HELD = %d, SHORT = %d, THREADS = %d };\n\n",
             CODEGEN_TREE_LEAVES, CODEGEN_TREE_HELD, CODEGEN_TREE_SHORT, CODEGEN_TREE_THREADS);
    text_add(out, "KATA_INLINED %s kata_both(%s a, %s b) { return ", c, c, c);
    if (op == IR_ADD && ir_type_is_floating(param->type))
        text_add(out, "a + b; }\n\n");
    else
        text_add(out, "kata_%s_%s(a, b); }\n\n", ir_ops[op].name, t);
    text_add(out, "%s", nodes);
    text_add(out, kernel, dialect->function);
}
