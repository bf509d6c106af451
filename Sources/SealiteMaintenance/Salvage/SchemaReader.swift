import SealiteFile

/// Reads the schema of a damaged database from its b-tree, or from the remains of that tree.
struct SchemaReader {
    let encoding: TextEncoding
    private(set) var entries: [SchemaEntry] = []
    private(set) var isComplete = true

    init(encoding: TextEncoding) { self.encoding = encoding }

    mutating func read(_ walk: inout TreeWalk) throws(SealedFileError) {
        let pageCount = walk.pages.pageCount
        try walk.walk(root: 1, isTable: true) { (event) throws(SealedFileError) in
            if case .row(_, _, let payload) = event, let record = RowRecord(payload),
                let entry = SchemaEntry(record, encoding, pageCount: pageCount)
            {
                entries.append(entry)
            } else {
                isComplete = false
            }
        }
        if !isComplete { try adoptLeaves(&walk) }
    }

    /// Adds the entries on b-tree leaves that are found outside the schema's damaged tree and can only belong to it.
    private mutating func adoptLeaves(_ walk: inout TreeWalk) throws(SealedFileError) {
        let pageCount = walk.pages.pageCount
        for number in walk.map.numbers
        where walk.map.content(number) == .tableLeaf && !walk.map.isClaimed(number) && !walk.map.isFree(number) {
            guard holdsSchema(number, walk.pages) else { continue }
            try walk.walk(root: number, isTable: true) { (event) throws(SealedFileError) in
                guard case .row(_, _, let payload) = event, let record = RowRecord(payload),
                    let entry = SchemaEntry(record, encoding, pageCount: pageCount)
                else { return }
                entries.append(entry)
            }
        }
    }

    /// Returns whether every row of a leaf begins like a row of a schema, judging by the part of the row that the leaf
    /// itself stores.
    private func holdsSchema(_ number: UInt32, _ pages: SalvagePages) -> Bool {
        guard let bytes = pages.text(number), let page = BTreePage(bytes, number: number, usable: pages.usable),
            page.badCellCount == 0, !page.cellOffsets.isEmpty
        else { return false }
        return page.cellOffsets.allSatisfy { offset in
            guard let cell = page.cell(at: offset) else { return false }
            return beginsAsSchema(Array(bytes[cell.local]))
        }
    }

    private func beginsAsSchema(_ local: [UInt8]) -> Bool {
        guard let header = local.varint(at: 0, end: local.count), header.value <= UInt64(local.count) else {
            return false
        }
        var types: [UInt64] = []
        var offset = header.byteCount
        while offset < Int(header.value), types.count <= 5 {
            guard let type = local.varint(at: offset, end: Int(header.value)) else { return false }
            types.append(type.value)
            offset += type.byteCount
        }
        guard types.count == 5, types[0] >= 13, types[0] % 2 == 1, types[0] < 64 else { return false }
        let end = Int(header.value) + Int(types[0] - 13) / 2
        guard end <= local.count, let type = encoding.string(local[Int(header.value)..<end]) else { return false }
        return SchemaEntry.types.contains(type)
    }
}

/// One row of `sqlite_schema`. https://sqlite.org/schematab.html
struct SchemaEntry {
    let type: String
    let name: String
    let tableName: String
    let root: UInt32
    private(set) var sql: String?

    static let types: Set<String> = ["table", "index", "view", "trigger"]

    /// Parses a record; nil if it isn't a row of a schema.
    init?(_ record: RowRecord, _ encoding: TextEncoding, pageCount: UInt32) {
        guard record.fields.count == 5, let type = record.text(0, encoding), Self.types.contains(type),
            let name = record.text(1, encoding), let tableName = record.text(2, encoding)
        else { return nil }
        let root = record.integer(3) ?? 0
        guard (0...Int64(pageCount)).contains(root) else { return nil }
        sql = record.text(4, encoding)
        if let sql, !sql.prefix(6).lowercased().elementsEqual("create") { return nil }
        self.type = type
        self.name = name
        self.tableName = tableName
        self.root = UInt32(root)
    }

    /// Returns the object with another statement.
    func with(sql: String) -> SchemaEntry {
        var entry = self
        entry.sql = sql
        return entry
    }

    /// A Boolean value that says whether the object is a table with stored rows.
    var isStoredTable: Bool { type == "table" && root > 0 }
    /// A Boolean value that says whether the object is a virtual table, whose content is in shadow tables.
    var isVirtual: Bool { type == "table" && root == 0 && sql != nil }
    /// A Boolean value that says whether SQLite itself creates the object, so that its SQL must not be run.
    var isInternal: Bool { name.lowercased().hasPrefix("sqlite_") }
}

/// A part of the schema that couldn't be created again.
public struct SchemaFailure: Sendable, Equatable, Encodable {
    /// The type of object: table, index, view or trigger.
    public let type: String
    /// The object's name.
    public let name: String
    /// SQLite's error message.
    public let reason: String
    /// A Boolean value that says whether a collation or function of the database's own program is missing, which an
    /// extension may supply (`SealedDatabase.loadExtensions(_:)`).
    public internal(set) var isNameMissing = false
}
