internal import GRDB

/// Which documents to go through, and in which order.
public struct DocumentRange: Sendable {
    /// The order of documents.
    public enum Order: Sendable {
        /// By the UTF-8 bytes of their ids.
        case id
        /// By the bytes of their ids, the last first.
        case idDescending
        /// By sequence, the one changed longest ago first.
        case sequence
    }

    /// The order. Default by id.
    public var order: Order
    /// The least id, itself included; nil for no bound.
    public var from: String?
    /// The greatest id, itself included; nil for no bound.
    public var through: String?
    /// Only documents changed after this sequence.
    public var since: UInt64
    /// Whether tombstones count. Default false.
    public var includingDeleted: Bool

    /// All documents, or those within the bounds.
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

    /// Documents whose ids start with a text.
    public static func prefix(_ text: String) -> DocumentRange {
        DocumentRange(from: text, through: text + "\u{10FFFF}")
    }
}

extension Collection {
    /// A page of documents.
    ///
    /// - Parameters:
    ///   - range: which, and in which order.
    ///   - last: the last document of the page before, nil for the first page.
    ///   - limit: how many at most.
    /// - Returns: the page, empty after the last one.
    /// - Throws: `notOpen`, and what the storage throws.
    public func documents(in range: DocumentRange, after last: Document? = nil, limit: Int = 100) throws -> [Document] {
        try database.reading { try self.page(range, after: last, limit, $0) }
    }

    /// A page of documents, which ends early once their bodies have `byteLimit` bytes.
    package func documents(
        in range: DocumentRange, after last: Document?, limit: Int, byteLimit: Int
    ) throws -> [Document] {
        try database.reading { try self.page(range, after: last, limit, byteLimit: byteLimit, $0) }
    }

    /// The asynchronous form of ``documents(in:after:limit:)``, which doesn't block the calling task's thread.
    public func documents(
        in range: DocumentRange, after last: Document? = nil, limit: Int = 100
    ) async throws -> [Document] {
        try await database.readers.read(database) { try self.page(range, after: last, limit, $0) }
    }

    /// Calls `body` with each document of a range, all from one state of the database. Memory holds 256 of them at most, and a
    /// megabyte of them and one more.
    public func forEachDocument(
        in range: DocumentRange = DocumentRange(), _ body: (Document) throws -> Void
    ) throws {
        try database.read {
            var last: Document?
            repeat {
                let page = try database.reading { try self.page(range, after: last, 256, byteLimit: 1 << 20, $0) }
                for document in page { try body(document) }
                last = page.last
            } while last != nil
        }
    }

    /// The asynchronous form of ``forEachDocument(in:_:)``, which doesn't block the calling task's thread; `body` is called on another one.
    public func forEachDocument(
        in range: DocumentRange = DocumentRange(), _ body: @Sendable (Document) throws -> Void
    ) async throws {
        try await database.read { try self.forEachDocument(in: range, body) }
    }

    /// A page, which ends early once its documents' bodies have `byteLimit` bytes.
    func page(
        _ range: DocumentRange, after last: Document?, _ limit: Int, byteLimit: Int = .max, _ connection: GRDB.Database
    ) throws -> [Document] {
        var terms = ["sequence > ?1"]
        if range.from != nil { terms.append("id >= ?2") }
        if range.through != nil { terms.append("id <= ?3") }
        if !range.includingDeleted { terms.append("+number > 0") }
        let order: String
        switch range.order {
        case .id:
            order = "id"
            if last != nil { terms.append("id > ?5") }
        case .idDescending:
            order = "id DESC"
            if last != nil { terms.append("id < ?5") }
        case .sequence:
            order = "sequence"
            if last != nil { terms.append("sequence > ?6") }
        }
        let statement = try PreparedStatement(
            connection,
            """
            SELECT sequence, id, flags, revision, body FROM \(sql.table) \
            WHERE \(terms.joined(separator: " AND ")) ORDER BY \(order) LIMIT ?4
            """)
        statement.bind(Int64(clamping: range.since), at: 1)
        if let from = range.from { statement.bind(from, at: 2) }
        if let through = range.through { statement.bind(through, at: 3) }
        statement.bind(Int64(max(limit, 0)), at: 4)
        if let last {
            if range.order == .sequence {
                statement.bind(Int64(last.sequence), at: 6)
            } else {
                statement.bind(last.id, at: 5)
            }
        }
        return try documents(statement, byteLimit: byteLimit)
    }

    private func documents(_ statement: borrowing PreparedStatement, byteLimit: Int) throws -> [Document] {
        var documents: [Document] = []
        var byteCount = 0
        while byteCount < byteLimit, try statement.step() {
            let body = statement.bytes(at: 4) ?? Document.emptyBody
            byteCount += body.count
            documents.append(
                Document(
                    id: statement.text(at: 1), collection: self, sequence: statement.int64(at: 0),
                    flags: RowFlags(rawValue: statement.int64(at: 2)), revision: try statement.revision(at: 3),
                    body: body))
        }
        return documents
    }
}
