// swift-tools-version: 6.2
import PackageDescription

/// Debug builds compile a module at a time, as release builds do, which takes little more than half of the processor time of compiling
/// each of its many files by itself, and say in which line a frame is, but not what its variables are, which takes an eighth less. For
/// a debugger, set SEALITE_VARIABLES. SwiftPM allows such flags in packages that others depend on from 6.2 on.
let wholeModule =
    ["-disable-batch-mode", "-whole-module-optimization", "-num-threads", "1", "-no-emit-module-separately-wmo"]
    + (Context.environment["SEALITE_VARIABLES"] == nil ? ["-gline-tables-only"] : [])

/// The strict settings that every Swift target of this package is built with.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    .unsafeFlags(wholeModule, .when(configuration: .debug)),
]

/// The condition of what needs SwiftNIO. A package that depends on Sealite with `traits: []` doesn't fetch it, and can use the
/// products without sync.
let sync: TargetDependencyCondition? = .when(traits: ["Sync"])

/// Where the Makefile has the tool's libraries looked for first, and the object with the commit that `sealite --version` names
/// (scripts/link-folder.sh).
let toolLinking: [LinkerSetting] =
    (Context.environment["SEALITE_LINK_FOLDER"].map { [.unsafeFlags(["-L\($0)"])] } ?? [])
    + (Context.environment["SEALITE_COMMIT_OBJECT"].map { [.unsafeFlags([$0])] } ?? [])

let package = Package(
    name: "Sealite",
    products: [
        .library(name: "Sealite", targets: ["Sealite"]),
        .library(name: "SealiteCrypto", targets: ["SealiteCrypto"]),
        .library(name: "SealiteFile", targets: ["SealiteFile"]),
        .library(name: "SealiteMaintenance", targets: ["SealiteMaintenance"]),
        .library(name: "SealiteGRDB", targets: ["SealiteGRDB"]),
        .library(name: "sealitevfs", type: .dynamic, targets: ["SealiteExtension"]),
        .library(name: "SealiteCredentials", targets: ["SealiteCredentials"]),
        .executable(name: "sealite", targets: ["SealiteTool"]),
        .library(name: "SealiteDatabase", targets: ["SealiteDatabase"]),
        .library(name: "SealiteValues", targets: ["SealiteValues"]),
        .library(name: "SealiteQuery", targets: ["SealiteQuery"]),
        .library(name: "SealiteMongo", targets: ["SealiteMongo"]),
        .library(name: "SealiteModel", targets: ["SealiteModel"]),
        .library(name: "SealiteAuthentication", targets: ["SealiteAuthentication"]),
        .library(name: "SealiteReplicator", targets: ["SealiteReplicator"]),
        .library(name: "SealiteMobileSync", targets: ["SealiteMobileSync"]),
    ],
    traits: [
        .trait(name: "Sync", description: "Sync, logins and the command line, which need SwiftNIO."),
        .default(enabledTraits: ["Sync"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        // Floor 0: system libraries.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CEditLine", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"])]),

        // Floor 0: kernels in C, what loads libraries at the first call, and the commit.
        .target(name: "CVectors"),
        .target(name: "CSecretLoading", dependencies: ["CSecret"]),
        .target(name: "CEditLineLoading", dependencies: ["CEditLine"]),
        .target(name: "CBuildCommit"),

        // Floor 0: what every target may use.
        .target(name: "SealiteBase", swiftSettings: strict),
        .testTarget(
            name: "SealiteBaseTests", dependencies: ["SealiteBase", "SealiteTestSupport"], swiftSettings: strict),

        // Floor 1.
        .target(name: "SealiteCrypto", dependencies: ["COpenSSL", "SealiteBase"], swiftSettings: strict),
        .testTarget(
            name: "SealiteCryptoTests", dependencies: ["SealiteCrypto", "SealiteTestSupport"], swiftSettings: strict),

        // Floor 1, above SealiteCrypto: JSON and JSONB as bytes.
        .target(name: "SealiteJSON", dependencies: ["SealiteBase", "SealiteCrypto"], swiftSettings: strict),
        .testTarget(
            name: "SealiteJSONTests", dependencies: ["SealiteJSON", "SealiteCrypto", "SealiteTestSupport"],
            swiftSettings: strict),

        // Floor 1, above SealiteJSON: the arithmetic of vector search.
        .target(
            name: "SealiteVectors", dependencies: ["CVectors", "SealiteBase", "SealiteJSON"], swiftSettings: strict),
        .testTarget(
            name: "SealiteVectorsTests",
            dependencies: ["CVectors", "SealiteBase", "SealiteJSON", "SealiteTestSupport", "SealiteVectors"],
            swiftSettings: strict),

        // Floor 1: shapes on the sphere and in the plane.
        .target(name: "SealiteGeometry", swiftSettings: strict),
        .testTarget(
            name: "SealiteGeometryTests", dependencies: ["SealiteGeometry", "SealiteTestSupport"],
            swiftSettings: strict),

        // Floor 1, above SealiteCrypto: its known-answer tests, for `sealite audit`.
        .target(name: "SealiteKnownAnswers", dependencies: ["SealiteBase", "SealiteCrypto"], swiftSettings: strict),
        .testTarget(
            name: "SealiteKnownAnswersTests", dependencies: ["SealiteKnownAnswers", "SealiteCrypto"],
            swiftSettings: strict),

        // Floor 1, above SealiteCrypto: what describes a connection: URLs, trust, secrets of handshakes, errors.
        .target(name: "SealiteEndpoints", dependencies: ["SealiteBase", "SealiteCrypto"], swiftSettings: strict),
        .testTarget(
            name: "SealiteEndpointsTests", dependencies: ["SealiteEndpoints", "SealiteCredentials"],
            swiftSettings: strict),

        // Floor 2.
        .target(
            name: "SealiteFunctions",
            dependencies: [
                "SealiteBase", "CPCRE2", "CSQLite", "CStemmer", "SealiteGeometry", "SealiteJSON", "SealiteValues",
                "SealiteVectors",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteFunctionsTests",
            dependencies: [
                "SealiteBase", "SealiteFunctions", "SealiteDatabase", "SealiteFile", "SealiteGRDB", "SealiteJSON",
                "SealiteCrypto", "SealiteMaintenance", "SealiteGRDBTestChild", "SealiteTestSupport", "CSQLite",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], swiftSettings: strict),
        .target(
            name: "SealiteFile", dependencies: ["CSQLite", "SealiteBase", "SealiteCrypto"], swiftSettings: strict),
        .testTarget(
            name: "SealiteFileTests",
            dependencies: [
                "SealiteFile", "SealiteCrypto", "SealiteFileTestSupport", "SealiteMaintenance", "SealiteTestSupport",
                "SealiteTestChild", "CSQLite",
            ], swiftSettings: strict),

        .target(
            name: "SealiteValues", dependencies: ["SealiteBase", "SealiteCrypto", "SealiteJSON"], swiftSettings: strict),
        .testTarget(
            name: "SealiteValuesTests",
            dependencies: ["SealiteBase", "SealiteValues", "SealiteJSON", "SealiteTestSupport"],
            swiftSettings: strict),

        .target(
            name: "SealiteRevisions", dependencies: ["SealiteBase", "SealiteCrypto", "SealiteJSON"],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteRevisionsTests", dependencies: ["SealiteRevisions", "SealiteTestSupport"],
            swiftSettings: strict),

        .target(
            name: "SealiteProtocol", dependencies: ["CZlib", "SealiteCrypto", "SealiteJSON", "SealiteRevisions"],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteProtocolTests",
            dependencies: [
                "SealiteProtocol", "SealiteJSON", "SealiteProtocolTestSupport", "SealiteRevisions",
                "SealiteTestSupport",
            ],
            swiftSettings: strict),

        .target(name: "SealiteQueryLanguage", swiftSettings: strict),
        .testTarget(
            name: "SealiteQueryLanguageTests", dependencies: ["SealiteQueryLanguage", "SealiteTestSupport"],
            swiftSettings: strict),

        // Hostile bytes: run over a committed corpus here, under libFuzzer by `scripts/fuzz.sh`.
        .testTarget(
            name: "SealiteFuzzTests",
            dependencies: [
                "SealiteAuthentication", "SealiteCredentials", "SealiteEndpoints", "SealiteFile", "SealiteCrypto",
                "SealiteFunctions", "SealiteGeometry",
                "SealiteJSON", "SealiteDatabase", "SealiteModel", "SealiteMongo", "SealiteProtocol",
                "SealiteProtocolTestSupport", "SealiteQueryLanguage", "SealiteRevisions", "SealiteTestSupport",
                "SealiteValues", "SealiteVectors", "SealiteMaintenance",
                "CSQLite",
            ],
            path: "Tests/Fuzz", exclude: ["Program"], swiftSettings: strict),

        // Floor 3.
        .target(
            name: "SealiteMaintenance",
            dependencies: ["CSQLite", "SealiteBase", "SealiteCrypto", "SealiteFile", "SealiteJSON"],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteMaintenanceTests",
            dependencies: [
                "SealiteMaintenance", "SealiteFile", "SealiteCrypto", "SealiteFileTestSupport",
                "SealiteTestSupport", "CSQLite",
            ], swiftSettings: strict),
        .target(
            name: "SealiteGRDB",
            dependencies: ["SealiteCrypto", "SealiteFile", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteGRDBTests",
            dependencies: [
                "SealiteGRDB", "SealiteFile", "SealiteCrypto", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .target(
            name: "SealiteDatabase",
            dependencies: [
                "CSQLite", "SealiteBase", "SealiteCrypto", "SealiteFile", "SealiteFunctions", "SealiteGRDB",
                "SealiteJSON", "SealiteRevisions", "SealiteValues", "SealiteVectors", "SealiteMaintenance",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteDatabaseTests",
            dependencies: [
                "SealiteBase", "SealiteDatabase", "SealiteCrypto", "SealiteFile", "SealiteFunctions",
                "SealiteGRDB", "SealiteJSON", "SealiteTestSupport", "SealiteMaintenance", "SealiteValues",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),

        .target(
            name: "SealiteCredentials",
            dependencies: [
                "CSecret", "CSecretLoading", "SealiteBase", "SealiteCrypto", "SealiteEndpoints", "SealiteFile",
                "SealiteJSON", "SealiteMaintenance",
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: strict),
        .testTarget(
            name: "SealiteCredentialsTests",
            dependencies: [
                "SealiteCredentials", "SealiteCrypto", "SealiteDatabase", "SealiteFile", "SealiteMaintenance",
                "SealiteTestSupport", "SealiteTool", "CSecret",
            ],
            exclude: ["fake_provider.py", "make_keyring.py", "unlock_keyring.py"], swiftSettings: strict),

        // Floor 4.
        .target(
            name: "SealiteQuery",
            dependencies: [
                "SealiteBase", "SealiteDatabase", "SealiteFile", "SealiteFunctions", "SealiteGeometry",
                "SealiteJSON", "SealiteQueryLanguage", "SealiteVectors",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteQueryTests",
            dependencies: [
                "SealiteBase", "SealiteQuery", "SealiteDatabase", "SealiteFile", "SealiteGRDB", "SealiteMaintenance",
                "SealiteCrypto", "SealiteQueryLanguage", "SealiteTestChild", "SealiteTestSupport", "SealiteVectors",
            ], swiftSettings: strict),
        .target(
            name: "SealiteTransport",
            dependencies: [
                "SealiteBase", "SealiteCrypto", "SealiteEndpoints", "SealiteJSON",
                .product(name: "NIOCore", package: "swift-nio", condition: sync),
                .product(name: "NIOPosix", package: "swift-nio", condition: sync),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: sync),
                .product(name: "NIOWebSocket", package: "swift-nio", condition: sync),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: sync),
            ], swiftSettings: strict),
        .testTarget(
            name: "SealiteTransportTests",
            dependencies: [
                "SealiteBase", "SealiteTransport", "SealiteEndpoints", "SealiteCrypto", "SealiteTestSupport",
                "SealiteTransportTestSupport",
                .product(name: "NIOCore", package: "swift-nio", condition: sync),
            ], swiftSettings: strict),

        // Floor 5.
        .target(
            name: "SealiteAuthentication",
            dependencies: ["SealiteCredentials", "SealiteBase", "SealiteCrypto", "SealiteJSON", "SealiteTransport"],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteAuthenticationTests",
            dependencies: [
                "SealiteTestSupport", "SealiteAuthentication", "SealiteCredentials", "SealiteCrypto",
                .product(name: "NIOCore", package: "swift-nio", condition: sync),
                .product(name: "NIOPosix", package: "swift-nio", condition: sync),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: sync),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: sync),
            ], swiftSettings: strict),

        .target(
            name: "SealiteMongo",
            dependencies: [
                "SealiteBase", "SealiteDatabase", "SealiteFile", "SealiteFunctions", "SealiteGeometry", "SealiteJSON",
                "SealiteValues", "SealiteVectors",
            ], swiftSettings: strict),
        .testTarget(
            name: "SealiteMongoTests",
            dependencies: [
                "SealiteMongo", "SealiteDatabase", "SealiteCrypto", "SealiteFile", "SealiteJSON",
                "SealiteQuery", "SealiteTestChild", "SealiteTestSupport", "SealiteValues",
            ], swiftSettings: strict),

        .target(
            name: "SealiteModel",
            dependencies: [
                "SealiteBase", "SealiteCrypto", "SealiteDatabase", "SealiteFile", "SealiteFunctions",
                "SealiteGeometry", "SealiteJSON", "SealiteQuery", "SealiteQueryLanguage", "SealiteValues",
            ], swiftSettings: strict),
        .testTarget(
            name: "SealiteModelTests",
            dependencies: [
                "SealiteModel", "SealiteDatabase", "SealiteCrypto", "SealiteFile", "SealiteFunctions", "SealiteJSON",
                "SealiteQuery", "SealiteTestChild", "SealiteTestSupport", "SealiteValues",
            ], swiftSettings: strict),

        // Floor 6.
        .target(
            name: "SealiteReplicator",
            dependencies: [
                "SealiteBase", "SealiteAuthentication", "SealiteCredentials", "SealiteCrypto", "SealiteDatabase",
                "SealiteFile",
                "SealiteJSON",
                "SealiteProtocol", "SealiteRevisions", "SealiteTransport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SealiteReplicatorTests",
            dependencies: [
                "SealiteBase", "SealiteReplicator", "SealiteAuthentication", "SealiteCredentials",
                "SealiteCrypto", "SealiteDatabase",
                "SealiteFile", "SealiteModel", "SealiteProtocol", "SealiteProtocolTestSupport", "SealiteRevisions",
                "SealiteTestSupport",
                "SealiteTransport", "SealiteTransportTestSupport", "SealiteValues",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: sync),
            ], swiftSettings: strict),

        // Floor 7.
        .target(
            name: "SealiteMobileSync",
            dependencies: [
                "SealiteBase", "SealiteCredentials", "SealiteDatabase", "SealiteMongo",
                "SealiteReplicator", "SealiteRevisions", "SealiteValues",
            ], swiftSettings: strict),
        .testTarget(
            name: "SealiteMobileSyncTests",
            dependencies: [
                "SealiteMobileSync", "SealiteAuthentication", "SealiteCredentials", "SealiteCrypto", "SealiteDatabase",
                "SealiteFile",
                "SealiteMobileTestChild", "SealiteMongo", "SealiteProtocol", "SealiteProtocolTestSupport",
                "SealiteReplicator", "SealiteRevisions", "SealiteTransport", "SealiteTransportTestSupport",
                "SealiteTestSupport", "SealiteValues",
            ], swiftSettings: strict),
        .target(
            name: "Sealite",
            dependencies: [
                "SealiteAuthentication", "SealiteCredentials", "SealiteCrypto", "SealiteDatabase", "SealiteFile",
                "SealiteMaintenance", "SealiteMobileSync", "SealiteModel", "SealiteMongo", "SealiteQuery",
                "SealiteReplicator",
                "SealiteValues",
            ], swiftSettings: strict),
        .target(
            name: "SealiteExtension", dependencies: ["CSQLite", "SealiteFile", "SealiteFunctions"],
            swiftSettings: strict),

        // A second process for tests.
        .executableTarget(
            name: "SealiteTestChild",
            dependencies: [
                "SealiteFile", "SealiteCrypto", "SealiteDatabase", "SealiteModel", "SealiteValues", "CSQLite",
            ],
            path: "Tests/Support/SealiteTestChild", swiftSettings: strict),

        // A program that uses GRDB on a sealed file, and nothing else of Sealite.
        .executableTarget(
            name: "SealiteGRDBTestChild", dependencies: ["SealiteGRDB", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Tests/Support/SealiteGRDBTestChild", swiftSettings: strict),

        // A client of per-document sync to be killed.
        .executableTarget(
            name: "SealiteMobileTestChild",
            dependencies: [
                "SealiteCredentials", "SealiteCrypto", "SealiteDatabase", "SealiteFile", "SealiteMobileSync",
                "SealiteMongo", "SealiteReplicator", "SealiteValues",
            ],
            path: "Tests/Support/SealiteMobileTestChild", swiftSettings: strict),

        // Beside the house: examples that `make demo` runs.
        .executableTarget(
            name: "GRDBDump", dependencies: ["SealiteGRDB", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Examples/GRDBDump", swiftSettings: strict),
        .executableTarget(
            name: "PersonMigration",
            dependencies: ["SealiteDatabase", "SealiteFile", "SealiteModel", "SealiteValues"],
            path: "Examples/PersonMigration", swiftSettings: strict),

        // Beside the house: examples that `make test` runs (scripts/test.d/50-examples.sh).
        .executableTarget(
            name: "Readme", dependencies: ["Sealite", "SealiteGRDB", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Examples/Readme", swiftSettings: strict),
        // With a new package's settings, as the page's reader builds it; a warning is an error here too.
        .executableTarget(
            name: "FirstApp", dependencies: ["Sealite"], path: "Examples/FirstApp",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "Notes", dependencies: ["SealiteDatabase", "SealiteFile", "SealiteQuery"], path: "Examples/Notes",
            swiftSettings: strict),
        .executableTarget(
            name: "GRDBNotes", dependencies: ["SealiteGRDB", .product(name: "GRDB", package: "GRDB.swift")],
            path: "Examples/GRDBNotes", swiftSettings: strict),
        .executableTarget(
            name: "SyncPair",
            dependencies: [
                "SealiteAuthentication", "SealiteCredentials", "SealiteCrypto", "SealiteDatabase", "SealiteFile",
                "SealiteReplicator",
            ], path: "Examples/SyncPair", swiftSettings: strict),

        // Floor 8.
        .executableTarget(
            name: "SealiteTool",
            dependencies: [
                "CBuildCommit", "CEditLine", "CEditLineLoading", "SealiteAuthentication", "SealiteFile",
                "SealiteCredentials",
                "SealiteBase", "SealiteCrypto",
                "SealiteDatabase", "SealiteJSON", "SealiteKnownAnswers", "SealiteMaintenance", "SealiteMobileSync",
                "SealiteModel",
                "SealiteMongo", "SealiteQuery", "SealiteQueryLanguage", "SealiteReplicator", "SealiteTransport",
                "SealiteValues",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, linkerSettings: toolLinking),
        .testTarget(
            name: "SealiteToolTests",
            dependencies: [
                "SealiteTool", "SealiteFile", "SealiteCrypto", "SealiteDatabase", "SealiteMaintenance",
                "SealiteAuthentication", "SealiteCredentials", "SealiteModel", "SealiteMongo", "SealiteQuery",
                "SealiteFileTestSupport", "SealiteRevisions", "SealiteTestSupport", "SealiteValues",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            exclude: ["Golden", "hostile_peer.py", "nested_peer.py", "session_server.py"], swiftSettings: strict),

        // Beside the house: `make bench`.
        .executableTarget(
            name: "SealedFileBench", dependencies: ["CBench", "SealiteFile", "SealiteCrypto", "CSQLite"],
            path: "Benchmarks/SealedFileBench", exclude: ["peers.py"], swiftSettings: strict),
        .target(
            name: "CBench", path: "Benchmarks/CBench",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("crypto")]),

        .executableTarget(
            name: "RotationBench", dependencies: ["SealiteFile", "SealiteMaintenance", "SealiteCrypto", "CSQLite"],
            path: "Benchmarks/RotationBench", exclude: ["rekey.py"], swiftSettings: strict),

        // What tests stand on: file systems for SQLite that record, fail and lose power.
        .target(
            name: "CTestVFS", path: "Tests/Support/CTestVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        // What tests of sealed files stand on: folders, databases in known states, golden files.
        .target(
            name: "SealiteFileTestSupport",
            dependencies: ["CSQLite", "SealiteCrypto", "SealiteFile", "SealiteTestSupport"],
            path: "Tests/Support/SealiteFileTestSupport", swiftSettings: strict),
        .target(
            name: "SealiteTestSupport",
            dependencies: [
                "SealiteBase", "CTestVFS", .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
            ], path: "Tests/Support/SealiteTestSupport", swiftSettings: strict),
        .testTarget(
            name: "SealiteTestSupportTests", dependencies: ["SealiteBase", "SealiteTestSupport"],
            swiftSettings: strict),

        // What tests of the protocol stand on: sessions without a connection, and recorded exchanges.
        .target(
            name: "SealiteProtocolTestSupport", dependencies: ["SealiteProtocol", "SealiteCrypto", "SealiteRevisions"],
            path: "Tests/Support/SealiteProtocolTestSupport", swiftSettings: strict),

        // What tests of the network stand on: servers and proxies that misbehave, and certificates.
        .target(
            name: "SealiteTransportTestSupport",
            dependencies: [
                "SealiteTransport", "SealiteCrypto", "SealiteEndpoints", "SealiteTestSupport",
                .product(name: "NIOCore", package: "swift-nio", condition: sync),
                .product(name: "NIOPosix", package: "swift-nio", condition: sync),
            ],
            path: "Tests/Support/SealiteTransportTestSupport", exclude: ["make_test_ca.py"], swiftSettings: strict),
        .executableTarget(
            name: "CredentialBench", dependencies: ["SealiteCredentials", "SealiteCrypto", "SealiteFile"],
            path: "Benchmarks/CredentialBench", swiftSettings: strict),
        .target(name: "BenchmarkData", path: "Benchmarks/BenchmarkData", swiftSettings: strict),
        .executableTarget(
            name: "DocumentBench",
            dependencies: [
                "BenchmarkData", "SealiteDatabase", "SealiteModel", "SealiteMongo", "SealiteQuery", "SealiteValues",
                "SealiteCrypto", "SealiteFile",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Benchmarks/DocumentBench", exclude: ["bench_people.py", "mongomock_bench.py", "tinydb_bench.py"],
            swiftSettings: strict),
        .executableTarget(
            name: "VectorBench",
            dependencies: ["CSQLite", "SealiteDatabase", "SealiteQuery", "SealiteCrypto", "SealiteFile"],
            path: "Benchmarks/VectorBench", exclude: ["vector_peers.py"], swiftSettings: strict),
        .executableTarget(
            name: "ReplicationBench",
            dependencies: [
                "BenchmarkData", "SealiteReplicator", "SealiteDatabase", "SealiteCrypto", "SealiteFile",
                "SealiteJSON", "SealiteMobileSync", "SealiteMongo", "SealiteRevisions", "SealiteValues",
            ],
            path: "Benchmarks/ReplicationBench", swiftSettings: strict),
        .executableTarget(
            name: "ListenerBench",
            dependencies: [
                "BenchmarkData", "SealiteReplicator", "SealiteDatabase", "SealiteCrypto", "SealiteFile",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Benchmarks/ListenerBench", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// SEALITE_TEST_TARGETS="SealiteQueryTests SealiteModelTests" leaves the other test targets out, and so what they alone need: a change
// is tried in a fraction of the time (CONTRIBUTING.md).
if let chosen = Context.environment["SEALITE_TEST_TARGETS"]?.split(separator: " ").map(String.init), !chosen.isEmpty {
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}

// `make test` leaves the benchmarks out, which take a minute of processor time to build; `make soak` and `make bench` build them.
if Context.environment["SEALITE_WITHOUT_BENCHMARKS"] != nil {
    package.targets.removeAll { $0.path?.hasPrefix("Benchmarks/") ?? false }
}
