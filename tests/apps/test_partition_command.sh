#!/usr/bin/env bash
# kata partition: the balance, JSON and a picture of a partition, and what is refused.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

expect 0 partition 10 --levels 3
expect_text out "10 points, rectangles, 3 owners" \
    "level     parts    active        smallest         largest   balance" \
    "    1         3         3               3               4    83.3 %" \
    "surface: 4 points in all, 2 of one owner"
expect 0 partition 8x10 --levels 2,2 --periodic xy --json p.json --picture p.svg
expect_in out "    2         4         4              20              20   100.0 %"
python3 - <<'END' || fail "the JSON or the picture is wrong"
import json, xml.dom.minidom
p = json.load(open("p.json"))
assert p["size"] == [8, 10] and p["owners"] == 4 and len(p["levels"]) == 2
points = set()
for b in p["boxes"]:
    for x in range(b["lo"][0], b["hi"][0]):
        for y in range(b["lo"][1], b["hi"][1]):
            assert (x, y) not in points
            points.add((x, y))
assert len(points) == 80
picture = xml.dom.minidom.parse("p.svg")
assert len(picture.getElementsByTagName("title")) == 4
END

# more parts than points, one point, other kinds
expect 0 partition 5 --levels 100
expect_in out "    1       100         5               1               1   100.0 %"
for kind in rectangles tensor morton halves; do
    expect 0 partition 1x1x1 --levels 7 --kind "$kind"
    expect_in out "    1         7         1               1               1   100.0 %"
    expect 0 partition 100x90x80 --levels 13 --kind "$kind" --picture "$kind.svg"
done
for kind in tensor halves; do
    expect 0 partition 2048 --levels 100 --kind $kind
    expect_in out "    1       100         4             512             512   100.0 %"
done
expect 0 partition 256x256x256 --levels 7 --kind halves
expect_text out "256 x 256 x 256 points, halves, 7 owners" \
    "level     parts    active        smallest         largest   balance" \
    "    1         7         7         2392064         2421760    99.0 %" \
    "surface: 449536 points in all, 84224 of one owner"

# large ones take a limited time
most=1048576
if is_sanitized; then most=10000; fi
for kind in rectangles tensor morton halves; do
    timeout 200 "$kata" partition 16777216x4194304 --levels "$most" --kind "$kind" >out || fail "$kind: a large grid takes too long"
done
expect 0 partition 2048x1900 --levels 16,1216,6 --json large.json --picture large.svg

expect 0 partition 10 --levels 3 --json -
expect_in out '"owners"'
[ ! -e ./- ] || fail "--json - is not standard output"
expect 0 partition 10 --levels 3 --json /dev/null --picture x.svg

# ---- what is refused ---------------------------------------------------------------------------

expect 2 partition
expect_text err "kata partition: name one size: kata partition 2048x1900 --levels 16,1216,6"
expect 2 partition 5 6 --levels 2
expect_text err "kata partition: name one size: kata partition 2048x1900 --levels 16,1216,6"
expect 2 partition 10 --levels 3 --json x.svg --picture "$PWD/x.svg"
expect_text err "kata partition: --json and --picture are both $PWD/x.svg: name another file"
expect 2 partition 10x10
expect_text err "kata partition: say how many parts: --levels 16,1216,6"
for size in 0 -1 10x 10x0 1x1x1x1 a 10X10 99999999999999999999 ' '; do
    expect 2 partition --levels 2 -- "$size"
    expect_text err "kata partition: the size is NX, NXxNY or NXxNYxNZ, not '$size'"
done
for levels in 0 4,0 4, ,4 a -3 4294967296 1,1,1,1,1; do
    expect 2 partition 10x10 --levels="$levels"
    expect_text err "kata partition: --levels takes 1 to 4 numbers of parts, as in 16,1216,6, not '$levels'"
done
expect 2 partition 10x10 --levels 2 --periodic xyx
expect_text err "kata partition: --periodic names x twice, in 'xyx'"
expect 2 partition 10x10 --levels 2 --periodic z
expect_text err "kata partition: --periodic takes dimensions of the grid, as in xy, not 'z'"
expect 1 partition 10x10 --levels 65536,65536
expect_text err "error: kata_partition: the levels make more than 1048576 parts in all"
expect 1 partition 16777216x16777216 --levels 4
expect_text err "error: kata_partition: the grid has 2^48 points or more"
expect 1 partition 10x10 --levels 2,2 --kind tensor
expect_text err "error: kata_partition: only rectangles have several levels"
expect 1 partition 10x10 --levels 4 --kind morton --smallest 3
expect_text err "error: kata_partition: only rectangles have a smallest side"
expect 1 partition 10x10 --levels 4 --json missing/p.json
expect_in err "kata partition: cannot write missing/p.json: No such file or directory"
expect 2 partition 10x10 --levels 4 --picture p.png

finish
