/// A violation of the schema by a document. It names the property and the requirement of the schema, never the value.
public struct SchemaViolation: Sendable, Hashable {
    /// The names and indices from the document to the value, separated by dots; empty for the whole document.
    public let path: String
    /// The violated keyword of JSON Schema.
    public let keyword: String
    /// The required type, if the keyword is `bsonType`; otherwise nil.
    public let expected: String?

    init(path: String, keyword: String, expected: String? = nil) {
        (self.path, self.keyword, self.expected) = (path, keyword, expected)
    }
}

extension SchemaViolation: CustomStringConvertible {
    /// The violation as text, such as `'age' isn't of type int (bsonType)`.
    public var description: String {
        let place = path.isEmpty ? "the document" : "'\(path)'"
        if let expected { return "\(place) isn't of type \(expected) (\(keyword))" }
        return keyword == "required" ? "\(place) is missing (required)" : "\(place) doesn't fulfil \(keyword)"
    }
}
