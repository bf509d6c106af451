internal import SealiteCrypto
internal import SealiteFile
internal import SealiteMaintenance
internal import SealiteRevisions

/// The rows of a damaged file that identify the database and its peers.
struct SalvagedSchemaRows {
    private let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }

    /// The indexes, besides those over document ids, whose entries contain the values of lost rows.
    static let indexNames: Set<String> = [
        "sqlite_autoindex_collections_1", "sqlite_autoindex_blobs_1", "sqlite_autoindex_remotes_1",
    ]
    private static let identities = ["publicUUID", "privateUUID"]

    init(_ salvage: GuidedSalvage) { self.salvage = salvage }

    /// Restores properties and remotes.
    ///
    /// - Returns: true if the UUIDs are new, because the old ones are lost.
    func place() throws(SealedFileError) -> Bool {
        let names = (Self.identities + ["previousPrivateUUID"]).map { "'\($0)'" }.joined(separator: ", ")
        let found =
            "\(GuidedSalvage.entries) WHERE rootpgno NOT IN (\(salvage.knownRoots)) AND nfield = 2"
            + " AND c0 IN (\(names)) AND typeof(c1) = 'blob' AND length(c1) = 16"
        try connection.execute("INSERT OR IGNORE INTO properties (name, value) SELECT c0, c1 FROM \(found)")
        try connection.execute("DELETE FROM \(found)")
        var isNew = false
        for name in Self.identities {
            let count = try connection.integer(
                "SELECT count(*) FROM properties WHERE name = '\(name)' AND typeof(value) = 'blob' AND length(value) = 16"
            )
            guard count == 0 else { continue }
            isNew = true
            try connection.query(
                "INSERT OR REPLACE INTO properties (name, value) VALUES (?1, ?2)",
                bind: [.text(name), .blob(try Self.newUUID())])
        }
        try placeRemotes()
        return isNew
    }

    /// Makes a database of version vectors of one that has versions, with a source of its own: the damaged file may still write under the
    /// old one.
    func keepVersions(_ collections: [Int]) throws(SealedFileError) {
        var count = try connection.integer("SELECT count(*) FROM properties WHERE name = 'versioning'")
        for number in collections where count == 0 {
            count = try connection.integer(
                """
                SELECT EXISTS (SELECT 1 FROM documents_\(number)
                WHERE length(revision) = \(1 + SourceVersion.storedByteCount) AND substr(revision, 1, 1) = x'01')
                """)
        }
        guard count > 0 else { return }
        try connection.execute("DELETE FROM properties WHERE name = 'sourcePlace'")
        try connection.query(
            "INSERT OR REPLACE INTO properties (name, value) VALUES ('versioning', ?1), ('source', ?2)",
            bind: [.text(DocumentVersioning.vectors.rawValue), .blob(try Self.newUUID())])
    }

    private static func newUUID() throws(SealedFileError) -> [UInt8] {
        do {
            return try UUIDBytes.random()
        } catch {
            throw SealedFileError(.internalFailure, "no random bytes for a UUID: \(error)")
        }
    }

    private func placeRemotes() throws(SealedFileError) {
        if let root = salvage.roots["sqlite_autoindex_remotes_1"] {
            try connection.execute(
                """
                INSERT OR IGNORE INTO remotes (number, name) SELECT c1, c0 FROM \(GuidedSalvage.entries)
                WHERE rootpgno = \(root) AND nfield = 2 AND typeof(c0) = 'text' AND typeof(c1) = 'integer'
                """)
        }
        let found =
            "\(salvage.lostAndFound) WHERE nfield = 2 AND id > 0 AND typeof(c0) = 'null' AND typeof(c1) = 'text'"
        try connection.execute("INSERT OR IGNORE INTO remotes (number, name) SELECT id, c1 FROM \(found)")
        try connection.execute("DELETE FROM \(found)")
    }

    /// Reserves the numbers that revision trees use for peers whose row is lost: another peer with such a number would
    /// be assumed to have the revisions of the lost peer.
    func keepRemoteNumbers(_ collections: [Int]) throws(SealedFileError) {
        guard let remotes = salvage.table("remotes"), remotes.isComplete else {
            return try keepUsedNumbers(collections)
        }
    }

    private func keepUsedNumbers(_ collections: [Int]) throws(SealedFileError) {
        var used: Set<Int> = []
        for number in collections {
            try connection.query(
                "SELECT revision, tree, flags FROM documents_\(number) WHERE substr(tree, 1, 1) IN (x'02', x'03')"
            ) {
                (row) throws(SealedFileError) in
                guard let current = RevisionID(stored: row.blob(0)),
                    let tree = try? RevisionTree(
                        stored: row.blob(1), current: current, isDeleted: row.integer(2) & 1 != 0)
                else { return }
                used.formUnion(tree.remotes.keys)
            }
        }
        for number in used {
            try connection.query(
                "INSERT OR IGNORE INTO remotes (number, name) VALUES (?1, ?2)",
                bind: [.integer(Int64(number)), .text("lost-\(number)")])
        }
    }
}

/// The collections of a damaged file.
struct SalvagedCollections {
    private let salvage: GuidedSalvage
    private let layout: DocumentLayout
    private var connection: RawConnection { salvage.connection }
    /// The numbers of all collections that have a table.
    private(set) var numbers: [Int] = []
    /// The collections whose last change may be lost.
    private var lackingEnd: Set<Int> = []

    /// The distance added to the greatest known sequence if greater ones may have been assigned.
    private static let sequenceReserve: Int64 = 1 << 24
    static let recoveredScope = "recovered"

    init(_ salvage: GuidedSalvage, _ layout: DocumentLayout) {
        self.salvage = salvage
        self.layout = layout
    }

    /// Restores the names of collections, from their rows or from the index over them, and creates the tables that are
    /// lost.
    mutating func place(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        let tables = Set(salvage.tables.compactMap { DocumentGuide.collectionNumber(ofTable: $0.name) })
        for found in try candidates() {
            // If the schema is complete, a number without a table belongs to a deleted collection.
            guard !salvage.schemaIsComplete || tables.contains(found.number) else { continue }
            try insert(found)
        }
        var named: Set<Int> = []
        try connection.query("SELECT number FROM collections") { (row) throws(SealedFileError) in
            named.insert(Int(row.integer(0)))
        }
        for number in tables.union([Schema.defaultCollectionNumber]).subtracting(named).sorted() {
            let isDefault = number == Schema.defaultCollectionNumber
            try insert(
                Row(
                    number: number, scope: isDefault ? Database.defaultScopeName : Self.recoveredScope,
                    name: isDefault ? Database.defaultCollectionName : "collection_\(number)", sequence: 0, purges: 0))
        }
        try list(&report)
        for collection in report.collections {
            try salvage.make(layout.parts(collection.number)[0])
            let index = report.collections.firstIndex { $0.number == collection.number }
            if let index, collection.scope == Self.recoveredScope, !named.contains(collection.number) {
                report.collections[index].isNameKnown = false
            }
            if try mayLackEnd(collection.number) { lackingEnd.insert(collection.number) }
        }
    }

    /// Lists the collections of the new database in a report.
    mutating func list(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        var listed: [SalvagedCollection] = []
        try connection.query("SELECT number, scope, name FROM collections ORDER BY number") {
            (row) throws(SealedFileError) in
            listed.append(
                SalvagedCollection(number: Int(row.integer(0)), scope: row.text(1) ?? "", name: row.text(2) ?? ""))
        }
        report.collections = listed
        numbers = listed.map(\.number)
    }

    /// Creates a collection for documents whose own collection isn't known.
    mutating func addRecovered(_ report: inout SalvagedDocuments) throws(SealedFileError) -> SalvagedCollection {
        let count = report.collections.filter { $0.scope == Self.recoveredScope && $0.name.hasPrefix("documents") }
            .count
        let name = count == 0 ? "documents" : "documents_\(count + 1)"
        try connection.query(
            "INSERT INTO collections (scope, name) VALUES (?1, ?2)", bind: [.text(Self.recoveredScope), .text(name)])
        let number = Int(try connection.integer("SELECT last_insert_rowid()"))
        for part in [layout.parts(number)[0]] + layout.uniqueIndexes(number) { try salvage.make(part) }
        var made = SalvagedCollection(number: number, scope: Self.recoveredScope, name: name)
        made.isNameKnown = false
        report.collections.append(made)
        numbers.append(number)
        return made
    }

    /// Raises the collections' sequences so that none is assigned twice, because change feeds and peers store their
    /// positions.
    func raiseSequences() throws(SealedFileError) {
        for number in numbers {
            let reserve = lackingEnd.contains(number) ? Self.sequenceReserve : 0
            try connection.execute(
                """
                UPDATE collections SET sequence = \(reserve) + max(sequence,
                    (SELECT ifnull(max(sequence), 0) FROM documents_\(number)),
                    (\(listedSequence(number))))
                WHERE number = \(number)
                """)
        }
    }

    /// Returns whether the rows with the last change may be lost.
    private func mayLackEnd(_ number: Int) throws(SealedFileError) -> Bool {
        guard let table = salvage.table("documents_\(number)") else { return true }
        if layout.version == 1 { return !table.gaps.allSatisfy { $0.through != nil } }
        return !table.isComplete && !salvage.isWhole("documents_\(number)_sequence")
    }

    /// Returns SQL for the greatest sequence that a collection's indexes list.
    private func listedSequence(_ number: Int) -> String {
        if layout.version == 1 { return "SELECT ifnull(max(key), 0) FROM temp.salvage_ids WHERE number = \(number)" }
        guard let root = salvage.roots["documents_\(number)_sequence"] else { return "SELECT 0" }
        return """
            SELECT ifnull(max(c0), 0) FROM \(GuidedSalvage.entries)
            WHERE rootpgno = \(root) AND nfield = 2 AND typeof(c0) = 'integer' AND typeof(c1) = 'integer'
            """
    }

    // MARK: Names

    private struct Row {
        var number: Int
        var scope: String
        var name: String
        var sequence: Int64
        var purges: Int64

        var isValid: Bool {
            guard number > 0, sequence >= 0, purges >= 0 else { return false }
            for text in [scope, name] {
                do throws(DatabaseError) { try Names.check(text, kind: "collection") } catch { return false }
            }
            return true
        }
    }

    /// Returns rows from the table first, because they contain more than the entries of the index.
    private func candidates() throws(SealedFileError) -> [Row] {
        var found: [Row] = []
        let rows =
            "\(salvage.lostAndFound) WHERE nfield = 5 AND typeof(c0) = 'null' AND typeof(c1) = 'text'"
            + " AND typeof(c2) = 'text' AND typeof(c3) = 'integer' AND typeof(c4) = 'integer'"
        try connection.query("SELECT id, c1, c2, c3, c4 FROM \(rows)") { (row) throws(SealedFileError) in
            found.append(
                Row(
                    number: Int(row.integer(0)), scope: row.text(1) ?? "", name: row.text(2) ?? "",
                    sequence: row.integer(3), purges: row.integer(4)))
        }
        try connection.execute("DELETE FROM \(rows)")
        let root = salvage.roots["sqlite_autoindex_collections_1"] ?? 0
        let isEntry = "(rootpgno = \(root) OR rootpgno NOT IN (\(salvage.knownRoots)))"
        try connection.query(
            """
            SELECT c2, c0, c1 FROM \(GuidedSalvage.entries) WHERE \(isEntry) AND nfield = 3
            AND typeof(c0) = 'text' AND typeof(c1) = 'text' AND typeof(c2) = 'integer'
            """
        ) { (row) throws(SealedFileError) in
            found.append(
                Row(
                    number: Int(row.integer(0)), scope: row.text(1) ?? "", name: row.text(2) ?? "", sequence: 0,
                    purges: 0))
        }
        return found.filter(\.isValid)
    }

    private func insert(_ row: Row) throws(SealedFileError) {
        try connection.query(
            "INSERT OR IGNORE INTO collections (number, scope, name, sequence, purges) VALUES (?1, ?2, ?3, ?4, ?5)",
            bind: [
                .integer(Int64(row.number)), .text(row.scope), .text(row.name), .integer(row.sequence),
                .integer(row.purges),
            ])
    }
}
