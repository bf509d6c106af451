internal import SealiteDatabase
internal import SealiteValues

/// Decodes documents to values of a type and encodes the values.
struct DocumentCoding<T: Codable & Sendable>: Sendable {
    /// Returns the value of a document.
    func decode(_ document: MongoDocument) throws -> T {
        if let same = document as? T { return same }
        return try BSONDecoder().decode(T.self, from: document)
    }

    /// Returns the document of a value.
    func encode(_ value: T) throws -> MongoDocument {
        if let same = value as? MongoDocument { return same }
        return try BSONEncoder().encode(value)
    }
}
