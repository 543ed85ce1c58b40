# What the scripts share that run the commands of a document. A block marked console holds commands
# behind "$ ", each followed by its output.

export PATH=$KATA_BUILD:$PATH

# Compiles a program that stands beside the scripts.
build_program() # name
{
    local sanitizers=()
    if [ "$KATA_SANITIZED" = 1 ]; then sanitizers=(-fsanitize=address -fsanitize=undefined); fi
    cp "$KATA_SOURCE/tests/docs/$1".* .
    cc "${sanitizers[@]}" "$1.c" -o "$1" -I"$KATA_SOURCE/include" -L"$KATA_BUILD" -lkatagami \
        "-Wl,-rpath,$KATA_BUILD"
}

# The kernels that a document shows are those of the program.
check_kernels() # document file
{
    awk '/^```kata$/ { show = 1; next } /^```$/ { show = 0 } show' "$1" | diff - "$2"
}

# The commands print what stands there. With KATA_FIXTURES_UPDATE=1 the document is rewritten.
check_console() # document
{
    local line console=0
    while IFS= read -r line; do
        if [ "$line" = '```' ]; then console=0; fi
        if [ "$console" = 0 ] || [[ $line == '$ '* ]]; then printf '%s\n' "$line"; fi
        if [ "$line" = '```console' ]; then console=1; fi
        if [ "$console" = 1 ] && [[ $line == '$ '* ]]; then
            bash -c "${line#??}" </dev/null 2>&1 || true
        fi
    done <"$1" >found.md
    if [ "${KATA_FIXTURES_UPDATE:-0}" = 1 ]; then cp found.md "$1"; fi
    diff "$1" found.md
}
