#!/usr/bin/env bash
# kata compile: a cache folder that serves where there is no compiler, and what is said otherwise.
# Labels: compiler
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

cat >k.kata <<'EOF'
kernel fill(out real u)
{
    u = ix*0.5 + 1;
}
kernel twice(in real u, out real v)
{
    v = 2*u;
}
kernel pair(in double f[2], out double v, int c)
{
    v = f[0] + f[1] + c;
}
EOF
cp k.kata other.kata
sed -i 's/2\*u/3*u/' other.kata

# Runs kata where no compiler is found, with kernels compiled into this folder.
without_compiler() # folder exit-code argument...
{
    local folder=$1
    shift
    PATH='' KATA_CC='' KATA_CACHE_DIR=$PWD/$folder KATA_SANITIZED=$KATA_SANITIZED expect "$@"
}

expect 0 compile --cache made k.kata
expect_text out "k.kata: all kernels are compiled in $PWD/made"
cp -r made copied
without_compiler copied 0 apply k.kata fill --size 3 u=u.npy
without_compiler copied 0 apply k.kata twice u=u.npy v=v.npy
if ! tail -c 24 v.npy | od -An -t f8 | grep -qE '^ +2 +3'; then fail "twice computes $(tail -c 24 v.npy | od -An -t f8)"; fi

# of other types, and of other kernels, there is nothing; then a compiler is missed
no_compiler=$'error: no C compiler found: neither cc, gcc nor clang
  install one, name one in KATA_CC, or set KATA_EXECUTOR=reference
  or bring a cache folder that `kata compile` has filled on such a machine'
no_compiler_for() # kernel
{
    local first=${no_compiler%%$'\n'*}
    expect_text err "$first" "  kernel '$1' has not been compiled for fields of these types" "${no_compiler#*$'\n'}"
}
without_compiler copied 0 apply k.kata twice u=u.npy v=w.npy --type f32
without_compiler copied 1 apply k.kata twice u=u.npy v=w.npy --type u=f32,v=f16
no_compiler_for twice
without_compiler copied 1 apply other.kata twice u=u.npy v=w.npy
no_compiler_for twice
without_compiler nothing 1 apply k.kata twice u=u.npy v=w.npy
no_compiler_for twice
expect 0 compile --cache made k.kata --kernel twice --type u=f32,v=f16
expect_text out "k.kata: twice is compiled in $PWD/made"
without_compiler made 0 apply k.kata twice u=u.npy v=w.npy --type u=f32,v=f16
expect 0 compile --cache made k.kata --type f16
without_compiler made 0 apply k.kata twice u=u.npy v=w.npy --type f16

# a program may fill fields of these types with a value
cat >fill.c <<'EOF'
#include <kata/kata.h>
int main(void)
{
    double values[6] = {0};
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 3, 2);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .components = 2);
    kata_fill(f, kata_all(g), 1);
    kata_fill(u, kata_all(g), 2.5);
    kata_get(u, kata_all(g), values, 6);
    kata_flush(k);
    return kata_close(k) || values[5] != 2.5;
}
EOF
if [ "$KATA_SANITIZED" = 0 ]; then
    cc -I "$KATA_SOURCE/include" fill.c -o fill -L "$KATA_BUILD" -lkatagami "-Wl,-rpath,$KATA_BUILD"
    PATH='' KATA_CC='' KATA_CACHE_DIR=$PWD/copied KATA_WAIT=1 ./fill || fail "kata_fill needs a compiler"
fi

# for any CPU of this kind
expect 0 compile --cache portable k.kata --portable
without_compiler portable 0 apply k.kata twice u=u.npy v=v.npy

# an entry that is damaged is not used, whichever file it is
for ending in key so sum; do
    cp -r portable damaged
    for file in damaged/*."$ending"; do printf x | dd of="$file" bs=1 seek=20 conv=notrunc status=none; done
    without_compiler damaged 1 apply k.kata twice u=u.npy v=v.npy
    no_compiler_for twice
    for file in damaged/*."$ending"; do truncate -s 30 "$file"; done
    without_compiler damaged 1 apply k.kata twice u=u.npy v=v.npy
    rm -r damaged
done

# a folder that cannot be written to is read
if [ "$(id -u)" -ne 0 ]; then
    cp -r portable closed
    chmod a-w closed
    without_compiler closed 0 apply k.kata twice u=u.npy v=v.npy
    chmod u+w closed
fi

# ---- what is refused ---------------------------------------------------------------------------

expect 2 compile
expect_text err "kata compile: no file is given: kata compile FILE.kata"
expect 1 compile --cache made k.kata --kernel twise
expect_text err "error: k.kata has no kernel 'twise'; did you mean 'twice'?"
expect 1 compile --cache made k.kata --type u32
expect_text err "error: kata_module_compile: there is no type 'u32'; the types are f64, f32, f16, bf16, i64, i32, u8, unorm8, u16 and i16"
expect 1 compile --cache made k.kata --type w=f32
expect_text err "error: kata_module_compile: no kernel has a field 'w'"
expect 1 compile --cache made k.kata --type u=i32
expect_text err "error: kata_module_compile: 'u' of kernel 'fill' is double, which cannot be stored as i32"
expect 1 compile --cache made k.kata --type i32
expect_text err "error: kata_module_compile: no field can be stored as i32"
expect 1 compile --cache made k.kata --type f16,f32
expect_text err "error: kata_module_compile: 'f32' is a second type for the same fields; the first is f16"
expect 1 compile --cache made k.kata --type u=f16,f32,u=f32
expect_text err "error: kata_module_compile: 'u=f32' is a second type for the same fields; the first is f16"
printf x >file
expect 1 compile --cache file k.kata
expect_text err "error: the cache folder 'file' cannot be used: it is not a folder"
PATH='' KATA_CC='' expect 1 compile --cache empty k.kata
expect_text err "$no_compiler"

# a full disk
if ! (
    ulimit -f 1
    trap '' XFSZ
    "$kata" compile --cache full k.kata 2>err
); then
    expect_in err "compiled kernels cannot be"
else
    fail "kata compile keeps kernels on a full disk"
fi

# a folder in the place of a library
KATA_CACHE_DIR=odd KATA_WAIT=1 expect 0 apply k.kata twice u=u.npy v=even.npy
for library in odd/*.so; do rm "$library" && mkdir "$library"; done
KATA_CACHE_DIR=odd KATA_WAIT=1 expect 0 apply k.kata twice u=u.npy v=odd.npy
expect_in err "or has a folder in the place of a file"
cmp odd.npy even.npy || fail "a folder in the place of a library changes values"

# a large kernel is compiled with the passes for large functions: with fields of f16 a smaller one is large
cat >log_cc <<'EOF'
#!/bin/sh
echo "$*" >>"$LOG"
exit 1
EOF
chmod +x log_cc
{
    echo 'kernel large(in double u, out double v) { double s = 0;'
    echo 'for (int i = -20; i < 20; i++) for (int k = 0; k < 30; k++) s += (s - i)*u[i]; v = s; }'
} >large.kata
# the kernel that is compiled least; its fills are small
flags_for() # type [option...]
{
    rm -f "log.$1"
    LOG=$PWD/log.$1 KATA_CC=$PWD/log_cc expect 1 compile --cache "large_$1" --type "$1" "${@:2}" large.kata
    grep -oE -e '-O[13]' "log.$1" | sort | head -n 1
}
if [ "$(flags_for f64)" != -O3 ]; then fail "a kernel of moderate size is not compiled with -O3"; fi
if [ "$(flags_for f16)" != -O1 ]; then fail "a kernel of moderate size on f16 is compiled with -O3"; fi
{
    echo 'kernel large(in double u, out double v) { double s = u;'
    echo 'for (int i = 0; i < 40; i++) s = sin(s + i); v = s; }'
} >large.kata
if [ "$(flags_for f32)" != -O1 ]; then fail "a kernel of many functions is compiled with -O3"; fi

# results that are rounded to how they are stored, and read back, take compilers long: 600 compile in some seconds
many_results() # count
{
    echo "kernel large(in double u, out double v[$1], out double w) { double s = 0;"
    echo "for (int q = 0; q < $1; q++) { v[q] = u + q; s += v[q]; } w = s; }"
}
many_results 80 >large.kata
for type in f64 bf16; do
    if [ "$(flags_for "$type")" != -O3 ]; then fail "80 results of $type are not compiled with -O3"; fi
done
for type in f16 unorm8; do
    if [ "$(flags_for "$type")" != -O1 ]; then fail "80 results of $type are compiled with -O3"; fi
done

# results that do not lie beside each other are written one by one
if [ "$(flags_for f32)" != -O3 ]; then fail "80 results of f32 are not compiled with -O3"; fi
many_results 120 >large.kata
if [ "$(flags_for f32 --layout structures)" != -O1 ]; then fail "120 results of f32 in structures are compiled with -O3"; fi
many_results 60 >large.kata
sed -i 's/double/int/g' large.kata
if [ "$(flags_for u8 --colors)" != -O1 ]; then fail "60 results of u8 for a colour are compiled with -O3"; fi
many_results 600 >many.kata
(
    ulimit -t 9
    expect 0 compile --cache many_results --type v=f16 many.kata
)

finish
