internal import SealiteDatabase

/// The bodies that documents had before the current transaction, in the order of the documents' row numbers. Another
/// connection reads them from the last committed state.
struct EarlierBodies: ~Copyable {
    private let collection: Collection
    private let last: Int64
    private var cursor: QueryCursor?
    private var page: [(number: Int64, body: [UInt8])] = []
    private var next = 0
    private static let pageByteCount = 1 << 20
    private static let pageCount = 256

    /// Creates access to the bodies of a collection's documents, up to a row number.
    init(_ collection: Collection, through last: Int64) { (self.collection, self.last) = (collection, last) }

    /// Returns the body that the document with a row number had before the current transaction; nil if no document had
    /// the number. The row numbers must be increasing from call to call.
    mutating func body(_ number: Int64) throws -> [UInt8]? {
        while true {
            while next < page.count {
                if page[next].number == number { return page[next].body }
                if page[next].number > number { return nil }
                next += 1
            }
            guard try read(from: number) else { return nil }
        }
    }

    private mutating func read(from number: Int64) throws -> Bool {
        let cursor = try cursor ?? open(from: number)
        self.cursor = cursor
        page.removeAll(keepingCapacity: true)
        next = 0
        var (found, byteCount) = (page, 0)
        _ = try cursor.fetch { row in
            let body = row.bytes(at: 1) ?? []
            found.append((row.int64(at: 0), body))
            byteCount += body.count
            return found.count >= Self.pageCount || byteCount >= Self.pageByteCount
        }
        page = found
        return !page.isEmpty
    }

    private func open(from number: Int64) throws -> QueryCursor {
        try collection.database.openCursor(
            "SELECT number, body FROM documents_\(collection.number) WHERE number >= ?1 AND number <= ?2 ORDER BY number"
        ) { statement in
            statement.bind(max(number, 1), at: 1)
            statement.bind(last, at: 2)
        }
    }

    deinit { cursor?.end() }
}
