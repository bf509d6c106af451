internal import SealiteDatabase
internal import SealiteValues

/// Converts documents to values of a type, and values to documents.
struct DocumentCoding<T: Codable & Sendable>: Sendable {
    /// The stored form of dates, bytes and UUIDs.
    var form = ValueForm.typed

    /// Returns the value that is decoded from a document.
    func decode(_ document: MongoDocument) throws -> T {
        if let same = document as? T { return same }
        return try BSONDecoder { ValueForm.read($0, from: $1) }.decode(T.self, from: document)
    }

    /// Returns the document as which a value is encoded.
    func encode(_ value: T) throws -> MongoDocument {
        if let same = value as? MongoDocument { return same }
        return try BSONEncoder { [form] value in
            do throws(UnstorableScalar) {
                return try form.bson(of: value)
            } catch {
                throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: error.reason))
            }
        }.encode(value)
    }
}
