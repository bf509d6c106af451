#!/bin/sh
# What scripts/costs.py shows of parts that succeed, fail, end abnormally and hang, and that the rest is in its file. A made-up program
# stands for the tests: it writes Swift Testing's stream of events, and the log of a library.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/scripts"
cp scripts/costs.py scripts/shown.py "$work/scripts/"
cd "$work"
fail() { echo "output check: $1" >&2; cat said >&2; exit 1; }

cat >tests.sh <<'SH'
while [ $# -gt 0 ]; do [ "$1" != --event-stream-output-path ] || stream=$2; shift; done
event() { printf '{"kind":"event","payload":{"kind":"%s","testID":"%s"%s},"version":0}\n' "$1" "$2" "${3:-}" >>"$stream"; }
record() { printf '{"kind":"test","payload":{"id":"%s","kind":"%s","name":"%s","displayName":"%s"},"version":0}\n' "$@" >>"$stream"; }
one='M.Sums/one()/A.swift:5:4' two='M.Sums/two()/A.swift:6:4' out='M.Sums/out()/A.swift:7:4'
record M.Sums suite Sums 'sums of numbers'
record "$one" function 'one()' 'one and one'
record "$two" function 'two()' 'two and two'
record "$out" function 'out()' 'left out'
echo '2025-01-01 info sealite: a line of the log' >&2
for test in M.Sums "$one" "$two"; do event testStarted "$test"; done
event testSkipped "$out"
event testEnded "$one"
case $WAY in
crash) printf 'SEALITE_SEED=7 repeats it\nA.swift:6: Fatal error: out of range\n' >&2; kill -SEGV $$ ;;
hang) sleep 60 ;;
fail)
    place='{"_filePath":"'$PWD'/A.swift","line":6,"column":9}'
    words='{"symbol":"fail","text":"Expectation failed: 5 == 4"},{"symbol":"details","text":"the first line\nthe second line"}'
    event issueRecorded "$two" ',"issue":{"isKnown":false,"sourceLocation":'"$place"'},"messages":['"$words"']'
    ;;
esac
event issueRecorded "$one" ',"issue":{"isKnown":true},"messages":[{"symbol":"fail","text":"known"}]'
event testEnded "$two"
event testEnded M.Sums
event runEnded ''
[ "$WAY" != fail ] || { echo '✘ Test run with 3 tests in 1 suite failed after 1 second with 1 issue.'; exit 1; }
echo '✔ Test run with 3 tests in 1 suite passed after 1 second.'
SH

# part STATUS KIND COMMAND...: runs a part, which must end with that status.
number=0
part() {
    expected=$1 kind=$2 status=0
    shift 2
    number=$((number + 1))
    COSTS_RUN=$number python3 scripts/costs.py run "$kind" 'a part' "$@" >said 2>&1 || status=$?
    [ "$status" = "$expected" ] || fail "ends with status $status instead of $expected: $*"
    grep -qF 'All output goes to .build/test-output.txt' said || fail "doesn't name the file at the beginning"
    [ "$status" = 0 ] || grep -qF 'All output stands in .build/test-output.txt' said || fail "doesn't name the file at the end"
}
says() { grep -qF -- "$1" said || fail "doesn't say: $1"; }
is_silent() { ! grep -qF -- "$1" said || fail "says: $1"; }

export WAY
WAY=pass part 0 --tests sh tests.sh
says '✔ "sums of numbers": 3 tests passed, 1 of them skipped'
says '✔ Test run with 3 tests in 1 suite passed'
is_silent 'a line of the log'
is_silent known
[ "$(wc -l <said)" = 3 ] || fail "says more than it should of tests that passed"
grep -qF 'a line of the log' .build/test-output.txt || fail "doesn't keep the log in the file"
COSTS_RUN=$number python3 scripts/costs.py table >said
says 'All output stands in .build/test-output.txt'

WAY=fail part 1 --tests sh tests.sh
says '✘ "two and two" of "sums of numbers" at A.swift:6:9: Expectation failed: 5 == 4'
says '    the second line'
says '✘ "sums of numbers": 1 of 3 tests failed'
says '✘ Test run with 3 tests in 1 suite failed'
[ "$(tail -1 said | grep -c 'Expectation failed: 5 == 4')" = 1 ] || fail "doesn't end with the failure"
is_silent 'a line of the log'

# A record that can't be read doesn't hide the others.
sed 's/^one=/echo "{" >>"$stream"; one=/' tests.sh >broken.sh
WAY=fail part 1 --tests sh broken.sh
says '    the second line'

WAY=crash part 139 --tests timeout 10 sh tests.sh
says 'SEALITE_SEED=7'
says 'Fatal error: out of range'
says 'ended abnormally, with status 139 (signal 11)'
says 'had begun and not ended: "two and two" of "sums of numbers" (A.swift:6:4)'
is_silent 'not ended: "one and one"'
says '| 2025-01-01 info sealite: a line of the log'

WAY=hang part 124 --tests timeout 1 sh tests.sh
says 'took longer than it may'
says 'had begun and not ended: "two and two"'

part 0 --build sh -c 'echo "[1/2] Compiling A"; echo "/a.swift:1:2: warning: old"; echo "1 | code"; echo "[2/2] Linking"'
says '/a.swift:1:2: warning: old'
says '1 | code'
is_silent '[1/2]'
says '✔ a part: done'
part 1 --build sh -c 'echo "[1/2] Compiling A"; echo "/a.swift:1:2: error: wrong" >&2; exit 1'
says 'error: wrong'
is_silent '[1/2]'
part 3 --build sh -c 'echo "[1/2] Compiling A"; exit 3'
says '| [1/2] Compiling A'

part 0 --script sh -c 'echo one; echo "two: all is well"'
says '✔ a part: two: all is well'
is_silent one
part 4 --script sh -c 'echo one; echo two >&2; exit 4'
says one
says two
says '✘ a part: failed with status 4'
echo "output: results and failures of tests, builds and scripts are shown, those that crash and hang too, and nothing else"
