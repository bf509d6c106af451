#!/bin/sh
# The tests of the document database, of live queries, the transport, the replicator and of pages that are opened ahead under Thread Sanitizer: no report may come. The standard library's Mutex isn't compiled for the
# sanitizer, which therefore calls all that a Mutex guards a race; in a copy of the sources every module has a Mutex of its own over
# pthread_mutex, which the sanitizer knows. That leaves nothing to suppress. A race made on purpose has to be found.
# The package's own manifest is built, with the flags of `make test`: unoptimised, and without the settings that the copies of Mutex don't keep to.
# Usage: 60-thread-sanitizer.sh [FILTER...]
set -eu
cd "$(dirname "$0")/../.."
tools=$PWD/scripts/thread-sanitizer
export SEALITE_WITHOUT_BENCHMARKS=1
[ $# -gt 0 ] || set -- SealiteDatabaseTests SealiteQueryTests.Live SealiteTransportTests SealiteReplicatorTests \
    SealiteFileTests.OpeningAhead SealiteFileTests.ReadAhead
# Only what the filters name is built, and the target of the race on purpose.
SEALITE_TEST_TARGETS=SealiteDatabaseTests
for filter; do SEALITE_TEST_TARGETS="$SEALITE_TEST_TARGETS ${filter%%.*}"; done
export SEALITE_TEST_TARGETS
mkdir -p .build-tsan
copy=$PWD/.build-tsan/source
rm -rf "$copy"
mkdir "$copy"
cp -R Package.swift Sources Tests Fixtures Benchmarks Examples "$copy"
[ ! -e Package.resolved ] || cp Package.resolved "$copy"
cd "$copy"
# The programs that `make setup-test` has unpacked, which tests look for beside their sources.
mkdir .build
[ ! -d ../../.build/programs ] || ln -s ../../../.build/programs .build/programs
sed -i '/^    \.strictMemorySafety(),$/d; /^    \.treatAllWarnings(as: \.error),$/d' Package.swift
for module in Sources/Sealite* Tests/Sealite* Tests/Support/Sealite*; do
    if grep -rqw --include='*.swift' Mutex "$module"; then cp "$tools/Mutex.swift.txt" "$module/MutexForThreadSanitizer.swift"; fi
done
cp "$tools/Control.swift.txt" Tests/SealiteDatabaseTests/SanitizerControl.swift
swift build -c release --sanitize=thread --scratch-path ../build -Xswiftc -no-emit-module-separately-wmo -Xswiftc -Onone -Xcc -O0 \
    -Xswiftc -use-ld=lld -Xswiftc -enable-testing -Xswiftc -DSEALITE_TESTS --product SealitePackageTests
# Waits that take seconds elsewhere take minutes here.
export SEALITE_PATIENCE=600
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 history_size=7"
count() { # the reports of the tests that a filter names, kept in a file
    ../build/release/SealitePackageTests.xctest --testing-library swift-testing \
        --experimental-maximum-parallelization-width 3 --filter "$1" --skip "$2" >"../$3" 2>&1 || true
    grep -c 'WARNING: ThreadSanitizer' "../$3" || true
}
[ "$(count SanitizerControl none control.txt)" != 0 ] || {
    echo "thread sanitizer: a race that was made on purpose isn't found" >&2
    exit 1
}
for filter; do
    reports=$(count "$filter" SanitizerControl "$filter.txt")
    grep -q 'Test run with .* passed' "../$filter.txt" && [ "$reports" = 0 ] || {
        echo "thread sanitizer: $filter: $reports reports, or failed tests; see .build-tsan/$filter.txt" >&2
        exit 1
    }
    echo "thread sanitizer: $filter: no reports. $(grep -o 'Test run with .* passed' "../$filter.txt")"
done
