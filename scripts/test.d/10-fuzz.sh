#!/bin/sh
# Twenty-five seconds of fuzzing: every parser of files for five seconds, those of a peer's messages, of stored documents, of queries and of values for three, two at a time,
# always from the same seed, so that a change is judged by what it changed. The soak takes half an hour for each, and begins anew each time.
set -eu
export SEALITE_FUZZ_SEED=1 SEALITE_FUZZ_OPTIMISATION=-Onone
scripts/fuzz.sh 5 header page wal journal
exec scripts/fuzz.sh 3 blip properties messages json jsonb functions revision-tree query values mongo
