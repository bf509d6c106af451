internal import SealiteDatabase
internal import SealiteValues

/// A `find` that an `_id` or an index leads to a few documents: they are read on the calling task's thread, since the hop to another thread and back
/// takes several times as long as the reading.
struct ShortFind {
    /// The most rows that are looked at; for more the task leaves its thread.
    private static let rowLimit = 16
    /// The most bytes of the bodies that are read.
    private static let byteLimit = 64 * 1024

    /// Ends a statement: there are more rows than a task's thread is to be kept busy with.
    private struct TooMany: Error {}
    /// Ends a statement before its last row.
    private struct Enough: Error {}

    private let statement: FindStatement
    private let collection: Collection

    /// Returns the documents of a statement; nil if they aren't few or can't be read without waiting.
    static func documents(_ statement: FindStatement, of collection: Collection) throws -> [MongoDocument]? {
        guard statement.sort == nil, statement.projection == nil, statement.filter.isShort else { return nil }
        do {
            return try collection.database.readIfIdle {
                try ShortFind(statement: statement, collection: collection).documents()
            } ?? nil
        } catch is TooMany {
            return nil
        }
    }

    /// The documents; nil if only a scan finds them.
    private func documents() throws -> [MongoDocument]? {
        let plan = try ScanPlan(statement.filter, in: collection, isReversed: statement.isReversed)
        guard plan.search != nil || !plan.ids.isEmpty, plan.isKept else { return nil }
        var window = statement.window
        guard !window.isEmpty else { return [] }
        var (documents, rowCount, byteCount) = ([MongoDocument](), 0, 0)
        do {
            try collection.database.readRows(plan.sql, bind: { plan.bind($0) }) { row in
                rowCount += 1
                byteCount += row.withBytes(at: 1) { $0.count }
                guard rowCount <= Self.rowLimit, byteCount <= Self.byteLimit else { throw TooMany() }
                guard try statement.filter.match(row) != nil, window.admits() else { return }
                documents.append(Row(body: row.bytes(at: 1) ?? [], id: DocumentKey.value(of: row.text(at: 0))).document)
                if window.isEmpty { throw Enough() }
            }
        } catch is Enough {}
        return documents
    }
}

extension Filter {
    /// A Boolean value that says whether looking at one document takes a bounded time that is short: comparisons take it, expressions and
    /// patterns don't.
    fileprivate var isShort: Bool { tree.isShort }
}

extension FilterTree {
    fileprivate var isShort: Bool {
        switch self {
        case .all(let trees), .any(let trees): trees.allSatisfy(\.isShort)
        case .not(let tree): tree.isShort
        case .condition(let condition): condition.test.isShort
        case .document: false
        case .constant: true
        }
    }
}

extension LeafTest {
    fileprivate var isShort: Bool {
        switch self {
        case .pattern: false
        case .among(let list): list.patterns.isEmpty
        case .elements(let test): test.tree.isShort
        default: true
        }
    }
}
