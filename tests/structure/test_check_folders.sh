# check_folders accepts the order it is for, and names each way to break it with file and line.
set -euo pipefail
# shellcheck source=tests/structure/structure.bash
. "$KATA_SOURCE/tests/structure/structure.bash"
lists "$KATA_SOURCE/tests/structure/check_folders"

# A small project that breaks nothing.
fresh()
{
    rm -rf tree
    mkdir -p tree/docs tree/src/base tree/src/ir tree/src/api tree/apps/heat tree/cli tree/include/kata
    echo 'The rooms are `base`, `ir` and `api`.' >tree/docs/architecture.md
    touch tree/README.md tree/src/base/base.h tree/src/ir/ir.h tree/include/kata/kata.h
    printf '#include "ir/ir.h"\n#include "base/base.h"\n#include <kata/kata.h>\n' >tree/src/ir/fold.c
    printf '#include <stdio.h>\n#include "ir/ir.h"\n' >tree/src/api/open.c
    printf '#include <kata/kata.h>\n#include "heat_kata.h"\n#include "apps.h"\n' >tree/apps/heat/heat.c
    touch tree/apps/apps.h
    printf '#include "apps.h"\n' >tree/cli/main.c
}

fresh
expect "" tree

fresh
printf '\n#include "api/api.h"\n' >>tree/src/ir/fold.c
expect "src/ir/fold.c:5: ir may not know api, which stands below it" tree

fresh
echo ' #  include "ir/ir.h" // up' >>tree/src/base/base.h
expect "src/base/base.h:1: base may not know ir, which stands below it" tree

fresh
echo '#include "../api/open.h"' >tree/src/ir/other.c
expect 'src/ir/other.c:1: "../api/open.h": a path is given from src/, without ..' tree

fresh
echo '#include "nothing.h"' >tree/src/ir/other.c
expect 'src/ir/other.c:1: "nothing.h" is not in src/ir' tree

fresh
echo '#include "magic/magic.h"' >tree/src/ir/other.c
expect "src/ir/other.c:1: includes \"magic/magic.h\", and magic is no folder of the library" tree

fresh
echo '#include <base/base.h>' >tree/src/ir/other.c
expect 'src/ir/other.c:1: write "base/base.h"' tree

fresh
mkdir tree/src/util
touch tree/src/util/util.c
expect "src/util/util.c:1: src/util is not in the order" tree

fresh
touch tree/src/stray.c
expect "src/stray.c:1: a source file belongs in a folder of src/" tree

fresh
echo '#include "ir/ir.h"' >>tree/apps/heat/heat.c
expect 'apps/heat/heat.c:4: includes "ir/ir.h", which is neither <kata/...> nor in apps/' tree

fresh
echo '#include <ir/ir.h>' >>tree/cli/main.c
expect "cli/main.c:2: includes <ir/ir.h>, which is inside the library" tree

fresh
echo '#include "../src/ir/ir.h"' >>tree/cli/main.c
expect 'cli/main.c:2: includes "../src/ir/ir.h"' tree

fresh
echo '#include "kata/kata.h"' >>tree/cli/main.c
expect "cli/main.c:2: write <kata/kata.h>" tree

fresh
mkdir -p tree/src/ir/deep
touch tree/src/ir/deep/hole.c
expect "src/ir/deep/hole.c:1: folders go at most two levels below the root" tree

fresh
for i in 1 2 3 4 5 6 7 8 9; do touch "tree/entry$i"; done
expect "" tree
touch tree/entry10
expect "16 visible entries in the root" tree

fresh
touch tree/src/api/fold.c
expect "src/api/fold.c:1: the name fold.c occurs more than once" tree

fresh
mkdir tree/src/lang
touch tree/src/lang/lang.c
expect "docs/architecture.md:1: says nothing of \`lang\`" tree
rm tree/docs/architecture.md
expect "docs/architecture.md:1: says nothing of \`base\`" tree

[ "$failures" -eq 0 ]
