import SealiteFile

/// One row of `sqlite_schema`. https://sqlite.org/schematab.html
struct SchemaEntry {
    let type: String
    let name: String
    let tableName: String
    let root: UInt32
    let sql: String?

    fileprivate static let types: Set<String> = ["table", "index", "view", "trigger"]

    /// Makes nil of a record that isn't one of a schema.
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

    /// A table with rows of its own.
    var isStoredTable: Bool { type == "table" && root > 0 }
    /// A table that a module gives. Its content lies in tables of its own.
    var isVirtual: Bool { type == "table" && root == 0 && sql != nil }
    /// Made by SQLite itself, not by its SQL.
    var isInternal: Bool { name.lowercased().hasPrefix("sqlite_") }
}

/// Settings of the whole database, from page 1. https://sqlite.org/fileformat2.html#the_database_header
struct SalvagedSettings {
    var encoding = TextEncoding.utf8
    var autoVacuum = AutoVacuum.none
    var userVersion: Int32 = 0
    var applicationID: Int32 = 0
    var isWAL = false
    /// True where page 1 could be read.
    var isKnown = false

    init(_ pages: SalvagePages) {
        guard let pageOne = pages.text(1) else { return }
        encoding = TextEncoding(rawValue: pageOne.bigEndian32(at: 56)) ?? .utf8
        if pageOne.bigEndian32(at: 52) != 0 {
            autoVacuum = pageOne.bigEndian32(at: 64) != 0 ? .incremental : .full
        }
        userVersion = Int32(bitPattern: pageOne.bigEndian32(at: 60))
        applicationID = Int32(bitPattern: pageOne.bigEndian32(at: 68))
        isWAL = pageOne[18] == 2
        isKnown = true
    }
}

/// Reads the schema, from its tree or from what is left of it.
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

    /// Leaves that nothing but a schema holds, found apart from its tree because that is damaged.
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

    /// Returns whether every row of a leaf begins as a schema's rows do, by the part that lies in the page.
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
