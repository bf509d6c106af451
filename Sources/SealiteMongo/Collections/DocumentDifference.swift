internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

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
