internal import SealiteValues

/// The rules for values of `_id`.
enum DocumentID {
    /// Throws `MongoError` if a value can't be an `_id`.
    static func check(_ id: BSON) throws(MongoError) {
        switch id {
        case .array, .regex, .undefined:
            throw MongoError(code: 53, "The '_id' value cannot be of type \(id.type.alias)")
        case .document(let document):
            guard let name = document.keys.first(where: { $0.hasPrefix("$") }) else { return }
            throw MongoError(
                code: 52, "_id fields may not contain '$'-prefixed fields: \(name) is not valid for storage.")
        default: break
        }
    }
}
