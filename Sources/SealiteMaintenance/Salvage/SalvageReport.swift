import SealiteFile

/// The rows that a salvage got out of a damaged database, and the losses.
public struct SalvageReport: Sendable, Equatable, Encodable {
    /// The path of the new database.
    public let path: String
    /// Its own database id, 32 hex digits.
    public let databaseID: String
    /// The number of pages that the damaged database has.
    public internal(set) var pageCount = 0
    /// The pages that are lost, free ones left out.
    public internal(set) var lostPages: [ClosedRange<UInt32>] = []
    /// The pages that were never written, though they aren't free as far as is known.
    public internal(set) var unwrittenPages: [ClosedRange<UInt32>] = []
    /// The number of frames of the write-ahead log that were used in the place of pages.
    public internal(set) var walFrameCount = 0
    /// The number of frames of the log that are lost: pages may be older than the last commit.
    public internal(set) var lostFrameCount = 0
    /// The number of pages that came from the rollback journal of a transaction that a crash ended.
    public internal(set) var journalPageCount = 0
    /// The number of parts of that journal that are lost: some pages may hold what the transaction that didn't end wrote.
    public internal(set) var lostJournalUnitCount = 0
    /// True where the whole schema could be read.
    public internal(set) var schemaIsComplete = true
    /// True where all free pages are known. Where not, deleted rows may be among those in `lost_and_found`.
    public internal(set) var freelistIsComplete = true
    /// The tables of the schema, as far as it could be read.
    public internal(set) var tables: [SalvagedTable] = []
    /// The table that holds rows whose own table isn't known; nil where there are none.
    public internal(set) var lostAndFoundTable: String?
    /// The number of rows in it.
    public internal(set) var lostAndFoundRowCount = 0
    /// Tables, indexes, views and triggers that couldn't be made again, and why.
    public internal(set) var schemaFailures: [SchemaFailure] = []
    /// Rows without a known table that couldn't be read, or not be written anywhere.
    public internal(set) var unplacedRowCount = 0

    /// True where nothing at all is missing.
    public var isComplete: Bool {
        lostPages.isEmpty && unwrittenPages.isEmpty && lostFrameCount == 0 && lostJournalUnitCount == 0
            && schemaIsComplete
            && lostAndFoundRowCount == 0 && unplacedRowCount == 0 && schemaFailures.isEmpty
            && tables.allSatisfy(\.isComplete)
    }

    /// A Boolean value that says whether every page, frame and part of the schema is there, as far as is known before rows are
    /// read.
    var isWholeSoFar: Bool {
        lostPages.isEmpty && unwrittenPages.isEmpty && lostFrameCount == 0 && lostJournalUnitCount == 0
            && schemaIsComplete
    }

    /// The number of rows that the new database has of the damaged one.
    public var rowCount: Int { tables.reduce(lostAndFoundRowCount) { $0 + $1.rowCount } }

    init(path: String, databaseID: String) {
        self.path = path
        self.databaseID = databaseID
    }
}

/// The outcome of one table.
public struct SalvagedTable: Sendable, Equatable, Encodable {
    /// Its name.
    public let name: String
    /// The number of its rows that are in the new database under its name.
    public internal(set) var rowCount = 0
    /// The number of those that were found apart from the table's tree, and can only be its own.
    public internal(set) var attributedRowCount = 0
    /// The parts of the table that are lost, or whose rows are in `lost_and_found`.
    public internal(set) var gaps: [RowGap] = []
    /// Rows that are known to be lost because content outside their page is, by rowid; nil in a WITHOUT ROWID table.
    public internal(set) var lostRows: [Int64?] = []
    /// The number of rows that can't be read although their page is authentic.
    public internal(set) var oddRowCount = 0
    /// The number of rows that the recovered schema didn't take: they are in `lost_and_found`.
    public internal(set) var refusedRowCount = 0

    /// True where nothing of the table is missing.
    public var isComplete: Bool { gaps.isEmpty && lostRows.isEmpty && oddRowCount == 0 && refusedRowCount == 0 }

    init(name: String) { self.name = name }
}

/// A part of a table whose page is lost.
public struct RowGap: Sendable, Equatable, Encodable {
    /// The first page that is lost.
    public let page: UInt32
    /// Rows above this rowid; nil from the first row on, or in a WITHOUT ROWID table.
    public let after: Int64?
    /// Up to and with this one; nil to the last row, or in a WITHOUT ROWID table.
    public let through: Int64?

    /// Returns whether all these rowids may lie in the gap.
    package func contains(_ rowids: ClosedRange<Int64>) -> Bool {
        (after.map { rowids.lowerBound > $0 } ?? true) && (through.map { rowids.upperBound <= $0 } ?? true)
    }
}

/// A part of the schema that couldn't be made again.
public struct SchemaFailure: Sendable, Equatable, Encodable {
    /// The kind of thing: table, index, view or trigger.
    public let type: String
    /// Its name.
    public let name: String
    /// The reason in SQLite's words.
    public let reason: String
}
