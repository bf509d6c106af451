import SealiteFile

/// Recovers every row from the pages of a damaged database. Only pages are read, and their content is used as far as it
/// is consistent.
final class Salvager {
    private let pages: SalvagePages
    private var settings: SalvagedSettings
    private let writer: SalvageWriter
    private let schema: SchemaReader
    private var walk: TreeWalk
    private var targets: [Int: TableTarget] = [:]
    /// The schema entry of each element of `report.tables`.
    private var storedTables: [SchemaEntry] = []
    /// The indexes and WITHOUT ROWID tables that have lost parts, to which rows found elsewhere may belong.
    private var brokenIndexNames: [String] = []
    private(set) var report: SalvageReport
    private let progress: BackupProgressHandler
    /// The guides that apply to the damaged database; as soon as one has recognized it in `SalvageGuide.place(_:)`,
    /// only that one.
    private var guides: [any SalvageGuide]

    /// Creates a salvage.
    ///
    /// - Parameters:
    ///   - pages: the damaged file's pages.
    ///   - map: the kind of each page.
    ///   - settings: the settings on page 1; if page 1 is lost, a guide may supply the application id.
    ///   - report: the part of the report that is known before the first row.
    ///   - connection: an open connection to the new database.
    ///   - guides: guides to the tables of some programs. Those that apply to the damaged database are asked in order,
    ///     until one recognizes it.
    ///   - progress: called regularly; returning false cancels the salvage.
    /// - Throws: errors of writing to the new database.
    init(
        pages: SalvagePages, map: PageMap, settings: SalvagedSettings, report: SalvageReport,
        connection: RawConnection, guides: [any SalvageGuide], progress: @escaping BackupProgressHandler
    ) throws(SealedFileError) {
        self.pages = pages
        self.settings = settings
        self.progress = progress
        self.guides = []
        self.report = report
        var walk = TreeWalk(pages: pages, map: map)
        var schema = SchemaReader(encoding: settings.encoding)
        try schema.read(&walk)
        self.walk = walk
        self.schema = schema
        writer = try SalvageWriter(
            connection, settings: settings, takenNames: Set(schema.entries.map { $0.name.lowercased() }))
        self.report.pageCount = Int(pages.pageCount)
        self.report.lostPages = map.ranges(of: .lost)
        self.report.unwrittenPages = map.ranges(of: .neverWritten)
        self.report.schemaIsComplete = schema.isComplete
        self.report.freelistIsComplete = map.freelistIsComplete
        let applicationID = settings.isKnown ? settings.applicationID : nil
        let userVersion = settings.isKnown ? settings.userVersion : nil
        let tables = Dictionary(
            self.schema.entries.filter(\.isStoredTable).map { ($0.name, $0.sql ?? "") },
            uniquingKeysWith: { first, _ in first })
        for guide in guides
        where try guide.applies(applicationID: applicationID, userVersion: userVersion, tables: tables) {
            self.guides.append(guide)
        }
    }

    func run() throws(SealedFileError) {
        // A file that lost nothing is restored without a guide.
        if !guides.isEmpty, !report.isWholeSoFar { try writer.collectEvidence() }
        try createTables()
        for index in storedTables.indices where !storedTables[index].isInternal { try readTable(index) }
        for index in storedTables.indices where storedTables[index].isInternal { try readInternalTable(index) }
        try claimIndexes()
        try readRest()
        try letGuidePlace()
        try createRest()
        try letGuideFinish()
        report.lostAndFoundTable = writer.lostAndFound?.name
        report.lostAndFoundRowCount = writer.lostAndFound?.rowCount ?? 0
        try writer.finish(settings)
    }

    private func tick(_ number: UInt32) throws(SealedFileError) {
        guard progress(BackupProgress(phase: .copying, completed: Int(number), total: Int(pages.pageCount))) else {
            throw .backupCancelled
        }
    }

    // MARK: Schema

    private func createTables() throws(SealedFileError) {
        var seen: Set<String> = []
        for entry in schema.entries where entry.isStoredTable && seen.insert(entry.name.lowercased()).inserted {
            let index = storedTables.count
            storedTables.append(entry)
            report.tables.append(SalvagedTable(name: entry.name))
            if entry.isInternal {
                // SQLite creates these itself: sqlite_sequence with a table that needs it, statistics on request.
                if entry.name.lowercased().hasPrefix("sqlite_stat") {
                    try writer.connection.execute("ANALYZE sqlite_schema")
                }
                continue
            }
            if let failure = try create(entry) {
                report.schemaFailures.append(failure)
            } else {
                targets[index] = try TableTarget(entry.name, writer.connection)
            }
        }
        for (index, entry) in storedTables.enumerated() where entry.isInternal {
            targets[index] = try TableTarget(entry.name, writer.connection)
        }
    }

    /// Creates the parts of the schema that require the rows to exist.
    private func createRest() throws(SealedFileError) {
        // A guide may have created some of them.
        let made = try writer.madeNames()
        for kind in ["index", "table", "view", "trigger"] {
            for entry in schema.entries where entry.type == kind && entry.sql != nil && !entry.isInternal {
                guard kind != "table" || entry.isVirtual, !made.contains(entry.name.lowercased()) else { continue }
                if let failure = try create(entry) { report.schemaFailures.append(failure) }
            }
        }
    }

    /// Creates an object of the damaged schema in the new database, with the statement that the guides give for it;
    /// returns the reason if that isn't possible.
    private func create(_ entry: SchemaEntry) throws(SealedFileError) -> SchemaFailure? {
        guard var sql = entry.sql else { return try writer.create(entry, of: pages) }
        for guide in guides {
            guard let given = guide.statement(type: entry.type, name: entry.name, sql: sql) else {
                return SchemaFailure(
                    type: entry.type, name: entry.name, reason: "it can't be an object of such a database")
            }
            sql = given
        }
        return try writer.create(entry.with(sql: sql), of: pages)
    }

    // MARK: Trees that the schema names

    /// Reads a table that SQLite itself maintains, such as `sqlite_sequence`. Such tables are read last: while the
    /// other tables were filled, SQLite inserted rows into them. These rows are replaced by the damaged table's rows,
    /// and stay if the damaged table's root page is lost.
    private func readInternalTable(_ index: Int) throws(SealedFileError) {
        let entry = storedTables[index]
        if targets[index] != nil, pages.text(entry.root) != nil {
            try writer.connection.execute("DELETE FROM \(quoted(entry.name))")
        }
        try readTable(index)
    }

    private func readTable(_ index: Int) throws(SealedFileError) {
        let entry = storedTables[index]
        let hasRowid = targets[index]?.hasRowid ?? rootIsTable(entry.root)
        try walk.walk(root: entry.root, isTable: hasRowid) { (event) throws(SealedFileError) in
            switch event {
            case .row(let page, let rowid, let payload):
                try place(payload, rowid: rowid, page: page, root: entry.root, in: index)
                if report.tables[index].rowCount % 256 == 0 { try tick(page) }
            case .lostRow(let page, let rowid, _, let prefix):
                report.tables[index].lostRows.append(rowid)
                try writer.keepPartial(prefix, root: entry.root, page: page, rowid: rowid)
            case .oddCells(_, let count): report.tables[index].oddRowCount += count
            case .lostTree(let page, let after, let through):
                report.tables[index].gaps.append(RowGap(page: page, after: after, through: through))
            }
        }
        if !hasRowid, !report.tables[index].gaps.isEmpty { brokenIndexNames.append(entry.name) }
    }

    /// Returns whether the root page of a table that couldn't be created may belong to a rowid table: false if it is an
    /// index page, as in a WITHOUT ROWID table.
    private func rootIsTable(_ root: UInt32) -> Bool {
        guard pages.contains(root) else { return true }
        return ![.indexLeaf, .indexInterior].contains(walk.map.content(root))
    }

    private func place(
        _ payload: [UInt8], rowid: Int64?, page: UInt32, root: UInt32, in index: Int
    ) throws(SealedFileError) {
        guard let record = RowRecord(payload) else {
            report.tables[index].oddRowCount += 1
            return
        }
        if let target = targets[index] {
            if try writer.insert(record, rowid: rowid, into: target) {
                report.tables[index].rowCount += 1
                return
            }
            report.tables[index].refusedRowCount += 1
        }
        try putAside(record, root: root, page: page, rowid: rowid)
    }

    private func putAside(_ record: RowRecord, root: UInt32, page: UInt32, rowid: Int64?) throws(SealedFileError) {
        guard try !writer.putAside(record, root: root, page: page, rowid: rowid) else { return }
        report.unplacedRowCount += 1
    }

    /// Marks the pages of indexes as claimed. Indexes are created again, and their pages hold no other rows.
    private func claimIndexes() throws(SealedFileError) {
        for entry in schema.entries where entry.type == "index" && entry.root > 0 {
            var isBroken = false
            let isWanted = writer.evidence != nil && guides.contains { $0.readsIndex(entry.name) }
            try walk.walk(root: entry.root, isTable: false, readsRows: isWanted) { (event) throws(SealedFileError) in
                switch event {
                case .row(let page, _, let payload):
                    try writer.keepEntry(payload, root: entry.root, page: page)
                case .lostTree, .lostRow, .oddCells: isBroken = true
                }
            }
            if isBroken { brokenIndexNames.append(entry.name) }
        }
    }

    // MARK: Pages that no tree leads to

    private func readRest() throws(SealedFileError) {
        let roots = OrphanRoots(walk)
        let mayHoldRows = mayHoldRows
        for number in walk.map.numbers
        where !walk.map.isClaimed(number) && (!walk.map.isFree(number) || pages.mayContradict) {
            if number % 256 == 0 { try tick(number) }
            switch walk.map.content(number) {
            case .tableLeaf: try readOrphan(number, isTable: true, root: roots.root(of: number))
            case .indexLeaf, .indexInterior:
                // Pages of an index are needed only if a WITHOUT ROWID table lacks a part.
                if mayHoldRows || writer.evidence != nil {
                    try readOrphan(number, isTable: false, root: roots.root(of: number))
                }
            default: break
            }
        }
    }

    /// A Boolean value that says whether index pages that no known b-tree reaches may belong to a WITHOUT ROWID table.
    private var mayHoldRows: Bool {
        !report.schemaIsComplete || pages.mayContradict
            || tablesWithoutRowid.contains { !report.tables[$0].gaps.isEmpty }
    }

    private var tablesWithoutRowid: [Int] {
        storedTables.indices.filter { targets[$0]?.hasRowid == false }
    }

    private func readOrphan(_ number: UInt32, isTable: Bool, root: UInt32) throws(SealedFileError) {
        var rows: [(rowid: Int64?, record: RowRecord)] = []
        try walk.walk(root: number, isTable: isTable, descends: false) { (event) throws(SealedFileError) in
            switch event {
            case .row(_, let rowid, let payload):
                if let record = RowRecord(payload) {
                    rows.append((rowid, record))
                } else {
                    report.unplacedRowCount += 1
                }
            case .oddCells(_, let count): report.unplacedRowCount += count
            case .lostRow(_, let rowid, _, let prefix):
                report.unplacedRowCount += 1
                try writer.keepPartial(prefix, root: root, page: number, rowid: rowid)
            case .lostTree: break
            }
        }
        if !isTable, writer.evidence != nil {
            for (_, record) in rows { try writer.keepEntry(record.payload, root: root, page: number) }
            return
        }
        let owner = isTable ? ownerOfOrphan(rows.compactMap(\.rowid), rows.map(\.record.fields.count).max() ?? 0) : nil
        for (rowid, record) in rows {
            if let owner, let target = targets[owner], try writer.insert(record, rowid: rowid, into: target) {
                report.tables[owner].rowCount += 1
                report.tables[owner].attributedRowCount += 1
            } else {
                try putAside(record, root: root, page: number, rowid: rowid)
            }
        }
    }

    /// Returns the index in `report.tables` of the only table to which rows on a page outside of all known b-trees can
    /// belong: the one with a gap that has room for all their rowids. Returns nil if there is none or more than one, or
    /// if the schema or the freelist isn't completely known.
    private func ownerOfOrphan(_ rowids: [Int64], _ fieldCount: Int) -> Int? {
        guard report.schemaIsComplete, report.freelistIsComplete, let least = rowids.min(), let most = rowids.max()
        else { return nil }
        var owner: Int?
        for index in storedTables.indices {
            let fits = report.tables[index].gaps.contains { $0.contains(least...most) }
            guard fits, rootIsTable(storedTables[index].root) || targets[index]?.hasRowid == true else { continue }
            if let target = targets[index], fieldCount > target.fieldCount { continue }
            guard owner == nil else { return nil }
            owner = index
        }
        return owner
    }
}

// MARK: - The guide's part

extension Salvager {
    /// Calls the guides in order until one recognizes the database and moves rows to their tables. Called before
    /// indexes are created.
    private func letGuidePlace() throws(SealedFileError) {
        guard writer.evidence != nil else { return }
        let found = try guided()
        for guide in guides {
            let answer = try guide.place(found)
            guard let applicationID = answer.applicationID, let version = answer.userVersion else { continue }
            report.unplacedRowCount -= answer.recoveredPartialRowCount
            if !settings.isKnown { (settings.applicationID, settings.userVersion) = (applicationID, version) }
            guides = [guide]
            break
        }
        // Index entries that no known b-tree reaches may be rows of a WITHOUT ROWID table.
        if mayHoldRows { try writer.keepEntriesAsRows(except: Set(found.roots.values)) }
    }

    private func letGuideFinish() throws(SealedFileError) {
        guard !guides.isEmpty else { return }
        let found = try guided()
        for guide in guides { try guide.finish(found) }
        guard writer.evidence != nil else { return }
        try writer.closeLostAndFound()
        for (name, count) in try writer.rowCounts() {
            if let index = report.tables.firstIndex(where: { $0.name == name }) {
                report.tables[index].attributedRowCount += max(0, count - report.tables[index].rowCount)
                report.tables[index].rowCount = count
            } else {
                var table = SalvagedTable(name: name)
                (table.rowCount, table.attributedRowCount) = (count, count)
                report.tables.append(table)
            }
        }
    }

    private func guided() throws(SealedFileError) -> GuidedSalvage {
        let isHelped = writer.evidence != nil
        return GuidedSalvage(
            connection: writer.connection, isWhole: !isHelped,
            applicationID: settings.isKnown ? settings.applicationID : nil,
            schemaIsComplete: report.schemaIsComplete, freelistIsComplete: report.freelistIsComplete,
            mayContradict: pages.mayContradict, tables: report.tables,
            roots: Dictionary(schema.entries.filter { $0.root > 0 }.map { ($0.name, $0.root) }) { first, _ in first },
            brokenIndexes: Set(brokenIndexNames),
            lostAndFound: isHelped ? try writer.openLostAndFound(columnCount: GuidedSalvage.columnCount).name : "")
    }
}
