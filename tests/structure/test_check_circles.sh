# check_circles accepts files that need each other in one direction, and shows the way round a circle.
set -euo pipefail
# shellcheck source=tests/structure/structure.bash
. "$KATA_SOURCE/tests/structure/structure.bash"
lists "$KATA_SOURCE/tests/structure/check_circles" circles

# A file that defines a function of its own name, which calls others.
file() # folder name [called...]
{
    local called
    {
        for called in "${@:3}"; do echo "int $called(void);"; done
        echo "int $2(void)"
        echo '{'
        for called in "${@:3}"; do echo "    $called();"; done
        echo '    return 0;'
        echo '}'
    } >"tree/src/$1/$2.c"
    mkdir -p "build/objects/src/$1"
    cc -c "tree/src/$1/$2.c" -o "build/objects/src/$1/$2.c.o"
}

fresh()
{
    rm -rf tree build
    mkdir -p tree/src/ir tree/src/lang
    file ir graph
    file ir fold graph
    file ir lower fold graph
    file lang parse lower
}

fresh
expect "" build tree

fresh
file ir graph fold
expect "src/ir/fold.c:1: a circle of 2 files: fold.c needs graph of graph.c needs fold of fold.c" \
    build tree

fresh
file ir graph lower
file ir lower fold
expect "src/ir/fold.c:1: a circle of 3 files: fold.c needs graph of graph.c needs lower of lower.c needs fold of fold.c" \
    build tree

# Variables count, static functions do not.
fresh
echo 'int lower(void); int number; static int fold(void) { return lower(); } int graph(void) { return fold(); }' \
    >tree/src/ir/graph.c
cc -c tree/src/ir/graph.c -o build/objects/src/ir/graph.c.o
echo 'extern int number; int lower(void) { return number; }' >tree/src/ir/lower.c
cc -c tree/src/ir/lower.c -o build/objects/src/ir/lower.c.o
expect "src/ir/graph.c:1: a circle of 2 files: graph.c needs lower of lower.c needs number of graph.c" \
    build tree

# A build keeps the object of a file that was removed.
fresh
file ir graph fold
rm tree/src/ir/graph.c
expect "" build tree

# Exceptions go when they are none any more.
fresh
file ir graph fold
lists "$KATA_SOURCE/tests/structure/check_circles" "circles=ir calls itself"
expect "" build tree
fresh
expect "src/ir:1: is listed in check for a circle, and has none" build tree

# Nothing to check is no success.
if ./check empty tree 2>/dev/null; then failures=1; fi
mkdir -p empty
if ./check empty tree 2>/dev/null; then failures=1; fi

[ "$failures" -eq 0 ]
