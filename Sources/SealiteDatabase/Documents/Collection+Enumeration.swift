internal import GRDB

extension Collection {
    /// Returns a page of the documents of a range.
    ///
    /// - Parameters:
    ///   - range: the range and its order.
    ///   - last: the last document of the previous page, nil for the first page.
    ///   - limit: the maximum number of documents.
    /// - Returns: the page, empty after the last page.
    /// - Throws: `notOpen`, and errors of the storage.
    public func documents(in range: DocumentRange, after last: Document? = nil, limit: Int = 100) throws -> [Document] {
        try database.reading { try self.page(range, after: last, limit, $0) }
    }

    /// Returns a page of at most `limit` documents of a range, after the last document of the previous page. The page
    /// ends early once the documents' bodies have `byteLimit` bytes in total.
    package func documents(
        in range: DocumentRange, after last: Document?, limit: Int, byteLimit: Int
    ) throws -> [Document] {
        try database.reading { try self.page(range, after: last, limit, byteLimit: byteLimit, $0) }
    }

    /// The asynchronous form of ``documents(in:after:limit:)``, which doesn't block the calling task's thread.
    public func documents(
        in range: DocumentRange, after last: Document? = nil, limit: Int = 100
    ) async throws -> [Document] {
        try await database.readers.read { try self.page(range, after: last, limit, $0) }
    }

    /// Calls `body` with each document of a range, all from one snapshot of the database. Memory holds at most 256
    /// documents at a time, whose bodies take at most a megabyte plus the size of one document.
    public func forEachDocument(in range: DocumentRange = DocumentRange(), _ body: (Document) throws -> Void) throws {
        try database.read {
            var last: Document?
            repeat {
                let page = try database.reading { try self.page(range, after: last, 256, byteLimit: 1 << 20, $0) }
                for document in page { try body(document) }
                last = page.last
            } while last != nil
        }
    }

    /// The asynchronous form of ``forEachDocument(in:_:)``, which doesn't block the calling task's thread; `body` is
    /// called on another thread.
    public func forEachDocument(
        in range: DocumentRange = DocumentRange(), _ body: @Sendable (Document) throws -> Void
    ) async throws {
        try await database.read { try self.forEachDocument(in: range, body) }
    }

    /// Returns a page of at most `limit` documents of a range, after the last document of the previous page. The page
    /// ends early once the documents' bodies have `byteLimit` bytes in total.
    func page(
        _ range: DocumentRange, after last: Document?, _ limit: Int, byteLimit: Int = .max, _ connection: GRDB.Database
    ) throws -> [Document] {
        var terms = ["sequence > ?1"]
        if range.from != nil { terms.append("id >= ?2") }
        if range.through != nil { terms.append("id <= ?3") }
        if !range.includingDeleted { terms.append("+number > 0") }
        let (order, isAfter) =
            switch range.order {
            case .id: ("id", "id > ?5")
            case .idDescending: ("id DESC", "id < ?5")
            case .sequence: ("sequence", "sequence > ?6")
            }
        if last != nil { terms.append(isAfter) }
        // The statement may lack parameters: SQLite ignores their values.
        let statement = try PreparedStatement(
            connection,
            """
            SELECT sequence, flags, revision, body, id FROM \(sql.table) \
            WHERE \(terms.joined(separator: " AND ")) ORDER BY \(order) LIMIT ?4
            """, Int64(clamping: range.since), range.from, range.through, max(limit, 0), last?.id,
            last.map { Int64($0.sequence) })
        let documents = try documents(statement, byteLimit: byteLimit)
        if let last, let end = documents.last, !range.order.follows(end, last) {
            throw DatabaseError.disorder("documents", in: sql.table)
        }
        return documents
    }

    private func documents(_ statement: borrowing PreparedStatement, byteLimit: Int) throws -> [Document] {
        var documents: [Document] = []
        var byteCount = 0
        while byteCount < byteLimit, try statement.step() {
            let document = try document(statement.documentID(at: 4), in: statement)
            byteCount += document.body.count
            documents.append(document)
        }
        return documents
    }
}

extension DocumentRange.Order {
    /// Returns whether a document comes after another one in the order.
    fileprivate func follows(_ document: Document, _ other: Document) -> Bool {
        switch self {
        case .id: other.id.utf8.lexicographicallyPrecedes(document.id.utf8)
        case .idDescending: document.id.utf8.lexicographicallyPrecedes(other.id.utf8)
        case .sequence: document.sequence > other.sequence
        }
    }
}

/// A range of a collection's documents, and the order in which it is read.
public struct DocumentRange: Sendable {
    /// The order in which the documents of a range are read.
    public enum Order: Sendable {
        /// In the order of the UTF-8 bytes of the documents' ids, ascending.
        case id
        /// In the order of the UTF-8 bytes of the documents' ids, descending.
        case idDescending
        /// In the order of the documents' last changes, the least recently changed document first.
        case sequence
    }

    /// The order in which the documents are read. The default is by id, ascending.
    public var order: Order
    /// The least id of a document in the range, inclusive; nil for no bound.
    public var from: String?
    /// The greatest id of a document in the range, inclusive; nil for no bound.
    public var through: String?
    /// The sequence after which the range's documents changed; 0 for all documents.
    public var since: UInt64
    /// A Boolean value that says whether the range includes deleted documents. Default false.
    public var includingDeleted: Bool

    /// Creates a range of all documents, or only of those within the given bounds.
    public init(
        order: Order = .id, from: String? = nil, through: String? = nil, since: UInt64 = 0,
        includingDeleted: Bool = false
    ) {
        self.order = order
        self.from = from
        self.through = through
        self.since = since
        self.includingDeleted = includingDeleted
    }

    /// Returns the range of documents whose ids start with a text.
    public static func prefix(_ text: String) -> DocumentRange {
        DocumentRange(from: text, through: text + "\u{10FFFF}")
    }
}
