#!/bin/sh
# What scripts/check-imports.sh refuses: folders that begin to use each other, a name that two targets declare, forbidden imports in every shape that Swift takes are planted in a copy of the sources, and
# each must be named; what only looks like an import must change nothing. The count of imports is held against one made otherwise.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "fence check: $1" >&2; [ ! -e "$work/said" ] || tail -20 "$work/said" >&2; exit 1; }

mkdir "$work/house"
cp -R Package.swift Sources scripts "$work/house/"
# The pairs of folders take most of the time, and are asked for by `check_all` alone.
check_all() { "$work/house/scripts/check-imports.sh" >"$work/said" 2>&1; }
check() { SEALITE_WITHOUT_PAIRS=1 check_all; }
imports() { sed -n 's/^check-imports: .* \([0-9]*\) imports,.*/\1/p' "$work/said"; }
number=0
# plant TARGET MODULE TEXT: a file of that text, which must be refused for that module; escapes as in printf.
plant() {
    number=$((number + 1))
    printf "$3" >"$work/house/Sources/$1/Planted$number.swift"
    echo "$1/Planted$number.swift: imports $2," >>"$work/due"
}

check_all || fail "the sources as they are aren't clean"
count=$(grep -rhE '^((@[^ ]+|public|package|internal|fileprivate|private) )*import [A-Za-z]' Sources --include='*.swift' | wc -l)
[ "$count" -gt 500 ] && [ "$(imports)" = "$count" ] || fail "it counts $(imports) imports of $count"

# Each shape of the declaration.
plant SealiteFile COpenSSL 'import COpenSSL\n'
plant SealiteFile COpenSSL 'internal import COpenSSL\n'
plant SealiteFile COpenSSL '@_implementationOnly import COpenSSL\n'
plant SealiteFile COpenSSL '@_spi(Inside) @preconcurrency public import COpenSSL\n'
plant SealiteFile COpenSSL '@preconcurrency\npackage\nimport COpenSSL\n'
plant SealiteFile COpenSSL 'import struct COpenSSL.EVP_MD\n'
plant SealiteFile COpenSSL 'import func COpenSSL.EVP_sha256\n'
plant SealiteFile COpenSSL 'import COpenSSL.evp\n'
plant SealiteFile COpenSSL 'import `COpenSSL`\n'
plant SealiteFile COpenSSL 'import\n    COpenSSL\n'
plant SealiteFile COpenSSL 'import\tCOpenSSL'
plant SealiteFile COpenSSL 'import SealiteCrypto; import COpenSSL\n'
plant SealiteFile COpenSSL 'import SealiteCrypto;import COpenSSL;let one = 1\n'
plant SealiteFile COpenSSL 'let one = 1; internal import COpenSSL\n'
plant SealiteFile COpenSSL 'import SealiteCrypto\nimport CSQLite\nimport COpenSSL\n'
plant SealiteFile COpenSSL 'import/* of the crypto */COpenSSL\n'
plant SealiteFile COpenSSL '/* a /* nested */ comment */ import COpenSSL\n'
plant SealiteFile COpenSSL '#if canImport(COpenSSL)\n  import COpenSSL\n#endif\n'
plant SealiteFile COpenSSL 'let text = "a // \\" \\(one + "/*")"\nimport COpenSSL\n'
plant SealiteFile COpenSSL 'let text = #"a \\" quote"#\nimport COpenSSL\n'
plant SealiteFile COpenSSL 'let text = """\n  a "" quote \\""" \n  """\nimport COpenSSL\n'
plant SealiteFile COpenSSL '\357\273\277import COpenSSL\n'
plant SealiteFile COpenSSL 'import SealiteCrypto\r\nimport COpenSSL\r\n'
# Each rule.
plant SealiteDatabase CSQLite 'import CSQLite\n'
plant SealiteDatabase SealiteReplicator 'import SealiteReplicator\n'
plant SealiteFile SealiteGRDB 'import SealiteGRDB\n'
plant SealiteCredentials SealiteDatabase 'import SealiteDatabase\n'
plant SealiteCrypto SealiteKnownAnswers 'import SealiteKnownAnswers\n'
plant SealiteFile Foundation 'import Foundation\n'
plant SealiteFile FoundationEssentials 'import class FoundationEssentials.JSONDecoder\n'
! check || fail "forbidden imports pass"
while read -r line; do
    grep -qF "Sources/$line" "$work/said" || fail "not refused: $line $(cat "$work/house/Sources/${line%%:*}")"
done <"$work/due"
[ "$(grep -c '/Planted' "$work/said")" -eq "$number" ] || fail "refuses more than what was planted"
find "$work/house/Sources" -name 'Planted*' -delete

# What no compiler would take for an import.
cat >"$work/house/Sources/SealiteFile/Harmless.swift" <<'SWIFT'
// import COpenSSL
/* import COpenSSL
   /* import COpenSSL */
   import COpenSSL */
/// import COpenSSL
let one = "import COpenSSL"
let two = """
    import COpenSSL
    "" \(one + "import COpenSSL") \"""
    import COpenSSL
    """
let three = #"""
    \"""
    import COpenSSL
    """#
func `import`(import COpenSSL: Int) {}
let four = Kind.import
let five = important(COpenSSL)
let six = call(import: COpenSSL, import: 2)
#if canImport(COpenSSL)
#endif
SWIFT
check || fail "takes for an import what is none"
[ "$(imports)" = "$count" ] || fail "counts $(imports) imports where there are $count"
rm "$work/house/Sources/SealiteFile/Harmless.swift"

# Commands and options in the texts of a library; in comments, names and other programs' texts they are none.
hints="$work/house/Sources/SealiteFile/Hints.swift"
for text in "run 'sealite verify' on it" 'raise --timeout' '--force does' ; do
    printf 'let one = 1\nlet hint = "%s"\n' "$text" >"$hints"
    ! check || fail "a command in a hint passes: $text"
    grep -qF 'SealiteFile/Hints.swift:2: names a command or an option' "$work/said" || fail "doesn't name the hint with a command: $text"
done
printf "// run 'sealite verify' --force\nlet one = \"sealite.vault\" // --force\nlet two = \"a -- b\"\n" >"$hints"
check || fail "takes for a command what is none"
rm "$hints"

# Tests that sleep, in each of the ways; what only looks like one.
mkdir -p "$work/house/Tests/SomeTests"
ways=0
for way in 'try await Task.sleep(for: .seconds(1))' 'usleep(10)' 'sleep(1)' 'Thread.sleep(forTimeInterval: 1)' 'while true { sqlite3_sleep (1) }' \
    'nanosleep(&time, nil)' 'try await Task\n    .sleep(nanoseconds: 1)'; do
    ways=$((ways + 1))
    printf "let one = 1\n$way\n" >"$work/house/Tests/SomeTests/Sleepy$ways.swift"
done
! check || fail "tests that sleep pass"
for number_of_way in $(seq $ways); do
    grep -qF "Tests/SomeTests/Sleepy$number_of_way.swift:2: sleeps" "$work/said" || fail "doesn't name the test that sleeps: $number_of_way"
done
rm "$work/house/Tests/SomeTests/"*
sleepy="$work/house/Tests/SomeTests/Sleepy.swift"
printf '// usleep(10)\nlet one = "Task.sleep"\ntry await time.sleep(for: .seconds(1))\nfunc asleep() {}\n' >"$sleepy"
check || fail "takes for sleeping what is none"

# Tests that depend on the clock; what only looks like one.
rm "$work/house/Tests/SomeTests/"*
ways=0
for way in '#expect(ContinuousClock.now - start < .seconds(1))' 'let took = ContinuousClock().measure { work() }' \
    'let took = SuspendingClock.now - start' '@Test(.timeLimit(.minutes(1)))'; do
    ways=$((ways + 1))
    printf "let one = 1\n$way\n" >"$work/house/Tests/SomeTests/Clocked$ways.swift"
done
! check || fail "tests that depend on the clock pass"
for number_of_way in $(seq $ways); do
    grep -qF "Tests/SomeTests/Clocked$number_of_way.swift:2: depends on the clock" "$work/said" || fail "doesn't name the test that depends on the clock: $number_of_way"
done
rm "$work/house/Tests/SomeTests/"*
printf '// ContinuousClock.now - start\nlet one = ContinuousClock.now\nfunc timeLimit() {}\n' >"$sleepy"
check || fail "takes for dependence on the clock what is none"

# Tests that draw random numbers without a seed; what only looks like one.
rm "$work/house/Tests/SomeTests/"*
ways=0
for way in 'var generator = SystemRandomNumberGenerator()' 'let n = Int.random(in: 0..<max(1, 2))' 'let n = Int.random(\n    in: 0...9)' \
    'let n: Int = .random(in: 0..<4)' 'let one = list.randomElement()' 'let all = list.shuffled().first' 'list.shuffle()' \
    'let isHeads = Bool.random()' 'arc4random_uniform(3)' 'let n = rand()' 'getrandom(&bytes, 8, 0)' \
    'struct Dice: RandomNumberGenerator {}' 'f(Int.random(in: 0..<2), using: 1)'; do
    ways=$((ways + 1))
    printf "let one = 1\n$way\n" >"$work/house/Tests/SomeTests/Chancy$ways.swift"
done
! check || fail "tests that draw random numbers without a seed pass"
for number_of_way in $(seq $ways); do
    grep -qF "Tests/SomeTests/Chancy$number_of_way.swift:2: draws a random number" "$work/said" ||
        fail "doesn't name the test that draws a random number without a seed: $number_of_way"
done
rm "$work/house/Tests/SomeTests/"*
printf '%s\n' '// Int.random(in: 0..<4)' 'let one = "Bool.random()"' 'let two = Int.random(in: 0..<f(3), using: &random)' \
    'let three = list.shuffled(using: &random) + [list.randomElement(using: &random)]' 'let four = Bool.random(using: &random)' \
    'let key = try SecretBytes.random(byteCount: 32)' 'options.key = try .random()' 'func random() throws {}' >"$sleepy"
check || fail "takes for a random number without a seed what is none"
rm -r "$work/house/Tests"

# A support target of the tests that only a build for testing compiles.
mkdir -p "$work/house/Tests/Support/SomeSupport"
printf '// one\n@testable import SealiteProtocol\n' >"$work/house/Tests/Support/SomeSupport/Support.swift"
! check || fail "a support target with @testable passes"
grep -qF 'Tests/Support/SomeSupport/Support.swift:2: imports with @testable' "$work/said" || fail "doesn't name the support target with @testable"
printf '// @testable import SealiteProtocol\nimport SealiteProtocol\n' >"$work/house/Tests/Support/SomeSupport/Support.swift"
check || fail "takes a comment for an import with @testable"
rm -r "$work/house/Tests"

# edit EXPRESSION WORDS: the manifest changed so must be refused with those words.
edit() {
    sed -i.kept "$1" "$work/house/Package.swift"
    ! cmp -s "$work/house/Package.swift" "$work/house/Package.swift.kept" || fail "changes nothing: $1"
    ! check || fail "passes: $1"
    grep -qF "$2" "$work/said" || fail "doesn't say \"$2\": $1"
    mv "$work/house/Package.swift.kept" "$work/house/Package.swift"
}
edit 's/name: "SealiteFile", dependencies: \[/&"SealiteGRDB", /' 'SealiteFile on floor 2 depends on SealiteGRDB on floor 3'
edit '/name: "SealiteFile", dep/s/, "SealiteCrypto"//' "imports SealiteCrypto, which isn't declared below SealiteFile"
edit '/Floor [01]/d' 'SealiteCrypto stands on no floor'
# A dependency that nothing uses; a test uses a program by naming it.
edit 's/name: "SealiteJSON", dependencies: \[/&"SealiteConcurrency", /' 'SealiteJSON depends on SealiteConcurrency, which no file of Sources/SealiteJSON imports'
tests="$work/house/Tests/SealiteModelTests"
mkdir -p "$tests"
sed -n '/name: "SealiteModelTests"/,/\]/p' Package.swift | grep -o '"Sealite[A-Za-z]*"' | tr -d '"' | grep -v -e ModelTests -e TestChild | sed 's/^/import /' >"$tests/Uses.swift"
printf 'let program = folder + "/SealiteTestChild"\n' >"$tests/Runs.swift"
check || fail "refuses what is imported and run"
printf '// folder + "/SealiteTestChild2"\n' >"$tests/Runs.swift"
! check || fail "a program that no test runs passes"
grep -qF 'SealiteModelTests depends on SealiteTestChild, which no file' "$work/said" || fail "doesn't name the program that no test runs"
sed -i 's|^import SealiteValues|// &|' "$tests/Uses.swift"
! check || fail "a test's dependency that it doesn't import passes"
grep -qF 'SealiteModelTests depends on SealiteValues, which no file' "$work/said" || fail "doesn't name the test's dependency"
rm -r "$work/house/Tests"
mkdir "$work/house/Sources/Annex"
! check || fail "a folder that is no target passes"
grep -q 'Sources/Annex: no target' "$work/said" || fail "doesn't name the folder that is no target"
rmdir "$work/house/Sources/Annex"
# A lower folder that uses what a higher one declares, where the higher one uses it.
grep -q DatabaseError "$work/house/Sources/SealiteDatabase/Documents/Transaction+Documents.swift" || fail "the folders aren't as they were"
planted="$work/house/Sources/SealiteDatabase/Basics/Planted.swift"
printf '// MutableDocument\nlet text = "MutableDocument"\n' >"$planted"
check_all || fail "takes a comment or a text for a use of another folder"
printf 'func use(_ document: MutableDocument) {}\n' >"$planted"
! check_all || fail "folders that begin to use each other pass"
grep -q "Sources/SealiteDatabase: folders use each other's types: Basics and Documents" "$work/said" ||
    fail "doesn't name the folders that use each other"
# A name that another target declares, too.
printf 'private struct MongoCollection {}\n// struct MongoCollection {}\nenum Planted { struct MongoCollection {} }\n' >"$planted"
check_all || fail "takes a private or a nested name for one that two targets declare"
printf 'package struct MongoCollection {}\n' >"$planted"
! check_all || fail "a name that two targets declare passes"
grep -q "Sources: SealiteDatabase and SealiteMongo declare MongoCollection" "$work/said" || fail "doesn't name the name that two targets declare"
rm "$planted"
sed -i 's/import CSQLite/import SealiteFile/' "$work/house/Sources/SealiteDatabase/Storage/PreparedStatement.swift"
! check || fail "a permission that nothing uses passes"
grep -q 'PreparedStatement.swift: no longer imports CSQLite' "$work/said" || fail "doesn't name the permission that nothing uses"
# A source file of more than 600 lines.
"$work/house/scripts/file-sizes.py" >"$work/said" 2>&1 || fail "a source file is too long as it is"
yes '// A line.' | head -601 >"$planted"
! "$work/house/scripts/file-sizes.py" >"$work/said" 2>&1 || fail "a source file of 601 lines passes"
grep -q 'Basics/Planted.swift: 601 lines, where 600 may be' "$work/said" || fail "doesn't name the file that is too long"
echo "fence: $number forbidden imports refused, $count counted, nothing else taken for one; tests that sleep or draw without a seed, folders that need each other and names of two targets are refused"
