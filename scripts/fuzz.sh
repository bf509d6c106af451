#!/bin/bash
# Runs fuzz targets of Tests/Fuzz under libFuzzer: scripts/fuzz.sh SECONDS [TARGET...], every target where none is named,
# two at a time. Prints how many executions each one had; fails where a target crashed, hung or executed nothing but its corpus.
# What libFuzzer finds new stays in .build/fuzz/corpus, a crashing input in .build/fuzz/crashes.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS [header|page|wal|journal|blip|properties|messages|json|jsonb|functions|revision-tree|query|values|mongo]...}
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(header page wal journal blip properties messages json jsonb functions revision-tree query values mongo)
# -Onone builds in a third of the time, for the few seconds of `make test`.
optimisation=${SEALITE_FUZZ_OPTIMISATION:--O}
out=.build/fuzz
[ "$optimisation" = -O ] || out=.build/fuzz$optimisation
# Swift's own report of a crash stops libFuzzer from writing down the input.
export SWIFT_BACKTRACE=enable=no

flags=($optimisation -wmo -swift-version 6 -package-name sealite -parse-as-library -enable-testing -strict-memory-safety
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature InternalImportsByDefault -module-cache-path $out/cache
    -I $out -I $out/CTestVFS -I Sources/COpenSSL -I Sources/CSQLite -I Sources/CZlib -I Sources/CPCRE2)

# compile NAME FOLDERS FLAGS...: one module, where a source is newer than it or one that it stands on was compiled anew
compile() {
    local name=$1 folders
    read -ra folders <<<"$2"
    shift 2
    if [ -z "$rebuilt" ] && [ -e "$out/$name.o" ] && [ -z "$(find "${folders[@]}" -newer "$out/$name.o" -name '*.swift')" ]; then
        return
    fi
    rebuilt=yes
    find "${folders[@]}" -name '*.swift' -print0 | sort -z | xargs -0 swiftc "${flags[@]}" "$@" -module-name "$name" \
        -emit-module -emit-module-path "$out/$name.swiftmodule" -c -o "$out/$name.o"
}

build() {
    mkdir -p $out/CTestVFS
    rebuilt=""
    echo "module CTestVFS { header \"$PWD/Tests/Support/CTestVFS/include/CTestVFS.h\" export * }" \
        >$out/CTestVFS/module.modulemap
    clang -O2 -c Tests/Support/CTestVFS/CTestVFS.c -I Tests/Support/CTestVFS/include -o $out/CTestVFS.o
    compile SealiteCrypto Sources/SealiteCrypto -sanitize=fuzzer
    compile SealiteJSON Sources/SealiteJSON -sanitize=fuzzer
    compile SealiteValues Sources/SealiteValues -sanitize=fuzzer
    compile SealiteFunctions Sources/SealiteFunctions -sanitize=fuzzer
    compile SealiteFile Sources/SealiteFile -sanitize=fuzzer
    # What reads a peer's bytes; the rest of the module needs the network's packages.
    compile SealiteReplicator "Sources/SealiteReplicator/BLIP Sources/SealiteReplicator/Messages" -sanitize=fuzzer
    # What reads stored revision trees; the rest of the module needs GRDB.
    local database=Sources/SealiteDatabase tree=Sources/SealiteDatabase/Revisions/RevisionTree
    compile SealiteDatabase "$tree.swift $tree+Stored.swift $database/Revisions/RevisionID.swift $database/DatabaseError.swift" \
        -sanitize=fuzzer
    # What reads filters, updates and pipelines; the rest of the module needs GRDB.
    compile SealiteMongo "$(find Sources/SealiteMongo -mindepth 1 -maxdepth 1 -not -name Collections | sort | tr '\n' ' ')" -sanitize=fuzzer
    compile SealiteQueryLanguage Sources/SealiteQueryLanguage -sanitize=fuzzer
    compile SealiteTestSupport Tests/Support/SealiteTestSupport
    local program=$out/sealite-fuzz
    if [ -z "$rebuilt" ] && [ -x $program ] && [ -z "$(find Tests/Fuzz -newer $program -name '*.swift')" ]; then return; fi
    swiftc "${flags[@]}" -sanitize=fuzzer -module-name SealiteFuzz Tests/Fuzz/Targets/*.swift Tests/Fuzz/Program/*.swift \
        $out/SealiteCrypto.o $out/SealiteJSON.o $out/SealiteFunctions.o $out/SealiteFile.o $out/SealiteReplicator.o $out/SealiteDatabase.o $out/SealiteQueryLanguage.o $out/SealiteMongo.o $out/SealiteValues.o $out/SealiteTestSupport.o $out/CTestVFS.o \
        -lcrypto -lsqlite3 -lpcre2-8 -lz -o $program
}

# run TARGET: prints one line; false where it failed
run() {
    local target=$1 log=$out/$1.log
    mkdir -p $out/corpus/"$target" $out/crashes
    local seeds status=0
    seeds=$(find Fixtures/Fuzz/"$target" -type f | wc -l)
    SEALITE_FUZZ_TARGET=$target $out/sealite-fuzz $out/corpus/"$target" Fixtures/Fuzz/"$target" -max_total_time="$seconds" -seed="${SEALITE_FUZZ_SEED:-0}" \
        -timeout=120 -rss_limit_mb=2048 -detect_leaks=0 -print_final_stats=1 -artifact_prefix=$out/crashes/"$target"- \
        >"$log" 2>&1 || status=$?
    local executions
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "fuzz $target: ${executions:-0} executions in $seconds s, from $seeds committed inputs"
    if [ $status -ne 0 ] || [ "$seeds" -eq 0 ] || [ "${executions:-0}" -le "$seeds" ]; then
        grep -aE "Fatal error|ERROR|SUMMARY|Test unit written" "$log" >&2 || tail -20 "$log" >&2
        echo "fuzz $target: failed (status $status); the whole log is $log" >&2
        return 1
    fi
}

build
failed=0
while [ ${#targets[@]} -gt 0 ]; do
    jobs=()
    for target in "${targets[@]:0:2}"; do
        run "$target" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do wait "$job" || failed=1; done
    targets=("${targets[@]:2}")
done
exit $failed
