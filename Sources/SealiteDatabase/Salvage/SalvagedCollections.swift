internal import SealiteFile
internal import SealiteMaintenance

/// The collections of a damaged file.
struct SalvagedCollections {
    private let salvage: GuidedSalvage
    private var connection: RawConnection { salvage.connection }
    /// The numbers of all collections of the new database, each of which has a table.
    private(set) var numbers: [Int] = []
    /// The numbers of the collections of which the rows with the greatest sequences may be lost.
    private var lackingEnd: Set<Int> = []

    /// The number that is added to a collection's greatest known sequence if greater sequences may have been assigned
    /// before the damage.
    private static let sequenceReserve: Int64 = 1 << 24
    static let recoveredScope = "recovered"

    init(_ salvage: GuidedSalvage) { self.salvage = salvage }

    /// Restores the names of the collections, from the rows of the table `collections` or from the index over it,
    /// creates the tables of documents that are lost, and lists the collections in the report.
    mutating func place(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        let tables = Set(salvage.tables.compactMap { DocumentGuide.collectionNumber(ofTable: $0.name) })
        for found in try candidates() {
            // If the schema is complete, a number without a table belongs to a deleted collection.
            guard !salvage.schemaIsComplete || tables.contains(found.number) else { continue }
            try insert(found)
        }
        let named = Set(try connection.rows("SELECT number FROM collections") { Int($0.integer(0)) })
        for number in tables.union([FormatTables.defaultCollectionNumber]).subtracting(named).sorted() {
            let isDefault = number == FormatTables.defaultCollectionNumber
            let name = try isDefault ? Database.defaultCollectionName : freeName("collection_\(number)")
            try insert(
                Row(number: number, scope: isDefault ? Database.defaultScopeName : Self.recoveredScope, name: name))
        }
        try list(&report)
        for collection in report.collections {
            try salvage.make(FormatTables.collectionParts(collection.number)[0])
            let index = report.collections.firstIndex { $0.number == collection.number }
            if let index, collection.scope == Self.recoveredScope, !named.contains(collection.number) {
                report.collections[index].isNameKnown = false
            }
            if try mayLackEnd(collection.number) { lackingEnd.insert(collection.number) }
        }
    }

    /// Lists the collections of the new database in a report.
    mutating func list(_ report: inout SalvagedDocuments) throws(SealedFileError) {
        report.collections = try connection.rows("SELECT number, scope, name FROM collections ORDER BY number") { row in
            SalvagedCollection(number: Int(row.integer(0)), scope: row.text(1) ?? "", name: row.text(2) ?? "")
        }
        numbers = report.collections.map(\.number)
    }

    /// Creates a collection in the scope `recovered` for documents whose own collection isn't known, and lists it in
    /// the report.
    mutating func addRecovered(_ report: inout SalvagedDocuments) throws(SealedFileError) -> SalvagedCollection {
        let name = try freeName("documents")
        try connection.query(
            "INSERT INTO collections (scope, name) VALUES (?1, ?2)", bind: [.text(Self.recoveredScope), .text(name)])
        let number = Int(try connection.integer("SELECT last_insert_rowid()"))
        for part in [FormatTables.collectionParts(number)[0]] + DocumentLayout.uniqueIndexes(number) {
            try salvage.make(part)
        }
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

    /// Returns whether the most recently changed rows may be missing from the collection with this number.
    private func mayLackEnd(_ number: Int) throws(SealedFileError) -> Bool {
        guard let table = salvage.table("documents_\(number)") else { return true }
        return !table.isComplete && !salvage.isWhole("documents_\(number)_sequence")
    }

    /// Returns an SQL query for the greatest sequence that the recovered index entries of a collection list; 0 if there
    /// are none.
    private func listedSequence(_ number: Int) -> String {
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
        var sequence: Int64 = 0
        var purges: Int64 = 0

        var isValid: Bool {
            guard number > 0, sequence >= 0, purges >= 0 else { return false }
            for text in [scope, name] {
                do throws(DatabaseError) { try Names.check(text, kind: "collection") } catch { return false }
            }
            return true
        }
    }

    /// Returns what remains, outside of its b-tree, of the table `collections`: rows of the table before entries of its
    /// index, because a row contains more than an entry.
    private func candidates() throws(SealedFileError) -> [Row] {
        let rows =
            "\(salvage.lostAndFound) WHERE nfield = 5 AND typeof(c0) = 'null' AND typeof(c1) = 'text'"
            + " AND typeof(c2) = 'text' AND typeof(c3) = 'integer' AND typeof(c4) = 'integer'"
        let found = try connection.rows("SELECT id, c1, c2, c3, c4 FROM \(rows)") { row in
            Row(
                number: Int(row.integer(0)), scope: row.text(1) ?? "", name: row.text(2) ?? "",
                sequence: row.integer(3), purges: row.integer(4))
        }
        try connection.execute("DELETE FROM \(rows)")
        let root = salvage.roots["sqlite_autoindex_collections_1"] ?? 0
        let isEntry = "(rootpgno = \(root) OR rootpgno NOT IN (\(salvage.knownRoots)))"
        let listed = try connection.rows(
            """
            SELECT c2, c0, c1 FROM \(GuidedSalvage.entries) WHERE \(isEntry) AND nfield = 3
            AND typeof(c0) = 'text' AND typeof(c1) = 'text' AND typeof(c2) = 'integer'
            """
        ) { row in
            Row(number: Int(row.integer(0)), scope: row.text(1) ?? "", name: row.text(2) ?? "")
        }
        return (found + listed).filter(\.isValid)
    }

    /// Returns the first of the names `base`, `base_2`, `base_3` and so on that no collection of the scope `recovered`
    /// has: an earlier salvage or a user may have created collections in this scope.
    private func freeName(_ base: String) throws(SealedFileError) -> String {
        let taken = try connection.rows(
            "SELECT name FROM collections WHERE scope = ?1", bind: [.text(Self.recoveredScope)]
        ) { $0.text(0) ?? "" }
        var (name, number) = (base, 1)
        while taken.contains(name) {
            number += 1
            name = "\(base)_\(number)"
        }
        return name
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

/// The outcome of a salvage for one collection.
public struct SalvagedCollection: Sendable, Equatable, Encodable {
    /// The collection's number: its table is `documents_<number>`.
    public let number: Int
    /// The name of the collection's scope.
    public let scope: String
    /// The collection's name.
    public let name: String
    /// A Boolean value that says whether the name is the original name; false if the original name is lost, and for
    /// collections of the scope `recovered`.
    public internal(set) var isNameKnown = true
    /// The number of documents that are now in the collection, without tombstones.
    public internal(set) var documentCount = 0
    /// The number of tombstones that are now in the collection.
    public internal(set) var tombstoneCount = 0
    /// The number of documents and tombstones that were found outside of the collection's b-tree.
    public internal(set) var foundApartCount = 0
    /// The number of documents and tombstones, among the recovered ones, that may be outdated or purged, because it is
    /// unknown whether their page was in use.
    public internal(set) var unconfirmedCount = 0
    /// The ids of documents whose history is lost; their current revision is present.
    public internal(set) var withoutHistory: [String] = []
    /// The ids of lost documents and tombstones of the collection. Documents whose row was found without evidence of
    /// their collection are in ``SalvagedDocuments/unplaced`` too.
    public internal(set) var missing: [String] = []
    /// A Boolean value that says whether `missing` lists all lost documents.
    public internal(set) var isMissingComplete = true

    /// The scope's name and the collection's name: `scope.name`.
    public var fullName: String { "\(scope).\(name)" }

    /// A Boolean value that says whether no part of the collection is known to be missing.
    public var isComplete: Bool {
        isNameKnown && unconfirmedCount == 0 && withoutHistory.isEmpty && missing.isEmpty && isMissingComplete
    }
}
