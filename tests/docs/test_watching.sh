#!/usr/bin/env bash
# The commands of docs/watching.md print what stands there.
set -euo pipefail
# shellcheck source=tests/docs/console.bash
. "$KATA_SOURCE/tests/docs/console.bash"

build_program probe
check_console "$KATA_SOURCE/docs/watching.md"
