#!/bin/sh
# The tests of the document database, of live queries, the transport and the replicator under Thread Sanitizer: no report may come. The standard library's Mutex isn't compiled for the
# sanitizer, which therefore calls all that a Mutex guards a race; in a copy of the sources every target has a Mutex of its own over
# pthread_mutex, which the sanitizer knows. That leaves nothing to suppress. A race made on purpose has to be found.
# Usage: 60-thread-sanitizer.sh [FILTER]
set -eu
cd "$(dirname "$0")/../.."
filters=${1:-SealiteDatabaseTests SealiteQueryTests.Live SealiteTransportTests SealiteReplicatorTests}
tools=$PWD/scripts/thread-sanitizer
mkdir -p .build-tsan
copy=$PWD/.build-tsan/source
rm -rf "$copy"
mkdir "$copy"
cp -R Sources Tests Fixtures "$copy"
cp "$tools/Package.swift.txt" "$copy/Package.swift"
for target in Crypto JSON Functions File Database Query Model Credentials Transport Authentication Replicator; do
    cp "$tools/Mutex.swift.txt" "$copy/Sources/Sealite$target/MutexForThreadSanitizer.swift"
done
for target in SealiteDatabaseTests SealiteQueryTests SealiteTransportTests SealiteReplicatorTests Support/SealiteTestSupport \
    Support/SealiteTransportTestSupport; do
    cp "$tools/Mutex.swift.txt" "$copy/Tests/$target/MutexForThreadSanitizer.swift"
done
cp "$tools/Control.swift.txt" "$copy/Tests/SealiteDatabaseTests/SanitizerControl.swift"
cd "$copy"
swift build --build-tests --sanitize=thread --scratch-path ../build
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 history_size=7"
count() { # the reports of the tests that a filter names, kept in a file
    swift test --skip-build --sanitize=thread --scratch-path ../build --experimental-maximum-parallelization-width 3 \
        --filter "$1" --skip "$2" >"../$3" 2>&1 || true
    grep -c 'WARNING: ThreadSanitizer' "../$3" || true
}
[ "$(count SanitizerControl none control.txt)" != 0 ] || {
    echo "thread sanitizer: a race that was made on purpose isn't found" >&2
    exit 1
}
for filter in $filters; do
    reports=$(count "$filter" SanitizerControl "$filter.txt")
    grep -q 'Test run with .* passed' "../$filter.txt" && [ "$reports" = 0 ] || {
        echo "thread sanitizer: $filter: $reports reports, or failed tests; see .build-tsan/$filter.txt" >&2
        exit 1
    }
    echo "thread sanitizer: $filter: no reports. $(grep -o 'Test run with .* passed' "../$filter.txt")"
done
