# What the tests of the checks share: they run a copy of a check, with lists of exceptions of their
# own, on small trees.

if [ "$KATA_SANITIZED" = 1 ]; then exit 77; fi # the same in every build, of which nothing is run
failures=0

# Makes ./check of a check: the lists named have no entries but the one given.
lists() # check list[=entry]...
{
    local name entry
    cp "$1" check
    for entry in "${@:2}"; do
        name=${entry%%=*}
        if [[ $entry == *=* ]]; then entry=${entry#*=}; else entry=""; fi
        # a list is "text", its further parts are added by name+=
        awk -v name="$name" -v entry="$entry" '
            !inside && (index($0, name "=\"") == 1 || index($0, name "+=\"") == 1) {
                if (index($0, name "=\"") == 1) print name "=\"" entry "\""
                inside = 1
                sub(/^[a-z_+]*="/, "")
            }
            inside { if (/"$/) inside = 0; next }
            { print }' check >check.new
        mv check.new check
    done
    chmod +x check
}

# Runs ./check: it exits with 1 and prints a text, or with 0 and nothing.
expect() # text argument...
{
    local output status=0
    output=$(./check "${@:2}" 2>&1) || status=$?
    if [ -z "$1" ] && [ "$status" -eq 0 ] && [ -z "$output" ]; then return; fi
    if [ -n "$1" ] && [ "$status" -eq 1 ] && grep -qF -- "$1" <<<"$output"; then return; fi
    printf 'expected: %s\nstatus %d, output: %s\n\n' "${1:-no violation}" "$status" "$output"
    failures=$((failures + 1))
}
