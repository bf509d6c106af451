internal import SealiteDatabase
internal import SealiteJSON
public import SealiteValues

/// A change of a document. Several changes of one document since the last event are combined.
public struct ChangeStreamEvent<T: Codable & Sendable>: Codable, Sendable {
    /// The kind of the change.
    public let operationType: OperationType
    /// The document after the change; nil if it was deleted.
    public let fullDocument: T?
    /// The collection.
    public let ns: ChangeNamespace
    /// The key of the document: a document with the member `_id`.
    public let documentKey: MongoDocument
    /// The changed members; nil for other kinds than updates.
    public let updateDescription: UpdateDescription?
}

/// The kinds of changes.
public enum OperationType: String, Codable, Sendable, Hashable {
    /// A document was inserted.
    case insert
    /// A document was changed.
    case update
    /// A document was replaced; or it was changed, and its former content isn't known.
    case replace
    /// A document was deleted or purged, or it expired.
    case delete
}

/// The collection of a change.
public struct ChangeNamespace: Codable, Sendable, Hashable {
    /// The name of the scope.
    public let db: String
    /// The name of the collection.
    public let coll: String

    /// Creates the namespace of a collection in a scope.
    public init(db: String, coll: String) { (self.db, self.coll) = (db, coll) }
}

/// The members that an update changed.
public struct UpdateDescription: Codable, Sendable, Hashable {
    /// The members that were added or changed, by their paths with points between names, with their values. An array is
    /// given as a whole.
    public let updatedFields: MongoDocument
    /// The paths of the members that were removed.
    public let removedFields: [String]

    /// Creates a description of an update.
    public init(updatedFields: MongoDocument, removedFields: [String]) {
        (self.updatedFields, self.removedFields) = (updatedFields, removedFields)
    }
}

extension DocumentTransition {
    /// Returns the event of the change, as a document.
    func event(in collection: Collection) -> MongoDocument {
        let id = DocumentKey.value(of: id)
        let row = after.map { Row($0).document }
        var description: DocumentDifference?
        let type: OperationType
        switch (before, row) {
        case (_, nil): type = .delete
        case (.missing, _): type = .insert
        case (.unknown, _): type = after?.isFirstRevision ?? false ? .insert : .replace
        case (.stored, _) where isReplaced: type = .replace
        case (.stored(let body), let new?):
            type = .update
            description = DocumentDifference(from: Row(body: body, id: id).document, to: new)
        }
        var event: MongoDocument = ["operationType": .string(type.rawValue)]
        event["fullDocument"] = row.map { .document($0) }
        event["ns"] = ["db": .string(collection.scopeName), "coll": .string(collection.name)]
        event["documentKey"] = ["_id": id]
        event["updateDescription"] = description.map {
            ["updatedFields": .document($0.updated), "removedFields": .array($0.removed.map { .string($0) })]
        }
        return event
    }
}

/// The difference between two documents: the `$set` and `$unset` that turn the first one into the second one.
struct DocumentDifference {
    /// The members that were added or changed, by their paths.
    private(set) var updated: MongoDocument = [:]
    /// The paths of the members that were removed.
    private(set) var removed: [String] = []

    /// Creates the difference between two documents with the same `_id`.
    init(from old: MongoDocument, to new: MongoDocument) { compare(old, new, prefix: "") }

    private mutating func compare(_ old: MongoDocument, _ new: MongoDocument, prefix: String) {
        for member in old where new[member.key] == nil { removed.append(prefix + member.key) }
        for member in new where !(prefix.isEmpty && member.key == "_id") {
            let before = old[member.key]
            if case .document(let left)? = before, case .document(let right) = member.value, left.isPlain, right.isPlain
            {
                compare(left, right, prefix: prefix + member.key + ".")
            } else if before != member.value {
                updated[prefix + member.key] = member.value
            }
        }
    }
}

extension MongoDocument {
    /// A Boolean value that says whether every member can be named in a path.
    fileprivate var isPlain: Bool { keys.allSatisfy { !$0.isEmpty && !$0.contains(".") && !$0.hasPrefix("$") } }
}
