internal import SealiteJSON
public import SealiteValues
internal import Synchronization

/// A document that operators read: a stored body, read without a copy, or a document in memory.
///
/// Only the requested members of a stored body are decoded.
public struct Row: Sendable {
    enum Content: Sendable {
        case stored(body: [UInt8], id: BSON)
        case made(MongoDocument)
    }

    /// The decoded document of a stored body that several readers share, as soon as one of them needs all of it.
    private final class SharedDocument: Sendable {
        private let document = Mutex<MongoDocument?>(nil)

        func get(_ decode: () -> MongoDocument) -> MongoDocument {
            document.withLock { document in
                if let document { return document }
                let decoded = decode()
                document = decoded
                return decoded
            }
        }
    }

    let content: Content
    private var sharedDocument: SharedDocument?
    /// The values of `$meta`, such as the score of the document in the search that found it; nil if there are none.
    var metadata: RowMetadata?

    /// Creates the row of a stored document: its body in JSONB, which doesn't contain the `_id`, and its `_id`.
    public init(body: [UInt8], id: BSON) { content = .stored(body: body, id: id) }

    /// Creates the row of a document in memory.
    public init(_ document: MongoDocument) { content = .made(document) }

    /// The whole document; the `_id` is the first member of a stored one.
    public var document: MongoDocument {
        switch content {
        case .made(let document): return document
        case .stored(let body, let id):
            let decode = { MongoDocument(id: id, stored: body.span) }
            return sharedDocument?.get(decode) ?? decode()
        }
    }

    /// Returns the row with another document in place of its own, and the same metadata.
    func replaced(by document: MongoDocument) -> Row {
        var row = Row(document)
        row.metadata = metadata
        return row
    }

    /// The row for several readers: its document is decoded once, and its copies share the memory of all values. The
    /// pipelines of a `$facet` would otherwise hold as many copies of a document as there are pipelines.
    var shared: Row {
        var row = self
        if case .stored = content { row.sharedDocument = SharedDocument() }
        return row
    }

    /// The size of a stored body in bytes; 0 for a document in memory.
    var bodyByteCount: Int {
        switch content {
        case .stored(let body, _): body.count
        case .made: 0
        }
    }

    /// Returns a document of the members whose names are in `names`, in the order of the document; other members aren't
    /// decoded.
    func document(ofMembersIn names: [String]) -> MongoDocument {
        switch content {
        case .made(let document):
            return MongoDocument(
                document.members.filter { member in names.contains { $0.utf8.elementsEqual(member.key.utf8) } })
        case .stored(let body, let id):
            var members = names.contains("_id") ? [MongoDocument.Member("_id", id)] : []
            let bytes = body.span
            guard let root = JSONBElement(root: bytes), root.type == JSONBType.object else {
                return MongoDocument(members)
            }
            var offset = root.start
            while let member = ObjectMember(bytes, at: offset, limit: root.end) {
                offset = member.value.end
                let name = names.first { name in
                    let key = name.utf8.span
                    return key.count == member.name.end - member.name.start && member.name.hasPayload(key, in: bytes)
                }
                if let name, let value = BSON(stored: member.value, in: bytes) { members.append(.init(name, value)) }
            }
            return MongoDocument(members)
        }
    }

    /// The value of the member with a name; nil if it is missing.
    public subscript(name: String) -> BSON? { value(at: [name]) }

    /// Returns the value at a path by the rules of expressions, as `BSON.value(at:)` does; nil if it is missing.
    func value(at names: ArraySlice<String>) -> BSON? {
        guard let name = names.first else { return .document(document) }
        switch content {
        case .made(let document): return document[name]?.value(at: names.dropFirst())
        case .stored(_, let id) where name == "_id": return id.value(at: names.dropFirst())
        case .stored(let body, _):
            let bytes = body.span
            guard let root = JSONBElement(root: bytes) else { return nil }
            return Self.value(of: root, at: names, in: bytes)
        }
    }

    /// Returns the value at a path below an element of a stored body, by the rules of expressions; nil if it is
    /// missing.
    static func value(
        of element: JSONBElement, at names: ArraySlice<String>, in bytes: borrowing Span<UInt8>
    ) -> BSON? {
        guard let name = names.first else { return BSON(stored: element, in: bytes) }
        if element.type == JSONBType.object {
            guard let member = element.member(name.utf8.span, in: bytes) else { return nil }
            return value(of: member, at: names.dropFirst(), in: bytes)
        }
        guard element.type == JSONBType.array else { return nil }
        var items: [BSON] = []
        var offset = element.start
        while let item = JSONBElement(bytes, at: offset, limit: element.end) {
            offset = item.end
            guard item.type == JSONBType.object else { continue }
            if let value = value(of: item, at: names, in: bytes) { items.append(value) }
        }
        return .array(items)
    }
}
