import BenchmarkData
import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteValues

/// Migrations that rewrite every document, in a process of their own, whose memory is nothing else's.
struct MigrationBench {
    /// The first argument of the process that migrates; the second is the folder.
    static let argument = "migrate"

    let folder: String
    let texts: [[UInt8]]

    /// The people as the generator makes them.
    private struct First: Model {
        var id = ""
        var name = ""
        var age = 0
        var email = ""
        var tags: [String] = []
        var address: Place?
        var score = 0.0
        var bio = ""

        static let declaration = ModelDeclaration(name: "Person", collection: "people")
    }

    /// The people with another name, which a function makes, and whether they are grown up.
    private struct Second: Model {
        var id = ""
        var fullName = ""
        var age = 0
        var isAdult = false
        var email = ""
        var tags: [String] = []
        var address: Place?
        var score = 0.0
        var bio = ""

        static let declaration = ModelDeclaration(name: "Person", collection: "people")
    }

    /// The people with less and more, for which no function is needed.
    private struct Third: Model {
        var id = ""
        var name = ""
        var age = 0
        var isAdult = false
        var mail = ""
        var tags: [String] = []
        var address: Place?
        var score = 0.0

        static let declaration = ModelDeclaration(
            name: "Person", collection: "people", .property("name", renamedFrom: "fullName"),
            .property("mail", renamedFrom: "email"))
    }

    /// An address.
    private struct Place: Codable, Sendable {
        var street = ""
        var city = ""
        var postcode = ""
        var country = ""
    }

    private static func path(in folder: String) -> String { folder + "/migration.db" }

    /// Makes the documents, and starts the process that migrates them.
    func run() throws {
        let database = try Database.create(Self.path(in: folder), slot: .rawKey(SealedBench.key))
        let store = try ModelStore.open(database, ModelConfiguration(version: 1, types: [First.self]))
        let collection = try store.collection(of: First.self)
        try database.write { transaction in
            for (index, text) in texts.enumerated() {
                try transaction.save(MutableDocument(id: "person-\(index)", json: text), in: collection)
            }
        }
        try database.close()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [Self.argument, folder]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { fatalError("the migration failed") }
    }

    /// Migrates the documents that are there.
    static func migrate(_ folder: String) throws {
        let measure = Measurement()
        let database = try Database.open(path(in: folder), key: .rawKey(SealedBench.key))
        let count = Int(try database.collection(name: "people")?.count ?? 0)
        let before = StreamBench.peakMemory
        try measure.run("migration by a function, \(count) documents", count) {
            let configuration = ModelConfiguration(version: 2, types: [Second.self]) { migration in
                try migration.enumerate("Person") { old, new in
                    guard let old else { return }
                    try new?.set("fullName", "\(old.string("name") ?? "") of \(old.string("email") ?? "")")
                    try new?.set("isAdult", .bool(old.integer("age") ?? 0 >= 18))
                }
            }
            _ = try ModelStore.open(database, configuration) as ModelStore
        }
        print("memory grew by \(StreamBench.peakMemory - before) MiB from \(before) MiB")
        try measure.run("migration without a function, \(count) documents", count) {
            _ = try ModelStore.open(database, ModelConfiguration(version: 3, types: [Third.self])) as ModelStore
        }
        print("memory grew by \(StreamBench.peakMemory - before) MiB from \(before) MiB")
        try database.close()
    }
}
