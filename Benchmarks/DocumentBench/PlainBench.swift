import BenchmarkData
import Foundation
import GRDB

/// The floor: GRDB on an ordinary file, the same JSON text by id.
struct PlainBench {
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement
    let pool: DatabasePool

    init(folder: String, people: [PersonGenerator.Person], texts: [[UInt8]], measure: Measurement) throws {
        (self.people, self.texts, self.measure) = (people, texts, measure)
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16384") }
        pool = try DatabasePool(path: folder + "/plain.db", configuration: configuration)
        try pool.write { database in
            for table in ["document", "single"] {
                try database.execute(sql: "CREATE TABLE \(table) (id TEXT PRIMARY KEY, body TEXT NOT NULL)")
            }
        }
    }

    private func put(_ table: String, _ index: Int, _ database: GRDB.Database) throws {
        let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) VALUES (?, ?)")
        try statement.execute(arguments: [people[index].id, String(decoding: texts[index], as: UTF8.self)])
    }

    private func get(_ index: Int, _ database: GRDB.Database) throws -> Int {
        let statement = try database.cachedStatement(sql: "SELECT body FROM document WHERE id = ?")
        return try String.fetchOne(statement, arguments: [people[index].id])?.utf8.count ?? 0
    }

    func insert() throws {
        try measure.run("plain insert in one transaction", people.count) {
            try pool.write { for index in people.indices { try put("document", index, $0) } }
        }
    }

    func read() throws {
        let indexes = randomIndexes(200_000, below: people.count)
        var total = 0
        try measure.run("plain random reads", indexes.count / 4) {
            for index in indexes.prefix(indexes.count / 4) { total += try pool.read { try get(index, $0) } }
        }
        try measure.run("plain random reads in one snapshot", indexes.count) {
            try pool.read { for index in indexes { total += try get(index, $0) } }
        }
        guard total > 0 else { fatalError("nothing was read") }
    }

    func update() throws {
        let indexes = Array(Set(randomIndexes(40_000, below: people.count))).prefix(20_000)
        try measure.run("plain updates in one transaction", indexes.count) {
            try pool.write { database in
                for index in indexes {
                    _ = try get(index, database)
                    try put("document", index, database)
                }
            }
        }
    }

    func singleTransactions() throws {
        try measure.run("plain single transactions", 2000) {
            for index in 0..<2000 { try pool.write { try put("single", index, $0) } }
        }
    }
}
