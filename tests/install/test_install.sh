# What a user gets works: the library is installed into an empty prefix, and the program of the
# README is compiled against it with pkg-config, as C and as C++, shared and static, and through the
# CMake package; each runs, and all write the same file.
#
# With KATA_TEST_FULL=1 the program takes its 1000 steps, otherwise 10; and a project that contains
# this one is built, otherwise it is only planned.
# Labels: slow
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # users' programs have no sanitizers

prefix=$PWD/prefix
cmake --install "$KATA_BUILD" --prefix "$prefix" >/dev/null
libraries=$(dirname "$(find "$prefix" -name libkatagami.so)")
export PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries

# The manual page and the completion stand where man and the shells look for them.
for file in man/man1/kata.1 bash-completion/completions/kata zsh/site-functions/_kata \
    fish/vendor_completions.d/kata.fish katagami/machines/ipu.machine katagami/machines/mppa256.machine katagami/machines/sw26010.machine; do
    test -s "$prefix/share/$file"
done

# What is not built is not installed in part.
cmake -G Ninja -S "$KATA_SOURCE" -B unbuilt >/dev/null
if cmake --install unbuilt --prefix "$PWD/nothing" 2>unbuilt.log; then
    echo "a folder without a build is installed"
    exit 1
fi
tr -s ' \n' '  ' <unbuilt.log | grep -q 'is not built' # CMake breaks lines
test ! -e nothing

mkdir source
cp "$KATA_SOURCE"/tests/install/{CMakeLists.txt,embedded.c,embedded_cpp.cpp,heat.c,heat.kata} source/
if [ "${KATA_TEST_FULL:-0}" != 1 ]; then
    sed -i 's/t < 1000/t < 10/' source/heat.c
fi

run() # name program
{
    mkdir "$1"
    cp source/heat.kata "$1/"
    (cd "$1" && time "$2") || { echo "$1: exit status $?"; exit 1; }
    test -s "$1/heat.vtkhdf"
    cmp "$1/heat.vtkhdf" as_c/heat.vtkhdf
}

warnings="-Wall -Wextra -Wpedantic -Werror"
shared=$(pkg-config --cflags --libs katagami)
static=$(pkg-config --static --cflags --libs katagami | sed 's/-lkatagami\b/-l:libkatagami.a/')

# shellcheck disable=SC2086 # the flags are lists
{
    cc -std=c17 $warnings source/heat.c -o heat_c $shared
    c++ -std=c++17 $warnings -x c++ source/heat.c -x none -o heat_cpp $shared
    cc -std=c17 $warnings source/heat.c -o heat_a $static
}
run as_c "$PWD/heat_c"
run as_cpp "$PWD/heat_cpp"
LD_LIBRARY_PATH='' run as_static "$PWD/heat_a"

cmake -G Ninja -S source -B package -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build package >/dev/null
run package_shared "$PWD/package/heat_shared"
run package_static "$PWD/package/heat_static"
package/embedded | cmp - "$KATA_SOURCE/tests/install/heat.kata"
package/embedded_cpp | cmp - "$KATA_SOURCE/tests/install/heat.kata"

# A kernel file with an error fails the build, and says where; NO_CHECK embeds it all the same.
sed -i 's/4\*u)/4*w)/' source/heat.kata
if cmake --build package --target embedded >log; then
    echo "a wrong kernel file is embedded"
    exit 1
fi
grep -qF "$PWD/source/heat.kata:10:56: error: unknown name 'w'" log || { cat log; exit 1; }
sed -i 's/FILES heat.kata)/FILES heat.kata NO_CHECK)/' source/CMakeLists.txt
cmake --build package --target embedded >/dev/null
package/embedded | cmp - source/heat.kata
cp "$KATA_SOURCE/tests/install/heat.kata" source/

# What a kernel file imports becomes a part of its array, and the array follows its changes.
mkdir source/parts
echo 'const double K = 1;' >source/parts/scale.kata
printf 'import "parts/scale.kata";\nkernel f(out double u) { u = K; }\n' >source/scaled.kata
sed -i 's/FILES heat.kata NO_CHECK)/FILES scaled.kata SYMBOL heat_kata)/' source/CMakeLists.txt
cmake --build package --target embedded >/dev/null
package/embedded | cmp - <(cat source/scaled.kata - source/parts/scale.kata <<<'#file "parts/scale.kata"')
package/embedded | "$prefix/bin/kata" check --quiet -
echo 'const double K = 2;' >source/parts/scale.kata
cmake --build package --target embedded >/dev/null
package/embedded | grep -qxF 'const double K = 2;'
sed -i 's/SYMBOL heat_kata)/SYMBOL heat_kata NO_CHECK)/' source/CMakeLists.txt
if cmake --build package --target embedded >log 2>&1; then
    echo "an import is embedded without what it imports"
    exit 1
fi
grep -qF "NO_CHECK is not given" log || { cat log; exit 1; }

# As a part of a user's project.
mkdir part
cp source/{embedded.c,heat.kata} part/
cat >part/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(part LANGUAGES C)
add_subdirectory($KATA_SOURCE katagami)
add_executable(embedded embedded.c)
katagami_embed(TARGET embedded FILES heat.kata)
END
cmake -G Ninja -S part -B part/build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 >/dev/null
if [ "${KATA_TEST_FULL:-0}" = 1 ]; then
    cmake --build part/build --target embedded >/dev/null
    part/build/embedded | cmp - part/heat.kata
else
    ninja -C part/build -t commands embedded >log
    grep -q 'katagami/kata check --quiet --whole .* .*/part/heat.kata' log || { cat log; exit 1; }
fi

LD_LIBRARY_PATH='' "$prefix/bin/kata" info >/dev/null
rm -rf as_* package_* part # large files
