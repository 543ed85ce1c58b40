#!/usr/bin/env bash
# The commands of docs/explain.md print what stands there: among them that a program whose time step
# comes from a reduction runs 1,000 steps without a forced flush.
set -euo pipefail
if [ "$KATA_HOSTILE" = 1 ]; then exit 77; fi # its queue is too short
# shellcheck source=tests/docs/console.bash
. "$KATA_SOURCE/tests/docs/console.bash"

build_program march
check_kernels "$KATA_SOURCE/docs/explain.md" march.kata
check_console "$KATA_SOURCE/docs/explain.md"
