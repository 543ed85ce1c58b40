#!/usr/bin/env bash
# Every boundary rule, on images of odd sizes, some thinner than the reach, agrees with a convolution
# computed another way: the program fails when it does not.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

blur() # exit-code width height argument...
{
    local code=$1 width=$2 height=$3 value=()
    shift 3
    if [[ "$*" =~ constant|antisymmetric ]]; then value=(--value 0.3); fi
    expect "$code" run blur --width "$width" --height "$height" --sigma 1.2 "${value[@]}" "$@"
}

for type in f64 f32; do
    for size in "1 1" "1 7" "13 1" "37 23"; do
        read -r width height <<<"$size"
        for rule in clamp constant reflect-face antisymmetric-face periodic; do
            blur 0 "$width" "$height" --boundary $rule --type $type
        done
    done
    for rule in reflect-node antisymmetric-node; do
        blur 0 37 23 --boundary $rule --type $type
        blur 0 2 3 --boundary $rule --type $type
        blur 1 1 7 --boundary $rule --type $type
        expect_in err "at KATA_X_LOW needs two points along x"
        blur 1 13 1 --boundary $rule --type $type
        expect_in err "at KATA_Y_LOW needs two points along y"
    done
done

# Bytes: as exact as bytes can be, and no rule that goes beyond them.
for size in "1 1" "1 7" "13 1" "37 23"; do
    read -r width height <<<"$size"
    for rule in clamp constant reflect-face periodic; do
        blur 0 "$width" "$height" --boundary $rule --type u8
    done
done
blur 1 37 23 --boundary antisymmetric-face --type u8
expect_in err "makes values outside of 0 to 1, which --type u8 cannot hold"

# An image that is read is blurred as the one that was made, and stays as it is.
blur 0 37 23
mv blur.png made.png
cp blur-in.png read.png
expect 0 run blur read.png given.png --sigma 1.2
if ! cmp given.png made.png; then fail "an image read is blurred otherwise than one made"; fi
if ! cmp read.png blur-in.png; then fail "the image read has changed"; fi
expect_in out "wrote given.png: 37 x 23 pixels, sigma 1.2, radius 4, clamp, f64"

expect 0 run blur read.png --no-check
if grep -q difference out; then fail "--no-check checks"; fi

expect 1 run blur missing.png
expect_text err "error: cannot read missing.png: No such file or directory"
echo "no image" >text.png
expect 1 run blur text.png
expect_in err "text.png"
expect 2 run blur --value 0.5 --boundary clamp
expect_text err "kata run blur: --value means nothing to --boundary clamp"
expect 2 run blur read.png --width 20
expect_text err "kata run blur: --width and --height mean nothing to read.png, which has a size"
expect 2 run blur -- picture.png blur.gif
expect_in err "OUT.png takes the name of a file that ends in .png, not 'blur.gif'"
finish
