# What the scripts of this folder share. A script ends with `finish`.

kata=$KATA_BUILD/kata
failures=0

fail() # message
{
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# Runs kata, its output in the files `out` and `err`; complains unless it exits with the given code.
expect() # exit-code argument...
{
    local wanted=$1 code=0
    shift
    "$kata" "$@" >out 2>err </dev/null || code=$?
    if [ "$code" -ne "$wanted" ]; then
        fail "kata $* exits with $code, not with $wanted"
        cat out err
    fi
}

# Complains unless a file consists of exactly these lines.
expect_text() # file line...
{
    local file=$1
    shift
    if ! printf '%s\n' "$@" | diff - "$file"; then fail "$file is not as expected (<)"; fi
}

# Complains unless a file contains this text.
expect_in() # file text
{
    if ! grep -qF -- "$2" "$1"; then
        fail "$1 does not contain: $2"
        cat "$1"
    fi
}

finish()
{
    [ "$failures" -eq 0 ]
}
