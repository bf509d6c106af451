#!/bin/sh
# Two and a half minutes of fuzzing: every parser of files for a minute, those of a peer's messages, of stored documents and of queries for ten seconds, two at a
# time, always from the same seed, so that a change is judged by what it changed. The soak begins anew each time.
set -eu
export SEALITE_FUZZ_SEED=1
scripts/fuzz.sh 60 header page wal journal
exec scripts/fuzz.sh 10 blip properties messages json jsonb functions revision-tree query
