internal import FoundationEssentials

/// Converts values of `Encodable` types to documents, and describes errors from decoding documents.
package enum DocumentCoding {
    /// Returns the document id that a value's `id` names: its description, or that of the value that an optional `id`
    /// wraps.
    ///
    /// - Throws: `invalidParameter` if the `id` is nil.
    static func id(of value: some Identifiable) throws(DatabaseError) -> String {
        guard let id = description(of: value.id) else {
            throw DatabaseError(
                .invalidParameter, "the id of a value of \(type(of: value)) is nil, so it names no document")
        }
        return id
    }

    /// Returns the description of a value, without the optionals that wrap it; nil if it is nil.
    fileprivate static func description<T>(of value: T) -> String? {
        if let optional = value as? any OptionalValue { return optional.wrappedDescription }
        return String(describing: value)
    }

    static func document<T: Encodable & Identifiable>(of value: T, _ form: ValueForm) throws -> MutableDocument {
        var properties = try properties(of: value, form)
        let id = try id(of: value)
        switch properties.value(forKey: "id") {
        case .string(id)?: properties.removeValue(forKey: "id")
        case .number(let number)? where number.description == id: properties.removeValue(forKey: "id")
        // A UUID's description is its text, in both stored forms.
        case let other? where other.uuid?.uuidString == id: properties.removeValue(forKey: "id")
        default: break
        }
        return MutableDocument(id: id, data: properties)
    }

    static func properties(of value: some Encodable, _ form: ValueForm) throws -> DictionaryObject {
        let encoded: Value
        do {
            encoded = try ValueEncoder.encode(value, form)
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

/// An `Optional` of any type.
private protocol OptionalValue {
    /// The description of the wrapped value; nil if there is none.
    var wrappedDescription: String? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedDescription: String? { flatMap { DocumentCoding.description(of: $0) } }
}
