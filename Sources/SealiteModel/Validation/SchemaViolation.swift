/// A violation of the schema by a document. It names the property and the requirement of the schema, never the value.
public struct SchemaViolation: Sendable, Hashable {
    /// The names and indices from the document to the value, separated by dots; empty for the whole document.
    public let path: String
    /// The violated keyword of JSON Schema.
    public let keyword: String
    /// The required type, if the keyword is `bsonType`; otherwise nil.
    public let expected: String?
    /// A Boolean value that says whether the value is of the required type, but stored as text: a date in ISO 8601,
    /// bytes in Base64 or a UUID.
    public let isText: Bool

    init(path: String, keyword: String, expected: String? = nil, isText: Bool = false) {
        (self.path, self.keyword, self.expected, self.isText) = (path, keyword, expected, isText)
    }
}

extension SchemaViolation: CustomStringConvertible {
    /// The violation as text, such as `'age' isn't of type int (bsonType)`.
    public var description: String {
        let place = path.isEmpty ? "the document" : "'\(path)'"
        if isText, let expected { return "\(place) is of type \(expected), but stored as text (\(keyword))" }
        if let expected { return "\(place) isn't of type \(expected) (\(keyword))" }
        return keyword == "required" ? "\(place) is missing (required)" : "\(place) doesn't fulfil \(keyword)"
    }
}
