internal import SealiteDatabase
internal import SealiteJSON
package import SealiteValues

/// Conversions between stored bodies and documents, for per-document sync.
package enum SyncedBody {
    /// Returns the document of a stored body, with `id` as `_id`, its first member.
    package static func document(_ body: [UInt8], id: String) -> MongoDocument {
        Row(body: body, id: DocumentKey.value(of: id)).document
    }

    /// Returns the stored body of a document, without its `_id`. A value that equals the one at the same path in the
    /// body `old` keeps its exact bytes from there.
    package static func stored(_ document: MongoDocument, keeping old: [UInt8]?) throws -> [UInt8] {
        var members = document
        members["_id"] = nil
        do throws(StoredValueError) {
            guard let old else { return try members.stored() }
            return try BodyPatch.body(of: members, keeping: old)
        } catch {
            throw MongoError.badValue("The document can't be stored: \(error).")
        }
    }

    /// Returns the members that `$set` and `$unset` have to set and remove to change one document into another. The
    /// `_id` and the member that `name` names are ignored.
    package static func difference(
        from old: MongoDocument, to new: MongoDocument, except name: String
    ) -> UpdateDescription {
        var (old, new) = (old, new)
        for member in ["_id", name] { (old[member], new[member]) = (nil, nil) }
        let difference = DocumentDifference(from: old, to: new)
        return UpdateDescription(updatedFields: difference.updated, removedFields: difference.removed)
    }

    /// Returns the document as which a value is encoded.
    package static func encode<T: Codable & Sendable>(_ value: T) throws -> MongoDocument {
        try TypedCoding<T>().encode(value)
    }

    /// Returns the value that is decoded from a document.
    package static func decode<T: Codable & Sendable>(_ document: MongoDocument, as type: T.Type) throws -> T {
        try TypedCoding<T>().decode(document)
    }
}

/// The difference between two documents: the `$set` and `$unset` that turn the first one into the second one.
struct DocumentDifference {
    /// The values of the members that were added or changed, by their paths.
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
