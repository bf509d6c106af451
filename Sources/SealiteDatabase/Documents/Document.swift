internal import SealiteJSON
internal import SealiteRevisions

/// A document as it was read or saved: an id, a revision and properties. It never changes; ``toMutable()`` starts an edit.
///
/// Properties are read from the stored form when they are asked for, so reading few of many costs little.
public final class Document: Sendable, PropertyContainer {
    /// The document's id.
    public let id: String
    /// The collection it is in.
    public let collection: Collection
    /// The place of its last change among all changes of the collection, from 1.
    public let sequence: UInt64
    /// Whether it is a tombstone.
    public let isDeleted: Bool
    /// Whether branches of its history wait for a conflict's resolution.
    public let hasConflict: Bool

    /// Its revision.
    let revision: RevisionID
    /// Its properties in JSONB.
    package let body: [UInt8]

    /// An empty object.
    static let emptyBody: [UInt8] = [JSONBType.object]

    init(
        id: String, collection: Collection, sequence: Int64, flags: RowFlags, revision: RevisionID, body: [UInt8]
    ) {
        self.id = id
        self.collection = collection
        self.sequence = UInt64(sequence)
        isDeleted = flags.contains(.deleted)
        hasConflict = flags.contains(.conflicted)
        self.revision = revision
        self.body = body
    }

    /// The id of its revision: `generation-digest` in a database of revision trees, `time@source` in one of version vectors.
    public var revisionID: String { revision.description }

    /// The time of its version in nanoseconds since 1970, of a hybrid logical clock; the generation of a revision of a tree.
    public var timestamp: UInt64 { revision.version?.time.rawValue ?? UInt64(revision.generation) }

    /// A Boolean value that says whether no revision is known to have been before this one.
    package var isFirstRevision: Bool { revision.generation == 1 }

    private var root: JSONBElement? {
        let body = body
        return JSONBElement(root: body.span)
    }

    /// A property, nil where there is none.
    public func value(forKey key: String) -> Value? {
        let (name, body) = (Array(key.utf8), body)
        guard let element = root?.member(name.span, in: body.span) else { return nil }
        return Value(element, in: body, database: collection.database)
    }

    /// A property; null where there is none.
    public subscript(key: String) -> Value { value(forKey: key) ?? .null }

    /// The names of the properties, in their stored order.
    public var keys: [String] {
        var keys: [String] = []
        forEachLabel { label in keys.append(String(decoding: body[label.start..<label.end], as: UTF8.self)) }
        return keys
    }

    /// How many properties there are.
    public var count: Int {
        var count = 0
        forEachLabel { _ in count += 1 }
        return count
    }

    private func forEachLabel(_ visit: (JSONBElement) -> Void) {
        guard let root, root.type == JSONBType.object else { return }
        let body = body
        var offset = root.start
        while offset < root.end, let label = JSONBElement(body.span, at: offset, limit: root.end),
            let value = JSONBElement(body.span, at: label.end, limit: root.end)
        {
            visit(label)
            offset = value.end
        }
    }

    /// All properties.
    public func toDictionary() -> DictionaryObject {
        root.flatMap { DictionaryObject($0, in: body, database: collection.database) } ?? DictionaryObject()
    }

    /// The properties as compact JSON text, members in their stored order, numbers as they were given.
    ///
    /// - Throws: `corruptData` when the stored form is damaged.
    public func toJSON() throws -> String { String(decoding: try jsonBytes(), as: UTF8.self) }

    /// The properties as compact JSON text in UTF-8.
    package func jsonBytes() throws -> [UInt8] { try JSONSerializer.text(of: body) }

    /// A document to edit, which is saved as a change of this revision.
    public func toMutable() -> MutableDocument { MutableDocument(self) }
}

extension Document: Equatable, CustomStringConvertible {
    /// Whether both are the same revision of the same document with the same properties.
    public static func == (left: Document, right: Document) -> Bool {
        left === right
            || (left.id == right.id && left.collection == right.collection && left.revision == right.revision
                && left.body == right.body)
    }

    /// The id and revision, no content.
    public var description: String { "Document(\"\(id)\", \(revisionID))" }
}
