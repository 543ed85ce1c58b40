# What the scripts of this folder share. A script ends with `finish`.

kata=$KATA_BUILD/kata
failures=0

fail() # message
{
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# Whether only a part of the runs is made: sanitizers make each slow, and watch the same code in all.
is_sanitized() { [ "$KATA_SANITIZED" = 1 ]; }

# Ends a script here where there are sanitizers. It has shown them each kind of run; what follows are
# long runs of the same code.
end_if_sanitized()
{
    if is_sanitized; then
        finish
        exit
    fi
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

# Runs a simulation in an environment. Its output without the line of the time, which has the given
# words, goes to the file `numbers`.
run_in() # words-of-the-time environment... -- argument...
{
    local times=$1 environment=(KATA_WAIT=1 KATA_WARNINGS=0)
    shift
    while [ "$1" != -- ]; do
        environment+=("$1")
        shift
    done
    shift
    env "${environment[@]}" "$kata" run "$@" --quiet >out 2>err || fail "${environment[*]}: $(cat err)"
    grep -v "$times" out >numbers
}

# Complains unless the output and the picture are the same on the reference executor, and by each of
# the plans on one and on three threads.
expect_same_bits() # picture words-of-the-time plan... -- argument...
{
    local picture=$1 times=$2 plans=() setting
    shift 2
    while [ "$1" != -- ]; do
        plans+=("KATA_THREADS=1 KATA_PLAN=$1" "KATA_THREADS=3 KATA_PLAN=$1")
        shift
    done
    run_in "$times" KATA_THREADS=1 "$@"
    mv numbers one
    mv "$picture" one.png
    for setting in KATA_EXECUTOR=reference "${plans[@]}"; do
        local environment=("${setting%% *}")
        if [ "$setting" != "${setting#* }" ]; then environment+=("${setting#* }"); fi
        run_in "$times" "${environment[@]}" "$@"
        if ! diff one numbers; then fail "$setting: another output"; fi
        if ! cmp one.png "$picture"; then fail "$setting: another picture"; fi
    done
}

finish()
{
    [ "$failures" -eq 0 ]
}
