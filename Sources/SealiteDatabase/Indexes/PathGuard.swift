internal import SealiteFunctions
internal import SealiteJSON
package import SealiteValues
internal import Synchronization

/// The constraints that an index over paths places on documents that this process writes
/// (Documentation/DocumentFormat.md §3.6): unique values, no two paths through different arrays, and an expiration.
struct PathGuard: Sendable {
    /// The name of the index.
    let name: String
    let isUnique: Bool
    /// The milliseconds after which a document expires, counted from the earliest date at the first path; nil for
    /// never.
    let expiresAfter: Int64?
    /// The filter of the documents among which values are unique, in Extended JSON; nil for all documents.
    let filter: String?
    private let paths: [FilterPath]
    private let isSparse: Bool
    /// The grid of an index on geometries, which refuses values that aren't; nil for another index.
    let grid: GeoGrid?
    /// The SQL statement that selects the number, the id and the body of the documents that have the entry ?1, except
    /// the document with the number ?2.
    let selectOthers: String

    /// Creates the guard of an index; nil if the index has no constraint or wasn't created over paths.
    init?(_ record: IndexRecord, _ table: KeyTable) {
        guard record.kind == .multikey || record.kind == .geo, let texts = table.definition.paths,
            let source = table.definition.source.flatMap({ try? MongoDocument(extendedJSON: $0) })
        else { return nil }
        paths = texts.compactMap { FilterPath($0.utf8) }
        guard paths.count == texts.count, !paths.isEmpty else { return nil }
        name = record.name
        isUnique = source["unique"] == true
        isSparse = table.definition.isSparse
        grid = table.definition.grid
        if case .document(let conditions)? = source["partialFilterExpression"] {
            filter = conditions.extendedJSON(.canonical)
        } else {
            filter = nil
        }
        switch source["expireAfterSeconds"] {
        case .int32(let seconds)?: expiresAfter = Int64(seconds) * 1000
        case .int64(let seconds)? where seconds <= Int64(Int32.max): expiresAfter = seconds * 1000
        default: expiresAfter = nil
        }
        selectOthers = """
            SELECT d.number, d.id, d.body FROM \(table.name) AS e JOIN documents_\(record.collection) AS d
            ON d.number = e.document WHERE e.key1 = ?1 AND e.document <> ?2
            """
        guard isUnique || paths.count > 1 || expiresAfter != nil || grid != nil else { return nil }
    }

    /// A Boolean value that says whether the guard examines the entries of documents.
    var looksAtEntries: Bool { isUnique || paths.count > 1 || grid != nil }

    /// Returns what forbids that an index on geometries has a document; nil for another index.
    func flaw(_ body: [UInt8]) -> GeoFlaw? { grid.flatMap { GeoEntries.flaw($0, paths, body: body.span) } }

    /// Returns whether the index accepts the arrays of a document with these entries.
    func acceptsArrays(of entries: PathEntries, _ body: [UInt8]) -> Bool {
        entries.haveAcceptedArrays(in: body.span, isUnique: isUnique)
    }

    /// Returns the entries that a document has in the index.
    func entries(_ id: String, _ body: [UInt8]) -> PathEntries {
        PathEntries(paths, isSparse: isSparse, id: id, body: body.span)
    }

    /// Returns the time at which a document expires according to the index, in milliseconds since 1970; nil for never.
    func expiration(of body: [UInt8]) -> Int64? {
        guard let expiresAfter, let path = paths.first, let root = JSONBElement(root: body.span) else { return nil }
        let bytes = body.span
        var earliest: Int64?
        _ = path.visit(root, in: bytes) { leaf in
            guard let leaf = leaf.node, case .datetime(let date)? = BSON(stored: leaf, in: bytes) else { return false }
            let (time, isBeyond) = date.milliseconds.addingReportingOverflow(expiresAfter)
            if !isBeyond { earliest = min(earliest ?? .max, time) }
            return false
        }
        return earliest
    }
}

extension PathEntries {
    /// Returns whether an index accepts the arrays of the body from which the entries were created: two of its paths
    /// can't lead through different arrays. In a unique index, two paths can't lead through the same array either: the
    /// entries are combinations of the values of all items, which would make documents equal that have no equal item.
    package func haveAcceptedArrays(in body: borrowing Span<UInt8>, isUnique: Bool) -> Bool {
        switch arrayUse(in: body) {
        case .separate: true
        case .shared: !isUnique
        case .parallel: false
        }
    }
}

extension [PathGuard] {
    /// Returns the earliest time at which a document expires according to one of the guards, in milliseconds since
    /// 1970; nil for never.
    func expiration(of body: [UInt8]?) -> Int64? {
        guard let body else { return nil }
        return compactMap { $0.expiration(of: body) }.min()
    }
}

/// Checks documents that are written against the constraints of the indexes over paths, and sets their expirations.
///
/// A document that a peer sends is never refused: a violation that it brings stays until the documents are changed.
final class PathGuardObserver: RowObserver {
    private let guards: [PathGuard]
    private let expiring: [PathGuard]
    /// The expiration to set for the prepared change's document, in milliseconds since 1970; nil for none.
    private var expiration: Int64?

    init(_ guards: [PathGuard]) {
        self.guards = guards.filter(\.looksAtEntries)
        expiring = guards.filter { $0.expiresAfter != nil }
    }

    var readsOldBody: Bool { true }
    var refusesByOtherRows: Bool { true }

    func prepare(_ change: borrowing RowChange, in transaction: Transaction) throws -> Bool {
        let (old, new) = (change.old?.liveBody, change.new?.liveBody)
        if let new, !change.isIncoming {
            for one in guards { try check(one, old, new, change, transaction) }
        }
        // A deletion takes away the date, and with it the time, which a later document with the id would get otherwise.
        guard !expiring.isEmpty, change.new != nil else { return false }
        expiration = expiring.expiration(of: new)
        return expiration != expiring.expiration(of: old)
    }

    func apply(_ change: borrowing RowChange, in transaction: Transaction) throws {
        _ = try transaction.setExpiration(change.id, expiration, in: change.collection)
    }

    /// Checks a document that is written against the constraints of one index. Entries that the document had before
    /// aren't checked, nor are its arrays if they weren't accepted before, so that a document from a peer with a
    /// violation can still be edited.
    private func check(
        _ one: PathGuard, _ old: [UInt8]?, _ new: [UInt8], _ change: borrowing RowChange, _ transaction: Transaction
    ) throws {
        guard one.grid == nil else {
            // The document may have come from a peer like this.
            guard let flaw = one.flaw(new), old.map({ one.flaw($0) == nil }) ?? true else { return }
            throw (flaw == .outOfRange ? IndexRefusal.outOfRange : .notGeometry).error(one.name)
        }
        let entries = one.entries(change.id, new)
        let before = old.map { one.entries(change.id, $0) }
        if !one.acceptsArrays(of: entries, new) {
            // The document may have come from a peer like this.
            guard let old, let before, !one.acceptsArrays(of: before, old) else {
                throw IndexRefusal.parallelArrays.error(one.name)
            }
        }
        guard one.isUnique, try fulfils(one, change.id, new) else { return }
        var added = Set(entries.keys)
        if let old, let before, try fulfils(one, change.id, old) { added.subtract(before.keys) }
        for key in added { try check(one, key, change, transaction) }
    }

    private func check(
        _ one: PathGuard, _ key: [UInt8], _ change: borrowing RowChange, _ transaction: Transaction
    ) throws {
        // The empty entry stands for too many entries, of which no other document's can be told.
        guard !key.isEmpty, key.count < OrderKey.maximumByteCount else { throw IndexRefusal.tooLong.error(one.name) }
        let statement = try PreparedStatement(transaction.connection, one.selectOthers, key, change.number)
        while try statement.step() {
            if one.filter == nil { throw IndexRefusal.duplicate.error(one.name) }
            guard try fulfils(one, statement.text(at: 1), statement.bytes(at: 2) ?? Document.emptyBody) else {
                continue
            }
            throw IndexRefusal.duplicate.error(one.name)
        }
    }

    /// Returns whether a document satisfies the filter of a guard, and therefore must have unique values; true if the
    /// guard has no filter, false if no compiler of filters is registered.
    private func fulfils(_ one: PathGuard, _ id: String, _ body: [UInt8]) throws -> Bool {
        guard let filter = one.filter else { return true }
        return try IndexFilters.test(for: filter)?(id, body) ?? false
    }
}

/// The partial filters of unique indexes: values are unique among the documents that satisfy the filter. The language
/// of filters belongs to the MongoDB-style API, a higher layer, which registers its compiler.
package enum IndexFilters {
    /// A function that returns whether a document, given by its id and its JSONB body, satisfies a filter.
    package typealias Test = @Sendable (_ id: String, _ body: [UInt8]) throws -> Bool

    private struct State {
        var compile: (@Sendable (_ filter: String) throws -> Test)?
        /// The most recently compiled tests, kept because compiling a filter takes longer than running its test.
        var known: [(filter: String, test: Test)] = []
    }

    private static let state = Mutex(State())
    private static let knownLimit = 32

    /// Registers the compiler, which makes a test from the text of a filter in Extended JSON.
    package static func setCompiler(_ compile: @escaping @Sendable (_ filter: String) throws -> Test) {
        state.withLock { $0.compile = compile }
    }

    /// Returns the test of a filter; nil if no compiler is registered.
    static func test(for filter: String) throws -> Test? {
        let (known, compile) = state.withLock { state in
            (state.known.first { $0.filter == filter }?.test, state.compile)
        }
        if let known { return known }
        guard let test = try compile?(filter) else { return nil }
        state.withLock { state in
            if state.known.count >= knownLimit { state.known.removeFirst() }
            state.known.append((filter, test))
        }
        return test
    }
}

/// The reason for which an index refuses a document that this process writes.
package enum IndexRefusal: Error, Sendable {
    /// Another document has the same values in a unique index.
    case duplicate
    /// Two paths of the index lead through different arrays of the document or, in a unique index, through one array.
    case parallelArrays
    /// A value is too long for a unique index, or the document has too many values for it.
    case tooLong
    /// A value isn't a geometry, but the index is one on geometries.
    case notGeometry
    /// A coordinate is outside of the bounds of an index on geometries.
    case outOfRange

    /// Returns the error for a write that the index with a name refuses for this reason.
    func error(_ index: String) -> DatabaseError {
        let reason =
            switch self {
            case .duplicate: "another document has the same values in the unique index \"\(index)\""
            case .parallelArrays:
                "two paths of the index \"\(index)\" lead through arrays of the document: they mustn't lead through different arrays or, in a unique index, through one array"
            case .notGeometry:
                "a value of the document isn't a geometry that the index \"\(index)\" can have: write GeoJSON, or a longitude and a latitude"
            case .outOfRange: "a coordinate of the document is outside of the bounds of the index \"\(index)\""
            case .tooLong:
                "the document can't be in the unique index \"\(index)\": its value there takes \(OrderKey.maximumByteCount) bytes or more, or it has more than \(PathEntries.limit) values"
            }
        return DatabaseError(.refusedByIndex, reason, underlying: NamedIndexRefusal(refusal: self, index: index))
    }
}

/// The refusal of a document by an index, with the index's name: the underlying error of `refusedByIndex`.
package struct NamedIndexRefusal: Error, Sendable {
    /// The rule of the index that the document violates.
    package let refusal: IndexRefusal
    /// The name of the index that refused the document.
    package let index: String
}
