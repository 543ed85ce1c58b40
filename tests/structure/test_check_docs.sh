# check_docs accepts documents whose links, files and names exist, and names each that does not.
set -euo pipefail
# shellcheck source=tests/structure/structure.bash
. "$KATA_SOURCE/tests/structure/structure.bash"
lists "$KATA_SOURCE/tests/structure/check_docs"

fresh()
{
    rm -rf tree
    mkdir -p tree/docs tree/src/ir tree/include/kata tree/tests
    printf 'test()\n{\n}\n' >tree/dev
    printf '/* Opens. */\nKATA_API kata *kata_open(void);\n' >tree/include/kata/kata.h
    printf 'enum { IR_MOST_NODES = 3 };\nvoid ir_walk(void);\n' >tree/src/ir/walk.c
    cat >tree/README.md <<'END'
# Title

See [the page](docs/architecture.md), [a part](docs/architecture.md#the-way-of-u10), [below](#at-the-end)
and [elsewhere](https://example.org/#nowhere). Run `./dev test`.

## At the end

```
# no heading
```
END
    cat >tree/docs/architecture.md <<'END'
# Rooms

## The way of `u[1,0]`

`src/ir/walk.c`, `ir/walk.c` and `walk.c` have `ir_walk` and `IR_MOST_NODES`; `src/X/NAME.c` and `u[1,0]` stand for any.
END
}

fresh
expect "" tree

changed() # file expression message
{
    fresh
    sed -i -E "$2" "tree/$1"
    expect "$3" tree
}
changed README.md 's|docs/architecture.md\)|docs/gone.md)|' "README.md:3: the link to docs/gone.md leads nowhere"
changed README.md 's|#the-way-of-u10|#the-way|' \
    "README.md:3: there is no heading for the link to docs/architecture.md#the-way"
changed README.md 's|#at-the-end|#no-heading|' "README.md:3: there is no heading for the link to #no-heading"
changed README.md 's|dev test|dev gone|' "README.md:4: ./dev gone does not exist"
changed docs/architecture.md 's|`ir/walk.c`|`ir/gone.c`|' "docs/architecture.md:5: there is no file ir/gone.c"
changed docs/architecture.md 's|ir_walk`|ir_gone`|' "docs/architecture.md:5: nothing is called ir_gone"
changed src/ir/walk.c 's|IR_MOST|IR_MORE|' "docs/architecture.md:5: nothing is called IR_MOST_NODES"
changed include/kata/kata.h 's|^/.*||' "include/kata/kata.h:2: a function without a comment in its paragraph"

[ "$failures" -eq 0 ]
