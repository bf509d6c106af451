internal import SealiteDatabase
internal import SealiteValues

/// A `find` for which an `_id` or an index finds few documents. They are read on the calling task's thread, since
/// switching to another thread and back takes several times as long as such a read.
struct ShortFind {
    /// The maximum number of rows that one `find` reads on the task's thread; a `find` with more rows runs on another
    /// thread.
    private static let rowLimit = 16
    /// The maximum total size, in bytes, of the bodies that one `find` reads on the task's thread; a `find` with more
    /// bytes runs on another thread.
    private static let byteLimit = 64 * 1024

    /// Thrown by a row handler if a statement has more rows or bytes than may be read on the task's thread; the read
    /// then starts again on another thread.
    private struct TooMany: Error {}
    /// Thrown by a row handler to stop a statement early; caught by the same method.
    private struct Enough: Error {}

    private let statement: FindStatement
    private let collection: Collection

    /// Returns the documents of a `find`; nil if it reads more than `rowLimit` rows or `byteLimit` bytes, needs a sort,
    /// a projection or a scan, has expressions or regular expressions in its filter, or can't be read without waiting.
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

    /// Returns the documents; nil if finding them takes a scan of the collection, or more than one `_id` or key range.
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
    /// A Boolean value that says whether testing one document takes a short, bounded time: comparisons do, expressions
    /// and regular expressions don't.
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
