#!/bin/sh
# Half an hour of fuzzing for every target, two at a time.
exec scripts/fuzz.sh 1800
