#!/usr/bin/env bash
# The manual page and the completion of the kata command have all that its --help has, and the tools
# that read them do so without complaint.
# Labels: slow
set -euo pipefail
# shellcheck source=tests/apps/apps_helpers.bash
. "$KATA_SOURCE/tests/apps/apps_helpers.bash"

# Options of a command, from its --help.
options_of() # word...
{
    "$kata" "$@" --help | sed -nE 's/^  (--[a-z0-9-]+).*/\1/p'
}
verbs=(run check apply compile explain trace diff tune wisdom partition info help)
commands=("run blur" "run cavity" "run cloverleaf" "run heat" "run hpgmg" "run lattice" "run vortex" "run weather" "${verbs[@]:1}")

# ---- the manual page ---------------------------------------------------------------------------

expect 0 help --manual
mv out kata.1
warnings=none
if command -v man >/dev/null && command -v groff >/dev/null; then
    warnings=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z kata.1 2>&1 >/dev/null || echo "it is not shown")
    [ -z "$warnings" ] || fail "man complains: $warnings"
fi
if command -v mandoc >/dev/null; then
    warnings=$(mandoc -T lint -W warning kata.1 2>&1 | grep -v 'missing date' || true)
    [ -z "$warnings" ] || fail "mandoc complains: $warnings"
fi
if [ "$warnings" = none ]; then echo "neither man nor mandoc is here: the page is not rendered"; fi
sed 's/\\-/-/g; s/\\f[BIR]//g' kata.1 >plain
for command in "${commands[@]}"; do
    expect_in plain ".SS \"kata $command\""
    # shellcheck disable=SC2086 # words of the command
    for option in $(options_of $command); do
        if [ "$option" = --help ]; then continue; fi
        sed -n "/^.SS \"kata $command\"/,/^.S[SH] \"*[^k]/p" plain | grep -E -- "^$option( |\$)" >/dev/null ||
            fail "the manual page lacks $option of kata $command"
    done
done
grep -rhoE 'environment_get\("[A-Z_]+"|_read_switch\(k, "[A-Z_]+"' "$KATA_SOURCE/src" |
    grep -oE 'KATA_[A-Z_]+' | sort -u >variables
[ "$(wc -l <variables)" -gt 10 ] || fail "the library reads only $(wc -l <variables) variables"
while read -r variable; do
    grep -qxF ".B \"$variable\"" plain || fail "the manual page lacks $variable"
done <variables

# ---- bash --------------------------------------------------------------------------------------

expect 0 help --completion bash
mv out kata.bash
# shellcheck source=/dev/null
. ./kata.bash

# What the shell suggests for the last of these words; nothing stands for names of files.
expect_words() # suggestions word...
{
    local wanted=$1
    shift
    COMP_WORDS=(kata "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _kata
    if [ "${COMPREPLY[*]-}" != "$wanted" ]; then
        fail "kata $* is completed by '${COMPREPLY[*]-}', not by '$wanted'"
    fi
}

expect_words "${verbs[*]} --help --version" ""
expect_words "compile" co
expect_words "cavity cloverleaf" run c
expect_words "blur cavity cloverleaf heat hpgmg lattice vortex weather --help" run ""
for command in "${commands[@]}"; do
    # shellcheck disable=SC2086
    expect_words "$(options_of $command | tr '\n' ' ' | sed 's/ $//')" $command --
done
expect_words "--steps --swap --size --staggered --spill --summary" apply k.kata heat --s
expect_words "" apply k.kata heat u=
expect_words "f64 f32" run blur x --type f
expect_words "trt" run cavity --collision = t
expect_words "trt bgk" run cavity --collision =
expect_words "constant clamp" apply k.kata heat --boundary c
expect_words "x y z roofline scaling pipeline" explain --svg ""
expect_words "check" help ch
expect_words "" trace u@1 -- ./pro
expect_words "" info --json fil
echo >one.kata
echo >two.txt
mkdir three
expect_words "one.kata three" check ""
expect_words "one.kata three" apply ""
expect_words "" apply one.kata ""

# ---- zsh and fish ------------------------------------------------------------------------------

expect 0 help --completion zsh
mv out _kata
expect 0 help --completion fish
mv out kata.fish
for command in "${commands[@]}"; do
    expect_in _kata "    '$command')"
    # shellcheck disable=SC2086
    for option in $(options_of $command); do
        sed -n "/^    '$command')/,/;;/p" _kata | grep -E -- "'$option(=?)\[" >/dev/null ||
            fail "zsh does not complete $option of kata $command"
        [ "$option" = --help ] || grep -F "seen_subcommand_from ${command##* }'" kata.fish |
            grep -E -- "-l ${option#--} " >/dev/null || fail "fish does not complete $option of kata $command"
    done
done
if command -v zsh >/dev/null; then zsh -n _kata || fail "zsh cannot read its completion"; fi
if command -v fish >/dev/null; then
    fish --no-config -n kata.fish || fail "fish cannot read its completion"
    found=$(fish --no-config -c 'source kata.fish; complete -C "kata run cavity --collision "' 2>/dev/null)
    [[ $found == *bgk*trt* ]] || fail "fish completes --collision by '$found'"
fi

expect 2 help --completion tcsh
expect_text err "kata help: --completion has no choice 'tcsh'; did you mean bash?"
expect 2 help check info
expect_text err "kata help: one verb is enough; there is 'info', too"
expect 2 help --manual check
expect_text err "kata help: choose one: a verb, --manual or --completion"
expect 0 help run heat
expect_in out "usage: kata run heat [options]"
finish
