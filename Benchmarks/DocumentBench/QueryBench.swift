import BenchmarkData
import Foundation
import GRDB
import SealiteDatabase
import SealiteQuery

/// Measures queries: SQL++ over sealed documents, compared with SQL with `json_extract` over the same JSON text in an
/// ordinary file.
struct QueryBench {
    let folder: String
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement

    func run() throws {
        let place = folder + "/queries"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let sealed = try SealedBench(folder: place, people: people, texts: texts, measure: measure)
        let plain = try PlainBench(folder: place, people: people, texts: texts, measure: measure)
        try sealed.insert()
        try plain.insert()
        let scene = QueryScene(sealed: sealed, plain: plain.pool, people: people)
        try scene.withoutIndexes()
        try scene.buildIndexes()
        try scene.withIndexes()
        try scene.buildArrayIndex()
        try scene.translate()
        try sealed.database.close()
        try StreamBench.runAlone(place)
        try FileManager.default.removeItem(atPath: place)
    }
}

/// Both databases with the same documents, and the works that are measured on them.
private struct QueryScene {
    let sealed: SealedBench
    let plain: DatabasePool
    let people: [PersonGenerator.Person]
    private let turns = TurnMeasurement(rounds: 11)

    init(sealed: SealedBench, plain: DatabasePool, people: [PersonGenerator.Person]) {
        (self.sealed, self.plain, self.people) = (sealed, plain, people)
    }

    private static func path(_ path: String) -> String { "json_extract(body, '$.\(path)')" }

    /// Runs a query and its counterpart, whose first columns have the same sum.
    private func compare(_ name: String, _ text: String, _ sql: String) throws {
        let query = try sealed.database.createQuery(text)
        var (sum, plainSum) = (0, 0)
        try turns.compare(
            name,
            sealed: {
                sum = 0
                let rows = try query.execute()
                while let row = try rows.nextResult() { sum += row.int(at: 0) }
            },
            plain: {
                plainSum = try plain.read { database in
                    let rows = try Row.fetchCursor(try database.cachedStatement(sql: sql))
                    var sum = 0
                    while let row = try rows.next() { sum += row[0] as Int? ?? 0 }
                    return sum
                }
            })
        guard sum == plainSum else { fatalError("\(name): \(sum) and \(plainSum) differ") }
    }

    func withoutIndexes() throws {
        try compare(
            "count by age, no index", "SELECT COUNT(*) FROM _ WHERE age > 40",
            "SELECT count(*) FROM document WHERE \(Self.path("age")) > 40")
        try compare(
            "group by city, no index", "SELECT COUNT(*), address.city FROM _ GROUP BY address.city",
            "SELECT count(*), \(Self.path("address.city")) FROM document GROUP BY 2")
        try compare(
            "count by an element of an array, no index", Self.tagged("COUNT(*)"),
            """
            SELECT count(*) FROM document
            WHERE EXISTS (SELECT 1 FROM json_each(body, '$.tags') WHERE value = '\(Self.tag)')
            """)
        try readRows()
    }

    private static let tag = "river"

    /// The query for the documents one of whose three tags is a certain one.
    private static func tagged(_ result: String) -> String {
        "SELECT \(result) FROM _ WHERE ANY t IN tags SATISFIES t = '\(tag)' END"
    }

    /// Reads each document's name and age.
    private func readRows() throws {
        let query = try sealed.database.createQuery("SELECT name, age FROM _")
        let sql = "SELECT \(Self.path("name")), \(Self.path("age")) FROM document"
        var total = 0
        try turns.compare(
            "\(people.count) rows of a name and an age",
            sealed: {
                let rows = try query.execute()
                while let row = try rows.nextResult() {
                    total += (row.string(at: 0)?.utf8.count ?? 0) + row.int(at: 1)
                }
            },
            plain: {
                try plain.read { database in
                    let rows = try Row.fetchCursor(try database.cachedStatement(sql: sql))
                    while let row = try rows.next() {
                        total -= (row[0] as String? ?? "").utf8.count + (row[1] as Int? ?? 0)
                    }
                }
            })
        guard total == 0 else { fatalError("the rows differ") }
    }

    func buildIndexes() throws {
        for (name, path) in [("age", "age"), ("city", "address.city"), ("email", "email"), ("score", "score")] {
            try TurnMeasurement(rounds: 3).compare(
                "building the index over \(path)",
                prepare: {
                    try sealed.collection.deleteIndex(forName: name)
                    try plain.write { try $0.execute(sql: "DROP INDEX IF EXISTS document_\(name)") }
                },
                sealed: {
                    try sealed.collection.createIndex(withName: name, config: ValueIndexConfiguration([path]))
                },
                plain: {
                    let sql = "CREATE INDEX document_\(name) ON document (\(Self.path(path)))"
                    try plain.write { try $0.execute(sql: sql) }
                })
        }
    }

    /// An index over the elements of an array, and a table of them that the plain database would have for it.
    func buildArrayIndex() throws {
        try TurnMeasurement(rounds: 3).compare(
            "building the index over the elements of tags",
            prepare: {
                try sealed.collection.deleteIndex(forName: "tags")
                try plain.write { try $0.execute(sql: "DROP TABLE IF EXISTS tag") }
            },
            sealed: {
                try sealed.collection.createIndex(withName: "tags", config: ArrayIndexConfiguration(path: "tags"))
            },
            plain: {
                try plain.write { database in
                    try database.execute(
                        sql: """
                            CREATE TABLE tag (value TEXT, document INTEGER, position INTEGER,
                                PRIMARY KEY (value, document, position)) WITHOUT ROWID;
                            INSERT INTO tag SELECT e.value, d.rowid, e.key FROM document AS d, json_each(d.body, '$.tags') AS e
                            ORDER BY 1, 2, 3
                            """)
                }
            })
        let found = "(SELECT document FROM tag WHERE value = '\(Self.tag)')"
        try compare(
            "count by an element of an array, index", Self.tagged("COUNT(*)"),
            "SELECT count(DISTINCT document) FROM \(found)")
        try compare(
            "ages by an element of an array, index", Self.tagged("age"),
            "SELECT \(Self.path("age")) FROM document WHERE rowid IN \(found)")
    }

    func withIndexes() throws {
        try compare(
            "count by age, index", "SELECT COUNT(*) FROM _ WHERE age > 40",
            "SELECT count(*) FROM document WHERE \(Self.path("age")) > 40")
        try compare(
            "count by score, index, few", "SELECT COUNT(*) FROM _ WHERE score >= 500 AND score < 502",
            "SELECT count(*) FROM document WHERE \(Self.path("score")) >= 500 AND \(Self.path("score")) < 502")
        try compare(
            "group by city, index", "SELECT COUNT(*), address.city FROM _ GROUP BY address.city",
            "SELECT count(*), \(Self.path("address.city")) FROM document GROUP BY 2")
        try compare(
            "order by score, index, 10 rows", "SELECT age, score FROM _ ORDER BY score LIMIT 10",
            "SELECT \(Self.path("age")), \(Self.path("score")) FROM document ORDER BY 2 LIMIT 10")
        try findPeople()
    }

    /// Looks for documents by an indexed string that is unique.
    private func findPeople() throws {
        let indexes = randomIndexes(2000, below: people.count)
        let query = try sealed.database.createQuery("SELECT age FROM _ WHERE email = $email")
        let sql = "SELECT \(Self.path("age")) FROM document WHERE \(Self.path("email")) = ?"
        var total = 0
        try turns.compare(
            "one by email, index", indexes.count,
            sealed: {
                for index in indexes {
                    query.parameters = Parameters().setString(people[index].email, forName: "email")
                    total += try query.execute().nextResult()?.int(at: 0) ?? 0
                }
            },
            plain: {
                for index in indexes {
                    total -= try plain.read { database in
                        let statement = try database.cachedStatement(sql: sql)
                        return try Int.fetchOne(statement, arguments: [people[index].email]) ?? 0
                    }
                }
            })
        guard total == 0 else { fatalError("the people differ") }
    }

    // MARK: - New queries, and many rows

    /// Makes queries of about 2 KB, each of another text.
    func translate() throws {
        var number = 0
        func text() -> String {
            var text = "SELECT name, age, address.city AS city, UPPER(email) AS email FROM _ WHERE score > \(number)"
            number += 1
            while text.utf8.count < 1950 {
                number += 1
                text += " AND (age <> \(number) OR address.city LIKE 'P%\(number)')"
            }
            return text + " ORDER BY name LIMIT \(number)"
        }
        let (database, count) = (sealed.database, 100)
        var (texts, statements, blanks) = ([String](), [String](), "")
        try turns.alone(
            "a new query of 2 KB with SQLite's prepare", count, prepare: { texts = (0..<count).map { _ in text() } }
        ) {
            statements = try texts.map { try database.createQuery($0).sql() }
        }
        try turns.alone(
            "a new query of 2 KB, parsed and translated", count, prepare: { texts = (0..<count).map { _ in text() } }
        ) {
            for text in texts { _ = try database.translateQuery(text) }
        }
        // A connection keeps the statements that it has prepared, by their texts: blanks make new ones.
        try turns.alone(
            "SQLite's prepare of it, \(statements[0].utf8.count) bytes", count,
            prepare: {
                blanks += " "
                texts = statements.map { blanks + $0 }
            }
        ) {
            for sql in texts { try database.checkStatement(sql) }
        }
    }
}
