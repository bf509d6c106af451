#!/bin/sh
# A minute of fuzzing: every target for half a minute, two at a time.
exec scripts/fuzz.sh 30
