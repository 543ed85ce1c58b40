# The library's names begin with kata_, so that a program may use any other: neither the static nor
# the shared library defines more, and a program whose functions are called arena_alloc and
# clock_seconds works with both.
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # sanitizers add names of theirs

foreign() # nm's output
{
    awk 'NF == 3 && $3 !~ /^kata_/ {print "not of the library:", $3; n++}
         NF == 3 {all++}
         END {exit !(n || all < 50)}'
}
for names in "nm --extern-only --defined-only $KATA_BUILD/libkatagami.a" \
    "nm --dynamic --defined-only $KATA_BUILD/libkatagami.so"; do
    if $names | foreign; then
        echo "$names: names without kata_, or too few with it"
        exit 1
    fi
done

prefix=$PWD/prefix
cmake --install "$KATA_BUILD" --prefix "$prefix" >/dev/null
libraries=$(dirname "$(find "$prefix" -name libkatagami.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig
shared=$(pkg-config --cflags --libs katagami)
static=$(pkg-config --static --cflags --libs katagami | sed 's/-lkatagami\b/-l:libkatagami.a/')
# shellcheck disable=SC2086 # the flags are lists
{
    cc "$KATA_SOURCE/tests/install/own_names.c" -o own_static $static
    cc "$KATA_SOURCE/tests/install/own_names.c" -o own_shared -Wl,-rpath,"$libraries" $shared
}
for program in ./own_static ./own_shared; do
    test "$($program)" = "7 0" || { echo "$program calls the program's functions"; exit 1; }
done
