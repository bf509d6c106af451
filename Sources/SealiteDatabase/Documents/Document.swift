internal import SealiteJSON
internal import SealiteRevisions

/// A document as it was read or saved: an id, a revision and properties. It is immutable; ``toMutable()`` returns a
/// document to edit.
///
/// A property is decoded from the stored form when it is accessed, so reading one property of a large document is
/// cheap.
public final class Document: Sendable, PropertyContainer {
    /// The document's id.
    public let id: String
    /// The collection from which the document was read, or in which it was saved.
    public let collection: Collection
    /// The position of the document's last change among all changes of the collection, from 1.
    public let sequence: UInt64
    /// A Boolean value that says whether the document is a tombstone, which replaces a deleted document.
    public let isDeleted: Bool
    /// A Boolean value that says whether the document has a conflict that waits for resolution.
    public let hasConflict: Bool

    /// The id of the document's revision.
    let revision: RevisionID
    /// The document's properties in JSONB.
    package let body: [UInt8]

    /// The body of a document without properties: an empty object.
    static let emptyBody: [UInt8] = [JSONBType.object]

    init(id: String, collection: Collection, sequence: Int64, flags: RowFlags, revision: RevisionID, body: [UInt8]) {
        self.id = id
        self.collection = collection
        self.sequence = UInt64(sequence)
        isDeleted = flags.contains(.deleted)
        hasConflict = flags.contains(.conflicted)
        self.revision = revision
        self.body = body
    }

    /// The id of the document's revision: `generation-digest` in a database of revision trees, `time@source` in a
    /// database of version vectors.
    public var revisionID: String { revision.description }

    /// The time of the document's version in nanoseconds since 1970, from a hybrid logical clock. In a database of
    /// revision trees, the generation of the revision instead.
    public var timestamp: UInt64 { revision.version?.time.rawValue ?? UInt64(revision.generation) }

    /// A Boolean value that says whether the revision is the first one of a revision tree; always false for a version
    /// of a version vector.
    package var isFirstRevision: Bool { revision.generation == 1 }

    private var root: JSONBElement? {
        let body = body
        return JSONBElement(root: body.span)
    }

    /// Returns the value of a property; nil if there is no such property.
    public func value(forKey key: String) -> Value? {
        let (name, body) = (Array(key.utf8), body)
        guard let element = root?.member(name.span, in: body.span) else { return nil }
        return Value(element, in: body, database: collection.database)
    }

    /// The value of a property; null if there is no such property.
    public subscript(key: String) -> Value { value(forKey: key) ?? .null }

    /// The names of the document's properties, in their stored order.
    public var keys: [String] {
        var keys: [String] = []
        forEachMember { label, _ in keys.append(String(decoding: body[label.start..<label.end], as: UTF8.self)) }
        return keys
    }

    /// The number of the document's properties.
    public var count: Int {
        var count = 0
        forEachMember { _, _ in count += 1 }
        return count
    }

    private func forEachMember(_ visit: (_ label: JSONBElement, _ value: JSONBElement) -> Void) {
        if let root, root.type == JSONBType.object { root.forEachMember(in: body, visit) }
    }

    /// Returns all properties of the document.
    public func toDictionary() -> DictionaryObject {
        DictionaryObject(jsonb: body, database: collection.database) ?? DictionaryObject()
    }

    /// Returns the properties as compact JSON text: members in their stored order, numbers in their original notation.
    ///
    /// - Throws: `corruptData` if the stored form is damaged.
    public func toJSON() throws -> String { String(decoding: try jsonBytes(), as: UTF8.self) }

    /// Returns the document's properties as compact JSON text in UTF-8.
    package func jsonBytes() throws -> [UInt8] { try JSONSerializer.text(of: body) }

    /// Returns a document to edit, which is saved as a change of this revision.
    public func toMutable() -> MutableDocument { MutableDocument(self) }
}

extension Document: Equatable, CustomStringConvertible {
    /// Returns whether two documents are the same revision of the same document with the same properties.
    public static func == (left: Document, right: Document) -> Bool {
        left === right
            || (left.id == right.id && left.collection == right.collection && left.revision == right.revision
                && left.body == right.body)
    }

    /// A text with the id and the revision, without content.
    public var description: String { "Document(\"\(id)\", \(revisionID))" }
}
