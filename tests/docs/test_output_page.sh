#!/usr/bin/env bash
# The programs of docs/output.md are C and C++ without warnings, and print what stands below them. What
# they write is opened by the libraries of others, where these are installed: a missing one is named.
set -euo pipefail
if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # programs are built as users build theirs

awk '
    /^```/ && block { block = ""; next }
    /^```c program$/ { program++; block = "program_" program ".c"; next }
    /^```text$/ { block = "expected_" program; next }
    /^```csv$/ { block = "expected.csv"; next }
    block { print > block }' "$KATA_SOURCE/docs/output.md"

flags=(-O1 -Wall -Wextra -Wpedantic -Werror "-I$KATA_SOURCE/include")
library=("-L$KATA_BUILD" "-Wl,-rpath,$KATA_BUILD" -lkatagami -lm)
programs=$(find . -name 'program_*.c' | wc -l)
test "$programs" -ge 2
for ((i = 1; i <= programs; i++)); do
    cc -std=c17 "${flags[@]}" "program_$i.c" -o as_c "${library[@]}"
    c++ -std=c++17 "${flags[@]}" -x c++ "program_$i.c" -x none -o as_cpp "${library[@]}"
    for program in ./as_c ./as_cpp; do
        "$program" >printed 2>warnings
        diff "expected_$i" printed
        diff /dev/null warnings
    done
done
diff expected.csv wave.csv

# More files of the same fields, for the readers.
cp "$KATA_SOURCE/tests/docs/output_more.c" .
cc -std=c17 "${flags[@]}" output_more.c -o more "${library[@]}"
./more

# The Python of the system has the packages of the system; another one may come first.
opened() # library
{
    local python code=77
    for python in python3 /usr/bin/python3; do
        if [ $code = 77 ]; then
            code=0
            "$python" "$KATA_SOURCE/tests/docs/output_readers.py" "$1" >said || code=$?
        fi
    done
    cat said
    test $code = 0 || test $code = 77
}
for reader in numpy h5py netCDF4 xarray PIL vtk; do opened $reader; done
