/// Converts values of `Encodable` types to documents, and describes errors from decoding documents.
package enum DocumentCoding {
    static func id(of value: some Identifiable) -> String {
        String(describing: value.id)
    }

    static func document<T: Encodable & Identifiable>(of value: T) throws -> MutableDocument {
        var properties = try properties(of: value)
        let id = id(of: value)
        switch properties.value(forKey: "id") {
        case .string(id)?: properties.removeValue(forKey: "id")
        case .number(let number)? where number.description == id: properties.removeValue(forKey: "id")
        default: break
        }
        // A UUID encodes as the text of its description, so its id isn't stored as a property either.
        return MutableDocument(id: id, data: properties)
    }

    static func properties(of value: some Encodable) throws -> DictionaryObject {
        let encoded: Value
        do {
            encoded = try ValueEncoder.encode(value)
        } catch let error as EncodingError {
            throw DatabaseError(
                .encodingFailed, "a value of \(type(of: value)) can't be encoded as a document",
                hint: "the underlying error names the property and the reason", underlying: error)
        }
        guard case .dictionary(let properties) = encoded else {
            throw DatabaseError(
                .encodingFailed, "a value of \(type(of: value)) doesn't encode as an object, as a document must")
        }
        return properties
    }

    /// Returns a text with the path of the property that can't be decoded and the reason, without the property's
    /// content.
    package static func place(_ error: DecodingError) -> String {
        let (path, reason): ([any CodingKey], String)
        switch error {
        case .keyNotFound(let key, let context): (path, reason) = (context.codingPath + [key], "it is missing")
        case .valueNotFound(_, let context): (path, reason) = (context.codingPath, "it is null")
        case .typeMismatch(_, let context): (path, reason) = (context.codingPath, "it has another type")
        case .dataCorrupted(let context): (path, reason) = (context.codingPath, "it isn't valid for its type")
        @unknown default: (path, reason) = ([], "it doesn't fit")
        }
        guard !path.isEmpty else { return "the whole value: \(reason)" }
        return "property \"\(path.map(\.stringValue).joined(separator: "."))\": \(reason)"
    }
}
