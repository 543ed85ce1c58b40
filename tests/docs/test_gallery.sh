#!/usr/bin/env bash
# ./dev gallery makes each picture of docs/gallery.md, and none is wider or higher than 1200 pixels.
set -euo pipefail
cd "$KATA_SOURCE"

# A number of four bytes in a file.
number_at() # file offset
{
    od -An -tu1 -j "$2" -N 4 "$1" | awk '{ print (($1*256 + $2)*256 + $3)*256 + $4 }'
}

pictures=$(grep -oE 'pictures/[a-z_0-9]+\.png' docs/gallery.md | sort -u)
test "$(wc -w <<<"$pictures")" -ge 8
for picture in $pictures; do
    name=$(basename "$picture" .png)
    if ! grep -qE "^ +show(_example)? $name |^ +show .* $name\.png " dev; then
        echo "./dev gallery does not make $name.png"
        exit 1
    fi
    for offset in 16 20; do
        if [ "$(number_at "docs/$picture" $offset)" -gt 1200 ]; then
            echo "docs/$picture has more than 1200 pixels"
            exit 1
        fi
    done
done
test "$(find docs/pictures -name '*.png' | wc -l)" -eq "$(wc -w <<<"$pictures")"
