internal import GRDB

/// Checks, when a database is opened, that the tables and indexes of the format are those that this program creates
/// (Documentation/DocumentFormat.md §3). A file that somebody else made may have others under their names, such as an
/// endless view in place of a table.
///
/// The check reads the schema once, as texts. Each object that the texts create has one name, and SQLite refuses a
/// schema in which two objects have the same name; so a text that is there as expected creates what has its name.
struct TableCheck {
    private let connection: GRDB.Database
    /// The tables and indexes that every database of the format has, and whether they were found.
    private var fixed: [String: (part: FormatTables.Part, isFound: Bool)]
    /// The tables and indexes that were found of each collection, as bits in the order of the format's parts.
    private var found: [Int: UInt8] = [:]
    /// The texts of the tables, views and triggers that may belong to indexes of collections, by their names.
    private(set) var indexObjects: [String: String] = [:]
    /// The objects that may be indexes of other programs, by their names.
    private var others: [String: String] = [:]

    /// Reads the schema of a database.
    ///
    /// - Throws: `corruptData` if a table or an index of the format is missing or has another definition, or if an
    ///   index that another program added to a table of the format isn't allowed.
    init(_ connection: GRDB.Database) throws {
        self.connection = connection
        fixed = Dictionary(uniqueKeysWithValues: FormatTables.parts.map { ($0.name, (part: $0, isFound: false)) })
        try read()
        if let missing = fixed.values.first(where: { !$0.isFound }) { throw Self.refusal(missing.part.name) }
        let numbers = try checkCollections()
        if !others.isEmpty { try checkOthers(numbers) }
    }

    private mutating func read() throws {
        let statement = try PreparedStatement(
            connection, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        while try statement.step() {
            let place = statement.withText(at: 0) { SchemaTexts.place(ofName: $0) }
            if let place, statement.withText(at: 1, { SchemaTexts.isEqual($0, to: place) }) {
                found[place.number, default: 0] |= 1 << place.part
                continue
            }
            try note(statement.text(at: 0), statement.text(at: 1), place)
        }
    }

    /// Notes an object whose text isn't, byte for byte, that of a part of a collection.
    private mutating func note(_ name: String, _ sql: String, _ place: SchemaTexts.Place?) throws {
        if let part = fixed[name]?.part {
            guard SchemaTexts.areEqual(sql, part.sql) else { throw Self.refusal(name) }
            fixed[name]?.isFound = true
        } else if let place, SchemaTexts.areEqual(sql, FormatTables.collectionParts(place.number)[place.part].sql) {
            found[place.number, default: 0] |= 1 << place.part
        } else if name.hasPrefix("documents_") || IndexKind.prefixes.contains(where: name.hasPrefix) {
            indexObjects[name] = sql
            noteOther(name, sql)
        } else {
            noteOther(name, sql)
        }
    }

    /// Notes an object that may be an index: every object of which SQLite didn't write that it is something else.
    private mutating func noteOther(_ name: String, _ sql: String) {
        let kinds = ["CREATE TABLE ", "CREATE VIEW ", "CREATE TRIGGER ", "CREATE VIRTUAL TABLE "]
        if !kinds.contains(where: { sql.hasPrefix($0) }) { others[name] = sql }
    }

    /// Checks that each collection has its table and indexes, and returns the numbers of the collections.
    private func checkCollections() throws -> [Int] {
        try connection.rows("SELECT number FROM collections") { row in
            let number = try row.collectionNumber(at: 0)
            let parts = found[number] ?? 0
            guard parts == 0b1111 else {
                let missing: Int = [0, 1, 2].first { parts & (1 << $0) == 0 } ?? 3
                throw Self.refusal(FormatTables.collectionParts(number)[missing].name)
            }
            return number
        }
    }

    // MARK: - Indexes of other programs

    /// Checks the indexes that other programs added to tables of the format, because this program's changes run their
    /// expressions.
    private func checkOthers(_ collections: [Int]) throws {
        let own = fixed.values.map(\.part) + collections.flatMap { FormatTables.collectionParts($0) }
        let names = Set(own.map(\.name))
        for table in own where table.sql.hasPrefix("CREATE TABLE ") {
            let statement = try PreparedStatement(
                connection, "SELECT name, partial FROM pragma_index_list(?1) WHERE origin = 'c'", table.name)
            while try statement.step() {
                let name = statement.text(at: 0)
                guard !names.contains(name) else { continue }
                let hasExpression = "SELECT 1 FROM pragma_index_xinfo(?1) WHERE cid = -2"
                guard try statement.int64(at: 1) != 0 || connection.hasRow(hasExpression, name) else { continue }
                guard let sql = others[name], SQLExpressions.isAllowed(index: sql, on: table.sql) else {
                    throw DatabaseError(
                        .corruptData,
                        "the index \"\(name)\", which another program added to the table \"\(table.name)\", calls functions that an index of a document database can't call",
                        hint: "drop the index with the program that added it, or recover the documents by a salvage")
                }
            }
        }
    }

    private static func refusal(_ name: String) -> DatabaseError {
        DatabaseError(
            .corruptData,
            "the table or index \"\(name)\" is missing, or isn't as the format of document databases defines it",
            hint: "restore a backup, or recover the documents by a salvage")
    }
}
