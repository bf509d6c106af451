#!/bin/bash
# Runs fuzz targets of Tests/Fuzz under libFuzzer: scripts/fuzz.sh SECONDS [TARGET...], every target where none is named,
# two at a time. Prints how many executions each one had; fails where a target crashed, hung or executed nothing but its corpus.
# What libFuzzer finds new stays in .build/fuzz/corpus, a crashing input in .build/fuzz/crashes; scripts/pack-fixtures.py adds a folder of
# inputs to those that are committed.
# scripts/fuzz.sh check FOLDER compiles nothing: it checks that all of that could be compiled, against the modules that `make test`
# built in FOLDER.
set -euo pipefail
cd "$(dirname "$0")/.."
usage="usage: scripts/fuzz.sh SECONDS [TARGET...], each a file of Fixtures/Fuzz; scripts/fuzz.sh check FOLDER"
seconds=${1:?$usage}
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=($(basename -s .jsonl Fixtures/Fuzz/*.jsonl))
out=.build/fuzz
[ "$seconds" != check ] || out=.build/fuzz-check
# Swift's own report of a crash stops libFuzzer from writing down the input.
export SWIFT_BACKTRACE=enable=no

flags=(-wmo -swift-version 6 -parse-as-library -enable-testing -strict-memory-safety
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature InternalImportsByDefault -module-cache-path $out/cache
    -I $out -I $out/CTestVFS -I Sources/COpenSSL -I Sources/CSQLite -I Sources/CZlib -I Sources/CPCRE2 -I Sources/CStemmer
    -I Sources/CVectors/include)

# Calls a function with the name and the folders or files of each module, lowest floor first.
for_each_module() {
    for name in SealiteBase SealiteCrypto SealiteEndpoints SealiteJSON SealiteVectors SealiteGeometry SealiteValues SealiteFunctions SealiteFile SealiteMaintenance SealiteRevisions; do
        $1 $name Sources/$name
    done
    # What reads a peer's bytes.
    $1 SealiteProtocol "Sources/SealiteProtocol/BLIP Sources/SealiteProtocol/Messages"
    # What reads stored revision trees, and what stops writes; the rest of the module needs GRDB.
    local database=Sources/SealiteDatabase tree=Sources/SealiteDatabase/Revisions/RevisionTree
    $1 SealiteDatabase "$tree.swift $tree+Stored.swift ${tree%/*}/DeltaBases.swift $database/Basics/DatabaseError.swift \
        $database/Core/WriteControl.swift"
    # What reads filters, updates and pipelines; the rest of the module needs GRDB.
    $1 SealiteMongo "$(find Sources/SealiteMongo -mindepth 1 -maxdepth 1 -not -name Collections | sort | tr '\n' ' ')"
    # What reads, writes and checks schemas; the rest of the module needs GRDB.
    local model=Sources/SealiteModel
    $1 SealiteModel "$(grep -rL --include='*.swift' 'import SealiteDatabase' \
        $model/Schema $model/Mapping $model/Generation $model/Validation $model/Models/GeoPoint.swift | sort | tr '\n' ' ')"
    $1 SealiteQueryLanguage Sources/SealiteQueryLanguage
    # What reads services, records and rows of vaults; the rest of the module needs libsecret.
    local credentials=Sources/SealiteCredentials vault=Sources/SealiteCredentials/Vault
    $1 SealiteCredentials "$(echo $credentials/Credential{,Error,Match,Reference}.swift) \
        $credentials/Records $vault/VaultTable.swift"
    # What reads cookies.
    $1 SealiteAuthentication Sources/SealiteAuthentication/SetCookie.swift
    # What makes seeds; the rest of the module needs swift-log.
    $1 SealiteTestSupport "$(grep -rL --include='*.swift' -E 'import (InMemoryLogging|SealiteBase)' \
        Tests/Support/SealiteTestSupport | sort | tr '\n' ' ')"
}

# sources FOLDERS: their Swift files, each ended by a zero byte
sources() {
    local folders
    read -ra folders <<<"$1"
    find "${folders[@]}" -name '*.swift' -print0 | sort -z
}

map_test_vfs() {
    mkdir -p $out/CTestVFS
    echo "module CTestVFS { header \"$PWD/Tests/Support/CTestVFS/include/CTestVFS.h\" export * }" \
        >$out/CTestVFS/module.modulemap
}

# compile NAME FOLDERS: one module, where a source is newer than it or one that it stands on was compiled anew
compile() {
    local name=$1 folders coverage=-sanitize=fuzzer
    read -ra folders <<<"$2"
    [ "$name" != SealiteTestSupport ] || coverage=
    objects+=("$out/$name.o")
    if [ -z "$rebuilt" ] && [ -e "$out/$name.o" ] && [ -z "$(find "${folders[@]}" -newer "$out/$name.o" -name '*.swift')" ]; then
        return
    fi
    rebuilt=yes
    sources "$2" | xargs -0 swiftc -O -package-name sealite "${flags[@]}" $coverage -module-name "$name" \
        -emit-module -emit-module-path "$out/$name.swiftmodule" -c -o "$out/$name.o"
}

build() {
    map_test_vfs
    rebuilt=""
    clang -O2 -c Tests/Support/CTestVFS/CTestVFS.c -I Tests/Support/CTestVFS/include -o $out/CTestVFS.o
    objects=($out/CTestVFS.o)
    local file
    for file in Sources/CVectors/*.c; do
        clang -O2 -c "$file" -I Sources/CVectors/include -o "$out/$(basename "$file" .c).o"
        objects+=("$out/$(basename "$file" .c).o")
    done
    for_each_module compile
    local program=$out/sealite-fuzz
    if [ -z "$rebuilt" ] && [ -x $program ] && [ -z "$(find Tests/Fuzz -newer $program -name '*.swift')" ]; then return; fi
    swiftc -O -package-name sealite "${flags[@]}" -sanitize=fuzzer -module-name SealiteFuzz Tests/Fuzz/Targets/*.swift \
        Tests/Fuzz/Program/*.swift "${objects[@]}" -lcrypto -lsqlite3 -lpcre2-8 -lstemmer -lz -o $program
}

# examine NAME FOLDERS: a module that `make test` built from the same sources is taken as it is, if it imports nothing that isn't
# there yet; the interface of a part of one is made anew, which checks its sources
examine() {
    local name=$1 import
    for import in $(sources "$2" | xargs -0 sed -nE 's/^[^/]*\bimport (Sealite[A-Za-z]*)$/\1/p' | sort -u); do
        [ -e "$out/$import.swiftmodule" ] || { echo "fuzz check: $name imports $import, which isn't compiled before it" >&2; exit 1; }
    done
    case $2 in
    */"$name") ln -s "$modules/$name.swiftmodule" "$out/$name.swiftmodule" ;;
    *)
        sources "$2" | xargs -0 swiftc -Onone -package-name "$package" "${flags[@]}" -module-name "$name" \
            -emit-module -emit-module-path "$out/$name.swiftmodule"
        ;;
    esac
}

check() {
    modules=$(readlink -f "$1/release/Modules")
    package=$(grep -m 1 '"-module-name","SealiteCrypto"' "$1/release.yaml" | grep -o '"-package-name","[^"]*"' | cut -d '"' -f 4)
    rm -rf $out
    map_test_vfs
    for_each_module examine
    swiftc -typecheck -package-name "$package" "${flags[@]}" -module-name SealiteFuzz Tests/Fuzz/Targets/*.swift Tests/Fuzz/Program/*.swift
    echo "fuzz: its program can be compiled"
}

# run TARGET: prints one line; false where it failed
run() {
    local target=$1 log=$out/$1.log
    mkdir -p $out/corpus/"$target" $out/crashes
    local seeds status=0 committed=$out/committed/$target
    rm -rf "$committed"
    scripts/pack-fixtures.py unpack Fixtures/Fuzz/"$target".jsonl "$committed" || return 1
    seeds=$(find "$committed" -type f | wc -l)
    SEALITE_FUZZ_TARGET=$target $out/sealite-fuzz $out/corpus/"$target" "$committed" -max_total_time="$seconds" -seed="${SEALITE_FUZZ_SEED:-0}" \
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

if [ "$seconds" = check ]; then
    check "${1:?$usage}"
    exit
fi
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
