internal import SealiteDatabase
internal import SealiteValues

/// Converts documents to values of a type, and values to documents.
struct DocumentCoding<T: Codable & Sendable>: Sendable {
    /// Returns the value that is decoded from a document.
    func decode(_ document: MongoDocument) throws -> T {
        if let same = document as? T { return same }
        return try BSONDecoder().decode(T.self, from: document)
    }

    /// Returns the document as which a value is encoded.
    func encode(_ value: T) throws -> MongoDocument {
        if let same = value as? MongoDocument { return same }
        return try BSONEncoder().encode(value)
    }
}
