#!/usr/bin/env bash
# The commands of docs/partition.md print what stands there.
set -euo pipefail
# shellcheck source=tests/docs/console.bash
. "$KATA_SOURCE/tests/docs/console.bash"

check_console "$KATA_SOURCE/docs/partition.md"
