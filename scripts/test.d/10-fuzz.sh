#!/bin/sh
# A minute of fuzzing: every target for half a minute, two at a time, always from the same seed, so that a change is judged by what it
# changed. The soak begins anew each time.
SEALITE_FUZZ_SEED=1 exec scripts/fuzz.sh 30
