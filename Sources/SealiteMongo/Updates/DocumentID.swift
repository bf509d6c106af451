internal import SealiteValues

/// The rules for values of `_id`.
enum DocumentID {
    /// Throws `MongoError` if a value can't be an `_id`.
    static func check(_ id: BSON) throws(MongoError) {
        switch id {
        case .array, .regex, .undefined:
            throw MongoError(code: 53, "A value of the type \(id.type.alias) can't be an '_id'.")
        case .document(let document):
            guard let name = document.keys.first(where: { $0.hasPrefix("$") }) else { return }
            throw MongoError(
                code: 52, "A document that is an '_id' can't have the field '\(name)', whose name begins with '$'.")
        default: break
        }
    }
}
