#!/usr/bin/env bash
# The programs of examples/ are C without warnings, and print what examples/README.md shows. The page
# shows their kernels as they are. Those without words that C++ keeps for itself are C++, too.
# Labels: optimised slow
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # programs are built as users build theirs
# shellcheck source=tests/docs/console.bash
. "$KATA_SOURCE/tests/docs/console.bash"

# shellcheck source=tests/docs/installed.bash
. "$KATA_SOURCE/tests/docs/installed.bash"

cp "$KATA_SOURCE"/examples/*.{c,kata} .
page=$KATA_SOURCE/examples/README.md
sed -nE 's|^<!-- file: examples/(.*)\.c -->$|\1.kata|p' "$page" | xargs cat >kernels
check_kernels "$page" kernels
check_console "$page"
read -ra flags <<<"$(pkg-config --cflags --libs katagami)"
for program in plate channel; do
    c++ -std=c++17 -x c++ $program.c -x none -o "$program-cpp" "${flags[@]}" -lm
    diff <(./$program) <(./$program-cpp)
done
for picture in plate.png pulse.png shallow_water.png sums.png gray_scott.png williamson.png; do test -s "$picture"; done
test "$(wc -l <sums.csv)" = 97 # a line for each half hour, and the names
"$KATA_BUILD/kata" check --werror --quiet ./*.kata

# Of what is shown: each scheme of shallow water keeps its sum, and the other one a thousand times less well; jets
# in balance stay, the more so the finer the grid. Spots are pieces, stripes have holes. A wave has the right speed
# to second order, and a layer sends back less than a millionth of the power. A balanced wind on a sphere stays, twice
# as fine a mesh has a quarter of the error, and the mass does not change.
awk '/^\$ .*shallow_water energy/ { kept = 2 } /^\$ .*shallow_water enstrophy/ { kept = 3 }
     kept && /^ +48 / { good += ($kept)^2 < 1e-10 && ($(5 - kept))^2 > 1e4*($kept)^2; kept = 0 }
     /^the jets have changed by/ { good += $6 < 4e-4 && (!last || last > 4*$6); last = $6 }
     /^step  6000/ { good += pieces ? $8 < 0 : $8 > 40; pieces = $8 }
     / order / { good += $NF > 1.95 && $NF < 2.05 }
     /^a layer/ { good += $(NF - 1) < -60 }
     /williamson mountain/ { off = 0 }
     /^day  5/ { good += $4 == 0 && (!off || off > 4*$10); off = $10 }
     END { exit good != 12 }' found.md
