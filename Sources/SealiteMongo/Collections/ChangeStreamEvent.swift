internal import SealiteDatabase
internal import SealiteJSON
public import SealiteValues

/// An event that reports a change of a document. Several changes of one document since the last event are combined.
public struct ChangeStreamEvent<T: Codable & Sendable>: Codable, Sendable {
    /// The kind of the change.
    public let operationType: OperationType
    /// The document after the change; nil if it was deleted.
    public let fullDocument: T?
    /// The scope and the name of the document's collection.
    public let ns: ChangeNamespace
    /// The key of the document: an object whose only member is `_id`.
    public let documentKey: MongoDocument
    /// The changed members; nil for other kinds than updates.
    public let updateDescription: UpdateDescription?
}

extension DocumentTransition {
    /// Returns the event that reports this change, as a document with the members of ``ChangeStreamEvent``.
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

extension MongoDocument {
    /// A Boolean value that says whether the name of every member can be part of a path: it isn't empty, contains no
    /// dot and doesn't begin with `$`.
    var isPlain: Bool { keys.allSatisfy { !$0.isEmpty && !$0.contains(".") && !$0.hasPrefix("$") } }
}
