/// The rows that a salvage recovered from a damaged database, and the losses.
public struct SalvageReport: Sendable, Equatable, Encodable {
    /// The path of the new database.
    public let path: String
    /// The new database's own database id, 32 hex digits.
    public let databaseID: String
    /// The number of pages that the damaged database has.
    public internal(set) var pageCount = 0
    /// The ranges of lost pages, without the free pages.
    public internal(set) var lostPages: [ClosedRange<UInt32>] = []
    /// The ranges of pages that were never written, although the file's freelist, as far as it is known, doesn't
    /// contain them.
    public internal(set) var unwrittenPages: [ClosedRange<UInt32>] = []
    /// The number of authentic WAL frames up to the last readable commit, the newest of which were used instead of
    /// pages of the file.
    public internal(set) var walFrameCount = 0
    /// The number of lost WAL frames: if it isn't 0, pages may be older than the last commit.
    public internal(set) var lostFrameCount = 0
    /// The number of pages that were read from a hot rollback journal.
    public internal(set) var journalPageCount = 0
    /// The number of lost units (encrypted blocks) of the rollback journal: if it isn't 0, some pages may hold content
    /// of the uncommitted transaction.
    public internal(set) var lostJournalUnitCount = 0
    /// A Boolean value that says whether the whole schema could be read.
    public internal(set) var schemaIsComplete = true
    /// A Boolean value that says whether all free pages are known. If not, deleted rows may be among those in
    /// `lost_and_found`.
    public internal(set) var freelistIsComplete = true
    /// The tables of the schema, as far as it could be read.
    public internal(set) var tables: [SalvagedTable] = []
    /// The name of the table of rows whose own table isn't known; nil if there are none.
    public internal(set) var lostAndFoundTable: String?
    /// The number of rows in ``lostAndFoundTable``.
    public internal(set) var lostAndFoundRowCount = 0
    /// The tables, indexes, views and triggers that couldn't be created again, with reasons.
    public internal(set) var schemaFailures: [SchemaFailure] = []
    /// The number of rows whose own table isn't known and that couldn't be read, or couldn't be stored in
    /// ``lostAndFoundTable``.
    public internal(set) var unplacedRowCount = 0

    /// A Boolean value that says whether nothing of the damaged database is missing in the new one, and no row is in
    /// ``lostAndFoundTable``.
    public var isComplete: Bool {
        lostPages.isEmpty && unwrittenPages.isEmpty && lostFrameCount == 0 && lostJournalUnitCount == 0
            && schemaIsComplete
            && lostAndFoundRowCount == 0 && unplacedRowCount == 0 && schemaFailures.isEmpty
            && tables.allSatisfy(\.isComplete)
    }

    /// A Boolean value that says whether no page, frame or part of the schema is missing, before rows are read.
    var isWholeSoFar: Bool {
        lostPages.isEmpty && unwrittenPages.isEmpty && lostFrameCount == 0 && lostJournalUnitCount == 0
            && schemaIsComplete
    }

    /// The number of rows of the damaged database that the new one has.
    public var rowCount: Int { tables.reduce(lostAndFoundRowCount) { $0 + $1.rowCount } }

    init(path: String, databaseID: String) {
        self.path = path
        self.databaseID = databaseID
    }
}

/// The result of the salvage for one table.
public struct SalvagedTable: Sendable, Equatable, Encodable {
    /// The table's name.
    public let name: String
    /// The number of rows in the new database under the table's name.
    public internal(set) var rowCount = 0
    /// The number of recovered rows that were found outside of the table's b-tree, and can only belong to this table.
    public internal(set) var attributedRowCount = 0
    /// The ranges of rows whose page in the table's b-tree is lost. Rows of such a range may have been found elsewhere,
    /// and are then in `lost_and_found` or among ``attributedRowCount``.
    public internal(set) var gaps: [RowGap] = []
    /// The rowids of the rows that are lost because their overflow pages are lost; for each such row of a WITHOUT ROWID
    /// table, nil.
    public internal(set) var lostRows: [Int64?] = []
    /// The number of rows that can't be read although the page that contains them is authentic.
    public internal(set) var oddRowCount = 0
    /// The number of rows that the recovered schema refused; they are in `lost_and_found`.
    public internal(set) var refusedRowCount = 0

    /// A Boolean value that says whether nothing of the table is missing.
    public var isComplete: Bool { gaps.isEmpty && lostRows.isEmpty && oddRowCount == 0 && refusedRowCount == 0 }

    init(name: String) { self.name = name }
}

/// A range of a table's rows that can't be reached because a page of the table's b-tree is lost.
public struct RowGap: Sendable, Equatable, Encodable {
    /// The number of the lost page: a leaf, or an interior page, with which all pages below it are out of reach.
    public let page: UInt32
    /// The rowid of the last row before the gap; nil if the gap begins with the table's first row, and in a WITHOUT
    /// ROWID table.
    public let after: Int64?
    /// The highest rowid that can lie in the gap; nil if the gap extends to the table's last row, and in a WITHOUT
    /// ROWID table.
    public let through: Int64?

    /// Returns whether all these rowids can lie in the gap.
    package func contains(_ rowids: ClosedRange<Int64>) -> Bool {
        (after.map { rowids.lowerBound > $0 } ?? true) && (through.map { rowids.upperBound <= $0 } ?? true)
    }
}
