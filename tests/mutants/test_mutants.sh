#!/usr/bin/env bash
# Each defect of mutants.txt can be put in: its line is in its file, once. See ./dev mutants.
set -euo pipefail
cd "$KATA_SOURCE"
tests/mutants/mutate --check
