#!/bin/sh
# `sealite audit` must notice each primitive that is broken on purpose.
exec "$(dirname "$0")/../audit-mutants/mutants.py" "$@"
