# check_headers accepts headers whose declarations other folders use, and names each that they do not.
set -euo pipefail
# shellcheck source=tests/structure/structure.bash
. "$KATA_SOURCE/tests/structure/structure.bash"
lists "$KATA_SOURCE/tests/structure/check_headers" more_headers open_headers

fresh()
{
    rm -rf tree
    mkdir -p tree/src/ir tree/src/lang tree/tests/unit tree/bench
    cat >tree/src/ir/ir.h <<'END'
/* ir_unused(), in a comment. */
#ifndef IR_IR_H
#define IR_IR_H

#define IR_OPS(X)                                                                                  \
    X(ADD)                                                                                         \
    X(SUB)

typedef enum ir_op {
#define X(name, ...) IR_##name,
    IR_OPS(X)
#undef X
        IR_OP_COUNT
} ir_op;

/* used by way of ir_graph */
typedef struct ir_node {
    int kind;
} ir_node;

typedef struct ir_graph {
    ir_node *nodes;
    int count; // of nodes
} ir_graph;

enum { IR_FEW = 3, IR_MANY = 1 << 4 };

typedef int ir_visit(ir_node *node);
typedef int (*ir_visitor)(ir_node *node);

int ir_walk(ir_graph *graph, ir_visit *visit,
            ir_visitor visitor);
extern const int ir_widths[4];
static inline int ir_wide(int width)
{
    return width > IR_FEW;
}

#endif
END
    cat >tree/src/lang/lower.c <<'END'
#include "ir/ir.h"
int lang_lower(ir_graph *graph) { return ir_wide(ir_widths[IR_SUB]) + ir_walk(graph, 0, 0); }
END
}

fresh
expect "" tree

fresh
sed -i 's/ir_wide(ir_widths\[IR_SUB\])/0/' tree/src/lang/lower.c
expect "src/ir/ir.h:9: ir_op is not used outside src/ir" tree
expect "src/ir/ir.h:26: IR_FEW is not used outside src/ir" tree
expect "src/ir/ir.h:33: ir_widths is not used outside src/ir" tree
expect "src/ir/ir.h:34: ir_wide is not used outside src/ir" tree

# Neither comments nor texts are uses, nor is what the folder itself does.
fresh
sed -i 's/^extern/int ir_unused(int width); \/* one line *\/\n&/' tree/src/ir/ir.h
echo 'int f(void) { /* ir_unused() */ return g("ir_unused()"); } // ir_unused()' >>tree/src/lang/lower.c
echo 'int g(void) { return ir_unused(1); }' >tree/src/ir/fold.c
expect "src/ir/ir.h:33: ir_unused is not used outside src/ir" tree
echo 'int main(void) { return ir_unused(1); }' >tree/tests/unit/test_fold.c
expect "" tree

for kind in 'typedef int ir_unused(int x);' 'typedef int (*ir_unused)(int x);' \
    'typedef struct ir_unused ir_unused;' 'struct ir_unused;' 'typedef long ir_unused;' \
    '#define ir_unused(x) (x)' '#define ir_unused 1' 'enum { ir_unused };' \
    'typedef struct { int x; } ir_unused;' 'extern char ir_unused[];' \
    'static inline int ir_unused(int x) { return x; }'; do
    fresh
    sed -i "s/^extern/$kind\n&/" tree/src/ir/ir.h
    expect "src/ir/ir.h:33: ir_unused is not used outside src/ir" tree
    echo "int f(void) { return ir_unused; }" >>tree/src/lang/lower.c
    expect "" tree
done

# Other headers of a folder are its own. Tests may look at them.
fresh
echo 'int ir_own(void);' >tree/src/ir/inside.h
echo '#include "ir/inside.h"' >tree/src/ir/fold.c
echo '#include "ir/inside.h"' >tree/tests/unit/test_fold.c
expect "" tree
echo '#include "ir/inside.h"' >>tree/src/lang/lower.c
expect "src/lang/lower.c:3: includes ir/inside.h, which only its own folder may include" tree

# Exceptions go when they are none any more.
fresh
lists "$KATA_SOURCE/tests/structure/check_headers" "more_headers=ir/inside.h a text" open_headers=ir
sed -i 's/^extern/int ir_unused(int width);\n&/' tree/src/ir/ir.h
echo '#include "ir/inside.h"' >>tree/src/lang/lower.c
touch tree/src/ir/inside.h
expect "" tree
fresh
expect "src/ir:1: is listed in check for its header" tree

[ "$failures" -eq 0 ]
