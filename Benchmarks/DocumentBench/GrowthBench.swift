import BenchmarkData
import Foundation
import GRDB
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteQuery

/// Does the same work with few and with a hundred times as many documents, and holds the ratio of the costs of one document
/// against a bound. Work that reads or writes in order costs at most 1.25 times as much; other work grows at most 1.1 times
/// as much as the same work in plain SQLite.
struct GrowthBench {
    /// The argument of the program, before the greater number of documents, that runs this benchmark alone.
    static let argument = "growth"
    private let folder = NSTemporaryDirectory() + "sealite-growth-\(getpid())"
    private let few: Int
    private let many: Int
    private let measure: Measurement

    /// The number of repetitions with few documents, of which the shortest counts: they take milliseconds.
    private static let rounds = 5
    /// The number of documents that are deleted, at random.
    private static let deletedCount = 2_000

    /// The processor time of each work, in seconds: of one document, or of the whole work if it doesn't depend on the
    /// number of documents.
    private typealias Costs = [String: Double]

    init(few: Int, many: Int, measure: Measurement) { (self.few, self.many, self.measure) = (few, many, measure) }

    func run() throws {
        func least(_ costs: (Int) throws -> Costs) rethrows -> Costs {
            try (0..<Self.rounds).reduce(into: Costs()) { least, _ in
                least.merge(try costs(few)) { min($0, $1) }
            }
        }
        let sealed = (few: try least(self.sealed), many: try self.sealed(many))
        let plain = (few: try least(self.plain), many: try self.plain(many))
        for (name, cost) in sealed.few.sorted(by: { $0.key < $1.key }) {
            let growth = (sealed.many[name] ?? 0) / cost
            print("\(name): \(microseconds(cost)) µs, \(microseconds(sealed.many[name] ?? 0)) µs")
            guard let before = plain.few[name], let after = plain.many[name] else {
                measure.hold("growth, \(name)", growth, 1.25, "")
                continue
            }
            print("\(name), plain: \(microseconds(before)) µs, \(microseconds(after)) µs")
            measure.hold("growth / that of plain SQLite, \(name)", growth / (after / before), 1.1, "")
        }
    }

    private func microseconds(_ seconds: Double) -> Double { Measurement.rounded(seconds * 1e6) }

    private func time(_ name: String, _ count: Int, _ costs: inout Costs, _ body: () throws -> Void) rethrows {
        let before = Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID)
        try body()
        costs[name] = (Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID) - before) / Double(count)
    }

    /// Runs `body` in an empty folder.
    private func inPlace(_ body: (String) throws -> Costs) throws -> Costs {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    private func sealed(_ count: Int) throws -> Costs {
        try inPlace { place in
            var costs = Costs()
            let database = try SealiteDatabase.Database.create(place + "/sealed.db", slot: .rawKey(SealedBench.key))
            let collection = try database.defaultCollection()
            var people = PersonGenerator(count: count)
            try time("insert", count, &costs) {
                var isDone = false
                while !isDone {
                    try database.write { _ in
                        for _ in 0..<10_000 {
                            guard let person = people.next() else {
                                isDone = true
                                return
                            }
                            try collection.save(document: MutableDocument(id: person.id, json: Array(person.json.utf8)))
                        }
                    }
                }
            }
            try time("count by a number", count, &costs) {
                _ = try database.createQuery("SELECT COUNT(*) FROM _ WHERE age > 50").execute().allResults()
            }
            try time("building a full-text index", count, &costs) {
                try collection.createIndex(withName: "words", config: FullTextIndexConfiguration(["bio"]))
            }
            try collection.createIndex("age", KeyDefinition(keys: [.path([.member("age")], .queries)]))
            try collection.createIndex("email", KeyDefinition(keys: [.path([.member("email")], .queries)]))
            try time("check of documents and three indexes", count, &costs) {
                let findings = try database.integrityFindings()
                guard findings.isEmpty else { fatalError("\(findings)") }
            }
            for name in ["words", "age", "email"] { try collection.deleteIndex(forName: name) }
            func lookForConflicts() throws {
                try collection.noteConflicts()
                _ = try collection.conflictedDocuments(after: 0, limit: 1_000)
            }
            try lookForConflicts()
            try time("look for conflicts at the beginning of a sync", 1_000, &costs) {
                for _ in 0..<1_000 { try lookForConflicts() }
            }
            try time("delete", Self.deletedCount, &costs) {
                try database.write { _ in
                    for index in Self.deleted(of: count) { try collection.delete(id: Self.id(index)) }
                }
            }
            try database.close()
            return costs
        }
    }

    private func plain(_ count: Int) throws -> Costs {
        try inPlace { place in
            var costs = Costs()
            var configuration = GRDB.Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -49152") }
            let pool = try DatabasePool(path: place + "/plain.db", configuration: configuration)
            try pool.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE people (number INTEGER PRIMARY KEY, id TEXT NOT NULL, sequence INTEGER NOT NULL, json TEXT);
                        CREATE UNIQUE INDEX ids ON people (id);
                        CREATE UNIQUE INDEX sequences ON people (sequence);
                        """)
                let statement = try database.makeStatement(sql: "INSERT INTO people VALUES (?, ?, ?, ?)")
                for (index, person) in PersonGenerator(count: count).enumerated() {
                    try statement.execute(arguments: [index + 1, person.id, index + 1, person.json])
                }
            }
            // As a document is deleted: its row stays, without its content, at the end of both orders.
            try time("delete", Self.deletedCount, &costs) {
                try pool.write { database in
                    let statement = try database.makeStatement(
                        sql: "UPDATE people SET number = -number, sequence = ?, json = NULL WHERE id = ?")
                    for (step, index) in Self.deleted(of: count).enumerated() {
                        try statement.execute(arguments: [count + step + 1, Self.id(index)])
                    }
                }
            }
            try pool.close()
            return costs
        }
    }

    private static func deleted(of count: Int) -> [Int] {
        Array(Array(Set(randomIndexes(3 * deletedCount, below: count))).sorted().shuffledAlike.prefix(deletedCount))
    }

    /// The id of a record of ``PersonGenerator``.
    private static func id(_ index: Int) -> String {
        let digits = String(index)
        return "person-" + String(repeating: "0", count: max(7 - digits.count, 0)) + digits
    }
}

extension Array where Element == Int {
    /// The numbers in an order that looks random and is the same in every run.
    fileprivate var shuffledAlike: [Int] {
        sorted { (UInt64($0) &* 0x9E37_79B9_7F4A_7C15, $0) < (UInt64($1) &* 0x9E37_79B9_7F4A_7C15, $1) }
    }
}
