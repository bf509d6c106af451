#!/bin/sh
# Builds the README's Swift as a stranger would: in a package of its own that depends on Sealite by path, every module from its source.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
work=$root/.build/readme-package
mkdir -p "$work/Sources/Program"
scripts/readme-program.py README.md >"$work/Sources/Program/main.swift"
products=""
for name in $(sed -n 's/^import \(Sealite[A-Za-z]*\)$/\1/p' "$work/Sources/Program/main.swift"); do
    products="$products .product(name: \"$name\", package: \"sealite\"),"
done
cat >"$work/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Program",
    dependencies: [
        .package(name: "sealite", path: "$root"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Program", dependencies: [$products .product(name: "GRDB", package: "GRDB.swift")])
    ],
    swiftLanguageModes: [.v6]
)
END
# The versions that Sealite is tested with.
[ ! -e Package.resolved ] || cp Package.resolved "$work/"
swift build --package-path "$work" --product Program
echo "readme: its Swift builds as a package of its own"
